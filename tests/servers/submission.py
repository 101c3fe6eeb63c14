"""A filing as EDGAR serves it: the full submission, its parts, and the pages made of its header."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from html import escape

from servers.catalogue import Company, LocalDocument, LocalFiling

_PEM_OPEN = (
    "-----BEGIN PRIVACY-ENHANCED MESSAGE-----\nProc-Type: 2001,MIC-CLEAR\nOriginator-Name: webmaster@www.sec.gov"
)
_PEM_CLOSE = "-----END PRIVACY-ENHANCED MESSAGE-----\n"


@lru_cache(maxsize=512)
def full_submission(filing: LocalFiling) -> bytes:
    """The bytes of `{accession}.txt`."""
    if filing.raw is not None:
        return filing.raw
    filed = f"{filing.filed:%Y%m%d}"
    parts = [
        f"<SEC-DOCUMENT>{filing.accession}.txt : {filed}",
        f"<SEC-HEADER>{filing.accession}.hdr.sgml : {filed}",
        header(filing),
        "</SEC-HEADER>",
        *(_part(number, part) for number, part in enumerate(filing.documents, start=1)),
        "</SEC-DOCUMENT>\n",
    ]
    text = "\n".join(parts)
    if filing.pem:
        text = f"{_pem_head(text)}{text}{_PEM_CLOSE}"
    return text.encode()


def document(filing: LocalFiling, filename: str) -> bytes | None:
    """One document by its file name: what stands between its `<TEXT>` marks."""
    for part in filing.documents:
        if part.filename and part.filename == filename:
            return part.text.encode()
    return None


def header(filing: LocalFiling) -> str:
    """The lines between `<SEC-HEADER>` and `</SEC-HEADER>`."""
    lines = [] if filing.pem else [f"<ACCEPTANCE-DATETIME>{filing.accepted}"]
    lines += [
        f"ACCESSION NUMBER:\t\t{filing.accession}",
        f"CONFORMED SUBMISSION TYPE:\t{filing.form}",
        f"PUBLIC DOCUMENT COUNT:\t\t{len(filing.documents)}",
    ]
    if filing.period:
        lines.append(f"CONFORMED PERIOD OF REPORT:\t{filing.period:%Y%m%d}")
    lines.append(f"FILED AS OF DATE:\t\t{filing.filed:%Y%m%d}")
    if not filing.pem:
        lines.append(f"DATE AS OF CHANGE:\t\t{filing.filed:%Y%m%d}")
    for company in filing.companies:
        lines += ["", "FILER:", "", *_filer(company, filing)]
    return "\n".join(lines)


def landing_page(filing: LocalFiling) -> bytes:
    """`{accession}-index.htm`: a table of the filing's documents."""
    folder = f"/Archives/edgar/data/{filing.companies[0].cik}/{filing.nodash}"
    rows = [
        f'<tr><td>{number}</td><td>{escape(part.description)}</td><td><a href="{folder}/{escape(part.filename)}">'
        f"{escape(part.filename)}</a></td><td>{escape(part.type)}</td><td>{len(part.text.encode())}</td></tr>"
        for number, part in enumerate(filing.documents, start=1)
    ]
    rows.append(
        f'<tr><td>&nbsp;</td><td>Complete submission text file</td><td><a href="{folder}/{filing.accession}.txt">'
        f"{filing.accession}.txt</a></td><td>&nbsp;</td><td>{len(full_submission(filing))}</td></tr>"
    )
    names = ", ".join(f"{escape(one.name)} (Filer) CIK: {one.padded}" for one in filing.companies)
    return (
        f"<!DOCTYPE html>\n<html><head><title>EDGAR Filing Documents for {filing.accession}</title></head><body>\n"
        f"<div><strong>Form {escape(filing.form)}</strong> SEC Accession No. {filing.accession}</div>\n"
        f"<div>Filing Date {filing.filed}</div>\n<div>{names}</div>\n"
        f'<table summary="Document Format Files">\n<tr><th>Seq</th><th>Description</th><th>Document</th><th>Type</th>'
        f"<th>Size</th></tr>\n" + "\n".join(rows) + "\n</table>\n</body></html>\n"
    ).encode()


