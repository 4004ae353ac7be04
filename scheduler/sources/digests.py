"""A bilingual keyword digest as text, the form that `paperboy digest --format text` writes too.

A head with the times of generation and announcement, a count, `Keyword:` headings, and for each paper its title, the
Chinese title, and a line a field: Authors, Subjects, Arxiv link, Pdf link, TL;DR, Abstract, 中文摘要. What such
digests get wrong is mended and told: a doubled "Subjects:", a failed translation put in the abstract's place, an
announcement in the future.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone

from scheduler import calendar, paper_ids, text
from scheduler.categories import CATEGORIES
from scheduler.errors import NotAPaperId, UnknownInput
from scheduler.models import AnnounceType, EntryProblem, Paper, PaperId, Wording
from scheduler.sources import papers
from scheduler.sources.documents import decoded
from scheduler.sources.names import is_web_address

KIND = "digest-text"
ORIGIN = "import"

_KEYWORD = re.compile(r"Keyword[:：]\s*(\S.*)")
_BULLET = re.compile(r"[•·*-]\s+(?P<rest>\S.*)")
_MARK = re.compile(r"[•·*-]\s+⚠")
_FIELD = re.compile(
    r"(?P<name>Authors|Subjects|Arxiv link|Pdf link|Link|Announce type|Source|Comments|Journal ref|DOI)"
    r"\s*[:：]\s*(?P<value>.*)"
    r"|(?P<text>TL;DR|Abstract|中文摘要)\s*[:：]?\s*(?P<words>.*)",
    re.IGNORECASE,
)
_GENERATED = re.compile(
    r"(?:生成时间|Generated)\s*[:：]\s*(\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?)"
    r"(?:\s*\(?UTC([+-]\d{1,2})(?::(\d\d))?\)?)?",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(r"(?:发布时间|announcement)\s*[:：](?P<times>.{0,2000})", re.IGNORECASE)
_EASTERN = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d)(?::\d\d)? E[DS]?T\b")
_COUNT = re.compile(r"共有\s*(\d+)\s*篇|^(\d+) papers? for you")
_CODE = re.compile(r"\(([\w.-]+(?: [\w.-]+)*)\)\s*$")
_FAILED = re.compile(r"^\W*(?:翻译失败|翻譯失敗|translation failed)\W*$", re.IGNORECASE)
_HAN = re.compile(r"[\u3400-\u9fff]")
_NAMES = {name.casefold(): code for code, name in CATEGORIES.items()}
_LOOKED_AT = 20_000
_CHINESE_TLDR = "tl;dr zh"


@dataclass(frozen=True, slots=True)
class Entry:
    """One paper of a digest, in how many languages it is told of, and the keyword it stands under ("" for none)."""

    paper: Paper
    keyword: str
    announce_type: AnnounceType
    wordings: tuple[Wording, ...]
    translation_failed: bool


@dataclass(frozen=True, slots=True)
class TextDigest:
    """A digest as it was read. `date` is the announcement date that its papers really belong to.

    `claimed` is the moment of announcement that its head states, None where it states none; `corrected` is true when
    that cannot be. `declared` is the count that it states.
    """

    date: date
    generated: datetime | None
    claimed: datetime | None
    declared: int | None
    entries: tuple[Entry, ...]
    problems: tuple[EntryProblem, ...]

    @property
    def corrected(self) -> bool:
        """True when the head states a moment at which this list was not announced."""
        return self.claimed is not None and self.claimed != calendar.announced_at(self.date)

    @property
    def keywords(self) -> dict[str, int]:
        """How many papers stand under each keyword, in the digest's order."""
        counts: dict[str, int] = {}
        for entry in self.entries:
            counts[entry.keyword] = counts.get(entry.keyword, 0) + 1
        return counts


def is_digest(body: bytes) -> bool:
    """True for what looks like such a digest: its links and fields stand in the first 20,000 bytes, or its head."""
    head = decoded(body[:_LOOKED_AT])
    has_fields = "Arxiv link:" in head and ("Authors:" in head or "Subjects:" in head)
    return has_fields or (_GENERATED.match(head.lstrip("\ufeff \r\n")) is not None)


