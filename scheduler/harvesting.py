"""The sources beside arXiv, each by itself: once an hour, from where it was whole the last time.

names of the settings | those that are due | one fetch each | filed by day | store.archive | a note of how it went

A paper that was posted long ago is archived without an announcement: a feed that an operator adds today is searched
whole, and nobody is told its old entries.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from urllib.parse import urlsplit

from scheduler import causes
from scheduler.errors import SourceError
from scheduler.models import Announcement, Cause, CauseKind, EntryProblem, ParsedFeed
from scheduler.sources import others
from scheduler.sources.http import Remembered, WebClient
from scheduler.sources.names import HUGGINGFACE, PREPRINT_SERVERS, SOURCES
from scheduler.store import Store
from scheduler.store.answers import KeptAnswer
from scheduler.store.thread import StoreThread

logger = logging.getLogger(__name__)

EVERY = timedelta(hours=1)
LOOK_BACK = timedelta(days=1)
"""Servers add to a day that they have begun to show."""
FARTHEST = timedelta(days=14)
"""Downtime of more days is not made up for."""
STILL_NEWS = timedelta(days=14)
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Others:
    """Which other sources are on, and where they are: names of SOURCES, and the addresses of feeds."""

    sources: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    biorxiv_url: str = "https://api.biorxiv.org"
    huggingface_url: str = "https://huggingface.co"
    allow_private: bool = False
    pace: float = others.PACE

    @property
    def names(self) -> tuple[str, ...]:
        """Every source that is on: a name of SOURCES or a feed's address."""
        return (*self.sources, *self.feeds)


@dataclass(frozen=True, slots=True)
class SourceState:
    """How it went with one source the last time: `found` papers, and why not all (() when all is well).

    `whole_until` is the newest day up to which everything is archived, None before the first success.
    """

    name: str
    asked: datetime
    found: int = 0
    causes: tuple[Cause, ...] = ()
    whole_until: date | None = None

    @property
    def title(self) -> str:
        """The source's name to be read by anybody."""
        return title_of(self.name)


def title_of(name: str) -> str:
    """A source's name to be read by anybody: a feed's host, for its address may hold a key."""
    return name if name in SOURCES else urlsplit(name).hostname or "feed"


class StoreMemory:
    """Keeps answers for conditional requests in the store (`scheduler.sources.http.Memory`)."""

    def __init__(self, store: StoreThread) -> None:
        self._store = store

    async def recall(self, address: str) -> Remembered | None:
        """What was remembered of an address."""
        kept = await self._store.call(lambda store: store.answers.of(address))
        return None if kept is None else Remembered(kept.etag, kept.last_modified, kept.body)

    async def remember(self, address: str, what: Remembered) -> None:
        """Keeps `what`; only the newest are kept."""
        answer = KeptAnswer(what.etag, what.last_modified, what.body)
        await self._store.call(lambda store: store.answers.keep(address, answer))


async def fetch_others_if_due(
    client: WebClient, store: StoreThread, wanted: Others, now: datetime
) -> tuple[SourceState, ...]:
    """Asks every source that was not asked within the hour, one after the other; how it went with each.

    Whatever fails is that source's own state: the others go on.
    """
    due = await store.call(lambda store: sources_due(store, wanted.names, now))
    return tuple([await fetch_source(client, store, wanted, name, now) for name in due])


async def fetch_source(
    client: WebClient, store: StoreThread, wanted: Others, name: str, now: datetime, first: date | None = None
) -> SourceState:
    """Asks one source, due or not, and archives what it gives from `first` (default: where it was whole) on; how it
    went."""
    before = await store.call(lambda store: state_of(store, name))
    first = first or first_day(before, now)
    try:
        answers = await fetch(client, wanted, name, first, now.astimezone(UTC).date())
        state = await store.call(lambda store: archive(store, name, answers, now))
    except SourceError as error:
        state = _failed(name, before, error, now)
    except Exception as error:
        state = _failed(name, before, error, now)
        logger.exception("reading %s failed", state.title)
    await store.call(lambda store: _note(store, state))
    logger.info("%s: %d papers %s", state.title, state.found, "; ".join(map(str, state.causes)))
    return state


def first_day(before: SourceState | None, now: datetime) -> date:
    """From which day on a source is asked: where it was whole, at most FARTHEST back; yesterday at first."""
    today = now.astimezone(UTC).date()
    whole = before.whole_until if before is not None else None
    return max((whole or today) - LOOK_BACK, today - FARTHEST)


