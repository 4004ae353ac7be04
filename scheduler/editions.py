"""A round of digests, planned for many at once: chats that are told the same get one edition.

rows of due chats | what differs between them | one digest and its parts for all that do not | outbox, next slots

A round is planned in steps, each a transaction of many chats, so that people are answered in between and the first
digests leave at once.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime, timedelta
from operator import attrgetter
from typing import Protocol

from scheduler import calendar, digest, slots
from scheduler.collecting import without_collecting
from scheduler.digest import Built
from scheduler.models import Chat, Digest, Order, Schedule, Shortfall, Subscription
from scheduler.news import Day, News, build_for_chat
from scheduler.planning import Render, Round, Slot, capped
from scheduler.store import Store
from scheduler.store.due import DueChat, DueRow
from scheduler.store.outbox import Edition, Issue
from scheduler.store.rows import day_keys

logger = logging.getLogger(__name__)


class Words(Protocol):
    """Who makes TL;DRs and translations beside the planning (`scheduler.enriching`)."""

    def is_waited_for(self, store: Store, entry: DueChat, told: Digest, now: datetime) -> bool:
        """True while a slot that has come had better wait a little for the words of its digest."""

    def shortfall(self, store: Store, chat: Chat, told: Digest, now: datetime) -> Shortfall | None:
        """Why papers of the digest are not in the chat's language, None where all are."""


FIRST_STEP = 50
STEP = 2000
NEW_IN_STEP = 20
"""Chats that are planned in one transaction, at first and at most, and digests that are made for them: some 30 ms in
which nobody else uses the store."""

MARGIN = timedelta(days=3)
"""A run that told of a paper was not planned longer before the paper's date: that begins in New York's evening."""

KEPT_DIGESTS = 64
KEPT_EDITIONS = 20_000
"""What a round remembers of digests, whole or as the outbox keeps them."""


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


@dataclass(frozen=True, slots=True)
class _Made:
    """What came of a wish: an edition, nothing to tell (None), or a digest that had better wait for its words."""

    edition: Edition | None = None
    waits: bool = False


@dataclass(frozen=True, slots=True)
class _Wish:
    """All that the content of a chat's digest depends on: chats whose wishes are equal are told the same.

    `delivered` are the papers of these dates that it was told of before; `taste` is the chat whose taste
    the order goes by, 0 where it goes by none.
    """

    dates: tuple[date, ...]
    subscriptions: tuple[tuple[object, ...], ...]
    mutes: tuple[str, ...]
    order: Order
    taste: int
    delivered: frozenset[int]
    told_until: date | None
    meant_for: datetime | None


@dataclass(frozen=True, slots=True, eq=False)
class _Span:
    """What follows from a chat's slot, settings and subscriptions: the dates that it may not know, and the run key from
    which on its runs may have told of their papers. `number` stands for these three in a round."""

    number: int
    dates: tuple[date, ...]
    since: str
    slot: Slot
    schedule: Schedule
    is_of_its_own: bool


_Group = tuple[int, tuple[str, ...], tuple[int, ...], int]
"""What the chats have in common that get one edition: their span's number, what they mute, the lists of what they were
told of, and the chat's own key where its taste makes it the only one."""


@dataclass(slots=True)
class Work:
    """A round on its way: the place of the last chat that was planned, and what its steps share."""

    round: Round
    is_over: bool = False
    place: tuple[float, int] = (0.0, 0)
    size: int = FIRST_STEP
    is_careful: bool = False
    made: int = 0
    issued: int = 0
    numbered: int = 0
    days: dict[tuple[date, ...], Day] = field(default_factory=dict)
    before: dict[tuple[date, ...], tuple[int, ...]] = field(default_factory=dict)
    spans: dict[tuple[object, ...], _Span] = field(default_factory=dict)
    groups: dict[_Group, _Made] = field(default_factory=dict)
    digests: dict[_Wish, Built] = field(default_factory=dict)
    editions: dict[tuple[object, ...], _Made] = field(default_factory=dict)


