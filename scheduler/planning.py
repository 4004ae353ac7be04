"""What is due at a moment, which dates each chat may not know, and what it would be told. Reads the store only.

`scheduler.editions` plans it for all chats that are due.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from scheduler import calendar, digest, query, slots
from scheduler.digest import Built
from scheduler.errors import QueryError
from scheduler.models import BatchState, Chat, Digest, Schedule, Subscription
from scheduler.news import Day, News, build_for_chat
from scheduler.store import Store
from scheduler.store.due import DueChat
from scheduler.store.outbox import Plan

logger = logging.getLogger(__name__)

Render = Callable[[Chat, Digest, str], tuple[str, ...]]
"""`render(chat, digest, run_key)`: the finished parts of a digest, as the outbox keeps them.

They depend on nothing of the chat that makes it this one: not its key, its address on the platform, nor its title.
"""


COMING = timedelta(days=1)
"""Words are made for the digests whose slots come within this time."""

LOOK_BACK = timedelta(days=7)
"""How far back a paper may have been announced and still be told of as late."""

FARTHEST = timedelta(days=90)
"""How far back days that were missed are told of: arXiv's catch-up pages go no farther."""

CATCH_UP_PATIENCE = timedelta(hours=3)
"""A slot waits at most so long for days that are being caught up, so that all of them come as one digest."""

MOST_MERGED = 100
"""A digest of several days shows at most so many papers; the rest is on request (/digest and a date)."""

SETTLE = timedelta(hours=8)
"""A slot waits at most so long after the announcement for categories that are not there yet: the feeds are built
four hours after it (midnight in New York)."""

LATEST = timedelta(hours=12)
"""A daily slot missed by more is not made up for (`slots.is_missed`): its papers come with the next one."""

LATE = timedelta(hours=1)
"""A digest that comes later than that, though its papers should have been there, says for when it was meant."""

SPREAD = 60.0
A_SECOND = 29
"""Messages a second that a platform takes at least: chats that are due together are spread over as many seconds as
their digests need, at most over this minute."""


@dataclass(slots=True)
class Round:
    """What is due at `now`: `count` slots until `until`, spread over `width` seconds; and what every chat may be told
    of: the announcement dates with papers, those of them that came late, and how often each was changed."""

    now: datetime
    until: datetime
    is_settled: bool
    newest: date
    dates: tuple[date, ...]
    arrived: frozenset[date]
    revisions: Mapping[date, int]
    revision: int
    count: int
    width: float
    slots: dict[tuple[Schedule, datetime], Slot] = field(default_factory=dict)

    def dates_for(self, entry: DueChat, subscriptions: Sequence[Subscription]) -> tuple[date, ...]:
        """The dates with something that the chat may not know: newer than its last slot, or changed after it."""
        if not subscriptions:
            return ()
        first = first_date(entry, self.newest)
        begun = [one.since for one in subscriptions if one.since is not None]
        since = min(begun) if len(begun) == len(subscriptions) else date.min
        return tuple(
            day
            for day in self.dates
            if (day >= first or day in self.arrived)
            and day >= since
            and (
                entry.planned_until is None
                or day > entry.planned_until
                or self.revisions[day] > entry.planned_revision
            )
        )

    def slot(self, schedule: Schedule, slot: datetime) -> Slot:
        """What follows from a slot, worked out once for all chats that have it."""
        key = (schedule, slot)
        if key not in self.slots:
            self.slots[key] = _slot_at(schedule, slot, self.newest, self.now)
        return self.slots[key]


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """A slot's run key and the next one that is not missed; whether this was, and for when a late digest was meant."""

    run_key: str
    next_slot: datetime
    is_missed: bool
    meant_for: datetime | None


def _slot_at(schedule: Schedule, slot: datetime, newest: date, now: datetime) -> Slot:
    promised = max(slot, calendar.feed_due(newest))
    is_late = not schedule.at_announcement and now - promised > LATE
    is_missed = slots.is_missed(schedule, slot, now)
    following = slots.next_slot(schedule, slot if is_missed else now)
    while following <= now and slots.is_missed(schedule, following, now):
        following = slots.next_slot(schedule, following)
    return Slot(slots.run_key(schedule, slot), following, is_missed, slot if is_late else None)


