"""Runs → matches → measures → one report: a page with its tables and figures."""

from fingreat.pipeline.report.build import build_report, check_folder, write_report

__all__ = ["build_report", "check_folder", "write_report"]