def parse(body: bytes) -> TextDigest:
    """The digest in `body`. Raises UnknownInput for anything else, and for a head without any usable time."""
    if not is_digest(body):
        raise UnknownInput("no digest: there are no papers with an “Arxiv link:” in it")
    lines = decoded(body).removeprefix("\ufeff").splitlines()
    head = [line for line in lines[:20] if line.strip()][:4]
    generated, claimed = _generated(head), _claimed(head)
    day = _day(generated, claimed)
    if day is None:
        raise UnknownInput(
            "its first line says neither when it was generated nor when arXiv announced its papers"
        )
    entries, problems = _entries(lines)
    declared = _declared(head)
    if declared is not None and declared != len(entries) + len(problems):
        found = len(entries) + len(problems)
        problems.append(EntryProblem("the whole", f"it says {declared} papers, {found} are in it"))
    if claimed is None and any(map(_ANNOUNCED.search, head)):
        told = f"its time of announcement cannot be read; {day} follows from when it was generated"
        problems.append(EntryProblem("the whole", told))
    return TextDigest(day, generated, claimed, declared, tuple(entries), tuple(problems))


# The head


def _generated(head: list[str]) -> datetime | None:
    found = next(filter(None, map(_GENERATED.search, head)), None)
    moment = _read(found.group(1)) if found else None
    if found is None or moment is None:
        return None
    hours = int(found.group(2) or 0)
    minutes = int(found.group(3) or 0)
    offset = timedelta(hours=hours, minutes=minutes if hours >= 0 else -minutes)
    return moment.replace(tzinfo=timezone(offset)) if abs(offset) < timedelta(hours=24) else None


def _claimed(head: list[str]) -> datetime | None:
    """The newest moment of announcement that is stated; it is written on New York's clock."""
    found = next(filter(None, map(_ANNOUNCED.search, head)), None)
    written = _EASTERN.findall(found["times"]) if found else []
    moments = [moment.replace(tzinfo=calendar.NEW_YORK) for each in written if (moment := _read(each))]
    return max(moments, default=None)


def _read(written: str) -> datetime | None:
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        return None


def _day(generated: datetime | None, claimed: datetime | None) -> date | None:
    """The list that was the newest when the digest was made, and at the moment that it names."""
    moments = [moment for moment in (generated, claimed) if moment is not None]
    return calendar.newest_day(min(moments)) if moments else None


def _declared(head: list[str]) -> int | None:
    found = next(filter(None, map(_COUNT.search, head)), None)
    return int(found.group(1) or found.group(2)) if found else None


# The papers


@dataclass(slots=True)
class _Piece:
    """The lines of one paper: what stands before its fields, and its fields by name."""

    lines: list[str]
    fields: dict[str, str]


def _entries(lines: list[str]) -> tuple[list[Entry], list[EntryProblem]]:
    entries: list[Entry] = []
    problems: list[EntryProblem] = []
    keyword = ""
    for number, piece in enumerate(_pieces(lines), start=1):
        keyword, titles = _titles(piece.lines, keyword)
        try:
            entries.append(_entry(piece.fields, titles, keyword))
        except NotAPaperId:
            name = titles[0] if titles else f"paper {number}"
            problems.append(EntryProblem(name, "it has no link to a paper"))
    return entries, problems


def _pieces(lines: list[str]) -> Iterator[_Piece]:
    """The papers' lines. A field goes on over the lines that follow it without an empty one between."""
    piece, last, has_begun = _Piece([], {}), "", False
    for line in map(str.strip, lines):
        if _MARK.match(line):
            continue
        field = _field(line)
        has_begun = has_begun or field is not None or _KEYWORD.match(line) is not None
        if field is not None:
            last, words = field
            piece.fields[last] = f"{piece.fields[last]}; {words}" if last in piece.fields else words
        elif not line:
            last = ""
        elif last:
            piece.fields[last] += f" {line}"
        elif piece.fields:
            yield piece
            piece = _Piece([line], {})
        elif has_begun or not (_GENERATED.match(line) or _COUNT.search(line)):
            piece.lines.append(line)
    if piece.fields:
        yield piece


