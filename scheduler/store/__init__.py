"""The only SQL: one SQLite file with papers and their full text, chats and subscriptions, and the outbox.

Everything here is synchronous and belongs to one connection, which one thread uses at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path

from sqlite_utils import Database

from scheduler.store import reindexing
from scheduler.store.answers import Answers
from scheduler.store.batches import Batches
from scheduler.store.chats import Chats
from scheduler.store.database import connect, writing
from scheduler.store.due import Due
from scheduler.store.enrichments import Enrichments
from scheduler.store.library import Library
from scheduler.store.meanings import Meanings
from scheduler.store.members import Members
from scheduler.store.mutes import Mutes
from scheduler.store.notes import Notes, Tokens
from scheduler.store.outbox import Outbox
from scheduler.store.papers import Archive
from scheduler.store.revisions import Revisions
from scheduler.store.spending import Spending
from scheduler.store.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Store:
    """One open database, by its areas."""

    db: Database
    archive: Archive
    batches: Batches
    chats: Chats
    members: Members
    outbox: Outbox
    notes: Notes
    tokens: Tokens
    answers: Answers
    library: Library
    mutes: Mutes
    vocabulary: Vocabulary
    meanings: Meanings
    enrichments: Enrichments
    spending: Spending
    revisions: Revisions
    due: Due

    def clear(self, now: datetime) -> Iterator[int]:
        """Clears away what nobody asks for any more, in steps that are each a transaction.

        Gives how much each step cleared.
        """
        return chain(self.outbox.clear(now), self.enrichments.clear(now))

    def close(self) -> None:
        """Closes the file; the write-ahead log is folded back when no other process has it open."""
        self.db.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction over several areas."""
        with writing(self.db):
            yield


def open_store(path: Path | None) -> Store:
    """The store in the file at `path` (made when it is missing), None for one in memory.

    Raises DatabaseTooNew and StoreError.
    """
    db = connect(path)
    batches, notes = Batches(db), Notes(db)
    archive, chats = Archive(db, batches), Chats(db)
    reindexing.renew(db, archive, notes)
    return Store(
        db,
        archive,
        batches,
        chats,
        Members(db, chats),
        Outbox(db),
        notes,
        Tokens(db),
        Answers(db),
        Library(db),
        Mutes(db),
        Vocabulary(db),
        Meanings(db, archive),
        Enrichments(db),
        Spending(db),
        Revisions(db),
        Due(db),
    )
