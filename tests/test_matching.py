"""Which papers of a day a query finds, and why."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler import matching
from scheduler.errors import QueryError
from scheduler.matching import DayIndex, hit_spans, matches, places
from scheduler.models import Author, Match, Paper, PaperId, Wording
from scheduler.query import parse
from tests import announced

DAY = date(2026, 9, 29)


def index(*titles: str, day: date | None = None) -> DayIndex:
    """A day of papers that have nothing but a title."""
    return DayIndex([(Paper(PaperId("2609.00001"), 1, title), {}) for title in titles], day=day)


def finds(query: str, title: str) -> bool:
    return bool(index(title).hits(parse(query)))


@pytest.mark.parametrize(
    ("query", "title"),
    [
        *(("RL", title) for title in ("RL", "(RL)", "RL-based", "RL's", "deep-RL", "rl.", "“RL”")),
        *(('"world model"', title) for title in ("world models", "World-Models", "world\n  model")),
        *(("multi-agent", title) for title in ("multiagent", "multi agent", "Multi-Agents", "multi–agent")),
        ("multiagent", "multi-agent"),
        ('"multi agent"', "multi-agent"),
        ('"deep multiagent learning"', "on deep multi-agent learning"),
        ('"text to speech"', "text-to-speech"),
        ("text-to-speech", "text to speech"),
        ('"diffusion policy"', "Diffusion Policies"),
        ('"diffusion policies"', "a diffusion policy"),
        ("finetuning", "fine-tuned fine-tuning"),
        ("fine-tuning", "finetuning"),
        *((word, f"on {word} in practice") for word in ("CI/CD", "C++", "3D", ".NET", "C#")),
        ("H$_2$", "H₂ storage"),
        ("R^2", "R 2"),
        ("GPT-4", "GPT4"),
        ("polic*", "policies"),
        ("polici*", "policies"),
        ("diffus*", "diffusion"),
        ("RLH*", "RLHF"),
        ("化学", "量子化学"),
        ("強化學習", "强化学习"),
        ("rl OR robots", "a robot"),
        ("rl -robots", "rl"),
        ("attention is all you need", "You need attention: is that all?"),
        ("Sogaard", "Søgaard"),
    ],
)
def test_found(query: str, title: str) -> None:
    assert finds(query, title)


@pytest.mark.parametrize(
    ("query", "title"),
    [
        *(("RL", title) for title in ("world", "early", "RLHF", "girl", "R L")),
        ("AI", "training"),
        ("化学", "强化学习"),
        ("化学", "強化学習"),
        ('"world model"', "model world"),
        ('"world model"', "world of models"),
        ("organ", "organization"),
        ("transform", "transformer"),
        ("C++", "C"),
        ("analysi", "analysis"),
        ("rl -robots", "rl for a robot"),
        ("rl robots", "rl"),
        ('"one pre-training two"', "one pre two training"),
    ],
)
def test_not_found(query: str, title: str) -> None:
    assert not finds(query, title)


def test_words_may_be_spread_over_title_and_abstract_but_phrases_not() -> None:
    papers: list[announced.Announced] = [(Paper(PaperId("2609.00001"), 1, "Diffusion", "policy"), {})]
    assert DayIndex(papers).hits(parse("diffusion policy"))
    assert not DayIndex(papers).hits(parse('"diffusion policy"'))


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ('"deep diffusion model"', "deep diffusion and a diffusion model"),
        ('"deep diffusion mod*"', "deep diffusion and a diffusion model"),
        ('"a a a"', "a a b a"),
        ('"deep mod*"', "deep and model"),
    ],
)
def test_a_phrase_is_more_than_its_pairs(query: str, title: str) -> None:
    assert not finds(query, title)
    assert finds(query, f"{title} {query.replace('*', 'els')}")


def test_a_phrase_never_crosses_papers() -> None:
    assert not index("deep", "learning").papers(parse('"deep learning"'))
    authors = [Paper(PaperId("1"), 1, "T", authors=(Author(name),)) for name in ("Wei", "Zhang")]
    assert not DayIndex([(paper, {}) for paper in authors]).papers(parse('au:"Wei Zhang"'))


def test_a_phrase_never_crosses_languages_or_joined_forms() -> None:
    papers = [(Paper(PaperId("2609.00001"), 1, "fast multi-agent"), {"zh": Wording("zh", "智能体")})]
    for query in ('"agent 智能"', '"agent fast"', '"multiagent 智能"'):
        assert not DayIndex(papers).hits(parse(query))


@pytest.mark.parametrize(
    "query",
    ["Sogaard", "Søgaard", "So\u0301gaard", "SØGAARD", r"S{\o}gaard", '"Anders Søgaard"', '"Søgaard, A."'],
)
def test_a_name_is_found_however_it_is_written(query: str) -> None:
    for name in ("Anders Søgaard", "Anders S\u00f8gaard"):
        paper = Paper(PaperId("2609.00001"), 1, "T", authors=(Author("Ada Byron"), Author(name)))
        assert DayIndex([(paper, {})]).hits(parse(f"au:{query}"))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('au:"Wei Zhang"', True),
        ('au:"Zhang Wei"', True),
        ("au:Zhang, W.", True),
        ('au:"Zhang, Q."', True),
        ('au:"Li Zhang"', False),
        ('au:"Wei Ada"', False),
        ("au:(wei byron)", True),
        ("au:zhan*", True),
        ("au:roger", False),
        ("au:rogers", True),
        ('au:"Jeanpierre Rogers"', True),
    ],
)
def test_a_name_is_one_person(query: str, expected: bool) -> None:
    authors = tuple(map(Author, ("Wei Q. Zhang", "Ada Byron", "Li Xu", "Jean-Pierre Rogers")))
    paper = Paper(PaperId("2609.00001"), 1, "T", authors=authors)
    assert bool(DayIndex([(paper, {})]).hits(parse(query))) is expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("cat:cs", True),
        ("cat:cs.LG", True),
        ("cat:CS.lg", True),
        ("cat:eess", True),
        ("cat:eess.SY", True),
        ("cat:cs.AI", False),
        ("cat:c", False),
        ("id:2609.00001v3", True),
        ("2609.00001", True),
        ("id:2609.0000", False),
        ("src:arxiv", True),
    ],
)
def test_categories_ids_and_sources(query: str, expected: bool) -> None:
    paper = Paper(PaperId("2609.00001"), 1, "T", categories=("cs.LG", "cs.SY"))
    assert bool(DayIndex([(paper, {})]).hits(parse(query))) is expected


def test_a_hit_says_why() -> None:
    paper = Paper(PaperId("1"), 1, "RL agents", "On RL and world models", (Author("Wei Li"),), ("cs.LG",))
    found = DayIndex([(Paper(PaperId("2"), 1, "no"), {}), (paper, {})]).hits(
        parse('cat:cs (RL OR "World Models" OR robots) au:li -diffusion')
    )
    assert found == {
        1: Match(("title", "abstract", "authors", "categories"), ("cs", "rl", "world models", "li"))
    }
    assert found[1].in_title


def test_words_beside_or_are_named_only_when_they_are_there() -> None:
    day = index("rl", "robot")
    assert [hit.words for hit in day.hits(parse("rl OR robots")).values()] == [("rl",), ("robots",)]
    assert day.match(parse("rl OR robots"), 1) == Match(("title",), ("robots",))


def test_dates_are_held_against_the_day() -> None:
    day = index("rl", day=DAY)
    assert day.papers(parse("rl since:7d")) == (0,)
    assert day.papers(parse("rl since:7d"), today=date(2026, 10, 20)) == ()
    assert day.papers(parse("rl until:2026-09-28")) == ()
    assert day.papers(parse("on:2026-09-29")) == (0,)
    assert index("rl").papers(parse("rl until:2026-09-28")) == (0,)


def test_all_queries_at_once() -> None:
    day = index("rl", "robot", "robot rl")
    texts = ("robot", "rl", "nothing", "robot -rl", "rl OR robot", "rl -(robot OR policy)", '"robot rl"')
    assert {text: tuple(places(mask)) for text, mask in matches(day, texts).items()} == {
        "robot": (1, 2),
        "rl": (0, 2),
        "robot -rl": (1,),
        "rl OR robot": (0, 1, 2),
        "rl -(robot OR policy)": (0,),
        '"robot rl"': (2,),
    }
    assert matches(DayIndex([]), texts) == {}


def test_a_text_that_cannot_be_read_is_refused() -> None:
    for text in ("rl OR", "(rl", '"rl', "*", "", " ", "-rl", " -rl -ai"):
        with pytest.raises(QueryError):
            index("rl").mask_of(text)


def test_blanks_between_pieces_do_no_harm() -> None:
    day = index("rl robot", "rl policy")
    for text in ("rl  -policy", " rl -policy ", "rl   OR  robot"):
        assert day.mask_of(text) == day.mask(parse(text))


def test_no_more_pieces_are_remembered_than_agreed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "KEPT_PIECES", 2)
    day = index("rl", "robot", "robot rl")
    for text in ("robot", "rl", "policy", "robot -rl"):
        assert day.mask_of(text) == day.mask(parse(text))
        assert len(day._known) <= 2


def test_the_words_of_a_day_as_counted_by_hand() -> None:
    day = DayIndex(announced.seed_papers())
    assert day.size == 144
    assert abs(len(day.papers(parse("RL"))) - 64) <= 2
    assert 4 <= len(day.papers(parse("AI"))) <= 6
    assert len(day.papers(parse("化学"))) <= 1
    assert len(day.papers(parse("强化学习"))) >= 141
    texts = [f"{paper.title} {paper.abstract}".lower() for paper, _ in announced.seed_papers()]
    plural = {place for place, text in enumerate(texts) if "diffusion policies" in text}
    assert plural
    assert plural <= set(day.papers(parse('"diffusion policy"')))
    for joined, tied in (
        ("multiagent", "multi-agent"),
        ("finetuning", "fine-tuning"),
        ("pretrained", "pre-trained"),
    ):
        assert day.papers(parse(joined)) == day.papers(parse(tied)) != ()


@pytest.mark.parametrize(
    ("text", "query", "hits"),
    [
        ("An RL-based Policy, for RLHF", "rl polic*", ["RL", "Policy"]),
        ("Diffusion Policies and a policy", '"diffusion policy"', ["Diffusion Policies"]),
        ("Multi-Agent and multiagent", "multiagent", ["Multi-Agent", "multiagent"]),
        ("基于强化学习的方法", "强化学习", ["强化学习"]),
        ("Søgaard on H₂", "sogaard h2", ["Søgaard", "H₂"]),
        ("rl and robots", "rl -robots cat:cs", ["rl"]),
        ("world model world", '"world model" OR "model world"', ["world model world"]),
        ("nothing", "rl", []),
        ("", "rl", []),
    ],
)
def test_where_the_hits_stand(text: str, query: str, hits: list[str]) -> None:
    assert [text[start:end] for start, end in hit_spans(text, parse(query))] == hits


@given(announced.text(), st.sampled_from(["rl", '"multi-agent rl"', "强化学习", "polic*", "3-D OR cicd"]))
def test_hits_in_a_text_are_those_of_the_index(text: str, query: str) -> None:
    spans = hit_spans(text, parse(query))
    assert bool(spans) == finds(query, text)
    assert all(start < end for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
