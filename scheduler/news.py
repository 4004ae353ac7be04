"""The news of announcement dates: each date is read and indexed once, until something of it changes.

    dates | read (papers, words, types) | index | find: the hits of a query, with why

A chat's digest takes from them what it follows and what it was not told of (`build_for`).
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from scheduler import digest, enrich, query, tastes
from scheduler.digest import Built, Candidate, Suits
from scheduler.errors import QueryError
from scheduler.matching import DayIndex
from scheduler.models import Batch, BatchState, Chat, ChatKind, Digest, Match, Order, Subscription
from scheduler.store import Store

logger = logging.getLogger(__name__)

KEPT_DAYS = 8
"""So many dates stay indexed between two questions: a week and the newest one."""

KEPT_HITS = 2000
"""Queries whose hits a day remembers; many chats follow the same."""

MOST_A_DAY = 1_000_000
"""More papers than any day has: the place of a paper orders it among those of all dates, newest date first."""


@dataclass(frozen=True, slots=True)
class _OneDay:
    """One announcement date, ready to be asked: its papers by place, and how many were news."""

    revision: int
    candidates: Mapping[int, Candidate]
    keys: tuple[int, ...]
    index: DayIndex
    announced: int


@dataclass(frozen=True, slots=True)
class Day:
    """The news of some announcement dates, each paper once, under its newest one. `complete` is as in `Digest`."""

    days: Mapping[date, _OneDay]
    candidates: Mapping[int, Candidate]
    complete: bool | None
    _found: dict[str, Mapping[int, Match]] = field(default_factory=dict)

    @property
    def announced(self) -> dict[date, int]:
        """How many papers were news on each date."""
        return {day: one.announced for day, one in self.days.items()}

    def find(self, text: str) -> Mapping[int, Match]:
        """The papers (keys) that a query (canonical text) finds, and why; none where it cannot be read any more."""
        known = self._found.get(text)
        if known is None:
            if len(self._found) >= KEPT_HITS:
                self._found.clear()
            known = self._found[text] = self._hits(text)
        return known

    def _hits(self, text: str) -> Mapping[int, Match]:
        found: dict[int, Match] = {}
        try:
            if not any(one.index.mask_of(text) for one in self.days.values()):
                return found
            parsed = query.parse(text)
        except QueryError as error:
            logger.error("a saved query cannot be read any more: %s", error)
            return found
        for one in self.days.values():
            # The newest date comes last here, so that its reason stands.
            found |= {one.keys[place]: match for place, match in one.index.hits(parsed).items()}
        return found


class News:
    """What `Day`s are made of, kept between questions. One instance belongs to one store, and to its thread."""

    def __init__(self) -> None:
        self._days: OrderedDict[date, _OneDay] = OrderedDict()

    def unread(self, store: Store, dates: Iterable[date]) -> list[date]:
        """Those of `dates` that are not read yet, or changed since."""
        revisions = store.revisions.of(dates)
        return [
            day
            for day, revision in sorted(revisions.items())
            if day not in self._days or self._days[day].revision != revision
        ]

    def read(self, store: Store, dates: Collection[date]) -> Day:
        """The news of `dates`; only what changed since the last time is read again."""
        for day in self.unread(store, dates):
            self.read_one(store, day)
        for day in sorted(dates):
            self._days.move_to_end(day)
        while len(self._days) > max(KEPT_DAYS, len(dates)):
            self._days.popitem(last=False)
        days = {day: self._days[day] for day in sorted(set(dates))}
        candidates: dict[int, Candidate] = {}
        for one in days.values():
            candidates |= one.candidates
        batches = [batch for day in days for batch in store.batches.on(day)]
        return Day(days, candidates, _is_whole(batches))

    def read_one(self, store: Store, day: date) -> None:
        """Reads and indexes one date."""
        revision = store.revisions.of([day])[day]
        entries = store.archive.day(day)
        first = -day.toordinal() * MOST_A_DAY
        candidates = {
            one.key: Candidate(one.key, one.paper, one.announce_type, day, one.wordings, first + place)
            for place, one in enumerate(entries)
        }
        types = store.archive.types(list(candidates))
        index = DayIndex(
            [(one.paper, one.wordings) for one in entries], types=[types[one.key] for one in entries]
        )
        self._days[day] = _OneDay(
            revision, candidates, tuple(candidates), index, store.archive.announced(day)
        )


def read_day(store: Store, dates: Collection[date]) -> Day:
    """The news of `dates`, read for one question alone."""
    return News().read(store, dates)


def _is_whole(batches: Sequence[Batch]) -> bool | None:
    """Whether these days are all there: None when that was not checked against arXiv's own count."""
    if not all(batch.state in (BatchState.FRESH, BatchState.QUIET) for batch in batches):
        return False
    counted = [batch for batch in batches if batch.state is BatchState.FRESH]
    return True if all(batch.declared is not None or batch.declared_counts for batch in counted) else None


def muted(store: Store, chat: Chat, day: Day) -> frozenset[int]:
    """The papers (keys) of a day that the chat never wants to be told of."""
    return frozenset(key for one in store.mutes.of(chat.key) for key in day.find(one.query))


def build_for_chat(
    store: Store,
    chat: Chat,
    day: Day,
    delivered: frozenset[int] = frozenset(),
    told_until: date | None = None,
    subscriptions: Sequence[Subscription] | None = None,
) -> Built:
    """A chat's digest of a day: without what it mutes, in its own order.

    `subscriptions` stand for those that the store has.
    """
    follows = store.members.followed_in(chat.key) if subscriptions is None else subscriptions
    hits = {one.query: day.find(one.query) for one in follows}
    return build_for(
        day,
        follows,
        hits=hits,
        delivered=delivered | muted(store, chat, day),
        told_until=told_until,
        order=chat.order,
        suits=_suits(store, chat, day, hits) if chat.order is Order.FOR_YOU else None,
    )


def _suits(store: Store, chat: Chat, day: Day, hits: digest.Hits) -> Suits | None:
    """How the papers that the chat's queries find suit it. Many read along in a group: nothing is said of why."""
    found = {key for own in hits.values() for key in own}
    candidates = [day.candidates[key] for key in sorted(found)]
    return tastes.suits(store, chat, candidates, explained=chat.kind is ChatKind.PRIVATE)


def build_for(
    day: Day,
    subscriptions: Sequence[Subscription],
    *,
    hits: digest.Hits | None = None,
    delivered: frozenset[int] = frozenset(),
    told_until: date | None = None,
    order: Order = Order.TITLE_FIRST,
    suits: Suits | None = None,
) -> Built:
    """The digest of a day for these subscriptions; `hits` stand for what their queries find.

    `order` and `suits` are as in `digest.build`.
    """
    built = digest.build(
        day.candidates,
        {one.query: day.find(one.query) for one in subscriptions} if hits is None else hits,
        subscriptions,
        announced=day.announced,
        delivered=delivered,
        told_until=told_until,
        complete=day.complete,
        order=order,
        suits=suits,
    )
    return replace(built, digest=_with_tldrs(built.digest))


def _with_tldrs(shown: Digest) -> Digest:
    """The digest with a TL;DR for every paper: made for those that are told of, not for all that were announced."""
    sections = tuple(
        replace(
            section,
            papers=tuple(
                replace(one, wordings=enrich.complete(one.paper, one.wordings)) for one in section.papers
            ),
        )
        for section in shown.sections
    )
    return replace(shown, sections=sections)