def header_page(filing: LocalFiling) -> bytes:
    """`{accession}-index-headers.html`: the header, and each document's tags."""
    tags = [
        f"&lt;DOCUMENT&gt;\n&lt;TYPE&gt;{escape(part.type)}\n&lt;SEQUENCE&gt;{number}\n"
        f'&lt;FILENAME&gt;<a href="{escape(part.filename)}">{escape(part.filename)}</a>\n'
        f"&lt;DESCRIPTION&gt;{escape(part.description)}\n&lt;/DOCUMENT&gt;"
        for number, part in enumerate(filing.documents, start=1)
    ]
    head = f"&lt;SEC-HEADER&gt;{filing.accession}.hdr.sgml : {filing.filed:%Y%m%d}\n{escape(header(filing))}\n"
    body = head + "&lt;/SEC-HEADER&gt;\n" + "\n".join(tags)
    return f"<html><head><title>SEC HEADER</title></head><body><pre>{body}\n</pre></body></html>\n".encode()


def _part(number: int, part: LocalDocument) -> str:
    lines = ["<DOCUMENT>", f"<TYPE>{part.type}", f"<SEQUENCE>{number}"]
    lines += [f"<FILENAME>{part.filename}"] if part.filename else []
    lines += [f"<DESCRIPTION>{part.description}"] if part.description else []
    return "\n".join([*lines, "<TEXT>", part.text.removesuffix("\n"), "</TEXT>", "</DOCUMENT>"])


def _filer(company: Company, filing: LocalFiling) -> list[str]:
    number = int(company.cik)
    lines = [
        "\tCOMPANY DATA:\t",
        f"\t\tCOMPANY CONFORMED NAME:\t\t\t{company.name}",
        f"\t\tCENTRAL INDEX KEY:\t\t\t{company.padded}",
    ]
    if company.sic:
        lines.append(f"\t\tSTANDARD INDUSTRIAL CLASSIFICATION:\t{company.sic_title} [{company.sic}]")
    lines += [f"\t\tIRS NUMBER:\t\t\t\t{number % 10**9:09d}", f"\t\tSTATE OF INCORPORATION:\t\t\t{company.state}"]
    if company.fiscal_year_end:
        lines.append(f"\t\tFISCAL YEAR END:\t\t\t{company.fiscal_year_end}")
    lines += [
        "",
        "\tFILING VALUES:",
        f"\t\tFORM TYPE:\t\t{filing.form}",
        f"\t\tSEC ACT:\t\t{'' if filing.pem else '1934 Act'}",
        f"\t\tSEC FILE NUMBER:\t{file_number(company)}",
        f"\t\tFILM NUMBER:\t\t{film_number(filing)}",
    ]
    address = [f"\t\tSTREET 1:\t\t{number % 900 + 100} MILL LANE", "\t\tCITY:\t\t\tMARLOW FALLS", "\t\tSTATE:\t\t\tOH"]
    lines += ["", "\tBUSINESS ADDRESS:\t", *address, "\t\tZIP:\t\t\t43002", "\t\tBUSINESS PHONE:\t\t6145550142"]
    lines += ["", "\tMAIL ADDRESS:\t", *address, "\t\tZIP:\t\t\t43002"]
    for former in company.former_names:
        lines += ["", "\tFORMER COMPANY:\t", f"\t\tFORMER CONFORMED NAME:\t{former.name}"]
        lines += [f"\t\tDATE OF NAME CHANGE:\t{former.end:%Y%m%d}"]
    return lines


def file_number(company: Company) -> str:
    """A file number under the Exchange Act."""
    return f"001-{int(company.cik) % 100000:05d}"


def film_number(filing: LocalFiling) -> str:
    """The number that EDGAR gave the filing when it arrived."""
    return f"{filing.filed:%y}{int(filing.nodash) % 10**6:06d}"


def _pem_head(text: str) -> str:
    """The wrapper's first lines: a key and a signature, invented, of the usual lengths."""
    key = base64.b64encode(hashlib.sha512(b"local EDGAR").digest() + bytes(30)).decode()
    signed = base64.b64encode(hashlib.sha512(text.encode()).digest()).decode()
    return (
        f"{_PEM_OPEN}\nOriginator-Key-Asymmetric:\n {key[:64]}\n {key[64:]}\n"
        f"MIC-Info: RSA-MD5,RSA,\n {signed[:64]}\n {signed[64:]}\n\n"
    )
