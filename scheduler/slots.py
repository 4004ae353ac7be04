"""A chat's slots: the moments at which its digest is due, one for each local day (or announcement), whatever the
clock does.

A time that the clock skips in spring (02:30) counts as the first valid moment after the gap; a time that comes twice
in autumn counts the first time. What falls into quiet hours is due at their end.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from scheduler import calendar
from scheduler.models import Schedule

AT_ANNOUNCEMENT = "announced"
"""What stands for the time in the run keys of chats that are told at the announcement."""


def moment(seconds: float) -> datetime:
    """Seconds since 1970 as an aware UTC datetime."""
    return datetime.fromtimestamp(seconds, UTC)


def slot_on(schedule: Schedule, day: date) -> datetime:
    """The slot of one local day, in UTC; for a chat that is told at the announcement, of the list of that date."""
    if schedule.at_announcement:
        return quiet_end(schedule, calendar.feed_due(day).astimezone(UTC))
    return quiet_end(schedule, _on_the_wall(schedule.zone, day, schedule.time))


def quiet_end(schedule: Schedule, at: datetime) -> datetime:
    """When something may be sent that is ready at `at` (aware): then, or at the end of the quiet hours around it."""
    quiet = schedule.quiet
    if quiet is None:
        return at
    today = local_day(schedule, at)
    for day in (today - timedelta(days=1), today):
        ends_on = day if quiet.start < quiet.end else day + timedelta(days=1)
        end = _on_the_wall(schedule.zone, ends_on, quiet.end)
        if _on_the_wall(schedule.zone, day, quiet.start) <= at < end:
            return end
    return at


def _on_the_wall(zone_name: str, day: date, at: str) -> datetime:
    """The moment at which a clock in the zone shows that time on that day."""
    zone = ZoneInfo(zone_name)
    local = datetime.combine(day, time.fromisoformat(at), zone)
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
    today = now.astimezone(calendar.NEW_YORK).date() if schedule.at_announcement else local_day(schedule, now)
    day = today - timedelta(days=2)
    while not _has_slot(schedule, day) or slot_on(schedule, day) <= now:
        day += timedelta(days=1)
    return slot_on(schedule, day)


def _has_slot(schedule: Schedule, day: date) -> bool:
    return (
        calendar.is_announcement_day(day) if schedule.at_announcement else day.weekday() in schedule.weekdays
    )


def run_key(schedule: Schedule, slot: datetime) -> str:
    """The name of a slot's run: the day and the time on the wall, the same however often the hour comes.

    At the announcement it is the date of the list.
    """
    if schedule.at_announcement:
        return f"{slot.astimezone(calendar.NEW_YORK).date().isoformat()}T{AT_ANNOUNCEMENT}"
    return f"{local_day(schedule, slot).isoformat()}T{schedule.time}"


def is_missed(schedule: Schedule, slot: datetime, now: datetime) -> bool:
    """True when the next slot is nearer than this one was: then it is not made up for, and the next one tells all."""
    return now - slot > next_slot(schedule, slot) - now
