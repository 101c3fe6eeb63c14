"""What a reader sees: one page for a study's filings, runs, tables and figures, and the drawing of the graph."""

from fingreat.report.bar_chart import bars
from fingreat.report.dot_chart import DotRow, dots
from fingreat.report.draw import draw_svg, svg_to_png
from fingreat.report.frames import table_frame
from fingreat.report.heat_chart import Sides, heat_map
from fingreat.report.line_chart import Panel, lines
from fingreat.report.markdown_table import table_markdown
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
from fingreat.report.pdf import svg_to_pdf
from fingreat.report.scatter_chart import ScatterPoint, scatter
from fingreat.report.study import Appendix, Block, Part, StudyReport
from fingreat.report.study_page import render_study
from fingreat.report.tables import (
    Cell,
    Column,
    Estimate,
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
    "Appendix",
    "Block",
    "Cell",
    "Column",
    "DotRow",
    "EdgeScore",
    "Estimate",
    "Figure",
    "FilingView",
    "MatchView",
    "Panel",
    "Part",
    "Points",
    "Report",
    "RunView",
    "ScatterPoint",
    "ScoreView",
    "Share",
    "Sides",
    "StudyReport",
    "Table",
    "bars",
    "cell_text",
    "count_of",
    "dots",
    "draw_svg",
    "edge_styles",
    "heat_map",
    "lines",
    "number_text",
    "percent",
    "render_report",
    "render_study",
    "scatter",
    "svg_to_pdf",
    "svg_to_png",
    "table_csv",
    "table_frame",
    "table_markdown",
]
