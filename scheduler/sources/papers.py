"""From a source's raw fields to a Paper: the one place where parsed text is cleaned."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache

from scheduler import text
from scheduler.models import Author, Paper, PaperId

UNKNOWN_VERSION = 0
"""The version of a paper whose source does not say it; less than every real one."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DOI = re.compile(r"10\.\d{4,9}/[^\s,;]+")
_WRITTEN_DATE = re.compile(r"\b(\d{1,2})\s+([A-Za-z]{3})[a-z]*\s+(\d{4})\b")


def build(
    paper_id: PaperId,
    version: int,
    raw_title: str,
    raw_abstract: str,
    authors: Iterable[Author],
    categories: Iterable[str],
    *,
    source: str = "arxiv",
    comments: str = "",
    doi: str = "",
    journal_ref: str = "",
    licence: str = "",
    withdrawn: bool = False,
    submitted: datetime | None = None,
    updated: datetime | None = None,
    url: str = "",
) -> Paper:
    """A Paper with clean text; `raw_title` and `raw_abstract` are kept where cleaning changed them.

    `withdrawn` is what the source itself marks; the words of comments and abstract are looked at too. A category of
    several words is one word, as in a query: cell-biology.
    """
    title, abstract, clean_comments = (text.clean(raw) for raw in (raw_title, raw_abstract, comments))
    return Paper(
        id=paper_id,
        version=version,
        title=title,
        abstract=abstract,
        authors=tuple(authors),
        categories=tuple(dict.fromkeys(word for name in categories if (word := _one_word(name)))),
        source=source,
        comments=clean_comments,
        doi=first_doi(doi),
        journal_ref=text.clean(journal_ref),
        licence=_same(licence.strip()),
        withdrawn=withdrawn or text.is_withdrawn(clean_comments, abstract),
        submitted=submitted,
        updated=updated,
        url=url,
        raw_title=_raw(raw_title, title),
        raw_abstract=_raw(raw_abstract, abstract),
    )


@lru_cache(maxsize=256)
def _same(name: str) -> str:
    """One string for equal ones: there are few licences, and each paper has one."""
    return name


@lru_cache(maxsize=1024)
def _one_word(name: str) -> str:
    return "-".join(name.split())


def author(name: str, affiliations: Iterable[str] = ()) -> Author:
    """One author given by itself, with its affiliations joined by "; "."""
    return Author(text.clean(name), "; ".join(filter(None, map(text.clean, affiliations))))


def first_doi(field: str) -> str:
    """The first DOI of a field that may list several, without a resolver's address before it."""
    found = _DOI.search(field) if field else None
    return found.group() if found else ""


def moment(written: str) -> datetime | None:
    """An ISO 8601 or RFC 5322 time with its own zone (UTC where it has none); None for anything else."""
    try:
        parsed = datetime.fromisoformat(written.strip())
    except ValueError:
        try:
            parsed = parsedate_to_datetime(written.strip())
        except (ValueError, TypeError, IndexError):
            return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def written_date(words: str) -> date | None:
    """The first date written as "30 November 2026" or "Wed, 25 Nov 2026" in `words`; None without one."""
    for day, month, year in _WRITTEN_DATE.findall(words):
        if month.lower() in _MONTHS:
            try:
                return date(int(year), _MONTHS.index(month.lower()) + 1, int(day))
            except ValueError:
                continue
    return None


def _raw(raw: str, clean: str) -> str:
    stripped = raw.strip()
    return stripped if stripped != clean else ""
