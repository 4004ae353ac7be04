"""From the archive to planned deliveries: which papers a chat is told of, and when. Reads and writes the store only.

candidates | hits of each distinct query | digest.build per chat | render | outbox.enqueue
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Protocol

from scheduler import calendar, digest, enrich, query, slots, tastes
from scheduler.digest import Built, Candidate, Suits
from scheduler.errors import QueryError
from scheduler.matching import DayIndex
from scheduler.models import (
    Batch,
    BatchState,
    Chat,
    ChatKind,
    ChatState,
    Digest,
    Match,
    Order,
    Shortfall,
    Subscription,
)
from scheduler.store import Store
from scheduler.store.chats import DueChat
from scheduler.store.outbox import Plan

logger = logging.getLogger(__name__)

Render = Callable[[Chat, Digest, str], tuple[str, ...]]
"""`render(chat, digest, run_key)`: the finished parts of a digest, as the outbox keeps them."""


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
"""A slot missed by more is not made up for: its papers come with the next one."""


@dataclass(frozen=True, slots=True)
class Day:
    """The news of some announcement dates, and which of it each query finds."""

    candidates: tuple[Candidate, ...]
    announced: Mapping[date, int]
    hits: digest.Hits
    complete: bool | None
    arrived: frozenset[date] = frozenset()

    def since(self, first: date) -> Day:
        """The same news without what is older than `first`, but with the days that only now arrived."""
        kept = tuple(entry for entry in self.candidates if entry.date >= first or entry.date in self.arrived)
        return replace(self, candidates=kept)


_NOTHING = Day((), {}, {}, complete=True)


@dataclass(frozen=True, slots=True)
class Round:
    """The slots to be planned at one moment, and the news for all of them."""

    due: tuple[DueChat, ...]
    day: Day


def read_day(store: Store, dates: Sequence[date], queries: Iterable[str], today: date) -> Day:
    """The news of `dates` matched with every query (canonical texts); `complete` is as in `Digest`."""
    candidates = _candidates(store, dates)
    types = store.archive.types([entry.key for entry in candidates])
    index = DayIndex(
        [(entry.paper, entry.wordings) for entry in candidates],
        types=[types[entry.key] for entry in candidates],
    )
    hits = {text: _hits(index, candidates, text, today) for text in set(queries)}
    batches = [batch for day in dates for batch in store.archive.batches(day)]
    whole = _is_whole(batches)
    return Day(candidates, {day: store.archive.announced(day) for day in dates}, hits, whole)


def queries_of(store: Store, chat: Chat) -> frozenset[str]:
    """Everything that a day is matched with for a chat: what it follows and what it mutes."""
    follows = {one.query for one in store.chats.subscriptions(chat.key)}
    return frozenset(follows | {one.query for one in store.mutes.of(chat.key)})


def muted(store: Store, chat: Chat, day: Day) -> frozenset[int]:
    """The papers (keys) of a day that the chat never wants to be told of; the day was matched with `queries_of` it."""
    return frozenset(key for one in store.mutes.of(chat.key) for key in day.hits.get(one.query, ()))


def _is_whole(batches: Sequence[Batch]) -> bool | None:
    """Whether these days are all there: None when that was not checked against arXiv's own count."""
    if not all(batch.state in (BatchState.FRESH, BatchState.QUIET) for batch in batches):
        return False
    counted = [batch for batch in batches if batch.state is BatchState.FRESH]
    return True if all(batch.declared is not None or batch.declared_counts for batch in counted) else None


def _candidates(store: Store, dates: Sequence[date]) -> tuple[Candidate, ...]:
    entries = [entry for day in sorted(dates, reverse=True) for entry in store.archive.day(day)]
    seen: set[int] = set()
    chosen: list[Candidate] = []
    for entry in entries:
        if entry.key not in seen:
            seen.add(entry.key)
            place = len(chosen)
            chosen.append(
                Candidate(entry.key, entry.paper, entry.announce_type, entry.date, entry.wordings, place)
            )
    return tuple(chosen)


def _hits(index: DayIndex, candidates: Sequence[Candidate], text: str, today: date) -> dict[int, Match]:
    try:
        parsed = query.parse(text)
    except QueryError as error:
        logger.error("a saved query cannot be read any more: %s", error)
        return {}
    return {candidates[place].key: match for place, match in index.hits(parsed, today=today).items()}


