"""The whole flow: corpora, extraction, matches, gold, reports, exports, the demo."""

from fingreat.pipeline.corpus import Corpus
from fingreat.pipeline.demo import Demo, run_demo
from fingreat.pipeline.export import ExportFormat, export_run
from fingreat.pipeline.extract import ExtractConfig, Progress, extract
from fingreat.pipeline.gold import anchor_gold, read_gold
from fingreat.pipeline.match import check_comparable, match_runs
from fingreat.pipeline.report import build_report, write_report

__all__ = [
    "Corpus",
    "Demo",
    "ExportFormat",
    "ExtractConfig",
    "Progress",
    "anchor_gold",
    "build_report",
    "check_comparable",
    "export_run",
    "extract",
    "match_runs",
    "read_gold",
    "run_demo",
    "write_report",
]
