"""Which chats' slots have come, and what is noted when one is closed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NamedTuple

from sqlite_utils import Database

from scheduler import slots
from scheduler.models import Chat
from scheduler.store.chats import chat_from
from scheduler.store.schedules import SCHEDULE_COLUMNS

_IS_DUE = (
    "state = 'active' and (exists (select 1 from subscription where subscription.chat = chat.key "
    "and (owner = '' or names_members)) or kind = 'private' and person != '' and exists "
    "(select 1 from subscription where owner = chat.platform || ':' || chat.person and owner != ''))"
)


_LOOK = ", ".join(
    (
        *("lang", "content", "kind", *SCHEDULE_COLUMNS, "paper_order", "sound", "names_members"),
        *("last_date", "planned_until", "planned_revision"),
    )
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


class DueRow(NamedTuple):
    """A chat whose slot has come, as it is read by the thousand: its key, the slot (POSIX seconds, just as it is kept),
    its platform, and everything else that its digest may depend on."""

    key: int
    slot: float
    platform: str
    look: tuple[object, ...]


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

    def rows(self, until: datetime, *, after: tuple[float, int], limit: int) -> list[DueRow]:
        """As `by`, behind the chat of this slot and key."""
        rows = self._db.conn.execute(
            f"select key, next_due, platform, {_LOOK} from chat "
            f"where next_due <= ? and next_due >= ? and (next_due, key) > (?, ?) and {_IS_DUE} "
            "order by next_due, key limit ?",
            [until.timestamp(), after[0], *after, limit],
        )
        return [DueRow(row[0], row[1], row[2], row[3:]) for row in rows]

    def count(self, until: datetime) -> int:
        """How many chats `by` would give."""
        row = self._db.conn.execute(
            f"select count(*) from chat where next_due <= ? and {_IS_DUE}", (until.timestamp(),)
        )
        return int(row.fetchone()[0])

    def close(
        self,
        chats: Sequence[int],
        next_slot: datetime,
        planned_until: date | None = None,
        planned_revision: int | None = None,
        told_of: date | None = None,
    ) -> None:
        """Closes the slots of chats (keys) that have the same next one, for good.

        `planned_until` and `planned_revision` say what they were planned with, None for slots that were missed;
        `told_of` is the newest announcement date that their digests are about, None where they got none.
        """
        self._db.execute(
            "update chat set next_due = ?, planned_until = coalesce(?, planned_until), "
            "planned_revision = coalesce(?, planned_revision), "
            "last_date = case when ? > coalesce(last_date, '') then ? else last_date end "
            "where key in (select value from json_each(?))",
            [
                next_slot.timestamp(),
                planned_until.isoformat() if planned_until else None,
                planned_revision,
                *[told_of.isoformat() if told_of else None] * 2,
                json.dumps(chats),
            ],
        )


def _due(row: Mapping[str, Any]) -> DueChat:
    last = date.fromisoformat(row["last_date"]) if row["last_date"] else None
    until = date.fromisoformat(row["planned_until"]) if row["planned_until"] else None
    return DueChat(chat_from(row), slots.moment(row["next_due"]), last, until, row["planned_revision"])
