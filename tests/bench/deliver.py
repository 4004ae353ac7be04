"""From an archived day to messages on a platform: planning, rendering, enqueueing, and the sender.

The sender talks to a local Telegram in a process of its own.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from pathlib import Path

from bot.adapters.telegram import TelegramAdapter
from bot.deliveries import render
from bot.markup import Card
from bot.outbox import Sender
from bot.ports import Gone, Moved, Part, Paused, Reply, Request, Suggestion
from scheduler import digest, editions, planning
from scheduler.digest import Built
from scheduler.models import (
    Announcement,
    AnnounceType,
    Chat,
    ChatKind,
    ChatRef,
    DeliveryState,
    Paper,
    ParsedFeed,
    Platform,
    Schedule,
)
from scheduler.news import News, build_for_chat
from scheduler.sources import kinds
from scheduler.store import Store, open_store
from scheduler.store.chats import Defaults
from scheduler.store.outbox import Edition, Issue, Plan
from scheduler.store.thread import StoreThread
from tests.bench import corpus, ingest
from tests.bench.figures import Figure, Sizes, at_most, peak_megabytes
from tests.e2e.running import until
from tests.fakes.telegram_server import FakeTelegram

DAY = date(2026, 9, 29)
NOW = datetime(2026, 9, 29, 8, tzinfo=UTC)
RUN = "2026-09-29T08:00"
BEFORE = NOW - timedelta(hours=3)
DEFAULTS = Defaults(Schedule("08:00", "UTC"), {"en": "en"})
SUBJECTS, PAPERS_OF_A_SUBJECT = 300, 5
"""What readers of one day follow, and how many papers each subject has: chats that follow the same get the same."""

ROWS = 2000
RATE = 29


def measure(sizes: Sizes) -> list[Figure]:
    """CPU time of a whole day before sending and of its last part, of a row, and the sender's rate and share."""
    with tempfile.TemporaryDirectory() as folder:
        return [
            *_whole_day(Path(folder) / "day.sqlite", sizes),
            _enqueueing(Path(folder) / "enqueue.sqlite", sizes),
            *_rows(Path(folder) / "rows.sqlite"),
            *asyncio.run(_sending(Path(folder) / "send.sqlite", sizes.seconds)),
        ]


def _chats(store: Store, queries: Sequence[str]) -> list[Chat]:
    """A chat for each query, which it follows."""
    chats = []
    with store.writing():
        for number, text in enumerate(queries, start=1):
            ref = ChatRef(Platform.TELEGRAM, str(number))
            chat = store.chats.ensure(ref, ChatKind.PRIVATE, "", "en", DEFAULTS, BEFORE)
            store.chats.subscribe(chat.key, text, text)
            chats.append(chat)
    return chats


def _subject_papers(count: int) -> list[Paper]:
    """A day's papers, five of them for each of the subjects."""
    choose = random.Random(4)
    words: dict[int, list[str]] = {}
    for subject in range(SUBJECTS):
        for place in choose.sample(range(count), min(PAPERS_OF_A_SUBJECT, count)):
            words.setdefault(place, []).append(f"subject{subject}")
    return [
        replace(paper, abstract=" ".join([*words.get(place, ()), paper.abstract]))
        for place, paper in enumerate(corpus.papers(count))
    ]


def _announced(papers: Sequence[Paper]) -> ParsedFeed:
    announcements = tuple(Announcement(one, AnnounceType.NEW, DAY, "cs.LG") for one in papers)
    return ParsedFeed("arxiv-rss", "arxiv", "cs.LG", DAY, announcements)


