"""`fingreat analyze`: measures over runs."""

from __future__ import annotations

import typer

from fingreat.cli.analyze_accuracy import accuracy
from fingreat.cli.analyze_agreement import agreement
from fingreat.cli.analyze_behavior import behavior
from fingreat.cli.analyze_cost import cost
from fingreat.cli.analyze_ensemble import ensemble
from fingreat.cli.analyze_errors import errors
from fingreat.cli.analyze_groups import groups
from fingreat.cli.analyze_panel import panel
from fingreat.cli.analyze_reviewers import reviewers
from fingreat.cli.analyze_stability import stability
from fingreat.cli.analyze_tags import tags

app = typer.Typer(
    no_args_is_help=True,
    help="Measure runs: against each other, together, and by what they took.\n\n"
    "Example: fingreat analyze agreement out/lexicon-quote out/embed-quote",
)
app.command("behavior")(behavior)
app.command("agreement")(agreement)
app.command("groups")(groups)
app.command("ensemble")(ensemble)
app.command("accuracy")(accuracy)
app.command("errors")(errors)
app.command("stability")(stability)
app.command("cost")(cost)
app.command("panel")(panel)
app.command("tags")(tags)
app.command("reviewers")(reviewers)
