"""Trees of filings as other tools leave them on disk."""

from __future__ import annotations

import csv
from pathlib import Path

from pipeline_builders import SENTENCES, html
from sec_edgar_downloader._orchestrator import get_save_location
from sec_edgar_downloader._types import DownloadMetadata

from fingreat.pipeline import Corpus
from fingreat.runs import read_record_file
from fingreat.schema import Failure, Filing

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


def write_list(folder: Path, rows: list[dict[str, str]]) -> Path:
    """Write edgar-crawler's list."""
    path = folder / "FILINGS_METADATA.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return path


def cover(words: str) -> bytes:
    """A main document whose first page says something."""
    return html([f"{words}.", *SENTENCES]).replace(b"<body>", f"<body><p>{words}</p>".encode())


def failures(corpus: Corpus) -> list[Failure]:
    """What a corpus lists as failed."""
    return [failure for _, failure in read_record_file(corpus.path / "failures.jsonl", Failure)]


def added(corpus: Corpus, *paths: Path) -> Filing:
    """The only filing of some paths."""
    counts = corpus.add(paths)
    assert (counts["added"], counts["failed"]) == (1, 0), failures(corpus)
    return corpus.filings()[-1]
