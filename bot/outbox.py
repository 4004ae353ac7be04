"""Sends what the outbox holds: claim due parts | pace | adapter.send | record the outcome.

Parts of one chat leave in order, chats are independent, and every outcome leaves a state that somebody can see. At
least once: a repeat only of the part in flight when the process died (Discord's nonce removes that one too).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from functools import partial

from bot.pacing import Pace
from bot.ports import (
    Ambiguous,
    ChatAdapter,
    Gone,
    Moved,
    Outcome,
    Part,
    Paused,
    Rejected,
    Retry,
    Sent,
)
from scheduler.models import ChatState, Delivery, Platform
from scheduler.store import Store
from scheduler.store.thread import StoreThread

logger = logging.getLogger(__name__)

IN_FLIGHT = 30
LONGEST_PAUSE = timedelta(minutes=15)
AMBIGUOUS_WAIT = timedelta(seconds=60)
AMBIGUOUS_TRIES = 2
"""A repeat is better than a missing day, one repeat is enough (facts on ambiguous sends)."""

IDLE = 2.0
GRACE = 8.0
REST_AFTER_FAILURE = 30.0

Clock = Callable[[], datetime]


def delivery_key(delivery: Delivery) -> str:
    """The same text for the same part of the same run of the same chat, whenever it is sent."""
    return f"{delivery.chat.ref}|{delivery.run_key}|{delivery.part}"


class Sender:
    """Delivers to the platforms whose adapters it has. `wake()` makes it look at once."""

    def __init__(
        self,
        store: StoreThread,
        adapters: Mapping[Platform, ChatAdapter],
        clock: Clock,
        *,
        pace: Pace | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._store = store
        self._adapters = adapters
        self._platforms = [str(platform) for platform in adapters]
        self._clock = clock
        self._pace = pace or Pace()
        self._sleep = sleep
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._held: dict[Platform, datetime] = {}
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """Something was enqueued."""
        self._woken.set()

    async def run(self) -> None:
        """Sends until cancelled; parts in flight are then finished within `GRACE` seconds."""
        try:
            while True:
                self._woken.clear()
                await self._drain_or_rest()
                await self._idle()
        finally:
            await self._finish()

    async def _drain_or_rest(self) -> None:
        """Drains; where the database cannot be used (a full disk), says so and tries again later."""
        try:
            await self.drain()
        except Exception:
            logger.exception("deliveries rest for %.0f s: the outbox cannot be read", REST_AFTER_FAILURE)
            await self._sleep(REST_AFTER_FAILURE)

    async def _idle(self) -> None:
        try:
            await asyncio.wait_for(self._woken.wait(), IDLE)
        except TimeoutError:
            return

    async def _finish(self) -> None:
        if self._tasks:
            await asyncio.wait(list(self._tasks.values()), timeout=GRACE)

    async def drain(self) -> None:
        """Sends everything that is due now, and returns when nothing is."""
        while True:
            was_idle = not self._tasks
            if not await self._start_due() and was_idle:
                return
            if self._tasks:
                await asyncio.wait(list(self._tasks.values()), return_when=asyncio.FIRST_COMPLETED)

    async def _start_due(self) -> int:
        """Takes due parts into flight and returns how many."""
        now, room, busy = self._clock(), IN_FLIGHT - len(self._tasks), list(self._tasks)
        open_platforms = [name for name in self._platforms if self._held.get(Platform(name), now) <= now]
        if room <= 0 or not open_platforms:
            return 0
        claimed = await self._store.call(
            lambda store: store.outbox.claim(open_platforms, now, limit=room, busy=busy)
        )
        for delivery in claimed:
            task = asyncio.create_task(self._deliver(delivery))
            self._tasks[delivery.chat.key] = task
            task.add_done_callback(partial(self._landed, delivery.chat.key))
        return len(claimed)

    def _landed(self, chat: int, task: asyncio.Task[None]) -> None:
        self._tasks.pop(chat, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            # The part stays in flight in the store and is handed out again when its lease is over.
            logger.error("recording a delivery to chat %d failed: %s", chat, error)

    async def _deliver(self, delivery: Delivery) -> None:
        wait = self._pace.wait(delivery.chat, time.monotonic())
        if wait:
            await self._sleep(wait)
        outcome = await self._send(delivery)
        now = self._clock()
        if isinstance(outcome, Retry) and outcome.scope == "platform":
            self._held[delivery.chat.ref.platform] = now + outcome.after
        await self._store.call(lambda store: record(store, delivery, outcome, now))

    async def _send(self, delivery: Delivery) -> Outcome:
        adapter = self._adapters[delivery.chat.ref.platform]
        try:
            return await adapter.send(
                delivery.chat.ref, Part.from_json(delivery.payload), delivery_key(delivery)
            )
        except Exception as error:
            # An adapter names every outcome it knows; whatever else comes is ours, and the part stays.
            logger.exception("sending to %s failed", delivery.chat.ref)
            return Retry(timedelta(seconds=30), f"unexpected {type(error).__name__}")


def backoff(attempts: int, least: timedelta) -> timedelta:
    """How long to wait after so many attempts: doubling from `least`, at most `LONGEST_PAUSE` unless `least` is."""
    return max(least, min(least * float(2 ** min(attempts - 1, 16)), LONGEST_PAUSE))


def record(store: Store, delivery: Delivery, outcome: Outcome, now: datetime) -> None:
    """Writes down what came of one part: sent, later, moved, or why its chat rests."""
    outbox, key = store.outbox, delivery.key
    match outcome:
        case Sent(message_id):
            outbox.sent(key, message_id, now)
        case Retry(after, reason, counted):
            wait = backoff(delivery.attempts, after) if counted else after
            outbox.later(key, now + wait, reason, counted=counted)
        case Ambiguous(reason):
            _record_ambiguous(store, delivery, reason, now)
        case Moved(to):
            with store.writing():
                outbox.later(key, now, "moved", counted=False)
                store.chats.move(delivery.chat.key, to)
        case Gone(reason):
            _rest(store, delivery, ChatState.GONE, reason, now)
        case Paused(reason, missing):
            _rest(store, delivery, ChatState.PAUSED, " ".join((reason, *missing)), now)
        case Rejected(reason):
            logger.error(
                "%s refused part %d of %s: %s", delivery.chat.ref, delivery.part, delivery.run_key, reason
            )
            outbox.failed(key, reason)


def _record_ambiguous(store: Store, delivery: Delivery, reason: str, now: datetime) -> None:
    """Discord knows a repeat by its nonce; on Telegram one repeat is risked, then the part counts as unknown."""
    safe = delivery.chat.ref.platform is Platform.DISCORD
    if safe or delivery.attempts < AMBIGUOUS_TRIES:
        store.outbox.later(delivery.key, now + AMBIGUOUS_WAIT, reason)
    else:
        store.outbox.unknown(delivery.key, reason)


def _rest(store: Store, delivery: Delivery, state: ChatState, reason: str, now: datetime) -> None:
    """The chat rests with a reason; its parts wait for it, its settings stay."""
    logger.warning("%s rests: %s", delivery.chat.ref, reason)
    with store.writing():
        store.outbox.later(delivery.key, now, reason, counted=False)
        store.chats.set_state(delivery.chat.key, state, reason)
