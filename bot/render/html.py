"""A digest as one HTML page that works from a file; its sections and papers are those of the web archive too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from html import escape

from bot.locale import Translator
from bot.markup.letters import link_target
from bot.ports import Attachment
from bot.render.digest import (
    announced_line,
    days_line,
    marks,
    section_title,
    total_line,
    untranslated_line,
    why_words,
)
from bot.render.page import LANGUAGE_TAGS, page, quiet, text
from bot.render.paper_words import (
    abstract_page,
    abstracts,
    chinese_title,
    doi_url,
    doubt,
    full_authors,
    links,
    origin_name,
    short_authors,
    tldrs_beside,
    with_links,
)
from bot.render.view import View
from scheduler.categories import category_name
from scheduler.models import Digest, DigestPaper, Paper, PaperId, Section

AUTHORS = 60
BYLINE = 2
_PLAIN_ID = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)


def digest_html(digest: Digest, view: View) -> str:
    """The whole digest: sections as links on top, each paper folded to its title and TL;DR."""
    t = view.t
    title = days_line(digest, t)
    pieces = [
        f"<header><h1>{text(title)}</h1>",
        *digest_lines(digest, view),
        *quiet(untranslated_line(digest, view)),
        "</header>",
        *(contents(digest.sections, t) if len(digest.sections) > 1 else ()),
        "<main>",
        *sections(digest.sections, view),
        "</main>",
        thanks(t),
    ]
    return page(title, "\n".join(pieces), "zh" if view.lang == "zh" else "en")


def digest_file(digest: Digest, view: View) -> Attachment:
    """The complete digest as a self-contained page in a file, named after its first and last day."""
    days = "_".join(day.isoformat() for day in (digest.dates[:1] + digest.dates[1:][-1:]))
    return Attachment(f"paperboy-{days}.html", digest_html(digest, view))


def digest_lines(digest: Digest, view: View) -> list[str]:
    """When it was announced, and how many papers there are."""
    return quiet(announced_line(digest.dates, view) if digest.dates else "", total_line(digest, view.t))


def thanks(t: Translator) -> str:
    """The foot of every page."""
    said = t("Thank you to arXiv for use of its open access interoperability.")
    return f'<footer class="quiet"><p>{text(said)}</p></footer>'


def contents(shown: Sequence[Section], t: Translator, first: int = 1) -> Iterator[str]:
    """The sections as links; `first` is the first one's number on the page."""
    yield f'<nav aria-label="{text(t("Sections"))}"><ul>'
    for number, section in enumerate(shown, start=first):
        yield f'<li><a href="#section-{number}">{text(section_title(section, t))}</a></li>'
    yield "</ul></nav>"


def sections(shown: Sequence[Section], view: View) -> Iterator[str]:
    """Every section with its papers folded."""
    for number, section in enumerate(shown, start=1):
        papers = [_paper(paper, section, view) for paper in section.papers]
        heading = f'<h2 id="section-{number}">{text(section_title(section, view.t))}</h2>'
        elsewhere = quiet(view.t("These papers stand in other sections.")) if not papers else []
        yield "\n".join(["<section>", heading, *(papers or elsewhere), "</section>"])


def anchor(paper_id: PaperId) -> str:
    """What follows the "#" in the address of a paper on a page: its id, or a short name for an id of other signs."""
    if _PLAIN_ID.fullmatch(paper_id):
        return paper_id
    return "p-" + blake2b(paper_id.encode(), digest_size=8).hexdigest()


def _paper(one: DigestPaper, section: Section, view: View) -> str:
    # The id stands inside: a browser that is led to it unfolds what is around it (HTML, "ancestor revealing").
    return "\n".join(
        [
            "<details>",
            _summary(one, view),
            f'<div id="{anchor(one.paper.id)}">',
            *_facts(one, section, view),
            *_abstracts(one, view),
            _links(one, view.t),
            "</div>",
            "</details>",
        ]
    )


