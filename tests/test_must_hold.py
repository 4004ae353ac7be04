"""The 144 papers of seeds/002, read in by the importer: matching and search find the same, and the right ones."""

from __future__ import annotations

from io import StringIO

import pytest

from bot.importing import from_paths
from scheduler import query, seeds
from scheduler.matching import DayIndex
from scheduler.store import Store
from tests.announced import SEED
from tests.builders import MORNING, memory_store

COUNTS = {
    "RL": (62, 66),
    "AI": (4, 6),
    '"diffusion policy"': (1, 20),
    "化学": (0, 1),
    "强化学习": (141, 144),
}


@pytest.fixture(scope="module")
def store() -> Store:
    if not SEED.exists():
        pytest.skip("the shared seeds are not beside this checkout")
    store = memory_store()
    (imported,) = from_paths(store, [SEED], seeds.glossary(), MORNING, StringIO())
    assert not imported.errors
    return store


@pytest.mark.parametrize("text", list(COUNTS))
def test_a_days_words_are_found_rightly_and_alike(store: Store, text: str) -> None:
    known = store.archive.by_key(store.archive.keys())
    assert len(known) == 144
    index = DayIndex([(one.paper, one.wordings) for one in known], types=[one.types for one in known])
    matched = {known[place].key for place in index.papers(query.parse(text))}
    page = store.archive.search(query.parse(text), today=MORNING.date(), limit=200)
    assert {one.key for one in page.papers} == matched
    least, most = COUNTS[text]
    assert least <= len(matched) <= most
    assert page.total == len(matched)


def test_a_phrase_finds_its_plural(store: Store) -> None:
    page = store.archive.search(query.parse('"diffusion policy"'), today=MORNING.date(), limit=200)
    assert any(
        "diffusion policies" in f"{one.paper.title} {one.paper.abstract}".lower() for one in page.papers
    )
