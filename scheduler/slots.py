"""A chat's slots: one moment per local day on which its digest is due, whatever the clock does.

A time that the clock skips in spring (02:30) counts as the first valid moment after the gap; a time that comes twice
in autumn counts the first time.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from scheduler.models import Schedule


def moment(seconds: float) -> datetime:
    """Seconds since 1970 as an aware UTC datetime."""
    return datetime.fromtimestamp(seconds, UTC)


def slot_on(schedule: Schedule, day: date) -> datetime:
    """The slot of one local day, in UTC."""
    zone = ZoneInfo(schedule.zone)
    local = datetime.combine(day, time.fromisoformat(schedule.time), zone)
    wall = local.replace(tzinfo=None)
    if local.astimezone(UTC).astimezone(zone).replace(tzinfo=None) == wall:
        return local.astimezone(UTC)
    return _end_of_gap(local)


def _end_of_gap(local: datetime) -> datetime:
    """The first moment after the gap that swallowed `local`: where the zone's offset changes."""
    low, high = local.astimezone(UTC) - timedelta(hours=3), local.astimezone(UTC) + timedelta(hours=3)
    before = low.astimezone(local.tzinfo).utcoffset()
    while high - low > timedelta(seconds=1):
        middle = low + (high - low) / 2
        if middle.astimezone(local.tzinfo).utcoffset() == before:
            low = middle
        else:
            high = middle
    return high.replace(microsecond=0)


def local_day(schedule: Schedule, now: datetime) -> date:
    """The date on the chat's own calendar at `now` (aware)."""
    return now.astimezone(ZoneInfo(schedule.zone)).date()


def next_slot(schedule: Schedule, now: datetime) -> datetime:
    """The first slot after `now` (aware), in UTC."""
    day = local_day(schedule, now) - timedelta(days=1)
    while True:
        if day.weekday() in schedule.weekdays and slot_on(schedule, day) > now:
            return slot_on(schedule, day)
        day += timedelta(days=1)


def run_key(schedule: Schedule, slot: datetime) -> str:
    """The name of a slot's run: the local day and the time on the wall, the same however often the hour comes."""
    return f"{local_day(schedule, slot).isoformat()}T{schedule.time}"
