"""From built digests to messages on a platform: rendering, enqueueing, and the sender against a local Telegram."""

from __future__ import annotations

import asyncio
import tempfile
import threading
import time
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TypeVar

from bot.adapters.telegram import TelegramAdapter
from bot.deliveries import Renderer
from bot.markup import Card
from bot.outbox import Sender
from bot.ports import Gone, Moved, Part, Paused, Reply, Request, Suggestion
from scheduler import digest
from scheduler.models import Chat, ChatKind, ChatRef, Digest, Platform, Schedule
from scheduler.store import Store, open_store
from scheduler.store.chats import Defaults
from scheduler.store.outbox import Plan
from scheduler.store.thread import StoreThread
from tests.bench.figures import Figure, Sizes, at_most
from tests.e2e.running import until
from tests.fakes.telegram_server import FakeTelegram
from tests.sample_digest import SAMPLE

T = TypeVar("T")

DAY = date(2026, 9, 29)
NOW = datetime(2026, 9, 29, 8, tzinfo=UTC)
DEFAULTS = Defaults(Schedule("08:00", "UTC"), {"en": "en"})
DISTINCT = 300
"""Different digests of one day: chats that follow the same get the same."""

BATCH = 1000
PEER = 2000
MARKS = 5
RATE, SECONDS = 29, 20


def measure(sizes: Sizes) -> list[Figure]:
    """CPU time from digests to the outbox, and the sender's rate and share of a core."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "enqueue.sqlite")
        try:
            figures = _enqueueing(store, sizes.subscriptions)
        finally:
            store.close()
        return [*figures, *asyncio.run(_sending(Path(folder) / "send.sqlite"))]


def _chats(store: Store, count: int) -> list[Chat]:
    with store.writing():
        return [
            store.chats.ensure(ChatRef(Platform.TELEGRAM, str(n)), ChatKind.PRIVATE, "", "en", DEFAULTS, NOW)
            for n in range(1, count + 1)
        ]


def _enqueueing(store: Store, count: int) -> list[Figure]:
    chats = _chats(store, count)
    digests = [replace(SAMPLE, announced=n) for n in range(DISTINCT)]
    renderer = Renderer()
    start = time.process_time()
    for first in range(0, len(chats), BATCH):
        batch = chats[first : first + BATCH]
        plans = [_plan(chat, digests[chat.key % DISTINCT], renderer, "2026-09-29T08:00") for chat in batch]
        store.outbox.enqueue_all(plans, NOW)
    together = time.process_time() - start
    if sum(store.outbox.counts().values()) != len(chats):
        raise AssertionError("not every digest is in the outbox")
    alone = _commit_each(store, chats[:PEER], digests, renderer) * len(chats) / min(PEER, len(chats))
    return [
        at_most(
            f"render and enqueue {len(chats):,} digests",
            together,
            "s CPU",
            2 * max(1, len(chats) / 100_000),
            peer="a commit for each, synchronous=full",
            times=alone / together,
            least=20,
        )
    ]


def _plan(chat: Chat, shown: Digest, renderer: Renderer, run_key: str) -> Plan:
    payloads = renderer(chat, shown, run_key)
    return Plan(chat, run_key, digest.dump(shown), payloads, tuple(range(MARKS)), DAY)


def _commit_each(store: Store, chats: Sequence[Chat], digests: Sequence[Digest], renderer: Renderer) -> float:
    """Seconds on the wall: waiting for the disk is what a commit costs."""
    plans = [_plan(chat, digests[chat.key % DISTINCT], renderer, "2026-09-30T08:00") for chat in chats]
    store.db.conn.execute("pragma synchronous = full")
    start = time.perf_counter()
    for plan in plans:
        store.outbox.enqueue(plan, NOW)
    taken = time.perf_counter() - start
    store.db.conn.execute("pragma synchronous = normal")
    return taken


class _ServerThread:
    """A local Telegram on an event loop and in a thread of its own, whose CPU time can be told apart."""

    def __init__(self) -> None:
        self.server = FakeTelegram()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    async def start(self) -> None:
        """Listens."""
        self._thread.start()
        await self._there(self.server.start())

    async def cpu(self) -> float:
        """CPU seconds of the thread so far."""

        async def read() -> float:
            return time.thread_time()

        return await self._there(read())

    async def stop(self) -> None:
        """Listens no more."""
        await self._there(self.server.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        await asyncio.to_thread(self._thread.join)
        self._loop.close()

    async def _there(self, work: Coroutine[None, None, T]) -> T:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))


async def _sending(path: Path) -> list[Figure]:
    """The real adapter against a local Telegram; the local Telegram's own CPU time is taken off."""
    there = _ServerThread()
    await there.start()
    store = StoreThread.open(path)
    try:
        await store.call(lambda opened: _fill(opened, there.server, RATE * SECONDS))
        adapter = _adapter(there.server)
        running = asyncio.create_task(adapter.run())
        await until(lambda: there.server.is_read)
        # The first second of a connection holds the platform back.
        await asyncio.sleep(1.5)
        sender = Sender(store, {Platform.TELEGRAM: adapter}, lambda: datetime.now(UTC))
        wall, cpu = time.perf_counter(), time.process_time() - await there.cpu()
        draining = asyncio.create_task(sender.drain())
        while len(there.server.called("sendMessage")) < RATE * SECONDS and not draining.done():
            # Seldom, so that looking costs nothing.
            await asyncio.wait([draining], timeout=0.2)
        wall, cpu = time.perf_counter() - wall, time.process_time() - await there.cpu() - cpu
        await draining
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        sent = len(there.server.called("sendMessage"))
    finally:
        store.close()
        await there.stop()
    if sent != RATE * SECONDS:
        raise AssertionError(f"{sent} of {RATE * SECONDS} messages arrived")
    return [
        at_most("send: seconds for 29 messages", 29 * wall / sent, "s", 1.02),
        at_most("send: CPU at full rate", cpu / wall, "of a core", 0.15),
    ]


def _adapter(server: FakeTelegram) -> TelegramAdapter:
    async def answer(_request: Request) -> Reply:
        return Reply()

    async def suggest(_request: Request, _parameter: str) -> tuple[Suggestion, ...]:
        return ()

    async def standing(_ref: ChatRef, _change: Gone | Paused | Moved | None) -> None:
        return None

    return TelegramAdapter(
        token=server.token,
        base_url=server.base_url,
        answer=answer,
        suggest=suggest,
        commands=(),
        standing=standing,
        command_hashes={},
    )


def _fill(store: Store, server: FakeTelegram, count: int) -> None:
    """One part for each of so many people."""
    with store.writing():
        for n in range(count):
            person = server.user(f"reader {n}").chat
            person.refusal = None
            chat = store.chats.ensure(
                ChatRef(Platform.TELEGRAM, str(person.id)), ChatKind.PRIVATE, "", "en", DEFAULTS, NOW
            )
            text = f"A digest for reader {n}. " * 40
            store.outbox.enqueue(
                Plan(chat, "bench", "{}", (Part((Card(text),), text).to_json(),), (), None), NOW
            )
