"""The files in `seeds/`: complete, well formed, and in words of our own."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from scheduler.models import Author, PaperId
from scheduler.query import parse
from scheduler.seeds import read_papers

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(__file__).resolve().parents[2] / "shared" / "seeds"
ABSTRACTS = "002_55bc4fadcb41fb0a.txt"

TOPIC_KEYS = {"key", "field", "title_en", "title_zh", "description_en", "description_zh", "query"}
PAPER_KEYS = {
    "id",
    "version",
    "announce_type",
    "date",
    "title",
    "authors",
    "categories",
    "links",
    "tldr_en",
    "title_zh",
    "tldr_zh",
}
FIELDS = {"cs", "stat", "math", "physics", "q-bio", "q-fin", "econ", "eess"}
ANNOUNCE_TYPES = {"new", "cross", "replace", "replace-cross"}
UNWANTED = ("$", "\\", "\u2011")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
WORDS_IN_A_ROW = 10
CHARACTERS_IN_A_ROW = 20


@pytest.fixture(scope="module")
def topics() -> list[dict[str, str]]:
    found: list[dict[str, str]] = tomllib.loads((ROOT / "seeds" / "topics.toml").read_text("utf-8"))["topic"]
    return found


@pytest.fixture(scope="module")
def papers() -> list[dict[str, Any]]:
    lines = (ROOT / "seeds" / "papers.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


# --- topics


def test_topics_are_enough_and_complete(topics: list[dict[str, str]]) -> None:
    assert len(topics) >= 25
    for topic in topics:
        assert topic.keys() == TOPIC_KEYS, topic
        assert all(value.strip() for value in topic.values()), topic


def test_topic_keys_are_unique_and_well_formed(topics: list[dict[str, str]]) -> None:
    keys = [topic["key"] for topic in topics]
    assert _repeated(keys) == []
    assert [key for key in keys if not re.fullmatch(r"(?=.{1,30}\Z)[a-z0-9]+(-[a-z0-9]+)*", key)] == []


def test_topics_cover_all_fields(topics: list[dict[str, str]]) -> None:
    assert {topic["field"] for topic in topics} == FIELDS


def test_topics_are_told_in_chinese(topics: list[dict[str, str]]) -> None:
    for topic in topics:
        assert CHINESE.search(topic["title_zh"]), topic["key"]
        assert CHINESE.search(topic["description_zh"]), topic["key"]
        assert not CHINESE.search(topic["title_en"] + topic["description_en"]), topic["key"]


def test_topic_queries_are_read_and_differ(topics: list[dict[str, str]]) -> None:
    assert _repeated([parse(topic["query"]).canonical for topic in topics]) == []


# --- papers


def test_papers_are_enough_and_complete(papers: list[dict[str, Any]]) -> None:
    assert len(papers) >= 60
    for paper in papers:
        assert paper.keys() == PAPER_KEYS, paper
        assert all(paper.values()), paper
        for key in ("title", "tldr_en", "title_zh", "tldr_zh"):
            assert paper[key].strip(), paper["id"]
        for key in ("authors", "categories"):
            assert isinstance(paper[key], list), paper["id"]
            assert all(isinstance(entry, str) and entry.strip() for entry in paper[key]), paper["id"]


def test_no_author_is_an_affiliation() -> None:
    shown = {entry.paper.id: entry.paper.authors for feed, _ in read_papers() for entry in feed.announcements}
    assert shown[PaperId("2609.32064")][-1] == Author("Bilge Mutlu", "University of Wisconsin-Madison")
    assert len(shown[PaperId("2609.32064")]) == 5
    assert shown[PaperId("2609.33399")][0].name == "Jiali Chen"
    names = [author.name for authors in shown.values() for author in authors]
    assert not [name for name in names if re.search(r"[()\d]|Universit|Institute|Technology", name)]


def test_paper_ids_are_unique_and_well_formed(papers: list[dict[str, Any]]) -> None:
    ids = [paper["id"] for paper in papers]
    assert _repeated(ids) == []
    assert [each for each in ids if not re.fullmatch(r"\d{2}(0[1-9]|1[0-2])\.\d{5}", each)] == []


def test_papers_are_announced(papers: list[dict[str, Any]]) -> None:
    for paper in papers:
        assert type(paper["version"]) is int, paper["id"]
        assert paper["version"] >= 1, paper["id"]
        assert paper["announce_type"] in ANNOUNCE_TYPES, paper["id"]
        assert date.fromisoformat(paper["date"]).isoformat() == paper["date"], paper["id"]


def test_links_lead_to_the_paper(papers: list[dict[str, Any]]) -> None:
    for paper in papers:
        assert paper["links"].keys() == {"abs", "pdf"}, paper["id"]
        for form, address in paper["links"].items():
            wanted = rf"https://arxiv\.org/{form}/{re.escape(paper['id'])}(v{paper['version']})?"
            assert re.fullmatch(wanted, address), address


def test_english_summaries_are_short(papers: list[dict[str, Any]]) -> None:
    assert [paper["id"] for paper in papers if len(paper["tldr_en"]) > 280] == []


def test_our_words_hold_no_tex(papers: list[dict[str, Any]]) -> None:
    for paper in papers:
        ours = paper["tldr_en"] + paper["title_zh"] + paper["tldr_zh"]
        assert [sign for sign in UNWANTED if sign in ours] == [], paper["id"]


def test_papers_are_told_in_chinese(papers: list[dict[str, Any]]) -> None:
    for paper in papers:
        assert CHINESE.search(paper["title_zh"]), paper["id"]
        assert CHINESE.search(paper["tldr_zh"]), paper["id"]
        assert not CHINESE.search(paper["tldr_en"]), paper["id"]


def test_both_summaries_have_the_same_numbers(papers: list[dict[str, Any]]) -> None:
    for paper in papers:
        assert _numbers(paper["tldr_en"]) == _numbers(paper["tldr_zh"]), paper["id"]


@pytest.mark.shared
def test_summaries_are_in_our_own_words(papers: list[dict[str, Any]]) -> None:
    if not SHARED.is_dir():
        pytest.skip(f"needs {SHARED}, which lies beside the checkout")
    text = (SHARED / ABSTRACTS).read_text("utf-8")
    word_runs = set(_word_runs(text))
    character_runs = set(_character_runs(text))
    copied = [
        (paper["id"], run) for paper in papers for run in _word_runs(paper["tldr_en"]) if run in word_runs
    ]
    copied += [
        (paper["id"], run)
        for paper in papers
        for run in _character_runs(paper["tldr_zh"])
        if run in character_runs
    ]
    assert copied == []


# --- helpers


def _repeated(values: list[str]) -> list[str]:
    return [value for value, count in Counter(values).items() if count > 1]


def _numbers(text: str) -> Counter[str]:
    return Counter(number.strip(".,") for number in re.findall(r"\d[\d.,]*", text))


def _word_runs(text: str) -> Iterator[str]:
    """Every ten words in a row; case and punctuation do not count."""
    words = re.findall(r"\w+", text.lower())
    for start in range(len(words) - WORDS_IN_A_ROW + 1):
        yield " ".join(words[start : start + WORDS_IN_A_ROW])


def _character_runs(text: str) -> Iterator[str]:
    """Every twenty characters in a row; case and blanks do not count."""
    bare = "".join(text.lower().split())
    for start in range(len(bare) - CHARACTERS_IN_A_ROW + 1):
        yield bare[start : start + CHARACTERS_IN_A_ROW]
