"""The signs of a query, in order: words, phrases, brackets, operators, fields, date limits."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from scheduler.query.problems import FaultError, Problem
from scheduler.query.syntax import FIELD_NAMES
from scheduler.tokens import text_words


class Sign(StrEnum):
    """What a piece of the text is."""

    WORD = "word"
    PHRASE = "phrase"
    OPEN = "("
    CLOSE = ")"
    AND = "AND"
    OR = "OR"
    NOT = "NOT"
    FIELD = "field"
    LIMIT = "limit"
    SORT = "sort"
    END = "end"


class Lexeme(NamedTuple):
    """One sign with its text (for FIELD the prefix, for LIMIT and SORT what is behind the colon) and its place."""

    sign: Sign
    text: str
    position: int
    name: str = ""


_ONE_TO_ONE = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»「」『』《》〝〞＂", '"'),
        **dict.fromkeys("（【〔﹙［", "("),
        **dict.fromkeys("）】〕﹚］", ")"),
        **dict.fromkeys("｜∣", "|"),
        **dict.fromkeys("，、；。;！？\u3000", " "),
        **dict.fromkeys("：﹕", ":"),
        **dict.fromkeys("＊∗", "*"),
        **dict.fromkeys("－−–", "-"),
        **{
            chr(0xFF01 + place): chr(0x21 + place)
            for place in range(0x20, 0x5E)
            if chr(0x21 + place).isalnum()
        },
    }
)
"""Every replacement is one character long, so that places stay those of the text as given."""

_OPERATORS = {"AND": Sign.AND, "&&": Sign.AND, "OR": Sign.OR, "NOT": Sign.NOT, "ANDNOT": Sign.NOT}
_NOT_HERE = (
    *("co", "jr", "rn", "rep", "doi", "comment", "comments", "journal"),
    *("after", "before", "date", "year", "primary", "tag", "lang"),
)
_WHEN = r"\d|(?ai:to?day|yesterday)\b"
_SIGNS = re.compile(
    rf"""(?P<blank>\s+)
    | (?P<plain>[a-zA-Z]+(?![^\s"()|]))  # most words are such ones, and found before all else is tried
    | (?P<open>\() | (?P<close>\))
    | "(?P<phrase>[^"]*)(?P<end>"?)(?P<star>\**)
    | (?P<or>\|+)
    | (?P<minus>(?<![^\s(|:])[-!]+(?=[^\s)!-]))
    | (?P<limit>(?ai:since|until|on)):(?:\s*(?={_WHEN})|(?=[^\s"()|]))(?P<when>[^\s"()|]*)
    | (?P<dateless>(?ai:since|until)):(?!\S)
    | (?P<sort>(?ai:sort|order)):\s*(?P<order>[^\s"()|]*)
    | (?P<field>(?ai:{"|".join(FIELD_NAMES)})):\s*
    | (?P<unknown>(?<!id:)(?ai:{"|".join(_NOT_HERE)})):(?=[^\s:])
    | (?P<word>[^\s"()|]+)""",
    re.VERBOSE,
)
"""Names of fields are those in ASCII letters alone: a dotless ı or a long ſ would else pass for an i or an s."""


def lexemes(text: str) -> list[Lexeme]:
    """The signs of `text`; punctuation and empty quotes that mean nothing are left out. Raises FaultError."""
    plain = text if text.isascii() else text.translate(_ONE_TO_ONE)
    found = []
    for match in _SIGNS.finditer(plain):
        lexeme = _READERS[match.lastgroup or ""](match)
        if lexeme is not None:
            found.append(lexeme)
    return found


def _word(match: re.Match[str]) -> Lexeme | None:
    word = match.group()
    if word in _OPERATORS:
        return Lexeme(_OPERATORS[word], word, match.start())
    if text_words(word):
        return Lexeme(Sign.WORD, word, match.start())
    if "*" in word:
        raise FaultError(Problem.WILDCARD_ONLY, match.start(), word)
    return None


def _phrase(match: re.Match[str]) -> Lexeme | None:
    if not match["end"]:
        raise FaultError(Problem.UNCLOSED_QUOTE, match.start())
    phrase = match["phrase"].rstrip()
    if match["star"]:
        phrase += "*"
    return Lexeme(Sign.PHRASE, phrase, match.start()) if text_words(phrase) else None


def _limit(match: re.Match[str]) -> Lexeme:
    return Lexeme(Sign.LIMIT, match["when"], match.start(), match["limit"].lower())


def _order(match: re.Match[str]) -> Lexeme:
    return Lexeme(Sign.SORT, match["order"], match.start())


def _field(match: re.Match[str]) -> Lexeme:
    return Lexeme(Sign.FIELD, match["field"].lower(), match.start())


def _dateless(match: re.Match[str]) -> Lexeme:
    raise FaultError(Problem.NO_DATE, match.start(), match.group())


def _unknown_field(match: re.Match[str]) -> Lexeme:
    raise FaultError(Problem.UNKNOWN_FIELD, match.start(), match["unknown"])


def _alone(sign: Sign) -> Callable[[re.Match[str]], Lexeme]:
    return lambda match: Lexeme(sign, match.group(), match.start())


_READERS: dict[str, Callable[[re.Match[str]], Lexeme | None]] = {
    "blank": lambda _: None,
    "plain": _word,
    "word": _word,
    "star": _phrase,
    "open": _alone(Sign.OPEN),
    "close": _alone(Sign.CLOSE),
    "or": _alone(Sign.OR),
    "minus": _alone(Sign.NOT),
    "when": _limit,
    "dateless": _dateless,
    "order": _order,
    "field": _field,
    "unknown": _unknown_field,
}
"""By the last group of _SIGNS that took part in the match."""
