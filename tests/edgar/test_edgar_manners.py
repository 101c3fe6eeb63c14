"""Who is asked, by whom, and what is sent with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from asking import IDENTITY, PATHS, asking, right_bytes
from servers.answers import (
    Answer,
)
from servers.edgar import LocalEdgar

from fingreat.edgar.remote import client as client_module
from fingreat.edgar.remote import wire
from fingreat.edgar.remote.client import EdgarClient, check_identity
from fingreat.edgar.remote.limiter import Limiter
from fingreat.errors import InputError, RemoteError

pytestmark = pytest.mark.usefixtures("unlimited")


def test_who_asks_is_declared_and_nothing_else(edgar: LocalEdgar, client: EdgarClient) -> None:
    edgar.fail(
        lambda answer: Answer(answer.status, answer.body, answer.type, (("Set-Cookie", "a=b; Path=/"),)), times=1
    )
    client.get(PATHS["json"], "json")
    client.get(PATHS["json"], "json")
    host = edgar.base.removeprefix("http://")
    for seen in edgar.log.requests:
        assert seen.headers == {
            "host": host,
            "user-agent": IDENTITY,
            "accept-encoding": "gzip, deflate",
            "accept": "*/*",
            "connection": "keep-alive",
        }


def test_no_password_of_a_netrc_file_is_sent(
    edgar: LocalEdgar, client: EdgarClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    client.get(PATHS["json"], "json")
    right_bytes(edgar, PATHS["json"])
    ours, others = edgar.log.requests
    assert "authorization" not in ours.headers
    assert "authorization" in others.headers


def test_the_proxy_of_the_environment_is_used(edgar: LocalEdgar, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", edgar.base)
    monkeypatch.setenv("NO_PROXY", "")
    edgar.put("http://mirror.example/files/x.json", b'{"by": "proxy"}', "application/json")
    with EdgarClient(IDENTITY, base="http://mirror.example", tries=1) as client:
        assert client.get("/files/x.json", "json") == b'{"by": "proxy"}'
    assert edgar.log.requests[0].headers["host"] == "mirror.example"


def test_a_proxy_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "")
    with (
        EdgarClient(IDENTITY, base="http://mirror.example", tries=1) as client,
        pytest.raises(RemoteError, match="the proxy of this machine's settings does not answer") as caught,
    ):
        client.get("/files/x.json", "json")
    assert caught.value.retryable


def test_without_a_base_only_the_two_hosts_of_the_sec_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    urls: list[str] = []

    def ask(_: object, url: str, on_begun: Callable[[], None], most: int) -> wire.Answer:
        urls.append(url)
        on_begun()
        return wire.Answer(200, "application/json", "", b"{}", b"{}")

    monkeypatch.setattr(wire.Wire, "ask", ask)
    with EdgarClient(IDENTITY) as client:
        for path in (
            "/submissions/CIK0000320193.json",
            "/api/xbrl/x.json",
            "/files/x.json",
            "/Archives/edgar/data/1/x",
        ):
            client.get(path, "json")
    assert urls == [
        "https://data.sec.gov/submissions/CIK0000320193.json",
        "https://data.sec.gov/api/xbrl/x.json",
        "https://www.sec.gov/files/x.json",
        "https://www.sec.gov/Archives/edgar/data/1/x",
    ]


@pytest.mark.parametrize(
    "path",
    [
        "",
        "files/x.json",
        "@evil.example/x",
        ":80/x",
        ".evil.example/x",
        "//evil.example/x",
        "/../x",
        "/Archives/../../x",
        "/Archives/./x",
        "/x?y=1",
        "/x#y",
        "/x y",
        "/x\n",
        "/x%2e%2e/y",
        "/\\evil.example",
        "https://evil.example/x",
    ],
)
def test_nothing_is_asked_for_by_a_path_that_could_lead_elsewhere(
    edgar: LocalEdgar, client: EdgarClient, path: str
) -> None:
    with pytest.raises(InputError, match="no path of EDGAR's"):
        client.get(path, "json")
    assert edgar.log.count() == 0


@pytest.mark.parametrize(
    "text",
    [
        IDENTITY,
        "test@university.example Test Person",
        "Universität Köln, Jörg Müller <j.mueller@uni-koeln.example>",
        "  Test Person test@university.example  ",
        "O'Neil (Lab 7) o.neil+edgar@lab.example",
    ],
)
def test_a_name_and_an_address_are_an_identity(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_identity(text) == text.strip()
    monkeypatch.setenv("EDGAR_IDENTITY", text)
    assert check_identity(None) == text.strip()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "nobody is named"),
        ("", "nobody is named"),
        ("  ", "nobody is named"),
        ("Test Person", "no e-mail address"),
        ("Test Person at university.example", "no e-mail address"),
        ("Test Person test@localhost", "no e-mail address"),
        ("test@university.example", "nobody beside the e-mail address"),
        ("<test@university.example> 12", "nobody beside the e-mail address"),
        ("Test\r\nX-Header: 1 test@university.example", "cannot be sent"),
        ("Test\x00 test@university.example", "cannot be sent"),
        ("王芳 wang@university.example", "cannot be sent"),
        ("Test Person test@university.example" + "x" * 200, "longer than 200"),
    ],
)
def test_what_is_no_identity_is_refused_with_what_to_write(text: str | None, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        EdgarClient(text)
    assert '--identity "Jane Roe jane.roe@university.example"' in str(caught.value)
    assert "EDGAR_IDENTITY" in str(caught.value)


def test_an_identity_beyond_ascii_is_sent_as_latin_1(edgar: LocalEdgar) -> None:
    with EdgarClient("Jörg Müller j@uni.example", base=edgar.base, tries=1) as client:
        client.get(PATHS["json"], "json")
    assert edgar.log.requests[0].headers["user-agent"] == "Jörg Müller j@uni.example"


@pytest.mark.parametrize(
    "settings",
    [
        {"rate": 0},
        {"rate": 11},
        {"tries": 0},
        {"timeout": 0.0},
        {"backoff": -1.0},
        {"pause": -1.0},
        {"base": "ftp://x"},
    ],
)
def test_settings_out_of_their_range_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(InputError):
        EdgarClient(IDENTITY, **settings)  # type: ignore[arg-type]


def test_a_request_that_fails_in_any_way_frees_its_slot(edgar: LocalEdgar, monkeypatch: pytest.MonkeyPatch) -> None:
    limiter = Limiter(slots=2, hold=0.0)
    monkeypatch.setattr(client_module, "LIMITER", limiter)

    def fails(*_: object) -> wire.Answer:
        raise MemoryError

    with asking(edgar) as client:
        with monkeypatch.context() as patch:
            patch.setattr(wire.Wire, "ask", fails)
            for _ in range(3):
                with pytest.raises(MemoryError):
                    client.get(PATHS["json"], "json")
        assert client.get(PATHS["json"], "json")
    assert (limiter.try_take(), limiter.try_take()) == (0.0, 0.0)
    assert limiter.try_take() > 0