class Planner:
    """Plans what is due. It belongs to one store and to its thread; `news` may be shared with whoever reads there."""

    def __init__(self, render: Render, news: News | None = None, words: Words | None = None) -> None:
        self._render = render
        self._news = news or News()
        self._words = words

    def step(self, store: Store, work: Work) -> int:
        """Reads one day that is needed, or plans the next chats of a round; returns how many digests were planned.

        Where a transaction fails, the round goes on chat by chat, so that one keeps nobody else back. What could not
        be planned stays due.
        """
        before = work.place
        try:
            with without_collecting(), store.writing():
                return self._step(store, work)
        except Exception:
            # What was made in the transaction is not in the outbox.
            work.groups.clear()
            work.editions.clear()
            if not work.is_careful:
                work.place, work.is_careful = before, True
                return 0
            logger.exception("the digest of %s could not be planned", _named(store, work))
            work.is_over = work.place == before
            return 0

    def _step(self, store: Store, work: Work) -> int:
        rows = store.due.rows(work.round.until, after=work.place, limit=1 if work.is_careful else work.size)
        if not rows:
            work.is_over = True
            return 0
        outlines = store.members.outlines([row.key for row in rows])
        cases: list[tuple[DueRow, _Span]] = []
        for row in rows:
            known = (row.slot, row.platform, row.look, outlines.get(row.key, ()))
            span = work.spans.get(known) or self._span(store, work, row, known)
            if span is None:
                return 0
            cases.append((row, span))
        if work.is_careful:
            work.place = (rows[0].slot, rows[0].key)
        return self._plan(store, work, cases)

    def _span(self, store: Store, work: Work, row: DueRow, known: tuple[object, ...]) -> _Span | None:
        """Works out a chat's span; None where a day had to be read for it, which is enough for one step."""
        entry = _entry(store, row)
        dates = work.round.dates_for(entry, store.members.followed_in(row.key))
        if unread := self._news.unread(store, dates):
            self._news.read_one(store, unread[-1])
            return None
        if dates not in work.days:
            work.days[dates] = self._news.read(store, dates)
            work.before[dates] = _lists_before(store, work.days[dates])
        if len(work.spans) >= KEPT_EDITIONS:
            work.spans.clear()
        work.numbered += 1
        span = work.spans[known] = _span(work, entry, dates)
        return span

    def _plan(self, store: Store, work: Work, cases: Sequence[tuple[DueRow, _Span]]) -> int:
        keys = [row.key for row, _ in cases]
        recent = store.outbox.recent(keys, min(span.since for _, span in cases))
        before = {key for dates in {span.dates for _, span in cases} for key in work.before[dates]}
        older = store.outbox.lists.who_got(keys, sorted(before))
        mutes = {chat: tuple(one.query for one in muted) for chat, muted in store.mutes.of_each(keys).items()}
        issues: list[Issue] = []
        closed: dict[tuple[Slot, date | None], list[int]] = {}
        work.made, row = 0, cases[0][0]
        for row, span in cases:
            slot, runs, newest = span.slot, recent.get(row.key, ()), None
            if not slot.is_missed and not work.round.is_settled:
                continue
            if not slot.is_missed and all(run.run_key != slot.run_key for run in runs):
                told = older.get(row.key, ())
                if runs:
                    told = (*(run.told for run in runs if run.told and run.run_key >= span.since), *told)
                muted = mutes.get(row.key, ())
                known = (span.number, muted, told, row.key if span.is_of_its_own else 0)
                made = work.groups.get(known) or self._group(store, work, row, span, known)
                if made is None or made.waits:
                    continue
                if made.edition is not None:
                    newest = made.edition.newest
                    issues.append(Issue(row.key, slot.run_key, made.edition, _leaves(work, span.schedule)))
            closed.setdefault((slot, newest), []).append(row.key)
            if work.made >= NEW_IN_STEP:
                break
        work.place = (row.slot, row.key)
        work.size = FIRST_STEP if work.made >= NEW_IN_STEP else min(work.size * 2, STEP)
        store.outbox.issue(issues, work.round.now)
        for (slot, newest), chats in closed.items():
            _close(store, work.round, slot, chats, newest)
        return len(issues)

    def _group(
        self,
        store: Store,
        work: Work,
        row: DueRow,
        span: _Span,
        known: _Group,
    ) -> _Made | None:
        """What all chats of a group get, which do not differ from this one; None where that cannot be said now."""
        entry, follows = _entry(store, row), store.members.followed_in(row.key)
        _, muted, told, _ = known
        try:
            wish = _wish(store, work, entry, span, follows, muted, told)
            made = self._made(store, work, entry, wish, follows)
        except Exception:
            logger.exception("the digest of %s could not be planned", entry.chat.ref)
            return None
        if len(work.groups) >= KEPT_EDITIONS:
            work.groups.clear()
        work.groups[known] = made
        return made

    def _made(
        self, store: Store, work: Work, entry: DueChat, wish: _Wish, follows: tuple[Subscription, ...]
    ) -> _Made:
        """What this chat gets, made once for all that get the same."""
        key = (wish, entry.slot, *_look(entry.chat))
        if key not in work.editions:
            if len(work.editions) >= KEPT_EDITIONS:
                work.editions.clear()
            work.editions[key] = self._make(store, work, entry, wish, follows)
            work.made += 1
        return work.editions[key]

    def _make(
        self, store: Store, work: Work, entry: DueChat, wish: _Wish, follows: tuple[Subscription, ...]
    ) -> _Made:
        built = self._built(store, work, entry.chat, wish, follows)
        told = built.digest
        if not built.keys:
            if not entry.chat.schedule.says_nothing_new:
                return _Made()
            told = Digest((), 0, (), expected=calendar.next_day(work.round.now))
        elif self._words is not None:
            if self._words.is_waited_for(store, entry, told, work.round.now):
                return _Made(waits=True)
            told = replace(told, shortfall=self._words.shortfall(store, entry.chat, told, work.round.now))
        payloads = self._render(entry.chat, told, work.round.slot(entry.chat.schedule, entry.slot).run_key)
        newest = max(told.dates, default=None)
        return _Made(store.outbox.edition(digest.dump(told), payloads, built.keys, newest))

    def _built(
        self, store: Store, work: Work, chat: Chat, wish: _Wish, follows: tuple[Subscription, ...]
    ) -> Built:
        if wish not in work.digests:
            if len(work.digests) >= KEPT_DIGESTS:
                work.digests.clear()
            built = capped(
                build_for_chat(store, chat, work.days[wish.dates], wish.delivered, wish.told_until, follows)
            )
            work.digests[wish] = replace(built, digest=replace(built.digest, meant_for=wish.meant_for))
        return work.digests[wish]


