"""Two weeks of arXiv as they can go, through the real client and store: every paper once, under its date."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import TypeVar

import pytest

from scheduler import calendar, jobs, query
from scheduler.models import Batch, BatchState, CauseKind, Chat, Digest, PaperId, Schedule
from scheduler.sources.http import SourceClient
from scheduler.store import Store, open_store
from scheduler.store.thread import StoreThread
from tests import rounds
from tests.arxiv_week import Clock, ScriptedArxiv, client_of, playing, title_of, utc
from tests.builders import chat_in
from tests.sources.arxiv_server import Reply

T = TypeVar("T")
CATEGORIES = ("cs.LG", "stat.ML")
MON, TUE, WED, THU, FRI = (date(2026, 10, 26) + timedelta(days=n) for n in range(5))
MON2, TUE2, WED2, THU2, FRI2 = (date(2026, 11, 2) + timedelta(days=n) for n in range(5))
DAYS = (MON, TUE, WED, THU, FRI, MON2, TUE2, WED2, THU2, FRI2)
STEP = timedelta(minutes=10)


def fill(arxiv: ScriptedArxiv, days: Sequence[date]) -> None:
    """Each day has news in both categories, a paper that is in both, and a replacement from the day before."""
    for number, day in enumerate(days):
        for place in range(1, 7):
            arxiv.announce(day, "cs.LG", f"2610.{number:02}{place:03}", "new")
        for place in range(10, 14):
            arxiv.announce(day, "stat.ML", f"2610.{number:02}{place:03}", "new")
        arxiv.announce(day, "stat.ML", f"2610.{number:02}001", "cross", primary="cs.LG")
        arxiv.announce(day, "cs.LG", f"2610.{number:02}020", "cross", primary="math.OC")
        if number:
            arxiv.announce(day, "cs.LG", f"2610.{number - 1:02}001", "replace", version=2)


class Desk:
    """Ticks as `paperboy run` does: fetch, then plan; keeps every state and every planned digest."""

    def __init__(self, arxiv: ScriptedArxiv, store: Store) -> None:
        self.arxiv, self.store = arxiv, store
        self.thread = StoreThread(store)
        self.told: list[tuple[str, Digest]] = []
        self.states: dict[tuple[str, date], list[BatchState]] = {}

    def chat(self, name: str, wanted: str = "paper", at: str = "12:00", since: date | None = None) -> Chat:
        chat = chat_in(self.store, name, schedule=Schedule(at, "UTC"), now=self.arxiv.clock.now)
        self.store.chats.subscribe(chat.key, query.parse(wanted).canonical, wanted, since=since)
        return chat

    async def until(self, client: SourceClient, end: datetime, step: timedelta = STEP) -> None:
        clock = self.arxiv.clock
        while clock.now < end:
            began = clock.now
            for batch in await jobs.fetch_if_due(client, self.thread, CATEGORIES, began):
                self._note(batch)
            rounds.planned(self.store, clock.now, self._render, CATEGORIES)
            clock.now = max(clock.now, began + step)

    def _note(self, batch: Batch) -> None:
        states = self.states.setdefault((batch.category, batch.date), [])
        if not states or states[-1] is not batch.state:
            states.append(batch.state)

    def _render(self, chat: Chat, digest: Digest, run_key: str) -> tuple[str, ...]:
        self.told.append((chat.ref.chat_id, digest))
        return ("{}",)

    def story(self, category: str, day: date) -> str:
        return " ".join(self.states.get((category, day), ()))

    def received(self, name: str) -> Counter[str]:
        return Counter(one.paper.id for chat, digest in self.told if chat == name for one in digest.papers)

    def archived_as_announced(self, days: Sequence[date]) -> None:
        for day in days:
            for category in CATEGORIES:
                assert self.store.archive.announced_on(category, day) == self.arxiv.expected(day, category), (
                    category,
                    day,
                )


def within_the_promise(arxiv: ScriptedArxiv) -> None:
    """One request at a time; three seconds between feeds and API calls, fifteen between pages."""
    pages = [moment for moment, path in arxiv.asked if path.startswith(("/list", "/catchup"))]
    others = [moment for moment, path in arxiv.asked if not path.startswith(("/list", "/catchup"))]
    assert min(b - a for a, b in pairwise(others)) >= timedelta(seconds=3)
    assert min(b - a for a, b in pairwise(pages)) >= timedelta(seconds=15)
    assert arxiv.most_at_once == 1


def new_york(day: date, hour: int, minute: int = 0) -> datetime:
    return datetime.combine(day, time(hour, minute), calendar.NEW_YORK).astimezone(UTC)


@pytest.fixture
def arxiv() -> ScriptedArxiv:
    arxiv = ScriptedArxiv(Clock(utc(MON, 0, 0)))
    fill(arxiv, DAYS)
    return arxiv


def script(arxiv: ScriptedArxiv) -> None:
    """What goes wrong in the two weeks, day by day."""
    arxiv.late(TUE, time(9))
    arxiv.repeats(WED, until=time(5))
    arxiv.halved("feed", THU, "cs.LG", until=time(12))
    arxiv.halved("feed", THU, "stat.ML", until=time(3))
    arxiv.halved("listing", THU, "stat.ML", until=time(3))
    slower = Reply(status=429, headers={"Retry-After": "3600"})
    arxiv.fails(new_york(MON2, 0), new_york(MON2, 0, 1), "/rss/", slower)
    arxiv.fails(new_york(MON2, 1), new_york(MON2, 1, 20), "/rss/stat.ML", Reply(status=406))
    arxiv.fails(new_york(TUE2, 0), new_york(TUE2, 3), "/rss/cs.LG", Reply(status=500))
    arxiv.fails(new_york(TUE2, 0), new_york(TUE2, 1), "/rss/stat.ML", Reply(b"Rate exceeded.\n"))
    arxiv.fails(new_york(WED2, 0), new_york(WED2, 1), "/rss/cs.LG", Reply(b"<rss><channel><item><ti"))
    arxiv.fails(new_york(WED2, 0), new_york(WED2, 0, 30), "/rss/stat.ML", Reply(silent=True))
    arxiv.fails(new_york(THU2, 0), new_york(FRI2, 0), "/list/", Reply(b"<html><h1>A new look</h1></html>"))
    arxiv.fails(
        new_york(FRI2, 0), new_york(FRI2 + timedelta(days=2), 0), "/rss/", Reply(b"<html>moved</html>")
    )


async def test_two_weeks_with_everything_that_can_go_wrong(
    arxiv: ScriptedArxiv, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(calendar.HOLIDAYS[2026], THU, "Founders' Day")
    script(arxiv)
    desk = Desk(arxiv, open_store(None))
    desk.chat("ada")
    desk.chat("bob", at="04:30")
    async with playing(arxiv) as client:
        await desk.until(client, utc(FRI2 + timedelta(days=3), 0))
    desk.archived_as_announced(DAYS)
    for name in ("ada", "bob"):
        assert desk.received(name) == Counter(dict.fromkeys(arxiv.news(), 1)), name
    for chat, digest in desk.told:
        for one in digest.papers:
            assert one.date == arxiv.news()[one.paper.id], (chat, one.paper.id)
            assert one.paper.title == title_of(one.paper.id)
    within_the_promise(arxiv)
    the_states_tell_the_story(desk)
    the_pause_was_kept(arxiv)
    pages = [(moment, path) for moment, path in arxiv.asked if path.startswith("/list/")]
    assert len(pages) < 80  # ten days and a weekend, two categories, most days in trouble
    assert len([path for moment, path in pages if moment < calendar.announced_at(TUE)]) == len(CATEGORIES)
    desk.thread.close()


def the_states_tell_the_story(desk: Desk) -> None:
    assert desk.story("cs.LG", MON) == "waiting fresh"
    assert desk.story("cs.LG", TUE) == "waiting fresh"
    assert desk.story("cs.LG", WED) == "waiting stale waiting fresh"
    assert desk.story("cs.LG", THU) == "waiting fresh"
    assert desk.story("stat.ML", THU) == "waiting partial fresh"
    # A holiday: quiet as it was to be expected, until there is news nevertheless.
    assert desk.story("cs.LG", FRI) == "quiet waiting fresh"
    assert desk.story("cs.LG", MON2) == "waiting failed waiting fresh"
    # Feeds that fail for more than an hour: the listing carries the day, and nobody waits for them.
    assert desk.story("stat.ML", MON2) == "waiting failed fresh"
    assert desk.story("cs.LG", TUE2) == "waiting failed fresh"
    assert desk.story("stat.ML", TUE2) == "waiting failed fresh"
    assert desk.story("cs.LG", WED2) == "waiting failed fresh"
    assert desk.story("stat.ML", WED2) == "waiting failed waiting fresh"
    assert desk.story("cs.LG", THU2) == "waiting fresh"
    assert desk.story("cs.LG", FRI2) == "waiting failed fresh"
    batch = desk.store.batches.of("cs.LG", THU2)
    assert batch is not None
    assert batch.causes[0].kind is CauseKind.NOT_CHECKED
    carried = desk.store.batches.of("cs.LG", FRI2)
    assert carried is not None
    assert (carried.source, carried.declared_news, carried.news) == ("arxiv-listing", 7, 7)
    for (category, day), states in desk.states.items():
        assert states[-1] is BatchState.FRESH, (category, day)


def the_pause_was_kept(arxiv: ScriptedArxiv) -> None:
    """429 with Retry-After: nobody asks for a feed in the hour that follows."""
    first = new_york(MON2, 0)
    told = min(moment for moment, path in arxiv.asked if path.startswith("/rss/") and moment >= first)
    after = [moment for moment, path in arxiv.asked if path.startswith("/rss/") and moment > told]
    assert min(after) - told >= timedelta(hours=1)


async def test_the_week_after_a_fortnight_without_power_comes_as_one_digest(arxiv: ScriptedArxiv) -> None:
    """The gap is noted before the newest day is fetched, caught up oldest first, and told of at once."""
    desk = Desk(arxiv, open_store(None))
    desk.chat("ada", at="20:00")
    async with playing(arxiv) as client:
        await desk.until(client, utc(MON, 21))
        arxiv.clock.now = utc(FRI2, 19)
        before = len(arxiv.asked)
        await desk.until(client, utc(FRI2, 23, 59))
    desk.archived_as_announced(DAYS)
    first, merged = (digest for _, digest in desk.told)
    assert first.dates == (MON,)
    assert merged.dates == DAYS[1:]
    assert merged.complete
    assert desk.received("ada") == Counter(dict.fromkeys(arxiv.news(), 1))
    caught_up = [path.split("?")[0] for _, path in arxiv.asked[before:] if path.startswith("/catchup")]
    assert caught_up == [f"/catchup/{category}/{day}" for day in DAYS[1:-1] for category in CATEGORIES]
    within_the_promise(arxiv)
    desk.thread.close()


async def test_a_first_run_catches_nothing_up(arxiv: ScriptedArxiv) -> None:
    arxiv.clock.now = utc(FRI2, 14)
    desk = Desk(arxiv, open_store(None))
    async with playing(arxiv) as client:
        await desk.until(client, utc(FRI2, 16))
    assert not [path for _, path in arxiv.asked if path.startswith("/catchup")]
    desk.archived_as_announced([FRI2])
    desk.thread.close()


class Killed(BaseException):
    """The process ends here."""


class Mortal(StoreThread):
    """A store that dies at its n-th call, before or after what was to be done."""

    def __init__(self, store: Store, lives: int, after: bool) -> None:
        super().__init__(store)
        self.lives, self.after = lives, after

    async def call(self, work: Callable[[Store], T]) -> T:
        self.lives -= 1
        if self.lives == 0 and not self.after:
            raise Killed
        result = await super().call(work)
        if self.lives == 0:
            raise Killed
        return result


@pytest.mark.parametrize("newest", [TUE, THU])
@pytest.mark.parametrize("after", [False, True])
async def test_killed_at_any_point_the_next_run_completes_the_days(
    arxiv: ScriptedArxiv, after: bool, newest: date
) -> None:
    """Once over the newest day alone, once over two days that were missed as well."""
    arxiv.halved("feed", newest, "cs.LG", until=time(12))
    days = [day for day in DAYS if day <= newest]
    deaths = 0
    async with playing(arxiv):
        for lives in range(1, 200, 1 if newest is TUE else 5):
            arxiv.clock.now = utc(MON, 12)
            store = open_store(None)
            desk = Desk(arxiv, store)
            desk.chat("ada", since=TUE)
            async with client_of(arxiv) as client:
                await jobs.fetch_if_due(client, desk.thread, CATEGORIES, arxiv.clock.now)
            arxiv.clock.now = utc(newest, 11)
            mortal = Mortal(store, lives, after)
            try:
                async with client_of(arxiv) as client:
                    await jobs.fetch_if_due(client, mortal, CATEGORIES, arxiv.clock.now)
            except Killed:
                deaths += 1
            async with client_of(arxiv) as client:
                await desk.until(client, utc(newest, 12, 30))
            desk.archived_as_announced(days)
            told = Counter(paper for paper, day in arxiv.news().items() if TUE <= day <= newest)
            assert desk.received("ada") == told, lives
            assert len(desk.told) == 1
            states = {batch.state for day in days for batch in store.batches.on(day)}
            assert states == {BatchState.FRESH}, lives
            desk.thread.close()
            if mortal.lives > 0:
                break
    assert deaths > 5
    # Every step was there to be killed in: the feed, the listing, missing papers by id, and days that were missed.
    steps = {path.strip("/").partition("/")[0].partition("?")[0] for _, path in arxiv.asked}
    assert {"rss", "list", "api"} <= steps
    assert ("catchup" in steps) is (newest is not TUE)


async def test_killed_while_arxiv_answers(arxiv: ScriptedArxiv) -> None:
    desk = Desk(arxiv, open_store(None))
    async with playing(arxiv) as client:
        arxiv.clock.now = utc(TUE, 11)
        original = client.get
        count = 0

        async def get(*arguments: object, **named: object) -> object:
            nonlocal count
            count += 1
            if count in (1, 3, 5, 7):
                raise Killed
            return await original(*arguments, **named)  # type: ignore[arg-type]

        client.get = get  # type: ignore[method-assign, assignment]
        for _ in range(4):
            with pytest.raises(Killed):
                await jobs.fetch_if_due(client, desk.thread, CATEGORIES, arxiv.clock.now)
            arxiv.clock.now += timedelta(minutes=16)
        await jobs.fetch_if_due(client, desk.thread, CATEGORIES, arxiv.clock.now)
    desk.archived_as_announced([TUE])
    desk.thread.close()


def test_the_clock_goes_back_on_the_first_of_november() -> None:
    assert calendar.announced_at(FRI) == utc(FRI, 0)
    assert calendar.announced_at(MON2) == utc(MON2, 1)
    assert calendar.feed_due(FRI) == utc(FRI, 4)
    assert calendar.feed_due(MON2) == utc(MON2, 5)
    assert PaperId("2610.00000")
