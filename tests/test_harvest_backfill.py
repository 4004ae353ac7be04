"""Backfilling: resumable, for search, told to nobody."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import backfilling as shown
from bot.config import Settings, load_settings
from scheduler import backfilling, query
from scheduler.backfilling import Days, Step, days_of, joined, missing, slices
from scheduler.errors import SettingsError, SourceRefused, SourceThrottled, SourceUnavailable
from scheduler.models import PaperId
from scheduler.sources import paging
from scheduler.store.rows import day_keys
from scheduler.store.thread import StoreThread
from tests import rounds
from tests.builders import chat_in, memory_store
from tests.sources.arxiv_server import Reply, Time, arxiv_server
from tests.sources.paged_server import QueryApi, Submitted, client_of, oai, query_api, record

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
JANUARY = (date(2026, 1, 1), date(2026, 1, 31))


def january() -> list[Submitted]:
    return [Submitted(f"2601.{n:05}", date(2026, 1, 1) + timedelta(days=n // 2)) for n in range(1, 61)]


async def all_of(steps: AsyncIterator[Step]) -> list[Step]:
    return [step async for step in steps]


async def backfilled(
    api: QueryApi, store: StoreThread, days: Days = JANUARY, now: datetime = NOW
) -> list[Step]:
    async with query_api(api) as (client, _, time):
        return await all_of(backfilling.backfill(client, store, "cs.LG", days, now, time.sleep))


async def test_older_papers_are_found_by_search_and_told_to_nobody() -> None:
    inside = memory_store()
    chat = chat_in(inside)
    inside.chats.subscribe(chat.key, "sailing", "sailing")
    store = StoreThread(inside)
    steps = await backfilled(QueryApi(january()), store)
    assert sum(step.added for step in steps) == 60
    assert [step.done for step in steps] == [7, 14, 21, 28, 31]
    assert {step.total for step in steps} == {31}
    page = inside.archive.search(query.parse("sailing"), today=NOW.date(), limit=100)
    assert page.total == 60
    assert inside.archive.dates(date(2020, 1, 1), date(2030, 1, 1)) == ()
    assert rounds.planned(inside, NOW + timedelta(days=1), lambda *_: ("x",)) == 0
    known = inside.archive.by_id(PaperId("2601.00060"))
    assert known is not None
    first, last = day_keys(date(2026, 1, 31))
    assert first < known.key <= last
    store.close()


async def test_what_was_done_is_not_asked_for_again_and_more_days_are() -> None:
    store = StoreThread(memory_store())
    api = QueryApi(january())
    await backfilled(api, store, (date(2026, 1, 8), date(2026, 1, 14)))
    api.queries.clear()
    steps = await backfilled(api, store)
    assert [step.days for step in steps] == [
        (date(2026, 1, 1), date(2026, 1, 7)),
        (date(2026, 1, 15), date(2026, 1, 21)),
        (date(2026, 1, 22), date(2026, 1, 28)),
        (date(2026, 1, 29), date(2026, 1, 31)),
    ]
    assert api.queries[0] == "cat:cs.LG AND submittedDate:[202601010000 TO 202601072359]"
    assert await backfilled(api, store) == []
    store.close()


async def test_stopped_in_the_middle_it_goes_on_there() -> None:
    store = StoreThread(memory_store())
    api = QueryApi(january())
    async with query_api(api) as (client, _, time):
        async for step in backfilling.backfill(client, store, "cs.LG", JANUARY, NOW, time.sleep):
            if step.done == 14:
                break
    steps = await backfilled(api, store)
    assert steps[0].days[0] == date(2026, 1, 15)
    assert sum(step.added for step in steps) == 33
    store.close()


async def test_the_youngest_days_are_never_done_for_good() -> None:
    store = StoreThread(memory_store())
    now = datetime(2026, 1, 20, tzinfo=UTC)
    await backfilled(QueryApi(january()), store, JANUARY, now)
    done = await store.call(lambda store: backfilling.done_days(store, "cs.LG"))
    assert done == ((date(2026, 1, 1), date(2026, 1, 6)),)
    store.close()


async def test_a_slice_that_comes_short_is_shown_and_asked_for_again() -> None:
    store = StoreThread(memory_store())
    api = QueryApi([Submitted("2601.00001", date(2026, 1, 1))], pretend=1)
    days = (date(2026, 1, 1), date(2026, 1, 1))
    api.papers.append(Submitted("2601.00001", date(2026, 1, 1)))  # stated twice, given once
    api.pretend = 2
    (step,) = await backfilled(api, store, days)
    assert (step.received, step.declared, step.is_whole) == (1, 2, False)
    assert len(await backfilled(api, store, days)) == 1
    store.close()


async def test_a_source_that_asks_for_a_pause_gets_it() -> None:
    store = StoreThread(memory_store())
    api = QueryApi(january(), faults=["slow", "slow"])
    out = StringIO()
    async with query_api(api) as (client, _, time):
        steps = await all_of(
            backfilling.backfill(client, store, "cs.LG", JANUARY, NOW, time.sleep, shown._waiting(out))
        )
    assert sum(step.added for step in steps) == 60
    assert time.slept[:2] == [31.0, 61.0]
    first, second = out.getvalue().splitlines()
    assert "asks to slow down" in first
    assert first.endswith("asked again in 31 s (Ctrl-C: go on another time)")
    assert "in 61 s" in second
    store.close()


async def test_a_source_that_asks_for_too_long_ends_it() -> None:
    store = StoreThread(memory_store())
    time = Time()
    day_off = Reply(status=429, headers={"Retry-After": "7200"})
    async with arxiv_server(day_off) as server, client_of(server.url, time) as client:
        with pytest.raises(SourceThrottled):
            await all_of(backfilling.backfill(client, store, "cs.LG", JANUARY, NOW, time.sleep))
    assert len(server.asked) == 1
    store.close()


async def test_a_slice_with_too_many_results_is_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    store = StoreThread(memory_store())
    spans: list[Days] = []
    search = paging.search

    async def narrow(client: object, wanted: str, **_: object) -> object:
        spans.append((date.fromisoformat(wanted[-29:-21]), date.fromisoformat(wanted[-13:-5])))
        return await search(client, wanted, most=5)  # type: ignore[arg-type]

    monkeypatch.setattr(paging, "search", narrow)
    steps = await backfilled(QueryApi(january()), store)
    assert sum(step.added for step in steps) == 60
    assert all(step.received <= 5 for step in steps)
    assert days_of(step.days for step in steps) == 31
    assert steps[-1].done == 31
    store.close()


async def test_a_harvest_keeps_what_was_submitted_since_and_goes_on_at_its_place() -> None:
    store = StoreThread(memory_store())
    old = record("1901.00001", "2026-01-03", "Tue, 1 Jan 2019 10:00:00 GMT")
    replies = [
        Reply(oai(record("2601.00001", "2026-01-02"), old, token="t")),
        Reply(status=503, headers={"Retry-After": "20"}),
        Reply(oai(record("2601.00001", "2026-01-03"), record("2601.00002", "2026-01-05"))),
        Reply(oai(record("2601.00002", "2026-01-05", deleted=True))),
    ]
    time = Time()
    async with arxiv_server(*replies) as server, client_of(server.url, time) as client:
        since = date(2026, 1, 1)
        steps = await all_of(backfilling.harvest(client, store, "cs.LG", since, NOW, time.sleep))
        assert [(step.received, step.added) for step in steps] == [(1, 1), (2, 1)]
        await all_of(backfilling.harvest(client, store, "cs.LG", since, NOW, time.sleep))
    assert [asked.target.rpartition("=")[2] for asked in server.asked] == [
        "2026-01-01", "t", "2026-01-03", "2026-01-05",
    ]  # fmt: skip
    removed = await store.call(lambda store: store.archive.by_id(PaperId("2601.00002")))
    assert removed is not None
    assert removed.paper.withdrawn
    assert await store.call(lambda store: store.archive.by_id(PaperId("1901.00001"))) is None
    store.close()


SPANS = st.lists(
    st.tuples(st.dates(date(2026, 1, 1), date(2026, 3, 1)), st.integers(0, 20)).map(
        lambda pair: (pair[0], pair[0] + timedelta(days=pair[1]))
    ),
    max_size=6,
)


def _days(spans: list[Days] | tuple[Days, ...]) -> set[date]:
    return {first + timedelta(days=n) for first, last in spans for n in range((last - first).days + 1)}


@given(SPANS)
def test_joined_spans_have_the_same_days_and_do_not_touch(spans: list[Days]) -> None:
    whole = joined(spans)
    assert _days(whole) == _days(spans)
    assert all(second[0] - first[1] > timedelta(days=1) for first, second in itertools.pairwise(whole))


@given(SPANS, st.dates(date(2026, 1, 1), date(2026, 3, 1)), st.integers(0, 60))
def test_missing_days_are_those_wanted_without_those_done(done: list[Days], first: date, length: int) -> None:
    wanted = (first, first + timedelta(days=length))
    left = missing(wanted, done)
    assert _days(left) == _days([wanted]) - _days(done)
    pieces = slices(left)
    assert _days(pieces) == _days(left)
    assert days_of(pieces) == len(_days(left))
    assert all((last - first).days < 7 for first, last in pieces)


# on the command line


def settings_at(url: str, folder: Path) -> Settings:
    given = {
        "PAPERBOY_DATABASE": str(folder / "paperboy.sqlite"),
        "PAPERBOY_ARXIV_API_URL": f"{url}/api/query",
        "PAPERBOY_ARXIV_PACE": "0",
    }
    return load_settings(given, dotenv=folder / "no.env")


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("out", [StringIO(), Terminal()])
def test_progress_is_a_bar_on_a_terminal_and_lines_elsewhere(tmp_path: Path, out: StringIO) -> None:
    api = QueryApi(january())

    async def run() -> shown.Backfilled:
        async with arxiv_server(api.answer) as server:
            settings = settings_at(server.url, tmp_path)
            return await asyncio.to_thread(
                shown.backfill, settings, "cs.LG", JANUARY[0], JANUARY[1], "api", out
            )

    result = asyncio.run(run())
    assert (result.received, result.added, result.short) == (60, 60, 0)
    said = out.getvalue()
    if out.isatty():
        assert "31/31" in said
        assert "100%" in said or "#" in said
    else:
        assert said.splitlines()[0] == "cs.LG 2026-01-01 to 2026-01-07: 13 papers, 13 new"
        assert len(said.splitlines()) == 5


def test_wrong_days_and_categories_are_named(tmp_path: Path) -> None:
    settings = settings_at("http://127.0.0.1:9", tmp_path)
    with pytest.raises(SettingsError, match="no arXiv category"):
        shown.backfill(settings, "cs.XX", JANUARY[0], None, "api", StringIO())
    with pytest.raises(SettingsError, match="after 2026-01-01"):
        shown.backfill(settings, "cs.LG", JANUARY[1], JANUARY[0], "api", StringIO())


async def test_a_refused_query_is_no_reason_to_wait() -> None:
    store = StoreThread(memory_store())
    api = QueryApi(january(), faults=["error"])
    async with query_api(api) as (client, server, time):
        with pytest.raises(SourceRefused):
            await all_of(backfilling.backfill(client, store, "cs.LG", JANUARY, NOW, time.sleep))
    assert (len(server.asked), time.slept) == (1, [])
    store.close()


async def test_a_server_that_stays_away_ends_it_in_the_end() -> None:
    store = StoreThread(memory_store())
    time = Time()
    async with client_of("http://127.0.0.1:9", time) as client:
        with pytest.raises((SourceUnavailable, SourceThrottled)):
            await all_of(backfilling.backfill(client, store, "cs.LG", JANUARY, NOW, time.sleep))
    assert 300 < sum(time.slept) < 3000
    store.close()
