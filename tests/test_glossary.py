"""The glossary: which terms stand in a text, what the shipped one holds, and an operator's own on top of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scheduler import seeds
from scheduler.enrich.glossary import Glossary, Term, read_terms
from scheduler.errors import SettingsError, UnknownInput

HEADING = "term,preferred,forbidden\n"


def test_terms_are_found_by_words_with_plurals_case_and_hyphens_folded() -> None:
    glossary = Glossary(
        read_terms(
            HEADING + "policy,策略,政策\npublic policy,公共政策,\nmulti agent,多智能体,多特工\n", "g.csv"
        )
    )
    found = glossary.terms_in("Policies for Multi-Agent games; POLICY again, policymakers, a public policy")
    assert [term.name for term in found] == ["policy", "multi agent", "public policy"]
    assert glossary.terms_in("One public policy") == (Term("public policy", ("公共政策",)),)
    assert glossary.terms_in("") == ()


def test_the_shipped_glossary_is_large_and_consistent() -> None:
    shipped = seeds.glossary()
    assert len(shipped.terms) >= 80
    for term in shipped.terms:
        assert term.preferred, term.name
        for wrong in term.forbidden:
            assert not any(wrong in right for right in term.preferred), term.name


def test_an_operators_term_takes_the_place_of_the_shipped_one(tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text("\ufeff" + HEADING + "Token,代币,词元\nkite,风筝,老鹰\n", encoding="utf-8")
    shipped, glossary = seeds.glossary(), seeds.glossary(own)
    assert glossary.terms_in("a kite of tokens") == (
        Term("kite", ("风筝",), ("老鹰",)),
        Term("token", ("代币",), ("词元",)),
    )
    assert len(glossary.terms) == len(shipped.terms) + 1
    assert glossary.version != shipped.version == seeds.glossary().version


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("policy,策略\n", "the first line"),
        (HEADING + "policy\n", "line 2"),
        (HEADING + "a,b,c,d\n", "line 2"),
        (HEADING + '"policy,策略,政策\n', "line 2"),
    ],
)
def test_a_wrong_glossary_names_its_line(tmp_path: Path, text: str, wrong: str) -> None:
    own = tmp_path / "own.csv"
    own.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=wrong) as caught:
        seeds.glossary(own)
    assert "PAPERBOY_GLOSSARY" in str(caught.value)


def test_a_missing_glossary_names_the_setting(tmp_path: Path) -> None:
    with pytest.raises(UnknownInput, match="PAPERBOY_GLOSSARY"):
        seeds.glossary(tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes(b"term,\xff")
    with pytest.raises(SettingsError, match="UTF-8"):
        seeds.glossary(tmp_path / "latin.csv")
