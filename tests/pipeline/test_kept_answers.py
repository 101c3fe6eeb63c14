"""What EDGAR answered besides filings: kept as it came, asked for anew only where it may have changed."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from fetch_builders import asking, unlimited
from servers.answers import Answer, cut, delayed, instead, unavailable
from servers.edgar import LocalEdgar
from servers.invented import invented_filings

from fingreat.edgar.remote.addresses import index_path, submissions_path
from fingreat.edgar.remote.client import EdgarClient
from fingreat.errors import InputError, RemoteError
from fingreat.pipeline.kept import KeptAnswers
from fingreat.pipeline.locate import Locator, quarter_end

pytestmark = pytest.mark.usefixtures("unlimited")
__all__ = ["unlimited"]

FILINGS = invented_filings(2003, 12)
COMPANY = FILINGS[0].companies[0]
PAGE = submissions_path(COMPANY.cik)
NOWHERE = submissions_path("77")
TODAY = datetime.now(UTC).date()
TOMORROW = TODAY + timedelta(days=1)


@pytest.fixture(scope="module")
def serving() -> Iterator[LocalEdgar]:
    with LocalEdgar(FILINGS) as server:
        yield server


@pytest.fixture
def edgar(serving: LocalEdgar) -> LocalEdgar:
    serving.heal()
    serving.log.clear()
    return serving


@pytest.fixture
def client(edgar: LocalEdgar) -> Iterator[EdgarClient]:
    with asking(edgar) as made:
        yield made


def notes(corpus: Path) -> list[dict[str, object]]:
    return [
        json.loads(line)
        for part in sorted((corpus / "edgar" / "answers").glob("part-*.jsonl"))
        for line in part.read_bytes().splitlines()
    ]


def test_an_answer_is_kept_as_it_came_under_its_path_and_noted(
    tmp_path: Path, edgar: LocalEdgar, client: EdgarClient
) -> None:
    before = datetime.now(UTC)
    with closing(KeptAnswers(tmp_path, client)) as kept:
        data = kept.get(PAGE, "json")
        assert kept.get(NOWHERE, "json") is None
    assert data is not None
    assert json.loads(data)["name"] == COMPANY.name
    assert (tmp_path / "edgar" / PAGE.lstrip("/")).read_bytes() == data
    first, second = notes(tmp_path)
    assert (first["path"], first["status"], first["sha256"]) == (PAGE, 200, sha256(data).hexdigest())
    assert (second["path"], second["status"], second["sha256"]) == (NOWHERE, 404, None)
    received = datetime.fromisoformat(str(first["received"]))
    assert before <= received <= datetime.now(UTC)


def test_what_is_kept_is_not_asked_for_again_nor_what_was_not_there(
    tmp_path: Path, edgar: LocalEdgar, client: EdgarClient
) -> None:
    for _ in range(3):
        with closing(KeptAnswers(tmp_path, client)) as kept:
            for _ in range(2):
                assert kept.get(PAGE, "json") is not None
                assert kept.get(NOWHERE, "json") is None
    assert (edgar.log.count(PAGE), edgar.log.count(NOWHERE)) == (1, 1)


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(b"{}")])
def test_a_kept_file_that_is_not_what_came_is_asked_for_again(
    tmp_path: Path, edgar: LocalEdgar, client: EdgarClient, damage: object
) -> None:
    with closing(KeptAnswers(tmp_path, client)) as kept:
        right = kept.get(PAGE, "json")
        damage(tmp_path / "edgar" / PAGE.lstrip("/"))  # type: ignore[operator]
        assert kept.get(PAGE, "json") == right
    assert edgar.log.count(PAGE) == 2
    assert (tmp_path / "edgar" / PAGE.lstrip("/")).read_bytes() == right


def test_what_is_older_than_a_day_is_asked_for_once_more(
    tmp_path: Path, edgar: LocalEdgar, client: EdgarClient
) -> None:
    with closing(KeptAnswers(tmp_path, client)) as kept:
        kept.get(PAGE, "json")
        assert kept.get(PAGE, "json", since=TODAY) is not None
        # In one process, the answer that came just now is the newest there is.
        assert kept.get(PAGE, "json", since=TOMORROW) is not None
    assert edgar.log.count(PAGE) == 1
    with closing(KeptAnswers(tmp_path, client)) as kept:
        for _ in range(3):
            kept.get(PAGE, "json", since=TODAY)
        assert edgar.log.count(PAGE) == 1
        for _ in range(3):
            kept.get(PAGE, "json", since=TOMORROW)
        assert edgar.log.count(PAGE) == 2


def test_what_was_not_there_is_asked_for_once_more_where_it_may_come(tmp_path: Path, client: EdgarClient) -> None:
    filing = invented_filings(2004, 1, first=77)[0]
    path = submissions_path(filing.companies[0].cik)
    with LocalEdgar(FILINGS) as edgar, asking(edgar) as client:
        for since, count in ((None, 1), (None, 1), (date.min, 2), (date.min, 3)):
            with closing(KeptAnswers(tmp_path, client)) as kept:
                for _ in range(2):
                    assert kept.get(path, "json", since=since) is None
            assert edgar.log.count(path) == count
        edgar.add([filing])
        with closing(KeptAnswers(tmp_path, client)) as kept:
            assert kept.get(path, "json") is None
            assert kept.get(path, "json", since=date.min) is not None
            # It counts from now on.
            assert kept.get(path, "json") is not None


def test_asked_again_everything_comes_once_more_and_once_only(
    tmp_path: Path, edgar: LocalEdgar, client: EdgarClient
) -> None:
    with closing(KeptAnswers(tmp_path, client)) as kept:
        kept.get(PAGE, "json")
        kept.get(NOWHERE, "json")
    with closing(KeptAnswers(tmp_path, client, again=True)) as kept:
        for _ in range(3):
            kept.get(PAGE, "json")
            kept.get(NOWHERE, "json")
    assert (edgar.log.count(PAGE), edgar.log.count(NOWHERE)) == (2, 2)


@pytest.mark.parametrize("fault", [unavailable, cut(0.5)])
def test_what_did_not_come_is_neither_kept_nor_noted(
    tmp_path: Path, edgar: LocalEdgar, client: EdgarClient, fault: object
) -> None:
    edgar.fail(fault)  # type: ignore[arg-type]
    with closing(KeptAnswers(tmp_path, client)) as kept:
        with pytest.raises(RemoteError):
            kept.get(PAGE, "json")
        assert notes(tmp_path) == []
        assert [path for path in (tmp_path / "edgar").rglob("*") if path.is_file()] == []
        edgar.heal()
        assert kept.get(PAGE, "json") is not None


def test_what_a_kill_left_is_cleared_away(tmp_path: Path, edgar: LocalEdgar, client: EdgarClient) -> None:
    with closing(KeptAnswers(tmp_path, client)) as kept:
        kept.get(NOWHERE, "json")
    folder = tmp_path / "edgar" / "submissions"
    folder.mkdir(exist_ok=True)
    name = PAGE.rpartition("/")[2]
    (folder / f".{name}.abcdefgh.part").write_bytes(b"half")
    (folder / name).write_bytes(b"of an earlier process that did not note it")
    part = next((tmp_path / "edgar" / "answers").glob("part-*.jsonl"))
    part.write_bytes(part.read_bytes() + b'{"path": "/sub')
    with closing(KeptAnswers(tmp_path, client)) as kept:
        data = kept.get(PAGE, "json")
    assert [path.name for path in folder.iterdir()] == [name]
    assert (folder / name).read_bytes() == data
    assert [note["path"] for note in notes(tmp_path)] == [NOWHERE, PAGE]


def test_what_comes_after_the_end_is_not_kept(tmp_path: Path, edgar: LocalEdgar, client: EdgarClient) -> None:
    edgar.fail(delayed(0.3), PAGE)
    kept = KeptAnswers(tmp_path, client)
    errors: list[BaseException] = []

    def ask() -> None:
        try:
            kept.get(PAGE, "json")
        except RemoteError as error:
            errors.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    assert edgar.log.wait_for(1)
    kept.close()
    thread.join()
    assert [str(error) for error in errors] == [f"{PAGE}: came after the end."]
    assert notes(tmp_path) == []
    assert not (tmp_path / "edgar" / PAGE.lstrip("/")).exists()


def test_threads_may_ask_at_the_same_time(tmp_path: Path, edgar: LocalEdgar, client: EdgarClient) -> None:
    edgar.fail(delayed(0.05))
    paths = [submissions_path(filing.companies[0].cik) for filing in FILINGS]
    got: dict[str, bytes | None] = {}
    with closing(KeptAnswers(tmp_path, client)) as kept:
        threads = [
            threading.Thread(target=lambda path=path: got.update({path: kept.get(path, "json")})) for path in paths
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [json.loads(got[path] or b"null")["name"] for path in paths] == [one.companies[0].name for one in FILINGS]
    assert sorted(str(note["path"]) for note in notes(tmp_path)) == sorted(paths)


@pytest.mark.parametrize(
    ("quarter", "day"),
    [
        ((2003, 1), date(2003, 4, 8)),
        ((2003, 2), date(2003, 7, 8)),
        ((2003, 3), date(2003, 10, 8)),
        ((2003, 4), date(2004, 1, 8)),
    ],
)
def test_an_index_is_complete_a_week_after_its_quarter(quarter: tuple[int, int], day: date) -> None:
    assert quarter_end(*quarter) == day


def test_an_index_that_came_before_its_quarter_was_over_is_asked_for_anew(
    tmp_path: Path, edgar: LocalEdgar, client: EdgarClient
) -> None:
    path = index_path(2003, (FILINGS[0].filed.month + 2) // 3)
    filing = FILINGS[0].accession
    with closing(KeptAnswers(tmp_path, client)) as kept:
        assert Locator(kept, [filing]).locate(filing) == COMPANY.cik
    part = next((tmp_path / "edgar" / "answers").glob("part-*.jsonl"))
    lines = [json.loads(line) for line in part.read_bytes().splitlines()]
    for received, count in ((f"{FILINGS[0].filed}T12:00:00Z", 2), ("2004-01-08T00:00:00Z", 2)):
        rows = [line | {"received": received} for line in lines]
        part.write_text("".join(json.dumps(row) + "\n" for row in rows))
        with closing(KeptAnswers(tmp_path, client)) as kept:
            assert Locator(kept, [filing]).locate(filing) == COMPANY.cik
        assert edgar.log.count(path) == count


def test_only_indexes_up_to_the_one_that_names_the_filing_are_looked_into(
    tmp_path: Path, edgar: LocalEdgar, client: EdgarClient
) -> None:
    quarters = {filing.accession: (filing.filed.month + 2) // 3 for filing in FILINGS}
    early = min(quarters, key=lambda accession: quarters[accession])
    with closing(KeptAnswers(tmp_path, client)) as kept:
        locator = Locator(kept, list(quarters))
        locator.locate(early)
        assert edgar.log.count() == quarters[early]
        for filing in FILINGS:
            assert locator.locate(filing.accession) == filing.companies[0].cik
    assert edgar.log.count() == max(quarters.values())


def test_the_years_two_digits_are_those_of_edgars_time(tmp_path: Path, edgar: LocalEdgar, client: EdgarClient) -> None:
    with closing(KeptAnswers(tmp_path, client)) as kept:
        locator = Locator(kept, [], today=date(1994, 5, 1))
        for number in ("0000000001-92-000001", "0000000001-93-000001", "0000000001-50-000001", "0000000001-49-000001"):
            assert locator.locate(number) is None
    asked = [seen.path.removeprefix("/Archives/edgar/full-index/") for seen in edgar.log.requests]
    years = [f"{year}/QTR{quarter}/master.gz" for year in (1993, 1994) for quarter in (1, 2, 3, 4)]
    assert asked == years[:6]


def test_an_index_that_is_none_is_said_so_for_every_filing_and_asked_for_by_the_next_process(tmp_path: Path) -> None:
    path = index_path(2003, 1)
    first = next(filing for filing in FILINGS if filing.filed.month <= 3)
    with LocalEdgar(FILINGS) as edgar, asking(edgar) as client:
        edgar.fail(instead(Answer(200, gzip.compress(b"no index\n" * 100), "application/x-gzip")))
        with closing(KeptAnswers(tmp_path, client)) as kept:
            locator = Locator(kept, [filing.accession for filing in FILINGS])
            for filing in FILINGS:
                with pytest.raises(InputError, match=f"^{path}: This is no index of EDGAR"):
                    locator.locate(filing.accession)
        assert edgar.log.count() == 1
        edgar.heal()
        with closing(KeptAnswers(tmp_path, client)) as kept:
            assert Locator(kept, [first.accession]).locate(first.accession) == first.companies[0].cik
        assert edgar.log.count() == 2
