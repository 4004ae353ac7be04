"""What chats were told of, as lists of papers that many share."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlite_utils import Database

from scheduler.models import Chat, ChatRef, Platform
from scheduler.store import Store, open_store
from scheduler.store import told as told_lists
from scheduler.store.outbox import Issue
from scheduler.store.schema import MIGRATIONS
from tests.builders import MORNING, TUESDAY, chat_in, memory_store

PAPERS = range(1, 9)


@pytest.fixture
def store() -> Iterator[Store]:
    opened = memory_store()
    yield opened
    opened.close()


def tell(store: Store, run: str, papers: tuple[int, ...], *chats: Chat) -> None:
    with store.writing():
        edition = store.outbox.edition("{}", ("part",), papers, TUESDAY)
        store.outbox.issue([Issue(one.key, run, edition, MORNING.timestamp()) for one in chats], MORNING)


def told(store: Store, chat: Chat) -> frozenset[int]:
    return store.outbox.delivered(chat.key, PAPERS)


def test_who_gets_an_edition_was_told_of_its_papers_and_nobody_else(store: Store) -> None:
    ada, bo, cy = (chat_in(store, name) for name in ("ada", "bo", "cy"))
    tell(store, "a", (3, 2), ada, bo)
    tell(store, "b", (5,), bo)
    tell(store, "c", (2, 3), cy)
    assert [told(store, one) for one in (ada, bo, cy)] == [{2, 3}, {2, 3, 5}, {2, 3}]
    (shared,) = store.outbox.lists.with_any_of([3])
    assert store.outbox.lists.who_got([ada.key, cy.key], [shared]) == {ada.key: (shared,), cy.key: (shared,)}
    assert store.outbox.lists.with_any_of([]) == store.outbox.lists.with_any_of([8]) == ()


def test_the_first_run_with_a_paper_is_named(store: Store) -> None:
    ada, bo = chat_in(store), chat_in(store, "bo")
    tell(store, "first", (1, 2), ada)
    tell(store, "second", (12, 3), ada, bo)
    found = store.outbox.run_with(ada.key, 2)
    assert found is not None
    assert found.run_key == "first"
    assert store.outbox.run_with(bo.key, 2) is None


def test_what_was_told_moves_with_the_chat_and_goes_with_it(store: Store) -> None:
    ada, bo = chat_in(store), chat_in(store, "bo")
    tell(store, "same", (1,), ada)
    tell(store, "same", (2,), bo)
    store.chats.move(ada.key, ChatRef(Platform.CONSOLE, "bo"))
    assert told(store, ada) == {1, 2}
    store.chats.forget(ada.key)
    assert told(store, ada) == set()


def test_a_run_that_cannot_be_planned_leaves_no_list(store: Store) -> None:
    ada, bo = chat_in(store), chat_in(store, "bo")
    tell(store, "run", (1,), ada)
    with pytest.raises(sqlite3.IntegrityError):
        tell(store, "run", (2,), bo, ada)
    assert told(store, ada) == {1}
    assert told(store, bo) == set()
    assert store.outbox.lists.with_any_of([2]) == ()
    assert not store.outbox.is_planned(bo.key, "run")


def test_lists_of_before_are_found_by_their_papers(tmp_path: Path) -> None:
    path = tmp_path / "paperboy.sqlite"
    old = Database(path)
    MIGRATIONS.apply(old, stop_before="m015_lists_by_paper")
    old.execute("insert into told(key, papers) values (5, '3,12'), (6, '')")
    old.execute("insert into digest(chat, run_key, body, planned, told) values (1, 'run', '{}', '2026', 5)")
    old.close()
    store = open_store(path)
    assert store.outbox.delivered(1, [1, 2, 3, 12]) == {3, 12}
    store.close()


Telling = tuple[frozenset[int], frozenset[int]]
TELLINGS: st.SearchStrategy[list[Telling]] = st.lists(
    st.tuples(st.frozensets(st.sampled_from(range(5))), st.frozensets(st.sampled_from(PAPERS))), max_size=8
)


@given(TELLINGS, st.frozensets(st.sampled_from(PAPERS)), st.sampled_from((0, 100)))
def test_many_chats_are_told_apart_as_one_by_one(
    tellings: list[Telling], papers: frozenset[int], many: int
) -> None:
    store = memory_store()
    chats = [chat_in(store, str(number)) for number in range(5)]
    expected = {chat.key: frozenset[int]() for chat in chats}
    for run, (readers, told_of) in enumerate(tellings):
        tell(store, str(run), tuple(told_of), *(chats[place] for place in readers))
        for place in readers:
            expected[chats[place].key] |= told_of & papers
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(told_lists, "MANY_LISTS", many)
        alone = {chat.key: store.outbox.delivered(chat.key, papers) for chat in chats}
        together = store.outbox.lists.who_got(
            [chat.key for chat in chats[1:4]], store.outbox.lists.with_any_of(papers)
        )
    assert alone == expected
    for chat in chats[1:4]:
        assert store.outbox.lists.papers_of(together.get(chat.key, ())) & papers == expected[chat.key]
    assert set(together) <= {chat.key for chat in chats[1:4]}
    store.close()
