"""`paperboy backfill`: older papers of a category into the archive, for search, with its progress on the terminal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import date
from typing import Any, TextIO

import click

from bot import app
from bot.config import Settings
from scheduler import backfilling
from scheduler.backfilling import Step
from scheduler.categories import CATEGORIES
from scheduler.errors import SettingsError, SourceError
from scheduler.sources.http import SourceClient
from scheduler.store.thread import StoreThread


@dataclass(slots=True)
class Backfilled:
    """What a backfill brought: papers received, how many of them are new to the archive, and slices that came short."""

    received: int = 0
    added: int = 0
    short: int = 0


def backfill(
    settings: Settings, category: str, since: date, until: date | None, via: str, out: TextIO
) -> Backfilled:
    """Fetches a category's papers submitted from `since` to `until` (default: today) that are not there yet.

    `via` is "api" (by day of submission) or "oai" (by day of change; no end). Progress goes to `out`: a bar on a
    terminal, else a line for each slice. Raises SettingsError, and SourceError when a source has failed for good.
    """
    last = until or app.clock().date()
    if category not in CATEGORIES:
        raise SettingsError(f"{category!r} is no arXiv category; one looks like cs.LG or hep-th")
    if since > last:
        raise SettingsError(f"--since {since} is after {last}; nothing was submitted in between")
    return asyncio.run(_backfill(settings, category, (since, last), via, out))


async def _backfill(
    settings: Settings, category: str, days: backfilling.Days, via: str, out: TextIO
) -> Backfilled:
    store = StoreThread(app.open_seeded(settings.database))
    try:
        async with app.source_client(settings) as client:
            steps = _steps(client, store, category, days, via, _waiting(out))
            return await _show(steps, category, days, via, out)
    finally:
        store.close()


def _steps(
    client: SourceClient,
    store: StoreThread,
    category: str,
    days: backfilling.Days,
    via: str,
    say: backfilling.Say,
) -> AsyncIterator[Step]:
    now = app.clock()
    if via == "oai":
        return backfilling.harvest(client, store, category, days[0], now, say=say)
    return backfilling.backfill(client, store, category, days, now, say=say)


def _waiting(out: TextIO) -> backfilling.Say:
    """Tells whoever sits before it why nothing happens for a while."""

    def say(error: SourceError, seconds: float) -> None:
        click.echo(
            f"paperboy: {error}; asked again in {seconds:.0f} s (Ctrl-C: go on another time)", file=out
        )

    return say


async def _show(
    steps: AsyncIterator[Step], category: str, days: backfilling.Days, via: str, out: TextIO
) -> Backfilled:
    result = Backfilled()
    wants_bar = out.isatty() and via == "api"
    with _bar(category, days, out) if wants_bar else nullcontext() as bar:
        async for step in steps:
            result.received += step.received
            result.added += step.added
            result.short += not step.is_whole
            (_advance(bar) if bar is not None else _line(category, out))(step)
    return result


def papers(count: int, of: str = "") -> str:
    """A number of papers in words: "1 paper", "3 of 5 papers"."""
    return f"{count}{of} {'paper' if count == 1 and not of else 'papers'}"


def _bar(category: str, days: backfilling.Days, out: TextIO) -> AbstractContextManager[Any]:
    return click.progressbar(length=backfilling.days_of([days]), label=category, file=out, show_pos=True)


def _advance(bar: Any) -> Callable[[Step], None]:
    def advance(step: Step) -> None:
        bar.length = step.total  # days that an earlier run did are not counted
        bar.update(step.done - bar.pos)

    return advance


def _line(category: str, out: TextIO) -> Callable[[Step], None]:
    def say(step: Step) -> None:
        first, last = step.days
        span = f"{first} to {last}" if first != last else f"{last}"
        of = f" of {step.declared}" if not step.is_whole else ""
        click.echo(f"{category} {span}: {papers(step.received, of)}, {step.added} new", file=out)

    return say
