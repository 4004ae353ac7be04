"""`paperboy site`: the archive written as a static site, or one brought up to date."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from bot.config import Settings
from bot.site.days import MadeDay, Make, Order
from bot.site.form import Form
from bot.site.update import Outcome, update
from bot.site.workers import WORTH_IT, working
from scheduler import topics
from scheduler.store import Store


def publish(
    store: Store, settings: Settings, folder: Path, lang: str, base: str, newest: int | None
) -> Outcome:
    """Brings the site in `folder` up to date; a person at a terminal sees how far it is. Raises SiteError."""
    form = Form(lang, topics.catalogue(settings.topics), base)
    make = working(store, settings.database, form)
    return update(store, folder, form, newest, _watched(make) if sys.stderr.isatty() else make)


def _watched(make: Make) -> Make:
    def watched(orders: Sequence[Order]) -> Iterator[MadeDay]:
        if len(orders) < WORTH_IT:
            yield from make(orders)
            return
        with click.progressbar(make(orders), length=len(orders), label="Days", file=sys.stderr) as bar:
            yield from bar

    return watched


def in_words(folder: Path, outcome: Outcome) -> str:
    """What an update did, in a line."""
    return (
        f"{folder}: {len(outcome.days)} of {outcome.all_days} days new or changed; "
        f"{len(outcome.written)} files written, {len(outcome.removed)} removed"
    )