def _whole_day(path: Path, sizes: Sizes) -> list[Figure]:
    """All before sending, as `paperboy run` does it: from the feed's bytes to the parts of everybody's digest."""
    papers = sizes.day * 3 // 2
    body = ingest.feed(_subject_papers(papers))
    store = open_store(path)
    try:
        _chats(store, [f"subject{number % SUBJECTS}" for number in range(sizes.subscriptions)])
        start = time.process_time()
        store.archive.store(kinds.parse(body), now=BEFORE)
        work, planner, planned = editions.Work(planning.round_at(store, NOW)), editions.Planner(render), 0
        while not work.is_over:
            planned += planner.step(store, work)
        taken = time.process_time() - start
        if planned != sizes.subscriptions:
            raise AssertionError(f"{planned} of {sizes.subscriptions} digests are in the outbox")
    finally:
        store.close()
    name = f"day: from the feed to the outbox, {papers:,} papers, {planned:,} chats"
    return [
        at_most(name, taken, "s CPU", 8 * _scale(sizes)),
        at_most(f"{name}: peak memory", peak_megabytes(), "MB", 400),
    ]


def _scale(sizes: Sizes) -> float:
    return max(1, sizes.subscriptions / 100_000)


def _enqueueing(path: Path, sizes: Sizes) -> Figure:
    """From the digest of each chat to its parts in the outbox, as many chats in a transaction as the planner takes."""
    store = open_store(path)
    try:
        store.archive.store(_announced(_subject_papers(sizes.day)), now=BEFORE)
        chats = _chats(store, [f"subject{number % SUBJECTS}" for number in range(sizes.subscriptions)])
        day = News().read(store, [DAY])
        digests = [build_for_chat(store, chat, day) for chat in chats[:SUBJECTS]]
        start = time.process_time()
        _enqueue(store, chats, digests)
        taken = time.process_time() - start
        planned = store.outbox.counts()[DeliveryState.PENDING]
        if planned < sizes.subscriptions:
            raise AssertionError(f"{planned} of {sizes.subscriptions} digests are in the outbox")
    finally:
        store.close()
    name = f"render and enqueue {len(chats):,} digests ({len(digests):,} different)"
    return at_most(name, taken, "s CPU", 2 * _scale(sizes))


def _enqueue(store: Store, chats: Sequence[Chat], digests: Sequence[Built]) -> None:
    made: dict[int, Edition] = {}
    for first in range(0, len(chats), editions.STEP):
        with store.writing():
            issues = []
            for place in range(first, min(first + editions.STEP, len(chats))):
                chat, kind = chats[place], place % len(digests)
                if kind not in made:
                    built = digests[kind]
                    parts = render(chat, built.digest, RUN)
                    made[kind] = store.outbox.edition(digest.dump(built.digest), parts, built.keys, DAY)
                issues.append(Issue(chat.key, RUN, made[kind], NOW.timestamp() + place / RATE))
            store.outbox.issue(issues, NOW)


def _rows(path: Path) -> list[Figure]:
    """The same rows in one transaction and with a commit each, at both settings of `synchronous`, by both clocks."""
    store = open_store(path)
    try:
        chats = _chats(store, [f"subject{number}" for number in range(ROWS)])
        text = Part((Card("A digest. " * 100),), "A digest. " * 100).to_json()
        with store.writing():
            edition = store.outbox.edition("{}", (text,), (), None)
        return [
            figure
            for synchronous in ("full", "normal")
            for figure in _rows_at(store, synchronous, chats, edition)
        ]
    finally:
        store.close()


def _rows_at(store: Store, synchronous: str, chats: Sequence[Chat], edition: Edition) -> list[Figure]:
    store.db.conn.execute(f"pragma synchronous = {synchronous}")
    together, alone = (
        [Issue(chat.key, f"{synchronous} {way}", edition, NOW.timestamp()) for chat in chats]
        for way in ("together", "alone")
    )
    batched = _clocks(lambda: store.outbox.issue(together, NOW))

    def one_by_one() -> None:
        for one in alone:
            store.outbox.issue([one], NOW)

    single = _clocks(one_by_one)
    return [
        at_most(
            f"outbox row, synchronous={synchronous}, {clock}",
            ours / len(chats) * 1e6,
            "µs",
            50,
            peer="a commit for each row",
            times=theirs / ours,
            least=20 if synchronous == "full" and clock == "wall" else 0,
        )
        for clock, ours, theirs in zip(("wall", "CPU"), batched, single, strict=True)
    ]


