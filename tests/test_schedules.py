"""How and when a chat wants its digest: what /settings makes of it, and what comes when."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.deliveries import render
from bot.locale import translator
from bot.outbox import Sender
from bot.ports import Part
from scheduler import query, slots
from scheduler.models import Chat, DeliveryState, Paper, Platform, Quiet, Schedule
from scheduler.store.outbox import Plan
from scheduler.store.thread import StoreThread
from tests import rounds
from tests.builders import chat_in, feed, memory_store, paper
from tests.test_commands import Office, Person
from tests.test_outbox import FakePlatform
from tests.test_slots import ZONES

MONDAY, TUESDAY, WEDNESDAY = date(2026, 9, 28), date(2026, 9, 29), date(2026, 9, 30)
NIGHT = Quiet("22:00", "07:00")


def at(day: date, hour: int, minute: int = 0) -> datetime:
    return datetime(day.year, day.month, day.day, hour, minute, tzinfo=UTC)


# slots


@pytest.mark.parametrize(
    ("schedule", "now", "expected"),
    [
        # 06:00 lies in the quiet hours: at their end.
        (Schedule("06:00", "UTC", quiet=NIGHT), at(TUESDAY, 5), at(TUESDAY, 7)),
        # 23:00 on Tuesday ends on Wednesday morning, and so does nothing else.
        (Schedule("23:00", "UTC", quiet=NIGHT), at(TUESDAY, 12), at(WEDNESDAY, 7)),
        (Schedule("12:30", "UTC", quiet=Quiet("12:00", "13:00")), at(TUESDAY, 9), at(TUESDAY, 13)),
        (Schedule("08:00", "UTC", quiet=NIGHT), at(TUESDAY, 5), at(TUESDAY, 8)),
        (Schedule("08:00", "UTC", frozenset({0})), at(TUESDAY, 9), at(date(2026, 10, 5), 8)),
        # The feed of Wednesday is built at midnight in New York.
        (Schedule("08:00", "UTC", at_announcement=True), at(TUESDAY, 9), at(WEDNESDAY, 4)),
        (Schedule("08:00", "UTC", at_announcement=True, quiet=NIGHT), at(TUESDAY, 9), at(WEDNESDAY, 7)),
        # After Friday's list the next is Monday's.
        (Schedule("08:00", "UTC", at_announcement=True), at(date(2026, 10, 2), 9), at(date(2026, 10, 5), 4)),
    ],
)
def test_the_next_slot(schedule: Schedule, now: datetime, expected: datetime) -> None:
    assert slots.next_slot(schedule, now) == expected


def test_the_run_at_an_announcement_is_named_by_its_list() -> None:
    schedule = Schedule("08:00", "Pacific/Kiritimati", at_announcement=True, quiet=Quiet("17:00", "23:00"))
    slot = slots.next_slot(schedule, at(TUESDAY, 9))
    assert slot.astimezone(ZoneInfo("Pacific/Kiritimati")).strftime("%d %H:%M") == "30 23:00"
    assert slots.run_key(schedule, slot) == "2026-09-30Tannounced"


clock_times = st.times().map(lambda moment: f"{moment:%H:%M}")


@given(
    zone=st.sampled_from(ZONES),
    start=clock_times,
    end=clock_times,
    due=clock_times,
    now=st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)),  # noqa: DTZ001
    at_announcement=st.booleans(),
)
def test_no_slot_lies_in_quiet_hours_and_none_is_skipped(
    zone: str, start: str, end: str, due: str, now: datetime, at_announcement: bool
) -> None:
    quiet = Quiet(start, end) if start != end else None
    schedule = Schedule(due, zone, at_announcement=at_announcement, quiet=quiet)
    slot = slots.next_slot(schedule, now.replace(tzinfo=UTC))
    assert slots.quiet_end(schedule, slot) == slot
    assert (
        now.replace(tzinfo=UTC)
        < slot
        <= now.replace(tzinfo=UTC) + timedelta(days=7 if at_announcement else 3)
    )
    if quiet is None and not at_announcement:
        assert slot == slots.slot_on(schedule, slots.local_day(schedule, slot))


@pytest.mark.parametrize(
    ("schedule", "hours"),
    [
        (Schedule("08:00", "UTC"), 12),
        (Schedule("08:00", "UTC", frozenset({1})), 84),
        (Schedule("08:00", "UTC", at_announcement=True), 12),
    ],
)
def test_a_slot_is_made_up_for_while_it_is_nearer_than_the_next(schedule: Schedule, hours: int) -> None:
    slot = slots.next_slot(schedule, at(MONDAY, 12))
    assert not slots.is_missed(schedule, slot, slot + timedelta(hours=hours))
    assert slots.is_missed(schedule, slot, slot + timedelta(hours=hours, minutes=1))


# what is planned


def test_chats_that_are_due_together_leave_one_after_the_other() -> None:
    store, now = memory_store(), at(TUESDAY, 8, 1)
    store.archive.store(feed(paper("2609.00001", title="On RL")), now=at(TUESDAY, 5))
    for number in range(600):
        chat = chat_in(store, str(number), schedule=Schedule("08:00", "UTC"), now=at(MONDAY, 9))
        store.chats.subscribe(chat.key, "rl", "rl")
    assert rounds.planned(store, now, render, ["cs.LG"]) == 600
    rows = store.db.execute("select not_before from delivery order by chat").fetchall()
    places = [moment - now.timestamp() for (moment,) in rows]
    assert places == sorted(places)
    assert places[0] == 0
    assert 19 < places[-1] < 600 / 29
    a_second = [sum(second <= place < second + 1 for place in places) for second in range(21)]
    assert max(a_second) <= 31


class Room:
    """A store with one category, and chats with schedules of their own; time is driven."""

    def __init__(self) -> None:
        self.store = memory_store()
        self.now = at(date(2026, 9, 27), 12)

    def announces(self, day: date, *papers: Paper) -> None:
        self.store.archive.store(feed(*papers, day=day), now=self.now)

    def chat(self, name: str, schedule: Schedule) -> Chat:
        chat = chat_in(self.store, name, schedule=schedule, now=self.now)
        self.store.chats.subscribe(chat.key, query.parse("policy").canonical, "policy")
        return chat

    def until(self, moment: datetime, step: timedelta = timedelta(minutes=20)) -> None:
        while self.now <= moment:
            rounds.planned(self.store, self.now, render, ["cs.LG"])
            self.now += step

    def received(self, chat: Chat) -> list[tuple[str, str, datetime]]:
        """Run key, first line and the moment from which the first part of each run may leave."""
        rows = self.store.db.query(
            "select run_key, text, not_before from delivery join body on body.key = delivery.body "
            "where chat = ? and part = 0 order by delivery.key",
            [chat.key],
        )
        return [
            (row["run_key"], Part.from_json(row["text"]).plain, slots.moment(row["not_before"]))
            for row in rows
        ]


@pytest.fixture
def room() -> Room:
    return Room()


def week(room: Room) -> None:
    """Five announcements, each while its day begins."""
    for number, day in enumerate(rounds.announcement_days(MONDAY, date(2026, 10, 2))):
        room.until(datetime.combine(day, time(4, 0), UTC))
        room.announces(day, paper(f"2609.0000{number}", f"Policy {number}"))
    room.until(at(date(2026, 10, 6), 0))


def test_one_digest_of_the_week(room: Room) -> None:
    chat = room.chat("ada", Schedule("08:00", "UTC", frozenset({0})))
    week(room)
    first, second = room.received(chat)
    assert [run for run, _, _ in (first, second)] == ["2026-09-28T08:00", "2026-10-05T08:00"]
    assert "4 days in one" in second[1]
    assert [f"Policy {number}" in second[1] for number in range(5)] == [False, True, True, True, True]


def test_as_soon_as_it_is_announced(room: Room) -> None:
    chat = room.chat("ada", Schedule("20:00", "UTC", at_announcement=True))
    week(room)
    assert [run for run, _, _ in room.received(chat)] == [
        f"{day.isoformat()}Tannounced" for day in rounds.announcement_days(MONDAY, date(2026, 10, 2))
    ]
    assert all(leaves.hour == 4 for _, _, leaves in room.received(chat))


def test_an_announcement_in_quiet_hours_is_told_at_their_end(room: Room) -> None:
    chat = room.chat("ada", Schedule("20:00", "UTC", at_announcement=True, quiet=NIGHT))
    week(room)
    assert len(room.received(chat)) == 5
    assert {leaves.hour for _, _, leaves in room.received(chat)} == {7}


def test_what_is_late_in_quiet_hours_leaves_at_their_end(room: Room) -> None:
    """The day came while the chat wants quiet: planned at once, sent afterwards."""
    chat = room.chat("ada", Schedule("03:30", "UTC", quiet=Quiet("04:00", "09:00")))
    room.until(at(MONDAY, 4, 10))
    room.announces(MONDAY, paper("2609.00001", "Policy one"))
    room.until(at(MONDAY, 8))
    ((_, _, leaves),) = room.received(chat)
    assert leaves == at(MONDAY, 9)


def test_nothing_new_is_said_only_to_who_asked(room: Room) -> None:
    asked = room.chat("ada", Schedule("08:00", "UTC", says_nothing_new=True))
    other = room.chat("bob", Schedule("08:00", "UTC"))
    room.announces(MONDAY, paper("2609.00001", "Bandits"))
    room.until(at(MONDAY, 12))
    ((run, text, _),) = room.received(asked)
    assert (run, text) == ("2026-09-28T08:00", "Nothing new. The next announcement comes Tue 00:00.")
    assert room.received(other) == []


def test_a_missed_slot_is_sent_late_once_and_says_so(room: Room) -> None:
    chat = room.chat("ada", Schedule("08:00", "Asia/Shanghai", frozenset(range(7))))
    room.until(at(MONDAY, 0))
    room.announces(TUESDAY, paper("2609.00001", "Policy one"))
    room.now = at(TUESDAY, 10)
    room.until(at(TUESDAY, 23))
    ((run, text, _),) = room.received(chat)
    assert run == "2026-09-29T08:00"
    assert "Late: meant for Tue 08:00." in text


def test_who_only_waits_for_arxiv_is_not_told_of_lateness(room: Room) -> None:
    chat = room.chat("ada", Schedule("01:00", "UTC"))
    room.until(at(TUESDAY, 4, 5))
    room.announces(TUESDAY, paper("2609.00001", "Policy one"))
    room.until(at(TUESDAY, 6))
    ((_, text, _),) = room.received(chat)
    assert "Late" not in text


def test_many_chats_of_one_moment_leave_one_after_the_other(room: Room) -> None:
    chats = [room.chat(f"reader {number}", Schedule("08:00", "UTC")) for number in range(290)]
    alone = room.chat("early", Schedule("07:00", "UTC"))
    room.announces(MONDAY, paper("2609.00001", "Policy one"))
    room.until(at(MONDAY, 9))
    leaves = [moment for chat in chats for _, _, moment in room.received(chat)]
    assert len(leaves) == 290
    assert timedelta(seconds=8) < max(leaves) - min(leaves) < timedelta(seconds=10)
    assert [moment for _, _, moment in room.received(alone)] == [at(MONDAY, 7)]


# what is sent


def test_nothing_leaves_in_quiet_hours_whatever_it_waited_for() -> None:
    store, fake = memory_store(), FakePlatform()
    chat = chat_in(store, "ada", platform=Platform.TELEGRAM, schedule=Schedule("21:00", "UTC", quiet=NIGHT))
    payload = Part((), "late").to_json()
    store.outbox.enqueue(Plan(chat, "2026-09-29T21:00", "{}", (payload,), (), TUESDAY), at(TUESDAY, 21))
    now = at(TUESDAY, 23)

    async def drain() -> None:
        await Sender(StoreThread(store), {Platform.TELEGRAM: fake}, lambda: now).drain()

    asyncio.run(drain())
    assert fake.sent == []
    assert store.outbox.counts() == {DeliveryState.PENDING: 1}
    assert store.outbox.next_due(["telegram"]) == at(WEDNESDAY, 7)
    run = store.outbox.last_run(chat.key)
    assert run is not None
    assert run.reason == "quiet hours"
    store.outbox.release(chat.key, now)
    store.chats.save(replace(chat, schedule=replace(chat.schedule, quiet=None)), now)
    asyncio.run(drain())
    assert fake.sent == [("ada", "late")]


# what a person says


@pytest.fixture
def office() -> Iterator[Office]:
    office = Office()
    yield office
    office.thread.close()


@pytest.fixture
def ada(office: Office) -> Person:
    person = office.person("ada")
    person.says("/subscribe kites")
    return person


@pytest.mark.parametrize(
    ("typed", "answer", "following"),
    [
        ("time announcement", "as soon as an announcement is complete", "tomorrow, as soon as"),
        ("time 立即", "as soon as an announcement is complete", "from 04:00 on"),
        (
            "weekly monday",
            "One digest of the week, Monday at 08:00, UTC.",
            "on Monday, 5 October 2026 at 08:00",
        ),
        ("weekly 周三", "One digest of the week, Wednesday at 08:00, UTC.", "tomorrow at 08:00"),
        ("days mon, fri", "Digest on Monday and Friday at 08:00, UTC.", "on Friday, 2 October 2026 at 08:00"),
        ("workdays", "Digest on workdays at 08:00, UTC.", "tomorrow at 08:00"),
        ("quiet 22-9:30", "Nothing is sent from 22:00 to 09:30.", "tomorrow at 09:30"),
        ("quiet 22:00 至 07:00", "Nothing is sent from 22:00 to 07:00.", "tomorrow at 08:00"),
        ("empty on", "I say so when there is nothing new.", "tomorrow at 08:00"),
    ],
)
def test_a_setting_says_what_follows(ada: Person, typed: str, answer: str, following: str) -> None:
    told = ada.says(f"/settings {typed}")
    assert answer in told
    assert following in told
    assert answer in ada.says("/settings")
    assert following in ada.says("/status")


@pytest.mark.parametrize(
    "typed", ["time late", "weekly someday", "weekly t", "days never", "quiet 7", "quiet 7-7", "empty maybe"]
)
def test_a_refusal_shows_what_works(ada: Person, typed: str) -> None:
    name = typed.split()[0]
    told = ada.says(f"/settings {typed}")
    assert "does not fit here" in told
    example = next(line for line in told.splitlines() if line.startswith(f"/settings {name} "))
    assert "does not fit" not in ada.says(example)


def test_buttons_go_there_and_back(ada: Person) -> None:
    for there, back in (
        ("As soon as it is announced", "At 08:00 instead"),
        ("Once a week, on Monday", "Every day"),
        ("Quiet from 22:00 to 07:00", "No quiet hours"),
        ("Say when nothing is new", "Only when there is something"),
    ):
        ada.says("/settings")
        assert "Done." in ada.presses(there)
        ada.says("/settings")
        assert "Done." in ada.presses(back)
    assert "Digest at 08:00, UTC." in ada.says("/settings")


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("time 09:30", "Digest at 09:30, UTC."),
        ("weekly friday", "One digest of the week, Friday at 08:00, UTC."),
        ("time announcement", "Digest as soon as an announcement is complete; times are those of UTC."),
        ("quiet 22:00-07:00", "Nothing is sent from 22:00 to 07:00."),
    ],
)
def test_the_greeting_says_when_this_chat_gets_its_digest(office: Office, typed: str, told: str) -> None:
    zoe = office.person("zoe")
    zoe.says(f"/settings {typed}")
    greeting = zoe.says("/start")
    assert told in greeting
    assert "once a day" not in greeting
    assert "Next digest" not in greeting
    zoe.says("/subscribe kites")
    assert "Next digest" in zoe.says("/start")


def test_weekly_and_at_the_announcement_exclude_each_other(ada: Person) -> None:
    ada.says("/settings weekly friday")
    assert "as soon as" in ada.says("/settings time announcement")
    assert "One digest of the week, Friday at 08:00" in ada.says("/settings weekly friday")


def test_the_same_in_chinese(ada: Person) -> None:
    ada.says("/settings lang zh")
    assert "22:00 至 07:00 不发消息" in ada.says("/settings quiet 22:00-07:00")
    assert "每周一份：星期一 08:00" in ada.says("/settings weekly 星期一")
    assert "公布的论文收齐后立即送达" in ada.says("/settings time 发布")
    assert translator("zh")("Late: meant for {weekday} {time}.", weekday="周二", time="08:00") in (
        "迟到了：原定周二 08:00 送达。"
    )


def test_a_weekly_chat_follows_from_the_next_announcement_on(office: Office, ada: Person) -> None:
    ada.says("/settings weekly friday")
    ada.says("/subscribe tides")
    chat = office.store.chats.at(ada.ref)
    assert chat is not None
    assert office.store.chats.subscriptions(chat.key)[-1].since == WEDNESDAY


def test_who_sets_a_time_that_is_still_to_come_gets_todays_digest(office: Office, ada: Person) -> None:
    assert _begin(office, ada) > TUESDAY
    assert "today at 12:30" in ada.says("/settings time 12:30")
    assert _begin(office, ada) == TUESDAY
    ada.says("/settings time 11:00")
    assert _begin(office, ada) == TUESDAY


def test_a_time_after_the_next_announcement_changes_nothing(office: Office, ada: Person) -> None:
    before = _begin(office, ada)
    ada.says("/settings time 07:00")
    assert _begin(office, ada) == before


def _begin(office: Office, ada: Person) -> date:
    chat = office.store.chats.at(ada.ref)
    assert chat is not None
    (one,) = office.store.chats.subscriptions(chat.key)
    assert one.since is not None
    return one.since
