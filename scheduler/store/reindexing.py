"""The full-text index built anew where it was made otherwise: `search.VERSION` against a note."""

from __future__ import annotations

import logging
from operator import attrgetter

from sqlite_utils import Database

from scheduler import tokens
from scheduler.store import search
from scheduler.store.database import writing
from scheduler.store.notes import Notes
from scheduler.store.papers import Archive
from scheduler.store.rows import CHUNK

logger = logging.getLogger(__name__)

NOTE = "text-index"


def renew(db: Database, archive: Archive, notes: Notes) -> bool:
    """Indexes every paper anew in one transaction; False when the index is of this version already."""
    if notes.get(NOTE) == search.VERSION:
        return False
    with writing(db):
        if notes.get(NOTE) == search.VERSION:  # another process was faster
            return False
        search.configure(db)
        _index_all(db, archive)
        notes[NOTE] = search.VERSION
    return True


def _index_all(db: Database, archive: Archive) -> None:
    keys = sorted(archive.keys(), reverse=True)
    if not keys:
        return
    logger.info("building the full-text index of %d papers anew; this happens once", len(keys))
    search.clear(db)
    for start in range(0, len(keys), CHUNK):
        for one in sorted(archive.by_key(keys[start : start + CHUNK]), key=attrgetter("key"), reverse=True):
            search.index(db, one.key, tokens.document(one.paper, one.wordings, one.types))
