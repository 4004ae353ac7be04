"""When a day is asked for, what an answer means for it, and two sources of one day against each other."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render.status import HOLIDAYS, counted, next_line, source_object
from bot.render.view import View
from scheduler import calendar, jobs, probing, reconciling, status
from scheduler.models import (
    Announcement,
    AnnounceType,
    Batch,
    BatchState,
    Cause,
    CauseKind,
    PaperId,
    ParsedFeed,
    Platform,
)
from scheduler.probing import Finding
from scheduler.sources import kinds
from scheduler.sources.http import SourceClient, Surface
from scheduler.store import Store
from scheduler.store.thread import StoreThread
from tests.arxiv_week import Clock, ScriptedArxiv, playing, utc
from tests.builders import SHARED, feed, memory_store, paper
from tests.sources.arxiv_server import Reply

MONDAY, TUESDAY, WEDNESDAY = date(2026, 9, 28), date(2026, 9, 29), date(2026, 9, 30)
MORNING, NOON = utc(TUESDAY, 5), utc(TUESDAY, 12)
SERVED = SHARED / "feeds" / "served"


# what a feed means


def test_yesterdays_papers_under_todays_date_are_stale() -> None:
    before = {PaperId("2609.00001"): AnnounceType.NEW, PaperId("2609.00002"): AnnounceType.NEW}
    found = probing.judge(feed(paper("2609.00001")), TUESDAY, before, NOON)
    assert (found.finding, found.state) == (Finding.REPEATED, BatchState.STALE)
    assert probing.judge(feed(paper("2609.00003")), TUESDAY, before, NOON).finding is Finding.NEWS


def test_a_paper_that_is_replaced_the_day_after_is_news() -> None:
    before = {PaperId("2609.00001"): AnnounceType.NEW}
    found = probing.judge(feed(paper("2609.00001"), kind=AnnounceType.REPLACE), TUESDAY, before, NOON)
    assert found.finding is Finding.NEWS


@pytest.mark.parametrize(
    ("now", "state"),
    [
        (utc(TUESDAY, 1), BatchState.WAITING),
        (utc(TUESDAY, 4, 29), BatchState.WAITING),
        (NOON, BatchState.STALE),
    ],
)
def test_a_feed_of_the_day_before_is_stale_once_todays_is_due(now: datetime, state: BatchState) -> None:
    found = probing.judge(feed(paper("2609.00001"), day=MONDAY), TUESDAY, {}, now)
    assert (found.finding, found.state) == (Finding.EARLIER, state)


@pytest.mark.parametrize("hour", range(5, 24))
def test_an_empty_feed_on_a_working_day_is_never_quiet(hour: int) -> None:
    found = probing.judge(feed(), TUESDAY, {}, utc(TUESDAY, hour))
    assert found.state is (BatchState.WAITING if hour < 16 else BatchState.STALE)


def test_an_empty_feed_on_a_holiday_is_quiet_with_its_name() -> None:
    found = probing.judge(feed(day=date(2026, 9, 8)), date(2026, 9, 8), {}, utc(date(2026, 9, 8), 12))
    assert (found.state, found.cause) == (BatchState.QUIET, Cause(CauseKind.HOLIDAY, ("Labor Day",)))


@pytest.mark.parametrize(("hour", "state"), [(1, BatchState.WAITING), (13, BatchState.QUIET)])
def test_a_holiday_that_is_only_expected_is_waited_through(hour: int, state: BatchState) -> None:
    day = date(2027, 9, 7)
    found = probing.judge(feed(day=day), day, {}, calendar.feed_due(day) + timedelta(hours=hour))
    assert found.state is state


def test_an_expected_holiday_with_papers_is_news() -> None:
    day = date(2027, 9, 7)
    found = probing.judge(feed(paper("2709.00001"), day=day), day, {}, calendar.feed_due(day))
    assert (found.finding, found.state) == (Finding.NEWS, BatchState.FRESH)


def test_an_expected_holiday_is_called_probable() -> None:
    labor_day = datetime(2027, 9, 6, 15, 0, tzinfo=UTC)
    shown = status.sources(memory_store(), ["cs.LG"], labor_day)
    english = View("en", "en", "Europe/Berlin", Platform.CONSOLE)
    assert next_line(shown, english, labor_day) == (
        "Probably no announcement on Mon: Labor Day; next: Tue 20:00 New York, Wed 02:00 for you"
    )
    assert "可能" in next_line(shown, View("zh", "zh", "Asia/Shanghai", Platform.CONSOLE), labor_day)


def test_a_refused_category_and_a_feed_without_a_date_have_failed() -> None:
    refused = replace(feed(), errors=("Bad subject class 'XX'.",))
    assert probing.judge(refused, TUESDAY, {}, NOON).cause == Cause(
        CauseKind.REFUSED, said="Bad subject class 'XX'."
    )
    assert probing.judge(replace(feed(), date=None), TUESDAY, {}, NOON).state is BatchState.FAILED


# when a day is asked for


def waiting(**changes: object) -> Batch:
    return replace(Batch("cs.LG", TUESDAY, BatchState.WAITING, 0, tries=1, fetched_at=NOON), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("announced", "pause"),
    [
        (timedelta(minutes=5), 15),
        (timedelta(hours=11), 15),
        (timedelta(hours=13), 60),
        (timedelta(days=3), 60),
    ],
)
def test_probing_begins_at_once_and_slows_down(announced: timedelta, pause: int) -> None:
    asked = calendar.announced_at(TUESDAY).astimezone(UTC) + announced
    batch = waiting(fetched_at=asked)
    assert not probing.is_probe_due(batch, asked + timedelta(minutes=pause - 1))
    assert probing.is_probe_due(batch, asked + timedelta(minutes=pause))
    assert probing.is_probe_due(None, asked)


@given(st.sampled_from(list(BatchState)), st.integers(0, 7 * 24 * 60), st.integers(1, 50), st.booleans())
def test_what_is_not_settled_is_never_given_up_within_its_week(
    state: BatchState, minutes: int, tries: int, has_papers: bool
) -> None:
    asked = calendar.announced_at(TUESDAY).astimezone(UTC) + timedelta(minutes=minutes)
    batch = waiting(state=state, fetched_at=asked, tries=tries, received=int(has_papers))
    if not probing.is_settled(batch):
        assert probing.is_probe_due(batch, asked + timedelta(hours=1))
        assert probing.is_catch_up_due(batch, asked + timedelta(hours=24))
    assert probing.is_catch_up_due(batch, asked + timedelta(days=1)) is not probing.is_settled(batch)


def test_pages_are_asked_once_and_again_only_while_the_day_is_not_whole() -> None:
    begun = waiting(received=3)
    assert probing.is_listing_due(begun, NOON)
    asked = replace(begun, listed_at=NOON)
    assert not probing.is_listing_due(asked, NOON + timedelta(minutes=59))
    assert probing.is_listing_due(replace(asked, state=BatchState.PARTIAL), NOON + timedelta(hours=1))
    whole = replace(asked, state=BatchState.FRESH, declared_counts={AnnounceType.NEW: 3})
    assert not probing.is_listing_due(whole, NOON + timedelta(days=1))
    assert not probing.is_listing_due(waiting(), utc(TUESDAY, 2)), "the listing flips before the feed does"
    assert not probing.is_listing_due(waiting(), utc(TUESDAY, 4, 45), feed_is_throttled=True)
    assert probing.is_listing_due(waiting(), utc(TUESDAY, 5, 1), feed_is_throttled=True)


# feed and listing


def listing(*entries: tuple[str, AnnounceType], declared: int | None = None) -> ParsedFeed:
    announcements = tuple(
        Announcement(replace(paper(name, comments="8 pages"), version=0), kind, TUESDAY, "cs.LG")
        for name, kind in entries
    )
    news = len(entries) if declared is None else declared
    return ParsedFeed(
        "arxiv-listing",
        "arxiv",
        "cs.LG",
        TUESDAY,
        announcements,
        declared=news,
        declared_by_type={AnnounceType.NEW: news},
    )


def test_a_missing_paper_comes_from_the_api_with_the_listings_type_and_date() -> None:
    page = listing(("2609.00001", AnnounceType.NEW), ("2609.00002", AnnounceType.CROSS))
    (entry,) = reconciling.missing(page, {PaperId("2609.00001"): AnnounceType.NEW})
    fetched = paper("2609.00002", "From the API", version=2)
    (added,) = reconciling.filled([entry], {fetched.id: fetched})
    assert (added.announce_type, added.date, added.paper.title) == (
        AnnounceType.CROSS,
        TUESDAY,
        "From the API",
    )
    assert (added.paper.version, added.paper.comments) == (2, "8 pages")


def test_the_listing_adds_comments_and_leaves_the_feeds_words() -> None:
    page = listing(("2609.00001", AnnounceType.NEW))
    known = paper("2609.00001", "The feed's title", version=3)
    (after,) = reconciling.annotated(page, [known, paper("2609.00009")])
    assert (after.title, after.version, after.comments) == ("The feed's title", 3, "8 pages")


def take(store: Store, found: ParsedFeed, now: datetime = NOON) -> Batch:
    return jobs.take_feed(store, found, "cs.LG", TUESDAY, now)


def test_a_day_waits_for_the_listings_count_and_is_partial_below_it() -> None:
    store = memory_store()
    assert take(store, feed(paper("2609.00001"))).state is BatchState.WAITING
    page = listing(("2609.00001", AnnounceType.NEW), declared=3)
    batch = jobs.take_listing(store, page, {}, "cs.LG", TUESDAY, NOON)
    assert (batch.state, batch.causes) == (
        BatchState.PARTIAL,
        (Cause(CauseKind.NEWS_MISSING, ("1", "3")),),
    )
    rest = feed(paper("2609.00001"), paper("2609.00002"), paper("2609.00003"))
    later = NOON + timedelta(minutes=15)
    batch = take(store, rest, later)
    assert (batch.state, batch.news, batch.declared_news) == (BatchState.FRESH, 3, 3)
    assert (batch.first_seen, batch.completed, batch.tries) == (NOON, later, 2)


def test_replacements_that_the_feed_never_has_do_not_make_a_day_partial() -> None:
    store = memory_store()
    take(store, feed(paper("2609.00001")))
    page = replace(
        listing(("2609.00001", AnnounceType.NEW)),
        declared=2,
        declared_by_type={AnnounceType.NEW: 1, AnnounceType.REPLACE: 1},
    )
    assert jobs.take_listing(store, page, {}, "cs.LG", TUESDAY, NOON).state is BatchState.PARTIAL
    assert take(store, feed(paper("2609.00001"))).state is BatchState.FRESH


def test_a_full_feed_has_lost_new_papers_and_the_listing_has_them() -> None:
    store = memory_store()
    full = replace(feed(paper("2609.00001")), truncated=True)
    assert take(store, full).state is BatchState.PARTIAL
    page = listing(*((f"2609.{n:05}", AnnounceType.NEW) for n in range(1, 6)))
    batch = jobs.take_listing(store, page, {}, "cs.LG", TUESDAY, NOON)
    assert (batch.state, batch.news) == (BatchState.FRESH, 5)


def test_a_later_failure_takes_nothing_away() -> None:
    store = memory_store()
    take(store, feed(paper("2609.00001")))
    jobs.without_listing(store, Cause(CauseKind.CHANGED), "cs.LG", TUESDAY, NOON)
    batch = jobs.take_feed(store, Cause(CauseKind.UNAVAILABLE), "cs.LG", TUESDAY, NOON)
    assert (batch.state, batch.received) == (BatchState.FRESH, 1)


def test_only_the_dated_listing_makes_a_working_day_quiet() -> None:
    store = memory_store()
    assert take(store, feed()).state is BatchState.WAITING
    quiet = jobs.take_listing(store, listing(), {}, "cs.LG", TUESDAY, NOON)
    assert (quiet.state, quiet.declared_news) == (BatchState.QUIET, 0)
    assert not probing.is_probe_due(quiet, NOON + timedelta(hours=5))


@pytest.mark.skipif(not SERVED.is_dir(), reason="needs the shared folder beside the checkout")
def test_arxivs_own_feed_and_listing_of_one_day_agree() -> None:
    store = memory_store()
    day = date(2026, 11, 30)
    now = utc(day, 12)
    for name, expected in (("monday_not_yet", BatchState.WAITING), ("", BatchState.WAITING)):
        file = SERVED / f"rss_cs.LG{'_' if name else ''}{name}.xml"
        assert jobs.take_feed(store, kinds.parse(file.read_bytes()), "cs.LG", day, now).state is expected
    page = kinds.parse((SERVED / "listnew_cs.LG.html").read_bytes(), category="cs.LG")
    batch = jobs.take_listing(store, page, {}, "cs.LG", day, now)
    assert (batch.state, batch.received, batch.declared, batch.source) == (
        BatchState.FRESH,
        21,
        21,
        "arxiv-feed",
    )
    assert (batch.news, batch.declared_news) == (18, 18)
    known = store.archive.by_id(PaperId("2610.03020"))
    assert known is not None
    assert known.paper.withdrawn, "only the listing's comments tell"
    saturday = kinds.parse((SERVED / "rss_cs.LG_saturday_empty.xml").read_bytes())
    friday = date(2026, 11, 27)
    assert probing.judge(saturday, friday, {}, utc(date(2026, 11, 28), 12)).finding is Finding.LATER
    catch_up = kinds.parse((SERVED / "catchup_cs.LG_2026-11-27_abs.html").read_bytes(), category="cs.LG")
    earlier = jobs.take_listing(store, catch_up, {}, "cs.LG", friday, now)
    assert (earlier.state, earlier.news, earlier.declared_news) == (BatchState.FRESH, 16, 16)


# catching up


@asynccontextmanager
async def run_of(now: datetime) -> AsyncIterator[tuple[ScriptedArxiv, SourceClient, StoreThread]]:
    arxiv = ScriptedArxiv(Clock(now))
    store = StoreThread(memory_store())
    async with playing(arxiv) as client:
        yield arxiv, client, store
    store.close()


def test_missing_days_are_noted_from_the_newest_archived_day_on_at_most_ninety_back() -> None:
    store = memory_store()
    archived = replace(feed(paper("2601.00001"), day=date(2026, 1, 5)), kind="arxiv-feed")
    store.archive.store(archived, now=NOON)
    jobs.note_missing(store, ["cs.LG", "cs.RO"], NOON)
    noted = store.batches.unsettled(date(2026, 1, 1), TUESDAY)
    assert {batch.category for batch in noted} == {"cs.LG"}
    assert (noted[0].date, noted[-1].date) == (TUESDAY - timedelta(days=89), MONDAY)
    assert all(calendar.is_weekday(batch.date) and not batch.tries for batch in noted)
    jobs.note_missing(store, ["cs.LG"], NOON)
    assert store.batches.unsettled(date(2026, 1, 1), TUESDAY) == noted


def test_seeds_and_other_sources_start_no_catch_up() -> None:
    store = memory_store()
    store.archive.store(replace(feed(paper("2609.00001"), day=date(2026, 9, 1)), kind="seeds"), now=NOON)
    jobs.note_missing(store, ["cs.LG"], NOON)
    assert store.batches.unsettled(date(2026, 1, 1), TUESDAY) == ()


async def test_a_day_without_a_page_is_tried_again_and_holds_up_no_other() -> None:
    async with run_of(NOON) as (arxiv, client, store):
        for day in (date(2026, 9, 24), date(2026, 9, 25), MONDAY, TUESDAY):
            arxiv.announce(day, "cs.LG", f"2609.{day.day:05}")
        known = replace(feed(paper("2609.00024"), day=date(2026, 9, 24)), kind="arxiv-feed")
        await store.call(lambda store: store.archive.store(known, now=NOON))
        broken = f"/catchup/cs.LG/{date(2026, 9, 25)}"
        arxiv.fails(NOON, NOON + timedelta(minutes=30), broken, Reply(status=500))
        await jobs.fetch_if_due(client, store, ["cs.LG"], arxiv.clock.now)
        states = {
            batch.date: batch.state
            for day in (date(2026, 9, 25), MONDAY, TUESDAY)
            for batch in await store.call(lambda store, day=day: store.batches.on(day))  # type: ignore[misc]
        }
        assert states == {
            date(2026, 9, 25): BatchState.FAILED,
            MONDAY: BatchState.FRESH,
            TUESDAY: BatchState.FRESH,
        }
        arxiv.clock.now = NOON + timedelta(hours=2)
        await jobs.fetch_if_due(client, store, ["cs.LG"], arxiv.clock.now)
        batch = await store.call(lambda store: store.batches.of("cs.LG", date(2026, 9, 25)))
        assert batch is not None
        assert (batch.state, batch.tries) == (BatchState.FRESH, 2)


async def test_a_throttled_page_is_left_alone_over_a_restart_and_the_feed_goes_on() -> None:
    async with run_of(MORNING) as (arxiv, client, store):
        arxiv.announce(TUESDAY, "cs.LG", "2609.00001")
        slower = Reply(status=429, headers={"Retry-After": "7200"})
        arxiv.fails(MORNING, MORNING + timedelta(minutes=1), "/list/", slower)
        await jobs.fetch_if_due(client, store, ["cs.LG"], arxiv.clock.now)
        batch = await store.call(lambda store: store.batches.of("cs.LG", TUESDAY))
        assert batch is not None
        assert (batch.state, batch.declared_news) == (BatchState.FRESH, None)
        assert await store.call(
            lambda store: jobs.is_paused(store, Surface.PAGES, MORNING + timedelta(hours=1))
        )
        for minutes in range(10, 200, 10):
            arxiv.clock.now = MORNING + timedelta(minutes=minutes)
            await jobs.fetch_if_due(client, store, ["cs.LG"], arxiv.clock.now)
        first, second = (moment for moment, path in arxiv.asked if path.startswith("/list/"))
        assert second - first >= timedelta(hours=2)
        batch = await store.call(lambda store: store.batches.of("cs.LG", TUESDAY))
        assert batch is not None
        assert batch.declared_news == 1


async def test_papers_that_arxiv_adds_to_a_whole_day_are_seen_in_a_second_look() -> None:
    async with run_of(MORNING) as (arxiv, client, store):
        arxiv.announce(TUESDAY, "cs.LG", "2609.00001")
        await jobs.fetch_if_due(client, store, ["cs.LG"], arxiv.clock.now)
        arxiv.announce(TUESDAY, "cs.LG", "2609.00002")
        for hours in range(1, 12):
            arxiv.clock.now = MORNING + timedelta(hours=hours)
            await jobs.fetch_if_due(client, store, ["cs.LG"], arxiv.clock.now)
        batch = await store.call(lambda store: store.batches.of("cs.LG", TUESDAY))
        assert batch is not None
        assert (batch.state, batch.received, batch.tries) == (BatchState.FRESH, 2, 2)
        assert [path.split("?")[0] for _, path in arxiv.asked] == [
            "/rss/cs.LG",
            "/list/cs.LG/new",
            "/rss/cs.LG",
        ]


async def test_a_pause_without_measure_is_a_day() -> None:
    async with run_of(MORNING) as (arxiv, client, store):
        arxiv.announce(TUESDAY, "cs.LG", "2609.00001")
        forever = Reply(status=429, headers={"Retry-After": "99999999999999"})
        arxiv.fails(MORNING, MORNING + timedelta(minutes=1), "/rss/", forever)
        await jobs.fetch_if_due(client, store, ["cs.LG"], arxiv.clock.now)
        for hours, paused in ((23, True), (25, False)):
            later = MORNING + timedelta(hours=hours)
            assert (
                await store.call(lambda store, later=later: jobs.is_paused(store, Surface.FEED, later))  # type: ignore[misc]
                is paused
            )


# how the sources stand


def test_the_words_of_a_status() -> None:
    batch = waiting(
        counts={AnnounceType.NEW: 318, AnnounceType.CROSS: 201, AnnounceType.REPLACE: 300},
        declared_counts={AnnounceType.NEW: 318, AnnounceType.CROSS: 201, AnnounceType.REPLACE: 301},
    )
    view = View("en", "en", "Europe/Berlin", Platform.CONSOLE)
    assert counted(batch, view.t) == "318 new + 201 cross, 519 of 519"
    labor_day = datetime(2026, 9, 7, 15, 0, tzinfo=UTC)
    shown = status.sources(memory_store(), ["cs.LG"], labor_day)
    assert next_line(shown, view, labor_day) == (
        "No announcement tonight: Labor Day; next: Tue 20:00 New York, Wed 02:00 for you"
    )
    chinese = View("zh", "zh", "Asia/Shanghai", Platform.CONSOLE)
    assert "劳动节" in next_line(shown, chinese, labor_day)
    assert source_object(shown, {})["next"] == {
        "date": "2026-09-09",
        "at": "2026-09-08T20:00:00-04:00",
        "holidays": [{"date": "2026-09-07", "name": "Labor Day", "certain": True}],
    }


@pytest.mark.parametrize(
    ("now", "holidays"),
    [
        (utc(date(2026, 9, 4), 12), ()),
        (utc(date(2026, 9, 7), 0, 30), ("Labor Day",)),
        (utc(date(2026, 9, 8), 12), ()),
        (utc(date(2026, 7, 3), 12), ()),  # a Friday has no announcement anyway
        (utc(date(2026, 12, 29), 12), ("the winter break",)),
    ],
)
def test_holidays_before_the_next_announcement(now: datetime, holidays: tuple[str, ...]) -> None:
    following = calendar.next_day(now)
    assert tuple(name for _, name in status.holidays_before(following, now)) == holidays


def test_every_holiday_can_be_said_in_every_language() -> None:
    names = {name for days in calendar.HOLIDAYS.values() for name in days.values()}
    expected = {name for year in range(2020, 2040) for name in calendar.expected_holidays(year).values()}
    assert names | expected == set(HOLIDAYS)
    assert all(day.year == year for year, days in calendar.HOLIDAYS.items() for day in days)
