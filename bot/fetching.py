"""`paperboy fetch`: from the network or from captured responses into the archive, and what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

from bot import app, recording
from bot.config import Settings
from bot.locale import translator
from bot.render.causes import causes_words
from bot.render.json import paper_facts
from scheduler import jobs
from scheduler.categories import CATEGORIES
from scheduler.errors import SettingsError, SourceError, UnknownInput
from scheduler.harvesting import SourceState
from scheduler.models import Announcement, AnnounceType, Batch, BatchState, Cause, Paper, ParsedFeed
from scheduler.planning import wanted_categories
from scheduler.sources import kinds
from scheduler.store import Store
from scheduler.store.thread import StoreThread


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of one category and date, or of one response without a date.

    `counts`, `received` and `declared` are this response's own; `state` is that of the category's day, of which
    `archived` papers are known.
    """

    category: str
    day: date | None
    state: BatchState
    received: int
    declared: int | None
    counts: dict[AnnounceType, int]
    kind: str
    errors: tuple[str, ...] = ()
    file: str = ""
    announcements: tuple[Announcement, ...] = ()
    papers: tuple[Paper, ...] = ()
    archived: int = 0

    @property
    def has_failed(self) -> bool:
        """True when nothing, or not everything, could be had."""
        return self.state in (BatchState.FAILED, BatchState.PARTIAL)

    def for_programs(self) -> dict[str, Any]:
        """The JSON object of `paperboy fetch --json`."""
        return {
            "category": self.category,
            "date": self.day.isoformat() if self.day else None,
            "state": str(self.state),
            "counts": {str(kind): self.counts.get(kind, 0) for kind in AnnounceType},
            "received": self.received,
            "declared": self.declared,
            "kind": self.kind,
            "file": self.file,
            "errors": list(self.errors),
            "papers": [
                *(
                    paper_facts(one.paper) | {"announce_type": str(one.announce_type)}
                    for one in self.announcements
                ),
                *(paper_facts(paper) | {"announce_type": None} for paper in self.papers),
            ],
        }

    def for_people(self) -> str:
        """One line."""
        where = " ".join(filter(None, (self.category or self.file, self.day.isoformat() if self.day else "")))
        counted = " + ".join(f"{count} {kind}" for kind, count in self.counts.items() if count)
        held = counted or f"{self.received} {'paper' if self.received == 1 else 'papers'}"
        of = f", {self.received} of {self.declared}" if self.declared is not None else ""
        more = f", {self.archived} archived" if self.archived > self.received else ""
        return f"{where}: {held}{of} ({self.state}{more})"


def from_files(store: Store, files: Sequence[Path], kind: str | None, category: str) -> tuple[Fetched, ...]:
    """Archives captured responses of any known kind, each file on its own: one that is no feed spoils no other."""
    now = app.clock()
    return tuple(_from_file(store, path, kind, category, now) for path in files)


def _from_file(store: Store, path: Path, kind: str | None, category: str, now: datetime) -> Fetched:
    try:
        feed = kinds.parse(path.read_bytes(), kind, category=category)
    except OSError as error:
        return _failed_file(path, f"{path}: cannot be read: {error.strerror}")
    except (UnknownInput, SourceError) as error:
        return _failed_file(path, f"{path}: {error}")
    feed = replace(feed, category=feed.category or category)
    batch = jobs.take_captured(store, feed, now)
    return _fetched(feed, batch, path)


def _failed_file(path: Path, error: str) -> Fetched:
    return Fetched("", None, BatchState.FAILED, 0, None, {}, "", (error,), str(path))


def _fetched(feed: ParsedFeed, batch: Batch | None, path: Path) -> Fetched:
    problems = tuple(f"{path}: {one.entry}: {one.problem}" for one in feed.problems)
    errors = tuple(f"{path}: {error}" for error in feed.errors)
    cut = (f"{path}: breaks off in the middle; what is whole is kept",) if feed.truncated else ()
    state = batch.state if batch is not None else _state(feed, bool(errors), bool(cut or problems))
    return Fetched(
        feed.category,
        feed.date,
        state,
        len(feed.announcements) + len(feed.papers),
        feed.declared,
        _counts(feed.announcements),
        feed.kind,
        (*errors, *cut, *problems),
        str(path),
        feed.announcements,
        feed.papers,
        batch.received if batch is not None else 0,
    )


