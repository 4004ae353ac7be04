"""When a chat gets its digest: what the settings say of it, their buttons, and how each is changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from zoneinfo import ZoneInfo, available_timezones

from bot.commands.visit import Visit, action
from bot.locale import Translator
from bot.ports import Button
from scheduler.models import Chat, Quiet, Schedule

EVERY_DAY = frozenset(range(7))
WORKDAYS = frozenset(range(5))
DAYS = {"daily": EVERY_DAY, "每天": EVERY_DAY, "workdays": WORKDAYS, "工作日": WORKDAYS}
AT_ANNOUNCEMENT = frozenset(("announcement", "announced", "immediately", "发布", "发布时", "立即"))
ON = frozenset(("on", "yes", "开", "是"))
OFF = frozenset(("off", "no", "关", "否", "无"))
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_CHINESE_WEEKDAYS = "一二三四五六日"
A_NIGHT = Quiet("22:00", "07:00")


def words(visit: Visit) -> Iterator[str]:
    """The schedule in sentences."""
    t, schedule = visit.t, visit.chat.schedule
    yield _when(schedule, t)
    if schedule.quiet is not None:
        yield t("Nothing is sent from {start} to {end}.", start=schedule.quiet.start, end=schedule.quiet.end)
    if schedule.says_nothing_new:
        yield t("I say so when there is nothing new.")


def _when(schedule: Schedule, t: Translator) -> str:
    place = {"time": schedule.time, "zone": schedule.zone}
    if schedule.at_announcement:
        return t(
            "Digest as soon as an announcement is complete; times are those of {zone}.", zone=schedule.zone
        )
    if schedule.weekdays == EVERY_DAY:
        return t("Digest at {time}, {zone}.", **place)
    if schedule.weekdays == WORKDAYS:
        return t("Digest on workdays at {time}, {zone}.", **place)
    days = [_weekday(day, t) for day in sorted(schedule.weekdays)]
    if len(days) == 1:
        return t("One digest of the week, {weekday} at {time}, {zone}.", weekday=days[0], **place)
    return t("Digest on {days} at {time}, {zone}.", days=t.names(days), **place)


def _weekday(day: int, t: Translator) -> str:
    return t.weekday_long(date(2026, 9, 28) + timedelta(days=day))  # a Monday


def buttons(visit: Visit) -> Iterator[Button]:
    """A tap for each way of being served that the chat has not."""
    t, schedule = visit.t, visit.chat.schedule

    def button(label: str, name: str, value: str) -> Button:
        return Button(label, action(visit, "set", name, value))

    if schedule.at_announcement:
        yield button(t("At {time} instead", time=schedule.time), "time", schedule.time)
    else:
        yield button(t("As soon as it is announced"), "time", "announcement")
    if len(schedule.weekdays) == 1:
        yield button(t("Every day"), "days", "daily")
    else:
        yield button(t("Once a week, on Monday"), "weekly", "monday")
    if schedule.quiet is not None:
        yield button(t("No quiet hours"), "quiet", "off")
    else:
        night = {"start": A_NIGHT.start, "end": A_NIGHT.end}
        yield button(t("Quiet from {start} to {end}", **night), "quiet", str(A_NIGHT))
    if schedule.says_nothing_new:
        yield button(t("Only when there is something"), "empty", "off")
    else:
        yield button(t("Say when nothing is new"), "empty", "on")


def time(chat: Chat, value: str) -> Chat | None:
    """The chat with another time of day, or told at the announcement; None for what is neither."""
    if value.casefold() in AT_ANNOUNCEMENT:
        weekly = len(chat.schedule.weekdays) == 1
        weekdays = EVERY_DAY if weekly else chat.schedule.weekdays
        return _with(chat, replace(chat.schedule, at_announcement=True, weekdays=weekdays))
    at = _clock_time(value)
    return _with(chat, replace(chat.schedule, time=at, at_announcement=False)) if at else None


def zone(chat: Chat, value: str) -> Chat | None:
    """The chat in another time zone; None for one that there is not."""
    names = {name.casefold(): name for name in available_timezones()}
    name = names.get(value.replace(" ", "_").casefold())
    return _with(chat, replace(chat.schedule, zone=str(ZoneInfo(name)))) if name else None


def days(chat: Chat, value: str) -> Chat | None:
    """The chat served daily, on workdays, or on the days that are named; None for what names none."""
    wanted = DAYS.get(value.casefold())
    if wanted is not None:
        return _with(chat, replace(chat.schedule, weekdays=wanted))
    named = [_weekday_named(word) for word in re.split(r"[\s,，、]+", value) if word]
    if not named or None in named:
        return None
    chosen = frozenset(day for day in named if day is not None)
    return _with(chat, replace(chat.schedule, weekdays=chosen, at_announcement=False))


def weekly(chat: Chat, value: str) -> Chat | None:
    """The chat served once a week on that day; None for what is no day."""
    day = _weekday_named(value)
    if day is None:
        return None
    return _with(chat, replace(chat.schedule, weekdays=frozenset({day}), at_announcement=False))


def quiet(chat: Chat, value: str) -> Chat | None:
    """The chat with other quiet hours ("22:00-07:00"), or none ("off"); None for what is neither."""
    if value.casefold() in OFF:
        return _with(chat, replace(chat.schedule, quiet=None))
    pieces = [_clock_time(piece) for piece in re.split(r"\s*(?:[-–—~～至到]|\s)\s*", value)]
    if len(pieces) != 2 or not pieces[0] or not pieces[1] or pieces[0] == pieces[1]:
        return None
    return _with(chat, replace(chat.schedule, quiet=Quiet(pieces[0], pieces[1])))


def empty(chat: Chat, value: str) -> Chat | None:
    """The chat that is told, or not told, that there is nothing; None for what is neither on nor off."""
    word = value.casefold()
    if word not in ON | OFF:
        return None
    return _with(chat, replace(chat.schedule, says_nothing_new=word in ON))


def _with(chat: Chat, schedule: Schedule) -> Chat:
    return replace(chat, schedule=schedule)


def _clock_time(value: str) -> str:
    """ "7:30", "07.30" or "22" as "07:30" and "22:00"; "" for what is no time of day."""
    match = re.fullmatch(r"(\d{1,2})(?:[:.h：](\d{2}))?", value)
    if not match or int(match[1]) > 23 or int(match[2] or 0) > 59:
        return ""
    return f"{int(match[1]):02d}:{match[2] or '00'}"


def _weekday_named(value: str) -> int | None:
    """0 for "Monday", "mon", "周一" or "星期一"; None for what is no day of the week."""
    word = value.casefold()
    if len(word) >= 3:
        found = [day for day, name in enumerate(WEEKDAYS) if name.startswith(word)]
        if len(found) == 1:
            return found[0]
    match = re.fullmatch(r"(?:星期|周|礼拜|每周)([一二三四五六日天])", word)
    return _CHINESE_WEEKDAYS.index(match[1].replace("天", "日")) if match else None
