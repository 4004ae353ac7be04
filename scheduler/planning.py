"""From the archive to planned deliveries: which papers a chat is told of, and when. Reads and writes the store only.

due chats | the days that each may not know | build | render | outbox: one edition for all who get the same

A round is what is due at one moment. It is planned in steps, each a transaction of many chats, so that people are
answered in between and the first digests leave at once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime, timedelta
from operator import attrgetter
from typing import Protocol

from scheduler import calendar, digest, query, slots
from scheduler.digest import Built
from scheduler.errors import QueryError
from scheduler.models import BatchState, Chat, Digest, Order, Schedule, Shortfall, Subscription
from scheduler.news import Day, News, build_for_chat
from scheduler.store import Store
from scheduler.store.due import ClosedSlot, DueChat
from scheduler.store.outbox import Edition, Issue, Plan

logger = logging.getLogger(__name__)

Render = Callable[[Chat, Digest, str], tuple[str, ...]]
"""`render(chat, digest, run_key)`: the finished parts of a digest, as the outbox keeps them.

They depend on nothing of the chat that makes it this one: not its key, its address on the platform, nor its title.
"""


class Words(Protocol):
    """Who makes TL;DRs and translations beside the planning (`scheduler.enriching`)."""

    def is_waited_for(self, store: Store, entry: DueChat, told: Digest, now: datetime) -> bool:
        """True while a slot that has come had better wait a little for the words of its digest."""

    def shortfall(self, store: Store, chat: Chat, told: Digest, now: datetime) -> Shortfall | None:
        """Why papers of the digest are not in the chat's language, None where all are."""


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

STEP = 500
NEW_IN_STEP = 20
"""Chats that are planned in one transaction, and digests that are made for them: some 30 ms in which nobody else uses
the store."""

SPREAD = timedelta(seconds=60)
A_SECOND = 29
"""Messages a second that a platform takes at least: chats that are due together are spread over as many seconds as
their digests need, at most over the minute that was asked for."""

_SHOWN = attrgetter(
    *(
        one.name
        for one in fields(Chat)
        if one.name not in ("key", "ref", "title", "state", "reason", "joined")
    )
)
_FOLLOWED = attrgetter(
    *(one.name for one in fields(Subscription) if one.name not in ("key", "chat", "owner", "since"))
)
"""All that is known of a chat or a subscription but what names it: a field that is added counts by itself."""

KEPT_DIGESTS = 64
KEPT_EDITIONS = 20_000
"""What a round remembers of digests, whole or as the outbox keeps them."""


@dataclass(slots=True)
class Round:
    """The slots to be planned or closed at one moment; `is_over` once all of them are.

    `place` is the last chat that was planned; the rest is what the steps of a round share.
    """

    now: datetime
    until: datetime
    is_settled: bool
    newest: date
    dates: tuple[date, ...]
    arrived: frozenset[date]
    revisions: Mapping[date, int]
    revision: int
    width: timedelta
    is_over: bool = False
    place: DueChat | None = None
    size: int = STEP
    made: int = 0
    days: dict[tuple[date, ...], Day] = field(default_factory=dict)
    slots: dict[tuple[Schedule, datetime], _Slot] = field(default_factory=dict)
    digests: dict[_Wish, Built] = field(default_factory=dict)
    editions: dict[tuple[object, ...], _Made] = field(default_factory=dict)

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

    def slot(self, schedule: Schedule, slot: datetime) -> _Slot:
        """What follows from a slot, worked out once for all chats that have it."""
        key = (schedule, slot)
        if key not in self.slots:
            self.slots[key] = _slot(schedule, slot, self.newest, self.now)
        return self.slots[key]


@dataclass(frozen=True, slots=True)
class _Slot:
    """A slot's run key and the next one that is not missed; whether this was, and for when a late digest was meant."""

    run_key: str
    next_slot: datetime
    is_missed: bool
    meant_for: datetime | None


def _slot(schedule: Schedule, slot: datetime, newest: date, now: datetime) -> _Slot:
    promised = max(slot, calendar.feed_due(newest))
    is_late = not schedule.at_announcement and now - promised > LATE
    is_missed = slots.is_missed(schedule, slot, now)
    following = slots.next_slot(schedule, slot if is_missed else now)
    while following <= now and slots.is_missed(schedule, following, now):
        following = slots.next_slot(schedule, following)
    return _Slot(slots.run_key(schedule, slot), following, is_missed, slot if is_late else None)


