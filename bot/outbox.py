"""Sends what the outbox holds: claim due parts | pace | adapter.send | record the outcome.

Parts of one chat leave in order, chats are independent, and every outcome leaves a state that somebody can see. At
least once: a repeat only of the part in flight when the process died (Discord's nonce removes that one too).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from bot import standing
from bot.outages import Outages
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
from scheduler import slots
from scheduler.models import Chat, ChatKind, ChatState, Delivery, Platform
from scheduler.store import Store
from scheduler.store.outbox import QUIET_HOURS
from scheduler.store.thread import StoreThread

logger = logging.getLogger(__name__)

IN_FLIGHT = 30
"""Parts of one platform under way at once: its rate for a second, so an answer may take that long."""

FLOODS = frozenset({"flood_wait", "rate limited"})
FLOODED_CHATS = 3
FLOOD_SPAN = timedelta(seconds=10)
FLOOD_PAUSE = timedelta(minutes=1)
"""So many chats told to wait in that span mean the whole platform: it rests, but never for one chat's long wait."""

LONGEST_HOLD = timedelta(minutes=1)
LONGEST_PAUSE = timedelta(minutes=15)
AMBIGUOUS_WAIT = timedelta(seconds=60)
AMBIGUOUS_TRIES = 2
"""A repeat is better than a missing day, one repeat is enough (facts on ambiguous sends)."""

NOT_FOUND_WAIT = timedelta(hours=1)
"""Telegram sometimes does not find a chat that is there (facts on errors): it is believed an hour later."""

ACCESS_WAIT = timedelta(hours=1)
ACCESS_TRIES = 4
"""Discord at times denies access to the direct messages of who installed us for themselves (discord-api-docs#7666)."""

IDLE = 2.0
GATHER = 0.1
"""So long after a landing the outbox is asked for more, while others are under way: asking costs as much as sending."""

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
        self._cooling: dict[int, asyncio.Future[None]] = {}
        self._in_flight: Counter[Platform] = Counter()
        self._floods: defaultdict[Platform, dict[int, datetime]] = defaultdict(dict)
        self._held: dict[Platform, datetime] = {}
        self._outages = Outages()
        self._woken = asyncio.Event()
        self._landing = asyncio.Event()

    def wake(self) -> None:
        """Something was enqueued."""
        self._woken.set()

    def let_go(self, platform: Platform) -> None:
        """A platform is off for good: its parts stay as they are, for the next start."""
        self._platforms = [name for name in self._platforms if name != platform]

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
        await _happens(self._woken, IDLE)

    async def _finish(self) -> None:
        for task in self._cooling.values():
            task.cancel()
        if self._tasks:
            await asyncio.wait(list(self._tasks.values()), timeout=GRACE)

    async def drain(self) -> None:
        """Sends everything that is due now, and returns when nothing is."""
        while True:
            self._landing.clear()
            was_idle = not self._tasks and not self._cooling
            if not await self._start_due() and was_idle:
                return
            if self._tasks or self._cooling:
                await self._some_land()

    async def _some_land(self) -> None:
        """Waits for a landing; one slow answer must not keep back what has become due for others meanwhile."""
        await _happens(self._landing, IDLE)
        if self._tasks:
            # Enough are under way: the next few that land are made up for together.
            await self._sleep(GATHER)

    async def _start_due(self) -> int:
        """Takes due parts of every platform into flight and returns how many."""
        return sum([await self._start_due_on(name) for name in list(self._platforms)])

    async def _start_due_on(self, name: str) -> int:
        """The same for one platform: what is slow there takes no place from the others."""
        now, platform = self._clock(), Platform(name)
        # While a platform is out of order, one part is enough to find out whether it still is.
        places = 1 if self._outages.lasts(platform, now) else IN_FLIGHT
        room = places - self._in_flight[platform]
        if room <= 0 or self._held.get(platform, now) > now:
            return 0
        busy = [*self._tasks, *self._cooling]
        claiming = asyncio.ensure_future(
            self._store.call(lambda store: store.outbox.claim([name], now, limit=room, busy=busy))
        )
        try:
            await asyncio.shield(claiming)
        finally:
            # The store finishes a claim that a stop interrupts: what it took leaves with the parts in flight.
            for delivery in await claiming:
                self._take_off(delivery)
        return len(claiming.result())

    def _take_off(self, delivery: Delivery) -> None:
        task = asyncio.create_task(self._deliver(delivery))
        self._tasks[delivery.chat.key] = task
        self._in_flight[delivery.chat.ref.platform] += 1
        task.add_done_callback(partial(self._landed, delivery.chat))

    def _landed(self, chat: Chat, task: asyncio.Task[None]) -> None:
        self._landing.set()
        self._tasks.pop(chat.key, None)
        self._in_flight[chat.ref.platform] -= 1
        if not task.cancelled() and (error := task.exception()) is not None:
            # The part stays in flight in the store and is handed out again when its lease is over.
            logger.error("recording a delivery to chat %d failed: %s", chat.key, error)
        if (wait := self._pace.cooldown(chat, time.monotonic())) and not task.cancelled():
            # Its next part would only wait, in a place in flight that another chat can use.
            self._cooling[chat.key] = cooling = asyncio.ensure_future(self._sleep(wait))
            cooling.add_done_callback(partial(self._cooled, chat.key))

    def _cooled(self, key: int, _cooling: asyncio.Future[None]) -> None:
        self._landing.set()
        self._cooling.pop(key, None)

    async def _deliver(self, delivery: Delivery) -> None:
        ready = self._clock()
        until = slots.quiet_end(delivery.chat.schedule, ready)
        if until > ready:
            await self._store.call(
                lambda store: store.outbox.later(delivery.key, until, QUIET_HOURS, counted=False)
            )
            return
        wait = self._pace.wait(delivery.chat, time.monotonic())
        if wait:
            await self._sleep(wait)
        outcome = await self._send(delivery)
        now = self._clock()
        if isinstance(outcome, Retry):
            self._hold(delivery.chat, outcome, now)
        elif lasted := self._outages.over(delivery.chat.ref.platform, now):
            logger.info("%s takes messages again, after %s", delivery.chat.ref.platform, lasted)
        await self._store.call(lambda store: record(store, delivery, outcome, now))

    def _hold(self, chat: Chat, outcome: Retry, now: datetime) -> None:
        """Holds a platform back that asks for it, or that tells several chats at once to wait."""
        platform, after = chat.ref.platform, outcome.after
        if outcome.scope != "platform":
            if outcome.reason not in FLOODS:
                return
            recent = {key: at for key, at in self._floods[platform].items() if now - at <= FLOOD_SPAN}
            recent[chat.key] = now
            self._floods[platform] = recent
            if len(recent) < FLOODED_CHATS:
                return
            after = min(after, FLOOD_PAUSE)
        # The longer an outage lasts, the more seldom it is looked at; a minute more does not matter then.
        until = now + max(after, min(self._outages.lasts(platform, now) / 20, LONGEST_HOLD))
        if self._held.get(platform, now) < until:
            self._held[platform] = until
            if self._outages.is_news(platform, now):
                logger.warning(
                    "%s takes no messages (%s); they wait, and it is tried again", platform, outcome.reason
                )

    async def _send(self, delivery: Delivery) -> Outcome:
        adapter = self._adapters[delivery.chat.ref.platform]
        place = delivery.chat.ref
        if delivery.thread:
            place = replace(place, thread_id=delivery.thread)
        try:
            part = replace(Part.from_json(delivery.payload), quiet=not delivery.chat.sound)
            return await adapter.send(place, part, delivery_key(delivery))
        except Exception as error:
            # An adapter names every outcome it knows; whatever else comes is ours, and the part stays.
            logger.exception("sending to %s failed", delivery.chat.ref)
            return Retry(timedelta(seconds=30), f"unexpected {type(error).__name__}")


