"""The search index as scripts: the list of days, and one short line for each paper of a day."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import date

from bot.render.html import anchor
from bot.render.page import LANGUAGE_TAGS
from bot.render.paper_words import marked_chinese_title, short_authors, tldrs
from bot.render.view import View
from scheduler.models import DigestPaper

AUTHORS = 10


def days_script(days: Iterable[date]) -> str:
    """Tells the search which days there are, newest first."""
    return f"paperboy.days({_json([day.isoformat() for day in sorted(days, reverse=True)])});\n"


def day_script(day: date, papers: Sequence[DigestPaper], view: View) -> str:
    """A day's papers as [anchor, title, Chinese title, TL;DR, its language, authors, category and id]."""
    rows = ",\n".join(_json(_row(one, view)) for one in papers)
    return f'paperboy.day("{day.isoformat()}",[\n{rows}\n]);\n'


def _row(one: DigestPaper, view: View) -> list[str]:
    paper = one.paper
    facts = " · ".join(filter(None, (paper.primary_category, paper.id)))
    chinese = marked_chinese_title(one.wordings, view.languages)
    said = tldrs(one.wordings, view.languages)[:1]
    tldr = [said[0].shown, LANGUAGE_TAGS[said[0].lang]] if said else ["", "en"]
    return [anchor(paper.id), paper.title, chinese, *tldr, short_authors(paper.authors, AUTHORS), facts]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
