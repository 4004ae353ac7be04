"""For a query that cannot be read: one close to it that can."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from scheduler.query.problems import EXAMPLE, MAX_LENGTH, FaultError, Problem
from scheduler.tokens import normalise, words

LONGEST = 200
_FEW = 8
_FILTER = re.compile(r"\b(?:since|until|on|sort|order):\s*[^\s\"()|]*", re.IGNORECASE)
_UNKNOWN_FIELD = re.compile(r"\b[a-z]+:(?=\S)", re.IGNORECASE)
_EXCLUDED = re.compile(r"(?<!\S)(?:-+|NOT\s+)")


def suggestion(text: str, fault: FaultError, works: Callable[[str], bool]) -> str:
    """The first repair of `text` that `works`, EXAMPLE when none does; at most LONGEST characters."""
    tried = (" ".join(candidate.split()) for candidate in _candidates(text[:MAX_LENGTH], fault))
    return next((each for each in tried if len(each) <= LONGEST and works(each)), EXAMPLE)


def _candidates(text: str, fault: FaultError) -> Iterator[str]:
    yield from _repairs(text, fault)
    plain = words(normalise(text))
    yield " ".join(f'"{word}"' if word in ("and", "or", "not") else word for word in plain[:_FEW])
    yield f'"{" ".join(plain[:_FEW])}"'


def _repairs(text: str, fault: FaultError) -> Iterator[str]:
    match fault.problem:
        case Problem.UNCLOSED_QUOTE:
            yield text.rstrip() + '"'
        case Problem.UNCLOSED_BRACKET:
            yield text.rstrip() + ")"
            yield text[: fault.position] + " " + text[fault.position + 1 :]
        case Problem.UNOPENED_BRACKET:
            yield text[: fault.position] + " " + text[fault.position + 1 :]
        case Problem.LONE_OPERATOR:
            yield text[: fault.position] + " " + text[fault.position :].removeprefix(fault.detail)
            yield re.sub(r"\b(?:AND|OR|NOT|ANDNOT)\b|\|", " ", text)
        case Problem.WILDCARD_ONLY | Problem.WILDCARD_SHORT | Problem.WILDCARD_PLACE:
            yield text.replace("*", " ")
        case Problem.ONLY_NEGATIVE:
            yield f"learning {text}"
            yield _EXCLUDED.sub("", text)
        case Problem.BAD_DATE | Problem.DATE_PLACE | Problem.BAD_SORT:
            yield f"{_FILTER.sub(' ', text)} {'sort:relevance' if 'sort' in text else 'since:7d'}"
        case Problem.UNKNOWN_FIELD:
            yield _UNKNOWN_FIELD.sub("", text)
        case Problem.CONTRADICTION:
            yield re.sub(r"(?<!\S)(?:-+|NOT\s+)(?:\([^)]*\)|\"[^\"]*\"|\S+)", " ", text)
            yield _FILTER.sub(" ", text)
        case _:
            return