async def _happens(event: asyncio.Event, within: float) -> None:
    """Returns when the event happens, or after so many seconds.

    Not by `asyncio.wait_for`: before Python 3.12 it loses a stop that comes in the moment of the event.
    """
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(within):
            await event.wait()


def backoff(attempts: int, least: timedelta) -> timedelta:
    """How long to wait after so many attempts: doubling from `least`, at most `LONGEST_PAUSE` unless `least` is."""
    return max(least, min(least * float(2 ** min(attempts - 1, 16)), LONGEST_PAUSE))


def record(store: Store, delivery: Delivery, outcome: Outcome, now: datetime) -> None:
    """Writes down what came of one part: sent, later, moved, or why its chat rests."""
    outbox, key = store.outbox, delivery.key
    match outcome:
        case Sent(message_id, thread):
            with store.writing():
                outbox.sent(key, message_id, now, thread)
                store.chats.worked(delivery.chat.key)
        case Retry(after, reason, counted):
            wait = backoff(delivery.attempts, after) if counted else after
            outbox.later(key, now + wait, reason, counted=counted)
        case Ambiguous(reason):
            _record_ambiguous(store, delivery, reason, now)
        case Moved(to):
            with store.writing():
                outbox.later(key, now, "moved", counted=False)
                store.chats.move(delivery.chat.key, to)
        case Gone("chat_not_found") if delivery.reason != "chat_not_found":
            outbox.later(key, now + NOT_FOUND_WAIT, "chat_not_found")
        case Paused("no_access") if (
            delivery.chat.kind is ChatKind.PRIVATE and delivery.attempts < ACCESS_TRIES
        ):
            outbox.later(key, now + ACCESS_WAIT, "no_access")
        case Gone(reason):
            _rest(store, delivery, ChatState.GONE, reason, (), now)
        case Paused(reason, missing):
            _rest(store, delivery, ChatState.PAUSED, reason, missing, now)
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


def _rest(
    store: Store,
    delivery: Delivery,
    state: ChatState,
    reason: str,
    missing: Sequence[str],
    now: datetime,
) -> None:
    """The chat rests with a reason, and who can mend it is told; its parts wait for it, its settings stay."""
    logger.warning("%s rests: %s", delivery.chat.ref, standing.reason_text(reason, missing))
    with store.writing():
        store.outbox.later(delivery.key, now, reason, counted=False)
        standing.rest(store, delivery.chat, state, reason, missing, now)