async def fetch(
    client: WebClient, wanted: Others, name: str, first: date, today: date
) -> tuple[ParsedFeed, ...]:
    """What one source has from `first` to `today` (UTC days). Raises SourceError."""
    if name in PREPRINT_SERVERS:
        base, pace = wanted.biorxiv_url, wanted.pace
        return (await others.fetch_preprints(client, base, name, first, today, pace=pace),)
    if name == HUGGINGFACE:
        base, pace = wanted.huggingface_url, wanted.pace
        days = [first + DAY * number for number in range((today - first).days)]
        dated = [await others.fetch_daily_papers(client, base, day, pace=pace) for day in days]
        return (*dated, await others.fetch_daily_papers(client, base, pace=pace))
    allowed = wanted.allow_private
    return (await others.fetch_any_feed(client, name, allow_private=allowed, pace=wanted.pace),)


def archive(store: Store, name: str, answers: Sequence[ParsedFeed], now: datetime) -> SourceState:
    """Archives answers, each day as a batch of its own, in one transaction; the state of the source then."""
    found, problems, is_whole = 0, [], True
    with store.writing():
        for answer in answers:
            by_day, undated, odd = filed(answer, now)
            for one in (*by_day, undated):
                store.archive.store(one, now=now)
            found += len(answer.announcements) - len(odd)
            problems += [*answer.problems, *odd]
            is_whole = is_whole and not answer.truncated
    found_causes = [] if is_whole else [Cause(CauseKind.CUT)]
    if problems:
        found_causes.append(causes.of_problems(problems))
    before = state_of(store, name)
    done = now.astimezone(UTC).date() if is_whole else (before.whole_until if before else None)
    return SourceState(name, now, found, tuple(found_causes), done)


def filed(
    answer: ParsedFeed, now: datetime
) -> tuple[tuple[ParsedFeed, ...], ParsedFeed, tuple[EntryProblem, ...]]:
    """An answer as one announcement a day, its old papers without one, and entries that are dated in the future."""
    today = now.astimezone(UTC).date()
    days: dict[date, list[Announcement]] = {}
    old, odd = [], []
    for entry in answer.announcements:
        if entry.date > today + DAY:
            odd.append(EntryProblem(entry.paper.id, f"dated in the future ({entry.date})"))
        elif entry.date < today - STILL_NEWS:
            old.append(entry.paper)
        else:
            days.setdefault(entry.date, []).append(entry)
    plain = replace(answer, announcements=(), declared=None, truncated=False, problems=(), date=None)
    by_day = tuple(
        replace(plain, date=day, announcements=tuple(entries)) for day, entries in sorted(days.items())
    )
    return by_day, replace(plain, papers=(*answer.papers, *old)), tuple(odd)


def sources_due(store: Store, names: Iterable[str], now: datetime) -> tuple[str, ...]:
    """The sources that were not asked within the last hour."""
    states = {name: state_of(store, name) for name in dict.fromkeys(names)}
    return tuple(name for name, state in states.items() if state is None or now - state.asked >= EVERY)


def state_of(store: Store, name: str) -> SourceState | None:
    """How it went with a source the last time, None when it was never asked."""
    with suppress(KeyError, ValueError, TypeError):
        note = json.loads(store.notes[f"source:{name}"])
        whole = note["whole_until"]
        return SourceState(
            name,
            datetime.fromisoformat(note["asked"]),
            note["found"],
            causes.loaded(note["reason"]),
            date.fromisoformat(whole) if whole else None,
        )
    return None


def states(store: Store, names: Iterable[str]) -> dict[str, SourceState | None]:
    """How it went with each of these sources the last time, None for one that was never asked."""
    return {name: state_of(store, name) for name in names}


def _failed(name: str, before: SourceState | None, error: Exception, now: datetime) -> SourceState:
    return SourceState(
        name, now, 0, (causes.of_error(error),), before.whole_until if before is not None else None
    )


def _note(store: Store, state: SourceState) -> None:
    store.notes[f"source:{state.name}"] = json.dumps(
        {
            "asked": state.asked.isoformat(),
            "found": state.found,
            "reason": causes.dumped(state.causes),
            "whole_until": state.whole_until.isoformat() if state.whole_until else None,
        }
    )
