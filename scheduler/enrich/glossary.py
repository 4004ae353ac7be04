"""Terms of the field with the renderings that its readers use, and those that give a machine away. Pure.

A glossary is a CSV file with the columns `term`, `preferred` and `forbidden`; several renderings stand with `|` between
them. A longer term hides the shorter one inside it: where "public policy" stands, nothing is said of "policy".
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from scheduler.errors import SettingsError
from scheduler.plurals import singular

_COLUMNS = ("term", "preferred", "forbidden")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Term:
    """One term as the glossary has it, in lower case, with its renderings; the first preferred one is the best."""

    name: str
    preferred: tuple[str, ...]
    forbidden: tuple[str, ...] = ()


@dataclass(frozen=True)
class Glossary:
    """The terms of one pair of languages, in the glossary's order."""

    terms: tuple[Term, ...] = ()
    _by_words: dict[tuple[str, ...], Term] = field(init=False, repr=False, compare=False)
    _lengths: dict[str, tuple[int, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_words = {_words(term.name): term for term in self.terms}
        lengths: dict[str, tuple[int, ...]] = {}
        for words in sorted(by_words, key=len, reverse=True):
            lengths[words[0]] = tuple(dict.fromkeys((*lengths.get(words[0], ()), len(words))))
        object.__setattr__(self, "_by_words", by_words)
        object.__setattr__(self, "_lengths", lengths)

    @cached_property
    def version(self) -> str:
        """Changes when any term does: twelve hexadecimal digits."""
        return hashlib.sha256(repr(self.terms).encode()).hexdigest()[:12]

    def terms_in(self, text: str) -> tuple[Term, ...]:
        """The terms that stand in a text, each once, in the text's order; plurals, case and hyphens are folded."""
        return tuple(dict.fromkeys(self._found(_words(text))))

    def _found(self, words: tuple[str, ...]) -> Iterator[Term]:
        end = 0
        for place, word in enumerate(words):
            if place < end:
                continue
            for length in self._lengths.get(word, ()):
                term = self._by_words.get(words[place : place + length])
                if term is not None:
                    yield term
                    end = place + length
                    break

    def with_terms(self, added: Iterable[Term]) -> Glossary:
        """This glossary with other terms on top: one of the same name takes the place of the one that is there."""
        by_name = {term.name: term for term in self.terms} | {term.name: term for term in added}
        return Glossary(tuple(by_name.values()))


def _words(text: str) -> tuple[str, ...]:
    return tuple(singular(word) for word in _WORD.findall(text.lower()))


def read_terms(text: str, name: str) -> tuple[Term, ...]:
    """The terms of a glossary's CSV text. Raises SettingsError naming the file (`name`), the line and its fault."""
    rows = csv.reader(text.removeprefix("\ufeff").splitlines(), strict=True)
    try:
        heading = tuple(cell.strip() for cell in next(rows, []))
        if heading != _COLUMNS:
            raise SettingsError(f"{name}: the first line of a glossary is {','.join(_COLUMNS)}")
        return tuple(
            _term(row, f"{name}, line {rows.line_num}") for row in rows if any(cell.strip() for cell in row)
        )
    except csv.Error as error:
        raise SettingsError(f"{name}, line {rows.line_num}: not readable as CSV: {error}") from error


def _term(row: list[str], place: str) -> Term:
    cells = [cell.strip() for cell in row] + [""] * (len(_COLUMNS) - len(row))
    if len(cells) > len(_COLUMNS) or not _words(cells[0]) or not (cells[1] or cells[2]):
        raise SettingsError(
            f"{place}: a term needs its name and a preferred or a forbidden rendering, such as policy,策略,政策"
        )
    return Term(cells[0].lower(), _renderings(cells[1]), _renderings(cells[2]))


def _renderings(cell: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.strip() for part in cell.split("|") if part.strip()))
