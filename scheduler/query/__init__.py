"""The one query language: subscriptions, /search, /try and topics all read their text here.

    word another          both, in the title or the abstract, not necessarily in the same one
    "two words"           side by side; curly and Chinese quotes too; a-b also finds ab
    -x   !x   NOT x       without x
    x OR y   x | y        one of them; AND ties more closely, (brackets) regroup
    transf*               words that begin so (three letters or more)
    ti: abs: au: cat: id: src:     one field; also title: abstract: author: category: source:
    type:new   type:cross,replace  how arXiv announced it, in any of the categories that are fetched
    au:"Wei Zhang"        both words in one author's name, in either order
    cat:cs.LG   cat:cs    a category, an archive
    since: until: on:     announcement dates: 2026-09-01, 2026-09, 7d, 2w, today
    sort:relevance        hits in the title first

`and`, `or` and `not` in lower case are words. Case, accents, plurals and TeX are folded (`scheduler.tokens`); RL
does not find RLHF, RLH* does. Text with a backslash or a dollar sign is read as TeX.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from scheduler.errors import QueryError
from scheduler.query import loosening, nearby
from scheduler.query.dates import Bound, DateLimit
from scheduler.query.explaining import Clause, Explanation, Join, explain
from scheduler.query.fts import fts
from scheduler.query.lexing import Sign, lexemes
from scheduler.query.nearby import Near, Nearness, as_news
from scheduler.query.problems import (
    EXAMPLE,
    MAX_KEPT,
    MAX_LENGTH,
    MEANING_SIGN,
    PROBLEMS,
    FaultError,
    Problem,
)
from scheduler.query.reading import read
from scheduler.query.suggesting import suggestion
from scheduler.query.syntax import (
    FIELD_NAMES,
    And,
    Field,
    Kind,
    Node,
    Not,
    Or,
    Query,
    Term,
    categories,
    home_categories,
    positive_terms,
)
from scheduler.text import clean

__all__ = [
    "EXAMPLE",
    "FIELD_NAMES",
    "MAX_LENGTH",
    "MEANING_SIGN",
    "PROBLEMS",
    "And",
    "Bound",
    "Clause",
    "DateLimit",
    "Explanation",
    "Field",
    "Join",
    "Kind",
    "Near",
    "Nearness",
    "Node",
    "Not",
    "Or",
    "Problem",
    "Query",
    "Term",
    "as_news",
    "categories",
    "explain",
    "fts",
    "home_categories",
    "is_plain_words",
    "looser",
    "narrower",
    "near_misses",
    "parse",
    "parse_typed",
    "phrase_query",
    "positive_terms",
    "recent",
]


def parse(text: str) -> Query:
    """The query that `text` says. Raises QueryError (a key of PROBLEMS, the place, a query that works)."""
    try:
        return _read(text)
    except FaultError as fault:
        place = min(fault.position, len(text))
        raise QueryError(fault.problem, text, place, suggestion(text, fault, _works), fault.detail) from None


def _read(text: str) -> Query:
    if not text.strip():
        raise FaultError(Problem.EMPTY, 0)
    if text.lstrip().startswith(MEANING_SIGN):
        raise FaultError(Problem.MEANING, text.index(MEANING_SIGN), MEANING_SIGN)
    if len(text) > MAX_LENGTH and not _is_canonical(text):
        raise FaultError(Problem.TOO_LONG, MAX_LENGTH, str(len(text)))
    return read(clean(text) if "$" in text or "\\" in text else text, text)


def _is_canonical(text: str) -> bool:
    """True for what was kept of a query: fields and operators written out may make it longer than it was typed."""
    try:
        return len(text) <= MAX_KEPT and read(text, text).canonical == text
    except FaultError:
        return False


def _works(text: str) -> bool:
    try:
        _read(text)
    except FaultError:
        return False
    return True


def is_plain_words(text: str) -> bool:
    """True for two or more words without quotes, operators, brackets, fields, stars, dates or a ~ in front.

    What is typed after /subscribe in this form is meant as one phrase: `phrase_query`.
    """
    if text.lstrip().startswith(MEANING_SIGN):
        return False
    try:
        signs = lexemes(text[: MAX_LENGTH + 1])
    except FaultError:
        return False
    return len(signs) > 1 and all(each.sign is Sign.WORD and "*" not in each.text for each in signs)


def phrase_query(words: str) -> Query:
    """The query for `words` side by side: diffusion policy → "diffusion policy". Raises QueryError.

    The length that counts is that of the words, and `raw` has the quotes.
    """
    typed = words.strip()
    if not typed or len(typed) > MAX_LENGTH:
        return parse(words)
    try:
        return read(f'"{clean(typed)}"', f'"{typed}"')
    except FaultError:
        return parse(f'"{typed}"')


def recent(query: Query, first: date) -> Query:
    """The same for papers announced on `first` or later."""
    return replace(query, limits=tuple(sorted((*query.limits, DateLimit(Bound.SINCE, first.isoformat())))))


def near_misses(query: Query, texts: Sequence[str]) -> tuple[Near, ...]:
    """Other ways of writing what `query` looks for; `texts` are abstracts that it finds, for their abbreviations."""
    return nearby.near_misses(query, texts, parse)


def narrower(query: Query, categories: Sequence[str]) -> tuple[Query, ...]:
    """Queries that find a part of what `query` finds: the phrase, in the title, in one of the categories."""
    return nearby.narrower(query, categories, parse)


def looser(query: Query) -> tuple[Query, ...]:
    """Queries that find at least what `query` finds, the nearest first."""
    return loosening.looser(query, parse)


def parse_typed(text: str) -> Query:
    """The query for what is typed so far: the last word counts as the beginning of one. Raises QueryError."""
    return loosening.typed(text, parse)
