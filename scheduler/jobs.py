"""The jobs that the timetable ticks. Each asks the database what is due at `now`, does it, and says what it did."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime, timedelta

from scheduler import calendar
from scheduler.categories import CATEGORIES
from scheduler.errors import SourceError
from scheduler.models import Batch, BatchState, ParsedFeed
from scheduler.planning import wanted_categories
from scheduler.sources import arxiv
from scheduler.sources.http import SourceClient
from scheduler.store import Store
from scheduler.store.thread import StoreThread

logger = logging.getLogger(__name__)

PROBE_EVERY = timedelta(minutes=15)
SLOWER_AFTER = timedelta(hours=12)
PROBE_SLOWLY = timedelta(hours=1)

SETTLED = (BatchState.FRESH, BatchState.QUIET)


async def fetch_category(client: SourceClient, store: StoreThread, category: str, now: datetime) -> Batch:
    """Fetches one category's newest announcement and archives it; the batch says how it went.

    Whatever fails gives a batch in the state `failed` with the reason: it is asked for again after a pause like any
    other, and the other categories go on.
    """
    expected = calendar.newest_day(now)
    try:
        feed = await arxiv.fetch_feed(client, category)
        return await store.call(lambda store: archive_feed(store, feed, category, expected, now))
    except SourceError as error:
        reason = str(error)
    except Exception as error:
        logger.exception("reading the feed of %s failed", category)
        reason = f"unexpected {type(error).__name__}"
    failed = failed_batch(category, expected, reason, now)
    return await store.call(lambda store: _put(store, failed))


def archive_feed(store: Store, feed: ParsedFeed, category: str, expected: date, now: datetime) -> Batch:
    """Archives a feed that was fetched for `category` while the list dated `expected` should be out."""
    if feed.errors:
        return _put(store, failed_batch(category, expected, feed.errors[0], now))
    found = store.archive.store(replace(feed, category=feed.category or category), now=now)
    if found is None:
        return _put(store, failed_batch(category, expected, "the feed has no date", now))
    if found.date < expected:
        reason = f"the feed still has {found.date.isoformat()}"
        _put(store, Batch(category, expected, BatchState.STALE, 0, reason=reason, fetched_at=now))
        return found
    if found.state is BatchState.QUIET and calendar.is_announcement_day(found.date):
        return _put(store, _quiet_or_waiting(found, now))
    return found


def _quiet_or_waiting(batch: Batch, now: datetime) -> Batch:
    """An empty feed on a working day may only be early: it counts as quiet after `SLOWER_AFTER`."""
    if now - calendar.announced_at(batch.date) < SLOWER_AFTER:
        return replace(batch, state=BatchState.WAITING, reason="the feed is empty so far")
    return batch


def failed_batch(category: str, day: date, reason: str, now: datetime) -> Batch:
    """The record of a day whose source failed; what was archived of it before stays."""
    return Batch(category, day, BatchState.FAILED, 0, reason=reason, fetched_at=now)


def _put(store: Store, batch: Batch) -> Batch:
    before = store.archive.batch(batch.category, batch.date)
    if before is not None and before.received:
        # What is there already is worth more than a later failure: only the time and the reason are new.
        batch = replace(before, reason=batch.reason or before.reason, fetched_at=batch.fetched_at)
    store.archive.put_batch(batch)
    return batch


def probes_due(store: Store, categories: Iterable[str], now: datetime) -> tuple[str, ...]:
    """The categories whose newest announcement is missing and that were not asked for just now."""
    expected = calendar.newest_day(now)
    age = now - calendar.announced_at(expected)
    pause = PROBE_EVERY if age < SLOWER_AFTER else PROBE_SLOWLY
    due = []
    for category in categories:
        batch = store.archive.batch(category, expected)
        waited = batch is None or batch.fetched_at is None or now - batch.fetched_at >= pause
        if waited and (batch is None or batch.state not in SETTLED):
            due.append(category)
    return tuple(due)


async def fetch_if_due(
    client: SourceClient, store: StoreThread, configured: Iterable[str], now: datetime
) -> tuple[Batch, ...]:
    """Probes every category that is due and returns what each gave."""
    names = tuple(configured)
    due = await store.call(lambda store: probes_due(store, wanted_categories(store, names), now))
    batches = []
    for category in due:
        if category in CATEGORIES:
            batch = await fetch_category(client, store, category, now)
            logger.info(
                "%s %s: %s, %d received %s", category, batch.date, batch.state, batch.received, batch.reason
            )
            batches.append(batch)
    return tuple(batches)
