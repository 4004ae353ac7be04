"""Papers of seeds/002 as the shared folder has them, and random ones, for matching and for search alike."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
from hypothesis import strategies as st

from scheduler.models import AnnounceType, Author, Paper, PaperId, Wording
from scheduler.text import clean

Announced = tuple[Paper, Mapping[str, Wording]]

SEED = Path(__file__).resolve().parents[2] / "shared" / "seeds" / "002_55bc4fadcb41fb0a.txt"
_ENTRY = re.compile(
    r"\n\n(?P<title>[^\n]+)\n\n(?P<zh>[^\n]+)\n\n• Authors: (?P<authors>[^\n]*)\n• Subjects: (?P<subjects>[^\n]*)\n"
    r"• Arxiv link: \S+/(?P<id>[\d.]+)\n• Pdf link: [^\n]*\n• Abstract (?P<abstract>[^\n]*)\n"
    r"• 中文摘要 (?P<zh_abstract>[^\n]*)"
)


@cache
def seed_papers() -> tuple[Announced, ...]:
    """The 144 papers with their Chinese words. Skips the test where the shared folder is not there."""
    if not SEED.exists():
        pytest.skip("the shared seeds are not beside this checkout")
    return tuple(_announced(entry) for entry in _ENTRY.finditer(SEED.read_text(encoding="utf-8")))


def _announced(entry: re.Match[str]) -> Announced:
    paper = Paper(
        PaperId(entry["id"]),
        1,
        clean(entry["title"]),
        clean(entry["abstract"]),
        tuple(Author(name) for name in entry["authors"].split(", ")),
        tuple(re.findall(r"\(([\w.-]+)\)", entry["subjects"])),
    )
    return paper, {"zh": Wording("zh", clean(entry["zh"]), abstract=clean(entry["zh_abstract"]))}


FRAGMENTS = [
    *(
        "RL",
        "rl's",
        "RLHF",
        "policy",
        "policies",
        "diffusion",
        "Multi-agent",
        "multiagent",
        "multi agent",
        "agents",
    ),
    *(
        "C++",
        "c#",
        ".NET",
        "CI/CD",
        "cicd",
        "3D",
        "3-D",
        "H₂",
        "GPT-4",
        "gpt4",
        "text-to-speech",
        "world",
        "early",
    ),
    *(
        "强化学习",
        "化学",
        "学习",
        "基于RL的",
        "量子化学",
        "強化學習",
        "テスト",
        "강화",
        "π",
        "ΠΟΛΙΣ",
        "Søgaard",
    ),
    *(
        "matrices",
        "matrix",
        "pre-training",
        "pretraining",
        "a",
        "is",
        "the",
        "—",
        "(",
        "'s",
        "x" * 70,
        "🔥",
        "2.5",
    ),
]
NAMES = [
    "Wei Zhang",
    "Zhang Wei",
    "Wei Q. Zhang",
    "Jean-Pierre Serre",
    "J.-P. Serre",
    "Anders Søgaard",
    "张伟",
    "",
]
NAMES += ["Ana Maria de la Cruz Rogers", "W. Li", "The ATLAS Collaboration", "Rogers"]
SOUGHT_NAMES = [*filter(None, NAMES), "Ana Rogers", "Rogers, A.", "Maria de la Cruz", "Zhang Serre", "Atlas"]
CATEGORIES = ["cs.LG", "cs.SY", "eess.SY", "math-ph", "cond-mat.str-el", "stat.ML", "astro-ph.GA"]
IDS = ["2609.00001", "hep-th/9901001", "doi:10.1101/2026.01", "url:https://example.org/a?b", "math/9901001"]
QUERY_WORDS = [
    *FRAGMENTS,
    *(
        "pol*",
        "polici*",
        "multi-ag*",
        "rlh*",
        "matri*",
        "强*",
        "cs",
        "wei",
        "zhang",
        "w",
        "serre",
        "zhan*",
        "wor*",
    ),
]


def text() -> st.SearchStrategy[str]:
    """Titles and abstracts of a small vocabulary, sometimes of anything."""
    fragments = st.lists(st.sampled_from(FRAGMENTS), max_size=9).map(" ".join)
    glued = st.lists(st.sampled_from([*FRAGMENTS, " ", "-", "/", ", "]), max_size=9).map("".join)
    return fragments | glued | st.text(max_size=20)


@st.composite
def papers(draw: st.DrawFn) -> Announced:
    """One random paper with its words in both languages."""
    paper = Paper(
        PaperId(draw(st.sampled_from(IDS))),
        1,
        draw(text()),
        draw(text()),
        tuple(
            Author(name) for name in draw(st.lists(st.sampled_from(NAMES) | st.text(max_size=8), max_size=4))
        ),
        tuple(draw(st.lists(st.sampled_from(CATEGORIES), max_size=3))),
        draw(st.sampled_from(["arxiv", "bioRxiv"])),
    )
    zh = Wording("zh", draw(text()), draw(text()), draw(text()))
    return paper, draw(
        st.sampled_from([{}, {"zh": zh}, {"zh": zh, "en": Wording("en", tldr="Diffusion policy")}])
    )


def types() -> st.SearchStrategy[frozenset[AnnounceType]]:
    """What a paper was announced as."""
    return st.frozensets(st.sampled_from(AnnounceType))


def _terms() -> st.SearchStrategy[str]:
    word = st.sampled_from(QUERY_WORDS)
    phrase = st.lists(word, min_size=1, max_size=4).map(lambda words: f'"{" ".join(words)}"')
    field = st.sampled_from(["", "", "", "ti:", "abs:", "au:"])
    plain = st.builds("{}{}".format, field, word | phrase)
    name = st.sampled_from(SOUGHT_NAMES).map('au:"{}"'.format) | st.just("au:Zhang, W.")
    category = st.sampled_from([*CATEGORIES, "cs", "eess", "cond-mat", "cs.*", "astro*"]).map("cat:{}".format)
    other = st.sampled_from(
        "id:2609.00001v2 id:9901001 hep-th/9901001 src:biorxiv src:arxiv "
        "type:new type:cross type:replace type:replace-cross type:new,cross".split()
    )
    return plain | plain | plain | name | category | other


def _tied(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    inner = st.lists(parts, min_size=2, max_size=3)
    return (
        inner.map(" ".join)
        | inner.map(" OR ".join).map("({})".format)
        | st.builds("{} -{}".format, parts, parts)
        | st.builds("{} NOT ({})".format, parts, parts)
    )


def query_texts() -> st.SearchStrategy[str]:
    """Random queries; some contradict themselves and are refused."""
    return st.recursive(_terms(), _tied, max_leaves=6)
