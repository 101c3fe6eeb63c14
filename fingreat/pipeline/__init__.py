"""The whole flow: corpora, extraction, matches, gold, reports, exports, the demo."""

from fingreat.pipeline.accuracy import MeasuredAccuracy, measure_accuracy_of
from fingreat.pipeline.agreement import MeasuredRuns, measure_runs
from fingreat.pipeline.asking import AskOptions
from fingreat.pipeline.behavior import MeasuredBehavior, measure_behavior
from fingreat.pipeline.benchmark import Benchmark, read_benchmark
from fingreat.pipeline.classify import Classified, classify
from fingreat.pipeline.comparable import check_comparable
from fingreat.pipeline.corpus import Corpus
from fingreat.pipeline.demo import Demo, run_demo
from fingreat.pipeline.draw import draw_order
from fingreat.pipeline.enrich import enrich
from fingreat.pipeline.ensemble import MeasuredEnsemble, measure_ensemble
from fingreat.pipeline.errors import MeasuredErrors, measure_errors
from fingreat.pipeline.export import ExportFormat, export_run
from fingreat.pipeline.extract import ExtractConfig, extract
from fingreat.pipeline.fetch import Selection, fetch
from fingreat.pipeline.frames import frames_of, tables_of
from fingreat.pipeline.frontier import MeasuredCosts, measure_costs
from fingreat.pipeline.gold import anchor_gold, read_gold
from fingreat.pipeline.groups import GroupedRuns, group_runs
from fingreat.pipeline.match import match_runs
from fingreat.pipeline.noise import MeasuredNoise, measure_noise
from fingreat.pipeline.on_gold import QuotedPassage, on_gold
from fingreat.pipeline.panel import MeasuredPanel, PanelSettings, measure_panel, write_panel
from fingreat.pipeline.power import MeasuredPower, PowerQuestion, even_sizes, measure_power, sizes_of_gold
from fingreat.pipeline.progress import Progress
from fingreat.pipeline.questions import ClassifyConfig
from fingreat.pipeline.report import build_report, write_report
from fingreat.pipeline.reviews import MeasuredReviews, measure_review_file, read_reviews
from fingreat.pipeline.sample import SampleSettings, draw_sample
from fingreat.pipeline.side_by_side import Choice
from fingreat.pipeline.stability import MeasuredStability, measure_stability
from fingreat.pipeline.study.check import CheckedStudy, check_study
from fingreat.pipeline.study.flow import Study, run_study
from fingreat.pipeline.tags import MeasuredTags, measure_run_tags

__all__ = [
    "AskOptions",
    "Benchmark",
    "CheckedStudy",
    "Choice",
    "Classified",
    "ClassifyConfig",
    "Corpus",
    "Demo",
    "ExportFormat",
    "ExtractConfig",
    "GroupedRuns",
    "MeasuredAccuracy",
    "MeasuredBehavior",
    "MeasuredCosts",
    "MeasuredEnsemble",
    "MeasuredErrors",
    "MeasuredNoise",
    "MeasuredPanel",
    "MeasuredPower",
    "MeasuredReviews",
    "MeasuredRuns",
    "MeasuredStability",
    "MeasuredTags",
    "PanelSettings",
    "PowerQuestion",
    "Progress",
    "QuotedPassage",
    "SampleSettings",
    "Selection",
    "Study",
    "anchor_gold",
    "build_report",
    "check_comparable",
    "check_study",
    "classify",
    "draw_order",
    "draw_sample",
    "enrich",
    "even_sizes",
    "export_run",
    "extract",
    "fetch",
    "frames_of",
    "group_runs",
    "match_runs",
    "measure_accuracy_of",
    "measure_behavior",
    "measure_costs",
    "measure_ensemble",
    "measure_errors",
    "measure_noise",
    "measure_panel",
    "measure_power",
    "measure_review_file",
    "measure_run_tags",
    "measure_runs",
    "measure_stability",
    "on_gold",
    "read_benchmark",
    "read_gold",
    "read_reviews",
    "run_demo",
    "run_study",
    "sizes_of_gold",
    "tables_of",
    "write_panel",
    "write_report",
]
