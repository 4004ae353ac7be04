"""Search in an archive, newest first, against SQLite's own ranking."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlite_utils import Database

from scheduler import query
from scheduler.query import Query
from scheduler.store import open_store, search
from scheduler.store.database import writing
from scheduler.store.rows import day_keys
from scheduler.tokens import document
from tests.bench import corpus
from tests.bench.figures import ROUNDS, Figure, Sizes, at_most, percentile

TODAY = date(2026, 9, 29)
PER_DAY = 900
ROWS = 10
PAGES = 50
QUERIES = 200
PEER_QUERIES = 5
PEER = f"select … match 'model' order by bm25 limit {ROWS}"
COMMON_WORD = "model"


def measure(sizes: Sizes) -> list[Figure]:
    """p99 of one page by kind of query, for page 1 and page 50, and the index's size."""
    most = 20 if sizes.papers >= 3_000_000 else 5
    with TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "papers.db")
        try:
            characters = _fill(store.db, sizes.papers)
            figures = [
                at_most(f"search {kind}, page {page}, {sizes.papers:,} papers, p99", milliseconds, "ms", most)
                for kind, page, milliseconds in _percentiles(store.db)
            ]
            figures.append(_against_peer(store.db, sizes, most))
            size = sum(each.stat().st_size for each in Path(folder).iterdir()) / sizes.papers / 1000
            name = f"search: index a paper ({characters / sizes.papers / 1000:.2f} kB of text)"
            figures.append(at_most(name, size, "kB", 1.4))
            return figures
        finally:
            store.close()


def _fill(db: Database, count: int) -> int:
    """An index of `count` papers, day by day; the characters of their titles and abstracts."""
    characters, changes, last = 0, search.IndexChanges(db), 0
    with writing(db):
        for number, paper in enumerate(corpus.papers(count)):
            days_ago = (count - 1 - number) // PER_DAY
            if days_ago != last:
                changes.write()
                last = days_ago
            first, _ = day_keys(TODAY - timedelta(days=days_ago))
            changes.change(first + number % PER_DAY + 1, None, document(paper, {}))
            characters += len(paper.title) + len(paper.abstract)
        changes.write()
        while search.tidy(db, 10_000):  # as the timetable does step by step between two announcements
            pass
    db.execute("pragma wal_checkpoint(truncate)").fetchall()
    return characters


def _percentiles(db: Database) -> Iterator[tuple[str, int, float]]:
    for kind, texts in _queries().items():
        parsed = [query.parse(text) for text in texts]
        yield kind, 1, percentile([_page(db, each, None) for each in parsed], 0.99)
        far = [(each, _before_page(db, each, PAGES)) for each in parsed]
        deep = [_page(db, each, before) for each, before in far if before is not None]
        if deep:
            yield kind, PAGES, percentile(deep, 0.99)


def _queries() -> dict[str, list[str]]:
    """QUERIES texts of each kind, of words that one paper of the archive has (the oldest ones: the worst case)."""
    choose = random.Random(5)
    too_common = {*corpus.COMMON[: corpus.FUNCTION_WORDS], "OR"}
    found: dict[str, list[str]] = {}
    for paper in corpus.papers(QUERIES):
        written = paper.abstract.replace(".", "").split()
        place = choose.choice(
            [at for at, pair in enumerate(pairwise(written)) if too_common.isdisjoint(pair)]
        )
        one, two = written[place : place + 2]
        three = choose.choice(
            [word for word in written if word not in (*too_common, one, two, "survey", "surveys")]
        )
        found.setdefault("one word", []).append(one)
        found.setdefault("three words", []).append(f"{one} {two} {three}")
        found.setdefault("phrase", []).append(f'"{one} {two}"')
        found.setdefault("boolean", []).append(f"({one} OR {two}) {three} -survey")
        found.setdefault("word and category", []).append(f"{one} cat:{paper.primary_category}")
    return found


def _page(db: Database, wanted: Query, before: int | None) -> float:
    """Milliseconds (CPU) of one page with its count, as the commands ask for it: the best of a few rounds."""
    taken = []
    for _ in range(ROUNDS):
        patience = search.Patience(time.perf_counter)
        start = time.thread_time()
        search.search(db, wanted, today=TODAY, limit=ROWS, before=before, patience=patience)
        taken.append(time.thread_time() - start)
    return min(taken) * 1000


def _before_page(db: Database, wanted: Query, page: int) -> int | None:
    return search.search(db, wanted, today=TODAY, limit=ROWS * (page - 1)).next_before


def _against_peer(db: Database, sizes: Sizes, most: float) -> Figure:
    ours = percentile([_page(db, query.parse(COMMON_WORD), None) for _ in range(QUERIES)], 0.5)
    peer = percentile([_bm25(db) for _ in range(PEER_QUERIES)], 0.5)
    name = f"search for a common word, {sizes.papers:,} papers, p50"
    least = 1000 if sizes.papers >= 3_000_000 else 100
    return at_most(name, ours, "ms", most, peer=PEER, times=peer / ours, least=least)


def _bm25(db: Database) -> float:
    start = time.thread_time()
    db.execute(
        "select rowid from paper_text where paper_text match ? order by bm25(paper_text) limit ?",
        [COMMON_WORD, ROWS],
    ).fetchall()
    return (time.thread_time() - start) * 1000
