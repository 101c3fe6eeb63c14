"""What a reader sees: one page for a study's filings, runs, tables and figures, and the drawing of the graph."""

from fingreat.report.bar_chart import bars
from fingreat.report.dot_chart import DotRow, dots
from fingreat.report.draw import draw_svg, svg_to_png
from fingreat.report.heat_chart import Sides, heat_map
from fingreat.report.model import (
    EdgeScore,
    Figure,
    FilingView,
    MatchView,
    Report,
    RunView,
    ScoreView,
)
from fingreat.report.page import render_report
from fingreat.report.palette import edge_styles
from fingreat.report.scatter_chart import ScatterPoint, scatter
from fingreat.report.tables import (
    Cell,
    Column,
    Points,
    Share,
    Table,
    cell_text,
    count_of,
    number_text,
    percent,
    table_csv,
)

__all__ = [
    "Cell",
    "Column",
    "DotRow",
    "EdgeScore",
    "Figure",
    "FilingView",
    "MatchView",
    "Points",
    "Report",
    "RunView",
    "ScatterPoint",
    "ScoreView",
    "Share",
    "Sides",
    "Table",
    "bars",
    "cell_text",
    "count_of",
    "dots",
    "draw_svg",
    "edge_styles",
    "heat_map",
    "number_text",
    "percent",
    "render_report",
    "scatter",
    "svg_to_png",
    "table_csv",
]
