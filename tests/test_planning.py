"""From the archive to planned deliveries: who is told of what, when, and never twice."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from scheduler import calendar, editions, planning, query
from scheduler.models import (
    AnnounceType,
    Batch,
    BatchState,
    Cause,
    CauseKind,
    Chat,
    ChatRef,
    Digest,
    Paper,
    Platform,
    Schedule,
    Shortfall,
)
from scheduler.store import Store
from scheduler.store.due import DueChat
from tests import rounds
from tests.builders import chat_in, feed, memory_store, paper

MONDAY, TUESDAY, WEDNESDAY = date(2026, 9, 28), date(2026, 9, 29), date(2026, 9, 30)


class Newsroom:
    """A store with one category, a clock driven by hand, and a memory of every planned digest."""

    def __init__(self, start: datetime) -> None:
        self.store: Store = memory_store()
        self.now = start
        self.digests: list[tuple[str, str, Digest]] = []

    def announces(
        self, day: date, *papers: Paper, kind: AnnounceType = AnnounceType.NEW, category: str = "cs.LG"
    ) -> None:
        self.store.archive.store(feed(*papers, day=day, kind=kind, category=category), now=self.now)

    def chat(
        self, name: str, *queries: str, time: str = "08:00", zone: str = "UTC", since: date | None = None
    ) -> Chat:
        chat = chat_in(self.store, name, schedule=Schedule(time, zone), now=self.now)
        for text in queries:
            self.store.chats.subscribe(chat.key, query.parse(text).canonical, text, since=since)
        return chat

    def until(self, moment: datetime, step: timedelta = timedelta(minutes=20)) -> None:
        while self.now <= moment:
            rounds.planned(self.store, self.now, self._render, ["cs.LG"])
            self.now += step

    def _render(self, chat: Chat, digest: Digest, run_key: str) -> tuple[str, ...]:
        self.digests.append((chat.ref.chat_id, run_key, digest))
        return ("{}",)

    def received(self, name: str) -> list[str]:
        return [one.paper.id for chat, _, digest in self.digests if chat == name for one in digest.papers]


@pytest.fixture
def room() -> Newsroom:
    return Newsroom(datetime(2026, 9, 29, 1, 0, tzinfo=UTC))


def at(day: date, hour: int, minute: int = 0) -> datetime:
    return datetime(day.year, day.month, day.day, hour, minute, tzinfo=UTC)


def test_a_digest_comes_at_the_chats_own_time(room: Newsroom) -> None:
    room.chat("berlin", "policy", time="08:00", zone="Europe/Berlin")
    room.chat("tokyo", "policy", time="12:00", zone="Asia/Tokyo")
    room.announces(TUESDAY, paper("2609.00001", "Policy gradients at sea"))
    room.until(at(TUESDAY, 2, 59))
    assert room.digests == []
    room.until(at(TUESDAY, 3, 19))
    assert [(chat, run) for chat, run, _ in room.digests] == [("tokyo", "2026-09-29T12:00")]
    room.until(at(TUESDAY, 23))
    assert [(chat, run) for chat, run, _ in room.digests][1:] == [("berlin", "2026-09-29T08:00")]


def test_a_replacement_is_not_announced_as_new(room: Newsroom) -> None:
    room.chat("ada", '"policy gradient"')
    room.announces(TUESDAY, paper("2609.00001", "Policy gradients at sea"))
    room.until(at(TUESDAY, 23))
    assert room.received("ada") == ["2609.00001"]
    room.announces(
        WEDNESDAY, paper("2609.00001", "Policy gradients at sea", version=2), kind=AnnounceType.REPLACE
    )
    room.until(at(WEDNESDAY, 23))
    assert room.received("ada") == ["2609.00001"]


def test_a_paper_that_is_cross_listed_weeks_later_is_told_of_only_to_who_never_was(room: Newsroom) -> None:
    known = paper("2609.00001", "Policy gradients at sea")
    again = TUESDAY + timedelta(weeks=10)
    room.chat("ada", "policy")
    room.chat("bo", "policy", since=again)
    room.announces(TUESDAY, known)
    room.until(at(TUESDAY, 12))
    for weeks in range(1, 10):
        day = TUESDAY + timedelta(weeks=weeks)
        room.announces(day, paper(f"2609.1000{weeks}", "Bandits"), category="cs.AI")
        room.until(at(day, 12), timedelta(hours=12))
    room.announces(again, known, kind=AnnounceType.CROSS, category="cs.AI")
    room.until(at(again, 12))
    assert room.received("ada") == ["2609.00001"]
    assert room.received("bo") == ["2609.00001"]


def test_nothing_new_is_no_message(room: Newsroom) -> None:
    room.chat("ada", "policy")
    room.announces(TUESDAY, paper("2609.00001", "Bandits"))
    room.until(at(WEDNESDAY, 23))
    assert room.digests == []


def test_a_late_day_is_waited_for_and_told_once_it_is_there(room: Newsroom) -> None:
    room.chat("ada", "policy", time="00:30")
    room.now = at(TUESDAY, 0, 10)
    room.chat("bob", "policy", time="00:30")
    room.until(at(TUESDAY, 4, 0))
    assert room.digests == []
    room.announces(TUESDAY, paper("2609.00001", "Policy gradients"))
    room.until(at(TUESDAY, 5, 0))
    assert room.received("bob") == ["2609.00001"]
    assert len(room.digests) == 1


def test_papers_that_arrive_after_the_digest_come_marked_with_the_next_one(room: Newsroom) -> None:
    room.chat("ada", "policy")
    room.announces(TUESDAY, paper("2609.00001", "Policy one"))
    room.until(at(TUESDAY, 12))
    room.announces(TUESDAY, paper("2609.00001", "Policy one"), paper("2609.00002", "Policy two"))
    room.announces(WEDNESDAY, paper("2609.00003", "Policy three"))
    room.until(at(WEDNESDAY, 12))
    _, _, second = room.digests[1]
    assert {one.paper.id: one.late for one in second.papers} == {"2609.00003": False, "2609.00002": True}
    assert second.dates == (WEDNESDAY,)


def test_one_category_that_fails_does_not_hold_the_others_for_ever(room: Newsroom) -> None:
    room.chat("ada", "policy", time="02:00")
    room.announces(TUESDAY, paper("2609.00001", "Policy one"), category="cs.RO")
    room.until(at(TUESDAY, 7, 40))
    assert room.digests == []
    room.until(at(TUESDAY, 9))
    assert room.received("ada") == ["2609.00001"]


def test_days_that_were_missed_come_as_one_digest(room: Newsroom) -> None:
    room.chat("ada", "policy")
    room.announces(MONDAY, paper("2609.00001", "Policy one"))
    room.announces(TUESDAY, paper("2609.00002", "Policy two"))
    room.until(at(TUESDAY, 12))
    ((_, _, digest),) = room.digests
    assert digest.dates == (MONDAY, TUESDAY)
    assert [one.paper.id for one in digest.papers] == ["2609.00002", "2609.00001"]


def test_a_subscription_is_not_told_of_days_before_it_began(room: Newsroom) -> None:
    room.announces(MONDAY, paper("2609.00001", "Policy one"))
    room.chat("ada", "policy", since=TUESDAY)
    room.announces(TUESDAY, paper("2609.00002", "Policy two"))
    room.until(at(TUESDAY, 12))
    assert room.received("ada") == ["2609.00002"]


def test_a_slot_missed_by_more_than_half_a_day_is_merged_into_the_next(room: Newsroom) -> None:
    room.chat("ada", "policy", time="02:00")
    room.announces(TUESDAY, paper("2609.00001", "Policy one"))
    room.now = at(TUESDAY, 15)
    room.until(at(WEDNESDAY, 1))
    assert room.digests == []
    room.announces(WEDNESDAY, paper("2609.00002", "Policy two"))
    room.until(at(WEDNESDAY, 3))
    assert [run for _, run, _ in room.digests] == ["2026-09-30T02:00"]
    assert set(room.received("ada")) == {"2609.00001", "2609.00002"}


def test_a_query_that_cannot_be_read_any_more_spoils_no_other(room: Newsroom) -> None:
    chat = room.chat("ada", "policy")
    room.store.chats.subscribe(chat.key, "((((", "broken")
    room.announces(TUESDAY, paper("2609.00001", "Policy one"))
    room.until(at(TUESDAY, 12))
    assert room.received("ada") == ["2609.00001"]


def test_wanted_categories_are_the_configured_ones_and_those_that_subscriptions_name(room: Newsroom) -> None:
    room.chat("ada", "cat:hep-th strings", "policy -cat:cs.CV", "cat:cs.LG")
    assert planning.wanted_categories(room.store, ["cs.LG", "cs.RO"]) == ("cs.LG", "cs.RO", "hep-th")


ZONES = [
    "America/New_York",
    "America/Los_Angeles",
    "America/Sao_Paulo",
    "America/St_Johns",
    "Europe/London",
    "Europe/Berlin",
    "Africa/Casablanca",
    "Africa/Cairo",
    "Asia/Tehran",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Asia/Shanghai",
    "Asia/Tokyo",
    "Australia/Melbourne",
    "Australia/Lord_Howe",
    "Pacific/Auckland",
    "Pacific/Chatham",
    "Pacific/Kiritimati",
    "Pacific/Honolulu",
    "UTC",
]


@pytest.mark.parametrize("start", [date(2026, 3, 1), date(2026, 10, 25)])
def test_two_weeks_in_twenty_zones_with_restarts_each_paper_once(start: date) -> None:
    """Both changes of the clock: every chat is told of every paper once, and at most once a local day."""
    chance = random.Random(start.toordinal())
    room = Newsroom(at(start, 0))
    for zone in ZONES:
        for time in ("01:30", "02:30", "08:00"):
            room.chat(f"{zone} {time}", "policy", time=time, zone=zone)
    days = rounds.announcement_days(start, start + timedelta(days=14))
    for number, day in enumerate(days):
        room.until(calendar.announced_at(day) + timedelta(hours=4), timedelta(minutes=chance.randint(3, 40)))
        room.announces(day, paper(f"2603.{number:05d}", f"Policy {number}"))
    room.until(at(days[-1], 0) + timedelta(days=3))
    expected = sorted(f"2603.{number:05d}" for number in range(len(days)))
    for zone in ZONES:
        for time in ("01:30", "02:30", "08:00"):
            assert sorted(room.received(f"{zone} {time}")) == expected, (zone, time)
    runs = Counter((chat, run[:10]) for chat, run, _ in room.digests)
    assert set(runs.values()) == {1}


def test_every_slot_is_on_the_chats_own_day() -> None:
    room = Newsroom(at(MONDAY, 0))
    room.chat("kiritimati", "policy", time="08:00", zone="Pacific/Kiritimati")
    room.announces(MONDAY, paper("2609.00001", "Policy one"))
    room.until(at(MONDAY, 23))
    ((_, run_key, _),) = room.digests
    chat = room.store.chats.at(ChatRef(Platform.CONSOLE, "kiritimati"))
    assert chat is not None
    due = room.store.chats.next_digest(chat.key)
    assert due is not None
    assert run_key == "2026-09-29T08:00"
    assert due.astimezone(ZoneInfo("Pacific/Kiritimati")).strftime("%d %H:%M") == "30 08:00"


def caught_up(room: Newsroom, day: date, *papers: Paper) -> None:
    """The engine has fetched an earlier day."""
    room.announces(day, *papers)
    batch = room.store.batches.of("cs.LG", day)
    assert batch is not None
    room.store.batches.put(replace(batch, tries=1))


def noted_as_missing(room: Newsroom, day: date) -> None:
    room.store.batches.put(Batch("cs.LG", day, BatchState.WAITING, 0, causes=(Cause(CauseKind.NOT_FETCHED),)))


def test_a_slot_waits_for_the_days_that_are_being_caught_up_but_not_for_ever(room: Newsroom) -> None:
    room.chat("ada", "policy")
    room.announces(TUESDAY, paper("2609.00002", "Policy two"))
    noted_as_missing(room, MONDAY)
    room.until(at(TUESDAY, 9))
    assert room.digests == []
    room.announces(MONDAY, paper("2609.00001", "Policy one"))
    room.until(at(TUESDAY, 9, 30))
    ((_, _, digest),) = room.digests
    assert digest.dates == (MONDAY, TUESDAY)


def test_nobody_waits_for_days_that_cannot_be_had(room: Newsroom) -> None:
    room.chat("ada", "policy")
    room.announces(TUESDAY, paper("2609.00002", "Policy two"))
    noted_as_missing(room, MONDAY)
    failed = Batch(
        "cs.LG", date(2026, 9, 25), BatchState.FAILED, 0, causes=(Cause(CauseKind.REFUSED),), tries=1
    )
    room.store.batches.put(failed)
    room.until(at(TUESDAY, 8, 30))
    assert room.received("ada") == ["2609.00002"]


def test_days_that_never_come_hold_a_slot_for_three_hours(room: Newsroom) -> None:
    room.chat("ada", "policy")
    room.announces(TUESDAY, paper("2609.00002", "Policy two"))
    noted_as_missing(room, MONDAY)
    room.until(at(TUESDAY, 10, 59))
    assert room.digests == []
    room.until(at(TUESDAY, 11, 30))
    assert room.received("ada") == ["2609.00002"]


def test_a_month_that_was_missed_is_told_of_and_a_late_day_of_it_too(room: Newsroom) -> None:
    room.chat("ada", "policy")
    room.announces(TUESDAY, paper("2609.00000", "Policy zero"))
    room.until(at(TUESDAY, 12))
    days = rounds.announcement_days(WEDNESDAY, date(2026, 10, 27))
    room.now = at(date(2026, 10, 27), 6)
    for number, day in enumerate(days[1:], start=1):
        caught_up(room, day, paper(f"2610.{number:05}", f"Policy {number}"))
    room.until(at(date(2026, 10, 27), 12))
    assert room.digests[1][2].dates == days[1:]
    room.now = at(date(2026, 10, 28), 6)
    caught_up(room, WEDNESDAY, paper("2610.90000", "Policy at last"))
    room.until(at(date(2026, 10, 28), 23))
    (last,) = room.digests[2][2].papers
    assert (last.paper.id, last.late, last.date) == ("2610.90000", True, WEDNESDAY)


def test_a_merged_digest_is_capped_and_what_is_left_out_does_not_come_again(room: Newsroom) -> None:
    room.chat("ada", "policy", "bandit")
    for day, first in ((MONDAY, 0), (TUESDAY, 80)):
        papers = [paper(f"2609.{first + n:05}", f"Policy {n}") for n in range(1, 81)]
        room.announces(day, *papers, paper(f"2609.1{first:04}", f"Bandit {first}"))
    room.until(at(TUESDAY, 12))
    ((_, _, digest),) = room.digests
    assert [len(section.papers) for section in digest.sections] == [98, 2]
    assert [one.number for one in digest.papers] == list(range(1, 101))
    assert digest.more == 62
    room.announces(WEDNESDAY, paper("2609.20001", "Policy next"))
    room.until(at(WEDNESDAY, 12))
    assert [one.paper.id for one in room.digests[1][2].papers] == ["2609.20001"]


def test_one_busy_day_is_told_whole(room: Newsroom) -> None:
    room.chat("ada", "policy")
    room.announces(TUESDAY, *(paper(f"2609.{n:05}", f"Policy {n}") for n in range(1, 151)))
    room.until(at(TUESDAY, 12))
    assert len(room.received("ada")) == 150


def test_a_holiday_on_which_arxiv_announces_is_delivered(room: Newsroom) -> None:
    day = date(2026, 9, 8)
    room.now = at(day, 1)
    assert not calendar.is_announcement_day(day)
    room.chat("ada", "policy")
    room.announces(day, paper("2609.00001", "Policy one"))
    room.until(at(day, 12))
    ((_, _, digest),) = room.digests
    assert digest.dates == (day,)


class NeverReady:
    """Words that are waited for, however long."""

    def is_waited_for(self, store: Store, entry: DueChat, told: Digest, now: datetime) -> bool:
        return True

    def shortfall(self, store: Store, chat: Chat, told: Digest, now: datetime) -> Shortfall | None:
        return None


@pytest.mark.parametrize("size", [1, editions.STEP])
def test_a_round_ends_although_a_waiting_slot_is_stored_more_finely_than_a_datetime(
    room: Newsroom, size: int
) -> None:
    room.announces(TUESDAY, paper("2609.00001", "Kites"))
    slot = datetime(2026, 9, 29, 8, 0, tzinfo=UTC)
    for name in ("ada", "bo"):
        finer = math.nextafter(slot.timestamp(), math.inf)
        room.store.db.execute(
            "update chat set next_due = ? where key = ?", [finer, room.chat(name, "kites").key]
        )
    planner = editions.Planner(lambda *_: ("{}",), words=NeverReady())
    work = editions.Work(planning.round_at(room.store, slot + timedelta(minutes=1)), size=size)
    for _ in range(10):
        planner.step(room.store, work)
    assert work.is_over
