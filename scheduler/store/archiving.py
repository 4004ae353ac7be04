"""How responses get into the archive: new papers, what changes in known ones, and their announcements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from sqlite_utils import Database

from scheduler import identity, tokens
from scheduler.models import Announcement, AnnounceType, Paper, PaperId, ParsedFeed, Wording
from scheduler.store import search
from scheduler.store.aliases import Aliases
from scheduler.store.changes import Changes
from scheduler.store.library import KEPT_BY_PERSON
from scheduler.store.replays import Replays
from scheduler.store.rows import PaperRows, Places, Wordings
from scheduler.store.wordings import put_words, united

NAMED_BY_KEY = ("wording", "alias", "change", "meaning", *KEPT_BY_PERSON)
"""The tables whose column `paper` is a paper's key and that follow it when the paper is given another one."""

Types = frozenset[AnnounceType]
Added = Mapping[PaperId, Sequence[Wording]]
"""Words that come with a response, by paper."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What the archive keeps of one paper that can be searched for."""

    paper: Paper
    words: Wordings
    types: Types

    @property
    def document(self) -> tokens.Document:
        """What stands in the index."""
        return tokens.document(self.paper, self.words, self.types)


@dataclass(slots=True)
class _Entry:
    """One archived paper while a response is taken in; all ids that mean it share one."""

    key: int
    kept: Kept
    is_dated: bool