def build_for(
    day: Day,
    subscriptions: Sequence[Subscription],
    *,
    delivered: frozenset[int] = frozenset(),
    told_until: date | None = None,
    order: Order = Order.TITLE_FIRST,
    suits: Suits | None = None,
) -> Built:
    """One chat's digest of a day that `read_day` read; `order` and `suits` are as in `digest.build`."""
    built = digest.build(
        day.candidates,
        day.hits,
        subscriptions,
        announced=day.announced,
        delivered=delivered,
        told_until=told_until,
        complete=day.complete,
        order=order,
        suits=suits,
    )
    return replace(built, digest=_with_tldrs(built.digest))


def build_for_chat(
    store: Store,
    chat: Chat,
    day: Day,
    delivered: frozenset[int] = frozenset(),
    told_until: date | None = None,
    subscriptions: Sequence[Subscription] | None = None,
) -> Built:
    """A chat's digest of a day that was matched with `queries_of` it: without what it mutes, in its own order.

    `subscriptions` stand for those that the store has.
    """
    return build_for(
        day,
        store.chats.subscriptions(chat.key) if subscriptions is None else subscriptions,
        delivered=delivered | muted(store, chat, day),
        told_until=told_until,
        order=chat.order,
        suits=_suits(store, chat, day) if chat.order is Order.FOR_YOU else None,
    )


def _suits(store: Store, chat: Chat, day: Day) -> Suits | None:
    """How the papers that the chat's queries find suit it. Many read along in a group: nothing is said of why."""
    found = {key for one in store.chats.subscriptions(chat.key) for key in day.hits.get(one.query, ())}
    candidates = [entry for entry in day.candidates if entry.key in found]
    return tastes.suits(store, chat, candidates, explained=chat.kind is ChatKind.PRIVATE)


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


def plan(
    store: Store, chat: Chat, day: Day, run_key: str, render: Render, now: datetime, told_until: date | None
) -> bool:
    """Enqueues the chat's digest of `day` under `run_key`; False when there is nothing (new) to tell."""
    return _enqueue(store, chat, told_of(store, chat, day, told_until), run_key, render, now)


def told_of(store: Store, chat: Chat, day: Day, told_until: date | None) -> Built:
    """What a chat would be told of `day` now: one that is about several dates is capped."""
    delivered = store.outbox.delivered(chat.key, (entry.key for entry in day.candidates))
    built = build_for_chat(store, chat, day, delivered, told_until)
    return digest.capped(built, MOST_MERGED) if len(built.digest.dates) > 1 else built


def _enqueue(
    store: Store,
    chat: Chat,
    built: Built,
    run_key: str,
    render: Render,
    now: datetime,
    words: Words | None = None,
) -> bool:
    if not built.keys:
        return False
    told = built.digest
    if words is not None:
        told = replace(told, shortfall=words.shortfall(store, chat, told, now))
    payloads = render(chat, told, run_key)
    newest = max(told.dates)
    return store.outbox.enqueue(Plan(chat, run_key, digest.dump(told), payloads, built.keys, newest), now)


def preview(store: Store, chat: Chat, now: datetime) -> Built:
    """The digest that the chat's slot would get at `now`; nothing is written."""
    entry = store.chats.slot_of(chat.key)
    if entry is None:
        return Built(Digest((), 0, ()), ())
    return coming_digest(store, entry, _recent_day(store, (entry,), now), now)


def coming(store: Store, now: datetime) -> Round:
    """The slots of the next day, soonest first, with the news that is known for them now."""
    due = store.chats.due(now + COMING)
    return Round(due, _recent_day(store, due, now) if due else _NOTHING)


def coming_digest(store: Store, entry: DueChat, day: Day, now: datetime) -> Built:
    """What a slot of `coming` would be told if it were now; nothing is written."""
    news = day.since(_first_date(entry, newest_day(store, now)))
    return told_of(store, entry.chat, news, entry.last_date)


def enqueue_digests_if_due(
    store: Store, now: datetime, render: Render, categories: Iterable[str] = ()
) -> int:
    """Plans the digest of every chat whose slot has come, and returns how many were planned.

    A slot stays open while its day's categories are not all there, then closes for good: once per local day. A slot
    that was missed by more than `LATEST` closes without a digest, and its papers come with the next one.
    """
    came = round_of(store, now, categories)
    return sum(plan_slot(store, entry, came.day, render, now) for entry in came.due)


