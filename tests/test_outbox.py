"""The outbox and its sender: planned once, in order, every outcome a state that somebody can see."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from bot.markup import Card
from bot.outbox import Sender, backoff, delivery_key, record
from bot.ports import (
    Ambiguous,
    Gone,
    Moved,
    Outcome,
    Part,
    Paused,
    Rejected,
    Retry,
    Sent,
)
from scheduler.models import Chat, ChatKind, ChatRef, ChatState, DeliveryState, Platform
from scheduler.store import Store
from scheduler.store.outbox import LEASE, Plan
from scheduler.store.thread import StoreThread
from tests.builders import MORNING, TUESDAY, chat_in, feed, memory_store, paper
from tests.fakes.platform import SilentPlatform
from tests.patience import PATIENCE


def payload(text: str) -> str:
    return Part((Card(text),), text).to_json()


def enqueue(
    store: Store, chat: Chat, *texts: str, run: str = "2026-09-29T08:00", papers: Iterable[int] = ()
) -> bool:
    return store.outbox.enqueue(
        Plan(chat, run, "{}", tuple(payload(text) for text in texts), tuple(papers), TUESDAY), MORNING
    )


class FakePlatform(SilentPlatform):
    """A platform that says what it is told to say, and remembers what was sent."""

    def __init__(self, platform: Platform = Platform.TELEGRAM) -> None:
        super().__init__(platform)
        self.sent: list[tuple[str, str]] = []
        self.keys: list[str] = []
        self.places: list[ChatRef] = []
        self.quiet: list[bool] = []
        self.script: dict[str, list[Outcome | Exception]] = {}

    def will(self, chat: str, *outcomes: Outcome | Exception) -> None:
        self.script.setdefault(chat, []).extend(outcomes)

    async def send(self, chat: ChatRef, part: Part, key: str) -> Outcome:
        self.keys.append(key)
        self.places.append(chat)
        self.quiet.append(part.quiet)
        planned = self.script.get(chat.chat_id)
        outcome = planned.pop(0) if planned else Sent("1")
        if isinstance(outcome, Exception):
            raise outcome
        if isinstance(outcome, Sent):
            self.sent.append((chat.chat_id, part.plain))
        return outcome


class Clock:
    def __init__(self, now: datetime = MORNING) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def passes(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


class Bench:
    """A store, one platform and a sender, with time driven by hand."""

    def __init__(self, platform: Platform = Platform.TELEGRAM) -> None:
        self.store = memory_store()
        self.fake = FakePlatform(platform)
        self.clock = Clock()
        self.thread = StoreThread(self.store)
        self.sender = Sender(self.thread, {platform: self.fake}, self.clock, sleep=self._sleep)

    async def _sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)

    def chat(self, name: str) -> Chat:
        return chat_in(self.store, name, platform=self.fake.platform)

    async def drain(self) -> None:
        await self.sender.drain()

    def states(self) -> dict[DeliveryState, int]:
        return self.store.outbox.counts()


def test_a_run_is_planned_once_with_its_marks() -> None:
    store = memory_store()
    chat = chat_in(store)
    store.archive.store(feed(paper("2609.00001")), now=MORNING)
    (entry,) = store.archive.day(TUESDAY)
    assert enqueue(store, chat, "one", "two", papers=[entry.key])
    assert not enqueue(store, chat, "one", "two", "three", papers=[entry.key])
    assert store.outbox.counts() == {DeliveryState.PENDING: 2}
    assert store.outbox.delivered(chat.key, [entry.key, 5]) == {entry.key}
    assert store.chats.last_date(chat.key) == TUESDAY


def test_a_plan_that_breaks_half_way_leaves_nothing() -> None:
    store = memory_store()
    chat = chat_in(store)
    broken = Plan(chat, "run", "{}", (payload("one"), None), (7,), TUESDAY)  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        store.outbox.enqueue(broken, MORNING)
    assert store.outbox.counts() == {}
    assert store.outbox.delivered(chat.key, [7]) == frozenset()
    assert enqueue(store, chat, "one", run="run")


def test_parts_of_one_chat_are_claimed_in_order_and_chats_apart() -> None:
    store = memory_store()
    ada, bob = chat_in(store, "ada"), chat_in(store, "bob")
    enqueue(store, ada, "a1", "a2")
    enqueue(store, bob, "b1")
    first = store.outbox.claim(["console"], MORNING, limit=10)
    assert {one.chat.key for one in first} == {ada.key, bob.key}
    assert store.outbox.claim(["console"], MORNING, limit=10) == ()
    for one in first:
        store.outbox.sent(one.key, "1", MORNING)
    (second,) = store.outbox.claim(["console"], MORNING, limit=10)
    assert (second.chat.key, second.part) == (ada.key, 1)


def test_a_part_whose_process_died_is_handed_out_again_after_its_lease() -> None:
    store = memory_store()
    chat = chat_in(store)
    enqueue(store, chat, "one")
    (first,) = store.outbox.claim(["console"], MORNING, limit=1)
    assert store.outbox.claim(["console"], MORNING + LEASE / 2, limit=1) == ()
    (again,) = store.outbox.claim(["console"], MORNING + LEASE, limit=1)
    assert (again.key, again.attempts) == (first.key, 2)
    assert delivery_key(again) == delivery_key(first)


def test_the_only_sender_takes_up_at_once_what_was_in_flight() -> None:
    store = memory_store()
    enqueue(store, chat_in(store), "one")
    store.outbox.claim(["console"], MORNING, limit=1)
    store.outbox.recover(["console"], MORNING)
    assert len(store.outbox.claim(["console"], MORNING, limit=1)) == 1


async def test_everything_is_sent_in_order() -> None:
    bench = Bench()
    for name in ("ada", "bob", "eve"):
        enqueue(bench.store, bench.chat(name), *(f"{name}{number}" for number in range(5)))
    await bench.drain()
    for name in ("ada", "bob", "eve"):
        assert [text for chat, text in bench.fake.sent if chat == name] == [
            f"{name}{number}" for number in range(5)
        ]
    assert bench.states() == {DeliveryState.SENT: 15}
    assert len(set(bench.fake.keys)) == 15


async def test_a_long_flood_wait_of_one_chat_touches_nobody_else() -> None:
    bench = Bench()
    ada, bob = bench.chat("ada"), bench.chat("bob")
    enqueue(bench.store, ada, "a1", "a2")
    enqueue(bench.store, bob, "b1")
    bench.fake.will("ada", Retry(timedelta(seconds=43_838), "flood", counted=False))
    await bench.drain()
    assert bench.fake.sent == [("bob", "b1")]
    bench.clock.passes(43_000)
    await bench.drain()
    assert bench.fake.sent == [("bob", "b1")]
    bench.clock.passes(1_000)
    await bench.drain()
    assert bench.fake.sent == [("bob", "b1"), ("ada", "a1"), ("ada", "a2")]


async def test_a_platform_that_asks_for_a_pause_gets_it() -> None:
    bench = Bench()
    enqueue(bench.store, bench.chat("ada"), "a1")
    bench.fake.will("ada", Retry(timedelta(hours=1), "cloudflare", counted=False, scope="platform"))
    await bench.drain()
    enqueue(bench.store, bench.chat("bob"), "b1")
    await bench.drain()
    assert bench.fake.sent == []
    bench.clock.passes(3_600)
    await bench.drain()
    assert sorted(bench.fake.sent) == [("ada", "a1"), ("bob", "b1")]


@pytest.mark.parametrize(
    ("outcome", "state", "reason"),
    [
        (Gone("blocked"), ChatState.GONE, "blocked"),
        (Paused("no_rights"), ChatState.PAUSED, "no_rights"),
        (Paused("no_permission", ("Send Messages",)), ChatState.PAUSED, "no_permission Send Messages"),
    ],
)
async def test_a_chat_rests_with_a_reason_and_goes_on_where_it_stopped(
    outcome: Outcome, state: ChatState, reason: str
) -> None:
    bench = Bench()
    chat = bench.chat("ada")
    bench.store.chats.subscribe(chat.key, "rl", "rl")
    enqueue(bench.store, chat, "a1", "a2")
    bench.fake.will("ada", outcome)
    await bench.drain()
    resting = bench.store.chats.get(chat.key)
    assert resting is not None
    assert (resting.state, resting.reason) == (state, reason)
    assert bench.store.chats.subscriptions(chat.key)
    bench.store.chats.set_state(chat.key, ChatState.ACTIVE)
    await bench.drain()
    assert bench.fake.sent == [("ada", "a1"), ("ada", "a2")]


async def test_a_migrated_group_is_served_at_its_new_address_at_once() -> None:
    bench = Bench()
    enqueue(bench.store, bench.chat("-1"), "one")
    bench.fake.will("-1", Moved(ChatRef(Platform.TELEGRAM, "-100")))
    await bench.drain()
    assert bench.fake.sent == [("-100", "one")]


async def test_a_refused_part_is_reported_and_the_next_one_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    enqueue(bench.store, bench.chat("ada"), "a1", "a2")
    bench.fake.will("ada", Rejected("message is too long"))
    await bench.drain()
    assert bench.fake.sent == [("ada", "a2")]
    assert bench.states() == {DeliveryState.FAILED: 1, DeliveryState.SENT: 1}
    assert "message is too long" in caplog.text


async def test_an_adapter_that_breaks_loses_nothing() -> None:
    bench = Bench()
    enqueue(bench.store, bench.chat("ada"), "a1")
    bench.fake.will("ada", RuntimeError("our mistake"))
    await bench.drain()
    assert bench.states() == {DeliveryState.PENDING: 1}
    bench.clock.passes(60)
    await bench.drain()
    assert bench.fake.sent == [("ada", "a1")]


async def test_a_lost_answer_on_telegram_is_repeated_once_then_unknown_and_later_parts_go_on() -> None:
    bench = Bench()
    enqueue(bench.store, bench.chat("ada"), "a1", "a2")
    bench.fake.will("ada", Ambiguous("read timeout"), Ambiguous("read timeout"))
    await bench.drain()
    bench.clock.passes(3_600)
    await bench.drain()
    assert bench.fake.sent == [("ada", "a2")]
    assert bench.states() == {DeliveryState.UNKNOWN: 1, DeliveryState.SENT: 1}


async def test_a_lost_answer_on_discord_is_repeated_under_the_same_key_until_it_is_sure() -> None:
    bench = Bench(Platform.DISCORD)
    enqueue(bench.store, bench.chat("1"), "one")
    bench.fake.will("1", *[Ambiguous("5xx")] * 4)
    for _ in range(5):
        await bench.drain()
        bench.clock.passes(3_600)
    assert bench.fake.sent == [("1", "one")]
    assert len(set(bench.fake.keys)) == 1


def test_waits_double_up_to_a_quarter_of_an_hour() -> None:
    least = timedelta(seconds=30)
    waits = [backoff(attempts, least).total_seconds() for attempts in range(1, 9)]
    assert waits == [30, 60, 120, 240, 480, 900, 900, 900]
    assert backoff(40, least) == timedelta(minutes=15)
    assert backoff(3, timedelta(hours=12)) == timedelta(hours=12)


def test_failures_that_are_no_fault_of_the_part_are_not_counted() -> None:
    store = memory_store()
    enqueue(store, chat_in(store), "one")
    for _ in range(5):
        (claimed,) = store.outbox.claim(["console"], MORNING, limit=1)
        assert claimed.attempts == 1
        record(store, claimed, Retry(timedelta(0), "flood", counted=False), MORNING)


async def test_a_stop_finishes_what_is_in_flight() -> None:
    bench = Bench()
    reached, release = asyncio.Event(), asyncio.Event()

    async def slow(chat: ChatRef, part: Part, key: str) -> Outcome:
        reached.set()
        await release.wait()
        return Sent("1")

    bench.fake.send = slow  # type: ignore[method-assign]
    enqueue(bench.store, bench.chat("ada"), "a1")
    running = asyncio.create_task(bench.sender.run())
    await reached.wait()
    running.cancel()
    asyncio.get_running_loop().call_later(0.05, release.set)
    with pytest.raises(asyncio.CancelledError):
        await running
    assert bench.states() == {DeliveryState.SENT: 1}


async def test_the_parts_of_a_digest_follow_into_the_forums_post_also_after_a_restart() -> None:
    bench = Bench(Platform.DISCORD)
    forum = chat_in(bench.store, "77", platform=Platform.DISCORD, kind=ChatKind.FORUM)
    enqueue(bench.store, forum, "one", "two", "three")
    enqueue(bench.store, forum, "next day", run="2026-09-30T08:00")
    bench.fake.will("77", Sent("11", thread="11"), Retry(timedelta(hours=1), "a pause", counted=False))
    await bench.drain()
    assert [place.thread_id for place in bench.fake.places] == ["", "11"]
    again = Sender(bench.thread, {Platform.DISCORD: bench.fake}, bench.clock)
    bench.clock.passes(7200)
    await again.drain()
    assert [place.thread_id for place in bench.fake.places[2:]] == ["11", "11", ""]
    assert [text for _, text in bench.fake.sent] == ["one", "two", "three", "next day"]
    assert {place.chat_id for place in bench.fake.places} == {"77"}


@pytest.mark.parametrize("ticks", range(12))
async def test_a_stop_in_the_moment_of_waking_is_not_overheard(ticks: int) -> None:
    bench = Bench()
    running = asyncio.create_task(bench.sender.run())
    for _ in range(10):
        await bench.thread.call(lambda store: None)  # behind the sender's own: nothing is due, and it rests
    bench.sender.wake()
    for _ in range(ticks):
        await asyncio.sleep(0)
    running.cancel()
    await asyncio.wait([running], timeout=PATIENCE)
    was_stopped = running.cancelled()
    running.cancel()
    await asyncio.wait([running])
    assert was_stopped


def test_denied_access_to_direct_messages_is_tried_again_before_it_is_believed() -> None:
    store = memory_store()
    ada = chat_in(store, "9", platform=Platform.DISCORD)
    enqueue(store, ada, "one")
    now = MORNING
    for _ in range(3):
        (part,) = store.outbox.claim(["discord"], now, limit=1)
        record(store, part, Paused("no_access"), now)
        assert store.chats.get(ada.key) == ada
        assert store.outbox.claim(["discord"], now, limit=1) == ()
        now += timedelta(hours=1)
    (part,) = store.outbox.claim(["discord"], now, limit=1)
    record(store, part, Paused("no_access"), now)
    resting = store.chats.get(ada.key)
    assert resting is not None
    assert resting.state is ChatState.PAUSED
    room = chat_in(store, "10", platform=Platform.DISCORD, kind=ChatKind.GROUP)
    enqueue(store, room, "one")
    (part,) = store.outbox.claim(["discord"], now, limit=1)
    record(store, part, Paused("no_access"), now)
    paused = store.chats.get(room.key)
    assert paused is not None
    assert paused.state is ChatState.PAUSED, "a channel is not tried on: refusals count"


async def test_digests_come_quietly_unless_the_chat_wants_a_sound() -> None:
    bench = Bench()
    ada = bench.chat("ada")
    enqueue(bench.store, ada, "one")
    await bench.drain()
    bench.store.chats.save(replace(ada, sound=True), MORNING)
    enqueue(bench.store, ada, "two", run="next")
    await bench.drain()
    assert bench.fake.quiet == [True, False]