def _field(line: str) -> tuple[str, str] | None:
    bullet = _BULLET.match(line)
    field = _FIELD.match(bullet["rest"]) if bullet else None
    if field is None:
        return None
    name = (field["name"] or field["text"]).lower()
    words = (field["value"] or field["words"] or "").strip()
    return (_CHINESE_TLDR if name == "tl;dr" and _is_chinese(words) else name), words


def _is_chinese(words: str) -> bool:
    return len(_HAN.findall(words)) > len(words) // 4


def _titles(lines: list[str], keyword: str) -> tuple[str, list[str]]:
    """The keyword that the lines above a paper's fields name (else the one before), and its titles."""
    start = 0
    while start < len(lines) - 1 and (found := _KEYWORD.fullmatch(lines[start])):
        if start == len(lines) - 2 and _is_chinese(lines[start + 1]):
            break  # arXiv's titles are English: this one begins with "Keyword:", and its translation is below it
        keyword = found.group(1).strip()
        start += 1
    return keyword, lines[start:][-2:]


def _entry(fields: dict[str, str], titles: list[str], keyword: str) -> Entry:
    paper_id, version = _identity(fields)
    paper = papers.build(
        paper_id,
        version or papers.UNKNOWN_VERSION,
        titles[0] if titles else "",
        fields.get("abstract", ""),
        text.split_authors(fields.get("authors", "")),
        _categories(fields.get("subjects", "")),
        source=fields.get("source") or ("arxiv" if paper_ids.is_arxiv(paper_id) else "feed"),
        url=paper_id.removeprefix("url:") if paper_id.startswith("url:") else "",
        comments=fields.get("comments", ""),
        doi=fields.get("doi", ""),
        journal_ref=fields.get("journal ref", ""),
    )
    title, abstract = titles[1] if len(titles) > 1 else "", fields.get("中文摘要", "")
    wordings = (
        Wording("en", tldr=text.clean(fields.get("tl;dr", "")), origin=ORIGIN),
        Wording(
            "zh", _said(title), text.clean(fields.get(_CHINESE_TLDR, "")), _said(abstract), origin=ORIGIN
        ),
    )
    said = tuple(one for one in wordings if one.title or one.tldr or one.abstract)
    has_failed = any(_FAILED.match(words) for words in (title, abstract))
    return Entry(paper, keyword, _announce_type(fields), said, has_failed)


def _said(words: str) -> str:
    return "" if _FAILED.match(words) else text.clean(words)


def _announce_type(fields: dict[str, str]) -> AnnounceType:
    try:
        return AnnounceType(fields.get("announce type", "").strip().lower())
    except ValueError:
        return AnnounceType.NEW


def _categories(subjects: str) -> Iterator[str]:
    """The codes of "Machine Learning (cs.LG); Robotics (cs.RO)", also where "Subjects:" stands twice."""
    bare = re.sub(r"^(?:Subjects\s*[:：]\s*)+", "", subjects, flags=re.IGNORECASE)
    for subject in filter(None, map(str.strip, bare.split(";"))):
        code = _CODE.search(subject)
        yield code.group(1) if code else _NAMES.get(subject.casefold(), subject)


def _identity(fields: dict[str, str]) -> tuple[PaperId, int | None]:
    """The id and version that a paper's links name; an entry of a feed goes by its address. Raises NotAPaperId."""
    link = fields.get("arxiv link") or fields.get("link") or fields.get("pdf link") or ""
    try:
        return paper_ids.parse(link)
    except NotAPaperId:
        if "link" in fields and is_web_address(link):
            return PaperId(f"url:{link}"), 1
        raise
