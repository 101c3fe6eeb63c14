"""What a reader sees: the page of one section with its passages marked, and the drawing of the graph."""

from fingreat.report.draw import draw_svg, svg_to_png
from fingreat.report.model import EdgeScore, Page, RunView, ScoreView, Share
from fingreat.report.page import render_page

__all__ = ["EdgeScore", "Page", "RunView", "ScoreView", "Share", "draw_svg", "render_page", "svg_to_png"]
