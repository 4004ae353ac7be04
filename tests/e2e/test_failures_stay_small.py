"""What fails stops only itself: one slow chat, one digest, one feed, one moment without the database."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

import pytest

from bot import outbox
from bot.markup import Card
from bot.outbox import Sender
from bot.ports import Outcome, Part, Sent
from scheduler import editions, jobs, planning, query
from scheduler.models import (
    BatchState,
    Cause,
    CauseKind,
    Chat,
    ChatRef,
    DeliveryState,
    Digest,
    ParsedFeed,
    Platform,
    Schedule,
)
from scheduler.sources.http import SourceClient
from scheduler.store import Store
from scheduler.store.outbox import Plan
from scheduler.store.thread import StoreThread
from tests import rounds
from tests.builders import MORNING, TUESDAY, chat_in, feed, memory_store, paper
from tests.e2e.running import until
from tests.fakes.platform import SilentPlatform

T = TypeVar("T")


class Platforms(SilentPlatform):
    """A platform whose chats answer at once, except the slow ones, which never do."""

    def __init__(self, *slow: str) -> None:
        super().__init__()
        self._slow = slow
        self.sent: list[str] = []

    async def send(self, chat: ChatRef, part: Part, key: str) -> Outcome:
        if chat.chat_id in self._slow:
            await asyncio.Event().wait()
        self.sent.append(chat.chat_id)
        return Sent("1")


class Thread(StoreThread):
    """A store's thread with a gate, and calls that can be made to fail."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.failing = 0
        self.calls = 0
        self.gate = threading.Event()
        self.gate.set()

    async def call(self, work: Callable[[Store], T]) -> T:
        def gated(store: Store) -> T:
            self.gate.wait()
            return work(store)

        self.calls += 1
        if self.failing:
            self.failing -= 1
            raise OSError("disk full")
        return await super().call(gated)


@pytest.fixture
def store() -> Store:
    return memory_store()


@pytest.fixture
def thread(store: Store) -> Iterator[Thread]:
    thread = Thread(store)
    yield thread
    thread.gate.set()
    thread.close()


def enqueue(store: Store, name: str) -> None:
    """One part for a chat on Telegram."""
    chat = chat_in(store, name, platform=Platform.TELEGRAM)
    part = Part((Card(name),), name).to_json()
    store.outbox.enqueue(Plan(chat, "2026-09-29T08:00", "{}", (part,), (), TUESDAY), MORNING)


@asynccontextmanager
async def sending(thread: Thread, platform: Platforms) -> AsyncIterator[Sender]:
    """A sender at work."""

    async def sleep(_seconds: float) -> None:
        await asyncio.sleep(0)

    sender = Sender(thread, {Platform.TELEGRAM: platform}, lambda: MORNING, sleep=sleep)
    run = asyncio.create_task(sender.run())
    try:
        yield sender
    finally:
        run.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await run


async def counts(thread: Thread) -> dict[DeliveryState, int]:
    """How many parts are in each state."""
    return await thread.call(lambda store: store.outbox.counts())


# the sender


async def test_a_chat_that_does_not_answer_keeps_nobody_back(
    store: Store, thread: Thread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "IDLE", 0.02)
    monkeypatch.setattr(outbox, "GRACE", 0.02)
    platform = Platforms("slow")
    enqueue(store, "slow")
    async with sending(thread, platform):
        await until(lambda: thread.calls > 3)
        await thread.call(lambda store: enqueue(store, "quick"))
        await until(lambda: platform.sent == ["quick"])


