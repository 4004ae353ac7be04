"""Why a day or a source is not (or not yet) as it should be: causes made from what happened, and kept as text. Pure.

A cause is a kind with its values; the sentence that a person reads is made of it in their own language.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from scheduler.errors import SourceChanged, SourceError, SourceRefused, SourceThrottled
from scheduler.models import Cause, CauseKind, EntryProblem

_BY_ERROR = {
    SourceThrottled: CauseKind.THROTTLED,
    SourceRefused: CauseKind.REFUSED,
    SourceChanged: CauseKind.CHANGED,
}


def of_error(error: Exception) -> Cause:
    """What a failure means: one of a source with its own words, any other by its name alone."""
    if not isinstance(error, SourceError):
        return Cause(CauseKind.FAULT, said=type(error).__name__)
    kind = next(
        (kind for known, kind in _BY_ERROR.items() if isinstance(error, known)), CauseKind.UNAVAILABLE
    )
    return Cause(kind, said=str(error))


def of_problems(problems: Sequence[EntryProblem]) -> Cause:
    """How many entries could not be read, with the first of them."""
    first = problems[0]
    return Cause(CauseKind.UNREADABLE, (str(len(problems)), first.entry), first.problem)


def dumped(causes: Sequence[Cause]) -> str:
    """The causes as a text that `loaded` reads; "" for none."""
    if not causes:
        return ""
    return json.dumps([[one.kind, list(one.values), one.said] for one in causes], ensure_ascii=False)


def loaded(text: str) -> tuple[Cause, ...]:
    """The causes of such a text; what an older Paperboy wrote in words of its own is kept as what was said."""
    if not text:
        return ()
    try:
        return tuple(Cause(CauseKind(kind), tuple(values), said) for kind, values, said in json.loads(text))
    except (ValueError, TypeError):
        return (Cause(CauseKind.NOTED, said=text),)
