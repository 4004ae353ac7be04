"""An answer that is archived already costs no look at its papers, until one of them is changed by another."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

import pytest

from scheduler.models import AnnounceType, Author, Paper, PaperId, ParsedFeed
from scheduler.store import Store
from scheduler.store.replays import KEPT_DAYS, Replays, digest_of
from tests.builders import MORNING, TUESDAY, feed, memory_store, paper

ONE = paper("2609.00001", "World models", "An abstract")
DAY = feed(ONE, paper("2609.00002", "Bandits"))

OTHER_VALUES: dict[str, Any] = {
    "version": 7,
    "authors": (Author("Ada Lovelace", "London"),),
    "categories": ("cs.LG", "cs.AI"),
    "withdrawn": True,
    "submitted": MORNING,
    "updated": MORNING,
}


@pytest.fixture
def store() -> Store:
    return memory_store()


def is_known(store: Store, answer: ParsedFeed) -> bool:
    replays = Replays(store.db)
    digest = replays.find(answer)
    return digest is not None and replays.is_known(answer, digest)


@pytest.mark.parametrize("name", [field.name for field in fields(Paper)])
def test_every_field_of_a_paper_counts(name: str) -> None:
    other = replace(ONE, **{name: OTHER_VALUES.get(name, "something else")})
    assert digest_of(feed(ONE)) != digest_of(feed(other))


def test_so_do_type_date_category_order_and_number() -> None:
    two = replace(ONE, id=PaperId("2609.00003"))
    different = [
        feed(ONE),
        feed(ONE, kind=AnnounceType.CROSS),
        feed(ONE, day=TUESDAY + timedelta(days=1)),
        feed(ONE, category="cs.AI"),
        feed(ONE, two),
        feed(two, ONE),
        feed(),
    ]
    assert len({digest_of(each) for each in different}) == len(different)


def test_words_do_not_slip_from_one_field_into_the_next() -> None:
    assert digest_of(feed(replace(ONE, title="ab", abstract="c"))) != digest_of(
        feed(replace(ONE, title="a", abstract="bc"))
    )


def test_readable_and_raw_abstract_are_told_apart_whichever_of_them_is_plain() -> None:
    plain, accented = "Godel numbers", "Gödel numbers"
    assert digest_of(feed(replace(ONE, abstract=plain, raw_abstract=accented))) != digest_of(
        feed(replace(ONE, abstract=accented, raw_abstract=plain))
    )


def test_what_is_archived_is_known_until_one_of_its_papers_changes(store: Store) -> None:
    assert not is_known(store, DAY)
    store.archive.store(DAY, now=MORNING)
    assert is_known(store, DAY)
    store.archive.store(feed(paper("2609.00009", "Something new"), category="cs.AI"), now=MORNING)
    assert is_known(store, DAY)
    revised = feed(replace(ONE, version=2), category="cs.AI", kind=AnnounceType.REPLACE)
    store.archive.store(revised, now=MORNING)
    assert not is_known(store, DAY)
    assert is_known(store, revised)


def test_an_answer_that_is_read_again_after_a_change_is_merged_as_ever(store: Store) -> None:
    store.archive.store(DAY, now=MORNING)
    reworded = ParsedFeed("arxiv-api", "arxiv", papers=(replace(ONE, abstract="Other words"),))
    store.archive.store(reworded, now=MORNING)
    store.archive.store(DAY, now=MORNING)
    known = store.archive.by_id(ONE.id)
    assert known is not None
    assert known.paper.abstract == "An abstract"


def test_a_changed_answer_is_no_known_one(store: Store) -> None:
    store.archive.store(DAY, now=MORNING)
    more = replace(DAY, announcements=(*DAY.announcements, *feed(paper("2609.00003")).announcements))
    assert not is_known(store, more)
    batch = store.archive.store(more, now=MORNING)
    assert batch is not None
    assert batch.received == 3
    assert not is_known(store, DAY)


def test_answers_without_a_day_are_not_kept(store: Store) -> None:
    undated = ParsedFeed("arxiv-api", "arxiv", papers=(ONE,))
    store.archive.store(undated, now=MORNING)
    assert not is_known(store, undated)


def test_old_days_are_forgotten(store: Store) -> None:
    store.archive.store(DAY, now=MORNING)
    later = TUESDAY + timedelta(days=KEPT_DAYS + 1)
    store.archive.store(feed(paper("2612.00001"), day=later), now=MORNING)
    assert not is_known(store, DAY)


def test_nothing_is_known_of_an_answer_whose_transaction_failed(store: Store) -> None:
    def killed_in_the_middle() -> None:
        with store.writing():
            store.archive.store(DAY, now=MORNING)
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        killed_in_the_middle()
    assert not is_known(store, DAY)
    store.archive.store(DAY, now=MORNING)
    assert len(store.archive.day(TUESDAY)) == 2
