"""The jobs that the timetable ticks. Each asks the database what is due at `now`, does it, and says what it did.

    feed of every category | listing of those not whole | missing ids from the query API | earlier days, oldest first

The unit of work is one category's announcement of one day; its record says what is still to do, so a run that was
killed anywhere is finished by the next one. Between two awaits there is at most one transaction.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from scheduler import calendar, causes, gaps, probing, reconciling
from scheduler.categories import CATEGORIES
from scheduler.errors import SourceError, SourceThrottled
from scheduler.models import Announcement, Batch, BatchState, Cause, CauseKind, Paper, PaperId, ParsedFeed
from scheduler.planning import wanted_categories
from scheduler.probing import Finding, Judgement
from scheduler.sources import arxiv, arxiv_feed
from scheduler.sources.http import SourceClient, Surface
from scheduler.store import Store
from scheduler.store.thread import StoreThread

logger = logging.getLogger(__name__)

CATCH_UPS_AT_ONCE = 4
"""Earlier days asked for in one tick: a minute of arXiv's page pace, then the newest day has its turn again."""

FARTHEST = timedelta(days=90)
"""How far back arXiv's catch-up pages go."""

MOST_BY_ID = 300
"""A day that lacks more papers than this is taken from the listing as it is, without asking the query API."""

UNSAID_PAUSE = timedelta(minutes=1)
"""A source that asks to slow down without a time is left alone for so long at least."""

LONGEST_PAUSE = timedelta(days=1)
"""A source that asks for more is asked again after a day."""


@dataclass(frozen=True, slots=True)
class Work:
    """What is due: the newest possible day, the categories to ask for it, and earlier days to catch up."""

    day: date
    probes: tuple[str, ...]
    catch_ups: tuple[Batch, ...]


async def fetch_if_due(
    client: SourceClient, store: StoreThread, configured: Iterable[str], now: datetime
) -> tuple[Batch, ...]:
    """Asks for every category's day that is due and returns the record of each that was asked for."""
    names = tuple(configured)
    work = await store.call(lambda store: work_due(store, names, now))
    asked = [await _ask_feed(client, store, category, work.day, now) for category in work.probes]
    asked += [await _ask_listing(client, store, category, work.day, now) for category in work.probes]
    asked += [await _catch_up(client, store, batch, now) for batch in work.catch_ups]
    return tuple(batch for batch in asked if batch is not None)


async def fetch_category(client: SourceClient, store: StoreThread, category: str, now: datetime) -> Batch:
    """Fetches one category's newest announcement and archives it, due or not; the batch says how it went.

    Whatever fails gives a batch in the state `failed` with the reason. A feed that still is an earlier day's gives
    the record of that day.
    """
    day = calendar.possible_day(now)
    await store.call(lambda store: note_missing(store, [category], now))
    await _ask_feed(client, store, category, day, now)
    await _ask_listing(client, store, category, day, now)
    return await store.call(lambda store: _outcome(store, category, day, now))


def _outcome(store: Store, category: str, day: date, now: datetime) -> Batch:
    """The day's record, or that of the earlier day that was received instead."""
    batch, newest = _record(store, category, day), store.batches.newest(category)
    is_instead = newest is not None and not batch.received and newest.fetched_at == now
    return newest if newest is not None and is_instead else batch


def work_due(store: Store, configured: Iterable[str], now: datetime) -> Work:
    """What is to be asked for at `now`; days that turn out to be missing are noted in the database first."""
    day = calendar.possible_day(now)
    categories = [name for name in wanted_categories(store, configured) if name in CATEGORIES]
    note_missing(store, categories, now)
    probes = (name for name in categories if probing.is_probe_due(store.batches.of(name, day), now))
    earlier = store.batches.unsettled(day - FARTHEST, day - timedelta(days=1))
    due = [one for one in earlier if one.category in categories and probing.is_catch_up_due(one, now)]
    return Work(day, tuple(probes), tuple(due[:CATCH_UPS_AT_ONCE]))


