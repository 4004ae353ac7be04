"""Fills the archive with a category's older papers, for search: without announcements, so nobody is told of them.

Two ways: the query API by days of submission, in slices, and OAI-PMH by days of change. Both keep their place in the
store's notes and go on from there: the API's as the days that are done, OAI-PMH's as the newest datestamp.

days asked for − days done | slices | paging.search | store.archive | note the days
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial

from scheduler.errors import SourceError, SourceThrottled, SourceUnavailable
from scheduler.models import Paper, ParsedFeed
from scheduler.sources import paging
from scheduler.sources.http import SourceClient
from scheduler.store import Store
from scheduler.store.thread import StoreThread

SLICE = timedelta(days=7)
STILL_COMING = timedelta(days=14)
"""Moderation holds papers for days (arXiv help, "Submission schedule"): younger days are never done for good."""
TRIES = 5
FIRST_PAUSE = 30.0
LONGEST_PAUSE = 900.0
"""Seconds; a source that wants to be left alone for longer ends the backfill, which goes on the next time."""
DAY = timedelta(days=1)

Days = tuple[date, date]
"""The first and the last of some days, both included."""
logger = logging.getLogger(__name__)

Sleep = Callable[[float], Awaitable[None]]
Say = Callable[[SourceError, float], None]
"""`say(error, seconds)`: a source has failed, and is asked again after so many seconds."""


def _log(error: SourceError, seconds: float) -> None:
    logger.warning("%s; asked again in %.0f s", error, seconds)


@dataclass(frozen=True, slots=True)
class Step:
    """What one step of a backfill brought: `received` papers of `declared` (None: not stated), `added` of them new to
    the archive. `done` of `total` days are behind it (total 0: not known)."""

    days: Days
    received: int
    declared: int | None
    added: int
    done: int
    total: int

    @property
    def is_whole(self) -> bool:
        """False when the source stated more papers than it gave."""
        return self.declared is None or self.received >= self.declared


def joined(days: Iterable[Days]) -> tuple[Days, ...]:
    """The same days as few spans, in order."""
    spans: list[Days] = []
    for first, last in sorted(days):
        if spans and first <= spans[-1][1] + DAY:
            spans[-1] = (spans[-1][0], max(last, spans[-1][1]))
        else:
            spans.append((first, last))
    return tuple(spans)


def missing(wanted: Days, done: Iterable[Days]) -> tuple[Days, ...]:
    """The days of `wanted` that are not in `done`."""
    left: list[Days] = []
    begin, end = wanted
    for first, last in joined(done):
        if last < begin or first > end:
            continue
        if first > begin:
            left.append((begin, first - DAY))
        begin = max(begin, last + DAY)
    return (*left, (begin, end)) if begin <= end else tuple(left)


def slices(spans: Iterable[Days], size: timedelta = SLICE) -> tuple[Days, ...]:
    """Spans cut into pieces of at most `size`."""
    pieces: list[Days] = []
    for first, last in spans:
        begin = first
        while begin <= last:
            pieces.append((begin, min(begin + size - DAY, last)))
            begin += size
    return tuple(pieces)


def days_of(spans: Iterable[Days]) -> int:
    """How many days spans have."""
    return sum((last - first).days + 1 for first, last in spans)


def done_days(store: Store, category: str) -> tuple[Days, ...]:
    """The days of a category that were backfilled before, as spans."""
    with suppress(ValueError, TypeError):
        read = json.loads(store.notes.get(_note(category), "[]"))
        return joined((date.fromisoformat(first), date.fromisoformat(last)) for first, last in read)
    return ()


def _note(category: str) -> str:
    return f"backfill:{category}"


async def backfill(
    client: SourceClient,
    store: StoreThread,
    category: str,
    wanted: Days,
    now: datetime,
    sleep: Sleep = asyncio.sleep,
    say: Say = _log,
) -> AsyncIterator[Step]:
    """Fetches the papers submitted on the wanted days that were not fetched before; a step for each slice.

    Stopped at any point, it goes on with the same slice the next time. Raises SourceError once a source has failed
    for good.
    """
    before = await store.call(lambda store: done_days(store, category))
    pending = list(slices(missing(wanted, before)))
    total, done = days_of(pending), 0
    while pending:
        days = pending.pop(0)
        try:
            feed = await _patiently(client, category, days, sleep, say)
        except paging.TooManyResults:
            if days[0] == days[1]:
                raise
            middle = days[0] + (days[1] - days[0]) // 2
            pending[:0] = [(days[0], middle), (middle + DAY, days[1])]
            continue
        done += days_of([days])
        archive = partial(_archive, feed=feed, category=category, days=days, now=now)
        added = await store.call(archive)
        yield Step(days, len(feed.papers), feed.declared, added, done, total)


async def _patiently(client: SourceClient, category: str, days: Days, sleep: Sleep, say: Say) -> ParsedFeed:
    query = paging.submitted_in(category, *days)
    for attempt in range(TRIES):
        try:
            return await paging.search(client, query)
        except (SourceThrottled, SourceUnavailable) as error:
            await _wait_for(error, attempt, sleep, say)
    return await paging.search(client, query)


async def _wait_for(error: SourceError, attempt: int, sleep: Sleep, say: Say) -> None:
    """Waits as long as the source said, or longer each time; raises `error` when that is too long."""
    told = error.retry_after if isinstance(error, SourceThrottled) else None
    pause = max(told or 0.0, FIRST_PAUSE * 2.0**attempt) + 1.0
    if pause > LONGEST_PAUSE:
        raise error
    say(error, pause)
    await sleep(pause)


def _archive(store: Store, feed: ParsedFeed, category: str, days: Days, now: datetime) -> int:
    """Archives a slice and notes its days in one transaction; how many papers are new to the archive."""
    with store.writing():
        added = _keep(store, feed.papers, now)
        last = min(days[1], (now - STILL_COMING).date())
        if not feed.truncated and days[0] <= last:
            done = joined([*done_days(store, category), (days[0], last)])
            store.notes[_note(category)] = json.dumps(
                [[first.isoformat(), end.isoformat()] for first, end in done]
            )
    return added


def _keep(store: Store, papers: Sequence[Paper], now: datetime) -> int:
    known = {entry.paper.id for entry in store.archive.by_ids([paper.id for paper in papers])}
    store.archive.store(ParsedFeed("backfill", "arxiv", papers=tuple(papers)), now=now)
    return sum(paper.id not in known for paper in papers)


async def harvest(
    client: SourceClient,
    store: StoreThread,
    category: str,
    since: date,
    now: datetime,
    sleep: Sleep = asyncio.sleep,
    say: Say = _log,
) -> AsyncIterator[Step]:
    """Fetches by OAI-PMH what changed since `since`, or since the last harvest, and keeps the papers that were first
    submitted on or after `since`; a step for each page. Records that arXiv deleted are marked as withdrawn.

    Raises SourceError once a source has failed for good.
    """
    begin = await store.call(lambda store: _harvested(store, category, since))
    attempt = 0
    while True:
        try:
            async for feed in paging.harvest(client, category, begin):
                attempt = 0
                page = partial(_harvest_page, feed=feed, category=category, since=since, now=now)
                added, received = await store.call(page)
                begin = max(begin, feed.stamped.date() if feed.stamped else begin)
                yield Step((begin, begin), received, None, added, 0, 0)
            return
        except (SourceThrottled, SourceUnavailable) as error:
            if attempt >= TRIES:
                raise
            await _wait_for(error, attempt, sleep, say)
            attempt += 1


def _harvested(store: Store, category: str, since: date) -> date:
    """Where to begin: the newest datestamp of an earlier harvest that began at `since` or before."""
    with suppress(ValueError, TypeError, KeyError):
        note = json.loads(store.notes[f"harvest:{category}"])
        if date.fromisoformat(note["since"]) <= since:
            return max(since, date.fromisoformat(note["stamp"]))
    return since


def _harvest_page(
    store: Store, feed: ParsedFeed, category: str, since: date, now: datetime
) -> tuple[int, int]:
    wanted = [paper for paper in feed.papers if paper.submitted is None or paper.submitted.date() >= since]
    with store.writing():
        added = _keep(store, wanted, now)
        removed = store.archive.by_ids(feed.removed)
        _keep(store, [replace(entry.paper, withdrawn=True) for entry in removed], now)
        if feed.stamped is not None:
            # Pages come in the order of their datestamps; the day itself may have more, so it is asked for again.
            note = {"since": since.isoformat(), "stamp": feed.stamped.date().isoformat()}
            store.notes[f"harvest:{category}"] = json.dumps(note)
    return added, len(wanted)
