"""Snippets: the words of the query, marked where they stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler import query
from scheduler.snippets import snippet

ABSTRACT = (
    "We study control under uncertainty. Safe score matching trains diffusion policies under hard constraints, "
    "and Multi-Agent teams benefit most. " + "More words follow here. " * 20
)


def marked(text: str, wanted: str, width: int = 80) -> list[str]:
    return [piece for piece, is_hit in snippet(text, query.parse(wanted), width) if is_hit]


@pytest.mark.parametrize(
    ("wanted", "hits"),
    [
        ('"diffusion policy"', ["diffusion policies"]),
        ("multiagent", ["Multi-Agent"]),
        ("uncertain*", ["uncertainty"]),
        ("policy -survey", ["policies"]),
        ("ti:policy", []),
        ("ti:uncertainty abs:policy", ["policies"]),
        ("au:Smith", []),
        ("absent", []),
    ],
)
def test_hits_are_marked_as_they_are_written(wanted: str, hits: list[str]) -> None:
    assert marked(ABSTRACT, wanted) == hits


def test_chinese_words_are_marked_within_their_run() -> None:
    assert marked("我们提出一种强化学习方法。", "强化学习") == ["强化学习"]


def test_the_hit_is_inside_the_window_and_cuts_are_shown() -> None:
    pieces = snippet(ABSTRACT, query.parse("constraints"), 80)
    text = "".join(piece for piece, _ in pieces)
    assert text.startswith("… ")
    assert text.endswith(" …")
    assert ("constraints", True) in pieces
    assert len(text) <= 90


@given(st.text(max_size=300), st.sampled_from(["policy", '"a b"', "强化学习", "pol*"]), st.integers(20, 200))
def test_a_snippet_is_a_piece_of_the_text(text: str, wanted: str, width: int) -> None:
    shown = "".join(piece for piece, _ in snippet(text, query.parse(wanted), width))
    assert shown.removeprefix("… ").removesuffix(" …") in text
