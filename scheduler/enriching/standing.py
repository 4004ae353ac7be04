"""How each service stands: well, left alone for a while, refused for the run, or out of the day's budget.

What keeps a service from working is told to the operator once, in the log, and noted for `paperboy status`.
"""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from scheduler.models import Shortfall
from scheduler.store import Store

logger = logging.getLogger(__name__)

FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(minutes=10)
UNSAID_PAUSE = timedelta(seconds=20)
"""A service that asks to slow down without a time is left alone for so long."""
LONGEST_TOLD = timedelta(days=1)


@dataclass(slots=True)
class Standing:
    """One service in this process. `why` is a line for the operator, "" while all is well."""

    name: str
    why: str = ""
    is_stopped: bool = False
    not_before: datetime | None = None
    failures: int = 0
    out_of_budget: date | None = None

    def trouble(self, now: datetime) -> Shortfall | None:
        """What keeps the service from working at `now`; one that failed is in trouble until it answers again."""
        if self.is_stopped:
            return Shortfall.REFUSED
        if self.out_of_budget == now.astimezone(UTC).date():
            return Shortfall.BUDGET
        return Shortfall.UNREACHABLE if self.failures else None

    def pause_left(self, now: datetime) -> float:
        """Seconds for which it is left alone, 0 for one that may be asked."""
        return max((self.not_before - now).total_seconds(), 0.0) if self.not_before is not None else 0.0

    def stop(self, why: str) -> None:
        """It refuses: nothing more is asked of it in this run."""
        if not self.is_stopped:
            logger.error("%s is not asked any more before the next start: %s", self.name, why)
        self.is_stopped, self.why = True, why

    def slow_down(self, why: str, seconds: float | None, now: datetime) -> None:
        """It asked for a pause."""
        told = UNSAID_PAUSE if seconds is None else timedelta(seconds=seconds)
        self._pause(why, now + min(told, LONGEST_TOLD))

    def failed(self, why: str, now: datetime) -> None:
        """It did not work: the pause grows with every failure on end."""
        pause = min(FIRST_PAUSE * 2.0 ** min(self.failures, 16), LONGEST_PAUSE)
        self._pause(why, now + pause)

    def _pause(self, why: str, until: datetime) -> None:
        if not self.failures:
            logger.warning("%s is left alone for a while: %s", self.name, why)
        self.failures += 1
        self.why = why
        self.not_before = max(until, self.not_before or until)

    def worked(self, day: date) -> None:
        """It gave an answer on a day (UTC); that the day's budget is spent is not undone by it."""
        if self.failures:
            logger.info("%s answers again", self.name)
        self.failures, self.not_before = 0, None
        if self.out_of_budget != day:
            self.why, self.out_of_budget = "", None

    def spent(self, day: date) -> None:
        """The day's budget does not pay for another call."""
        if self.out_of_budget != day:
            self.why = f"the budget of {day} is spent; see PAPERBOY_DAILY_TOKENS, _CHARACTERS and _MONEY"
            logger.warning("%s: %s", self.name, self.why)
        self.out_of_budget = day


@dataclass(frozen=True, slots=True)
class Told:
    """What is noted of a service for other processes: `since` when, and `why` it does not work ("" for well)."""

    name: str
    why: str
    since: datetime


def note(store: Store, standing: Standing, now: datetime) -> None:
    """Writes down how a service stands, where that has changed."""
    before = told_of(store, standing.name)
    if before is None or before.why != standing.why:
        words = {"why": standing.why, "since": now.isoformat()}
        store.notes[_name(standing.name)] = json.dumps(words, ensure_ascii=False)


def told_of(store: Store, name: str) -> Told | None:
    """What was noted of a service, None for nothing."""
    with suppress(KeyError, ValueError, TypeError):
        words = json.loads(store.notes[_name(name)])
        return Told(name, str(words["why"]), datetime.fromisoformat(words["since"]))
    return None


def _name(service: str) -> str:
    return f"service {service}"
