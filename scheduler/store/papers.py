"""The archive: papers with their words and announcements, and the search over them."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from sqlite_utils import Database

from scheduler.models import AnnounceType, Batch, Change, Paper, PaperId, ParsedFeed, Wording
from scheduler.query import Query
from scheduler.store import fingerprints, search
from scheduler.store.aliases import Aliases
from scheduler.store.archiving import Archiving, Kept, reworded
from scheduler.store.batches import Batches
from scheduler.store.changes import Changes
from scheduler.store.database import writing
from scheduler.store.rows import PaperRows, Places, Wordings
from scheduler.store.wordings import read_words
from scheduler.trends import Tally


@dataclass(frozen=True, slots=True)
class DayPaper:
    """One paper of one announcement date: its key, its strongest announce type that day, and its words."""

    key: int
    paper: Paper
    announce_type: AnnounceType
    date: date
    wordings: Wordings = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Known:
    """One paper as the archive has it, with its words and where it was announced, newest date first."""

    key: int
    paper: Paper
    wordings: Wordings
    announced: tuple[tuple[date, str, AnnounceType], ...]

    @property
    def newest_date(self) -> date | None:
        """The newest date on which it was announced as news, else the newest on which it was announced at all."""
        news = [day for day, _, kind in self.announced if kind.is_news]
        return max(news or [day for day, _, _ in self.announced], default=None)

    @property
    def day(self) -> date | None:
        """`newest_date`, or when a paper that was never announced to us was submitted."""
        return self.newest_date or (self.paper.submitted.date() if self.paper.submitted else None)

    @property
    def types(self) -> frozenset[AnnounceType]:
        """All that it was announced as."""
        return frozenset(kind for _, _, kind in self.announced)


@dataclass(frozen=True, slots=True)
class FoundPapers:
    """One page of a search, newest first. `next_before` begins the next page, None on the last one."""

    papers: tuple[Known, ...]
    total: int
    total_is_exact: bool
    next_before: int | None


class Archive:
    """Everything seen of papers. One instance serves one connection."""

    def __init__(self, db: Database, batches: Batches) -> None:
        self._db = db
        self._rows = PaperRows(db)
        self._aliases = Aliases(db)
        self._changes = Changes(db)
        self._archiving = Archiving(db, self._rows, self._aliases)
        self._batches = batches

    def store(
        self, feed: ParsedFeed, *, now: datetime, wordings: Mapping[PaperId, Sequence[Wording]] | None = None
    ) -> Batch | None:
        """Archives all of a response in one transaction and returns the batch's record, None without a date.

        Doing it again changes nothing. A truncated or incomplete response adds to what is there: `received` counts
        everything known of that category and day.
        """
        with writing(self._db):
            self._archiving.take(feed, now, wordings or {})
            if feed.date is None or not feed.category:
                return None
            return self._batches.record(feed, now)

    def add_wording(self, key: int, word: Wording) -> None:
        """Adds words to an archived paper; parts of `word` that are "" leave what is there, with their flags."""
        for known in self.by_key([key]):
            old = Kept(known.paper, known.wordings, known.types)
            new = reworded(old, word)
            if new != old:
                with writing(self._db):
                    self._archiving.rewrite(key, new, old)

    def types(self, keys: Collection[int]) -> dict[int, frozenset[AnnounceType]]:
        """By paper, all that it was announced as."""
        return {key: frozenset(places.values()) for key, places in self._rows.places(keys).items()}

    def announced_before(self, category: str, day: date) -> dict[PaperId, AnnounceType]:
        """The papers and types of a category's last announcement before `day`, empty where there is none."""
        row = next(
            iter(
                self._db.query(
                    "select max(date) as day from announcement where category = ? and date < ?",
                    [category, day.isoformat()],
                )
            )
        )
        return self.announced_on(category, date.fromisoformat(row["day"])) if row["day"] else {}

    def announced_on(self, category: str, day: date) -> dict[PaperId, AnnounceType]:
        """The papers of one category's day, each with its type there."""
        rows = self._db.query(
            "select id, announce_type from announcement join paper on paper.key = announcement.paper "
            "where date = ? and category = ? order by position",
            [day.isoformat(), category],
        )
        return {PaperId(row["id"]): AnnounceType(row["announce_type"]) for row in rows}

    def announced_since(self, first: date) -> int:
        """How many papers were announced in all categories from `first` on: it grows with all that arrives."""
        rows = self._db.query("select count(*) as n from announcement where date >= ?", [first.isoformat()])
        return int(next(iter(rows))["n"])

    def newest_date(self) -> date | None:
        """The newest date with an announced paper, None in an empty archive."""
        row = next(iter(self._db.query("select max(date) as day from announcement")))
        return date.fromisoformat(row["day"]) if row["day"] else None

    def dates(self, first: date, last: date) -> tuple[date, ...]:
        """The dates from `first` to `last` (both included) on which papers were announced, oldest first."""
        found: list[date] = []
        before = last + timedelta(days=1)
        # One step of the index for each date, however many papers that has.
        while day := self._last_date_before(before):
            if day < first:
                break
            found.append(day)
            before = day
        return tuple(reversed(found))

    def _last_date_before(self, day: date) -> date | None:
        row = self._db.execute(
            "select max(date) from announcement where date < ?", [day.isoformat()]
        ).fetchone()
        return date.fromisoformat(row[0]) if row[0] else None

    def day(self, day: date) -> tuple[DayPaper, ...]:
        """The news of one date (new and cross-listed papers), each once, new ones first, as announced.

        A paper that is new in one category and crossed into another counts as new.
        """
        rows = list(
            self._db.query(
                "select paper, announce_type, category, position from announcement where date = ?",
                [day.isoformat()],
            )
        )
        strongest: dict[int, tuple[int, str, int]] = {}
        for row in rows:
            kind = AnnounceType(row["announce_type"])
            if kind.is_news:
                place = (kind.rank, row["category"], row["position"])
                strongest[row["paper"]] = min(place, strongest.get(row["paper"], place))
        known = {entry.key: entry for entry in self.by_key(list(strongest))}
        types = list(AnnounceType)
        return tuple(
            DayPaper(key, known[key].paper, types[place[0]], day, known[key].wordings)
            for key, place in sorted(strongest.items(), key=lambda entry: entry[1])
        )

    def fingerprint(self, day: date) -> str:
        """A hash of all that is stored of one date: its papers, their words, their announcements, how whole it is."""
        return fingerprints.of_day(self._db, day)

    def announced(self, day: date) -> int:
        """How many papers were news (new or cross-listed) on one date, each once."""
        row = next(
            iter(
                self._db.query(
                    "select count(distinct paper) as n from announcement "
                    "where date = ? and announce_type in ('new', 'cross')",
                    [day.isoformat()],
                )
            )
        )
        return int(row["n"])

    def by_id(self, paper_id: PaperId) -> Known | None:
        """One paper, None when the archive does not have it."""
        rows = self._db.query("select key from paper where id = ?", [paper_id])
        key = next((row["key"] for row in rows), None) or self._aliases.key_of(paper_id)
        return self.by_key([key])[0] if key is not None else None

    def by_ids(self, ids: Iterable[PaperId]) -> tuple[Known, ...]:
        """The papers of these ids that the archive has, in no particular order."""
        return self.by_key(
            [row["key"] for row in self._rows.among("select key from paper where id in", list(ids))]
        )

    def keys(self) -> list[int]:
        """The keys of all papers, oldest first."""
        return [row[0] for row in self._db.execute("select key from paper order by key")]

    def by_key(self, keys: Sequence[int]) -> tuple[Known, ...]:
        """The papers of these keys, in this order; unknown keys are left out."""
        papers = self._rows.papers(keys)
        words = self._rows.words(list(papers))
        places = self._rows.places(papers)
        return tuple(
            Known(key, papers[key], words[key], _newest_first(places[key])) for key in keys if key in papers
        )

    def changes_since(self, number: int, papers: Iterable[int] | None = None) -> tuple[Change, ...]:
        """What changed in archived papers after the change of that number, oldest first.

        `papers` are keys, None for all papers. The number of the newest change is `last_change()`: who remembers it
        misses nothing, whatever the clocks say.
        """
        return self._changes.since(number, papers)

    def last_change(self) -> int:
        """The number of the newest change, 0 before there is any."""
        return self._changes.last()

    def worded(self, lang: str, *, flagged: bool = False) -> tuple[tuple[PaperId, Wording], ...]:
        """Every paper's words in one language, newest paper first; with `flagged` those that the checks doubt."""
        rows = self._db.query(
            "select paper.id as id, wording.* from wording join paper on paper.key = wording.paper "
            "where lang = ? and (flags != '[]' or not ?) order by paper.key desc",
            [lang, flagged],
        )
        return tuple((PaperId(row["id"]), read_words(row)) for row in rows)

    def search(self, wanted: Query, *, today: date, limit: int, before: int | None = None) -> FoundPapers:
        """The papers that a query finds, `limit` of them, those whose key is smaller than `before`."""
        patience = search.Patience(time.monotonic)
        page = search.search(self._db, wanted, today=today, limit=limit, before=before, patience=patience)
        return FoundPapers(self.by_key(page.keys), page.total, page.total_is_exact, page.next_before)

    def found_among(self, wanted: Query, keys: Sequence[int], *, today: date) -> frozenset[int]:
        """Those of `keys` whose papers a query finds."""
        return search.among(self._db, wanted, keys, today=today)

    def tidy(self) -> bool:
        """One small step towards an index in few pieces; False when it is there."""
        with writing(self._db):
            return search.tidy(self._db)

    def tallies(self, wanted: Sequence[Query], first: date, last: date, *, today: date) -> tuple[Tally, ...]:
        """How many papers each query finds on each date from `first` to `last`; all together take a second at most.

        Where that is not enough, older days are left out (`Tally.since`).
        """
        end = time.monotonic() + search.Patience(time.monotonic).page
        return tuple(
            search.tally(
                self._db,
                one,
                first,
                last,
                today=today,
                patience=search.Patience(time.monotonic, page=max(end - time.monotonic(), 0)),
            )
            for one in wanted
        )

    def with_id_like(self, typed: str, limit: int) -> tuple[Known, ...]:
        """The newest papers whose id begins with what was typed: what autocomplete offers for an id."""
        pattern = typed.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        rows = self._db.query(
            "select key from paper where id like ? escape '\\' order by key desc limit ?", [pattern, limit]
        )
        return self.by_key([row["key"] for row in rows])


def _newest_first(places: Places) -> tuple[tuple[date, str, AnnounceType], ...]:
    return tuple((day, category, kind) for (day, category), kind in sorted(places.items(), reverse=True))
