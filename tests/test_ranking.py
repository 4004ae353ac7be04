"""Vectors of papers, what a chat's signals say, and the order of its digest."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands import ordering
from bot.deliveries import render
from scheduler import digest, planning, ranking, tastes
from scheduler.digest import Candidate, Suit
from scheduler.models import AnnounceType, Chat, ChatKind, Match, Order, PaperId, Reason, Subscription
from scheduler.news import News
from scheduler.ranking import ENOUGH, Example, Taste, Vector
from scheduler.store import Store
from tests import rounds
from tests.builders import MORNING, TUESDAY, chat_in, feed, memory_store, paper
from tests.test_commands import Office, Person

WORDS = st.sampled_from("kite robot policy diffusion survey graph quantum cell star market".split())
COUNTS = st.dictionaries(WORDS, st.integers(1, 9), max_size=10)
FREQUENCIES = st.dictionaries(WORDS, st.integers(0, 500), max_size=10)


def unit(counts: Mapping[str, int], frequencies: Mapping[str, int] | None = None) -> Vector:
    known = frequencies or {}
    return ranking.vector(counts, {term: ranking.rarity(known.get(term, 0), 1000) for term in counts})


EXAMPLES = st.lists(
    st.builds(
        Example,
        st.sampled_from(["A", "B", "C"]),
        COUNTS.map(unit),
        st.sampled_from([3.0, 1.0, -3.0]),
        st.just("saved"),
    ),
    max_size=12,
)


@given(COUNTS, FREQUENCIES)
def test_vectors_are_of_unit_length_and_near_themselves(
    counts: Mapping[str, int], frequencies: Mapping[str, int]
) -> None:
    one = unit(counts, frequencies)
    assert not one or math.isclose(ranking.dot(one, one), 1.0)
    assert set(one) <= set(counts)
    assert all(weight > 0 for weight in one.values())


@given(COUNTS, COUNTS)
def test_nearness_is_symmetric_and_between_nothing_and_all(
    one: Mapping[str, int], other: Mapping[str, int]
) -> None:
    first, second = unit(one), unit(other)
    near = ranking.dot(first, second)
    assert math.isclose(near, ranking.dot(second, first))
    assert -1e-9 <= near <= 1 + 1e-9
    assert (near > 0) == bool(set(first) & set(second))


@given(COUNTS.filter(bool), COUNTS, FREQUENCIES)
def test_nearness_by_the_own_words_is_between_nothing_and_all(
    one: Mapping[str, int], other: Mapping[str, int], frequencies: Mapping[str, int]
) -> None:
    rarities = {term: ranking.rarity(frequencies.get(term, 0), 1000) for term in one}
    own = ranking.vector(one, rarities)
    near, shared = ranking.nearness(own, rarities, other)
    assert -1e-9 <= near <= 1 + 1e-9
    assert set(shared) == set(own) & set(other) or len(shared) == ranking.SHARED
    if own:
        assert math.isclose(ranking.nearness(own, rarities, one)[0], 1.0)


def test_rare_words_tell_more_and_words_of_half_the_papers_nothing() -> None:
    one = unit({"kite": 1, "robot": 1, "model": 1}, {"kite": 2, "robot": 200, "model": 700})
    assert one["kite"] > one["robot"]
    assert "model" not in one


def test_words_of_the_title_count_more_and_numbers_not_at_all() -> None:
    counts = ranking.term_counts(paper("2609.00001", "Kites in 2026", "A robot and 3.5 kites"), {})
    assert counts["kite"] == ranking.TITLE_COUNTS + 1
    assert counts["robot"] == 1
    assert not {"2026", "3.5", "a"} & set(counts)


@given(EXAMPLES)
def test_a_taste_survives_being_kept(examples: list[Example]) -> None:
    taste = ranking.learn(examples)
    if len(examples) < ENOUGH:
        assert taste is None
    if taste is not None:
        again = Taste.from_json(taste.to_json())
        for one in examples:
            assert math.isclose(taste.score(one.vector), again.score(one.vector), abs_tol=1e-2)
            assert (again.reason(one.vector) is None) == (taste.reason(one.vector) is None)


@given(st.lists(COUNTS.filter(bool), min_size=ENOUGH, max_size=9), st.lists(COUNTS, max_size=5))
def test_what_is_liked_suits_at_least_as_well_as_nothing(
    liked: list[Mapping[str, int]], disliked: list[Mapping[str, int]]
) -> None:
    only = ranking.learn([Example("A", unit(one), 3.0, "saved") for one in liked])
    assert only is not None
    assert all(only.score(unit(one)) > 0 for one in liked)
    both = ranking.learn(
        [
            *(Example("A", unit(one), 3.0, "saved") for one in liked),
            *(Example("B", unit(one), -3.0, "disliked") for one in disliked),
        ]
    )
    assert both is not None
    assert all(both.score(unit(one)) <= only.score(unit(one)) + 1e-9 for one in [*liked, *disliked])


def test_the_reason_is_the_nearest_liked_paper() -> None:
    taste = ranking.learn(
        [Example(f"Kites {n}", unit({"kite": 1, "wind": 1}), 3.0, "saved") for n in range(ENOUGH)]
        + [Example("Stars", unit({"star": 1}), 1.0, "opened")]
    )
    assert taste is not None
    assert taste.reason(unit({"star": 2})) == Reason("opened", "Stars")
    assert taste.reason(unit({"cell": 1})) is None
    assert taste.reason(unit({"star": 2}), "Stars") is None


# the order of a digest


def test_what_counts_as_similar_is_near_enough_for_a_reason() -> None:
    taste = Taste({}, (Example("Kites", {"kite": 0.5}, 3.0, "saved"),))
    assert taste.reason({"kite": 2.1 * ranking.SIMILAR}) == Reason("saved", "Kites")
    assert taste.reason({"kite": 1.9 * ranking.SIMILAR}) is None


def candidates(count: int) -> dict[int, Candidate]:
    return {
        key: Candidate(key, paper(f"2609.{key:05d}"), AnnounceType.NEW, TUESDAY, {}, key)
        for key in range(1, count + 1)
    }


FOLLOWS = (Subscription(1, 1, "kite", "kites"),)
SCORES = st.dictionaries(st.integers(1, 20), st.floats(-1, 1), max_size=20)


@given(st.integers(0, 20), SCORES, st.sampled_from(list(Order)), st.integers(1, 20))
def test_no_order_hides_a_paper(count: int, scores: dict[int, float], order: Order, cap: int) -> None:
    hits = {
        "kite": {
            key: Match(("title",) if key % 3 else ("abstract",), ("kite",)) for key in range(1, count + 1)
        }
    }
    suits = {key: Suit(score) for key, score in scores.items()}
    plain = digest.build(candidates(count), hits, FOLLOWS, announced={TUESDAY: count})
    built = digest.build(
        candidates(count), hits, FOLLOWS, announced={TUESDAY: count}, order=order, suits=suits
    )
    assert sorted(built.keys) == sorted(plain.keys)
    assert [one.number for one in built.digest.papers] == list(range(1, count + 1))
    kept = digest.capped(built, cap).digest
    assert [one.paper.id for one in kept.papers] == [one.paper.id for one in built.digest.papers[:cap]]
    if order is Order.FOR_YOU:
        ordered = [suits.get(key, Suit(0.0)).score for key in built.keys]
        assert ordered == sorted(ordered, reverse=True)
    if order is Order.ANNOUNCED:
        assert list(built.keys) == sorted(built.keys)


def test_reasons_stand_at_the_head_only_and_survive_being_kept() -> None:
    hits = {"kite": {key: Match(("title",), ("kite",)) for key in range(1, 9)}}
    suits = {key: Suit(1 / key, partial(Reason, "saved", f"Paper {key}")) for key in range(1, 9)}
    built = digest.build(
        candidates(8), hits, FOLLOWS, announced={TUESDAY: 8}, order=Order.FOR_YOU, suits=suits
    )
    reasons = [one.reason for one in built.digest.papers]
    assert reasons[:3] == [Reason("saved", f"Paper {key}") for key in (1, 2, 3)]
    assert reasons[3:] == [None] * 5
    papers = {one.paper.id: (one.paper, one.wordings) for one in built.digest.papers}
    assert digest.load(digest.dump(built.digest), papers) == built.digest


# from the store


def kites_and_stars(store: Store) -> None:
    store.archive.store(
        feed(
            *(
                paper(f"2609.001{n:02d}", f"Kites {n}", "Flying kites in strong wind, a learning method")
                for n in range(8)
            ),
            *(
                paper(f"2609.002{n:02d}", f"Stars {n}", "Dwarf stars and their spectra, a learning method")
                for n in range(8)
            ),
            *(
                paper(f"2609.003{n:02d}", f"Markets {n}", "Prices of options, nothing else")
                for n in range(20)
            ),
        ),
        now=MORNING,
    )


def key_of(store: Store, paper_id: str) -> int:
    known = store.archive.by_id(PaperId(paper_id))
    assert known is not None
    return known.key


def likes_stars(store: Store, chat: Chat) -> None:
    for n in range(ENOUGH):
        store.library.save("console:ada", chat.key, key_of(store, f"2609.002{n:02d}"), MORNING)


def test_for_you_puts_what_suits_first_and_says_why() -> None:
    store = memory_store()
    kites_and_stars(store)
    chat = chat_in(store)
    store.chats.subscribe(chat.key, '"learning method"', "learning", since=TUESDAY)
    store.chats.save(ordering.changed(chat, "for-you") or chat, MORNING)
    at = MORNING + timedelta(hours=1)

    def first() -> str:
        known = store.chats.get(chat.key)
        assert known is not None
        return planning.preview(store, known, at, News()).digest.papers[0].paper.title

    assert first().startswith("Kites")
    likes_stars(store, chat)
    assert first().startswith("Stars")
    known = store.chats.get(chat.key)
    assert known is not None
    reason = planning.preview(store, known, at, News()).digest.papers[0].reason
    assert reason is not None
    assert reason.kind == "saved"
    for n in range(8):
        store.library.vote("console:ada", chat.key, key_of(store, f"2609.002{n:02d}"), -1, at)
    for n in range(ENOUGH):
        store.library.vote("console:ada", chat.key, key_of(store, f"2609.001{n:02d}"), 1, at)
    assert first().startswith("Kites")


def test_a_taste_is_learnt_once_for_the_same_signals() -> None:
    store = memory_store()
    kites_and_stars(store)
    chat = chat_in(store)
    likes_stars(store, chat)
    assert tastes.taste_of(store, chat) is not None
    changes = store.db.conn.total_changes
    assert tastes.taste_of(store, chat) is not None
    assert store.db.conn.total_changes == changes


@pytest.fixture
def office() -> Iterator[Office]:
    office = Office()
    yield office
    office.thread.close()


def test_settings_say_and_change_the_order(office: Office) -> None:
    ada: Person = office.person()
    assert "Order of papers: hits in the title first." in ada.says("/settings")
    answer = ada.presses("Order: what suits you first")
    assert "Order of papers: what suits you first." in answer
    assert "0 of 5 papers so far" in answer
    assert "Order of papers: as announced." in ada.says("/settings order announced")
    assert "One of announced, title-first and for-you." in ada.says("/settings order random")


def test_a_group_is_never_told_what_a_member_saved() -> None:
    store = memory_store()
    kites_and_stars(store)
    chat = chat_in(store, "crowd", kind=ChatKind.GROUP)
    store.chats.subscribe(chat.key, '"learning method"', "learning", since=TUESDAY)
    store.chats.save(replace(chat, order=Order.FOR_YOU), MORNING)
    likes_stars(store, chat)
    known = store.chats.get(chat.key)
    assert known is not None
    shown = planning.preview(store, known, MORNING + timedelta(hours=1), News()).digest.papers
    assert shown[0].paper.title.startswith("Stars")
    assert not any(one.reason for one in shown)


def test_each_chat_is_delivered_its_own_order() -> None:
    store = memory_store()
    kites_and_stars(store)
    chats = {name: chat_in(store, name) for name in ("ada", "bob")}
    for chat in chats.values():
        store.chats.subscribe(chat.key, '"learning method"', "learning", since=TUESDAY)
    store.chats.save(replace(chats["ada"], order=Order.FOR_YOU), MORNING)
    likes_stars(store, chats["ada"])
    assert rounds.planned(store, MORNING + timedelta(hours=1), render) == 2
    first = {}
    for name, chat in chats.items():
        body = store.outbox.digest_body(chat.key, "2026-09-29T08:00")
        assert body is not None
        first[name] = digest.paper_ids(body)[0]
    assert first["ada"].startswith("2609.002")
    assert first["bob"] == "2609.00100"
