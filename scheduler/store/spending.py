"""What was spent on models and translations, day by day, and what is reserved for calls under way."""

from __future__ import annotations

from datetime import date

from sqlite_utils import Database

from scheduler.enrich.budget import Amount, Caps
from scheduler.store.database import writing


class Spending:
    """The account of each day (UTC). One instance serves one connection.

    A reservation counts as spent until it is settled: one whose process died stays, and the cap holds all the same.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    def of(self, day: date) -> Amount:
        """What was spent and is reserved on a day."""
        rows = self._db.query("select * from spending where date = ?", [day.isoformat()])
        return next((Amount(row["tokens"], row["characters"], row["micros"]) for row in rows), Amount())

    def reserve(self, day: date, amount: Amount, caps: Caps) -> bool:
        """Takes `amount` out of what is left of a day; False, and nothing is taken, when that is too little."""
        with writing(self._db):
            total = self.of(day) + amount
            if not caps.allow(total):
                return False
            self._put(day, total)
            return True

    def settle(self, day: date, reserved: Amount, used: Amount) -> None:
        """Puts what a call did cost in the place of what was reserved for it."""
        with writing(self._db):
            self._put(day, self.of(day) - reserved + used)

    def _put(self, day: date, total: Amount) -> None:
        self._db.execute(
            "insert or replace into spending(date, tokens, characters, micros) values (?, ?, ?, ?)",
            [day.isoformat(), total.tokens, total.characters, total.micros],
        )
