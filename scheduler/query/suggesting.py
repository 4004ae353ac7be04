"""For a query that cannot be read: one close to it that can."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from scheduler.categories import ARCHIVES
from scheduler.query.problems import EXAMPLE, MAX_LENGTH, MEANING_SIGN, FaultError, Problem
from scheduler.query.syntax import FIELD_NAMES, Field
from scheduler.tokens import normalise, words

LONGEST = 200
_FEW = 8
_FILTER = re.compile(r"\b(?:since|until|on|sort|order):\s*[^\s\"()|]*", re.IGNORECASE)
_UNKNOWN_FIELD = re.compile(r"\b[a-z]+:(?=\S)", re.IGNORECASE)
_EXCLUDED = re.compile(r"(?<!\S)(?:-+|NOT\s+)")
_EXCLUSION = re.compile(r"(?<!\S)(?:-+|NOT\s+)(?:\([^)]*\)|\"[^\"]*\"|\S+)")
_OPERATOR = re.compile(r"\b(?:AND|OR|NOT|ANDNOT)\b|&&|\|")
_BRACKET = re.compile("[()（）【】]")
_LOOSE_END = re.compile(r"(?:(?:\b(?:AND|OR|NOT|ANDNOT)\b|&&|\||\(|（|【|(?<!\S)-|\b[a-z]+:)\s*)+$")
_SAMPLES = {
    Field.AUTHOR: '"Wei Zhang"',
    Field.CATEGORY: "cs.LG",
    Field.ID: "2609.31644",
    Field.SOURCE: "arxiv",
    Field.TYPE: "new",
}


def suggestion(text: str, fault: FaultError, works: Callable[[str], bool]) -> str:
    """The first repair of `text` that `works`, EXAMPLE when none does; at most LONGEST characters."""
    tried = (" ".join(candidate.split()) for candidate in _candidates(text[:MAX_LENGTH], fault))
    return next((each for each in tried if len(each) <= LONGEST and works(each)), EXAMPLE)


def _candidates(text: str, fault: FaultError) -> Iterator[str]:
    yield from _repairs(text, fault)
    yield _BRACKET.sub(" ", _OPERATOR.sub(" ", text))
    plain = words(normalise(text))
    yield " ".join(f'"{word}"' if word in ("and", "or", "not") else word for word in plain[:_FEW])
    yield f'"{" ".join(plain[:_FEW])}"'


def _repairs(text: str, fault: FaultError) -> Iterator[str]:
    match fault.problem:
        case Problem.UNCLOSED_QUOTE:
            yield text.rstrip() + '"'
        case Problem.UNCLOSED_BRACKET:
            yield from _closed(text)
        case Problem.UNOPENED_BRACKET:
            yield text[: fault.position] + " " + text[fault.position + 1 :]
        case Problem.LONE_OPERATOR:
            yield from _without_operator(text, fault)
        case Problem.WILDCARD_ONLY | Problem.WILDCARD_SHORT | Problem.WILDCARD_PLACE:
            yield text.replace("*", " ")
        case Problem.ONLY_NEGATIVE:
            yield f"learning {text}"
            yield _EXCLUDED.sub("", text)
        case Problem.NO_DATE:
            yield f"{text[: fault.position]}since:7d{text[fault.position + len(fault.detail) :]}"
        case Problem.BAD_DATE | Problem.DATE_PLACE | Problem.BAD_SORT:
            yield f"{_FILTER.sub(' ', text)} {'sort:relevance' if 'sort' in text else 'since:7d'}"
            yield f"{EXAMPLE} sort:relevance"
        case Problem.UNKNOWN_CATEGORY:
            archive, wrong = fault.detail.partition(".")[0], re.escape(fault.detail)
            if archive in ARCHIVES:
                yield re.sub(wrong, archive, text, flags=re.IGNORECASE)
            yield re.sub(rf"\S*{wrong}\S*", "", text, flags=re.IGNORECASE)
        case Problem.MEANING:
            yield text.lstrip(f"{MEANING_SIGN} ")
        case Problem.UNKNOWN_FIELD:
            yield _UNKNOWN_FIELD.sub("", text)
        case Problem.UNKNOWN_TYPE:
            yield f"{text[: fault.position]}new{text[fault.position + len(fault.detail) :]}"
        case Problem.CONTRADICTION:
            yield _EXCLUSION.sub(" ", text)
        case Problem.DATES_APART:
            yield _FILTER.sub(" ", text)
            yield "since:7d"
        case _:
            return


def _closed(text: str) -> Iterator[str]:
    """The brackets closed, behind what is whole where the text breaks off after an operator."""
    whole = _LOOSE_END.sub("", text.rstrip()).rstrip()
    for kept in (text.rstrip(), whole):
        yield kept + ")" * max(1, len(re.findall("[(（【]", kept)) - len(re.findall("[)）】]", kept)))


def _without_operator(text: str, fault: FaultError) -> Iterator[str]:
    """A field gets something to look for, any other operator goes."""
    before, after = text[: fault.position], text[fault.position :].removeprefix(fault.detail)
    field = FIELD_NAMES.get(fault.detail.lower())
    if field is not None and after.startswith(":"):
        yield f"{before}{fault.detail}:{_SAMPLES.get(field, 'attention')} {after[1:]}"
    yield f"{before} {after}"
    yield _OPERATOR.sub(" ", text)
