"""Papers, their words, their announcements and the record of each batch."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlite_utils import Database

from scheduler import identity, tokens
from scheduler.causes import dumped, loaded, of_problems
from scheduler.models import (
    Announcement,
    AnnounceType,
    Author,
    Batch,
    BatchState,
    Cause,
    CauseKind,
    Change,
    Paper,
    PaperId,
    ParsedFeed,
    Wording,
)
from scheduler.query import Query
from scheduler.store import fingerprints, search
from scheduler.store.aliases import Aliases
from scheduler.store.changes import Changes
from scheduler.store.database import writing
from scheduler.store.library import KEPT_BY_PERSON
from scheduler.store.replays import Replays
from scheduler.store.wordings import put_words, read_words, united
from scheduler.trends import Tally

KEYS_PER_DAY = 100_000
"""A paper's key is yyyymmdd * KEYS_PER_DAY + sequence: a date is a range of keys, newest first their order."""

COLUMNS = tuple(field.name for field in fields(Paper))
CHUNK = 500

NAMED_BY_KEY = ("wording", "alias", "delivered", "change", "meaning", *KEPT_BY_PERSON)
"""The tables whose column `paper` is a paper's key and that follow it when the paper is given another one."""

Wordings = Mapping[str, Wording]


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

    def __init__(self, db: Database) -> None:
        self._db = db
        self._aliases = Aliases(db)
        self._changes = Changes(db)
        self._replays = Replays(db)

    def store(
        self, feed: ParsedFeed, *, now: datetime, wordings: Mapping[PaperId, Sequence[Wording]] | None = None
    ) -> Batch | None:
        """Archives all of a response in one transaction and returns the batch's record, None without a date.

        Doing it again changes nothing. A truncated or incomplete response adds to what is there: `received` counts
        everything known of that category and day.
        """
        with writing(self._db):
            self._put(feed, now, wordings or {})
            if feed.date is None or not feed.category:
                return None
            return self._record(feed, now)

    def _put(self, feed: ParsedFeed, now: datetime, wordings: Mapping[PaperId, Sequence[Wording]]) -> None:
        digest = None if wordings else self._replays.find(feed)
        if digest is not None and self._replays.is_known(feed, digest):
            return
        keys = self._upsert(feed, now, wordings)
        self._announce(feed, keys)
        if digest is not None:
            self._replays.keep(feed, digest)

    def _upsert(
        self, feed: ParsedFeed, now: datetime, wordings: Mapping[PaperId, Sequence[Wording]]
    ) -> dict[PaperId, int]:
        papers, day = [entry.paper for entry in feed.announcements] + list(feed.papers), feed.date
        known = self._rows_by_id({paper.id for paper in papers})
        known |= self._known_elsewhere([paper for paper in papers if paper.id not in known])
        new_keys = _KeySequence(self._db)
        all_words = self.wordings([key for key, _ in known.values()])
        placed = self._placed({key for key, _ in known.values()})
        undated = {key for key, places in placed.items() if not places} if day is not None else set()
        told = _told(feed.announcements, {name: key for name, (key, _) in known.items()}, placed)
        types = {key: frozenset(places.values()) for key, places in placed.items()}
        # Only what several sources have can be one paper twice; one source knows its own apart.
        same = identity.twins(papers) if len({paper.source for paper in papers}) > 1 else {}
        keys: dict[PaperId, int] = {}
        written: dict[int, Paper] = {}
        for paper in papers:
            before = known.get(paper.id) or known.get(same.get(paper.id, paper.id))
            if before is not None:
                before = (before[0], written.get(before[0], before[1]))
            if before is None:
                key = new_keys.next(day or (paper.submitted or now).date())
                stored, old_words = paper, None
            else:
                key, stored, old_words = (
                    before[0],
                    merged(before[1], paper),
                    all_words[before[0]],
                )
                if day is not None and key in undated:
                    undated -= {key}
                    key = self._dated(key, new_keys.next(day), before[1], old_words)
                    before = (key, before[1])
                    all_words[key] = old_words
            words = united(old_words or {}, wordings.get(paper.id, ()))
            old_types = types.get(key, frozenset())
            new_types = types[key] = old_types | told.get(paper.id, frozenset())
            if before is None or stored != before[1] or words != old_words or new_types != old_types:
                old = _Kept(before[1], old_words or {}, old_types) if before else None
                self._write(key, _Kept(stored, words, new_types), old)
                if before is not None:
                    self._changes.note(key, before[1], stored, now)
                    self._replays.forget(key)
            if before is not None and stored.id != paper.id:
                self._aliases.add(key, stored, [paper.id])
            elif before is not None and stored.id != before[1].id:
                self._aliases.add(key, stored, [before[1].id])
            all_words[key] = words
            known[paper.id] = (key, stored)
            written[key] = stored
            keys[paper.id] = key
        return keys

    def _placed(self, keys: Collection[int]) -> dict[int, dict[tuple[str, str], AnnounceType]]:
        """By paper, what it was announced as, by date and category; {} for one that never was (query API, OAI-PMH)."""
        found: dict[int, dict[tuple[str, str], AnnounceType]] = {key: {} for key in keys}
        statement = "select paper, date, category, announce_type from announcement where paper in"
        for row in self._in(statement, sorted(keys)):
            found[row["paper"]][row["date"], row["category"]] = AnnounceType(row["announce_type"])
        return found

    def types(self, keys: Collection[int]) -> dict[int, frozenset[AnnounceType]]:
        """By paper, all that it was announced as."""
        return {key: frozenset(places.values()) for key, places in self._placed(keys).items()}

    def _dated(self, old: int, new: int, paper: Paper, words: Wordings) -> int:
        """Gives a paper the key of the day on which it is announced after all: keys are the order of a search."""
        document = tokens.document(paper, words)
        search.unindex(self._db, old, document)
        self._db.execute("pragma defer_foreign_keys = on")
        self._db.execute("update paper set key = ? where key = ?", [new, old])
        for table in NAMED_BY_KEY:
            self._db.execute(f"update {table} set paper = ? where paper = ?", [new, old])
        search.index(self._db, new, document)
        return new

    def _write(self, key: int, new: _Kept, old: _Kept | None) -> None:
        paper = new.paper
        if old is None:
            marks = ", ".join("?" * (len(COLUMNS) + 1))
            self._db.execute(
                f"insert into paper(key, {', '.join(COLUMNS)}) values ({marks})", [key, *_row(paper)]
            )
            before = None
        else:
            before = old.document
            self._db.execute(
                f"update paper set {', '.join(f'{name} = ?' for name in COLUMNS)} where key = ?",
                [*_row(paper), key],
            )
        self._aliases.add(key, paper)
        for word in new.words.values():
            put_words(self._db, key, word)
        document = new.document
        if before == document:
            return
        if before is not None:
            search.unindex(self._db, key, before)
        search.index(self._db, key, document)

    def add_wording(self, key: int, word: Wording) -> None:
        """Adds words to an archived paper; parts of `word` that are "" leave what is there, with their flags."""
        known = self.by_key([key])
        if not known:
            return
        old = _Kept(known[0].paper, known[0].wordings, known[0].types)
        new = replace(old, words=united(old.words, (word,)))
        if new != old:
            with writing(self._db):
                self._write(key, new, old)

    def _announce(self, feed: ParsedFeed, keys: Mapping[PaperId, int]) -> None:
        """Writes the announcements; those of a response about no category in particular stand behind the others."""
        first = self._announcements_on(feed.date) if not feed.category else 0
        self._db.conn.executemany(
            "insert into announcement(date, category, position, paper, announce_type) values (?, ?, ?, ?, ?) "
            "on conflict(date, category, paper) do nothing",
            [
                (entry.date.isoformat(), entry.category, position, keys[entry.paper.id], entry.announce_type)
                for position, entry in enumerate(feed.announcements, start=first)
            ],
        )

    def _announcements_on(self, day: date | None) -> int:
        """How many places of a day's announcements are taken."""
        rows = self._db.query(
            "select coalesce(max(position), -1) + 1 as n from announcement where date = ?",
            [day.isoformat() if day else ""],
        )
        return int(next(iter(rows))["n"])

    def _record(self, feed: ParsedFeed, now: datetime) -> Batch:
        assert feed.date is not None
        counts = self.counts(feed.category, feed.date)
        received = sum(counts.values())
        before = self.batch(feed.category, feed.date)
        if before is None:
            before = Batch(feed.category, feed.date, BatchState.WAITING, 0)
        batch = replace(
            before,
            received=received,
            declared=feed.declared if feed.declared is not None else before.declared,
            counts=counts,
            declared_counts=dict(feed.declared_by_type) or before.declared_counts,
            source=feed.kind,
            fetched_at=now,
            first_seen=before.first_seen or (now if received else None),
        )
        state, causes = _state(feed, batch)
        is_no_more = state is BatchState.QUIET or (state is BatchState.FRESH and batch.declared_news is None)
        if before.state is BatchState.FRESH and is_no_more:
            state, causes = before.state, before.causes
        settled = state in (BatchState.FRESH, BatchState.QUIET)
        batch = replace(
            batch, state=state, causes=causes, completed=batch.completed or (now if settled else None)
        )
        self.put_batch(batch)
        return batch

    def put_batch(self, batch: Batch) -> None:
        """Writes a batch's record over the one there is."""
        self._db.execute(
            "insert or replace into batch(category, date, state, received, declared, counts, source, reason, "
            "fetched_at, declared_counts, tries, listed_at, first_seen, completed) "
            "values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                batch.category,
                batch.date.isoformat(),
                batch.state,
                batch.received,
                batch.declared,
                _counted(batch.counts),
                batch.source,
                dumped(batch.causes),
                _written(batch.fetched_at),
                _counted(batch.declared_counts),
                batch.tries,
                _written(batch.listed_at),
                _written(batch.first_seen),
                _written(batch.completed),
            ],
        )

    def counts(self, category: str, day: date) -> dict[AnnounceType, int]:
        """How many papers of each announce type are archived for one category and day."""
        rows = self._db.query(
            "select announce_type, count(*) as n from announcement where date = ? and category = ? group by 1",
            [day.isoformat(), category],
        )
        found = {AnnounceType(row["announce_type"]): row["n"] for row in rows}
        return {kind: found[kind] for kind in AnnounceType if kind in found}

    def batch(self, category: str, day: date) -> Batch | None:
        """The record of one category's day, None before anything was tried."""
        rows = self._db.query(
            "select * from batch where category = ? and date = ?", [category, day.isoformat()]
        )
        return next((_batch(row) for row in rows), None)

    def batches(self, day: date) -> tuple[Batch, ...]:
        """Every category's record of one day, by category."""
        rows = self._db.query("select * from batch where date = ? order by category", [day.isoformat()])
        return tuple(_batch(row) for row in rows)

    def unsettled(self, first: date, last: date) -> tuple[Batch, ...]:
        """The records from `first` to `last` (both included) that are neither fresh nor quiet, oldest first."""
        rows = self._db.query(
            "select * from batch where date between ? and ? and state not in ('fresh', 'quiet') "
            "order by date, category",
            [first.isoformat(), last.isoformat()],
        )
        return tuple(_batch(row) for row in rows)

    def newest_batch(self, category: str) -> Batch | None:
        """The record of the newest day of which a category has papers from arXiv itself (not from the seeds)."""
        rows = self._db.query(
            "select * from batch where category = ? and received > 0 and source like 'arxiv%' "
            "order by date desc limit 1",
            [category],
        )
        return next((_batch(row) for row in rows), None)

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

    def arrived(self, first: date, last: date, since: datetime) -> tuple[date, ...]:
        """The dates from `first` to `last` that were fetched late: their first paper came at `since` or later.

        Oldest first; days that were read from files do not count.
        """
        rows = self._db.query(
            "select distinct date from batch where date between ? and ? and first_seen >= ? and tries > 0 "
            "order by date",
            [first.isoformat(), last.isoformat(), since.astimezone(UTC).isoformat()],
        )
        return tuple(date.fromisoformat(row["date"]) for row in rows)

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
        return self.by_key([row["key"] for row in self._in("select key from paper where id in", list(ids))])

    def keys(self) -> list[int]:
        """The keys of all papers, oldest first."""
        return [row[0] for row in self._db.execute("select key from paper order by key")]

    def by_key(self, keys: Sequence[int]) -> tuple[Known, ...]:
        """The papers of these keys, in this order; unknown keys are left out."""
        papers = self._papers(keys)
        words = self.wordings(list(papers))
        announced = self._announced(list(papers))
        return tuple(
            Known(key, papers[key], words[key], tuple(announced.get(key, ())))
            for key in keys
            if key in papers
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

    def wordings(self, keys: Sequence[int]) -> dict[int, dict[str, Wording]]:
        """The words of each key's paper by language; an empty dict for a paper without any."""
        found: dict[int, dict[str, Wording]] = {key: {} for key in keys}
        for row in self._in("select * from wording where paper in", keys):
            found[row["paper"]][row["lang"]] = read_words(row)
        return found

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

    def _papers(self, keys: Sequence[int]) -> dict[int, Paper]:
        return {row["key"]: _paper(row) for row in self._in("select * from paper where key in", keys)}

    def _announced(self, keys: Sequence[int]) -> dict[int, list[tuple[date, str, AnnounceType]]]:
        found: dict[int, list[tuple[date, str, AnnounceType]]] = {}
        statement = "select paper, date, category, announce_type from announcement where paper in"
        for row in sorted(
            self._in(statement, keys), key=lambda row: (row["date"], row["category"]), reverse=True
        ):
            place = (date.fromisoformat(row["date"]), row["category"], AnnounceType(row["announce_type"]))
            found.setdefault(row["paper"], []).append(place)
        return found

    def _rows_by_id(self, ids: Iterable[PaperId]) -> dict[PaperId, tuple[int, Paper]]:
        rows = self._in("select * from paper where id in", sorted(ids))
        return {PaperId(row["id"]): (row["key"], _paper(row)) for row in rows}

    def _known_elsewhere(self, papers: Sequence[Paper]) -> dict[PaperId, tuple[int, Paper]]:
        """By id, the papers that are archived already as another source knows them."""
        keys = self._aliases.keys_of(papers)
        archived = self._papers(list({key for found in keys.values() for _, key in found}))
        same: dict[PaperId, tuple[int, Paper]] = {}
        for paper in papers:
            for name, key in keys.get(paper.id, ()):
                # A name that is the paper's own id was settled when it was written down.
                if name == paper.id or identity.may_be_one(archived[key], paper):
                    same[paper.id] = (key, archived[key])
                    break
        return same

    def _in(self, statement: str, values: Sequence[object]) -> Iterator[dict[str, Any]]:
        for start in range(0, len(values), CHUNK):
            chunk = list(values[start : start + CHUNK])
            yield from self._db.query(f"{statement} ({', '.join('?' * len(chunk))})", chunk)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What the archive keeps of one paper that can be searched for."""

    paper: Paper
    words: Wordings
    types: frozenset[AnnounceType]

    @property
    def document(self) -> tokens.Document:
        """What stands in the index."""
        return tokens.document(self.paper, self.words, self.types)


def _told(
    announcements: Sequence[Announcement],
    keys: Mapping[PaperId, int],
    placed: Mapping[int, Mapping[tuple[str, str], AnnounceType]],
) -> dict[PaperId, frozenset[AnnounceType]]:
    """What each paper is announced as for the first time: of one category's day its first line counts."""
    seen: set[tuple[int | PaperId, tuple[str, str]]] = {
        (key, place) for key, places in placed.items() for place in places
    }
    found: dict[PaperId, frozenset[AnnounceType]] = {}
    for entry in announcements:
        name = entry.paper.id
        here: tuple[int | PaperId, tuple[str, str]] = (
            keys.get(name, name),
            (entry.date.isoformat(), entry.category),
        )
        if here not in seen:
            seen.add(here)
            found[name] = found.get(name, frozenset()) | {entry.announce_type}
    return found


class _KeySequence:
    """Hands out new paper keys, rising within each day."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._last: dict[date, int] = {}

    def next(self, day: date) -> int:
        if day not in self._last:
            first, end = day_keys(day)
            rows = self._db.query("select max(key) as key from paper where key between ? and ?", [first, end])
            self._last[day] = next(iter(rows))["key"] or first
        self._last[day] += 1
        return self._last[day]


def day_keys(day: date) -> tuple[int, int]:
    """The first and the last key that papers first announced on `day` can have."""
    first = int(day.strftime("%Y%m%d")) * KEYS_PER_DAY
    return first, first + KEYS_PER_DAY - 1


def merged(known: Paper, seen: Paper) -> Paper:
    """What to keep of one paper seen twice: the newer version's words, and whatever only the other one has.

    An older version never overwrites a newer one; it only fills what is empty.
    """
    if known.id != seen.id:
        return identity.united(known, seen)
    newer, older = (known, seen) if known.version > seen.version else (seen, known)
    kept = {
        name: getattr(older, name)
        for name in COLUMNS
        if name not in ("id", "version", "withdrawn") and not getattr(newer, name) and getattr(older, name)
    }
    if not newer.title or newer.title == older.title:
        kept.setdefault("raw_title", newer.raw_title or older.raw_title)
    withdrawn = newer.withdrawn or (newer.version == older.version and older.withdrawn)
    authors = _richer(newer.authors, older.authors)
    kept["source"] = identity.sources(newer.source, older.source)
    return replace(newer, **{**kept, "withdrawn": withdrawn, "authors": authors})


def _richer(newer: tuple[Author, ...], older: tuple[Author, ...]) -> tuple[Author, ...]:
    same = [author.name for author in newer] == [author.name for author in older]
    if not newer or (same and not any(author.affiliation for author in newer)):
        return older
    return newer


def _state(feed: ParsedFeed, batch: Batch) -> tuple[BatchState, tuple[Cause, ...]]:
    """What a response makes of its day. New and cross-listed papers are counted strictly.

    Replacements are missed only in the response that states their number: the feed leaves out those of version 6 and
    higher (arxiv-feed's source), so an earlier listing's count of them may never be reached by it.
    """
    received, declared = batch.received, batch.declared
    if feed.errors:
        return BatchState.FAILED, (Cause(CauseKind.REFUSED, said=feed.errors[0]),)
    if batch.declared_news is not None and batch.news < batch.declared_news:
        counts = (str(batch.news), str(batch.declared_news))
        return BatchState.PARTIAL, (Cause(CauseKind.NEWS_MISSING, counts),)
    if batch.declared_news is not None and not feed.declared_by_type and received:
        return BatchState.FRESH, ()  # whatever this response lacks, the listing's count is reached
    if feed.truncated:
        return BatchState.PARTIAL, (Cause(CauseKind.CUT),)
    if declared is not None and received < declared:
        return BatchState.PARTIAL, (Cause(CauseKind.MISSING, (str(received), str(declared))),)
    if feed.problems:
        return BatchState.PARTIAL, (of_problems(feed.problems),)
    return (BatchState.FRESH, ()) if received else (BatchState.QUIET, (Cause(CauseKind.NOTHING_ANNOUNCED),))


def _counted(counts: Mapping[AnnounceType, int]) -> str:
    return json.dumps({str(kind): count for kind, count in counts.items()})


def _counts(text: str) -> dict[AnnounceType, int]:
    return {AnnounceType(kind): count for kind, count in json.loads(text).items()}


def _written(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat() if moment else None


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _row(paper: Paper) -> list[object]:
    plain: dict[str, object] = {name: getattr(paper, name) for name in COLUMNS}
    plain["authors"] = json.dumps(
        [[author.name, author.affiliation] for author in paper.authors], ensure_ascii=False
    )
    plain["categories"] = " ".join(paper.categories)
    plain["withdrawn"] = int(paper.withdrawn)
    for name in ("submitted", "updated"):
        moment = getattr(paper, name)
        plain[name] = moment.isoformat() if moment else None
    return list(plain.values())


def _paper(row: Mapping[str, Any]) -> Paper:
    values = {name: row[name] for name in COLUMNS}
    values["id"] = PaperId(row["id"])
    values["authors"] = tuple(Author(name, place) for name, place in json.loads(row["authors"]))
    values["categories"] = tuple(row["categories"].split())
    values["withdrawn"] = bool(row["withdrawn"])
    for name in ("submitted", "updated"):
        values[name] = datetime.fromisoformat(row[name]) if row[name] else None
    return Paper(**values)


def _batch(row: Mapping[str, Any]) -> Batch:
    return Batch(
        category=row["category"],
        date=date.fromisoformat(row["date"]),
        state=BatchState(row["state"]),
        received=row["received"],
        declared=row["declared"],
        counts=_counts(row["counts"]),
        source=row["source"],
        causes=loaded(row["reason"]),
        fetched_at=_moment(row["fetched_at"]),
        declared_counts=_counts(row["declared_counts"]),
        tries=row["tries"],
        listed_at=_moment(row["listed_at"]),
        first_seen=_moment(row["first_seen"]),
        completed=_moment(row["completed"]),
    )
