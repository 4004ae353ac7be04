"""An outage in a handful of lines: that it began, that it goes on, and that it is over. Pure; time is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

SOON, SELDOM = timedelta(hours=1), timedelta(hours=6)
"""An outage that goes on is told of after an hour, and every six hours from then on."""


@dataclass(slots=True)
class _Outage:
    since: datetime
    told: datetime


@dataclass(slots=True)
class Outages:
    """What is out of order, by name."""

    _known: dict[str, _Outage] = field(default_factory=dict)

    def is_news(self, name: str, now: datetime) -> bool:
        """Notes that something fails, and returns whether that should be said now."""
        known = self._known.get(name)
        if known is None:
            self._known[name] = _Outage(now, now)
            return True
        if now - known.told < (SOON if known.told == known.since else SELDOM):
            return False
        known.told = now
        return True

    def lasts(self, name: str, now: datetime) -> timedelta:
        """For how long it has been out of order."""
        known = self._known.get(name)
        return now - known.since if known is not None else timedelta(0)

    def over(self, name: str, now: datetime) -> timedelta | None:
        """Notes that something works, and returns how long it did not; None where nothing was wrong."""
        known = self._known.pop(name, None)
        return now - known.since if known is not None else None