def note_missing(store: Store, categories: Iterable[str], now: datetime) -> None:
    """Writes a record for every possible day between a category's newest archived one and the newest possible one.

    Noted before the newest day is fetched: afterwards nothing would show that there is a gap.
    """
    newest = calendar.possible_day(now)
    with store.writing():
        for category in categories:
            known = store.batches.newest(category)
            if known is None:
                continue
            if known.date < newest - FARTHEST:
                gaps.note(store, category, known.date + timedelta(days=1))
            first = max(known.date, newest - FARTHEST) + timedelta(days=1)
            for day in calendar.possible_days(first, newest - timedelta(days=1)):
                if store.batches.of(category, day) is None:
                    store.batches.put(replace(_blank(category, day), causes=(Cause(CauseKind.NOT_FETCHED),)))


def _blank(category: str, day: date) -> Batch:
    return Batch(category, day, BatchState.WAITING, 0)


def _record(store: Store, category: str, day: date) -> Batch:
    return store.batches.of(category, day) or _blank(category, day)


# the feed


async def _ask_feed(
    client: SourceClient, store: StoreThread, category: str, day: date, now: datetime
) -> Batch | None:
    """What the category's feed gave, archived; None while arXiv wants its interfaces left alone."""
    if await store.call(lambda store: is_paused(store, Surface.FEED, now)):
        return None
    found = await ask_source(store, Surface.FEED, now, lambda: arxiv.fetch_feed(client, category))
    return await _told(store, lambda store: take_feed(store, found, category, day, now))


def take_feed(store: Store, found: ParsedFeed | Cause, category: str, day: date, now: datetime) -> Batch:
    """Archives the feed that was fetched for `category` while the list dated `day` may be out, or notes why not."""
    with store.writing():
        before = _record(store, category, day)
        tried = replace(before, tries=before.tries + 1, fetched_at=now)
        if isinstance(found, Cause):
            return _put(store, _judged(tried, Judgement(Finding.BROKEN, BatchState.FAILED, found)))
        feed = _of_category(found, category)
        judgement = probing.judge(feed, day, store.archive.announced_before(category, day), now)
        after = _put(store, _judged(tried, judgement))
        if not feed.announcements or judgement.finding in (Finding.REPEATED, Finding.BROKEN):
            return after
        archived = store.archive.store(feed, now=now)
        return after if archived is None or archived.date != day else _unchecked(store, before, archived)


def take_captured(store: Store, answer: ParsedFeed, now: datetime) -> Batch | None:
    """Archives an answer that somebody kept and returns its day's record, None for one without a day.

    arXiv's feed is judged as when it was built: an empty one on a working day is waited for, or stale, but not quiet,
    and yesterday's papers under a new date are not that day's.
    """
    day = max((entry.date for entry in answer.announcements), default=answer.date)
    if answer.kind != arxiv_feed.KIND or day is None or not answer.category:
        return store.archive.store(answer, now=now)
    with store.writing():
        known = store.archive.announced_before(answer.category, day)
        judgement = probing.judge(answer, day, known, answer.built or now)
        if judgement.finding not in (Finding.EMPTY, Finding.REPEATED):
            return store.archive.store(answer, now=now)
        before = _record(store, answer.category, day)
        read = replace(before, source=before.source or answer.kind, fetched_at=now)
        return _put(store, _judged(read, judgement))


def _of_category(feed: ParsedFeed, category: str) -> ParsedFeed:
    """The feed under the name that it was asked for by, dated as its newest papers are."""
    announcements = tuple(replace(entry, category=category) for entry in feed.announcements)
    dated = max((entry.date for entry in announcements), default=feed.date)
    return replace(feed, category=category, date=dated, announcements=announcements)


def _judged(tried: Batch, judgement: Judgement) -> Batch:
    """The record after a feed without (more) papers: what is there already is worth more than a later failure."""
    if tried.received or judgement.finding is Finding.NEWS or probing.is_checked(tried):
        return replace(tried, causes=_causes(judgement.cause) or tried.causes)
    return replace(tried, state=judgement.state, causes=_causes(judgement.cause))


def _causes(cause: Cause | None) -> tuple[Cause, ...]:
    return () if cause is None else (cause,)


