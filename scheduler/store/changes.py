"""What changed in archived papers, written down in the transaction that changes them, to be asked for later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from sqlite_utils import Database

from scheduler.models import Change, ChangeKind, Paper

SCHEMA = (
    "create table change(key integer primary key autoincrement, paper integer not null, at text not null, "
    "kind text not null, old text not null, new text not null)",
    "create index change_paper on change(paper)",
)
CHUNK = 500


class Changes:
    """The changes of archived papers in the order in which they were seen. One instance serves one connection."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def note(self, key: int, before: Paper, after: Paper, at: datetime) -> None:
        """Writes down what a reader of the paper would want to be told; the caller holds the transaction."""
        moment = at.astimezone(UTC).isoformat()
        self._db.conn.executemany(
            "insert into change(paper, at, kind, old, new) values (?, ?, ?, ?, ?)",
            [(key, moment, kind, old, new) for kind, old, new in differences(before, after)],
        )

    def last(self) -> int:
        """The number of the newest change, 0 before there is any."""
        row = next(iter(self._db.query("select max(key) as key from change")))
        return int(row["key"] or 0)

    def since(self, number: int, papers: Iterable[int] | None = None) -> tuple[Change, ...]:
        """The changes after the one of that number, oldest first; only those of `papers` (keys) where given."""
        if papers is None:
            rows = self._db.query("select * from change where key > ? order by key", [number])
            return tuple(map(_change, rows))
        return tuple(sorted(self._of(number, sorted(set(papers))), key=lambda change: change.number))

    def _of(self, number: int, papers: list[int]) -> Iterator[Change]:
        for start in range(0, len(papers), CHUNK):
            chunk = papers[start : start + CHUNK]
            marks = ", ".join("?" * len(chunk))
            statement = f"select * from change where paper in ({marks}) and key > ?"
            yield from map(_change, self._db.query(statement, [*chunk, number]))


def differences(before: Paper, after: Paper) -> Iterator[tuple[ChangeKind, str, str]]:
    """What changed from one state of a paper to a later one, as kind, old and new.

    A version that was not known before is no new one, nor is another source's version of the same paper. Sources
    write titles differently, so a title changes only with its version; comments that only now became known are no
    change.
    """
    is_revised = before.id == after.id and 0 < before.version < after.version
    if is_revised:
        yield ChangeKind.VERSION, str(before.version), str(after.version)
    if is_revised and before.title != after.title:
        yield ChangeKind.TITLE, before.title, after.title
    if before.comments and before.comments != after.comments:
        yield ChangeKind.COMMENTS, before.comments, after.comments
    if after.withdrawn and not before.withdrawn:
        yield ChangeKind.WITHDRAWN, "", "yes"
    if before.doi != after.doi:
        yield ChangeKind.DOI, before.doi, after.doi
    if before.journal_ref != after.journal_ref:
        yield ChangeKind.JOURNAL_REF, before.journal_ref, after.journal_ref


def _change(row: dict[str, object]) -> Change:
    return Change(
        int(str(row["key"])),
        int(str(row["paper"])),
        datetime.fromisoformat(str(row["at"])),
        ChangeKind(str(row["kind"])),
        str(row["old"]),
        str(row["new"]),
    )
