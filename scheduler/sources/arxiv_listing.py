"""arXiv's pages of a day: the listing (/list/…/new) and catch-up (/catchup/…/YYYY-MM-DD).

Facts: arXiv's published page templates (arxiv-browse); seen answers. A listing is the newest date of the
whole database whatever the clock says, so the date is read from its heading. Sections state their counts
("showing X of Y entries"). Pages name no version except in the link to the HTML form; a paper under "New
submissions" is at version 1, every other one without such a link at UNKNOWN_VERSION. Replacements and
replaced cross-lists stand in one section and are told apart by the primary category.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from selectolax.lexbor import LexborHTMLParser, LexborNode

from scheduler import paper_ids, text
from scheduler.errors import NotAPaperId, SourceChanged
from scheduler.models import Announcement, AnnounceType, EntryProblem, Paper, ParsedFeed
from scheduler.sources import papers
from scheduler.sources.pages import SAME_CATEGORY, field_of, subjects_of, words_of

KIND = "arxiv-listing"
PAGE = 2000
"""A page's most entries (arXiv's published list and catch-up controllers)."""

_SECTION = re.compile(
    r"^(?P<name>New|Cross|Replacement)[\w -]*\(\s*(?:continued,\s*)?showing\s+(?:(?:first|last)\s+)?"
    r"(?P<shown>[\d,]+)\s+of\s+(?P<all>[\d,]+)",
    re.IGNORECASE,
)
_NO_NEWS = re.compile(r"\bNo updates (?:today|for)\b")
_TOTAL = re.compile(r"\bTotal of ([\d,]+) entries")
_HTML_VERSION = re.compile(r"v(\d+)/?$")
_CATEGORY_LINK = re.compile(r"/(?:list|catchup)/([a-zA-Z.-]+)/")


@dataclass(slots=True)
class _Section:
    name: str
    shown: int
    of: int
    entries: list[tuple[LexborNode, LexborNode | None]] = field(default_factory=list)


def parse(body: bytes, category: str = "") -> ParsedFeed:
    """The announcements of a listing or a catch-up page.

    `category` is the request's; without it, it is read from the page's own links, or else from what its
    new papers have in common. `declared_by_type` is what the section headings state; of the replacements,
    those that are cross-lists here are counted among the shown ones. `truncated` is true when the page
    shows fewer entries than it states. Raises SourceChanged when a landmark of the page is missing.
    """
    page = LexborHTMLParser(body.decode("utf-8", errors="replace"))
    day = _date(page)
    if day is None:
        raise SourceChanged("arxiv", "the listing page has no heading with its date")
    sections = _sections(page)
    words = page.body.text(separator=" ") if page.body else ""
    if not sections and not _NO_NEWS.search(words):
        raise SourceChanged("arxiv", "the listing page has no sections and does not say 'No updates'")
    is_cut = bool(sections) and not re.search(rb"</html\s*>", body[-2000:], re.IGNORECASE)
    read, problems = _papers(sections, is_cut=is_cut)
    category = category or _linked_category(page) or _common_category(read)
    announcements = tuple(_announcement(kind, paper, day, category) for kind, paper in read)
    shown = sum(section.of for section in sections)
    if len(announcements) < shown:
        problems.append(EntryProblem(category, f"{shown} entries stated, {len(announcements)} read"))
    total = _TOTAL.search(words)
    declared = int(total.group(1).replace(",", "")) if total else shown
    on_page = sum(section.shown for section in sections)
    return ParsedFeed(
        KIND,
        "arxiv",
        category,
        date=day,
        announcements=announcements,
        declared=declared,
        declared_by_type=_declared(sections, announcements),
        truncated=is_cut or len(announcements) < shown,
        problems=tuple(problems),
        next_token=str(on_page) if on_page < declared else "",
    )


def _date(page: LexborHTMLParser) -> date | None:
    for heading in page.css("h3, h1"):
        words = heading.text()
        if "listings for" in words or "Catchup results" in words:
            return papers.written_date(words)
    return None


def _sections(page: LexborHTMLParser) -> list[_Section]:
    """The page's sections with the <dt> and <dd> of their entries, in document order."""
    sections: list[_Section] = []
    for node in page.css("h3, dt, dd"):
        if node.tag == "h3":
            heading = _SECTION.match(" ".join(node.text().split()))
            if heading:
                shown, of = (int(heading[name].replace(",", "")) for name in ("shown", "all"))
                sections.append(_Section(heading["name"].lower(), shown, of))
        elif node.tag == "dt" and sections:
            sections[-1].entries.append((node, None))
        elif sections and sections[-1].entries and sections[-1].entries[-1][1] is None:
            sections[-1].entries[-1] = (sections[-1].entries[-1][0], node)
    return sections


def _papers(sections: list[_Section], *, is_cut: bool) -> tuple[list[tuple[str, Paper]], list[EntryProblem]]:
    """Each entry's section and paper; the last entry of a page that breaks off is not trusted."""
    read: list[tuple[str, Paper]] = []
    problems: list[EntryProblem] = []
    entries = [(section.name, *entry) for section in sections for entry in section.entries]
    for position, (name, term, body) in enumerate(entries, start=1):
        found = _entry(term, body, name, position)
        if is_cut and position == len(entries) and sum(section.of for section in sections) > position:
            label = found.id if isinstance(found, Paper) else found.entry
            found = EntryProblem(label, "the page breaks off in this entry")
        if isinstance(found, EntryProblem):
            problems.append(found)
        else:
            read.append((name, found))
    return read, problems


