"""How models and translation services stand, for the operator (lines) and for programs (a JSON object)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from bot.locale import Translator
from bot.markup import Block, Span, Style
from bot.render.paper_words import line
from bot.render.view import View
from scheduler.enriching import Report


def words_blocks(report: Report, view: View) -> tuple[Block, ...]:
    """One line for each service, what the day has cost, and what came of it; nothing where no service is set up."""
    if not report.services:
        return ()
    t = view.t
    lines = [line(Span(t("TL;DRs and translations"), Style.BOLD))]
    for name, told in report.services.items():
        well = t("works") if told is not None else t("not asked yet")
        lines.append(line(Span(name, Style.CODE), f" {told.why if told is not None and told.why else well}"))
    lines.append(line(_spent(report, t)))
    if report.made:
        counts = t.row(f"{status} {t.number(count)}" for status, count in report.made.items())
        lines.append(line(t("Texts made today: {counts}", counts=counts)))
    return (Block(tuple(lines)),)


def _spent(report: Report, t: Translator) -> str:
    spent, caps = report.spent, report.caps
    parts = [
        _of(t.number(spent.tokens), None if caps.tokens is None else t.number(caps.tokens), t("tokens"), t),
        _of(
            t.number(spent.characters),
            None if caps.characters is None else t.number(caps.characters),
            t("characters"),
            t,
        ),
        _of(_money(spent.micros), None if caps.micros is None else _money(caps.micros), t("in money"), t),
    ]
    return t("Used today (UTC): {amounts}", amounts=t.row(parts))


def _of(used: str, most: str | None, unit: str, t: Translator) -> str:
    return f"{used} {unit}" if most is None else t("{used} of {most} {unit}", used=used, most=most, unit=unit)


def _money(micros: int) -> str:
    """ "0.0312": ten-thousandths are shown, millionths are not."""
    return f"{(Decimal(micros) / 1_000_000):.4f}"


def words_object(report: Report) -> dict[str, Any]:
    """The words' part of `paperboy status --json`: money in whole units, null where there is no cap."""
    caps, spent = report.caps, report.spent
    return {
        "services": [
            {"name": name, "works": not (told and told.why), "reason": told.why if told else ""}
            | {"since": told.since.isoformat() if told else None}
            for name, told in report.services.items()
        ],
        "spent": {"tokens": spent.tokens, "characters": spent.characters, "money": spent.micros / 1_000_000},
        "caps": {
            "tokens": caps.tokens,
            "characters": caps.characters,
            "money": None if caps.micros is None else caps.micros / 1_000_000,
        },
        "made": {str(status): count for status, count in report.made.items()},
    }
