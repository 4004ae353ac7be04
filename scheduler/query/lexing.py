"""The signs of a query, in order: words, phrases, brackets, operators, fields, date limits."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from scheduler.query.problems import FaultError, Problem
from scheduler.query.syntax import FIELD_NAMES
from scheduler.tokens import normalise, words


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


@dataclass(frozen=True, slots=True)
class Lexeme:
    """One sign with its text (for FIELD the prefix, for LIMIT and SORT what follows the colon) and its place."""

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
_NOT_HERE = ("co", "jr", "rn", "rep", "type", "doi", "comment", "journal")
_WHEN = r"\d|to?day\b|yesterday\b"
_SIGNS = re.compile(
    rf"""(?P<blank>\s+)
    | (?P<open>\() | (?P<close>\))
    | "(?P<phrase>[^"]*)(?P<end>"?)(?P<star>\**)
    | (?P<or>\|+)
    | (?P<minus>(?<![^\s(|:])-+(?=[^\s)-]))
    | (?P<limit>since|until|on):(?:\s*(?={_WHEN})|(?=[^\s"()|]))(?P<when>[^\s"()|]*)
    | (?P<sort>sort|order):\s*(?P<order>[^\s"()|]*)
    | (?P<field>{"|".join(FIELD_NAMES)}):\s*
    | (?P<unknown>(?<!id:)(?:{"|".join(_NOT_HERE)})):(?=[^\s:])
    | (?P<word>[^\s"()|]+)""",
    re.VERBOSE | re.IGNORECASE,
)


def lexemes(text: str) -> list[Lexeme]:
    """The signs of `text`; punctuation and empty quotes that mean nothing are left out. Raises FaultError."""
    plain = text.translate(_ONE_TO_ONE)
    found = (_lexeme(match) for match in _SIGNS.finditer(plain))
    return [lexeme for lexeme in found if lexeme is not None]


def _lexeme(match: re.Match[str]) -> Lexeme | None:
    kind, place = match.lastgroup, match.start()
    if match["word"] is not None:
        return _word(match["word"], place)
    if match["phrase"] is not None:
        return _phrase(match)
    if match["limit"] is not None:
        return Lexeme(Sign.LIMIT, match["when"], place, match["limit"].lower())
    if match["sort"] is not None:
        return Lexeme(Sign.SORT, match["order"], place)
    if match["field"] is not None:
        return Lexeme(Sign.FIELD, match["field"].lower(), place)
    if match["unknown"] is not None:
        raise FaultError(Problem.UNKNOWN_FIELD, place, match["unknown"])
    simple = {"open": Sign.OPEN, "close": Sign.CLOSE, "or": Sign.OR, "minus": Sign.NOT}
    return Lexeme(simple[kind], match.group(), place) if kind in simple else None


def _phrase(match: re.Match[str]) -> Lexeme | None:
    if not match["end"]:
        raise FaultError(Problem.UNCLOSED_QUOTE, match.start())
    phrase = match["phrase"].rstrip()
    if match["star"]:
        phrase += "*"
    has_words = bool(words(normalise(phrase)))
    return Lexeme(Sign.PHRASE, phrase, match.start()) if has_words else None


def _word(word: str, place: int) -> Lexeme | None:
    if word in _OPERATORS:
        return Lexeme(_OPERATORS[word], word, place)
    if words(normalise(word)):
        return Lexeme(Sign.WORD, word, place)
    if "*" in word:
        raise FaultError(Problem.WILDCARD_ONLY, place, word)
    return None