def _state(feed: ParsedFeed, has_failed: bool, is_partial: bool) -> BatchState:
    if has_failed:
        return BatchState.FAILED
    if is_partial:
        return BatchState.PARTIAL
    return BatchState.FRESH if feed.announcements or feed.papers else BatchState.QUIET


def _counts(announcements: Sequence[Announcement]) -> dict[AnnounceType, int]:
    return {
        kind: sum(one.announce_type is kind for one in announcements)
        for kind in AnnounceType
        if any(one.announce_type is kind for one in announcements)
    }


def from_network(settings: Settings, names: Sequence[str], record: Path | None = None) -> tuple[Fetched, ...]:
    """Fetches the newest announcement of `names`, or of every wanted category and every other source that is on.

    With `record` every answer is kept in that folder. Raises SettingsError for no category and no source.
    """
    others = app.others(settings).names
    for name in names:
        if name not in CATEGORIES and name not in others:
            raise SettingsError(
                f"{name!r} is no arXiv category (such as cs.LG or hep-th) and no source that is on"
            )
    return asyncio.run(_from_network(settings, names, record))


async def _from_network(settings: Settings, names: Sequence[str], folder: Path | None) -> tuple[Fetched, ...]:
    store = StoreThread(app.open_seeded(settings.database))
    try:
        wanted = names or (
            *await store.call(lambda store: wanted_categories(store, settings.categories)),
            *app.others(settings).names,
        )
        record = recording.recording_wire(settings, folder) if folder is not None else None
        # Recorded answers are whole ones: nothing is remembered that a server could say "not modified" to.
        memory = store if record is None else None
        async with (
            app.source_client(settings, memory, record) as client,
            app.web_client(settings, memory, record) as web,
        ):
            outcomes: list[recording.Outcome] = []
            for name in wanted:
                now = app.clock()
                if name in CATEGORIES:
                    outcomes.append(await recording.fetch_category(client, store, name, now, record))
                else:
                    sources = app.others(settings)
                    outcomes.append(await recording.fetch_other(web, store, sources, name, now, record))
    finally:
        store.close()
    return tuple(map(_of_outcome, outcomes))


def from_recording(settings: Settings, folder: Path) -> tuple[Fetched, ...]:
    """Archives a recording, offline; what came of each of its runs. Raises UnknownInput for what is none."""
    return asyncio.run(_from_recording(settings, folder))


async def _from_recording(settings: Settings, folder: Path) -> tuple[Fetched, ...]:
    store = StoreThread(app.open_seeded(settings.database))
    try:
        return tuple(map(_of_outcome, await recording.replay(store, folder)))
    finally:
        store.close()


def _of_outcome(outcome: recording.Outcome) -> Fetched:
    return _of_batch(outcome) if isinstance(outcome, Batch) else _of_source(outcome)


def _of_source(state: SourceState) -> Fetched:
    reached = BatchState.PARTIAL if state.found else BatchState.FAILED
    whole = BatchState.FRESH if state.found else BatchState.QUIET
    errors = _errors(state.title, state.causes)
    day = reached if state.causes else whole
    return Fetched(state.title, None, day, state.found, None, {}, "source", errors)


def _errors(name: str, causes: tuple[Cause, ...]) -> tuple[str, ...]:
    return (f"{name}: {causes_words(causes, translator('en'))}",) if causes else ()


def _of_batch(batch: Batch) -> Fetched:
    bad = batch.state in (BatchState.FAILED, BatchState.PARTIAL)
    errors = _errors(batch.category, batch.causes) if bad else ()
    return Fetched(
        batch.category,
        batch.date,
        batch.state,
        batch.received,
        batch.declared,
        dict(batch.counts),
        batch.source,
        errors,
    )
