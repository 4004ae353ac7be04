"""A store with a day's papers and chats, an enricher on a fake model, and a clock that only tests move."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from bot import services
from bot.config import Settings, load_settings
from bot.render.words import words_object
from scheduler import editions, planning, query
from scheduler.enriching import Enricher, Waiting
from scheduler.models import BatchState, Chat, Digest, Paper, PaperId, Schedule, Wording
from scheduler.store import Store
from scheduler.store.thread import StoreThread
from tests.builders import TUESDAY, chat_in, feed, memory_store, paper
from tests.fakes.model_server import ModelServer, model_server

FIVE = datetime(2026, 9, 29, 5, 0, tzinfo=UTC)
"""When the day's papers come; digests are due at eight."""

ABSTRACT = "We propose a policy that learns to sail. It reaches 87% of the optimum in calm water."


def papers(count: int) -> tuple[Paper, ...]:
    """Papers that the query "policy" finds, in the announcement's order."""
    return tuple(
        paper(f"2609.{n:05}", f"Sail{n}: A policy for the sea", ABSTRACT) for n in range(1, count + 1)
    )


@dataclass
class Newsdesk:
    """`now` is the moment, `slept` what was waited for in seconds; waiting moves the clock."""

    server: ModelServer
    store: Store
    thread: StoreThread
    settings: Settings
    enricher: Enricher
    now: datetime = FIVE
    slept: list[float] = field(default_factory=list)
    planned: list[Digest] = field(default_factory=list)

    def announces(self, *announced: Paper, complete: bool = True) -> None:
        """cs.LG's day is there."""
        self.store.archive.store(feed(*announced), now=self.now)
        batch = self.store.batches.of("cs.LG", TUESDAY)
        assert batch is not None
        self.store.batches.put(
            replace(batch, state=BatchState.FRESH, first_seen=self.now, completed=self.now)
        )

    def chat(self, name: str, content: str, time: str = "08:00", *queries: str) -> Chat:
        """A chat that reads papers in `content` and follows "policy"."""
        joined = FIVE - timedelta(hours=2)
        chat = replace(chat_in(self.store, name, schedule=Schedule(time, "UTC"), now=joined), content=content)
        self.store.chats.save(chat, joined)
        for text in queries or ("policy",):
            self.store.chats.subscribe(chat.key, query.parse(text).canonical, text)
        return chat

    async def enriches(self, **later: float) -> None:
        """The timetable ticks, after some time."""
        self.now += timedelta(**later)
        await self.enricher.enrich_if_due(self.now)

    def plans(self, at: datetime | None = None) -> Digest | None:
        """The digests that are due are planned; the newest of them, None when there was none."""
        self.now = at or self.now
        before = len(self.planned)
        planner = editions.Planner(self._render, words=Waiting(self.enricher))
        work = editions.Work(planning.round_at(self.store, self.now, ["cs.LG"]))
        while not work.is_over:
            planner.step(self.store, work)
        return self.planned[-1] if len(self.planned) > before else None

    async def restarts(self, ahead: timedelta = planning.COMING) -> None:
        """Paperboy is stopped and started again on the same database; words are made so far ahead."""
        await self.enricher.close()
        self.enricher = services.enricher(
            self.settings, self.thread, lambda: self.now, self.sleep, ahead=ahead
        )

    def report(self) -> dict[str, Any]:
        """What `paperboy status --json` says of it."""
        return words_object(services.standing(self.settings, self.store, self.now))

    def _render(self, chat: Chat, digest: Digest, run_key: str) -> tuple[str, ...]:
        self.planned.append(digest)
        return ("{}",)

    def words(self, paper_id: str, lang: str = "zh") -> Wording:
        """A paper's words; empty ones where there are none."""
        for known in self.store.archive.by_ids([PaperId(paper_id)]):
            return known.wordings.get(lang, Wording(lang))
        raise AssertionError(paper_id)

    async def sleep(self, seconds: float) -> None:
        """Waiting, on the test's clock."""
        if seconds > 0:
            self.slept.append(round(seconds, 3))
            self.now += timedelta(seconds=seconds)


@asynccontextmanager
async def newsdesk(**settings: str) -> AsyncIterator[Newsdesk]:
    """A newsdesk with these settings (names in lower case, without the prefix) on top of a model's."""
    async with contextlib.AsyncExitStack() as stack:
        server = await stack.enter_async_context(model_server())
        store = memory_store()
        thread = StoreThread(store)
        stack.callback(thread.close)
        told = {"model_url": server.url, "model_name": "test-model", "model_key": "sk-nobody-may-read-this"}
        told |= {"calls_a_minute": "100000"} | settings
        given = {
            f"PAPERBOY_{name.upper()}": value.replace("{root}", server.root) for name, value in told.items()
        }
        read = load_settings(given)
        services.require_names(read)
        desk = Newsdesk(server, store, thread, read, services.enricher(read, thread, lambda: FIVE))
        await desk.restarts()
        stack.push_async_callback(lambda: desk.enricher.close())
        yield desk


def titles(told: Digest | None, lang: str = "zh") -> Sequence[str]:
    """The titles in a language of a digest's papers, "" for those without."""
    assert told is not None
    return [(one.wording(lang) or Wording(lang)).title for one in told.papers]
