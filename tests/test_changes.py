"""What changed in archived papers: written with the change itself, asked for by number."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from scheduler.models import AnnounceType, ChangeKind, Paper, PaperId, ParsedFeed
from scheduler.store import Store
from tests.builders import MORNING, TUESDAY, feed, memory_store, paper

FIRST = paper("2609.00001", "Bandits at sea", comments="12 pages")


@pytest.fixture
def store() -> Store:
    store = memory_store()
    store.archive.store(feed(FIRST), now=MORNING)
    return store


def seen_again(store: Store, after: Paper) -> list[tuple[ChangeKind, str, str]]:
    """What is noted when the paper comes again on the next day."""
    number = store.archive.last_change()
    day = TUESDAY + timedelta(days=1)
    store.archive.store(feed(after, kind=AnnounceType.REPLACE, day=day), now=MORNING + timedelta(days=1))
    return [(one.kind, one.old, one.new) for one in store.archive.changes_since(number)]


@pytest.mark.parametrize(
    ("after", "noted"),
    [
        pytest.param(FIRST, [], id="unchanged"),
        pytest.param(
            replace(FIRST, version=2, title="Bandits on land"),
            [(ChangeKind.VERSION, "1", "2"), (ChangeKind.TITLE, "Bandits at sea", "Bandits on land")],
            id="new version and title",
        ),
        pytest.param(
            replace(FIRST, version=3, comments="14 pages"),
            [(ChangeKind.VERSION, "1", "3"), (ChangeKind.COMMENTS, "12 pages", "14 pages")],
            id="new version and comments",
        ),
        pytest.param(
            replace(FIRST, title="Bandits at  the sea"), [], id="another source's wording of the same version"
        ),
        pytest.param(
            replace(FIRST, version=2, withdrawn=True),
            [(ChangeKind.VERSION, "1", "2"), (ChangeKind.WITHDRAWN, "", "yes")],
            id="withdrawn",
        ),
        pytest.param(replace(FIRST, doi="10.1/x"), [(ChangeKind.DOI, "", "10.1/x")], id="a DOI"),
        pytest.param(
            replace(FIRST, journal_ref="J. Sea 3"),
            [(ChangeKind.JOURNAL_REF, "", "J. Sea 3")],
            id="a journal reference",
        ),
        pytest.param(replace(FIRST, version=0), [], id="a source that knows no version"),
        pytest.param(replace(FIRST, comments=""), [], id="a source without comments"),
    ],
)
def test_what_a_reader_would_want_to_be_told_is_noted(
    store: Store, after: Paper, noted: list[tuple[ChangeKind, str, str]]
) -> None:
    assert seen_again(store, after) == noted
    assert seen_again(store, after) == []


def test_an_older_version_that_comes_later_is_no_change(store: Store) -> None:
    seen_again(store, replace(FIRST, version=2))
    assert seen_again(store, FIRST) == []


def test_a_version_that_only_now_becomes_known_is_no_new_one(store: Store) -> None:
    store.archive.store(feed(paper("2609.00002", version=0)), now=MORNING)
    assert seen_again(store, paper("2609.00002", version=1)) == []


def test_changes_are_asked_for_by_number_and_by_paper(store: Store) -> None:
    other = paper("2609.00002", "World models")
    store.archive.store(feed(other), now=MORNING)
    seen_again(store, replace(FIRST, version=2))
    between = store.archive.last_change()
    seen_again(store, replace(other, version=2))
    later = store.archive.changes_since(between)
    assert [change.new for change in later] == ["2"]
    assert later[0].at == MORNING + timedelta(days=1)
    known = store.archive.by_id(FIRST.id)
    assert known is not None
    assert [change.number for change in store.archive.changes_since(0, [known.key])] == [between]
    assert store.archive.changes_since(0, []) == ()
    assert len(store.archive.changes_since(0)) == 2


def test_a_change_that_could_not_be_archived_is_not_noted(store: Store) -> None:
    def killed_in_the_middle() -> None:
        with store.writing():
            seen_again(store, replace(FIRST, version=2))
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        killed_in_the_middle()
    assert store.archive.changes_since(0) == ()


def test_changes_follow_a_paper_that_gets_another_key(store: Store) -> None:
    older = paper("2601.00007", "Old seas")
    store.archive.store(ParsedFeed("arxiv-api", "arxiv", papers=(older,)), now=MORNING)
    store.archive.store(ParsedFeed("arxiv-api", "arxiv", papers=(replace(older, version=2),)), now=MORNING)
    store.archive.store(feed(replace(older, version=2), kind=AnnounceType.REPLACE), now=MORNING)
    known = store.archive.by_id(PaperId("2601.00007"))
    assert known is not None
    assert [change.kind for change in store.archive.changes_since(0, [known.key])] == [ChangeKind.VERSION]
