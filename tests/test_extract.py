"""The built-in TL;DR."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.enrich.extract import LONGEST, tldr
from scheduler.text import clean

SEEDS = Path(__file__).resolve().parents[2] / "shared" / "seeds"


def test_contribution_and_result_are_chosen_in_the_abstracts_order() -> None:
    abstract = (
        "Credit assignment is hard. Existing methods fail. We propose Foo, a new way to assign credit."
        " Foo has two stages. Experiments on three benchmarks show that Foo improves accuracy by 4.2%."
        " Code is available at https://example.org."
    )
    assert tldr("Foo: Credit Made Easy", abstract) == (
        "We propose Foo, a new way to assign credit."
        " Experiments on three benchmarks show that Foo improves accuracy by 4.2%."
    )


def test_an_opening_that_points_elsewhere_is_cut_off() -> None:
    abstract = "Planning is slow. To solve these problems, we introduce a planner. It is nice."
    assert tldr("Planning", abstract).startswith("We introduce a planner.")


def test_a_question_is_no_contribution() -> None:
    abstract = "Can we propose a better way? We study the question on graphs."
    assert tldr("Graphs", abstract) == "We study the question on graphs."


def test_a_contribution_without_we_is_found_by_the_title() -> None:
    abstract = "Search is old. Needles are small. Magnet is a search engine for needles. People use it."
    assert "Magnet is a search engine for needles." in tldr("Magnet: Finding Needles", abstract)
    assert (
        tldr("Needles", "Old text here. A magnet is proposed for needles.")
        == "A magnet is proposed for needles."
    )


def test_a_long_sentence_ends_at_a_clause() -> None:
    abstract = (
        "We propose a method that does a great many things for very many people in lots of places,"
        " which is what everybody has always wanted, and it goes on with more that nobody will read,"
        " because it repeats in other words what was said about people and places, and things there were,"
        " and because nobody stopped it."
    )
    made = tldr("A method", abstract)
    assert made.endswith("…")
    assert len(made) <= LONGEST
    assert made.startswith("We propose a method that does a great many things")


def test_a_result_loses_its_scene_before_it_loses_its_finding() -> None:
    scene = "Extensive experiments on a great many tasks of very different kinds, collected over years, show that "
    finding = "Foo cuts the error by 12.5% and the cost by half."
    abstract = (
        "We propose Foo, a method that assigns credit to every step of a long trajectory by asking a second model what"
        f" it would have done, and that needs no labels of any kind. {scene}{finding}"
    )
    made = tldr("Foo: Credit", abstract)
    assert made.endswith(finding)
    assert "Extensive" not in made


def test_what_stands_before_the_contribution_is_background_not_its_result() -> None:
    abstract = (
        "Robots improve robustly with dense rewards. We introduce a planner for kites that flies in gusts of any kind."
        " It was flown at sea."
    )
    assert tldr("A planner", abstract) == "We introduce a planner for kites that flies in gusts of any kind."


@pytest.mark.parametrize("empty", ["We first analyze it.", "We answer yes.", "(2) We study it."])
def test_a_sentence_that_says_nothing_by_itself_is_no_contribution(empty: str) -> None:
    abstract = f"Kites crash often. {empty} The new sail reduces crashes by 40% in strong and gusty wind."
    assert tldr("Kites", abstract) == "The new sail reduces crashes by 40% in strong and gusty wind."


def test_numbering_and_loose_ends_are_cut_off() -> None:
    abstract = "Kites crash. (2) We introduce a sail for kites that folds itself when a gust comes."
    assert tldr("Kites", abstract) == "We introduce a sail for kites that folds itself when a gust comes."
    made = tldr("A", f"We propose {'very ' * 49}long words of the {'many ' * 20}kinds.")
    assert not re.search(r"\b(?:of|the|a|to|and)…$", made)


def test_no_abstract_gives_no_tldr() -> None:
    assert tldr("A title", "") == ""
    assert tldr("A title", "   ") == ""


def test_an_abstract_without_any_of_the_words_gives_its_first_sentence() -> None:
    assert tldr("T", "Rain fell on the old town. Nobody was there.") == "Rain fell on the old town."


@given(st.text(max_size=60), st.text(max_size=900))
def test_it_is_short_never_raises_and_adds_no_word(title: str, abstract: str) -> None:
    made = tldr(title, clean(abstract))
    assert len(made) <= LONGEST
    known = clean(abstract).casefold()
    assert all(word.rstrip("…").casefold() in known for word in made.split())


@pytest.mark.shared
def test_the_seeds_papers_get_telling_extracts() -> None:
    if not SEEDS.is_dir():
        pytest.skip("the shared seeds are not beside this checkout")
    digest = next(SEEDS.glob("002_*")).read_text(encoding="utf-8")
    abstracts = [clean(text) for text in re.findall(r"^• Abstract (.*)$", digest, re.MULTILINE)]
    made = [tldr("", abstract) for abstract in abstracts]
    assert all(80 <= len(text) <= LONGEST for text in made)
    telling = re.compile(r"\b(?:we|this (?:paper|work|study)|our|introduc|propos)", re.IGNORECASE)
    assert sum(bool(telling.search(text)) for text in made) >= 135
    assert not any(text.rstrip().endswith("?") for text in made)
