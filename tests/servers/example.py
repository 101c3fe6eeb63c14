"""A filing of two companies, and ways to ask for it: what the tests of the local EDGAR begin with."""

from __future__ import annotations

import socket
from datetime import date

import requests

from servers.catalogue import Company, Fact, FormerName, LocalDocument, LocalFiling
from servers.edgar import LocalEdgar
from servers.invented import invented_filing

AGENT = {"User-Agent": "Sample University researcher@example.edu"}
PUMPS = Company(
    "9900501",
    "OSTLER PUMP CORP",
    fiscal_year_end="0930",
    tickers=("OSTP", "OSTPW"),
    exchanges=("NYSE",),
    former_names=(FormerName("OSTLER & SONS INC", date(1995, 1, 2), date(1999, 5, 6)),),
)
TRUST = Company("9900502", "TARN FINANCE TRUST I", sic="", fiscal_year_end="")
REPORT = LocalFiling(
    companies=(PUMPS, TRUST),
    accession="0009900777-11-000042",
    form="10-K",
    filed=date(2011, 3, 31),
    period=date(2010, 9, 30),
    documents=(
        LocalDocument("10-K", "<html><body><p>Our pumps.</p></body></html>\n", "ostler.htm", "ANNUAL REPORT"),
        LocalDocument("EX-23", "<html><body><p>Consent.</p></body></html>\n", "ex23.htm", "CONSENT"),
    ),
    facts=(Fact(date(2009, 9, 30), 700), Fact(date(2010, 9, 30), 900, frame="CY2010Q3I")),
)
QUARTERLY = invented_filing(PUMPS, 2011, form="10-Q", number=2, filed=date(2011, 5, 2))
PATH = "/Archives/edgar/data/9900501/0009900777-11-000042.txt"


def get(edgar: LocalEdgar, path: str) -> requests.Response:
    """What `requests` makes of an answer."""
    return requests.get(edgar.base + path, headers=AGENT, timeout=10, allow_redirects=False)


def raw(edgar: LocalEdgar, path: str = PATH, pieces: list[bytes] | None = None) -> bytes:
    """All bytes that come before the connection ends, read by no HTTP library.

    Args:
        pieces: what came, also where the connection breaks.
    """
    host, port = edgar.base.removeprefix("http://").split(":")
    request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: me@example.edu\r\nConnection: close\r\n\r\n"
    came = [] if pieces is None else pieces
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(request.encode())
        while piece := connection.recv(65536):
            came.append(piece)
    return b"".join(came)
