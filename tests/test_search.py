"""Search finds what matching finds, newest first, page by page, and keeps its deadline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlite_utils import Database

from scheduler.errors import QueryError
from scheduler.matching import DayIndex
from scheduler.models import AnnounceType, Author, Paper, PaperId
from scheduler.query import Query, looser, parse
from scheduler.store.search import (
    COUNTED,
    SCHEMA,
    Patience,
    SearchPage,
    clear,
    configure,
    search,
    tidy,
    unindex,
)
from scheduler.store.search import index as index_paper
from scheduler.tokens import NAME_GAP, SEPARATOR, document, tokens
from tests import announced, random_queries
from tests.announced import Announced

TODAY = date(2026, 9, 29)


def key(day: date, sequence: int = 0) -> int:
    return int(f"{day:%Y%m%d}") * 100_000 + sequence


Types = Sequence[frozenset[AnnounceType]]


def archive(papers: Sequence[Announced], keys: Sequence[int], types: Types = ()) -> Database:
    """A database with nothing but the index."""
    db = Database(memory=True)
    db.execute(SCHEMA)
    kinds = [*types, *[frozenset[AnnounceType]()] * (len(papers) - len(types))]
    for place, (paper, wordings), own in zip(keys, papers, kinds, strict=True):
        index_paper(db, place, document(paper, wordings, own))
    return db


def titled(*titles: str) -> list[Announced]:
    return [(Paper(PaperId("2609.00001"), 1, title), {}) for title in titles]


def everything(db: Database, query: Query, limit: int = 3) -> list[int]:
    """The keys of all pages in order."""
    found: list[int] = []
    before: int | None = None
    for _ in range(1000):
        page = search(db, query, today=TODAY, limit=limit, before=before)
        assert len(page.keys) <= limit
        found += page.keys
        before = page.next_before
        if before is None:
            return found
    raise AssertionError("the pages have no end")


@given(
    st.lists(announced.papers(), min_size=1, max_size=6),
    st.lists(announced.types(), min_size=6, max_size=6),
    st.lists(announced.query_texts(), min_size=1, max_size=6),
)
@settings(max_examples=250)
def test_search_and_matching_find_the_same_papers(
    papers: list[Announced], types: Types, texts: list[str]
) -> None:
    keys = [key(TODAY - timedelta(days=place * 40), place) for place in range(len(papers))]
    types = types[: len(papers)]
    db, day = archive(papers, keys, types), DayIndex(papers, types=types)
    for text in texts:
        try:
            query, ranked = parse(text), parse(f"{text} sort:relevance")
        except QueryError:
            continue
        expected = [keys[place] for place in day.papers(query)]
        assert everything(db, query) == expected, query.canonical
        assert search(db, query, today=TODAY, limit=10).total == len(expected)
        assert sorted(everything(db, ranked), reverse=True) == expected
        assert list(day.hits(query)) == list(day.papers(query))
        assert day.mask_of(query.canonical) == day.mask(query), query.canonical
    db.close()


@given(
    st.lists(random_queries.paper_with_words(), min_size=1, max_size=5),
    st.lists(random_queries.query_text() | random_queries.query_noise(), min_size=1, max_size=6),
)
@settings(max_examples=150)
def test_both_agree_on_awkward_words_and_dates_and_looser_queries_find_no_less(
    papers: list[Announced], texts: list[str]
) -> None:
    keys = [key(TODAY, place) for place in range(len(papers))]
    db, day = archive(papers, keys), DayIndex(papers, day=TODAY)
    for text in texts:
        try:
            query = parse(text)
        except QueryError:
            continue
        found = set(day.papers(query))
        assert day.mask_of(query.canonical) == day.mask(query), query.canonical
        assert {each - keys[0] for each in everything(db, query)} == found, query.canonical
        for near in looser(query):
            assert found <= set(day.papers(near)), (query.canonical, near.canonical)
    db.close()


def test_both_agree_on_how_long_a_name_can_be() -> None:
    middle = [chr(ord("b") + place) for place in range(NAME_GAP + 1)]
    names = [" ".join(("Wei", *middle[:between], "Zhang")) for between in (NAME_GAP, NAME_GAP + 1)]
    papers: list[Announced] = [(Paper(PaperId("1"), 1, "T", authors=(Author(name),)), {}) for name in names]
    for text in ('au:"Wei Zhang"', 'au:"Zhang Wei"', 'au:"Wei Zhan*"'):
        assert DayIndex(papers).papers(parse(text)) == (0,)
        assert everything(archive(papers, [1, 2]), parse(text)) == [1]


def test_both_agree_on_a_real_day() -> None:
    papers = announced.seed_papers()
    keys = [key(TODAY, place) for place in range(len(papers))]
    db, day = archive(papers, keys), DayIndex(papers)
    queries = [
        "RL",
        "AI",
        '"diffusion policy"',
        "化学",
        "强化学习",
        "multiagent",
        "polic* -robot*",
        "cat:cs.RO",
    ]
    queries += ['au:"Yi Wu"', "(LLM OR 大语言模型) reward", "ti:rl OR abs:grpo", "fine-tuning cat:cs.LG"]
    for text in queries:
        found = everything(db, parse(text), limit=20)
        assert found == [keys[place] for place in reversed(day.papers(parse(text)))]
        assert found


@given(st.text() | st.text(alphabet="aB1+#.-_/:'\"強ø\u0301²ſ\x00\x1f\ud7ff\u2028"))
@settings(max_examples=200)
def test_fts5_splits_a_stream_at_its_blanks_and_nowhere_else(text: str) -> None:
    db = archive(titled(text), [1])
    db.execute("create virtual table terms using fts5vocab(paper_text, instance)")
    rows = db.execute("select term, offset from terms where col = 'ti' order by offset").fetchall()
    stream = document(Paper(PaperId("1"), 1, text), {}).ti.split()
    assert rows == [(token, place) for place, token in enumerate(stream)]
    assert [token for token in stream if token != SEPARATOR][: len(tokens(text))] == tokens(text)
    db.close()


def test_newest_first_in_pages() -> None:
    days = [TODAY - timedelta(days=back) for back in (0, 1, 3, 30, 300, 3000, 9000)]
    keys = [key(day, 7) for day in days]
    db = archive(titled(*["rl"] * 7), keys)
    page = search(db, parse("RL"), today=TODAY, limit=3)
    assert page == SearchPage(tuple(keys[:3]), 7, True, keys[2])
    page = search(db, parse("RL"), today=TODAY, limit=3, before=page.next_before)
    assert page == SearchPage(tuple(keys[3:6]), 7, True, keys[5])
    page = search(db, parse("RL"), today=TODAY, limit=3, before=page.next_before)
    assert page == SearchPage((keys[6],), 7, True, None)


def test_a_prefix_is_looked_for_in_one_go() -> None:
    keys = [key(TODAY - timedelta(days=400 * back)) for back in range(6)]
    db = archive(titled("models", "modern", "other", "model", "mode", "modal"), keys)
    hurry = Patience(count(0.0, 1.0).__next__, page=0.5, count=0.5)
    page = search(db, parse("mod*"), today=TODAY, limit=4, patience=hurry)
    assert page.keys == (keys[0], keys[1], keys[3], keys[4])
    assert not page.timed_out
    assert everything(db, parse("mod*"), limit=2) == [keys[0], keys[1], keys[3], keys[4], keys[5]]


def test_later_pages_know_the_whole_number() -> None:
    db = archive(titled(*["rl"] * 9), range(1, 10))
    first = search(db, parse("rl"), today=TODAY, limit=4)
    second = search(db, parse("rl"), today=TODAY, limit=4, before=first.next_before)
    assert (first.total, second.total, first.total_is_exact, second.total_is_exact) == (9, 9, True, True)


def test_a_full_last_page_is_the_last() -> None:
    db = archive(titled("rl", "rl", "no"), [3, 2, 1])
    assert search(db, parse("rl"), today=TODAY, limit=2).next_before is None


@pytest.mark.parametrize(
    ("query", "days_back"),
    [
        ("rl since:2d", [0, 1, 2]),
        ("rl until:2d", [2, 3, 4]),
        ("rl on:yesterday", [1]),
        ("rl since:3d until:1d", [1, 2, 3]),
        ("since:1d", [0, 1]),
        ("rl since:2027", []),
        ("rl until:1999", []),
        (f"rl on:{TODAY:%Y-%m-%d}", [0]),
    ],
)
def test_date_limits(query: str, days_back: list[int]) -> None:
    days = [TODAY - timedelta(days=back) for back in range(5)]
    db = archive(
        titled(*["rl"] * 5), [key(day, 99_999 if place % 2 else 0) for place, day in enumerate(days)]
    )
    found = search(db, parse(query), today=TODAY, limit=9)
    assert [each // 100_000 for each in found.keys] == [key(days[back]) // 100_000 for back in days_back]
    assert (found.total, found.total_is_exact) == (len(days_back), True)


def test_relevance_is_hits_in_the_title_first() -> None:
    papers: list[Announced] = [
        (Paper(PaperId("1"), 1, "robots", "rl"), {}),
        (Paper(PaperId("2"), 1, "rl robots"), {}),
        (Paper(PaperId("3"), 1, "robots", "rl"), {}),
        (Paper(PaperId("4"), 1, "rl robots"), {}),
        (Paper(PaperId("5"), 1, "robots"), {}),
    ]
    db = archive(papers, [1, 2, 3, 4, 5])
    for limit in (1, 2, 3, 9):
        assert everything(db, parse("rl robots sort:relevance"), limit) == [4, 2, 3, 1]
    assert search(db, parse("rl robots sort:relevance"), today=TODAY, limit=2).total == 4
    assert everything(db, parse("cat:cs sort:relevance")) == []
    assert everything(db, parse("ti:rl sort:relevance")) == [4, 2]


def test_hits_are_counted_up_to_a_thousand() -> None:
    db = archive(titled(*["rl"] * (COUNTED + 5)), range(1, COUNTED + 6))
    page = search(db, parse("rl"), today=TODAY, limit=10)
    assert (len(page.keys), page.total, page.total_is_exact) == (10, COUNTED, False)
    exact = archive(titled(*["rl"] * COUNTED), range(1, COUNTED + 1))
    assert search(exact, parse("rl"), today=TODAY, limit=10).total_is_exact


def test_an_empty_archive() -> None:
    db = archive([], [])
    assert search(db, parse("rl"), today=TODAY, limit=10) == SearchPage((), 0, True, None)
    assert search(db, parse("since:7d"), today=TODAY, limit=10) == SearchPage((), 0, True, None)


def ticking(step: float) -> Iterator[float]:
    return count(0.0, step)


def test_a_search_that_takes_too_long_says_so_and_can_be_continued() -> None:
    days = [TODAY - timedelta(days=800 * back) for back in range(20)]
    keys = [key(day) for day in days]
    db = archive(titled(*["other"] * 19, "rl"), keys)
    hurry = Patience(ticking(1.0).__next__, page=0.5, count=0.5)
    page = search(db, parse("rl"), today=TODAY, limit=3, patience=hurry)
    assert page.timed_out
    assert page.keys == ()
    assert not page.total_is_exact
    pages = 1
    while page.next_before is not None:
        page = search(db, parse("rl"), today=TODAY, limit=3, before=page.next_before, patience=hurry)
        pages += 1
    assert page.keys == (keys[-1],)
    assert 1 < pages < 20


def test_within_its_time_a_search_is_whole() -> None:
    db = archive(titled(*["rl"] * 500), range(1, 501))
    page = search(db, parse("rl"), today=TODAY, limit=400, patience=Patience(lambda: 0.0))
    assert (len(page.keys), page.total, page.total_is_exact, page.timed_out) == (400, 500, True, False)


@given(st.lists(announced.papers(), min_size=2, max_size=4), announced.query_texts())
@settings(max_examples=60)
def test_a_paper_that_is_taken_out_leaves_nothing(papers: list[Announced], text: str) -> None:
    try:
        query = parse(text)
    except QueryError:
        return
    db = archive(papers, range(1, len(papers) + 1))
    gone, *kept = papers
    unindex(db, 1, document(*gone))
    assert everything(db, query) == [place + 2 for place in reversed(DayIndex(kept).papers(query))]
    clear(db)
    assert everything(db, query) == []
    index_paper(db, 1, document(*gone))
    assert len(everything(db, query)) == len(DayIndex([gone]).papers(query))
    db.close()


def test_the_index_is_brought_into_few_pieces_and_finds_the_same() -> None:
    papers = titled(*[f"rl word{place} word{place % 7}" for place in range(900)])
    db = archive([], [])
    configure(db)
    for place, one in enumerate(papers, start=1):
        with db.atomic():
            index_paper(db, place, document(*one))

    def pieces() -> int:
        return int(db.execute("select count(distinct segid) from paper_text_idx").fetchone()[0])

    before, found = pieces(), everything(db, parse("rl word3"), 50)
    steps = 0
    while tidy(db, 1):
        steps += 1
        assert steps < 1000
    assert steps > 1
    assert pieces() <= min(2, before)
    assert everything(db, parse("rl word3"), 50) == found
    assert not tidy(db)
