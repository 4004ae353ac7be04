"""A paper's page on arXiv (/abs/…): what the feed leaves out (comments, withdrawal, exact times, licence).

Facts: arXiv's published page templates (arxiv-browse). A withdrawn version carries a notice above its title.
"""

from __future__ import annotations

import re
from datetime import datetime

from selectolax.lexbor import LexborHTMLParser

from scheduler import paper_ids, text
from scheduler.errors import NotAPaperId, SourceChanged
from scheduler.models import PaperId, ParsedFeed
from scheduler.sources import papers
from scheduler.sources.pages import field_of, subjects_of

KIND = "arxiv-abstract"

_THIS_VERSION = re.compile(r"\(this version, v(\d+)\)|arXiv:\S+v(\d+)\b")
_HISTORY = re.compile(r"\[v(\d+)\]\s*(\w{3}, \d{1,2} \w{3} \d{4} \d{2}:\d{2}:\d{2}) UTC")


def parse(body: bytes) -> ParsedFeed:
    """The one paper of a paper's page, in the version that the page shows.

    Raises SourceChanged when the page has no paper id or no title.
    """
    page = LexborHTMLParser(body.decode("utf-8", errors="replace"))
    root = page.body
    title = field_of(root, "h1.title") if root else ""
    if root is None or not title:
        raise SourceChanged("arxiv", "the paper's page has no title")
    paper_id = _paper_id(page)
    history = _history(page)
    version = _version(page) or max(history, default=papers.UNKNOWN_VERSION)
    notice = field_of(root, "#abs span.error")
    licence = page.css_first("div.abs-license a")
    paper = papers.build(
        paper_id,
        version,
        title,
        field_of(root, "blockquote.abstract"),
        text.split_authors(field_of(root, "div.authors")),
        subjects_of(page.css_first("td.subjects")),
        comments=field_of(root, "td.comments"),
        doi=field_of(root, "td.doi"),
        journal_ref=field_of(root, "td.jref"),
        licence=(licence.attributes.get("href") or "") if licence else "",
        withdrawn="withdrawn" in notice.lower(),
        submitted=history.get(1),
        updated=history.get(version),
    )
    return ParsedFeed(KIND, "arxiv", papers=(paper,))


def _paper_id(page: LexborHTMLParser) -> PaperId:
    meta = page.css_first('meta[name="citation_arxiv_id"]')
    canonical = page.css_first('link[rel="canonical"]')
    named = [(meta, "content"), (canonical, "href")]
    for node, attribute in named:
        try:
            return paper_ids.parse((node.attributes.get(attribute) or "") if node else "")[0]
        except NotAPaperId:
            continue
    raise SourceChanged("arxiv", "the paper's page names no paper id")


def _version(page: LexborHTMLParser) -> int | None:
    for selector in ("div.dateline", "td.arxividv"):
        node = page.css_first(selector)
        found = _THIS_VERSION.search(node.text()) if node else None
        if found:
            return int(found.group(1) or found.group(2))
    return None


def _history(page: LexborHTMLParser) -> dict[int, datetime | None]:
    """When each version was submitted; {} for a page without a submission history."""
    node = page.css_first("div.submission-history")
    written = _HISTORY.findall(node.text()) if node else []
    return {int(number): papers.moment(f"{words} +0000") for number, words in written}
