"""What the client makes of each thing that can go wrong, against a server on loopback that does it."""

from __future__ import annotations

import gzip

import pytest
from asking import FILINGS, IDENTITY, PATHS, TRIES, asking, right_bytes
from servers.answers import (
    Answer,
    Fault,
    broken,
    cut,
    cut_chunked,
    delayed,
    denied,
    dribbling,
    edited,
    forbidden,
    in_chunks,
    missing,
    redirected,
    reset,
    shortened,
    typed,
    unavailable,
)
from servers.edgar import LocalEdgar

from fingreat.edgar.remote import whole
from fingreat.edgar.remote.addresses import index_path
from fingreat.edgar.remote.client import EdgarClient
from fingreat.edgar.remote.whole import Kind
from fingreat.errors import BlockedError, RemoteError

pytestmark = pytest.mark.usefixtures("unlimited")

NOT_WHOLE: dict[str, Fault] = {
    "cut body": cut(0.5),
    "cut before the last byte": cut(0.999),
    "cut chunks": cut_chunked(0.5),
    "short file": shortened(0.7),
    "empty file": shortened(0.0),
    "reset before the answer": reset(),
    "reset in the body": reset(0.5),
    "500": broken,
    "503": unavailable,
}


@pytest.mark.parametrize("kind", list(PATHS))
def test_each_kind_of_file_comes_whole(edgar: LocalEdgar, client: EdgarClient, kind: Kind) -> None:
    assert client.get(PATHS[kind], kind) == right_bytes(edgar, PATHS[kind])
    edgar.fail(in_chunks)
    assert client.get(PATHS[kind], kind) == right_bytes(edgar, PATHS[kind])
    assert client.requests == 2


def test_a_wrapped_submission_of_the_nineties_comes_whole(edgar: LocalEdgar, client: EdgarClient) -> None:
    data = client.get(edgar.path(FILINGS[2]), "submission")
    assert data.startswith(b"-----BEGIN PRIVACY-ENHANCED MESSAGE-----")
    assert data == right_bytes(edgar, edgar.path(FILINGS[2]))


@pytest.mark.parametrize("kind", list(PATHS))
@pytest.mark.parametrize("name", list(NOT_WHOLE))
def test_what_fails_for_a_moment_is_asked_again(edgar: LocalEdgar, client: EdgarClient, kind: Kind, name: str) -> None:
    edgar.fail(NOT_WHOLE[name], times=TRIES - 1)
    data = client.get(PATHS[kind], kind)
    assert client.requests == edgar.log.count() == TRIES
    edgar.heal()
    assert data == right_bytes(edgar, PATHS[kind])


@pytest.mark.parametrize("kind", list(PATHS))
@pytest.mark.parametrize("name", list(NOT_WHOLE))
def test_what_goes_on_failing_is_given_up_and_nothing_is_returned(
    edgar: LocalEdgar, client: EdgarClient, said: list[str], kind: Kind, name: str
) -> None:
    edgar.fail(NOT_WHOLE[name])
    with pytest.raises(RemoteError, match=f"could not be had from EDGAR: .*; tried {TRIES} times") as caught:
        client.get(PATHS[kind], kind)
    assert caught.value.retryable
    assert not isinstance(caught.value, BlockedError)
    assert caught.value.status == {"500": 500, "503": 503, "short file": 200, "empty file": 200}.get(name)
    assert client.requests == edgar.log.count() == TRIES
    assert said == []


@pytest.mark.parametrize("fault", [delayed(1.5), dribbling(1000, 1.5)], ids=["late", "stalled"])
def test_an_answer_that_does_not_come_in_time_is_asked_for_again_and_then_given_up(
    edgar: LocalEdgar, fault: Fault
) -> None:
    path = PATHS["submission"]
    with asking(edgar, timeout=0.6) as client:
        edgar.fail(fault, times=1)
        assert client.get(path, "submission") == right_bytes(edgar, path)
        assert client.requests == 2
        edgar.fail(fault)
        with pytest.raises(RemoteError, match=r"nothing came for 0\.6 s; tried 3 times") as caught:
            client.get(path, "submission")
        assert caught.value.retryable
        assert caught.value.status is None
        assert client.requests == 2 + TRIES


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (cut(0.5), r"the (connection broke|answer is cut)"),
        (cut_chunked(0.5), "the connection broke"),
        (shortened(0.7), "the answer is cut: it does not end with </SEC-DOCUMENT>"),
        (shortened(0.0), "the answer is empty"),
        (reset(), "the connection broke"),
        (unavailable, "the server answered with status 503"),
        (typed("text/html; charset=UTF-8"), "the answer is of type text/html, which no full submission is"),
        (edited(lambda _: b"<html><body>Welcome</body></html>"), "does not begin as a full submission does"),
        (edited(lambda data: data.replace(FILINGS[0].accession.encode(), b"0000000001-03-000001")), "not 00099"),
    ],
)
def test_the_message_says_what_was_wrong(edgar: LocalEdgar, client: EdgarClient, fault: Fault, words: str) -> None:
    edgar.fail(fault)
    with pytest.raises(RemoteError, match=words) as caught:
        client.get(PATHS["submission"], "submission")
    assert str(caught.value).startswith(edgar.base + PATHS["submission"])
    assert "object at 0x" not in str(caught.value)
    assert "Run the same command again later." in str(caught.value)