def round_of(store: Store, now: datetime, categories: Iterable[str] = ()) -> Round:
    """The slots that can be planned or closed at `now`, with the news of the last days for them."""
    names = tuple(categories)
    due = store.chats.due(now)
    missed = tuple(entry for entry in due if now - entry.slot > LATEST)
    if len(missed) == len(due) or not is_settled(store, now, names):
        return Round(missed, _NOTHING)
    if is_catching_up(store, now, names):
        due = tuple(entry for entry in due if now - entry.slot > CATCH_UP_PATIENCE)
    if not due:
        return Round((), _NOTHING)
    return Round(due, _recent_day(store, due, now))


def plan_slot(
    store: Store, entry: DueChat, day: Day, render: Render, now: datetime, words: Words | None = None
) -> bool:
    """Plans one slot of a round and closes it; True when a digest was enqueued.

    A slot whose words are still waited for stays open.

    Between the round and this call anything may have happened to the chat: a slot that was moved meanwhile is left
    alone. A digest that cannot be made stays due, and keeps nobody else's back.
    """
    try:
        with store.writing():
            return _plan_slot(store, entry, day, render, now, words)
    except Exception:
        logger.exception("the digest of %s could not be planned", entry.chat.ref)
        return False


def _plan_slot(
    store: Store, entry: DueChat, day: Day, render: Render, now: datetime, words: Words | None
) -> bool:
    chat = store.chats.get(entry.chat.key)
    if chat is None or chat.state is not ChatState.ACTIVE:
        return False
    if store.chats.next_digest(chat.key) != entry.slot:
        return False
    run_key = slots.run_key(chat.schedule, entry.slot)
    is_missed = now - entry.slot > LATEST
    newest = newest_day(store, now)
    done = False
    if not is_missed:
        built = told_of(store, chat, day.since(_first_date(entry, newest)), entry.last_date)
        if words is not None and words.is_waited_for(store, entry, built.digest, now):
            return False
        done = _enqueue(store, chat, built, run_key, render, now, words)
    store.chats.slot_done(chat, now, None if is_missed else newest)
    return done


def _first_date(entry: DueChat, newest: date) -> date:
    """The oldest date that a chat may still have to be told of."""
    known = [day for day in (entry.planned_until, entry.last_date) if day is not None]
    return max(max(known, default=newest) - LOOK_BACK, newest - FARTHEST)


def _recent_day(store: Store, due: Sequence[DueChat], now: datetime) -> Day:
    newest = newest_day(store, now)
    first = min(_first_date(entry, newest) for entry in due)
    arrived = store.archive.arrived(newest - FARTHEST, newest, now - LOOK_BACK)
    queries = {text for entry in due for text in queries_of(store, entry.chat)}
    dates = sorted({*store.archive.dates(first, newest), *arrived})
    return replace(read_day(store, dates, queries, now.date()), arrived=frozenset(arrived))


def newest_day(store: Store, now: datetime) -> date:
    """The newest date that is expected to be out, or that is out although it was not: a holiday with news."""
    possible = calendar.possible_day(now)
    if any(batch.received for batch in store.archive.batches(possible)):
        return possible
    return calendar.newest_day(now)


def is_settled(store: Store, now: datetime, categories: Iterable[str]) -> bool:
    """True when every category's newest announcement is there, or has been waited for long enough."""
    newest = newest_day(store, now)
    if now - calendar.announced_at(newest) > SETTLE:
        return True
    states = {batch.category: batch.state for batch in store.archive.batches(newest)}
    return all(states.get(category) in (BatchState.FRESH, BatchState.QUIET) for category in categories)


def is_catching_up(store: Store, now: datetime, categories: Iterable[str]) -> bool:
    """True while earlier days of these categories are known to be missing and were never asked for yet.

    False once one of them could not be had: then nobody waits, and the rest comes as late.
    """
    names = frozenset(categories)
    newest = calendar.possible_day(now)
    unsettled = store.archive.unsettled(newest - FARTHEST, newest - timedelta(days=1))
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
