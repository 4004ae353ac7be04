"""A paper that somebody asks for and the archive has not: fetched once, told of in every case."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from scheduler import lookups
from scheduler.errors import SourceThrottled, SourceUnavailable
from scheduler.lookups import Finding, Lookups
from scheduler.models import PaperId, ParsedFeed
from scheduler.sources import arxiv
from scheduler.sources.http import SourceClient
from scheduler.store import Store
from scheduler.store.thread import StoreThread
from tests.builders import memory_store, paper

NOON = datetime(2026, 9, 29, 12, 0, tzinfo=UTC)
KNOWN = PaperId("1706.03762")


class Arxiv:
    """What the query API answers, and what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.error: Exception | None = None
        self.open = asyncio.Event()
        self.open.set()

    async def fetch_papers(self, _client: SourceClient, ids: Sequence[str]) -> ParsedFeed:
        self.asked.append(tuple(ids))
        await self.open.wait()
        if self.error is not None:
            raise self.error
        return ParsedFeed("api", "arxiv", papers=tuple(paper(KNOWN) for one in ids if one == KNOWN))


@pytest.fixture
def store() -> Store:
    return memory_store()


@pytest.fixture
def thread(store: Store) -> Iterator[StoreThread]:
    thread = StoreThread(store)
    yield thread
    thread.close()


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch) -> Arxiv:
    source = Arxiv()
    monkeypatch.setattr(arxiv, "fetch_papers", source.fetch_papers)
    return source


@pytest.fixture
def now() -> list[datetime]:
    return [NOON]


@pytest.fixture
def office(thread: StoreThread, source: Arxiv, now: list[datetime]) -> Lookups:
    client = SourceClient(feed_url="", listing_url="", api_url="", oai_url="", contact="ops@example.org")
    return Lookups(client, thread, lambda: now[0])


async def test_a_paper_is_fetched_and_archived(office: Lookups, store: Store, thread: StoreThread) -> None:
    assert await office.find(KNOWN) is Finding.FOUND
    known = await thread.call(lambda store: store.archive.by_id(KNOWN))
    assert known is not None
    assert known.newest_date is None


async def test_those_who_ask_together_wait_for_one_request(office: Lookups, source: Arxiv) -> None:
    assert await asyncio.gather(*(office.find(KNOWN) for _ in range(5))) == [Finding.FOUND] * 5
    assert source.asked == [(KNOWN,)]


async def test_an_id_that_arxiv_has_not_is_asked_for_once_an_hour(
    office: Lookups, source: Arxiv, now: list[datetime]
) -> None:
    strange = PaperId("2609.99999")
    assert [await office.find(strange) for _ in range(2)] == [Finding.UNKNOWN] * 2
    assert len(source.asked) == 1
    now[0] += timedelta(hours=1)
    await office.find(strange)
    assert len(source.asked) == 2


async def test_only_arxivs_papers_are_looked_up(office: Lookups, source: Arxiv) -> None:
    assert await office.find(PaperId("doi:10.1101/2026.09.01.1")) is Finding.UNKNOWN
    assert source.asked == []


@pytest.mark.parametrize(
    "error", [SourceUnavailable("arxiv", "down"), SourceThrottled("arxiv", "slow", 900.0)]
)
async def test_a_failure_is_no_answer_and_the_next_one_is_asked_for_again(
    office: Lookups, source: Arxiv, now: list[datetime], error: Exception
) -> None:
    source.error = error
    assert await office.find(KNOWN) is Finding.NO_ANSWER
    source.error = None
    now[0] += timedelta(minutes=16)
    assert await office.find(KNOWN) is Finding.FOUND


async def test_a_source_that_asks_for_a_pause_gets_it(office: Lookups, source: Arxiv) -> None:
    source.error = SourceThrottled("arxiv", "slow", 900.0)
    await office.find(KNOWN)
    assert await office.find(PaperId("1706.03763")) is Finding.NO_ANSWER
    assert len(source.asked) == 1


async def test_more_than_a_few_at_once_are_put_off(office: Lookups, source: Arxiv) -> None:
    source.open.clear()
    ids = [PaperId(f"2609.{number:05}") for number in range(1, lookups.AT_ONCE + 1)]
    waiting = [asyncio.create_task(office.find(one)) for one in ids]
    await asyncio.sleep(0)
    assert await office.find(KNOWN) is Finding.BUSY
    source.open.set()
    assert await asyncio.gather(*waiting) == [Finding.UNKNOWN] * lookups.AT_ONCE
    assert await office.find(KNOWN) is Finding.FOUND


async def test_nobody_waits_for_ever(office: Lookups, source: Arxiv, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookups, "PATIENCE", 0.01)
    source.open.clear()
    assert await office.find(KNOWN) is Finding.NO_ANSWER
    await office.close()
