"""One paper by its id, fetched because somebody wants its card now and the archive has it not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from enum import StrEnum

from scheduler import jobs, paper_ids
from scheduler.models import Cause, PaperId, ParsedFeed
from scheduler.sources import arxiv
from scheduler.sources.http import SourceClient, Surface
from scheduler.store import Store
from scheduler.store.thread import StoreThread

logger = logging.getLogger(__name__)

AT_ONCE = 10
"""Papers looked up at the same time: half a minute of arXiv's pace, which the day's announcement shares."""

PATIENCE = 90.0
"""Seconds after which who asked is told that arXiv does not answer."""

UNKNOWN_FOR = timedelta(hours=1)
"""How long it is remembered that arXiv has no paper of an id."""

REMEMBERED_AT_MOST = 1_000


class Finding(StrEnum):
    """What came of looking a paper up: it is archived now, arXiv has none, no answer, or too many are asked for."""

    FOUND = "found"
    UNKNOWN = "unknown"
    NO_ANSWER = "no answer"
    BUSY = "busy"


class Lookups:
    """Looks papers up at arXiv's query API, at the pace that everything of arXiv's shares."""

    def __init__(self, client: SourceClient, store: StoreThread, clock: Callable[[], datetime]) -> None:
        self._client = client
        self._store = store
        self._clock = clock
        self._asked: dict[PaperId, asyncio.Task[Finding]] = {}
        self._unknown: dict[PaperId, datetime] = {}

    async def find(self, paper_id: PaperId) -> Finding:
        """Fetches the paper into the archive and says what came of it; never raises for a source's failure.

        Those who ask for the same paper at the same time wait for one request.
        """
        if not paper_ids.is_arxiv(paper_id) or self._is_unknown(paper_id):
            return Finding.UNKNOWN
        asked = self._asked.get(paper_id)
        if asked is None:
            if len(self._asked) >= AT_ONCE:
                return Finding.BUSY
            asked = self._asked[paper_id] = asyncio.create_task(self._fetch(paper_id))
            asked.add_done_callback(lambda _task: self._asked.pop(paper_id, None))
        done, _ = await asyncio.wait({asked}, timeout=PATIENCE)
        return asked.result() if done and not asked.cancelled() else Finding.NO_ANSWER

    async def close(self) -> None:
        """Gives up what is still being fetched."""
        left = list(self._asked.values())
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def _is_unknown(self, paper_id: PaperId) -> bool:
        told = self._unknown.get(paper_id)
        return told is not None and self._clock() < told + UNKNOWN_FOR

    async def _fetch(self, paper_id: PaperId) -> Finding:
        now = self._clock()
        if await self._store.call(lambda store: jobs.is_paused(store, Surface.API, now)):
            return Finding.NO_ANSWER
        found = await jobs.ask_source(
            self._store, Surface.API, now, lambda: arxiv.fetch_papers(self._client, [paper_id])
        )
        if isinstance(found, Cause) or found.errors or found.problems or found.truncated:
            logger.warning("%s could not be looked up: %s", paper_id, _reason(found))
            return Finding.NO_ANSWER
        return await self._store.call(lambda store: self._keep(store, found, paper_id, now))

    def _keep(self, store: Store, found: ParsedFeed, paper_id: PaperId, now: datetime) -> Finding:
        if not any(paper.id == paper_id for paper in found.papers):
            if len(self._unknown) >= REMEMBERED_AT_MOST:
                self._unknown.clear()
            self._unknown[paper_id] = now
            return Finding.UNKNOWN
        store.archive.store(found, now=now)
        return Finding.FOUND


def _reason(found: ParsedFeed | Cause) -> str:
    if isinstance(found, Cause):
        return str(found)
    return "; ".join((*found.errors, *(one.problem for one in found.problems))) or "the answer breaks off"
