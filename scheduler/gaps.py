"""Days that were missed and are older than arXiv's catch-up pages reach: their papers come by OAI-PMH, for search.

OAI-PMH states when a record changed, never when its paper was announced, so nobody is told of them as a day's news.
"""

from __future__ import annotations

import asyncio
import json
import logging
from datetime import date, datetime

from scheduler import backfilling
from scheduler.backfilling import Sleep
from scheduler.errors import SourceError
from scheduler.sources.http import SourceClient
from scheduler.store import Store
from scheduler.store.thread import StoreThread

logger = logging.getLogger(__name__)

NOTE = "gaps"


def noted(store: Store) -> dict[str, date]:
    """The categories with such days, and the first day that each lacks."""
    read = json.loads(store.notes.get(NOTE, "{}"))
    return {category: date.fromisoformat(first) for category, first in read.items()}


def note(store: Store, category: str, first: date) -> None:
    """Remembers that a category lacks its papers from `first` on; an earlier day that is noted stays."""
    gaps = noted(store)
    _keep(store, gaps | {category: min(first, gaps.get(category, first))})


async def fill(client: SourceClient, store: StoreThread, now: datetime, sleep: Sleep = asyncio.sleep) -> None:
    """Fetches what is noted, one category after another; what fails, or is cut off, goes on at its place next time."""
    for category, first in (await store.call(noted)).items():
        added = 0
        try:
            async for step in backfilling.harvest(client, store, category, first, now, sleep):
                added += step.added
        except SourceError as error:
            logger.warning("%s: papers from %s on are still missing: %s", category, first, error)
            continue
        await store.call(lambda store, category=category: _forget(store, category))  # type: ignore[misc]
        logger.info("%s: %d papers from %s on came by OAI-PMH, for search", category, added, first)


def _forget(store: Store, category: str) -> None:
    _keep(store, {name: first for name, first in noted(store).items() if name != category})


def _keep(store: Store, gaps: dict[str, date]) -> None:
    store.notes[NOTE] = json.dumps({category: first.isoformat() for category, first in gaps.items()})
