"""A chat's slots: once per local day, whatever the clock does (case 15)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler import slots
from scheduler.models import Schedule

ZONES = (
    "America/New_York",
    "Australia/Melbourne",
    "Australia/Lord_Howe",
    "Asia/Shanghai",
    "Pacific/Kiritimati",
    "Europe/Berlin",
    "Africa/Casablanca",
    "America/Sao_Paulo",
)


@pytest.mark.parametrize(
    ("zone", "time", "day", "expected"),
    [
        # The clock jumps from 02:00 to 03:00: the first moment after the gap.
        ("America/New_York", "02:30", date(2026, 3, 8), datetime(2026, 3, 8, 7, 0, tzinfo=UTC)),
        # 01:30 comes twice: the first one, still on summer time.
        ("America/New_York", "01:30", date(2026, 11, 1), datetime(2026, 11, 1, 5, 30, tzinfo=UTC)),
        ("Australia/Melbourne", "02:30", date(2026, 10, 4), datetime(2026, 10, 3, 16, 0, tzinfo=UTC)),
        ("Asia/Shanghai", "08:00", date(2026, 9, 29), datetime(2026, 9, 29, 0, 0, tzinfo=UTC)),
        ("Pacific/Kiritimati", "08:00", date(2026, 9, 29), datetime(2026, 9, 28, 18, 0, tzinfo=UTC)),
    ],
)
def test_the_slot_of_a_local_day(zone: str, time: str, day: date, expected: datetime) -> None:
    assert slots.slot_on(Schedule(time, zone), day) == expected


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("time", ["01:30", "02:30", "08:00", "00:00", "23:59"])
def test_one_slot_and_one_run_key_for_each_local_day_of_a_year(zone: str, time: str) -> None:
    schedule = Schedule(time, zone)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    keys = []
    while now < datetime(2027, 1, 1, tzinfo=UTC):
        now = slots.next_slot(schedule, now)
        keys.append(slots.run_key(schedule, now))
    days = [date.fromisoformat(key[:10]) for key in keys]
    assert days == [days[0] + timedelta(days=offset) for offset in range(len(days))]
    assert len(days) in (365, 366)


def test_a_restart_inside_the_repeated_hour_plans_nothing_twice() -> None:
    schedule = Schedule("01:30", "America/New_York")
    slot = datetime(2026, 11, 1, 5, 30, tzinfo=UTC)
    for minutes in (0, 5, 59, 60, 90):
        restarted = slot + timedelta(minutes=minutes)
        assert slots.next_slot(schedule, restarted) == datetime(2026, 11, 2, 6, 30, tzinfo=UTC)


def test_weekdays_are_the_readers_own() -> None:
    schedule = Schedule("08:00", "Asia/Tokyo", frozenset({0}))
    saturday = datetime(2026, 9, 26, 12, 0, tzinfo=UTC)
    slot = slots.next_slot(schedule, saturday)
    assert slot.astimezone(ZoneInfo("Asia/Tokyo")).strftime("%A %H:%M") == "Monday 08:00"


@settings(max_examples=200)
@given(
    zone=st.sampled_from(ZONES),
    minutes=st.integers(0, 24 * 60 - 1),
    at=st.datetimes(min_value=datetime(2025, 1, 1), max_value=datetime(2028, 1, 1)),  # noqa: DTZ001
)
def test_the_next_slot_is_later_and_at_most_two_days_away(zone: str, minutes: int, at: datetime) -> None:
    now = at.replace(tzinfo=UTC)
    schedule = Schedule(f"{minutes // 60:02d}:{minutes % 60:02d}", zone)
    slot = slots.next_slot(schedule, now)
    assert now < slot <= now + timedelta(hours=50)
    local = slot.astimezone(ZoneInfo(zone))
    assert slots.slot_on(schedule, local.date()) == slot
