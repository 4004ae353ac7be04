"""How much may be asked of services, and how long a digest waits for them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from scheduler.enrich.budget import Caps


@dataclass(frozen=True, slots=True)
class Limits:
    """`caps` a day (UTC), `calls` at once, `per_minute` calls in a minute, `wait` for a digest that is late anyway."""

    caps: Caps = Caps()
    calls: int = 4
    per_minute: int = 60
    wait: timedelta = timedelta(minutes=10)