def _entry(term: LexborNode, body: LexborNode | None, section: str, position: int) -> Paper | EntryProblem:
    link = term.css_first('a[title="Abstract"]')
    address = (link.attributes.get("href") or "") if link else ""
    try:
        paper_id, version = paper_ids.parse(f"https://arxiv.org{address}")
    except NotAPaperId:
        return EntryProblem(address or f"entry {position}", "no paper id")
    title = field_of(body, "div.list-title") if body else ""
    if body is None or not title:
        return EntryProblem(paper_id, "no title")
    html = term.css_first('a[title="View HTML"]')
    written = _HTML_VERSION.search((html.attributes.get("href") or "") if html else "")
    version = version or (int(written.group(1)) if written else None) or (1 if section == "new" else None)
    return papers.build(
        paper_id,
        version or papers.UNKNOWN_VERSION,
        title,
        words_of(body.css_first("p.mathjax")),
        text.split_authors(field_of(body, "div.list-authors")),
        subjects_of(body.css_first("div.list-subjects")),
        comments=field_of(body, "div.list-comments"),
        doi=field_of(body, "div.list-doi"),
        journal_ref=field_of(body, "div.list-journal-ref"),
    )


def _linked_category(page: LexborHTMLParser) -> str:
    """The category that the page's own links lead to ("See recent articles", paging, "Continue to …")."""
    for link in page.css('a[id^="recent-"], #dlpage a[href*="/catchup/"], #dlpage a[href*="/list/"]'):
        found = _CATEGORY_LINK.search(link.attributes.get("href") or "")
        if found:
            return found.group(1)
    return ""


def _common_category(read: list[tuple[str, Paper]]) -> str:
    """The one primary category of all new papers, or their one archive; "" where they have none in common."""
    primaries = Counter(paper.primary_category for section, paper in read if section == "new")
    if len(primaries) == 1:
        return next(iter(primaries))
    archives = {primary.partition(".")[0] for primary in primaries}
    return archives.pop() if len(archives) == 1 else ""


def belongs(primary: str, category: str) -> bool:
    """True when a paper of that primary category is no cross-list in `category` (a class, an archive,
    "a+b")."""
    own = {primary, SAME_CATEGORY.get(primary, primary), primary.partition(".")[0]}
    own |= {name for name, same in SAME_CATEGORY.items() if same == primary}
    return any(part in own for part in category.split("+"))


def _announcement(section: str, paper: Paper, day: date, category: str) -> Announcement:
    if section == "replacement":
        is_own = not category or belongs(paper.primary_category, category)
        kind = AnnounceType.REPLACE if is_own else AnnounceType.REPLACE_CROSS
    else:
        kind = AnnounceType(section)
    return Announcement(paper, kind, day, category or paper.primary_category)


def _declared(sections: list[_Section], announcements: tuple[Announcement, ...]) -> dict[AnnounceType, int]:
    stated: Counter[AnnounceType] = Counter()
    for section in sections:
        if section.name == "replacement":
            crosses = sum(a.announce_type is AnnounceType.REPLACE_CROSS for a in announcements)
            stated[AnnounceType.REPLACE_CROSS] += crosses
            stated[AnnounceType.REPLACE] += section.of - crosses
        else:
            stated[AnnounceType(section.name)] += section.of
    return {kind: stated[kind] for kind in AnnounceType}


def read_so_far(pages: Sequence[ParsedFeed]) -> int:
    """How many entries these pages have, those included that could not be read."""
    ids = {entry.paper.id for page in pages for entry in page.announcements}
    return len(ids) + len(_unreadable(pages))


def has_more(pages: Sequence[ParsedFeed]) -> bool:
    """True when another page follows: the last one was full, or its headings show less than they state."""
    last = pages[-1]
    is_full = len(last.announcements) + len(_unreadable([last])) >= PAGE
    return is_full or (last.next_token != "" and read_so_far(pages) < _stated(pages))


def joined(pages: Sequence[ParsedFeed]) -> ParsedFeed:
    """The pages of one day as one listing. A section is on the pages that have entries of it, with its whole count."""
    by_id = {entry.paper.id: entry for page in pages for entry in page.announcements}
    problems = _unreadable(pages)
    stated, read = _stated(pages), len(by_id) + len(problems)
    if read < stated:
        problems.append(EntryProblem(pages[0].category, f"{stated} entries stated, {read} read"))
    return replace(
        pages[0],
        announcements=tuple(by_id.values()),
        declared=stated,
        declared_by_type=_stated_by_type(pages),
        truncated=read < stated,
        problems=tuple(problems),
        next_token="",
    )


def _unreadable(pages: Sequence[ParsedFeed]) -> list[EntryProblem]:
    """The problems of entries; one with a category for its entry only says that the page is not all."""
    found = {one.entry: one for page in pages for one in page.problems if one.entry != page.category}
    return list(found.values())


def _stated(pages: Sequence[ParsedFeed]) -> int:
    return max(sum(_stated_by_type(pages).values()), *(page.declared or 0 for page in pages))


def _stated_by_type(pages: Sequence[ParsedFeed]) -> dict[AnnounceType, int]:
    stated = {kind: max(page.declared_by_type.get(kind, 0) for page in pages) for kind in AnnounceType}
    replaced = (AnnounceType.REPLACE, AnnounceType.REPLACE_CROSS)
    together = max(sum(page.declared_by_type.get(kind, 0) for kind in replaced) for page in pages)
    found = {entry.paper.id: entry.announce_type for page in pages for entry in page.announcements}.values()
    crosses = sum(kind is AnnounceType.REPLACE_CROSS for kind in found)
    return stated | {AnnounceType.REPLACE_CROSS: crosses, AnnounceType.REPLACE: together - crosses}
