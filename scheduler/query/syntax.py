"""What a query is made of once it is read: terms tied by and, or, not; date limits; an order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from datetime import date
from enum import StrEnum
from functools import lru_cache

from scheduler.query.dates import DateLimit, narrowest
from scheduler.tokens import Run, folded


class Field(StrEnum):
    """Where a term is looked for; ANYWHERE is the title or the abstract."""

    ANYWHERE = ""
    TITLE = "ti"
    ABSTRACT = "abs"
    AUTHOR = "au"
    CATEGORY = "cat"
    ID = "id"
    SOURCE = "src"
    TYPE = "type"

    @property
    def column(self) -> str:
        """The stream of `scheduler.tokens.Document` that is looked through; a type stands beside the source."""
        return Field.SOURCE.value if self is Field.TYPE else self.value


FIELD_NAMES = {
    "ti": Field.TITLE,
    "title": Field.TITLE,
    "abs": Field.ABSTRACT,
    "abstract": Field.ABSTRACT,
    "au": Field.AUTHOR,
    "author": Field.AUTHOR,
    "authors": Field.AUTHOR,
    "cat": Field.CATEGORY,
    "category": Field.CATEGORY,
    "id": Field.ID,
    "src": Field.SOURCE,
    "source": Field.SOURCE,
    "type": Field.TYPE,
    "announced": Field.TYPE,
    "all": Field.ANYWHERE,
    "titles": Field.TITLE,
    "summary": Field.ABSTRACT,
    "cats": Field.CATEGORY,
    "categories": Field.CATEGORY,
    "标题": Field.TITLE,
    "摘要": Field.ABSTRACT,
    "作者": Field.AUTHOR,
    "分类": Field.CATEGORY,
    "来源": Field.SOURCE,
}
"""What may stand before a colon: arXiv's prefixes (API user manual, "Details of Query Construction") and longer
names."""

LOOKS_LIKE_ID = re.compile(r"(?:\d{4}\.\d{4,6}|[a-z-]+(?:\.[a-z-]+)?/\d{7})(?:v\d+)?", re.IGNORECASE)


class Kind(StrEnum):
    """What a term looks like to a person."""

    WORD = "word"
    PHRASE = "phrase"
    PREFIX = "prefix"
    NAME = "name"
    CATEGORY = "category"
    ID = "id"
    SOURCE = "source"
    TYPE = "type"


_KIND_OF_FIELD = {
    Field.AUTHOR: Kind.NAME,
    Field.CATEGORY: Kind.CATEGORY,
    Field.ID: Kind.ID,
    Field.SOURCE: Kind.SOURCE,
    Field.TYPE: Kind.TYPE,
}


@dataclass(frozen=True, slots=True)
class Term:
    """One word, phrase, prefix, name, category, id, source or announce type, in one field.

    `text` is its plain spelling without field, quotes and star; terms that differ in it alone are equal and have one
    canonical spelling (`str`).
    A paper has the term when the field has one of `runs` side by side; for AUTHOR: within one name, in any
    order. `is_open` marks a prefix.
    """

    field: Field
    text: str = dataclass_field(compare=False)
    runs: tuple[Run, ...]
    is_open: bool = False

    @property
    def kind(self) -> Kind:
        """What the term looks like to a person."""
        if self.field in _KIND_OF_FIELD:
            return _KIND_OF_FIELD[self.field]
        if self.is_open:
            return Kind.PREFIX
        return Kind.WORD if len(self.runs[0].tokens) == 1 else Kind.PHRASE

    def __str__(self) -> str:
        return _spelt(self.field, self.text, self.is_open)


@lru_cache(maxsize=1 << 14)
def _spelt(field: Field, text: str, is_open: bool) -> str:
    body = text if field in _KIND_OF_FIELD else folded(text)
    if is_open:
        body = f"{text}*"
    if " " in body or ":" in body or (not field and LOOKS_LIKE_ID.fullmatch(body)):
        body = f'"{body}"'
    return f"{field}:{body}" if field else body


@dataclass(frozen=True, slots=True)
class And:
    """Every part must hold; at least one is not a Not."""

    parts: tuple[Node, ...]

    def __str__(self) -> str:
        return " ".join(f"({part})" if isinstance(part, Or) else str(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Or:
    """One part must hold; none is a Not."""

    parts: tuple[Node, ...]

    def __str__(self) -> str:
        return " OR ".join(f"({part})" if isinstance(part, And) else str(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Not:
    """The part must not hold; only inside And."""

    part: Node

    def __str__(self) -> str:
        return f"-{self.part}" if isinstance(self.part, Term) else f"-({self.part})"


Node = Term | And | Or | Not


@dataclass(frozen=True, slots=True)
class Query:
    """A query that can be answered. `canonical` is the text to keep: it reads as an equal query.

    Queries that differ in case, accents, plurals, kinds of quotes or repetition are equal.
    `root` is None for a query of date limits alone. `by_relevance` asks for hits in the title first.
    """

    root: Node | None
    limits: tuple[DateLimit, ...] = ()
    by_relevance: bool = False
    raw: str = dataclass_field(default="", compare=False)
    canonical: str = dataclass_field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not self.limits and not self.by_relevance:
            object.__setattr__(self, "canonical", str(self.root) if self.root is not None else "")
            return
        parts = [str(self.root)] if self.root is not None else []
        if isinstance(self.root, Or) and self.limits:
            parts = [f"({self.root})"]
        parts += [str(limit) for limit in self.limits]
        parts += ["sort:relevance"] if self.by_relevance else []
        object.__setattr__(self, "canonical", " ".join(parts))

    @property
    def typed(self) -> str:
        """What was typed, on one line."""
        return " ".join(self.raw.split()) or self.canonical

    def span(self, today: date) -> tuple[date | None, date | None]:
        """The first and the last announcement date asked for, None for an open side."""
        return narrowest(self.limits, today)


def positive_terms(node: Node | None) -> Iterator[Term]:
    """The terms that a hit can have, in the order of the query: those under a Not are left out."""
    if isinstance(node, Term):
        yield node
    elif isinstance(node, And | Or):
        for part in node.parts:
            yield from positive_terms(part)


def home_categories(node: Node | None) -> frozenset[str]:
    """The categories and archives of which every hit has one, as tokens (`scheduler.tokens.category_tokens`).

    None where a hit may be of any category.
    """
    if isinstance(node, Term):
        is_category = node.field is Field.CATEGORY
        return frozenset(run.tokens[0] for run in node.runs) if is_category else frozenset()
    if isinstance(node, And):
        return next(filter(None, map(home_categories, node.parts)), frozenset())
    if isinstance(node, Or):
        alternatives = [home_categories(part) for part in node.parts]
        return frozenset().union(*alternatives) if all(alternatives) else frozenset()
    return frozenset()


def categories(query: Query) -> frozenset[str]:
    """The categories and archives that the query names and does not exclude ("cs.LG", "cs")."""
    return frozenset(term.text for term in positive_terms(query.root) if term.field is Field.CATEGORY)
