"""When a category's day is asked for, and what an answer means for it. Pure.

A day that is not there is asked for every quarter of an hour, later every hour, and never given up within its week.
A feed is judged by what is in it, not by its date alone: that is computed when the feed is built (arxiv-feed's
source), so a fresh date may stand over yesterday's papers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum

from scheduler import calendar, causes
from scheduler.models import AnnounceType, Batch, BatchState, Cause, CauseKind, PaperId, ParsedFeed

PROBE_EVERY = timedelta(minutes=15)
SLOWER_AFTER = timedelta(hours=12)
PROBE_SLOWLY = timedelta(hours=1)
CHECK_SLOWLY = timedelta(hours=6)

ASK_LISTING_EVERY = timedelta(hours=1)
"""Between two looks at a page for the same day: pages are asked sparingly (arxiv.org/robots.txt)."""

BUILD_TIME = timedelta(minutes=30)
"""So long after New York's midnight a feed may still be that of the day before."""

PATIENCE_WITH_FEED = timedelta(hours=1)
"""So long a throttled feed is waited for before the listing carries the day."""

SECOND_LOOK = timedelta(hours=6)
"""So long after its first papers a whole day's feed is read once more: arXiv sometimes adds to it."""

WEEK = timedelta(days=7)
CATCH_UP_SLOWEST = timedelta(hours=24)


def is_settled(batch: Batch | None) -> bool:
    """True for a day that is whole, or on which nothing was announced."""
    return batch is not None and batch.state in (BatchState.FRESH, BatchState.QUIET)


def is_checked(batch: Batch) -> bool:
    """True when the listing confirmed the day: its count is reached, or it says that there is none."""
    return is_settled(batch) and batch.declared_news is not None


def age_of(day: date, now: datetime) -> timedelta:
    """How long ago the list dated `day` was announced; negative before."""
    return now.astimezone(UTC) - calendar.announced_at(day).astimezone(UTC)


def is_probe_due(batch: Batch | None, now: datetime) -> bool:
    """True when the newest day of a category is to be asked for (again)."""
    if batch is None or batch.fetched_at is None:
        return True
    if is_checked(batch):
        return _is_second_look_due(batch, batch.fetched_at, now)
    return now - batch.fetched_at >= _pause(batch, now)


def _is_second_look_due(batch: Batch, fetched_at: datetime, now: datetime) -> bool:
    if batch.first_seen is None or now >= calendar.feed_due(batch.date + timedelta(days=1)):
        return False
    return fetched_at < batch.first_seen + SECOND_LOOK <= now


def _pause(batch: Batch, now: datetime) -> timedelta:
    is_young = age_of(batch.date, now) < SLOWER_AFTER
    if batch.state is BatchState.FRESH:
        return PROBE_SLOWLY if is_young else CHECK_SLOWLY
    if batch.state is BatchState.QUIET:
        return PROBE_SLOWLY
    if batch.state is BatchState.WAITING and batch.received and batch.listed_at is None:
        return timedelta(0)  # begun, and never finished: the run before was killed between feed and listing
    return PROBE_EVERY if is_young else PROBE_SLOWLY


def is_catch_up_due(batch: Batch, now: datetime) -> bool:
    """True when an earlier day is to be asked for on its catch-up page (again): hourly at first, daily at last."""
    if is_settled(batch):
        return False
    if batch.state is BatchState.WAITING or not batch.tries or batch.fetched_at is None:
        return True  # never asked for, or the run before was killed over it
    doubled = PROBE_SLOWLY * (1 << min(batch.tries - 1, 5))
    is_young = age_of(batch.date, now) < WEEK
    return now - batch.fetched_at >= min(doubled, PROBE_SLOWLY * 4 if is_young else CATCH_UP_SLOWEST)


def is_listing_due(batch: Batch, now: datetime, *, feed_is_throttled: bool = False) -> bool:
    """True when the newest day's listing is to be asked: once when its first papers came, again while it is not whole.

    Before the feed is due the listing is left alone, because it flips category by category and without the feed.
    """
    if is_checked(batch):
        return False
    if not batch.received and now < calendar.feed_due(batch.date) + BUILD_TIME:
        return False
    if feed_is_throttled and not batch.received and now < calendar.feed_due(batch.date) + PATIENCE_WITH_FEED:
        return False
    pause = CHECK_SLOWLY if batch.state is BatchState.QUIET else ASK_LISTING_EVERY
    return batch.listed_at is None or now - batch.listed_at >= pause


class Finding(StrEnum):
    """What a feed turned out to be."""

    NEWS = "news"
    EARLIER = "earlier"
    LATER = "later"
    EMPTY = "empty"
    REPEATED = "repeated"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a feed means for the day that was asked for: the state that follows where nothing was received yet."""

    finding: Finding
    state: BatchState
    cause: Cause | None = None


def judge(feed: ParsedFeed, day: date, before: Mapping[PaperId, AnnounceType], now: datetime) -> Judgement:
    """What `feed` means for the day `day`; `before` are the papers and types of the category's last day before it."""
    if feed.errors:
        return Judgement(Finding.BROKEN, BatchState.FAILED, Cause(CauseKind.REFUSED, said=feed.errors[0]))
    dated = max((entry.date for entry in feed.announcements), default=feed.date)
    if dated is None:
        return Judgement(Finding.BROKEN, BatchState.FAILED, Cause(CauseKind.NO_DATE))
    if not feed.announcements and feed.problems:
        return Judgement(Finding.BROKEN, BatchState.FAILED, causes.of_problems(feed.problems))
    if dated < day:
        return _missing(Finding.EARLIER, day, Cause(CauseKind.STILL_EARLIER, (dated.isoformat(),)), now)
    if dated > day:
        return _missing(Finding.LATER, day, Cause(CauseKind.ALREADY_LATER, (dated.isoformat(),)), now)
    if not feed.announcements:
        return _missing(Finding.EMPTY, day, Cause(CauseKind.EMPTY_SO_FAR), now)
    if all(before.get(entry.paper.id) is entry.announce_type for entry in feed.announcements):
        return Judgement(Finding.REPEATED, BatchState.STALE, Cause(CauseKind.REPEATED))
    return Judgement(Finding.NEWS, BatchState.FRESH)


def _missing(finding: Finding, day: date, cause: Cause, now: datetime) -> Judgement:
    """Nothing of `day` is there: quiet on a holiday, else waiting while that may only be early, then stale."""
    if not calendar.is_announcement_day(day):
        name = calendar.holiday(day - timedelta(days=1))
        if (
            name
            and not calendar.is_certain(day - timedelta(days=1))
            and now < calendar.feed_due(day) + SLOWER_AFTER
        ):
            return Judgement(finding, BatchState.WAITING, cause)
        return Judgement(finding, BatchState.QUIET, Cause(CauseKind.HOLIDAY, (name,)) if name else cause)
    patience = SLOWER_AFTER if finding is Finding.EMPTY else BUILD_TIME
    is_early = now < calendar.feed_due(day) + patience
    return Judgement(finding, BatchState.WAITING if is_early else BatchState.STALE, cause)
