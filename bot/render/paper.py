"""One paper's card."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from bot.locale import Translator
from bot.markup import Block, Line, LineKind, Span, Style
from bot.ports import Button, Keyboard
from bot.render.paper_words import (
    Said,
    Wordings,
    abstract_page,
    abstracts,
    bold_link,
    code,
    doi_url,
    dotted,
    field_names,
    full_authors,
    line,
    links,
    marked_chinese_title,
    origin_name,
    tldrs_beside,
    with_links,
)
from bot.render.view import View
from scheduler import paper_ids
from scheduler.models import Match, Paper

AUTHORS = 8

Because = Sequence[tuple[str, Match]]
"""The subscriptions that find a paper, by title, and why."""


def paper_card(
    paper: Paper, wordings: Wordings, view: View, *, announced: date | None = None, because: Because = ()
) -> tuple[Block, ...]:
    """The card: title, authors, where and when; TL;DR; abstract to unfold; why the chat gets it.

    `announced` is the newest announcement date, None for a paper that was never announced to us.
    """
    t, page = view.t, abstract_page(paper)
    blocks = [
        _head(paper, wordings, view, announced),
        *(_tldr(said, t) for said in tldrs_beside(paper, wordings, view.languages)),
        *(_abstract(said, page, t) for said in abstracts(paper, wordings, view.languages)),
        *((_because(because, t),) if because else ()),
    ]
    return tuple(blocks)


def _head(paper: Paper, wordings: Wordings, view: View, announced: date | None) -> Block:
    t = view.t
    lines: list[Line] = [line(bold_link(paper.title, abstract_page(paper)))]
    if chinese := marked_chinese_title(wordings, view.languages):
        lines.append(line(chinese))
    if paper.withdrawn:
        lines.append(line(Span(t("⚠ Withdrawn by its authors"), Style.BOLD)))
    if paper.authors:
        lines.append(line(full_authors(paper.authors, AUTHORS)))
    version = f"v{paper.version}" if paper.version and paper_ids.is_arxiv(paper.id) else ""
    lines.append(
        dotted(
            ", ".join(paper.categories),
            code(f"{paper.id}{version}"),
            _when(paper, announced, t),
            paper.comments,
        )
    )
    if paper.journal_ref or paper.doi:
        doi = Span(paper.doi, url=doi_url(paper.doi)) if paper.doi else ""
        lines.append(dotted(paper.journal_ref, doi))
    return Block(tuple(lines))


def _when(paper: Paper, announced: date | None, t: Translator) -> str:
    """When it was announced; of a paper that never was to us, when this version and the first one came."""
    if announced is not None:
        return t("announced {date}", date=t.short_date(announced, year=True))
    if paper.submitted is None:
        return ""
    submitted = t("submitted {date}", date=t.short_date(paper.submitted.date(), year=True))
    if paper.updated is None or paper.updated.date() == paper.submitted.date():
        return submitted
    return t.clauses((submitted, t("updated {date}", date=t.short_date(paper.updated.date(), year=True))))


def _tldr(said: Said, t: Translator) -> Block:
    origin = origin_name(said.origin, t)
    return Block(
        (
            line(Span("TL;DR", Style.BOLD), f"  {said.shown}"),
            *((line(origin, kind=LineKind.QUIET),) if origin else ()),
        )
    )


def _abstract(said: Said, page: str, t: Translator) -> Block:
    label = t("Abstract") if said.lang == "en" else t("中文摘要")
    origin = [Span(f"  {origin_name(said.origin, t)}")] if said.origin else []
    paragraphs = [text for text in said.text.split("\n") if text.strip()]
    return Block(
        (
            line(Span(label, Style.BOLD), *origin, *([f"  {said.doubt}"] if said.doubt else [])),
            *(line(*with_links(text, page), kind=LineKind.QUOTE) for text in paragraphs),
        )
    )


def _because(because: Because, t: Translator) -> Block:
    reasons = [
        t("{section} ({note})", section=title, note=field_names(match.fields, t)) if match.fields else title
        for title, match in because
    ]
    return Block((line(t("Here because of {reasons}", reasons=t.names(reasons)), kind=LineKind.QUIET),))


def card_keyboard(paper: Paper, t: Translator, version: int | None = None) -> Keyboard:
    """The paper's own pages, as far as it has them: those of a version that was asked for, else of the newest."""
    known = links(paper, version)
    labels = (("abs", t("Abstract page")), ("pdf", "PDF"), ("html", "HTML"))
    row = tuple(Button(label, url=known[form]) for form, label in labels if form in known)
    return Keyboard((row,) if row else ())
