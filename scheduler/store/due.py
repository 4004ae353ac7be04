"""Which chats' slots have come, and what is noted when one is closed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlite_utils import Database

from scheduler import slots
from scheduler.models import Chat
from scheduler.store.chats import chat_from

_IS_DUE = (
    "state = 'active' and (exists (select 1 from subscription where subscription.chat = chat.key "
    "and (owner = '' or names_members)) or kind = 'private' and person != '' and exists "
    "(select 1 from subscription where owner = chat.platform || ':' || chat.person and owner != ''))"
)


@dataclass(frozen=True, slots=True)
class DueChat:
    """A chat whose slot has come: the slot's moment and the newest announcement date it was ever told of.

    `planned_until` is the newest announcement date that an earlier slot of it was planned for, told of or not, and
    `planned_revision` the newest change of the archive (`Revisions`) that it was planned with.
    """

    chat: Chat
    slot: datetime
    last_date: date | None
    planned_until: date | None = None
    planned_revision: int = 0


@dataclass(frozen=True, slots=True)
class ClosedSlot:
    """What is noted of a slot that was planned or missed: the next one, and what this one was planned with.

    `planned_until` and `planned_revision` are None for a slot that was missed.
    """

    chat: int
    next_slot: datetime
    planned_until: date | None = None
    planned_revision: int | None = None


class Due:
    """The slots of all chats. One instance serves one connection."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def of(self, key: int) -> DueChat | None:
        """A chat with its next slot, due or not; None for an unknown chat."""
        rows = self._db.query("select * from chat where key = ? and next_due is not null", [key])
        return next((_due(row) for row in rows), None)

    def by(self, until: datetime, *, after: DueChat | None = None, limit: int = -1) -> tuple[DueChat, ...]:
        """The active chats whose slot has come by `until`, with something to be told of, the longest waiting first.

        At most `limit` of them, those behind `after`.
        """
        place = (after.slot.timestamp(), after.chat.key) if after is not None else (0, 0)
        rows = self._db.query(
            "select * from chat where next_due <= ? and next_due >= ? and (next_due, key) > (?, ?) "
            f"and {_IS_DUE} order by next_due, key limit ?",
            [until.timestamp(), place[0], *place, limit],
        )
        return tuple(_due(row) for row in rows)

    def count(self, until: datetime) -> int:
        """How many chats `by` would give."""
        row = self._db.conn.execute(
            f"select count(*) from chat where next_due <= ? and {_IS_DUE}", (until.timestamp(),)
        )
        return int(row.fetchone()[0])

    def close(self, closed: Iterable[ClosedSlot]) -> None:
        """Closes slots for good; each chat's next one is given."""
        self._db.conn.executemany(
            "update chat set next_due = ?, planned_until = coalesce(?, planned_until), "
            "planned_revision = coalesce(?, planned_revision) where key = ?",
            [
                (
                    slot.next_slot.timestamp(),
                    slot.planned_until.isoformat() if slot.planned_until else None,
                    slot.planned_revision,
                    slot.chat,
                )
                for slot in closed
            ],
        )


def _due(row: Mapping[str, Any]) -> DueChat:
    last = date.fromisoformat(row["last_date"]) if row["last_date"] else None
    until = date.fromisoformat(row["planned_until"]) if row["planned_until"] else None
    return DueChat(chat_from(row), slots.moment(row["next_due"]), last, until, row["planned_revision"])
