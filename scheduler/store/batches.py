"""The record of each batch: how whole a category's announcement of one date is, from where, and why not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from sqlite_utils import Database

from scheduler.causes import dumped, loaded, of_problems
from scheduler.models import AnnounceType, Batch, BatchState, Cause, CauseKind, ParsedFeed


class Batches:
    """The records of all batches. One instance serves one connection."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def record(self, feed: ParsedFeed, now: datetime) -> Batch:
        """Notes what a response that has a category and a date, archived just now, makes of its day."""
        assert feed.date is not None
        counts = self._counts_of(feed.category, feed.date)
        received = sum(counts.values())
        before = self.of(feed.category, feed.date)
        if before is None:
            before = Batch(feed.category, feed.date, BatchState.WAITING, 0)
        batch = replace(
            before,
            received=received,
            declared=feed.declared if feed.declared is not None else before.declared,
            counts=counts,
            declared_counts=dict(feed.declared_by_type) or before.declared_counts,
            source=feed.kind,
            fetched_at=now,
            first_seen=before.first_seen or (now if received else None),
        )
        state, causes = _state(feed, batch)
        is_no_more = state is BatchState.QUIET or (state is BatchState.FRESH and batch.declared_news is None)
        if before.state is BatchState.FRESH and is_no_more:
            state, causes = before.state, before.causes
        settled = state in (BatchState.FRESH, BatchState.QUIET)
        batch = replace(
            batch, state=state, causes=causes, completed=batch.completed or (now if settled else None)
        )
        self.put(batch)
        return batch

    def put(self, batch: Batch) -> None:
        """Writes a batch's record over the one there is."""
        self._db.execute(
            "insert or replace into batch(category, date, state, received, declared, counts, source, reason, "
            "fetched_at, declared_counts, tries, listed_at, first_seen, completed) "
            "values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                batch.category,
                batch.date.isoformat(),
                batch.state,
                batch.received,
                batch.declared,
                _counted(batch.counts),
                batch.source,
                dumped(batch.causes),
                _written(batch.fetched_at),
                _counted(batch.declared_counts),
                batch.tries,
                _written(batch.listed_at),
                _written(batch.first_seen),
                _written(batch.completed),
            ],
        )

    def _counts_of(self, category: str, day: date) -> dict[AnnounceType, int]:
        """How many papers of each announce type are archived for one category and day."""
        rows = self._db.query(
            "select announce_type, count(*) as n from announcement where date = ? and category = ? group by 1",
            [day.isoformat(), category],
        )
        found = {AnnounceType(row["announce_type"]): row["n"] for row in rows}
        return {kind: found[kind] for kind in AnnounceType if kind in found}

    def of(self, category: str, day: date) -> Batch | None:
        """The record of one category's day, None before anything was tried."""
        rows = self._db.query(
            "select * from batch where category = ? and date = ?", [category, day.isoformat()]
        )
        return next((_batch(row) for row in rows), None)

    def on(self, day: date) -> tuple[Batch, ...]:
        """Every category's record of one day, by category."""
        rows = self._db.query("select * from batch where date = ? order by category", [day.isoformat()])
        return tuple(_batch(row) for row in rows)

    def unsettled(self, first: date, last: date) -> tuple[Batch, ...]:
        """The records from `first` to `last` (both included) that are neither fresh nor quiet, oldest first."""
        rows = self._db.query(
            "select * from batch where date between ? and ? and state not in ('fresh', 'quiet') "
            "order by date, category",
            [first.isoformat(), last.isoformat()],
        )
        return tuple(_batch(row) for row in rows)

    def newest(self, category: str) -> Batch | None:
        """The record of the newest day of which a category has papers from arXiv itself (not from the seeds)."""
        rows = self._db.query(
            "select * from batch where category = ? and received > 0 and source like 'arxiv%' "
            "order by date desc limit 1",
            [category],
        )
        return next((_batch(row) for row in rows), None)

    def arrived(self, first: date, last: date, since: datetime) -> tuple[date, ...]:
        """The dates from `first` to `last` that were fetched late: their first paper came at `since` or later.

        Oldest first; days that were read from files do not count.
        """
        rows = self._db.query(
            "select distinct date from batch where date between ? and ? and first_seen >= ? and tries > 0 "
            "order by date",
            [first.isoformat(), last.isoformat(), since.astimezone(UTC).isoformat()],
        )
        return tuple(date.fromisoformat(row["date"]) for row in rows)


def _state(feed: ParsedFeed, batch: Batch) -> tuple[BatchState, tuple[Cause, ...]]:
    """What a response makes of its day. New and cross-listed papers are counted strictly.

    Replacements are missed only in the response that states their number: the feed leaves out those of version 6 and
    higher (arxiv-feed's source), so an earlier listing's count of them may never be reached by it.
    """
    received, declared = batch.received, batch.declared
    if feed.errors:
        return BatchState.FAILED, (Cause(CauseKind.REFUSED, said=feed.errors[0]),)
    if batch.declared_news is not None and batch.news < batch.declared_news:
        counts = (str(batch.news), str(batch.declared_news))
        return BatchState.PARTIAL, (Cause(CauseKind.NEWS_MISSING, counts),)
    if batch.declared_news is not None and not feed.declared_by_type and received:
        return BatchState.FRESH, ()  # whatever this response lacks, the listing's count is reached
    if feed.truncated:
        return BatchState.PARTIAL, (Cause(CauseKind.CUT),)
    if declared is not None and received < declared:
        return BatchState.PARTIAL, (Cause(CauseKind.MISSING, (str(received), str(declared))),)
    if feed.problems:
        return BatchState.PARTIAL, (of_problems(feed.problems),)
    return (BatchState.FRESH, ()) if received else (BatchState.QUIET, (Cause(CauseKind.NOTHING_ANNOUNCED),))


def _counted(counts: Mapping[AnnounceType, int]) -> str:
    return json.dumps({str(kind): count for kind, count in counts.items()})


def _counts(text: str) -> dict[AnnounceType, int]:
    return {AnnounceType(kind): count for kind, count in json.loads(text).items()}


def _written(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat() if moment else None


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _batch(row: Mapping[str, Any]) -> Batch:
    return Batch(
        category=row["category"],
        date=date.fromisoformat(row["date"]),
        state=BatchState(row["state"]),
        received=row["received"],
        declared=row["declared"],
        counts=_counts(row["counts"]),
        source=row["source"],
        causes=loaded(row["reason"]),
        fetched_at=_moment(row["fetched_at"]),
        declared_counts=_counts(row["declared_counts"]),
        tries=row["tries"],
        listed_at=_moment(row["listed_at"]),
        first_seen=_moment(row["first_seen"]),
        completed=_moment(row["completed"]),
    )