async def test_the_sender_outlives_a_full_disk(
    store: Store, thread: Thread, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(outbox, "IDLE", 0.02)
    platform = Platforms()
    enqueue(store, "ada")
    thread.failing = 2
    async with sending(thread, platform):
        await until(lambda: platform.sent == ["ada"])
    assert caplog.text.count("deliveries rest") == 2


async def test_a_stop_leaves_no_part_in_flight(store: Store, thread: Thread) -> None:
    platform = Platforms()
    enqueue(store, "ada")
    thread.gate.clear()
    async with sending(thread, platform):
        await until(lambda: thread.calls == 1)
        asyncio.get_running_loop().call_later(0.05, thread.gate.set)
    assert platform.sent == ["ada"]
    assert await counts(thread) == {DeliveryState.SENT: 1}


async def test_parts_for_a_platform_that_is_off_stay_as_they_are(
    store: Store, thread: Thread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "IDLE", 0.02)
    platform = Platforms()
    async with sending(thread, platform) as sender:
        sender.let_go(Platform.TELEGRAM)
        await thread.call(lambda store: enqueue(store, "ada"))
        sender.wake()
        await asyncio.sleep(0.1)
        assert await counts(thread) == {DeliveryState.PENDING: 1}
    assert platform.sent == []


# planning


def follow(store: Store, *names: str) -> list[Chat]:
    """Chats that follow what is announced, and whose hour has come an hour after MORNING."""
    store.archive.store(feed(paper("2609.00001", "Policy gradients at sea")), now=MORNING)
    chats = [chat_in(store, name, schedule=Schedule("08:00", "UTC")) for name in names]
    for chat in chats:
        store.chats.subscribe(chat.key, query.parse("policy").canonical, "policy")
    return chats


def plain(chat: Chat, digest: Digest, run_key: str) -> tuple[str, ...]:
    return ("{}",)


LATER = MORNING + timedelta(hours=1, minutes=1)


def test_a_digest_that_cannot_be_made_keeps_nobody_back(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    _, bob, _ = follow(store, "ada", "bob", "cy")
    # Who gets the same shares one digest: bob's has another clock on it.
    store.chats.save(replace(bob, schedule=replace(bob.schedule, zone="Atlantic/Reykjavik")), MORNING)

    def render(chat: Chat, digest: Digest, run_key: str) -> tuple[str, ...]:
        if chat.title == "bob":
            raise RuntimeError("as this test wants")
        return ("{}",)

    assert rounds.planned(store, LATER, render, ["cs.LG"]) == 2
    assert "console:bob could not be planned" in caplog.text
    assert [entry.chat.title for entry in store.due.by(LATER)] == ["bob"]
    assert rounds.planned(store, LATER, plain, ["cs.LG"]) == 1


def test_a_slot_that_was_moved_meanwhile_is_left_alone(store: Store) -> None:
    ada, bob, cy = follow(store, "ada", "bob", "cy")
    planner, work = editions.Planner(plain), editions.Work(planning.round_at(store, LATER, ["cs.LG"]))
    store.chats.save(replace(ada, schedule=replace(ada.schedule, time="20:00")), LATER)
    store.chats.forget(bob.key)
    planned = 0
    while not work.is_over:
        planned += planner.step(store, work)
    assert planned == 1
    assert store.chats.next_digest(ada.key) == MORNING.replace(hour=20)
    assert store.outbox.is_planned(cy.key, "2026-09-29T08:00")


def test_one_chat_that_cannot_be_written_keeps_nobody_back(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """The whole step fails, and then is done chat by chat."""
    _, bob, _ = follow(store, "ada", "bob", "cy")
    store.db.execute(
        "create temp trigger as_this_test_wants before insert on delivery "
        f"when new.chat = {bob.key} begin select raise(abort, 'as this test wants'); end"
    )
    assert rounds.planned(store, LATER, plain, ["cs.LG"]) == 2
    assert caplog.text.count("could not be planned") == 1
    assert "console:bob could not be planned" in caplog.text
    store.db.execute("drop trigger as_this_test_wants")
    assert rounds.planned(store, LATER, plain, ["cs.LG"]) == 1


# fetching


async def test_a_feed_that_nobody_can_read_is_a_failed_day(
    store: Store, thread: Thread, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(_client: SourceClient, category: str) -> ParsedFeed:
        if category == "cs.LG":
            raise ValueError("as this test wants")
        return feed(paper("2609.00001"), category=category)

    monkeypatch.setattr("scheduler.sources.arxiv.fetch_feed", broken)
    caplog.set_level(logging.INFO)
    nowhere = "http://127.0.0.1:1"
    async with SourceClient(
        feed_url=nowhere, listing_url=nowhere, api_url=nowhere, oai_url=nowhere, pace=0, page_pace=0
    ) as client:
        first = await jobs.fetch_if_due(client, thread, ["cs.LG", "cs.RO"], MORNING)
        again = await jobs.fetch_if_due(client, thread, ["cs.LG", "cs.RO"], MORNING + timedelta(minutes=1))
    found = {batch.category: batch for batch in first}
    assert found["cs.LG"].state is BatchState.FAILED
    assert found["cs.LG"].causes[0] == Cause(CauseKind.FAULT, said="ValueError")
    assert (found["cs.RO"].state, found["cs.RO"].received) == (BatchState.FRESH, 1)
    assert again == ()
    assert "as this test wants" in caplog.text
