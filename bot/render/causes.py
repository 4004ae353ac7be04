"""Causes in words: why a day or a source is not, or not yet, as it should be."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from bot.locale import N_, Translator
from scheduler.models import Cause, CauseKind

WORDS = {
    CauseKind.NOT_FETCHED: N_("not fetched yet"),
    CauseKind.NO_UPDATES: N_("the listing says: no updates"),
    CauseKind.NOTHING_ANNOUNCED: N_("nothing announced"),
    CauseKind.EMPTY_SO_FAR: N_("the feed is empty so far"),
    CauseKind.STILL_EARLIER: N_("the feed is still that of {first}"),
    CauseKind.ALREADY_LATER: N_("the feed is already that of {first}"),
    CauseKind.REPEATED: N_("the feed is dated today and has the papers of the day before"),
    CauseKind.NO_DATE: N_("the feed has no date"),
    CauseKind.COUNT_TO_COME: N_("the listing's count is still to come"),
    CauseKind.LISTING_EMPTY: N_("the listing has nothing yet"),
    CauseKind.OTHER_LISTING: N_("the listing is that of {first}"),
    CauseKind.NOT_CHECKED: N_("not checked against the listing"),
    CauseKind.NEWS_MISSING: N_("{first} of {second} new and cross-listed papers received"),
    CauseKind.MISSING: N_("{first} of {second} received"),
    CauseKind.CUT: N_("the answer breaks off in the middle"),
    CauseKind.UNREADABLE: N_("{first} not readable, first {second}"),
    CauseKind.LEFT_ALONE: N_("arXiv wants its pages left alone for a while"),
    CauseKind.THROTTLED: N_("the source asks to slow down"),
    CauseKind.UNAVAILABLE: N_("the source could not be reached or is out of order"),
    CauseKind.REFUSED: N_("the source refused the request"),
    CauseKind.CHANGED: N_("the source answers in a form that is not known here"),
    CauseKind.FAULT: N_("a fault of mine, which is noted"),
}
"""What each kind is called; its values stand for {first} and {second}. HOLIDAY is a name, NOTED has its own words."""

_WITH_OWN_WORDS = (
    CauseKind.THROTTLED,
    CauseKind.UNAVAILABLE,
    CauseKind.REFUSED,
    CauseKind.CHANGED,
    CauseKind.NOTED,
)
"""Of these a reader of English is told what was said; it says more than the kind."""


def causes_words(causes: Sequence[Cause], t: Translator) -> str:
    """The causes in the reader's language, "" for none; what was said in English stays out of other languages."""
    return t.clauses([words for one in causes if (words := cause_words(one, t))])


def cause_words(cause: Cause, t: Translator) -> str:
    """One cause in the reader's language."""
    if cause.said and t.lang == "en" and cause.kind in _WITH_OWN_WORDS:
        return cause.said
    if cause.kind is CauseKind.HOLIDAY:
        return t(cause.values[0])
    words = _said(cause, t)
    return f"{words} ({cause.said})" if words and cause.said and t.lang == "en" else words


def _said(cause: Cause, t: Translator) -> str:
    if cause.kind is CauseKind.NOTED:
        return ""
    shown = dict(zip(("first", "second"), (_value(value, t) for value in cause.values), strict=False))
    return t(WORDS[cause.kind], **shown)


def _value(value: str, t: Translator) -> str:
    if value.isdecimal():
        return t.number(int(value))
    try:
        return t.short_date(date.fromisoformat(value))
    except ValueError:
        return value
