"""A digest as a Markdown page (CommonMark)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.markup.letters import clean, link_target
from bot.render.digest import announced_line, days_line, marks, section_title, total_line
from bot.render.paper_words import (
    abstract_page,
    abstracts,
    full_authors,
    marked_chinese_title,
    tldrs_beside,
    with_links,
)
from bot.render.view import View
from scheduler.models import Digest, DigestPaper

AUTHORS = 20
_SPECIAL = re.compile(r"[\\`*_\[\]<>!|~&$]|:(?=//)|^[-+#=]|(?<=^\d)[.)]|(?<=^\d\d)[.)]|(?<=^\d{3})[.)]")


def digest_markdown(digest: Digest, view: View) -> str:
    """The digest with a heading per section and per paper."""
    t = view.t
    pieces = [f"# {escaped(days_line(digest, t))}"]
    if digest.dates:
        pieces.append(escaped(announced_line(digest.dates, view)))
    pieces.append(escaped(total_line(digest, t)))
    for section in digest.sections:
        pieces.append(f"## {escaped(section_title(section, t))}")
        for paper in section.papers:
            pieces += _paper(paper, view)
    pieces.append(t("Thank you to arXiv for use of its open access interoperability."))
    return "\n\n".join(pieces) + "\n"


def _paper(one: DigestPaper, view: View) -> Iterator[str]:
    t, paper = view.t, one.paper
    url = link_target(abstract_page(paper))
    title = escaped(paper.title)
    yield f"### {one.number}\\. [{title}](<{url}>)" if url else f"### {one.number}\\. {title}"
    if chinese := marked_chinese_title(one.wordings, view.languages):
        yield f"**{escaped(chinese)}**"
    if paper.authors:
        yield escaped(full_authors(paper.authors, AUTHORS))
    facts = [escaped(", ".join(paper.categories)), f"`{paper.id}`", *map(escaped, marks(one, t))]
    yield " · ".join(filter(None, facts))
    for said in tldrs_beside(paper, one.wordings, view.languages):
        yield f"**TL;DR** {escaped(said.shown)}"
    for said in abstracts(paper, one.wordings, view.languages):
        spans = with_links(escaped(said.shown), url)
        yield "> " + "".join(f"[{span.text}](<{span.url}>)" if span.url else span.text for span in spans)


def escaped(text: str) -> str:
    """Text from outside as CommonMark shows it verbatim."""
    return _SPECIAL.sub(r"\\\g<0>", clean(text).strip())