def _named(store: Store, work: Work) -> str:
    chat = store.chats.get(work.place[1])
    return str(chat.ref) if chat is not None else "a chat"


def _entry(store: Store, row: DueRow) -> DueChat:
    entry = store.due.of(row.key)
    assert entry is not None
    return entry


def _span(work: Work, entry: DueChat, dates: tuple[date, ...]) -> _Span:
    came = work.round
    slot = came.slot(entry.chat.schedule, entry.slot)
    first = [str(min(day, came.now.date()) - MARGIN) for day in dates[:1]]
    is_of_its_own = entry.chat.order is Order.FOR_YOU
    return _Span(work.numbered, dates, min(slot.run_key, *first), slot, entry.chat.schedule, is_of_its_own)


def _lists_before(store: Store, day: Day) -> tuple[int, ...]:
    """The lists with papers that were announced before these dates already, and come again: as cross-lists, mostly.

    Whoever got one of them got it in a run that may be years old.
    """
    if not day.days:
        return ()
    first, _ = day_keys(min(day.days))
    return store.outbox.lists.with_any_of(key for key in day.candidates if key < first)


def _close(store: Store, came: Round, slot: Slot, chats: Sequence[int], newest: date | None) -> None:
    if slot.is_missed:
        store.due.close(chats, slot.next_slot)
    else:
        store.due.close(chats, slot.next_slot, came.newest, came.revision, told_of=newest)


def _look(chat: Chat) -> tuple[object, ...]:
    """What decides how a digest is shown in a chat, and whether it comes at all."""
    return chat.ref.platform, *_SHOWN(chat)


def _leaves(work: Work, schedule: Schedule) -> float:
    """When the next digest may leave: chats that are due together one after the other, but none in its quiet hours."""
    came = work.round
    moment = came.now.timestamp() + came.width * min(work.issued / max(came.count, 1), 1)
    work.issued += 1
    if schedule.quiet is None:
        return moment
    return slots.quiet_end(schedule, slots.moment(moment)).timestamp()


def _wish(
    store: Store,
    work: Work,
    entry: DueChat,
    span: _Span,
    follows: Sequence[Subscription],
    muted: tuple[str, ...],
    told: Sequence[int],
) -> _Wish:
    """What a chat is to be told."""
    return _Wish(
        span.dates,
        tuple(_content(one, span.dates) for one in follows),
        muted,
        entry.chat.order,
        entry.chat.key if span.is_of_its_own else 0,
        store.outbox.lists.papers_of(told).intersection(work.days[span.dates].candidates),
        entry.last_date,
        span.slot.meant_for,
    )


def _content(one: Subscription, dates: Sequence[date]) -> tuple[object, ...]:
    """A subscription without what makes no difference to the digest of these dates."""
    since = one.since if one.since is not None and dates and one.since > dates[0] else None
    return since, *_FOLLOWED(one)
