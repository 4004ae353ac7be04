"""What a query finds in the archive as a stream: newest first, page by page, each paper with why it is there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from scheduler import enrich
from scheduler.matching import DayIndex
from scheduler.models import AnnounceType, DigestPaper
from scheduler.query import Query
from scheduler.store import Store
from scheduler.store.papers import Known
from scheduler.store.rows import KEYS_PER_DAY


@dataclass(frozen=True, slots=True)
class StreamPage:
    """One page of a stream. `total` counts all pages, `exact` is false where counting stopped there.

    `next_before` begins the next page, None on the last one.
    """

    papers: tuple[DigestPaper, ...]
    total: int
    exact: bool
    next_before: int | None


def read(
    store: Store, wanted: Query, *, today: date, limit: int, before: int | None = None, first: int = 1
) -> StreamPage:
    """At most `limit` papers, those whose key is smaller than `before`, numbered from `first`."""
    found = store.archive.search(wanted, today=today, limit=limit, before=before)
    index = DayIndex([(one.paper, one.wordings) for one in found.papers])
    papers = tuple(_told(one, index, wanted, place, first + place) for place, one in enumerate(found.papers))
    return StreamPage(papers, found.total, found.total_is_exact, found.next_before)


def _told(one: Known, index: DayIndex, wanted: Query, place: int, number: int) -> DigestPaper:
    day = one.newest_date or _day_of(one)
    kinds = [kind for announced, _, kind in one.announced if announced == day]
    return DigestPaper(
        number=number,
        paper=one.paper,
        announce_type=min(kinds, key=lambda kind: kind.rank, default=AnnounceType.NEW),
        date=day,
        match=index.match(wanted, place),
        wordings=enrich.complete(one.paper, one.wordings),
    )


def _day_of(one: Known) -> date:
    """The day of a paper that was never announced to us: the one it was submitted on, as its key says."""
    return date.fromisoformat(str(one.key // KEYS_PER_DAY))