def _unchecked(store: Store, before: Batch, archived: Batch) -> Batch:
    """A feed's day is not whole before the listing says how many papers it has."""
    was_fresh = before.state is BatchState.FRESH
    if was_fresh or archived.state is not BatchState.FRESH or probing.is_checked(archived):
        return archived
    waiting = replace(
        archived, state=BatchState.WAITING, causes=(Cause(CauseKind.COUNT_TO_COME),), completed=None
    )
    return _put(store, waiting)


# the listing


async def _ask_listing(
    client: SourceClient, store: StoreThread, category: str, day: date, now: datetime
) -> Batch | None:
    """What the category's listing adds to the newest day; None when it is not to be asked now."""
    if not await store.call(lambda store: _wants_listing(store, category, day, now)):
        return None
    if await store.call(lambda store: is_paused(store, Surface.PAGES, now)):
        return await _take_page(client, store, Cause(CauseKind.LEFT_ALONE), category, day, now)
    listing = await ask_source(store, Surface.PAGES, now, lambda: arxiv.fetch_listing(client, category))
    return await _take_page(client, store, listing, category, day, now)


def _wants_listing(store: Store, category: str, day: date, now: datetime) -> bool:
    throttled = is_paused(store, Surface.FEED, now)
    batch = _record(store, category, day)
    return probing.is_listing_due(batch, now, feed_is_throttled=throttled)


async def _catch_up(client: SourceClient, store: StoreThread, batch: Batch, now: datetime) -> Batch | None:
    """What the catch-up page of an earlier day adds; None while arXiv wants its pages left alone."""
    if await store.call(lambda store: is_paused(store, Surface.PAGES, now)):
        return None
    category, day = batch.category, batch.date
    page = await ask_source(store, Surface.PAGES, now, lambda: arxiv.fetch_listing(client, category, day))
    if await store.call(lambda store: is_paused(store, Surface.PAGES, now)):
        return None
    await store.call(lambda store: _count_try(store, category, day, now))
    return await _take_page(client, store, page, category, day, now)


def _count_try(store: Store, category: str, day: date, now: datetime) -> None:
    batch = _record(store, category, day)
    store.batches.put(replace(batch, tries=batch.tries + 1, fetched_at=now))


async def _take_page(
    client: SourceClient,
    store: StoreThread,
    listing: ParsedFeed | Cause,
    category: str,
    day: date,
    now: datetime,
) -> Batch:
    if not isinstance(listing, Cause) and listing.date != day:
        listing = Cause(CauseKind.OTHER_LISTING, (str(listing.date),))
    if isinstance(listing, Cause):
        cause = listing
        return await _told(store, lambda store: without_listing(store, cause, category, day, now))
    page = listing
    wanted = await store.call(lambda store: _missing_ids(store, page, category, day, now))
    fetched = await _by_id(client, store, wanted, now) if wanted else {}
    return await _told(store, lambda store: take_listing(store, page, fetched, category, day, now))


def _missing_ids(
    store: Store, listing: ParsedFeed, category: str, day: date, now: datetime
) -> tuple[PaperId, ...]:
    """What the query API is to be asked for: ids that the feed left out, when the feed did come."""
    archived = store.archive.announced_on(category, day)
    ids = tuple(entry.paper.id for entry in reconciling.missing(listing, archived))
    if not archived or len(ids) > MOST_BY_ID or is_paused(store, Surface.API, now):
        return ()
    return ids


async def _by_id(
    client: SourceClient, store: StoreThread, ids: Sequence[PaperId], now: datetime
) -> Mapping[PaperId, Paper]:
    found = await ask_source(store, Surface.API, now, lambda: arxiv.fetch_papers(client, ids))
    if isinstance(found, Cause):
        logger.warning("%d papers could not be asked for by id: %s", len(ids), found)
        return {}
    return {paper.id: paper for paper in found.papers}