def round_at(store: Store, now: datetime, categories: Iterable[str] = ()) -> Round:
    """What is due at `now`.

    A slot stays open while its day's categories are not all there, or while missed days are being caught up, then
    closes for good: once per local day. Until then only slots that may have been missed are looked at.
    """
    names = tuple(categories)
    newest = newest_day(store, now)
    settled = is_settled(store, now, names)
    patience = CATCH_UP_PATIENCE if is_catching_up(store, now, names) else timedelta(0)
    until = now - patience if settled else now - LATEST
    arrived = store.batches.arrived(newest - FARTHEST, newest, now - LOOK_BACK)
    dates = tuple(sorted({*store.archive.dates(newest - FARTHEST, newest), *arrived}))
    revision = store.revisions.newest()
    count = store.due.count(until)
    width = min(float(count // A_SECOND), SPREAD)
    revisions = store.revisions.of(dates)
    return Round(now, until, settled, newest, dates, frozenset(arrived), revisions, revision, count, width)


def capped(built: Built) -> Built:
    """The digest with at most `MOST_MERGED` papers where it is about several dates."""
    return digest.capped(built, MOST_MERGED) if len(built.digest.dates) > 1 else built


def plan(
    store: Store, chat: Chat, day: Day, run_key: str, render: Render, now: datetime, told_until: date | None
) -> bool:
    """Enqueues one chat's digest of `day` under `run_key`; False when there is nothing (new) to tell."""
    built = _told_of(store, chat, day, told_until)
    if not built.keys:
        return False
    payloads = render(chat, built.digest, run_key)
    newest = max(built.digest.dates)
    return store.outbox.enqueue(
        Plan(chat, run_key, digest.dump(built.digest), payloads, built.keys, newest), now
    )


def _told_of(store: Store, chat: Chat, day: Day, told_until: date | None) -> Built:
    """What a chat would be told of `day` now: one that is about several dates is capped."""
    delivered = store.outbox.delivered(chat.key, day.candidates)
    return capped(build_for_chat(store, chat, day, delivered, told_until))


def preview(store: Store, chat: Chat, now: datetime, news: News) -> Built:
    """The digest that the chat's slot would get at `now`; nothing is written."""
    entry = store.due.of(chat.key)
    if entry is None:
        return Built(Digest((), 0, ()), ())
    return coming_digest(store, entry, round_at(store, now), news)


def coming(store: Store, now: datetime, ahead: timedelta = COMING) -> tuple[DueChat, ...]:
    """The slots that come within `ahead`, each chat's next one, soonest first."""
    return store.due.by(now + ahead)


def coming_digest(store: Store, entry: DueChat, came: Round, news: News) -> Built:
    """What a slot would be told if it were now (`came` is the round of now); nothing is written."""
    day = news.read(store, came.dates_for(entry, store.members.followed_in(entry.chat.key)))
    return _told_of(store, entry.chat, day, entry.last_date)


def first_date(entry: DueChat, newest: date) -> date:
    """The oldest date that a chat may still have to be told of."""
    known = [day for day in (entry.planned_until, entry.last_date) if day is not None]
    return max(max(known, default=newest) - LOOK_BACK, newest - FARTHEST)


def newest_day(store: Store, now: datetime) -> date:
    """The newest date that is expected to be out, or that is out although it was not: a holiday with news."""
    possible = calendar.possible_day(now)
    if any(batch.received for batch in store.batches.on(possible)):
        return possible
    return calendar.newest_day(now)


def is_settled(store: Store, now: datetime, categories: Iterable[str]) -> bool:
    """True when every category's newest announcement is there, or has been waited for long enough."""
    newest = newest_day(store, now)
    if now - calendar.announced_at(newest) > SETTLE:
        return True
    states = {batch.category: batch.state for batch in store.batches.on(newest)}
    return all(states.get(category) in (BatchState.FRESH, BatchState.QUIET) for category in categories)


def is_catching_up(store: Store, now: datetime, categories: Iterable[str]) -> bool:
    """True while earlier days of these categories are known to be missing and were never asked for yet.

    False once one of them could not be had: then nobody waits, and the rest comes as late.
    """
    names = frozenset(categories)
    newest = calendar.possible_day(now)
    unsettled = store.batches.unsettled(newest - FARTHEST, newest - timedelta(days=1))
    missing = [batch for batch in unsettled if batch.category in names and not batch.received]
    return bool(missing) and not any(batch.tries for batch in missing)


def wanted_categories(store: Store, configured: Iterable[str]) -> tuple[str, ...]:
    """The configured categories and every one that a subscription names, without repeats."""
    named: list[str] = []
    for text in sorted(store.chats.queries()):
        try:
            named.extend(sorted(query.categories(query.parse(text))))
        except QueryError:
            continue
    return tuple(dict.fromkeys([*configured, *named]))
