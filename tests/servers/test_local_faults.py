"""Each fault of the local EDGAR is what its name says, seen from outside, and every request is noted."""

from __future__ import annotations

import http.client
import socket
import time

import pytest
import requests

from servers import answers
from servers.edgar import LocalEdgar
from servers.example import AGENT, PATH, REPORT, get, raw
from servers.log import Log, Seen
from servers.submission import full_submission


@pytest.mark.parametrize(
    ("fault", "status", "words"),
    [
        (answers.too_many, 429, "Too Many Requests"),
        (answers.threshold, 403, "Request Rate Threshold Exceeded"),
        (answers.undeclared, 403, "Your Request Originates from an Undeclared Automated Tool"),
        (answers.denied, 403, "<Code>AccessDenied</Code>"),
        (answers.missing, 404, "<Code>NoSuchKey</Code>"),
        (answers.broken, 500, "Internal Server Error"),
        (answers.unavailable, 503, "Service Unavailable"),
        (answers.block_page, 200, "Request Rate Threshold Exceeded"),
    ],
)
def test_a_refusal_is_given_as_often_as_asked(edgar: LocalEdgar, fault: answers.Fault, status: int, words: str) -> None:
    edgar.fail(fault, PATH, times=2)
    for _ in range(2):
        answer = get(edgar, PATH)
        assert answer.status_code == status
        assert words in answer.text
        assert "Retry-After" not in answer.headers
        assert "Threshold" not in answer.text or "Undeclared" not in answer.text
    assert get(edgar, PATH).content == full_submission(REPORT)


def test_faults_choose_their_paths_and_spare_the_first(edgar: LocalEdgar) -> None:
    edgar.fail(answers.unavailable, lambda path: path.endswith(".json"), spare=1)
    statuses = [get(edgar, path).status_code for path in ("/files/company_tickers.json", PATH) * 3]
    assert statuses == [200, 200, 503, 200, 503, 200]
    edgar.heal()
    assert get(edgar, "/files/company_tickers.json").status_code == 200
    edgar.fail(answers.broken)
    assert {get(edgar, path).status_code for path in (PATH, "/files/company_tickers.json", "/nothing")} == {500}