@dataclass(frozen=True, slots=True)
class _Made:
    """What came of a wish: an edition, nothing to tell (None), or a digest that had better wait for its words."""

    edition: Edition | None = None
    waits: bool = False


@dataclass(frozen=True, slots=True)
class _Wish:
    """All that the content of a chat's digest depends on: chats whose wishes are equal are told the same.

    `delivered` names the papers that it was told of before (`Outbox.delivered_among`); `taste` is the chat whose taste
    the order goes by, 0 where it goes by none.
    """

    dates: tuple[date, ...]
    subscriptions: tuple[tuple[object, ...], ...]
    mutes: tuple[str, ...]
    order: Order
    taste: int
    delivered: str
    told_until: date | None
    meant_for: datetime | None


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
    width = min(timedelta(seconds=store.due.count(until) // A_SECOND), SPREAD)
    revisions = store.revisions.of(dates)
    return Round(now, until, settled, newest, dates, frozenset(arrived), revisions, revision, width)


class Planner:
    """Plans what is due. It belongs to one store and to its thread; `news` may be shared with whoever reads there."""

    def __init__(self, render: Render, news: News | None = None, words: Words | None = None) -> None:
        self._render = render
        self._news = news or News()
        self._words = words

    def step(self, store: Store, came: Round) -> int:
        """Reads one day that is needed, or plans the next chats of a round; returns how many digests were planned.

        Where a transaction fails, the round goes on chat by chat, so that one keeps nobody else back. What could not
        be planned stays due.
        """
        before = came.place
        try:
            with store.writing():
                return self._step(store, came)
        except Exception:
            came.editions.clear()
            if came.size > 1:
                came.place, came.size = before, 1
                return 0
            named = came.place.chat.ref if came.place is not None else "a chat"
            logger.exception("the digest of %s could not be planned", named)
            came.is_over = came.place == before
            return 0

    def _step(self, store: Store, came: Round) -> int:
        entries = store.due.by(came.until, after=came.place, limit=came.size)
        # A slot that was stored more finely than a datetime is, by another hand, stands behind itself for ever.
        if not entries or entries[-1] == came.place:
            came.is_over = True
            return 0
        follows = store.members.followed([entry.chat.key for entry in entries])
        dates = {entry.chat.key: came.dates_for(entry, follows[entry.chat.key]) for entry in entries}
        if unread := self._news.unread(store, {day for own in dates.values() for day in own}):
            self._news.read_one(store, unread[-1])
            return 0
        came.place, came.made = entries[-1], 0
        for own in set(dates.values()) - set(came.days):
            came.days[own] = self._news.read(store, own)
        return self._plan(store, came, entries, follows, _wishes(store, came, entries, follows, dates))

    def _plan(
        self,
        store: Store,
        came: Round,
        entries: Sequence[DueChat],
        follows: Mapping[int, tuple[Subscription, ...]],
        wishes: Mapping[int, _Wish],
    ) -> int:
        keys = [entry.chat.key for entry in entries]
        planned = store.outbox.planned(keys, {_slot_of(came, entry).run_key for entry in entries})
        issues: list[Issue] = []
        closed: list[ClosedSlot] = []
        for entry in entries:
            chat, slot = entry.chat, _slot_of(came, entry)
            if slot.is_missed:
                closed.append(ClosedSlot(chat.key, slot.next_slot))
                continue
            if not came.is_settled:
                continue
            if (chat.key, slot.run_key) not in planned:
                try:
                    made = self._made(store, came, entry, wishes[chat.key], follows[chat.key])
                except Exception:
                    logger.exception("the digest of %s could not be planned", chat.ref)
                    continue
                if made.waits:
                    continue
                if made.edition is not None:
                    issues.append(Issue(chat.key, slot.run_key, made.edition, _leaves(came, chat)))
            closed.append(ClosedSlot(chat.key, slot.next_slot, came.newest, came.revision))
            if came.made >= NEW_IN_STEP:
                came.place = entry
                break
        store.outbox.issue(issues, came.now)
        store.due.close(closed)
        return len(issues)

    def _made(
        self, store: Store, came: Round, entry: DueChat, wish: _Wish, follows: tuple[Subscription, ...]
    ) -> _Made:
        """What this chat gets, made once for all that get the same."""
        key = (wish, entry.slot, *_look(entry.chat))
        if key not in came.editions:
            if len(came.editions) >= KEPT_EDITIONS:
                came.editions.clear()
            came.editions[key] = self._make(store, came, entry, wish, follows)
            came.made += 1
        return came.editions[key]

    def _make(
        self, store: Store, came: Round, entry: DueChat, wish: _Wish, follows: tuple[Subscription, ...]
    ) -> _Made:
        built = self._built(store, came, entry.chat, wish, follows)
        told = built.digest
        if not built.keys:
            if not entry.chat.schedule.says_nothing_new:
                return _Made()
            told = Digest((), 0, (), expected=calendar.next_day(came.now))
        elif self._words is not None:
            if self._words.is_waited_for(store, entry, told, came.now):
                return _Made(waits=True)
            told = replace(told, shortfall=self._words.shortfall(store, entry.chat, told, came.now))
        payloads = self._render(entry.chat, told, _slot_of(came, entry).run_key)
        newest = max(told.dates, default=None)
        return _Made(store.outbox.edition(digest.dump(told), payloads, built.keys, newest))

    def _built(
        self, store: Store, came: Round, chat: Chat, wish: _Wish, follows: tuple[Subscription, ...]
    ) -> Built:
        if wish not in came.digests:
            if len(came.digests) >= KEPT_DIGESTS:
                came.digests.clear()
            told = frozenset(int(key) for key in wish.delivered.split(",") if key)
            built = _capped(
                build_for_chat(store, chat, came.days[wish.dates], told, wish.told_until, follows)
            )
            came.digests[wish] = replace(built, digest=replace(built.digest, meant_for=wish.meant_for))
        return came.digests[wish]


def _look(chat: Chat) -> tuple[object, ...]:
    """What decides how a digest is shown in a chat, and whether it comes at all."""
    return chat.ref.platform, *_SHOWN(chat)


def _slot_of(came: Round, entry: DueChat) -> _Slot:
    return came.slot(entry.chat.schedule, entry.slot)


def _leaves(came: Round, chat: Chat) -> datetime:
    """When a chat's digest may leave: at its own place in the spread, but not in its quiet hours."""
    return slots.quiet_end(chat.schedule, came.now + slots.spread(chat.ref, came.width))


def _wishes(
    store: Store,
    came: Round,
    entries: Sequence[DueChat],
    follows: Mapping[int, tuple[Subscription, ...]],
    dates: Mapping[int, tuple[date, ...]],
) -> dict[int, _Wish]:
    """By chat, what it is to be told."""
    keys = [entry.chat.key for entry in entries]
    papers = [key for own in set(dates.values()) for key in came.days[own].candidates]
    delivered = store.outbox.delivered_among(keys, min(papers), max(papers)) if papers else {}
    mutes = store.mutes.of_each(keys)
    return {
        key: _Wish(
            dates[key],
            tuple(_content(one, dates[key]) for one in follows[key]),
            tuple(one.query for one in mutes.get(key, ())),
            entry.chat.order,
            key if entry.chat.order is Order.FOR_YOU else 0,
            delivered.get(key, ""),
            entry.last_date,
            _slot_of(came, entry).meant_for,
        )
        for key, entry in zip(keys, entries, strict=True)
    }


def _content(one: Subscription, dates: Sequence[date]) -> tuple[object, ...]:
    """A subscription without what makes no difference to the digest of these dates."""
    since = one.since if one.since is not None and dates and one.since > dates[0] else None
    return since, *_FOLLOWED(one)


def _capped(built: Built) -> Built:
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
    return _capped(build_for_chat(store, chat, day, delivered, told_until))


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


def enqueue_digests_if_due(
    store: Store, now: datetime, render: Render, categories: Iterable[str] = ()
) -> int:
    """Plans a whole round at `now`, and returns how many digests were planned."""
    planner, came, planned = Planner(render), round_at(store, now, categories), 0
    while not came.is_over:
        planned += planner.step(store, came)
    return planned


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