@pytest.mark.parametrize(
    ("fault", "status", "words"),
    [
        (missing, 404, "EDGAR has no such file"),
        (denied, 404, r"EDGAR has no such file: status 403 \(AccessDenied\)"),
        (lambda answer: Answer(403, b"no entry"), 403, "EDGAR refuses this file: status 403"),
        (redirected("https://www.sec.gov/index.html"), 302, "points to 'https://www.sec.gov/index.html'"),
        (redirected("/elsewhere", 301), 301, "points to '/elsewhere'"),
        (lambda answer: Answer(410, b"gone"), 410, "status 410"),
    ],
)
def test_a_refusal_of_one_file_is_final(
    edgar: LocalEdgar, client: EdgarClient, said: list[str], fault: Fault, status: int, words: str
) -> None:
    edgar.fail(fault)
    with pytest.raises(RemoteError, match=words) as caught:
        client.get(PATHS["submission"], "submission")
    assert caught.value.status == status
    assert not caught.value.retryable
    assert client.requests == edgar.log.count() == 1
    assert said == []


def test_redirects_are_not_followed(edgar: LocalEdgar, client: EdgarClient) -> None:
    with LocalEdgar(FILINGS) as elsewhere:
        edgar.fail(redirected(elsewhere.base + PATHS["submission"]))
        with pytest.raises(RemoteError, match="redirects are not followed"):
            client.get(PATHS["submission"], "submission")
        assert elsewhere.log.count() == 0
    assert edgar.log.count() == 1


def test_waits_between_tries_grow_up_to_a_minute(monkeypatch: pytest.MonkeyPatch, edgar: LocalEdgar) -> None:
    waits: list[float] = []
    edgar.fail(unavailable)
    client = EdgarClient(IDENTITY, base=edgar.base, tries=9)

    def wait(seconds: float | None = None) -> bool:
        waits.append(seconds or 0.0)
        return False

    monkeypatch.setattr(client._closed, "wait", wait)
    with pytest.raises(RemoteError, match="tried 9 times"):
        client.get(PATHS["json"], "json")
    client.close()
    assert len(waits) == 8
    # 1, 2, 4, … seconds, a quarter less or more, 60 at most.
    assert all(0.75 * 2**n <= wait <= min(1.25 * 2**n, 60) for n, wait in enumerate(waits[:6]))
    assert all(48 <= wait <= 60 for wait in waits[6:])


def test_a_server_that_is_not_there_is_told() -> None:
    with EdgarClient(IDENTITY, base="http://127.0.0.1:1", tries=2, backoff=0.01) as client:
        with pytest.raises(
            RemoteError, match=r"the connection broke \(.*Connection refused\); tried 2 times"
        ) as caught:
            client.get("/files/x.json", "json")
        assert client.requests == 2
    assert caught.value.status is None
    assert caught.value.retryable


def test_a_missing_file_of_certificates_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/no/such/file.pem")
    with (
        EdgarClient(IDENTITY, base="https://127.0.0.1:1") as client,
        pytest.raises(RemoteError, match=r"cannot be asked for: .*file\.pem") as caught,
    ):
        client.get("/files/x.json", "json")
    assert client.requests == 1
    assert not caught.value.retryable


def test_an_answer_larger_than_any_filing_is_not_read_to_its_end(
    edgar: LocalEdgar, client: EdgarClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole, "_LARGEST_JSON", 1 << 20)
    edgar.put("/files/x.json", b"[" + b"1," * 600_000 + b"1]", "application/octet-stream")
    with pytest.raises(RemoteError, match="larger than 1 MiB, more than any such page") as caught:
        client.get("/files/x.json", "json")
    assert not caught.value.retryable
    assert client.requests == 1


def test_a_packed_file_stays_packed_though_the_server_calls_that_its_encoding() -> None:
    packed = gzip.compress(b"CIK|Company Name\n" * 100)
    with LocalEdgar(compress=False) as edgar, asking(edgar) as client:
        edgar.put(index_path(2003, 1), Answer(200, packed, "text/plain", (("Content-Encoding", "gzip"),)))
        assert client.get(index_path(2003, 1), "gzip") == packed


def test_packed_content_that_ends_early_is_no_whole_answer() -> None:
    packed = gzip.compress(b"some lines of text\n" * 100)[:-9]
    with LocalEdgar(compress=False) as edgar, asking(edgar) as client:
        edgar.put("/files/x.txt", Answer(200, packed, "text/plain", (("Content-Encoding", "gzip"),)))
        with pytest.raises(RemoteError, match="cannot be unpacked: its packed content is cut; tried 3 times"):
            client.get("/files/x.txt", "document")


def test_ten_files_refused_in_a_row_end_the_asking(edgar: LocalEdgar, client: EdgarClient) -> None:
    edgar.fail(forbidden)
    for _ in range(9):
        with pytest.raises(RemoteError, match="EDGAR refuses this file: status 403"):
            client.get(PATHS["submission"], "submission")
    edgar.heal()
    edgar.fail(missing, times=1)
    with pytest.raises(RemoteError, match="no such file"):
        client.get(PATHS["submission"], "submission")
    edgar.fail(forbidden)
    for _ in range(9):
        with pytest.raises(RemoteError, match="EDGAR refuses this file"):
            client.get(PATHS["submission"], "submission")
    with pytest.raises(BlockedError, match="10 files in a row were refused, the last with status 403") as caught:
        client.get(PATHS["submission"], "submission")
    assert caught.value.hint
    assert edgar.log.count() == 20


def test_a_type_that_a_terminal_would_obey_is_told_without_its_characters(
    edgar: LocalEdgar, client: EdgarClient
) -> None:
    edgar.fail(typed("image/\x1b[31mred"))
    with pytest.raises(RemoteError, match=r"is of type image/\?\[31mred") as caught:
        client.get(PATHS["submission"], "submission")
    assert "\x1b" not in str(caught.value)