def test_a_cut_body_is_shorter_than_its_length_says(edgar: LocalEdgar) -> None:
    whole = full_submission(REPORT)
    edgar.fail(answers.cut(0.5))
    head, _, body = raw(edgar).partition(b"\r\n\r\n")
    assert f"content-length: {len(whole)}".encode() in head.lower()
    assert body == whole[: len(whole) // 2]
    connection = http.client.HTTPConnection(edgar.base.removeprefix("http://"), timeout=10)
    connection.request("GET", PATH, headers=AGENT)
    with pytest.raises(http.client.IncompleteRead):
        connection.getresponse().read()
    assert edgar.log.completed(PATH) == 0


def test_a_body_cut_in_chunks_has_no_last_chunk(edgar: LocalEdgar) -> None:
    edgar.fail(answers.cut_chunked(0.5), times=1)
    head, _, body = raw(edgar).partition(b"\r\n\r\n")
    assert b"transfer-encoding: chunked" in head.lower()
    assert b"content-length" not in head.lower()
    assert not body.endswith(b"0\r\n\r\n")
    edgar.fail(answers.in_chunks, times=1)
    assert raw(edgar).endswith(b"\r\n0\r\n\r\n")
    edgar.fail(answers.cut_chunked(0.5), times=1)
    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        get(edgar, PATH)


def test_a_shortened_file_agrees_with_its_length(edgar: LocalEdgar) -> None:
    edgar.fail(answers.shortened(0.9), times=2)
    whole = full_submission(REPORT)
    assert get(edgar, PATH).content == whole[: int(len(whole) * 0.9)]
    head, _, body = raw(edgar).partition(b"\r\n\r\n")
    assert f"content-length: {len(body)}".encode() in head.lower()
    edgar.fail(answers.edited(lambda body: body.replace(b"10-K", b"8-K")), times=1)
    assert get(edgar, PATH).content == whole.replace(b"10-K", b"8-K")


def test_a_reset_comes_before_the_status_line_or_in_the_body(edgar: LocalEdgar) -> None:
    edgar.fail(answers.reset(), times=1)
    with pytest.raises(ConnectionResetError):
        raw(edgar)
    edgar.fail(answers.reset(0.5), times=1)
    pieces: list[bytes] = []
    with pytest.raises(ConnectionResetError):
        raw(edgar, pieces=pieces)
    came = b"".join(pieces)
    assert came.startswith(b"HTTP/1.1 200 ")
    assert came.partition(b"\r\n\r\n")[2] == full_submission(REPORT)[: len(full_submission(REPORT)) // 2]
    assert [seen.status for seen in edgar.log.requests] == [None, 200]
    assert edgar.log.completed() == 0


def test_a_slow_answer_is_late_and_a_dribbling_one_takes_its_time(edgar: LocalEdgar) -> None:
    edgar.fail(answers.delayed(0.3), times=1)
    started = time.monotonic()
    assert get(edgar, PATH).status_code == 200
    assert time.monotonic() - started >= 0.3
    size = len(full_submission(REPORT))
    edgar.fail(answers.dribbling(size // 3, 0.1), times=1)
    started = time.monotonic()
    assert raw(edgar).endswith(full_submission(REPORT))
    # Three pieces and a rest of at most two bytes: two pauses or three.
    assert time.monotonic() - started >= 0.2


def test_a_client_that_leaves_in_the_middle_is_no_complete_answer_and_a_server_does_not_wait_for_slow_ones() -> None:
    with LocalEdgar([REPORT]) as edgar:
        edgar.fail(answers.dribbling(10, 0.2))
        with pytest.raises(requests.exceptions.RequestException):
            requests.get(edgar.base + PATH, headers=AGENT, timeout=0.1)
        edgar.heal()
        edgar.fail(answers.delayed(600))
        with pytest.raises(requests.exceptions.ReadTimeout):
            requests.get(edgar.base + PATH, headers=AGENT, timeout=0.1)
        assert edgar.log.count(PATH) == 2
        assert edgar.log.completed(PATH) == 0
        started = time.monotonic()
    assert time.monotonic() - started < 5


def test_a_client_that_dies_with_a_large_body_unread_is_no_complete_answer(edgar: LocalEdgar) -> None:
    # More than the buffers of both ends hold.
    edgar.put("/large.txt", bytes(40_000_000))
    host, port = edgar.base.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(b"GET /large.txt HTTP/1.1\r\nHost: x\r\nUser-Agent: me@example.edu\r\n\r\n")
        connection.recv(1000)
    time.sleep(0.3)
    assert get(edgar, PATH).status_code == 200
    assert (edgar.log.count("/large.txt"), edgar.log.completed("/large.txt")) == (1, 0)


def test_a_redirect_leads_elsewhere_and_a_type_is_wrong_alone(edgar: LocalEdgar) -> None:
    edgar.fail(answers.redirected("http://evil.example/x.txt"), times=1)
    answer = get(edgar, PATH)
    assert (answer.status_code, answer.headers["Location"]) == (302, "http://evil.example/x.txt")
    edgar.fail(answers.typed("image/png"), times=1)
    answer = get(edgar, PATH)
    assert answer.headers["Content-Type"] == "image/png"
    assert answer.content == full_submission(REPORT)


def test_faults_that_apply_together_are_put_one_after_the_other(edgar: LocalEdgar) -> None:
    edgar.fail(answers.block_page)
    edgar.fail(answers.cut(0.5))
    head, _, body = raw(edgar).partition(b"\r\n\r\n")
    page = answers.page("threshold.html", 200).body
    assert f"content-length: {len(page)}".encode() in head.lower()
    assert body == page[: len(page) // 2]


def test_every_request_is_noted(edgar: LocalEdgar) -> None:
    before = time.monotonic()
    get(edgar, PATH)
    get(edgar, f"{PATH}?x=%20y")
    get(edgar, "/nothing%2e")
    assert edgar.log.wait_for(3, timeout=1)
    assert not edgar.log.wait_for(4, timeout=0.01)
    first, second, third = edgar.log.requests
    assert (first.method, first.path, first.target, first.status, first.complete) == ("GET", PATH, PATH, 200, True)
    assert first.headers["user-agent"] == AGENT["User-Agent"]
    assert (second.path, second.target) == (PATH, f"{PATH}?x=%20y")
    assert (third.path, third.status, third.complete) == ("/nothing.", 404, True)
    assert (edgar.log.count(), edgar.log.count(PATH), edgar.log.completed(), edgar.log.completed(PATH)) == (3, 2, 2, 2)
    times = edgar.log.arrivals()
    assert before < times[0] < times[1] < times[2] < time.monotonic()
    edgar.log.clear()
    assert edgar.log.count() == 0


@pytest.mark.parametrize(
    ("times", "most"),
    [
        ([], 0),
        ([5.0], 1),
        # A window is open at its end: 0.0 and 1.0 are in none together.
        ([0.0, 1.0, 2.0], 1),
        ([0.0, 0.5, 0.999, 1.0, 1.4], 4),
        ([3.0, 0.0, 0.9, 3.1, 3.2], 3),
    ],
)
def test_the_most_in_a_second_is_over_every_window(times: list[float], most: int) -> None:
    log = Log()
    for when in times:
        log.note(Seen(when, "GET", "/", "/", {}))
    assert log.most_in_a_second() == most


def test_two_servers_do_not_know_each_other() -> None:
    with LocalEdgar([REPORT]) as one, LocalEdgar() as other:
        assert one.base != other.base
        assert get(one, PATH).status_code == 200
        assert get(other, PATH).status_code == 404
        assert get(other, "/files/company_tickers.json").json() == {}
        assert one.log.count() == 1
