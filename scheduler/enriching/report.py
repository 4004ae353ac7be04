"""How words are being made, for the operator: each service, the day's account, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from scheduler.enrich.budget import Amount, Caps
from scheduler.enriching.standing import Told, told_of
from scheduler.models import WordingStatus
from scheduler.store import Store


@dataclass(frozen=True, slots=True)
class Report:
    """`services` has each one's name and what was last noted of it (None: it was never asked).

    `spent` is what the day (UTC) has cost and what is reserved, `made` how many texts came of it, by status.
    """

    services: Mapping[str, Told | None]
    spent: Amount
    caps: Caps
    made: Mapping[WordingStatus, int]


def report(store: Store, names: Iterable[str], caps: Caps, now: datetime) -> Report:
    """How these services stand at `now`."""
    today = now.astimezone(UTC)
    midnight = today.replace(hour=0, minute=0, second=0, microsecond=0)
    services = {name: told_of(store, name) for name in names}
    return Report(services, store.spending.of(today.date()), caps, store.enrichments.counts(midnight))
