"""One request and its answer over HTTP, and why there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

from fingreat.edgar.remote.whole import in_words, unpack
from fingreat.errors import RemoteError

if TYPE_CHECKING:
    from requests import PreparedRequest, Request, Response

_BLOCK = 1 << 16
_PAGE = 100_000
"""Bytes that are read of an answer that is not the file: enough for any page that says why."""


class LineError(Exception):
    """No whole answer came; the same request may well have one at another time."""


@dataclass(frozen=True)
class Answer:
    """An answer that came whole, as far as HTTP can tell.

    Attributes:
        type: the Content-Type header; empty without one.
        location: where a redirect points; empty without one.
        data: the content, its encoding undone. Of other statuses than 200 the first part is enough.
        raw: the content as it came over the wire.
    """

    status: int
    type: str
    location: str
    data: bytes
    raw: bytes


class Wire:
    """Connections that are kept open, for several threads.

    Proxies and certificates are those of the environment (HTTPS_PROXY, REQUESTS_CA_BUNDLE), which firms need;
    passwords of a .netrc file are never sent, cookies are not kept, redirects are not followed.

    Args:
        identity: the User-Agent.
        timeout: seconds for a connection to be made, and for the next bytes to come.
    """

    def __init__(self, identity: str, timeout: float) -> None:
        # Late: it takes a tenth of a second to load, and most commands never ask.
        import requests

        self._timeout = timeout
        self._session = requests.Session()
        self._session.headers.update({"User-Agent": identity, "Accept-Encoding": "gzip, deflate"})
        # A session without any looks for one in .netrc.
        self._session.auth = _no_password

    def ask(self, url: str, on_begun: Callable[[], None], most: int) -> Answer:
        """Send one request, and no second one.

        Args:
            url: the address.
            on_begun: called once, when the answer begins or it is clear that none comes.
            most: bytes of the answer, packed and unpacked.

        Raises:
            LineError: no answer came, or it was cut, damaged or late.
            RemoteError: the answer is larger than that, or the request cannot be made at all.
        """
        import requests
        import urllib3

        try:
            try:
                response = self._send(requests.Request("GET", url))
            finally:
                on_begun()
            with response:
                return _read(response, url, most)
        except (
            requests.ConnectionError,
            requests.Timeout,
            urllib3.exceptions.HTTPError,
            ConnectionError,
            TimeoutError,
        ) as error:
            raise LineError(self._why(error)) from error
        except OSError as error:
            # A setting of this machine, such as a file of certificates that is missing; requests' errors are OSErrors.
            raise RemoteError(f"cannot be asked for: {_last(error)}.", where=url) from error

    def _send(self, request: Request) -> Response:
        prepared = self._session.prepare_request(request)
        url = prepared.url or ""
        settings = self._session.merge_environment_settings(url, {}, True, None, None)
        verify = settings["verify"]
        # The adapter itself: the session would look into redirects and cookies.
        return self._session.get_adapter(url).send(
            prepared,
            stream=True,
            timeout=self._timeout,
            verify=True if verify is None else verify,
            cert=settings["cert"],
            proxies=settings["proxies"],
        )

    def close(self) -> None:
        """Close what is open."""
        self._session.close()

    def _why(self, error: BaseException) -> str:
        import requests
        import urllib3

        inner = error.args[0] if error.args else error
        inner = getattr(inner, "reason", None) or inner
        if isinstance(error, requests.ConnectTimeout):
            return f"no connection within {self._timeout:g} s"
        if isinstance(error, (requests.ReadTimeout, urllib3.exceptions.ReadTimeoutError)):
            return f"nothing came for {self._timeout:g} s"
        if isinstance(error, requests.exceptions.ProxyError):
            return f"the proxy of this machine's settings does not answer ({_last(inner)})"
        if isinstance(error, requests.exceptions.SSLError):
            return f"the server's certificate is not accepted ({_last(inner)})"
        return f"the connection broke ({_last(inner)})"


def _no_password(request: PreparedRequest) -> PreparedRequest:
    return request


def _read(response: Response, url: str, most: int) -> Answer:
    whole = response.status_code == 200
    came = BytesIO()
    for part in response.raw.stream(_BLOCK, decode_content=False):
        came.write(part)
        if came.tell() > most:
            raise RemoteError(f"The answer is larger than {in_words(most)}.", where=url)
        if came.tell() > _PAGE and not whole:
            break
    raw = came.getvalue()
    size = len(raw)
    stated = response.headers.get("Content-Length", "")
    if whole and stated.isdigit() and "Transfer-Encoding" not in response.headers and int(stated) != size:
        raise LineError(f"the answer is cut: {size} of {stated} bytes")
    try:
        data = unpack(raw, response.headers.get("Content-Encoding", ""), most)
    except ValueError as error:
        if whole:
            raise LineError(f"the answer cannot be unpacked: {error}") from None
        data = b""
    return Answer(
        response.status_code,
        response.headers.get("Content-Type", ""),
        response.headers.get("Location", ""),
        data,
        raw,
    )


def _last(error: object) -> str:
    """The innermost part of a message that names object after object."""
    text = " ".join(str(error).split())
    return text.rpartition(": ")[2].strip("()'\" ")[:200] or type(error).__name__
