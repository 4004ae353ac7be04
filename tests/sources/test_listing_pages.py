"""Days of more than 2,000 entries: listing and catch-up pages one after the other, from a server on the loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from urllib.parse import parse_qs, urlsplit

import pytest

from scheduler.errors import SourceThrottled, SourceUnavailable
from scheduler.models import AnnounceType, BatchState
from scheduler.sources import arxiv
from scheduler.sources.http import SourceClient
from tests.builders import MORNING, memory_store
from tests.patience import PATIENCE
from tests.sources.arxiv_server import ArxivServer, Reply, Time, arxiv_server
from tests.sources.test_parsers import listing, row

PAGE = 2000
TUESDAY = date(2026, 9, 29)


@dataclass(frozen=True, slots=True)
class Pages:
    """A day's listing as arXiv's published controllers cut it: sections in order, headings as theirs."""

    new: int
    cross: int
    replaced: int
    says_total: bool = True

    def answer(self, target: str) -> Reply:
        asked = {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}
        skip = int(asked["skip"]) if "skip" in asked else PAGE * (int(asked.get("page", "1")) - 1)
        first = 0
        sections = []
        for name, count in (("New", self.new), ("Cross", self.cross), ("Replacement", self.replaced)):
            begin, end = max(skip, first), min(skip + PAGE, first + count)
            if end > begin:
                sections.append(_section(name, range(begin, end), count, begin > first, end == first + count))
            first += count
        total = f"<div class='paging'>Total of {first} entries</div>" if self.says_total else ""
        return Reply(listing(*(sections or ["<p>No updates today.</p>"]), tail=f"{total}</body></html>"))


def _section(name: str, numbers: range, count: int, continued: bool, is_last: bool) -> str:
    words = "continued, showing " if continued else "showing "
    if continued and is_last:
        words += "last "
    if not continued and not is_last:
        words += "first "
    rows = "".join(row(f"2609.{number + 1:05d}", _primary(name, number)) for number in numbers)
    return f"<h3>{name} submissions ({words}{len(numbers)} of {count} entries)</h3>{rows}"


def _primary(name: str, number: int) -> str:
    if name == "Cross" or (name == "Replacement" and number % 3 == 0):
        return "stat.ML"
    return "cs.LG"


@asynccontextmanager
async def arxiv_with(*replies: object) -> AsyncIterator[tuple[SourceClient, ArxivServer, Time]]:
    time = Time()
    async with (
        arxiv_server(*replies) as server,  # type: ignore[arg-type]
        SourceClient(listing_url=server.url, timeout=PATIENCE, clock=time, sleep=time.sleep) as client,
    ):
        yield client, server, time


@pytest.mark.parametrize("day", [None, TUESDAY])
@pytest.mark.parametrize("says_total", [True, False])
@pytest.mark.parametrize(
    ("sizes", "pages"), [((3, 2, 1), 1), ((1990, 9, 1), 2), ((2100, 1500, 900), 3), ((2000, 10, 10), 2)]
)
async def test_every_entry_of_every_page_comes_once(
    sizes: tuple[int, int, int], pages: int, says_total: bool, day: date | None
) -> None:
    served = Pages(*sizes, says_total=says_total)
    async with arxiv_with(served.answer) as (client, server, time):
        found = await arxiv.fetch_listing(client, "cs.LG", day)
    new, cross, replaced = sizes
    assert len({entry.paper.id for entry in found.announcements}) == len(found.announcements) == sum(sizes)
    assert not found.truncated
    assert found.problems == ()
    assert found.declared == sum(sizes)
    assert (found.declared_by_type[AnnounceType.NEW], found.declared_by_type[AnnounceType.CROSS]) == (
        new,
        cross,
    )
    crosses = sum(entry.announce_type is AnnounceType.REPLACE_CROSS for entry in found.announcements)
    assert found.declared_by_type[AnnounceType.REPLACE_CROSS] == crosses
    assert found.declared_by_type[AnnounceType.REPLACE] == replaced - crosses
    assert len(server.asked) == pages
    assert time.slept == [15.0] * (pages - 1)


async def test_the_pages_are_asked_for_as_arxiv_counts_them() -> None:
    async with arxiv_with(Pages(2100, 1500, 900).answer) as (client, server, _):
        await arxiv.fetch_listing(client, "cs.LG")
        await arxiv.fetch_listing(client, "cs.LG", TUESDAY)
    assert [asked.target for asked in server.asked] == [
        "/list/cs.LG/new?skip=0&show=2000",
        "/list/cs.LG/new?skip=2000&show=2000",
        "/list/cs.LG/new?skip=4000&show=2000",
        "/catchup/cs.LG/2026-09-29?abs=True",
        "/catchup/cs.LG/2026-09-29?abs=True&page=2",
        "/catchup/cs.LG/2026-09-29?abs=True&page=3",
    ]


async def test_a_page_that_cannot_be_had_leaves_the_others_and_the_day_is_partial() -> None:
    served = Pages(2100, 100, 0)
    first = served.answer("/list/cs.LG/new?skip=0")
    async with arxiv_with(first, Reply(status=500)) as (client, _, _time):
        found = await arxiv.fetch_listing(client, "cs.LG")
    assert len(found.announcements) == PAGE
    assert found.truncated
    batch = memory_store().archive.store(found, now=MORNING)
    assert batch is not None
    assert (batch.state, batch.news, batch.declared_news) == (BatchState.PARTIAL, 2000, 2100)


async def test_a_first_page_that_cannot_be_had_is_a_failure() -> None:
    async with arxiv_with(Reply(status=429, headers={"Retry-After": "60"})) as (client, _, _time):
        with pytest.raises(SourceThrottled):
            await arxiv.fetch_listing(client, "cs.LG")


async def test_a_listing_that_becomes_another_days_between_two_pages_is_no_listing() -> None:
    served = Pages(2100, 100, 0)
    first = served.answer("/list/cs.LG/new?skip=0")
    second = served.answer("/list/cs.LG/new?skip=2000")
    second.body = second.body.replace(b"Tuesday, 29 September", b"Wednesday, 30 September")
    async with arxiv_with(first, second) as (client, _, _time):
        with pytest.raises(SourceUnavailable, match="changed between two"):
            await arxiv.fetch_listing(client, "cs.LG")


async def test_a_server_that_gives_the_same_page_again_and_again_is_asked_twice() -> None:
    first = Pages(2100, 100, 0).answer("/list/cs.LG/new?skip=0")
    async with arxiv_with(first) as (client, server, _time):
        found = await arxiv.fetch_listing(client, "cs.LG")
    assert len(server.asked) == 2
    assert found.truncated