def _clocks(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the wall and of CPU."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


class _Elsewhere:
    """A local Telegram in a process of its own, so that its work is not counted as the sender's."""

    def __init__(self, people: int) -> None:
        self._here, there = Pipe()
        self._process = get_context("spawn").Process(target=_serve, args=(there, people), daemon=True)

    def __enter__(self) -> tuple[str, str, list[int]]:
        """Its token, its address, and its chats."""
        self._process.start()
        token, base_url, chats = self._here.recv()
        return token, base_url, chats

    def sent(self) -> int:
        """How many messages arrived so far."""
        self._here.send("sent")
        return int(self._here.recv())

    def __exit__(self, *_error: object) -> None:
        self._here.send("stop")
        self._process.join()


def _serve(there: Connection, people: int) -> None:
    asyncio.run(_serve_until_told(there, people))


async def _serve_until_told(there: Connection, people: int) -> None:
    server = FakeTelegram()
    await server.start()
    chats = [server.user(f"reader {number}").chat for number in range(people)]
    for chat in chats:
        chat.refusal = None
    there.send((server.token, server.base_url, [chat.id for chat in chats]))
    while await asyncio.to_thread(there.recv) == "sent":
        there.send(len(server.called("sendMessage")) if server.is_read else -1)
    await server.stop()


async def _sending(path: Path, seconds: int) -> list[Figure]:
    """The real sender and the real adapter; the CPU time is that of this process alone."""
    elsewhere = _Elsewhere(RATE * seconds)
    with elsewhere as (token, base_url, chats):
        store = StoreThread.open(path)
        try:
            await store.call(lambda opened: _fill(opened, chats))
            adapter = _adapter(token, base_url)
            running = asyncio.create_task(adapter.run())
            await until(lambda: elsewhere.sent() == 0)
            # The first second of a connection holds the platform back.
            await asyncio.sleep(1.5)
            sender = Sender(store, {Platform.TELEGRAM: adapter}, lambda: datetime.now(UTC))
            start, cpu = time.time(), time.process_time()
            await sender.drain()
            cpu = time.process_time() - cpu
            # Draining ends only when the last chats could get another message.
            wall = await store.call(_last_sent) - start
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            sent = elsewhere.sent()
        finally:
            store.close()
    if sent != len(chats):
        raise AssertionError(f"{sent} of {len(chats)} messages arrived")
    return [
        at_most("send: seconds for 29 messages", 29 * wall / sent, "s", 1.02),
        at_most("send: CPU at full rate", cpu / wall, "of a core", 0.15),
    ]


def _last_sent(store: Store) -> float:
    return float(store.db.execute("select max(sent_at) from delivery").fetchone()[0])


def _adapter(token: str, base_url: str) -> TelegramAdapter:
    async def answer(_request: Request) -> Reply:
        return Reply()

    async def suggest(_request: Request, _parameter: str) -> tuple[Suggestion, ...]:
        return ()

    async def standing(_ref: ChatRef, _change: Gone | Paused | Moved | None) -> None:
        return None

    return TelegramAdapter(
        token=token,
        base_url=base_url,
        answer=answer,
        suggest=suggest,
        commands=(),
        standing=standing,
        command_hashes={},
    )


def _fill(store: Store, chats: Sequence[int]) -> None:
    """One part for each of these people."""
    with store.writing():
        for number in chats:
            ref = ChatRef(Platform.TELEGRAM, str(number))
            chat = store.chats.ensure(ref, ChatKind.PRIVATE, "", "en", DEFAULTS, NOW)
            text = f"A digest for reader {number}. " * 40
            part = Part((Card(text),), text).to_json()
            store.outbox.enqueue(Plan(chat, "bench", "{}", (part,), (), None), NOW)
