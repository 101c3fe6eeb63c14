"""A folder in which the examples of all commands of `fingreat analyze` can be given, and how each refuses."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

from pipeline.answered_runs import SENTENCES, answered, gold_file
from pipeline.extraction_builders import an_extraction, finished_run

from fingreat.runs import ModelInfo
from fingreat.schema import Filing

FILINGS = {"F1": ("pumps", "copper", "tax"), "F2": ("dividend", "shares")}
QUOTED = {
    "lexicon": {"pumps": "REV-NNCA", "copper": "NNCA-COGS", "tax": "NNCA-TAX", "dividend": "CASH-DIV"},
    "embed": {"pumps": "REV-NNCA", "copper": "NNCA-OPEX", "dividend": "NNCA-CASH", "shares": "CASH-REP"},
    "embedded": {"pumps": "REV-NNCA", "copper": "NNCA-COGS", "dividend": "CASH-DIV", "shares": "CASH-REP"},
}
"""Model → passage → its edge when the model extracts it."""
CLASSIFIED = {
    "lexicon": {"pumps": "REV-NNCA", "copper": "NNCA-COGS", "tax": None, "dividend": "CASH-DIV", "shares": "ISS-CASH"},
    "embed": {"pumps": "REV-NNCA", "copper": "NNCA-OPEX", "tax": "NNCA-TAX", "dividend": "CASH-DIV", "shares": None},
}
COUNTS = {
    "filings": 2,
    "passages": 5,
    "left_out": 0,
    "replies": 5,
    "from_cache": 0,
    "prompt_tokens": 4_000,
    "cached_tokens": 0,
    "output_tokens": 200,
    "reasoning_tokens": 0,
    "cost_usd": 0.5,
    "unpriced": 0,
}


def made_everything(folder: Path) -> Path:
    """Runs of extract and of classify as they are named by default, a gold file, a corpus and reviews."""
    (folder / "out").mkdir(parents=True)
    for model, edges in QUOTED.items():
        quotes = [
            an_extraction(filing, f"x-{name}", SENTENCES[name], edges[name], tags=(f"[red]{name}", "Net sales"))
            for filing, names in FILINGS.items()
            for name in names
            if name in edges
        ]
        run = finished_run(folder / "out" / f"{model}-quote", tuple(FILINGS), quotes)
        info = ModelInfo(spec=model, backend="scripted", model=model, revision=None, context=None)
        run.write_manifest(run.manifest(), status="complete", model=info, counts=COUNTS, asking_seconds=8.0)
    gold = gold_file(folder)
    for model, answers in CLASSIFIED.items():
        run = answered(folder / "out" / f"{model}-classify", gold, answers, model=model)
        run.write_manifest(run.manifest(), status="complete", counts=COUNTS, asking_seconds=8.0)
    (folder / "corpus").mkdir()
    filings = [Filing(id=id_, filed=date(year, 3, 1), path=id_, sha256=id_) for year, id_ in enumerate(FILINGS, 2007)]
    (folder / "corpus" / "filings.jsonl").write_text("".join(one.model_dump_json() + "\n" for one in filings))
    reviews = [("p1", ["REV-NNCA"]), ("p2", [])]
    lines = [
        json.dumps({"passage_id": passage, "reviewer": name, "edges": edges if name != "cy" else ["NNCA-TAX"]})
        for passage, edges in reviews
        for name in ("[red]ann", "bob", "cy")
    ]
    (folder / "reviews.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def check_refused(run: Callable, command: str, arguments: Sequence[str], words: str, target: Path) -> None:
    """See that a command ends with one clear message, and writes nothing.

    Args:
        run: the fixture.
        target: of --out, where the arguments do not name one.
    """
    out = () if "--out" in arguments else ("--out", target)
    outcome = run("analyze", command, *arguments, *out)
    assert (outcome.code, outcome.out) == (2, "")
    assert words in " ".join(outcome.err.replace("│", " ").split())
    assert "Traceback" not in outcome.err
    assert not target.exists()
