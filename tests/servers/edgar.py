"""A local EDGAR on loopback: invented filings over HTTP, with faults on demand and a log of what was asked.

    from servers.answers import cut, reset, threshold, too_many
    from servers.edgar import LocalEdgar
    from servers.invented import invented_filings

    filings = invented_filings(2003, 60)                    # variants=("found", "no_item_7", …): see servers.reports
    with LocalEdgar(filings) as edgar:
        edgar.base                                          # "http://127.0.0.1:40123"
        edgar.url(filings[0])                               # its full submission; edgar.path(…) without the base
        edgar.fail(too_many, times=2)                       # the next two requests, whatever they are
        edgar.fail(cut(0.5), edgar.path(filings[3]))        # this path, always
        edgar.fail(reset(), lambda path: path.endswith(".txt"), times=1, spare=10)      # the eleventh text file
        edgar.heal()                                        # no more faults
        edgar.put("/submissions/CIK0009900001.json", b"{}") # any path, any bytes
        edgar.add(invented_filings(2004, 5))                # more filings while it serves
        edgar.log.count(edgar.path(filings[3]))             # how often a path was asked for
        edgar.log.completed(edgar.path(filings[3]))         # … and answered to its last byte, with status 200
        edgar.log.most_in_a_second(), edgar.log.arrivals(), edgar.log.requests, edgar.log.wait_for(20)

Faults are in `servers.answers`; several that apply are put one after the other. `edited(change)` puts evil names into
an index or a page of submissions and leaves the rest as it is. Requests without an e-mail address in
their User-Agent are refused unless `strict=False`. `page_size=3` gives a company with more than three filings older
pages; `compress=False` never encodes an answer by gzip. Companies and filings of one's own: `servers.catalogue`; the
documents of a report: `servers.reports`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from servers.answers import Answer, Fault
from servers.app import App, Rule, type_of
from servers.catalogue import Catalogue, LocalFiling
from servers.local import LocalServer
from servers.log import Log


class LocalEdgar(LocalServer):
    """The server, as a context manager.

    Attributes:
        base: its address without a last slash.
        log: what it was asked.

    Args:
        filings: what it holds; `add` gives it more.
        page_size: filings on a page of submissions.
        strict: requests that do not say who sends them are refused.
        compress: answers are encoded by gzip where the client accepts that.
    """

    def __init__(
        self,
        filings: Iterable[LocalFiling] = (),
        *,
        page_size: int = 1000,
        strict: bool = True,
        compress: bool = True,
    ) -> None:
        self._app = App(Catalogue(filings), page_size=page_size, strict=strict, compress=compress)
        super().__init__(self._app)

    @property
    def log(self) -> Log:
        """What it was asked."""
        return self._app.log

    def path(self, filing: LocalFiling) -> str:
        """The path of a filing's full submission, below its first company."""
        return f"/Archives/{filing.path}"

    def url(self, filing: LocalFiling) -> str:
        """The address of a filing's full submission."""
        return self.base + self.path(filing)

    def add(self, filings: Iterable[LocalFiling]) -> None:
        """Put more filings in."""
        with self._app.lock:
            self._app.catalogue.add(filings)

    def put(self, path: str, answer: bytes | Answer, kind: str | None = None) -> None:
        """Serve these bytes under a path, whatever the catalogue holds there.

        Args:
            path: decoded, without a query.
            kind: the Content-Type; by the path's ending where not given.
        """
        whole = Answer(200, answer, kind or type_of(path)) if isinstance(answer, bytes) else answer
        with self._app.lock:
            self._app.overrides[path] = whole

    def fail(
        self,
        fault: Fault,
        where: str | Callable[[str], bool] | None = None,
        *,
        times: int | None = None,
        spare: int = 0,
    ) -> None:
        """Spoil answers from now on.

        Args:
            where: the path, or a test of the path; None for all.
            times: how many answers are spoiled; None for all.
            spare: how many are left whole first.
        """
        with self._app.lock:
            self._app.rules.append(Rule(fault, where, times, spare))

    def heal(self) -> None:
        """Spoil no more answers."""
        with self._app.lock:
            self._app.rules.clear()
