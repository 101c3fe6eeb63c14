"""The whole flow: corpora, extraction, gold, exports, the demo."""

from fingreat.pipeline.corpus import Corpus
from fingreat.pipeline.demo import Demo, run_demo
from fingreat.pipeline.export import ExportFormat, export_run
from fingreat.pipeline.extract import ExtractConfig, Progress, extract
from fingreat.pipeline.gold import anchor_gold, read_gold

__all__ = [
    "Corpus",
    "Demo",
    "ExportFormat",
    "ExtractConfig",
    "Progress",
    "anchor_gold",
    "export_run",
    "extract",
    "read_gold",
    "run_demo",
]
