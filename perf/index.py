"""How fast is an index of half a million rows read and sampled, beside edgartools and pandas, and in how much memory?

One invented quarter, written as form.idx and as master.idx, plain and gzipped: 500,000 rows, a fiftieth of them annual
reports, some filed by several registrants, names that run past their column, Latin-1. Every reader has a process of its
own for each file. It goes from the file to 50 drawn filings, one of a firm; the seconds are the clock's, the median of
three such processes, without its imports, and the memory is the process's peak, with them. The annual rows and firms
that a reader finds are counted, since a quick one that garbles rows is no alternative.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROWS, DRAWN, SEED, YEAR, REPEATS = 500_000, 50, 7, 2003, 3
ANNUAL = {"10-K": 120, "10-K405": 20, "10KSB": 40, "10KSB40": 3, "10-KT": 1, "10-K/A": 16}
OTHERS = {
    "4": 4300, "8-K": 1300, "10-Q": 900, "SC 13G/A": 500, "SC 13G": 400, "3": 400, "424B3": 350, "6-K": 300,
    "497": 300, "4/A": 120, "DEF 14A": 120, "NT 10-K": 80, "S-8": 150, "13F-HR": 300, "15-12G": 60, "POS AM": 20,
}  # fmt: skip
WORDS = ("ACME", "AMERICAN", "BANCORP", "CAPITAL", "ENERGY", "FIRST", "GENERAL", "HOLDINGS", "INSURANCE", "NATIONAL")
ENDINGS = ("INC", "CORP /DE/", "LTD PARTNERSHIP", "CO", "L P", "SOCI\u00c9T\u00c9 ANONYME", "TRUST  SERIES 2003-1")
KINDS = {
    "form": ("by Form Type", f"{'Form Type':12}{'Company Name':62}{'CIK':12}{'Date Filed':12}File Name"),
    "master": ("", "CIK|Company Name|Form Type|Date Filed|Filename"),
}


def rows() -> list[tuple[str, str, int, str, str]]:
    """Invented rows: form, company, CIK, date, path; about one filing in thirty has a second registrant."""
    chance = random.Random(SEED)
    annual = chance.choices(list(ANNUAL), list(ANNUAL.values()), k=ROWS)
    other = chance.choices(list(OTHERS), list(OTHERS.values()), k=ROWS)
    names: dict[int, str] = {}
    found: list[tuple[str, str, int, str, str]] = []
    while len(found) < ROWS:
        number = len(found)
        form = annual[number] if number % 50 == 0 else other[number]
        day = f"{YEAR}-{chance.randint(1, 3):02}-{chance.randint(1, 28):02}"
        accession = f"{chance.randint(1, 1_300_000):010}-03-{number:06}"
        for _ in range(2 if chance.random() < 1 / 30 else 1):
            cik = chance.randint(20, 60_000) * 21
            if cik not in names:
                names[cik] = " ".join((*chance.choices(WORDS, k=chance.randint(1, 8)), chance.choice(ENDINGS)))
            found.append((form, names[cik], cik, day, f"edgar/data/{cik}/{accession}.txt"))
    return found[:ROWS]


def write(folder: Path) -> tuple[dict[str, Path], tuple[int, int]]:
    """The files of the quarter, and how many of their rows are annual reports (or amendments), of how many firms."""
    found = rows()
    paths = {kind: folder / f"{kind}.idx" for kind in KINDS}
    lines = {
        "form": [
            f"{f:12}{n:61} {c!s:12}{d:12}{p}" if len(n) < 61 else f"{f:12}{n}  {c!s:12}{d:12}{p}"
            for f, n, c, d, p in sorted(found)
        ],
        "master": [f"{c}|{n}|{f}|{d}|{p}" for f, n, c, d, p in sorted(found, key=lambda row: (row[2], row[0]))],
    }
    for kind, (about, header) in KINDS.items():
        head = (
            f"Description:           Master Index of EDGAR Dissemination Feed {about}".rstrip(),
            "Last Data Received:    March 31, 2003", "Comments:              webmaster@sec.gov",
            "Anonymous FTP:         ftp://ftp.sec.gov/edgar/", " ", " ", " ", " ", header, "-" * 141,
        )  # fmt: skip
        paths[kind].write_bytes("\n".join((*head, *lines[kind], "")).encode("latin-1"))
    paths["master.gz"] = folder / "master.gz"
    paths["master.gz"].write_bytes(gzip.compress(paths["master"].read_bytes(), 6))
    annual = [row[2] for row in found if row[0] in ANNUAL]
    return paths, (len(annual), len(set(annual)))


def fingreat() -> Callable[[Path], tuple[int, int, int]]:
    from fingreat.edgar.remote.families import FormChoice
    from fingreat.edgar.remote.index import read_index
    from fingreat.pipeline.draw import draw_order

    def sample(path: Path) -> tuple[int, int, int]:
        with path.open("rb") as stream:
            index = read_index(stream, FormChoice(("10-K",), amendments=True).accepts)
        chosen = draw_order(index.rows, YEAR, SEED).order[:DRAWN]
        return len(index.rows), len({row.cik for row in index.rows}), len(chosen)

    return sample


def edgartools() -> Callable[[Path], tuple[int, int, int]]:
    def refuse(*_: object) -> None:
        raise OSError("no network here")

    socket.socket.connect = refuse
    import pyarrow.compute
    from edgar._filings import read_form_index_file, read_pipe_delimited_index

    def sample(path: Path) -> tuple[int, int, int]:
        text = unpacked(path).decode("latin-1")
        table = read_form_index_file(text) if path.name.startswith("form") else read_pipe_delimited_index(text)
        annual = table.filter(pyarrow.compute.is_in(table["form"], pyarrow.array(list(ANNUAL)))).to_pandas()
        return len(annual), annual["cik"].nunique(), drawn(annual, "accession_number")

    return sample


def pandas() -> Callable[[Path], tuple[int, int, int]]:
    import pandas

    def sample(path: Path) -> tuple[int, int, int]:
        names = ["cik", "company", "form", "filed", "path"]
        start = next(n for n, line in enumerate(unpacked(path)[:2000].split(b"\n"), 1) if line.startswith(b"-----"))
        if path.name.startswith("form"):
            spans = [(74, 86), (12, 74), (0, 12), (86, 98), (98, 150)]
            table = pandas.read_fwf(path, colspecs=spans, names=names, skiprows=start, encoding="latin-1", dtype=str)
        else:
            table = pandas.read_csv(
                path, sep="|", names=names, skiprows=start, encoding="latin-1", dtype=str, quoting=3
            )
        annual = table[table["form"].isin(ANNUAL)]
        accession = annual["path"].str[-24:-4]
        return len(annual), annual["cik"].nunique(), drawn(annual.assign(accession=accession), "accession")

    return sample


def drawn(table: Any, accession: str) -> int:
    firms = table.sort_values("cik").drop_duplicates(accession).sample(frac=1, random_state=SEED).drop_duplicates("cik")
    return len(firms.sample(DRAWN, random_state=SEED))


def unpacked(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


READERS = {"fingreat": fingreat, "edgartools": edgartools, "pandas": pandas}


def one(reader: str, path: Path) -> dict[str, Any]:
    """Read and sample in this process."""
    sample = READERS[reader]()
    start = time.perf_counter()
    annual, firms, chosen = sample(path)
    seconds = time.perf_counter() - start
    # Of this very program, which `getrusage` does not tell from what its parent once held.
    status = Path("/proc/self/status").read_text()
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    return {"seconds": seconds, "peak_mb": peak * 1024 / 1e6, "annual": annual, "firms": firms, "drawn": chosen}


def measure(reader: str, path: Path) -> dict[str, Any]:
    """The medians of several processes, or why it failed in the first."""
    command = (sys.executable, str(Path(__file__).resolve()), "--one", reader, str(path))
    home = {"HOME": str(path.parent), "EDGAR_LOCAL_DATA_DIR": str(path.parent)}
    results = []
    for _ in range(REPEATS):
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | home, check=False)
        if done.returncode:
            return {"failed": (done.stderr.strip().splitlines() or ["no message"])[-1][:90]}
        results.append(json.loads(done.stdout.splitlines()[-1]))
    medians = {key: statistics.median(result[key] for result in results) for key in ("seconds", "peak_mb")}
    return results[0] | medians


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--one", nargs=2, metavar=("READER", "FILE"), help="measure in this process")
    options = arguments.parse_args()
    if options.one:
        print(json.dumps(one(options.one[0], Path(options.one[1]))))
        return 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        paths, truth = write(Path(folder))
        sizes = ", ".join(f"{path.name} {path.stat().st_size / 1e6:.0f} MB" for path in paths.values())
        print(f"{ROWS:,} rows, {truth[0]:,} of them annual reports of {truth[1]:,} firms; {sizes}")
        found = {(reader, kind): measure(reader, path) for kind, path in paths.items() for reader in READERS}
    print(f"{'file':10} {'reader':11} {'seconds':>8} {'peak MB':>8} {'annual rows':>12} {'firms':>7}")
    for (reader, kind), result in found.items():
        if "failed" in result:
            print(f"{kind:10} {reader:11} failed: {result['failed']}")
            continue
        print(
            f"{kind:10} {reader:11} {result['seconds']:8.2f} {result['peak_mb']:8.0f} {result['annual']:12,}"
            f" {result['firms']:7,}"
        )
    ours = {kind: found["fingreat", kind] for kind in paths}
    if any((one.get("annual"), one.get("firms"), one.get("drawn")) != (*truth, DRAWN) for one in ours.values()):
        print("ours lost rows", file=sys.stderr)
        return 1
    figures: dict[str, Any] = {
        "seconds": round(max(result["seconds"] for result in ours.values()), 2),
        "peak_mb": round(max(result["peak_mb"] for result in ours.values())),
        "rows": ROWS,
    }
    for (reader, kind), result in found.items():
        if reader != "fingreat" and "failed" not in result:
            name = f"{reader}_{kind.replace('.', '_')}"
            figures[f"ratio_{name}"] = round(result["seconds"] / ours[kind]["seconds"], 2)
            figures[f"peak_mb_{name}"] = round(result["peak_mb"])
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