def take_listing(
    store: Store,
    listing: ParsedFeed,
    fetched: Mapping[PaperId, Paper],
    category: str,
    day: date,
    now: datetime,
) -> Batch:
    """Archives what the day's listing has and the archive has not, under the listing's types, and its count.

    `fetched` are papers that the query API gave for ids of the listing; the others are archived as the page has them.
    """
    with store.writing():
        before = _record(store, category, day)
        if not listing.announcements and not listing.problems:
            return _without_news(store, before, listing, now)
        archived = store.archive.announced_on(category, day)
        added = reconciling.filled(reconciling.missing(listing, archived), fetched)
        known = [one.paper for one in store.archive.by_ids(archived)]
        store.batches.put(replace(before, listed_at=now))
        page = replace(
            listing,
            kind=before.source if before.received else listing.kind,
            category=category,
            announcements=tuple(_renamed(entry, category) for entry in added),
            papers=reconciling.annotated(listing, known),
        )
        return store.archive.store(page, now=now) or before


def _renamed(entry: Announcement, category: str) -> Announcement:
    return replace(entry, category=category)


def _without_news(store: Store, before: Batch, listing: ParsedFeed, now: datetime) -> Batch:
    """The dated listing says "No updates": a quiet day, unless its feed had papers (the page is not atomic)."""
    if before.received:
        return _kept_unchecked(store, before, Cause(CauseKind.LISTING_EMPTY), now)
    name = calendar.holiday(before.date - timedelta(days=1))
    quiet = replace(
        before,
        state=BatchState.QUIET,
        causes=(Cause(CauseKind.HOLIDAY, (name,)) if name else Cause(CauseKind.NO_UPDATES),),
        declared=0,
        declared_counts=dict(listing.declared_by_type),
        source=listing.kind,
        fetched_at=now,
        listed_at=now,
        completed=now,
    )
    return _put(store, quiet)


def without_listing(store: Store, cause: Cause, category: str, day: date, now: datetime) -> Batch:
    """The record after a page that could not be had: a feed's papers are the day then, until it can be checked."""
    with store.writing():
        return _kept_unchecked(store, _record(store, category, day), cause, now)


def _kept_unchecked(store: Store, before: Batch, cause: Cause, now: datetime) -> Batch:
    after = replace(before, listed_at=now)
    if before.received and before.state in (BatchState.WAITING, BatchState.FRESH):
        after = replace(
            after,
            state=BatchState.FRESH,
            causes=(Cause(CauseKind.NOT_CHECKED), cause),
            completed=before.completed or now,
        )
    elif not before.received and before.date < calendar.possible_day(now):
        after = replace(after, state=BatchState.FAILED, causes=(cause,))
    else:
        after = replace(after, causes=(*before.causes[:1], cause))
    return _put(store, after)


# what every source has in common


async def ask_source(
    store: StoreThread, surface: Surface, now: datetime, ask: Callable[[], Awaitable[ParsedFeed]]
) -> ParsedFeed | Cause:
    """The answer, or why there is none; a source that asks for a pause gets it, over a restart too."""
    try:
        return await ask()
    except SourceThrottled as error:
        cause, pause = causes.of_error(error), _pause(error)
        await store.call(lambda store: pause_source(store, surface, now + pause))
        return cause
    except SourceError as error:
        return causes.of_error(error)
    except Exception as error:
        logger.exception("reading %s failed", surface)
        return causes.of_error(error)


def _pause(error: SourceThrottled) -> timedelta:
    if error.retry_after is None:
        return UNSAID_PAUSE
    return timedelta(seconds=min(error.retry_after, LONGEST_PAUSE.total_seconds()))


def is_paused(store: Store, surface: Surface, now: datetime) -> bool:
    """True while arXiv wants this part of it left alone."""
    until = store.notes.get(_note(surface))
    return until is not None and now < datetime.fromisoformat(until)


def pause_source(store: Store, surface: Surface, until: datetime) -> None:
    """Notes that nothing is to be asked of this part of arXiv before `until`."""
    if not is_paused(store, surface, until):
        store.notes[_note(surface)] = until.isoformat()


def _note(surface: Surface) -> str:
    return f"arxiv {surface} not before"


def _put(store: Store, batch: Batch) -> Batch:
    store.batches.put(batch)
    return batch


async def _told(store: StoreThread, work: Callable[[Store], Batch]) -> Batch:
    """Does the work and logs what the day's record says then."""
    batch = await store.call(work)
    logger.info(
        "%s %s: %s, %d received %s",
        batch.category,
        batch.date,
        batch.state,
        batch.received,
        "; ".join(map(str, batch.causes)),
    )
    return batch
