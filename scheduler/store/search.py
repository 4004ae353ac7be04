"""The full-text index of all papers: SQL for `index`, `unindex` and `search`, newest first.

    query.fts | windows of keys, newest first | page of keys, and a count up to COUNTED

A paper's key rises with its announcement date (yyyymmdd·10⁵ + a sequence number), and its rowid in the index falls
with it (`rowid`): a date limit is a range of rowids, and newest first is the order that FTS5 reads in, at half the
cost of the other. A search costs what lies between its hits, not the size of the archive. Windows that grow as they
go back let a deadline be kept; few of them, because FTS5 finds the place where one begins by looking for a hit before
it. What would have to see every hit is not offered: no bm25 over everything, no count beyond COUNTED.

The table is contentless (SQLite, "FTS5 Extension", section 4.4.1): it stores no text, and a paper leaves it only
with the very streams that it was indexed with. Its tokenizer splits at blanks; the words were made by
`scheduler.tokens`, as for matching. Stock SQLite 3.40 is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from sqlite_utils import Database

from scheduler import tokens
from scheduler.query import Query, positive_terms
from scheduler.query.fts import fts, title_expression
from scheduler.tokens import TOKEN_CHARACTERS, Document
from scheduler.trends import Tally

SCHEMA = f"""
create virtual table paper_text using fts5(
  ti, abs, au, cat, id, src,
  content='', detail=full, tokenize="ascii tokenchars '{TOKEN_CHARACTERS}'"
);
"""

VERSION = f"{tokens.VERSION}, newest first"
"""Of the tokens and of their order: an index of another version must be built anew."""

COUNTED = 1000
"""Hits are counted up to here; more are "1,000+"."""

TIDIED = 250
"""Pages of a megabyte: some hundredths of a second."""

_DAY = 100_000
_MIRROR = 9999_99_99 * _DAY
_FIRST_WINDOW = 100_000 * _DAY
_GROWTH = 4
_FIRST_COUNTED, _LARGEST_COUNTED = timedelta(days=8), timedelta(days=100)
_STEPS_BETWEEN_CHECKS = 8
_KEYS_AT_ONCE = 500

_INSERT = "insert into paper_text(rowid, ti, abs, au, cat, id, src) values (?, ?, ?, ?, ?, ?, ?)"
_DELETE = (
    "insert into paper_text(paper_text, rowid, ti, abs, au, cat, id, src) "
    "values ('delete', ?, ?, ?, ?, ?, ?, ?)"
)
_NEWEST = "select rowid from paper_text order by rowid limit 1"
_OLDEST = "select rowid from paper_text order by rowid desc limit 1"
_BETWEEN = "rowid between :first and :last"
_MATCHING = f"select rowid from paper_text where paper_text match :match and {_BETWEEN} order by rowid"
_ALL = f"select rowid from paper_text where {_BETWEEN} order by rowid"
_DAY_OF = f"({_MIRROR} - rowid) / {_DAY} as day"
_DAILY = (
    f"select {_DAY_OF}, count(*) from paper_text where paper_text match :match and {_BETWEEN} group by day"
)
_ALL_DAILY = f"select {_DAY_OF}, count(*) from paper_text where {_BETWEEN} group by day"


@dataclass(frozen=True, slots=True)
class SearchPage:
    """One page of hits. `keys` are paper keys: newest first, or those with hits in the title first.

    `total` is the number of hits when `total_is_exact`, else a lower bound (COUNTED, or what the time allowed to
    count). `next_before` is what to pass as `before` for the next page, None when there is none. `timed_out`
    tells that the deadline came before the page was full: `next_before` goes on from there.
    """

    keys: tuple[int, ...]
    total: int
    total_is_exact: bool
    next_before: int | None
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a search may take. `clock` is a monotonic clock in seconds.

    After `page` seconds the page is given as it is; the hits are counted for at most `count` seconds more.
    """

    clock: Callable[[], float]
    page: float = 1.0
    count: float = 0.0015


class _LateError(Exception):
    """The deadline has come; everything newer than `key` has been looked at."""

    def __init__(self, key: int) -> None:
        super().__init__(key)
        self.key = key


class _Deadline:
    """When to stop: first with the page, then with the count."""

    def __init__(self, patience: Patience | None) -> None:
        self._patience = patience
        self._end = patience.clock() + patience.page if patience else 0.0

    def count_from_now(self) -> None:
        """The page is full: what follows is counting."""
        if self._patience:
            self._end = self._patience.clock() + self._patience.count

    def has_come(self) -> bool:
        return self._patience is not None and self._patience.clock() >= self._end


def rowid(key: int) -> int:
    """The rowid in the index of the paper with this key, and the key of the paper with this rowid."""
    return _MIRROR - key


