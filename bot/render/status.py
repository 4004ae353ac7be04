"""How the sources stand, for people (a card) and for programs (a JSON object)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.locale import N_, Translator, translator
from bot.markup import Block, Line, LineKind, Span, Style
from bot.render.causes import causes_words
from bot.render.view import View
from scheduler import calendar, harvesting
from scheduler.harvesting import SourceState
from scheduler.models import AnnounceType, Batch, BatchState
from scheduler.status import CategoryStatus, SourceStatus

STATES = {
    BatchState.FRESH: N_("complete"),
    BatchState.WAITING: N_("waiting"),
    BatchState.QUIET: N_("no announcement"),
    BatchState.STALE: N_("still the old one"),
    BatchState.PARTIAL: N_("incomplete"),
    BatchState.FAILED: N_("failed"),
}

HOLIDAYS = (
    N_("New Year's Day"),
    N_("Martin Luther King Jr. Day"),
    N_("Juneteenth"),
    N_("Independence Day"),
    N_("Labor Day"),
    N_("Thanksgiving"),
    N_("Christmas"),
    N_("the winter break"),
    N_("New Year's Eve"),
)
"""The names in `scheduler.calendar.HOLIDAYS`, for the catalogue."""

MOST_MISSING = 5


OtherStates = Mapping[str, SourceState | None]
"""How it went with each source beside arXiv, None before it was ever asked (`harvesting.states`)."""


def source_block(status: SourceStatus, others: OtherStates, view: View, now: datetime) -> Block:
    """One line for each category, then what is missing, the other sources, and the next announcement."""
    lines = [_line(Span(view.t("Sources"), Style.BOLD))]
    lines += [_category_line(one, view.t) for one in status.categories]
    lines += _missing_lines(status, view.t)
    lines += [_other_line(name, state, view) for name, state in others.items()]
    lines.append(_line(next_line(status, view, now)))
    return Block(tuple(lines))


def _line(*spans: str | Span, kind: LineKind = LineKind.TEXT) -> Line:
    return Line(tuple(span if isinstance(span, Span) else Span(span) for span in spans), kind)


def _category_line(one: CategoryStatus, t: Translator) -> Line:
    told = [_told(one.last, t)] if one.last is not None else [t("nothing received yet")]
    if one.today is not None and one.today != one.last:
        told.append(f"{t.short_date(one.today.date)}: {_state(one.today, t)}")
    return _line(Span(one.category, Style.CODE), f" {' · '.join(told)}")


def _told(batch: Batch, t: Translator) -> str:
    return f"{t.short_date(batch.date)}: {t.clauses([counted(batch, t), _state(batch, t)])}"


def counted(batch: Batch, t: Translator) -> str:
    """ "318 new + 201 cross, 519 of 519"; without the second half where no listing stated a count."""
    new = t.number(batch.counts.get(AnnounceType.NEW, 0))
    cross = t.number(batch.counts.get(AnnounceType.CROSS, 0))
    counts = t("{new} new + {cross} cross", new=new, cross=cross)
    if batch.declared_news is None:
        return counts
    of = t("{received} of {declared}", received=t.number(batch.news), declared=t.number(batch.declared_news))
    return t.clauses([counts, of])


def _state(batch: Batch, t: Translator) -> str:
    words = t(STATES[batch.state])
    why = causes_words(batch.causes, t)
    return t("{words} ({reason})", words=words, reason=why) if why else words


def _other_line(name: str, state: SourceState | None, view: View) -> Line:
    """ "biorxiv 29 Sep 14:05: 12 papers"; with what went wrong, where something did."""
    t = view.t
    title = Span(harvesting.title_of(name), Style.CODE)
    if state is None:
        return _line(title, f" {t('not fetched yet')}")
    asked = view.local(state.asked)
    told = [t.n("{count} paper", "{count} papers", state.found)] if state.found or not state.causes else []
    if state.causes:
        told.append(causes_words(state.causes, t))
    moment = f"{t.short_date(asked.date())} {t.time(asked)}"
    return _line(title, f" {moment}: {t.clauses([words for words in told if words])}")


def _missing_lines(status: SourceStatus, t: Translator) -> list[Line]:
    if not status.missing:
        return []
    first = status.missing[:MOST_MISSING]
    named = t.row(f"{batch.category} {t.short_date(batch.date)}" for batch in first)
    count = len(status.missing)
    words = t.n(
        "Still missing, {count} day: {days}", "Still missing, {count} days: {days}", count, days=named
    )
    return [_line(words + (" …" if count > len(first) else ""))]


def next_line(status: SourceStatus, view: View, now: datetime) -> str:
    """ "No announcement tonight: Labor Day; next: Tue 20:00 New York, Wed 02:00 for you"."""
    t = view.t
    there = status.next_at.astimezone(calendar.NEW_YORK)
    here = view.local(status.next_at)
    moments = {
        "there": f"{t.weekday(there.date())} {t.time(there)}",
        "here": f"{t.weekday(here.date())} {t.time(here)}",
    }
    if here.replace(tzinfo=None) == there.replace(tzinfo=None):
        following = t("{there} New York", there=moments["there"])
    else:
        following = t("{there} New York, {here} for you", **moments)
    if not status.holidays:
        return t("Next announcement: {following}", following=following)
    evening, name = status.holidays[0]
    if not calendar.is_certain(evening):
        return t(
            "Probably no announcement on {day}: {holiday}; next: {following}",
            day=t.weekday(evening),
            holiday=t(name),
            following=following,
        )
    if evening == now.astimezone(calendar.NEW_YORK).date():
        return t(
            "No announcement tonight: {holiday}; next: {following}", holiday=t(name), following=following
        )
    day = t.weekday(evening)
    return t(
        "No announcement on {day}: {holiday}; next: {following}",
        day=day,
        holiday=t(name),
        following=following,
    )


def source_object(status: SourceStatus, others: OtherStates) -> dict[str, Any]:
    """The sources' part of `paperboy status --json`: dates as 2026-09-29, moments in ISO 8601 with their offset."""
    return {
        "categories": [
            {
                "category": one.category,
                "last": _batch_object(one.last),
                "today": _batch_object(one.today),
            }
            for one in status.categories
        ],
        "others": [_other_object(name, state) for name, state in others.items()],
        "missing": [_batch_object(batch) for batch in status.missing],
        "next": {
            "date": status.next_day.isoformat(),
            "at": status.next_at.isoformat(),
            "holidays": [
                {"date": day.isoformat(), "name": name, "certain": calendar.is_certain(day)}
                for day, name in status.holidays
            ],
        },
    }


def _other_object(name: str, state: SourceState | None) -> dict[str, Any]:
    return {
        "source": harvesting.title_of(name),
        "asked": state.asked.isoformat() if state else None,
        "found": state.found if state else 0,
        "whole_until": state.whole_until.isoformat() if state and state.whole_until else None,
        "reason": causes_words(state.causes, translator("en")) if state else "",
        "causes": [str(cause.kind) for cause in state.causes] if state else [],
    }


def _batch_object(batch: Batch | None) -> dict[str, Any] | None:
    if batch is None:
        return None
    moments = {
        "first_seen": batch.first_seen,
        "completed": batch.completed,
        "last_try": batch.fetched_at,
        "listing_asked": batch.listed_at,
    }
    return {
        "category": batch.category,
        "date": batch.date.isoformat(),
        "state": str(batch.state),
        "reason": causes_words(batch.causes, translator("en")),
        "causes": [str(cause.kind) for cause in batch.causes],
        "source": batch.source,
        "received": batch.news,
        "declared": batch.declared_news,
        "counts": {str(kind): batch.counts.get(kind, 0) for kind in AnnounceType},
        "tries": batch.tries,
    } | {name: moment.isoformat() if moment else None for name, moment in moments.items()}
