"""Trees of filings as other tools leave them on disk."""

from __future__ import annotations

import csv
from pathlib import Path

from sec_edgar_downloader._orchestrator import get_save_location
from sec_edgar_downloader._types import DownloadMetadata

FIRST_LINE = (
    "CIK,Company,Type,Date,complete_text_file_link,html_index,Filing Date,Period of Report,SIC,htm_file_link,"
    "State of Inc,State location,Fiscal Year End,filename"
)
"""The first line of FILINGS_METADATA.csv: `get_specific_indices` in edgar-crawler's download_filings.py (commit
25f9da0d of nlpaueb/edgar-crawler)."""
COLUMNS = FIRST_LINE.split(",")


def downloaded(
    folder: Path, accession: str, name: str, data: bytes, *, company: str = "PMP", form: str = "10-K"
) -> Path:
    """Store a file where sec-edgar-downloader does, by its own function."""
    ticker = None if company.isdigit() else company
    metadata = DownloadMetadata(folder, form, cik="0000000001" if ticker else company, ticker=ticker)
    path = get_save_location(metadata, accession, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def crawled_name(cik: str, form: str, period: str, accession: str, ending: str) -> str:
    """A file's name as `crawl` in edgar-crawler's download_filings.py makes it, the form without - and /."""
    return f"{cik}_{form.replace('-', '').replace('/', '')}_{period[:4]}_{accession}.{ending}"


def crawled(folder: Path, row: dict[str, str], data: bytes) -> Path:
    """Store a file where edgar-crawler does: below the folder of its form."""
    path = folder / "RAW_FILINGS" / row["Type"] / row["filename"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def listed(cik: str, accession: str, *, ending: str = "htm", **values: str) -> dict[str, str]:
    """A row of edgar-crawler's list."""
    row = dict.fromkeys(COLUMNS, "") | {
        "CIK": cik,
        "Company": "PUMPS, LISTED INC",
        "Type": "10-K",
        "Date": "2004-12-13",
        "complete_text_file_link": f"https://www.sec.gov/Archives/edgar/data/{cik}/{accession}.txt",
        "html_index": f"https://www.sec.gov/Archives/edgar/data/{cik}/{accession}-index.html",
        "Filing Date": "2004-12-14",
        "Period of Report": "2004-09-30",
        "SIC": "3561",
        "Fiscal Year End": "0930",
        "State of Inc": "DE",
    }
    row |= values
    return row | {"filename": crawled_name(cik, row["Type"], row["Period of Report"], accession, ending)}


def write_list(folder: Path, rows: list[dict[str, str]], columns: list[str] | None = None) -> Path:
    """Write edgar-crawler's list."""
    path = folder / "FILINGS_METADATA.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns or COLUMNS, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path
