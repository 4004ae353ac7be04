"""One paper known from several sources is one paper; two papers of one source never are."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlite_utils import Database

from scheduler import identity, query
from scheduler.models import Announcement, AnnounceType, Author, Paper, PaperId, ParsedFeed
from scheduler.store import Store, open_store
from tests.builders import MORNING, TUESDAY, feed, memory_store, paper

TITLE = "Gödel machines learn to sail upwind"


def from_biorxiv(
    doi: str = "10.1101/2026.09.01.123456", title: str = TITLE, author: str = "Lovelace, A."
) -> Paper:
    return Paper(
        PaperId(f"doi:{doi}"),
        1,
        title,
        "From bioRxiv.",
        (Author(author),),
        ("biorxiv", "neuroscience"),
        source="biorxiv",
        doi=doi,
        url=f"https://doi.org/{doi}",
    )


def from_arxiv(paper_id: str = "2609.00001", title: str = TITLE, **changes: str) -> Paper:
    return replace(paper(paper_id, title, "From arXiv."), **changes)  # type: ignore[arg-type]


def posted(one: Paper, day: date = TUESDAY) -> ParsedFeed:
    return ParsedFeed(
        "biorxiv", "biorxiv", "biorxiv", day, (Announcement(one, AnnounceType.NEW, day, "biorxiv"),)
    )


def archived(store: Store) -> list[str]:
    return [row["id"] for row in store.db.query("select id from paper order by key")]


def found(store: Store, text: str) -> list[str]:
    return [one.paper.id for one in store.archive.search(query.parse(text), today=TUESDAY, limit=9).papers]


@pytest.mark.parametrize("arxiv_first", [True, False])
def test_the_same_title_and_first_author_are_one_paper_under_arxivs_id(arxiv_first: bool) -> None:
    store = memory_store()
    feeds = [feed(from_arxiv(title="G\u00f6del Machines: learn to sail upwind!")), posted(from_biorxiv())]
    for one in feeds if arxiv_first else feeds[::-1]:
        store.archive.store(one, now=MORNING)
    assert archived(store) == ["2609.00001"]
    for name in ("2609.00001", "doi:10.1101/2026.09.01.123456"):
        known = store.archive.by_id(PaperId(name))
        assert known is not None
        assert (known.paper.id, known.paper.abstract) == ("2609.00001", "From arXiv.")
        assert known.paper.doi == "10.1101/2026.09.01.123456"
        assert known.paper.source == "arxiv biorxiv"
        assert {category for _, category, _ in known.announced} == {"cs.LG", "biorxiv"}
    assert found(store, "src:biorxiv") == found(store, "src:arxiv") == ["2609.00001"]
    assert len(store.archive.day(TUESDAY)) == 1


@pytest.mark.parametrize("arxiv_first", [True, False])
def test_the_same_doi_is_one_paper_whatever_the_titles(arxiv_first: bool) -> None:
    store = memory_store()
    feeds = [
        feed(from_arxiv(title="Another title altogether", doi="10.1101/2026.09.01.123456")),
        posted(from_biorxiv()),
    ]
    for one in feeds if arxiv_first else feeds[::-1]:
        store.archive.store(one, now=MORNING)
    assert archived(store) == ["2609.00001"]


def test_what_is_seen_again_changes_nothing() -> None:
    store = memory_store()
    feeds = [feed(from_arxiv()), posted(from_biorxiv())]
    for one in feeds:
        store.archive.store(one, now=MORNING)
    before = store.archive.by_id(PaperId("2609.00001"))
    written = list(store.db.query("select * from alias order by name, paper"))
    for one in feeds * 2:
        store.archive.store(one, now=MORNING)
    assert store.archive.by_id(PaperId("2609.00001")) == before
    assert list(store.db.query("select * from alias order by name, paper")) == written


def test_a_reply_is_not_what_it_replies_to() -> None:
    store = memory_store()
    store.archive.store(feed(from_arxiv()), now=MORNING)
    store.archive.store(posted(from_biorxiv(title=f"Reply to: {TITLE}")), now=MORNING)
    assert len(archived(store)) == 2


@pytest.mark.parametrize(
    "other",
    [
        from_arxiv("2609.00002"),
        from_arxiv("2609.00002", doi="10.1000/same"),
    ],
)
def test_two_arxiv_ids_are_two_papers(other: Paper) -> None:
    store = memory_store()
    store.archive.store(feed(from_arxiv(doi="10.1000/same"), other), now=MORNING)
    store.archive.store(feed(other), now=MORNING)
    assert archived(store) == ["2609.00001", "2609.00002"]


def test_two_dois_of_one_server_are_two_papers() -> None:
    store = memory_store()
    store.archive.store(posted(from_biorxiv()), now=MORNING)
    store.archive.store(posted(from_biorxiv("10.1101/2026.09.02.999999")), now=MORNING)
    assert len(archived(store)) == 2


@pytest.mark.parametrize(
    "other",
    [
        from_biorxiv(author="Babbage, C."),
        from_biorxiv(title="Gödel machines learn to sail downwind"),
        replace(from_biorxiv(), authors=()),
    ],
)
def test_another_author_or_title_is_another_paper(other: Paper) -> None:
    store = memory_store()
    store.archive.store(feed(from_arxiv()), now=MORNING)
    store.archive.store(posted(other), now=MORNING)
    assert len(archived(store)) == 2


def test_short_titles_say_nothing() -> None:
    store = memory_store()
    store.archive.store(feed(from_arxiv(title="Introduction")), now=MORNING)
    store.archive.store(posted(from_biorxiv(title="Introduction")), now=MORNING)
    assert len(archived(store)) == 2


def test_a_delivered_paper_keeps_its_key_when_arxiv_gets_it_too() -> None:
    store = memory_store()
    store.archive.store(posted(from_biorxiv()), now=MORNING)
    before = store.archive.by_id(from_biorxiv().id)
    store.archive.store(feed(from_arxiv(), day=date(2026, 9, 30)), now=MORNING)
    after = store.archive.by_id(PaperId("2609.00001"))
    assert before is not None
    assert after is not None
    assert before.key == after.key


def test_arxivs_record_is_kept_and_only_gaps_are_filled() -> None:
    thin = replace(from_arxiv(), abstract="", comments="9 pages")
    both = identity.united(from_biorxiv(), thin)
    assert (both.id, both.version, both.comments, both.abstract) == (
        "2609.00001",
        1,
        "9 pages",
        "From bioRxiv.",
    )
    assert both.categories == ("cs.LG",)
    assert (both.url, both.source) == ("", "arxiv biorxiv")
    withdrawn = replace(from_biorxiv(), withdrawn=True)
    assert not identity.united(from_arxiv(), withdrawn).withdrawn


def test_a_feed_that_names_a_preprint_leaves_the_servers_words_alone() -> None:
    blog = Paper(
        PaperId("url:https://blog.example/1"), 1, TITLE, "A teaser…", (Author("Ada Lovelace"),), source="feed"
    )
    both = identity.united(blog, from_biorxiv())
    assert (both.id, both.abstract) == ("doi:10.1101/2026.09.01.123456", "From bioRxiv.")
    assert identity.united(from_biorxiv(), blog) == replace(both, source="biorxiv feed")


@given(st.text(max_size=40), st.text(max_size=20), st.text(max_size=20))
def test_names_are_found_for_any_words(title: str, author: str, doi: str) -> None:
    one = Paper(PaperId("2609.00001"), 1, title, authors=(Author(author),), doi=doi)
    assert identity.names(one)[0] == "2609.00001"
    assert all(identity.names(one))


@pytest.mark.parametrize("swapped", [False, True])
def test_two_sources_papers_in_one_answer_are_one(swapped: bool) -> None:
    both = [from_arxiv(), from_biorxiv()]
    papers = tuple(reversed(both) if swapped else both)
    store = memory_store()
    for _ in range(2):
        store.archive.store(ParsedFeed("feed", "feed", papers=papers), now=MORNING)
        assert archived(store) == ["2609.00001"]
    known = store.archive.by_id(from_biorxiv().id)
    assert known is not None
    assert (known.paper.id, known.paper.source) == ("2609.00001", "arxiv biorxiv")


def test_one_source_knows_its_own_apart_in_one_answer() -> None:
    other = replace(from_biorxiv(), id=PaperId("doi:10.1101/2026.09.01.999999"), doi="")
    assert identity.twins([from_biorxiv(), other]) == {}
    assert identity.twins([from_biorxiv(), other, from_arxiv()]) == {
        from_arxiv().id: from_biorxiv().id,
    }


def test_papers_of_an_older_database_are_recognised_too(tmp_path: Path) -> None:
    file = tmp_path / "old.sqlite"
    store = open_store(file)
    store.archive.store(feed(from_arxiv()), now=MORNING)
    store.close()
    db = Database(file)
    for statement in (
        "drop table alias",
        "drop table answer",
        "delete from _sqlite_migrations where name like 'm003%'",
    ):
        db.execute(statement)
    db.conn.commit()
    db.close()
    store = open_store(file)
    store.archive.store(posted(from_biorxiv()), now=MORNING)
    assert archived(store) == ["2609.00001"]
    store.close()
