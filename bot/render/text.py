"""`paperboy digest --format text`: the plain form, field by field, that can be mailed round."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.locale import Translator, translator
from bot.render.paper_words import abstracts, chinese_title, doubt, links, tldrs_beside
from scheduler import calendar, paper_ids
from scheduler.categories import category_name
from scheduler.models import AnnounceType, Digest, DigestPaper


def digest_text(digest: Digest, generated: datetime, zone: str, lang: str) -> str:
    """The digest as text. `generated` is aware, times are in `zone`, `lang` is "en", "zh" or "both".

    "en" has an English head and no Chinese; the other two have a Chinese head and both languages. What is printed
    can be read again (`scheduler.sources.digests`): one line a field, and no field that says what another one says.
    What a source wrote as TeX or markup is printed as people read it, and is what an import takes for the raw text.
    """
    t = translator("en" if lang == "en" else "zh")
    languages = ("en",) if lang == "en" else ("en", "zh")
    pieces = [_head(digest, generated, ZoneInfo(zone), t), _count(digest, t)]
    for section in digest.sections:
        if section.papers:
            pieces.append(f"Keyword: {section.title}")
        for paper in section.papers:
            pieces += _paper(paper, languages, t)
    return "\n\n".join(pieces) + "\n"


def _head(digest: Digest, generated: datetime, zone: ZoneInfo, t: Translator) -> str:
    made = _moment(generated.astimezone(zone), seconds=True)
    lists = ", ".join(announced(calendar.announced_at(day), zone) for day in digest.dates)
    if not lists or not digest.announced:
        return t("Generated: {generated}", generated=made)
    return t("Generated: {generated}; arXiv announcement: {announced}", generated=made, announced=lists)


def announced(moment: datetime, zone: ZoneInfo) -> str:
    """ "2026-09-28 20:00 EDT (2026-09-29 08:00 UTC+8)": a moment on its own clock and on that of `zone`."""
    return f"{moment:%Y-%m-%d %H:%M %Z} ({_moment(moment.astimezone(zone))})"


def _moment(moment: datetime, seconds: bool = False) -> str:
    """ "2026-09-29 08:00 UTC+8"; with seconds "2026-09-29 22:49:42 (UTC+8)"."""
    if seconds:
        return f"{moment:%Y-%m-%d %H:%M:%S} ({_offset(moment)})"
    return f"{moment:%Y-%m-%d %H:%M} {_offset(moment)}"


def _offset(moment: datetime) -> str:
    minutes = int((moment.utcoffset() or timedelta()).total_seconds()) // 60
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'-' if minutes < 0 else '+'}{hours}" + (f":{rest:02}" if rest else "")


def _count(digest: Digest, t: Translator) -> str:
    if not digest.announced and digest.dates:
        days = t.names([t.date(day) for day in digest.dates])
        return t("Nothing was announced on {date}, or it is not in the archive.", date=days)
    return t.n("{count} paper for you", "{count} papers for you", len(digest.papers))


def _paper(one: DigestPaper, languages: tuple[str, ...], t: Translator) -> Iterator[str]:
    yield f"{one.paper.title}"
    if chinese := chinese_title(one.wordings, languages):
        yield chinese
    yield "\n".join(f"• {field}" for field in _fields(one, languages))


def _fields(one: DigestPaper, languages: tuple[str, ...]) -> Iterator[str]:
    paper, pages = one.paper, links(one.paper)
    if paper.authors:
        yield "Authors: " + ", ".join(
            f"{author.name} ({author.affiliation})" if author.affiliation else author.name
            for author in paper.authors
        )
    if paper.categories:
        yield "Subjects: " + "; ".join(_subject(code) for code in paper.categories)
    if "abs" in pages:
        yield f"Arxiv link: {pages['abs']}" if paper_ids.is_arxiv(paper.id) else f"Link: {pages['abs']}"
    if "pdf" in pages:
        yield f"Pdf link: {pages['pdf']}"
    yield from _particulars(one)
    for said in tldrs_beside(paper, one.wordings, languages):
        yield f"TL;DR {_one_line(said.text)}"
    for said in abstracts(paper, one.wordings, languages):
        yield f"{'Abstract' if said.lang == 'en' else '中文摘要'} {_one_line(said.text)}"
    chinese = one.wordings.get("zh")
    if chinese is not None and "zh" in languages and (mark := doubt(chinese, "title", "tldr", "abstract")):
        yield mark


def _particulars(one: DigestPaper) -> Iterator[str]:
    """What only some papers have."""
    if one.announce_type is not AnnounceType.NEW:
        yield f"Announce type: {one.announce_type}"
    paper = one.paper
    if paper.source != "arxiv":
        yield f"Source: {paper.source}"
    for name, value in (("Comments", paper.comments), ("Journal ref", paper.journal_ref), ("DOI", paper.doi)):
        if value:
            yield f"{name}: {_one_line(value)}"


def _subject(code: str) -> str:
    name = category_name(code)
    return f"{name} ({code})" if name else code


def _one_line(text: str) -> str:
    return " ".join(text.split())