def index(db: Database, key: int, document: Document) -> None:
    """Makes a paper searchable under `key`. The caller holds the transaction; of many papers the newest comes first."""
    db.execute(_INSERT, _values(key, document))


def unindex(db: Database, key: int, old_document: Document) -> None:
    """Takes a paper out of the index; `old_document` must be the one it was indexed with."""
    db.execute(_DELETE, _values(key, old_document))


class IndexChanges:
    """What becomes of many papers, written in the order that the index wants.

    FTS5 writes what it has gathered away whenever a smaller rowid comes than the one before.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._old: dict[int, Document | None] = {}
        self._new: dict[int, Document | None] = {}

    def change(self, key: int, old: Document | None, new: Document | None) -> None:
        """A paper that was indexed as `old` is `new` from now on; None for one that is not in the index."""
        self._old.setdefault(key, old)
        self._new[key] = new

    def write(self) -> None:
        """Brings the index up to date. The caller holds the transaction."""
        for key in sorted(self._new, reverse=True):
            old, new = self._old[key], self._new[key]
            if old != new:
                if old is not None:
                    unindex(self._db, key, old)
                if new is not None:
                    index(self._db, key, new)
        self._old.clear()
        self._new.clear()


def clear(db: Database) -> None:
    """Empties the index, to be built anew when `VERSION` has changed."""
    db.execute("insert into paper_text(paper_text) values ('delete-all')")


def configure(db: Database) -> None:
    """Lets `tidy` merge as soon as two pieces of the index are of like size."""
    db.execute("insert into paper_text(paper_text, rank) values ('usermerge', 2)")


def tidy(db: Database, pages: int = TIDIED) -> bool:
    """Merges pieces of the index, writing about `pages` pages; False when there was nothing to merge.

    Every day adds pieces, and a search looks into all of them. The caller holds the transaction. That fewer than two
    changes mean "nothing" is FTS5's word ("FTS5 Extension", section 6.8).
    """
    before = db.conn.total_changes
    db.execute("insert into paper_text(paper_text, rank) values ('merge', ?)", [pages])
    return db.conn.total_changes - before >= 2


def _values(key: int, document: Document) -> list[int | str]:
    return [rowid(key), document.ti, document.abs, document.au, document.cat, document.id, document.src]


def search(
    db: Database,
    query: Query,
    *,
    today: date,
    limit: int,
    before: int | None = None,
    patience: Patience | None = None,
) -> SearchPage:
    """At most `limit` papers that `query` finds, and how many there are.

    `today` resolves spans like since:7d. `before` is the `next_before` of the page in front, None for the first
    one. Without `patience` everything is looked at, however long it takes.
    """
    low, high = _range(db, query, today)
    is_open = _has_prefix(query)
    scans = [_Scan(db, match, low, high, in_one_go=is_open) for match in _matches(query)]
    deadline = _Deadline(patience)
    hits = _signed_hits(scans, before, deadline)
    found, next_before, timed_out = _page(hits, limit)
    keys = tuple(map(abs, found))
    if timed_out or (before is None and next_before is None):
        return SearchPage(keys, len(keys), not timed_out and before is None, next_before, timed_out)
    deadline.count_from_now()
    if before is None:
        total, is_exact = _count(hits, limit + 1)
    else:
        total, is_exact = _count(_signed_hits(scans, None, deadline), 0)
    return SearchPage(keys, max(total, len(keys)), is_exact, next_before)


def among(db: Database, query: Query, keys: Sequence[int], *, today: date) -> frozenset[int]:
    """Those of `keys` that `query` finds: the cost is that of the keys, not of the archive.

    But for a prefix, whose words FTS5 would gather anew for every key: there all hits are read once.
    """
    low, high = _range(db, query, today)
    within = [key for key in keys if low <= key <= high]
    match = fts(query)
    if not match or not within:
        return frozenset(within)
    if _has_prefix(query):
        hits = db.execute(_MATCHING, {"match": match, **_rows(min(within), max(within))})
        return frozenset(rowid(row) for (row,) in hits) & frozenset(within)
    found: set[int] = set()
    for start in range(0, len(within), _KEYS_AT_ONCE):
        chunk = within[start : start + _KEYS_AT_ONCE]
        marks = ", ".join("?" * len(chunk))
        sql = f"select rowid from paper_text where paper_text match ? and rowid in ({marks})"
        found.update(rowid(row) for (row,) in db.execute(sql, [match, *map(rowid, chunk)]))
    return frozenset(found)


def tally(db: Database, query: Query, first: date, last: date, *, today: date, patience: Patience) -> Tally:
    """The hits of `query` from `first` to `last` by the date of their keys, newest days first while the time lasts."""
    begin, end = query.span(today)
    start, until = max(first, begin or first), min(last, end or last)
    match, deadline = fts(query), _Deadline(patience)
    counts: dict[date, int] = {}
    width = until - start if _has_prefix(query) else _FIRST_COUNTED
    while until >= start:
        low = max(start, until - width)
        within = {"match": match, **_rows(_first_key(low), _first_key(until) + _DAY - 1)}
        rows = db.execute(_DAILY if match else _ALL_DAILY, within)
        counts |= {date.fromisoformat(str(day)): count for day, count in rows}
        if low > start and deadline.has_come():
            return Tally(counts, low)
        until, width = low - timedelta(days=1), min(width * _GROWTH, _LARGEST_COUNTED)
    return Tally(counts, first)


def _has_prefix(query: Query) -> bool:
    """True for a query with the beginning of a word, which FTS5 reads in all of the index whatever the range."""
    return any(run.is_open for term in positive_terms(query.root) for run in term.runs)


def _matches(query: Query) -> list[str]:
    """The FTS5 expressions to be shown one after the other; "" for every paper."""
    whole = fts(query)
    titles = title_expression(query) if query.by_relevance else ""
    return [titles, f"{whole} NOT {titles}"] if titles else [whole]


def _range(db: Database, query: Query, today: date) -> tuple[int, int]:
    """The lowest and the highest key that can be a hit; an empty range when there is none."""
    newest = db.execute(_NEWEST).fetchone()
    if newest is None:
        return 1, 0
    first, last = query.span(today)
    low = _first_key(first) if first else rowid(db.execute(_OLDEST).fetchone()[0])
    high = rowid(newest[0])
    return low, min(_first_key(last) + _DAY - 1, high) if last else high


def _rows(low: int, high: int) -> dict[str, int]:
    """The range of rowids of these keys, for _BETWEEN."""
    return {"first": rowid(high), "last": rowid(low)}


def _first_key(day: date) -> int:
    return (day.year * 10_000 + day.month * 100 + day.day) * _DAY


@dataclass(frozen=True, slots=True)
class _Scan:
    """One FTS5 expression over a range of keys.

    `in_one_go` is for prefixes: see `_has_prefix`.
    """

    db: Database
    match: str
    low: int
    high: int
    in_one_go: bool

    def keys(self, before: int | None, deadline: _Deadline) -> Iterator[int]:
        """The hits below `before`, newest first, window by window. Raises _LateError between two of them."""
        high = self.high if before is None else min(self.high, before - 1)
        width = high - self.low + 1 if self.in_one_go else _FIRST_WINDOW
        while high >= self.low:
            low = max(self.low, high - width + 1)
            yield from self._window(low, high, deadline)
            high, width = low - 1, width * _GROWTH
            if high >= self.low and deadline.has_come():
                raise _LateError(low)

    def _window(self, low: int, high: int, deadline: _Deadline) -> Iterator[int]:
        sql = _MATCHING if self.match else _ALL
        cursor = self.db.execute(sql, {"match": self.match, **_rows(low, high)})
        try:
            for steps, (row,) in enumerate(cursor, start=1):
                yield rowid(row)
                if steps % _STEPS_BETWEEN_CHECKS == 0 and deadline.has_come():
                    raise _LateError(rowid(row))
        finally:
            cursor.close()


def _signed_hits(scans: list[_Scan], before: int | None, deadline: _Deadline) -> Iterator[int]:
    """The hits of all scans below `before`; those of the second of two are negative.

    So keys of different scans are not mistaken where a page ends.
    """
    in_rest = before is not None and before < 0
    start = abs(before) if before is not None else None
    for sign, scan in ((-1, scans[-1]),) if in_rest else zip((1, -1), scans, strict=False):
        try:
            for key in scan.keys(start, deadline):
                yield sign * key
        except _LateError as late:
            raise _LateError(sign * late.key) from None
        start = None


def _page(hits: Iterator[int], limit: int) -> tuple[list[int], int | None, bool]:
    """At most `limit` hits, where the next page begins, and whether the time was up before the page was full.

    Takes one hit more than it gives, to know of a next page.
    """
    found: list[int] = []
    try:
        for key in hits:
            if len(found) == limit:
                return found, found[-1], False
            found.append(key)
    except _LateError as late:
        return found, late.key, True
    return found, None, False


def _count(hits: Iterator[int], counted: int) -> tuple[int, bool]:
    """The number of hits with the `counted` ones before, and whether it is all of them."""
    try:
        for _ in hits:
            counted += 1
            if counted > COUNTED:
                return COUNTED, False
    except _LateError:
        return counted, False
    return counted, True
