"""Near misses and narrower queries: what they are, and that they find what they say."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.errors import QueryError
from scheduler.matching import DayIndex
from scheduler.models import AnnounceType, Paper, PaperId
from scheduler.query import Nearness, as_news, narrower, near_misses, parse
from scheduler.query.acronyms import abbreviated, spelt_out
from scheduler.query.spelling import other_spellings, parted
from tests import announced
from tests.announced import Announced

PPO = "We use Proximal Policy Optimization (PPO) and multi-agent proximal policy optimization (MAPPO)."


def near(text: str, texts: tuple[str, ...] = ()) -> dict[Nearness, list[str]]:
    found: dict[Nearness, list[str]] = {}
    for one in near_misses(parse(text), texts):
        found.setdefault(one.kind, []).append(one.text)
    return found


@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("behavior", ["behaviour"]),
        ("behaviours", ["behaviors"]),
        ("colour", ["color"]),
        ("modelling", ["modeling"]),
        ("catalogue", ["catalog"]),
        ("catalogs", ["catalogues"]),
        ("optimise", ["optimize"]),
        ("optimization", ["optimisation"]),
        ("analyze", ["analyse"]),
        ("noise", []),
        ("raised", []),
        ("robot", []),
    ],
)
def test_both_sides_of_the_atlantic(word: str, others: list[str]) -> None:
    assert list(other_spellings(word)) == others


def test_a_compound_in_two_words() -> None:
    assert list(parted("multiagent")) == ["multi agent"]
    assert list(parted("finetuning")) == ["fine tuning"]
    assert list(parted("multi")) == list(parted("robot")) == []


def test_papers_say_what_an_abbreviation_stands_for() -> None:
    assert spelt_out("ppo", [PPO]) == "proximal policy optimization"
    assert abbreviated("proximal policy optimization", [PPO]) == "ppo"
    assert spelt_out("rl", []) == "reinforcement learning"
    assert abbreviated("Large Language Models", []) == "llm"
    assert spelt_out("xyz", [PPO]) == abbreviated("kite flying", [PPO]) == ""
    assert spelt_out("rl", ["rocket launches (RL), rocket launches (RL), red lights (RL)"]) == "rocket launch"


def test_each_kind_of_near_miss() -> None:
    assert near('"multi agent"') == {
        Nearness.HYPHEN: ["multi-agent"],
        Nearness.ENDING: ["multi agent*"],
        Nearness.APART: ["multi agent"],
    }
    assert near("multiagent")[Nearness.HYPHEN] == ["multi agent"]
    assert near("behavior")[Nearness.SPELLING] == ["behaviour"]
    assert near("PPO", (PPO,))[Nearness.ACRONYM] == ["proximal policy optimization"]
    assert near('"proximal policy optimization"', (PPO,))[Nearness.ACRONYM] == ["PPO"]
    assert near("polic* au:smith cat:cs.LG") == {}
    assert near("rl -robot")[Nearness.ACRONYM] == ["reinforcement learning"]
    assert near("since:7d") == {}


def test_a_near_miss_is_what_the_query_leaves_out() -> None:
    titles = ("multi agent", "multi-agent", "multiagent", "an agent of multi", "agent")
    papers: list[Announced] = [(Paper(PaperId("1"), 1, title), {}) for title in titles]
    day = DayIndex(papers)
    by_kind = {one.kind: one for one in near_misses(parse('"multi agent"'), ())}
    assert day.papers(parse('"multi agent"')) == (0, 1)
    assert day.papers(by_kind[Nearness.HYPHEN].missed) == (2,)
    assert day.papers(by_kind[Nearness.HYPHEN].wider) == (0, 1, 2)
    assert day.papers(by_kind[Nearness.APART].missed) == (3,)


@given(
    st.lists(announced.papers(), min_size=1, max_size=6),
    st.lists(announced.query_texts(), min_size=1, max_size=4),
    st.lists(announced.text(), max_size=3),
)
@settings(max_examples=120)
def test_wider_finds_more_and_narrower_less(
    papers: list[Announced], texts: list[str], abstracts: list[str]
) -> None:
    day = DayIndex(papers)
    for text in texts:
        try:
            query = parse(text)
        except QueryError:
            continue
        found = set(day.papers(query))
        for one in near_misses(query, abstracts):
            missed, wider = set(day.papers(one.missed)), set(day.papers(one.wider))
            assert not missed & found
            assert found | missed <= wider
            assert parse(one.wider.canonical) == one.wider
        for narrow in narrower(query, ["cs.LG", "math-ph"]):
            assert set(day.papers(narrow)) <= found, (query.canonical, narrow.canonical)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("deep learning", ['"deep learning"', "ti:deep ti:learning", "deep learning cat:cs.LG"]),
        ("rl", ["ti:rl", "rl cat:cs.LG"]),
        ("rl OR robot", ["ti:rl OR ti:robot", "(rl OR robot) cat:cs.LG"]),
        ('"deep learning"', ['ti:"deep learning"', '"deep learning" cat:cs.LG']),
        ("ti:rl", ["ti:rl cat:cs.LG"]),
        ("rl cat:cs.AI", []),
        ("since:7d", []),
    ],
)
def test_narrower_queries(text: str, expected: list[str]) -> None:
    assert [one.canonical for one in narrower(parse(text), ["cs.LG"])] == expected


def test_news_leaves_out_what_was_only_replaced() -> None:
    kinds = [
        {AnnounceType.NEW, AnnounceType.REPLACE},
        {AnnounceType.REPLACE},
        {AnnounceType.CROSS},
        {AnnounceType.REPLACE_CROSS},
        set(),
    ]
    papers: list[Announced] = [(Paper(PaperId("1"), 1, "rl"), {}) for _ in kinds]
    assert DayIndex(papers, types=kinds).papers(as_news(parse("rl"))) == (0, 2, 4)
    assert as_news(parse("since:7d")) == parse("since:7d")
