"""Similar papers, and the order of a digest that suits a chat, in an archive of real size."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from scheduler import ranking, tastes
from scheduler.digest import Candidate
from scheduler.models import AnnounceType, Chat
from scheduler.store import Store, open_store
from scheduler.store.papers import Known
from tests.bench import corpus
from tests.bench.figures import Figure, Sizes, at_most, percentile
from tests.builders import MORNING, chat_in, feed

NEWEST = date(2026, 9, 29)
PER_DAY = 900
ASKED = 50
SHOWN = 40
COMPARED = 500
CHATS = 40
SIGNALS = 50
CANDIDATES = 30
PEER = "the vector of every paper compared (extrapolated)"


def measure(sizes: Sizes) -> list[Figure]:
    """p99 of /similar (CPU), what a chat's order costs in a round, and what learning its taste costs."""
    count = min(sizes.papers, 100_000)
    with TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "papers.db")
        try:
            _fill(store, count)
            return [_similar(store, count), *_for_you(store)]
        finally:
            store.close()


def _fill(store: Store, count: int) -> None:
    papers = list(corpus.papers(count))
    for start in range(0, count, PER_DAY):
        day = NEWEST - timedelta(days=(count - start) // PER_DAY)
        store.archive.store(feed(*papers[start : start + PER_DAY], day=day), now=MORNING)


def _some(store: Store, count: int, seed: int) -> tuple[Known, ...]:
    keys = [key for (key,) in store.db.execute("select key from paper order by key").fetchall()]
    return store.archive.by_key(random.Random(seed).sample(keys, min(count, len(keys))))


def _similar(store: Store, count: int) -> Figure:
    milliseconds = [_taken(partial(tastes.similar, store, one, SHOWN)) for one in _some(store, ASKED, 1)]
    peer = _against_all(store, _some(store, COMPARED, 2)) * count
    name = f"similar papers, {count:,} papers, p99"
    usual = percentile(milliseconds, 0.5)
    return at_most(name, percentile(milliseconds, 0.99), "ms", 100, peer=PEER, times=peer / usual)


def _against_all(store: Store, others: Sequence[Known]) -> float:
    """Milliseconds to compare one paper with another whose words are counted already."""
    counts = [ranking.term_counts(one.paper, one.wordings) for one in others]
    rarities = store.vocabulary.rarities(counts[0])
    own = ranking.vector(counts[0], rarities)
    return _taken(lambda: [ranking.nearness(own, rarities, each) for each in counts]) / len(counts)


def _for_you(store: Store) -> list[Figure]:
    chats = [_chat_with_signals(store, number) for number in range(CHATS)]
    newest = [
        Candidate(one.key, one.paper, AnnounceType.NEW, NEWEST, one.wordings, place)
        for place, one in enumerate(_some(store, 1500, 3))
    ]
    for entry in newest:
        store.vocabulary.vector(entry.paper, entry.wordings)
    learning = [_taken(partial(tastes.taste_of, store, chat)) for chat in chats]
    choose = random.Random(4)
    rounds = []
    for chat in chats:
        found = choose.sample(newest, min(CANDIDATES, len(newest)))
        rounds.append(_taken(partial(tastes.suits, store, chat, found, explained=True)))
    return [
        at_most(f"order for-you: a chat with {SIGNALS} signals", percentile(rounds, 0.5), "ms", 10),
        at_most("order for-you: learning after a new signal", percentile(learning, 0.5), "ms", 200),
    ]


def _chat_with_signals(store: Store, number: int) -> Chat:
    chat = chat_in(store, f"reader{number}")
    for one in _some(store, SIGNALS, 100 + number):
        store.library.save(f"console:reader{number}", chat.key, one.key, MORNING)
    return chat


def _taken(work: Callable[[], object]) -> float:
    """Milliseconds of CPU."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000