class Archiving:
    """Writes responses into one connection's archive; the caller holds the transaction."""

    def __init__(self, db: Database, rows: PaperRows, aliases: Aliases) -> None:
        self._db = db
        self._rows = rows
        self._aliases = aliases
        self._changes = Changes(db)
        self._replays = Replays(db)
        self._index = search.IndexChanges(db)

    def take(self, feed: ParsedFeed, now: datetime, wordings: Added) -> None:
        """Archives all of a response; one that is archived just as it is costs no look at its papers."""
        self._index = search.IndexChanges(self._db)
        digest = None if wordings else self._replays.find(feed)
        if digest is not None and self._replays.is_known(feed, digest):
            return
        self._announce(feed, self._put_all(feed, now, wordings))
        self._index.write()
        if digest is not None:
            self._replays.keep(feed, digest)

    def rewrite(self, key: int, new: Kept, old: Kept) -> None:
        """Writes one paper and its words over what is there, its place in the index with them."""
        self._change(key, new, old)
        self._index.write()

    # the papers of a response

    def _put_all(self, feed: ParsedFeed, now: datetime, wordings: Added) -> dict[PaperId, int]:
        """Every paper of a response into the archive; their keys."""
        papers = [entry.paper for entry in feed.announcements] + list(feed.papers)
        entries, told = self._known(papers, feed.announcements)
        # Only what several sources have can be one paper twice; one source knows its own apart.
        same = identity.twins(papers) if len({paper.source for paper in papers}) > 1 else {}
        keys = _KeySequence(self._rows)
        for paper in papers:
            entry = entries.get(paper.id) or entries.get(same.get(paper.id, paper.id))
            words, types = wordings.get(paper.id, ()), told.get(paper.id, frozenset())
            if entry is None:
                key = keys.next(feed.date or (paper.submitted or now).date())
                entry = self._add(key, Kept(paper, united({}, words), types), feed.date is not None)
            else:
                if feed.date is not None and not entry.is_dated:
                    self._date(entry, keys.next(feed.date))
                self._meet_again(entry, paper, words, types, now)
            entries[paper.id] = entry
        return {paper.id: entries[paper.id].key for paper in papers}

    def _known(
        self, papers: Sequence[Paper], announcements: Sequence[Announcement]
    ) -> tuple[dict[PaperId, _Entry], dict[PaperId, Types]]:
        """What is archived of these papers, by id, and what each paper is announced as for the first time."""
        known = self._rows.named({paper.id for paper in papers})
        known |= self._known_elsewhere([paper for paper in papers if paper.id not in known])
        words = self._rows.words([key for key, _ in known.values()])
        placed = self._rows.places({key for key, _ in known.values()})
        by_key = {
            key: _Entry(key, Kept(paper, words[key], frozenset(placed[key].values())), bool(placed[key]))
            for key, paper in known.values()
        }
        keys = {name: key for name, (key, _) in known.items()}
        return {name: by_key[key] for name, key in keys.items()}, _told(announcements, keys, placed)

    def _known_elsewhere(self, papers: Sequence[Paper]) -> dict[PaperId, tuple[int, Paper]]:
        """By id, the papers that are archived already as another source knows them."""
        keys = self._aliases.keys_of(papers)
        archived = self._rows.papers(list({key for found in keys.values() for _, key in found}))
        same: dict[PaperId, tuple[int, Paper]] = {}
        for paper in papers:
            for name, key in keys.get(paper.id, ()):
                # A name that is the paper's own id was settled when it was written down.
                if name == paper.id or identity.may_be_one(archived[key], paper):
                    same[paper.id] = (key, archived[key])
                    break
        return same

    def _add(self, key: int, new: Kept, is_dated: bool) -> _Entry:
        self._rows.add(key, new.paper)
        self._put_names_and_words(key, new)
        self._index.change(key, None, new.document)
        return _Entry(key, new, is_dated)

    def _change(self, key: int, new: Kept, old: Kept) -> None:
        self._rows.change(key, new.paper)
        self._put_names_and_words(key, new)
        self._index.change(key, old.document, new.document)

    def _put_names_and_words(self, key: int, kept: Kept) -> None:
        self._aliases.add(key, kept.paper)
        for word in kept.words.values():
            put_words(self._db, key, word)

    def _meet_again(
        self, entry: _Entry, paper: Paper, words: Iterable[Wording], types: Types, now: datetime
    ) -> None:
        """Writes what a paper that is archived already has more or newer now."""
        key, old = entry.key, entry.kept
        new = Kept(identity.merged(old.paper, paper), united(old.words, words), old.types | types)
        if new != old:
            self._change(key, new, old)
            self._changes.note(key, old.paper, new.paper, now)
            self._replays.forget(key)
        if new.paper.id != paper.id:
            self._aliases.add(key, new.paper, [paper.id])
        elif new.paper.id != old.paper.id:
            self._aliases.add(key, new.paper, [old.paper.id])
        entry.kept = new

    def _date(self, entry: _Entry, key: int) -> None:
        """Gives a paper the key of the day on which it is announced after all: keys are the order of a search."""
        old = entry.key
        self._index.change(old, entry.kept.document, None)
        self._db.execute("pragma defer_foreign_keys = on")
        self._db.execute("update paper set key = ? where key = ?", [key, old])
        for table in NAMED_BY_KEY:
            self._db.execute(f"update {table} set paper = ? where paper = ?", [key, old])
        self._index.change(key, None, entry.kept.document)
        entry.key, entry.is_dated = key, True

    # the announcements

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


def reworded(kept: Kept, word: Wording) -> Kept:
    """A paper with more words; parts of `word` that are "" leave what is there, with their flags."""
    return replace(kept, words=united(kept.words, (word,)))


def _told(
    announcements: Sequence[Announcement], keys: Mapping[PaperId, int], placed: Mapping[int, Places]
) -> dict[PaperId, Types]:
    """What each paper is announced as for the first time: of one category's day its first line counts."""
    seen: set[tuple[int | PaperId, tuple[date, str]]] = {
        (key, place) for key, places in placed.items() for place in places
    }
    found: dict[PaperId, Types] = {}
    for entry in announcements:
        name = entry.paper.id
        here: tuple[int | PaperId, tuple[date, str]] = (keys.get(name, name), (entry.date, entry.category))
        if here not in seen:
            seen.add(here)
            found[name] = found.get(name, frozenset()) | {entry.announce_type}
    return found


class _KeySequence:
    """Hands out new paper keys, rising within each day."""

    def __init__(self, rows: PaperRows) -> None:
        self._rows = rows
        self._last: dict[date, int] = {}

    def next(self, day: date) -> int:
        self._last[day] = self._last.get(day) or self._rows.last_key(day)
        self._last[day] += 1
        return self._last[day]
