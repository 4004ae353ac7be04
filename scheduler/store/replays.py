"""Which answers are in the archive just as they are: to read such a one again costs no look at its papers.

A feed is read every quarter of an hour while its day is not whole, and mostly has not changed. What is kept of it is
a digest of everything in it; when one of its papers is changed by another answer, that is forgotten.
"""

from __future__ import annotations

from hashlib import sha256
from operator import attrgetter

from sqlite_utils import Database

from scheduler.models import ParsedFeed

SCHEMA = (
    "create table replay(category text not null, date text not null, kind text not null, digest blob not null, "
    "primary key(category, date, kind)) without rowid"
)
KEPT_DAYS = 90

_NUMBERS = attrgetter("version", "withdrawn", "submitted", "updated")
_USUAL = (1, False, None, None)
"""Of nearly all papers of a feed; they need not be written out."""

_BETWEEN, _PART, _END = "\x1f", "\x1e", "\x1d"
"""Signs that no clean text has."""
_WORDS = attrgetter(
    "id",
    "title",
    "source",
    "comments",
    "doi",
    "journal_ref",
    "licence",
    "url",
    "raw_title",
)


class Replays:
    """The digests of archived answers. One instance serves one connection; the caller holds the transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def find(self, feed: ParsedFeed) -> bytes | None:
        """The digest of an answer that has a day, a category and announcements alone; None for any other."""
        return None if feed.date is None or not feed.category or feed.papers else digest_of(feed)

    def is_known(self, feed: ParsedFeed, digest: bytes) -> bool:
        """True when exactly this was archived, and none of its papers was changed since."""
        known = self._db.execute(
            "select digest from replay where category = ? and date = ? and kind = ?", _key(feed)
        ).fetchone()
        return known is not None and known[0] == digest

    def keep(self, feed: ParsedFeed, digest: bytes) -> None:
        """Notes that the answer is archived."""
        self._db.execute(
            "insert or replace into replay(category, date, kind, digest) values (?, ?, ?, ?)",
            [*_key(feed), digest],
        )
        self._db.execute("delete from replay where date < date(?, ?)", [_key(feed)[1], f"-{KEPT_DAYS} days"])

    def forget(self, paper: int) -> None:
        """Forgets the answers that have the paper of this key, because it is changed."""
        self._db.execute(
            "delete from replay where (date, category) in "
            "(select date, category from announcement where paper = ?)",
            [paper],
        )


def _key(feed: ParsedFeed) -> list[str]:
    return [feed.category, str(feed.date), feed.kind]


def digest_of(feed: ParsedFeed) -> bytes:
    """32 bytes that stand for everything that the announcements say."""
    words = [str(feed.date)]
    # Apart: plain ASCII, as most texts are, is encoded many times faster than a text with one accent.
    plain: list[str] = []
    others: list[str] = []
    for entry in feed.announcements:
        paper = entry.paper
        words += _WORDS(paper)
        words += (entry.announce_type, entry.category, *paper.categories, _PART)
        for author in paper.authors:
            words += (author.name, author.affiliation)
        words.append(_PART)
        if (numbers := _NUMBERS(paper)) != _USUAL:
            words.append(str(numbers))
        if entry.date != feed.date:
            words.append(str(entry.date))
        for text in (paper.abstract, paper.raw_abstract):
            is_plain = text.isascii()
            words.append("plain" if is_plain else "other")
            (plain if is_plain else others).append(text)
        words.append(_END)
    digest = sha256()
    for texts in (words, plain, others):
        digest.update(_BETWEEN.join(texts).encode("utf-8", "surrogatepass"))
    return digest.digest()
