"""BibTeX entries: what LaTeX and BibTeX read without an error, and what they show."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render.bibtex import bibliography, cite_key, entry, latex
from scheduler import text
from scheduler.models import Paper, PaperId
from tests.builders import paper

ATTENTION = paper(
    "1706.03762", "Attention Is All You Need", authors=("Ashish Vaswani",), categories=("cs.CL",)
)


def fields(written: str) -> dict[str, str]:
    """The fields of one entry, each on its own line."""
    return dict(re.findall(r"^  (\w+) += \{(.*)\},$", written, re.MULTILINE))


def depth_holds(written: str) -> bool:
    """BibTeX counts every brace, also behind a backslash (btxdoc, section 1)."""
    depth = 0
    for sign in written:
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            return False
    return depth == 0


def test_a_preprint_is_misc_with_its_eprint() -> None:
    assert entry(ATTENTION) == (
        "@misc{vaswani2017attention,\n"
        "  title         = {Attention Is All You Need},\n"
        "  author        = {Vaswani, Ashish},\n"
        "  year          = {2017},\n"
        "  eprint        = {1706.03762},\n"
        "  archivePrefix = {arXiv},\n"
        "  primaryClass  = {cs.CL},\n"
        "  url           = {https://arxiv.org/abs/1706.03762},\n"
        "}"
    )


def test_a_published_paper_is_an_article_of_its_year() -> None:
    published = replace(ATTENTION, journal_ref="Phys. Rev. D 76, 013009 (2019)", doi="10.1103/PhysRevD.76_1")
    written = entry(published)
    assert written.startswith("@article{vaswani2017attention,")
    assert fields(written)["year"] == "2019"
    assert fields(written)["journal"] == "Phys. Rev. D 76, 013009 (2019)"
    assert fields(written)["doi"] == "10.1103/PhysRevD.76_1"
    assert entry(replace(ATTENTION, doi="10.1/x")).startswith("@article{")


def test_arxivs_own_doi_makes_no_article() -> None:
    assert entry(replace(ATTENTION, doi="10.48550/arXiv.1706.03762")).startswith("@misc{")


def test_a_preprint_of_another_server() -> None:
    one = Paper(
        PaperId("doi:10.1101/2026.09.01.1"),
        1,
        "Cells",
        doi="10.1101/2026.09.01.1",
        source="biorxiv",
        submitted=datetime(2026, 9, 1, tzinfo=UTC),
    )
    written = fields(entry(one))
    assert written["howpublished"] == "bioRxiv"
    assert written["year"] == "2026"
    assert written["url"] == "https://doi.org/10.1101/2026.09.01.1"
    assert "eprint" not in written
    assert entry(one).startswith("@misc{anonymous2026cells,")


@pytest.mark.parametrize(
    ("paper_id", "year"),
    [("hep-th/9901001", "1999"), ("math/0309136", "2003"), ("0704.0001", "2007"), ("2609.00001", "2026")],
)
def test_the_year_is_that_of_the_first_version(paper_id: str, year: str) -> None:
    assert fields(entry(paper(paper_id)))["year"] == year


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("Ashish Vaswani", "Vaswani, Ashish"),
        ("Laurens van der Maaten", "van der Maaten, Laurens"),
        ("Martin Luther King Jr.", "King, Jr., Martin Luther"),
        ("Li Li", "Li, Li"),
        ("Anders Søgaard", r"S{\o}gaard, Anders"),
        ("Bernhard Schölkopf", r"Sch{\"o}lkopf, Bernhard"),
        ("Jiří Čech", r"{\v{C}}ech, Ji{\v{r}}{\'i}"),
        ("ATLAS Collaboration", "{ATLAS Collaboration}"),
        ("王小明", "{王小明}"),
        ("Plato", "{Plato}"),
    ],
)
def test_authors(name: str, written: str) -> None:
    assert fields(entry(paper("2609.00001", authors=(name,))))["author"] == written


@pytest.mark.parametrize(
    ("title", "written"),
    [
        ("GPT-4 and LLMs", "{GPT}-4 and {LLMs}"),
        ("MaD-RL: Matching", "{MaD}-{RL}: Matching"),
        ("A Survey of 3D Q-learning", "A Survey of {3D} {Q}-learning"),
        ("50% of R&D for $5 #1 a_b", r"50\% of {R}\&{D} for \$5 \#1 a\_b"),
        ("The {set} and ~ ^ \\", r"The \textbraceleft{}set\textbraceright{} and \textasciitilde{} "
         r"\textasciicircum{} \textbackslash{}"),
        ("H₂O and α–β", r"{H{$_{2}$}O} and {$\alpha$}--{$\beta$}"),
        ("扩散策略", "扩散策略"),
    ],
)  # fmt: skip
def test_titles_from_clean_text(title: str, written: str) -> None:
    assert fields(entry(paper("2609.00001", title)))["title"] == written


@pytest.mark.parametrize(
    ("raw", "written"),
    [
        (r"On $H_2$ and GPT", r"On {$H_2$} and {GPT}"),
        (r"Schr\"odinger's {GPT} cat", r"Schr{\"o}dinger's {GPT} cat"),
        (r"S{\o}gaard & sons, 50\% off", r"{S}{\o}gaard \& sons, 50\% off"),
        (r"The \alpha particle", r"The {$\alpha$} particle"),
        (r"\emph{Very} new", r"\emph{Very} new"),
        (r"Cost of $x &amp; y$", r"Cost of {$x \& y$}"),
    ],
)
def test_titles_from_raw_tex(raw: str, written: str) -> None:
    one = replace(paper("2609.00001", text.clean(raw)), raw_title=raw)
    assert fields(entry(one))["title"] == written


@pytest.mark.parametrize(
    "raw", ["Half $x open", "A {brace open", "Too } many { braces", "Ends in \\", "<b>x</b> $y$"]
)
def test_broken_tex_gives_way_to_clean_text(raw: str) -> None:
    one = replace(paper("2609.00001", "Clean Title"), raw_title=raw)
    assert fields(entry(one))["title"] == "Clean Title"


def test_keys_are_unique_within_a_bibliography() -> None:
    papers = [paper(f"2609.{number:05d}", "Attention") for number in range(1, 60)]
    keys = re.findall(r"@misc\{([^,]+),", bibliography(papers))
    assert len(set(keys)) == 59
    assert keys[:3] == ["lovelace2026attention", "lovelace2026attentionb", "lovelace2026attentionc"]


@given(st.text(max_size=80), st.text(max_size=80), st.lists(st.text(min_size=1, max_size=30), max_size=4))
def test_whatever_the_texts_braces_are_even(title: str, raw: str, names: list[str]) -> None:
    clean_names = [name for name in map(text.clean, names) if name]
    one = replace(paper("2609.00001", text.clean(title), authors=clean_names), raw_title=raw)
    written = entry(one)
    assert depth_holds(written)
    assert re.fullmatch(r"[a-z0-9]+", cite_key(one))


@given(st.text(max_size=100))
def test_no_special_sign_is_left_bare(clean_text: str) -> None:
    assert not re.search(r"(?<!\\)[&%#]", latex(clean_text))