def _summary(one: DigestPaper, view: View) -> str:
    """What shows while the paper is folded: number, title, TL;DR, first authors, primary category, id, marks."""
    parts = [f'<span class="number">{one.number}</span>', f'<span lang="en">{text(one.paper.title)}</span>']
    if chinese := chinese_title(one.wordings, view.languages):
        doubted = "".join(f" {mark}" for mark in marked(doubt(one.wordings["zh"], "title")))
        parts.append(f'<span class="chinese" lang="zh-Hans">{text(chinese)}{doubted}</span>')
    parts += [
        f'<span class="tldr" lang="{LANGUAGE_TAGS[said.lang]}">{text(said.shown)}</span>'
        for said in tldrs_beside(one.paper, one.wordings, view.languages)
    ]
    byline = (short_authors(one.paper.authors, BYLINE), one.paper.primary_category, one.paper.id)
    shown = [text(" · ".join(filter(None, byline))), *marked(*marks(one, view.t))]
    parts.append(f'<span class="quiet byline">{" · ".join(shown)}</span>')
    return f"<summary>{' '.join(parts)}</summary>"


def marked(*marks: str) -> list[str]:
    """What a reader must know of a paper, set off from the rest; marks that say nothing are left out.

    A warning sign stands on the line of what it warns of.
    """
    return [f'<span class="mark">{text(mark).replace("⚠ ", "⚠&nbsp;")}</span>' for mark in marks if mark]


def _facts(one: DigestPaper, section: Section, view: View) -> Iterator[str]:
    t, paper = view.t, one.paper
    yield from quiet(full_authors(paper.authors, AUTHORS))
    subjects = "; ".join(
        f"{name} ({code})" if (name := category_name(code)) else code for code in paper.categories
    )
    facts = [_english(subjects, view), f"<code>{text(paper.id)}</code>"]
    facts += [text(t.short_date(one.date, year=True)), _english(paper.comments, view)]
    facts += [_english(paper.journal_ref, view)]
    told = tldrs_beside(paper, one.wordings, view.languages)
    facts += [text(f"TL;DR: {origin_name(said.origin, t)}") for said in told[:1]]
    yield f'<p class="quiet">{" · ".join(filter(None, facts))}</p>'
    yield from quiet(why_words(one, section, t))


def _english(words: str, view: View) -> str:
    """What a source says in English, marked as such on a page of another language."""
    return f'<span lang="en">{text(words)}</span>' if words and view.lang != "en" else text(words)


def _abstracts(one: DigestPaper, view: View) -> Iterator[str]:
    for said in abstracts(one.paper, one.wordings, view.languages):
        origin = (
            f' <span class="quiet">{text(origin_name(said.origin, view.t))}</span>' if said.origin else ""
        )
        origin += "".join(f" {mark}" for mark in marked(said.doubt))
        paragraphs = "".join(
            f"<p>{_linked(part, one.paper)}</p>" for part in said.text.split("\n") if part.strip()
        )
        yield f'<blockquote lang="{LANGUAGE_TAGS[said.lang]}">{paragraphs}{origin}</blockquote>'


def _linked(words: str, paper: Paper) -> str:
    spans = with_links(words, abstract_page(paper))
    return "".join(outward(span.url, span.text) or text(span.text) for span in spans)


def _links(one: DigestPaper, t: Translator) -> str:
    known = links(one.paper)
    known["abs"] = abstract_page(one.paper)
    labels = {"abs": t("Abstract page"), "pdf": "PDF", "html": "HTML"}
    anchors = [outward(known.get(form, ""), label) for form, label in labels.items()]
    if one.paper.doi:
        anchors.append(outward(doi_url(one.paper.doi), "DOI"))
    present = " ".join(filter(None, anchors))
    return f'<p class="links">{present}</p>' if present else ""


def outward(url: str, label: str) -> str:
    """A link that leaves the page, "" for an address that may not be linked."""
    target = link_target(url)
    return f'<a href="{escape(target)}" rel="noopener noreferrer">{text(label)}</a>' if target else ""
