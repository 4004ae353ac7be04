"""What can be wrong with a query: stable keys that `bot.locale` puts into words."""

from __future__ import annotations

from enum import StrEnum


class Problem(StrEnum):
    """One kind of fault; the text it is about is QueryError.detail."""

    EMPTY = "empty"
    """Nothing but blanks."""
    TOO_LONG = "too_long"
    """More than MAX_LENGTH characters; the detail is the number."""
    TOO_MANY_TERMS = "too_many_terms"
    """More than MAX_TERMS words and phrases."""
    TOO_DEEP = "too_deep"
    """More than MAX_DEPTH brackets inside each other."""
    NO_WORDS = "no_words"
    """Only punctuation or emoji."""
    UNCLOSED_QUOTE = "unclosed_quote"
    UNCLOSED_BRACKET = "unclosed_bracket"
    """The place is the end of the text, the detail the last sign there: `(rl AND` is open after AND."""
    UNOPENED_BRACKET = "unopened_bracket"
    LONE_OPERATOR = "lone_operator"
    """AND, OR, NOT, | or a field without what belongs to it."""
    WILDCARD_ONLY = "wildcard_only"
    """A star without a word."""
    WILDCARD_SHORT = "wildcard_short"
    """A star after fewer than three letters."""
    WILDCARD_PLACE = "wildcard_place"
    """A star anywhere but at the end of a word."""
    ONLY_NEGATIVE = "only_negative"
    """Only what must not occur: in the whole query, in brackets, or beside OR."""
    CONTRADICTION = "contradiction"
    """No paper can match: a term is wanted and excluded."""
    DATES_APART = "dates_apart"
    """No paper can match: the dates leave no day."""
    UNKNOWN_FIELD = "unknown_field"
    """A field that arXiv has and Paperboy has not."""
    UNKNOWN_CATEGORY = "unknown_category"
    """What looks like one of arXiv's categories and is none."""
    UNKNOWN_TYPE = "unknown_type"
    """What is no way in which arXiv announces a paper."""
    BAD_DATE = "bad_date"
    NO_DATE = "no_date"
    """since: or until: without a date behind it."""
    DATE_PLACE = "date_place"
    """A date or an order inside brackets, excluded, or beside OR."""
    BAD_SORT = "bad_sort"
    MEANING = "meaning"
    """A ~ in front: search by meaning, which is no query."""


PROBLEMS = frozenset(Problem)
"""Every key that QueryError.problem can have."""

MAX_LENGTH = 500
MAX_KEPT = 2000
"""Characters of a canonical text at most."""
MAX_TERMS = 32
MAX_DEPTH = 8
MIN_PREFIX = 3
MEANING_SIGN = "~"
"""In front of a search by meaning."""

EXAMPLE = '"reinforcement learning" OR RL'
"""The suggestion where nothing of the query can be saved."""


class FaultError(Exception):
    """A problem at a place of the text; only inside this package, callers see QueryError."""

    def __init__(self, problem: Problem, position: int, detail: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.position = position
        self.detail = detail
