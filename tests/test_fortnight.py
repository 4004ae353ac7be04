"""Two weeks in twenty zones, over both changes of the clock, with restarts at random: each due digest once."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.deliveries import render
from bot.outbox import Sender
from scheduler import calendar, editions, planning, query, slots
from scheduler.models import Chat, ChatRef, DeliveryState, Platform, Quiet, Schedule
from scheduler.store import Store, open_store
from scheduler.store.thread import StoreThread
from tests import rounds
from tests.builders import chat_in, feed, paper
from tests.test_outbox import FakePlatform
from tests.test_planning import ZONES

EVERY_DAY = frozenset(range(7))
NIGHT = Quiet("22:30", "07:15")


def schedules(zone: str, weekday: int) -> dict[str, Schedule]:
    """The ways in which somebody in this zone may want the digest."""
    return {
        "daily": Schedule("02:30", zone),
        "weekly": Schedule("01:30", zone, frozenset({weekday})),
        "quiet": Schedule("06:15", zone, quiet=NIGHT),
        "announced": Schedule("08:00", zone, at_announcement=True),
        "announced, quiet": Schedule("08:00", zone, at_announcement=True, quiet=NIGHT),
    }


@dataclass
class Life:
    """A Paperboy on a file: it ticks, sends and is started anew; `sent` is what arrived, where and when."""

    path: Path
    now: datetime
    chance: random.Random
    sent: list[tuple[str, str, datetime]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        self.store: Store = open_store(self.path)
        self.thread = StoreThread(self.store)
        self.platform = FakePlatform()
        self.planner = editions.Planner(render)
        self.sender = Sender(
            self.thread, {Platform.TELEGRAM: self.platform}, lambda: self.now, sleep=self._sleep
        )
        self.store.outbox.recover(["telegram"], self.now)

    async def _sleep(self, _seconds: float) -> None:
        return None

    async def until(self, moment: datetime) -> None:
        while self.now <= moment:
            work = editions.Work(planning.round_at(self.store, self.now, ["cs.LG"]))
            while not work.is_over:
                self.planner.step(self.store, work)
                if self.chance.random() < 0.02:
                    self.restart()
                    break
            await self.sender.drain()
            self.sent += [(chat, text, self.now) for chat, text in self.platform.sent]
            self.platform.sent.clear()
            self.now += timedelta(minutes=self.chance.randint(5, 55))

    def restart(self) -> None:
        self.thread.close()
        self.start()


def follower(life: Life, name: str, schedule: Schedule) -> Chat:
    chat = chat_in(life.store, name, platform=Platform.TELEGRAM, schedule=schedule, now=life.now)
    life.store.chats.subscribe(chat.key, query.parse("policy").canonical, "policy")
    return chat


@pytest.mark.parametrize("start", [date(2026, 3, 1), date(2026, 10, 25)])
async def test_each_due_digest_comes_once(start: date, tmp_path: Path) -> None:
    chance = random.Random(start.toordinal())
    life = Life(tmp_path / "life.sqlite", datetime.combine(start, time(), UTC), chance)
    chats: dict[str, Schedule] = {}
    for zone in ZONES:
        for kind, schedule in schedules(zone, chance.randrange(7)).items():
            chats[f"{zone} {kind}"] = schedule
            follower(life, f"{zone} {kind}", schedule)
    joined = life.now
    days = rounds.announcement_days(start, start + timedelta(days=14))
    for number, day in enumerate(days):
        await life.until(calendar.feed_due(day) + timedelta(minutes=chance.randint(0, 90)))
        life.store.archive.store(
            feed(paper(f"2603.{number:05d}", f"Policy {number:02}"), day=day), now=life.now
        )
        if chance.random() < 0.5:
            life.restart()
    # The list of the last Monday never comes: after eight hours nobody waits for it any more.
    await life.until(calendar.feed_due(days[-1]) + timedelta(days=3, hours=12))
    assert set(life.store.outbox.counts()) == {DeliveryState.SENT}
    for name, schedule in chats.items():
        told = [(text, moment) for chat, text, moment in life.sent if chat == name]
        every_paper_once(life, name, schedule, [text for text, _ in told], days)
        runs_are_the_due_ones(life, name, schedule, joined, days)
        for _, moment in told:
            assert slots.quiet_end(schedule, moment) == moment, (name, moment)
    life.thread.close()


def every_paper_once(
    life: Life, name: str, schedule: Schedule, texts: list[str], days: tuple[date, ...]
) -> None:
    """A weekly chat still waits for what came after its last slot."""
    told = Counter(number for number in range(len(days)) for text in texts if f"Policy {number:02}" in text)
    last = max((day for day in days if _has_been_due(life, schedule, day)), default=days[0])
    wanted = {number: 1 for number, day in enumerate(days) if day <= last}
    assert {number: count for number, count in told.items() if number in wanted} == wanted, name
    assert set(told.values()) <= {1}, name


def _has_been_due(life: Life, schedule: Schedule, day: date) -> bool:
    """True when a slot came a day after a list: then it was there for certain."""
    return slots.next_slot(schedule, calendar.feed_due(day) + timedelta(hours=10)) < life.now - timedelta(
        hours=2
    )


def runs_are_the_due_ones(
    life: Life, name: str, schedule: Schedule, joined: datetime, days: tuple[date, ...]
) -> None:
    """Runs are named by slots of the schedule, each at most once, and at most one for a local day or list."""
    due: list[str] = []
    slot = slots.next_slot(schedule, joined)
    while slot <= life.now:
        due.append(slots.run_key(schedule, slot))
        slot = slots.next_slot(schedule, slot)
    assert len(set(due)) == len(due)
    chat = life.store.chats.at(ChatRef(Platform.TELEGRAM, name))
    assert chat is not None
    rows = life.store.db.query("select run_key, part from delivery where chat = ?", [chat.key])
    parts = Counter((row["run_key"], row["part"]) for row in rows)
    assert set(parts.values()) == {1}
    runs = {run for run, _ in parts}
    assert runs <= set(due), name
    assert len({run[:10] for run in runs}) == len(runs), name
    if schedule.at_announcement:
        assert runs == {f"{day.isoformat()}T{slots.AT_ANNOUNCEMENT}" for day in days}, name
    elif schedule.weekdays == EVERY_DAY:
        # A slot just before an announcement that no tick met waits for the list and tells of two.
        assert len(runs) >= 5, name
    else:
        assert len(runs) >= len(due) - 1, name  # the first may come before there is any list


async def test_a_day_of_downtime_is_told_of_once(tmp_path: Path) -> None:
    """Late chats say so, chats of the other half of the day get both days with the next."""
    life = Life(tmp_path / "life.sqlite", datetime(2026, 9, 28, 12, tzinfo=UTC), random.Random(1))
    morning = follower(life, "morning", Schedule("08:00", "UTC"))
    evening = follower(life, "evening", Schedule("20:00", "UTC"))
    for number, day in enumerate((29, 30)):
        life.store.archive.store(
            feed(paper(f"2609.0000{number}", f"Policy {number}"), day=date(2026, 9, day)), now=life.now
        )
    life.now = datetime(2026, 9, 30, 13, tzinfo=UTC)
    life.restart()
    await life.until(datetime(2026, 9, 30, 23, tzinfo=UTC))
    told = {name: [text for chat, text, _ in life.sent if chat == name] for name in ("morning", "evening")}
    (late,), (next_one,) = told["morning"], told["evening"]
    assert "Late: meant for Wed 08:00." in late
    assert "Policy 0" in late
    assert "Policy 1" in late
    assert "Late" not in next_one
    assert "2 days in one" in next_one
    assert life.store.outbox.is_planned(morning.key, "2026-09-30T08:00")
    assert life.store.outbox.is_planned(evening.key, "2026-09-30T20:00")
    assert life.now.astimezone(ZoneInfo("UTC")).day == 30
    life.thread.close()
