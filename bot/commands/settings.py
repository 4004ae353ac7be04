"""/settings: when the digest comes, on whose clock, and in which languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from zoneinfo import ZoneInfo, available_timezones

from bot.commands import ordering, sounding
from bot.commands.subscribing import next_digest
from bot.commands.visit import Visit, action, bold, code, line, rows, say
from bot.locale import N_, translator
from bot.ports import Button, Reply
from scheduler.models import Chat, ChatKind

CONTENT = {"en": N_("as they are"), "zh": N_("in Chinese"), "both": N_("in both languages")}
CONTENT_WORDS = {
    "en": frozenset(("original", "english", "原文", "英文")),
    "zh": frozenset(("translation", "chinese", "译文", "中文")),
    "both": frozenset(("双语", "两种", "中英")),
}
"""What people call what papers are shown in, besides the names themselves."""

LANGUAGES = {"en": "English", "zh": "中文"}
WEEKDAYS = {"workdays": frozenset(range(5)), "daily": frozenset(range(7))}


def settings(visit: Visit) -> Reply:
    """The settings, or one of them changed: `time 07:30`, `zone Europe/Berlin`, `lang zh`, `papers both`."""
    name, _, value = visit.argument.partition(" ")
    if not name:
        return _overview(visit)
    return set_one(visit, ALIASES.get(name.casefold(), name.casefold()), value.strip())


def press(visit: Visit) -> Reply:
    """A button of the settings: `lang:zh` and so on."""
    name, _, value = visit.argument.partition(":")
    return set_one(visit, name, value)


def _overview(visit: Visit) -> Reply:
    t, chat = visit.t, visit.chat
    other = "zh" if chat.lang == "en" else "en"
    papers = [name for name in CONTENT if name != chat.content]
    return say(
        line(bold(t("Settings of this chat"))),
        t("Digest at {time}, {zone}.", time=chat.schedule.time, zone=chat.schedule.zone),
        t(
            "I write {language}; papers are shown {how}.",
            language=LANGUAGES.get(chat.lang, chat.lang),
            how=t(CONTENT[chat.content]),
        ),
        *ordering.words(visit),
        sounding.words(visit),
        t("To change one of them:"),
        line(code("/settings time 07:30")),
        line(code("/settings zone Europe/Berlin")),
        line(code("/settings days workdays")),
        line(code("/settings order for-you")),
        next_digest(visit),
        keyboard=rows(
            Button(LANGUAGES[other], action(visit, "set", "lang", other)),
            *(
                Button(t("Papers {how}", how=t(CONTENT[name])), action(visit, "set", "papers", name))
                for name in papers
            ),
            *ordering.buttons(visit),
            sounding.button(visit),
            Button(t("A group or channel of yours"), "channel") if chat.kind is ChatKind.PRIVATE else None,
            width=1,
        ),
    )


def set_one(visit: Visit, name: str, value: str) -> Reply:
    """Changes one setting and says what follows from it, or what it takes."""
    if not visit.request.may_manage:
        return say(visit.t("Only who manages this chat can change its settings."))
    change = CHANGES.get(name)
    if change is None:
        return say(
            visit.t(
                "There is no setting “{name}”. There are: {names}.",
                name=name[:40],
                names=visit.t.row(CHANGES),
            )
        )
    if not value:
        return say(visit.t(TAKES[name]), line(code(f"/settings {name} {EXAMPLES[name]}")))
    changed = change(visit.chat, value)
    if changed is None:
        return say(
            visit.t("“{value}” does not fit here. {what}", value=value[:40], what=visit.t(TAKES[name]))
        )
    visit.store.chats.save(changed, visit.now)
    # Who changes another chat's language goes on reading their own.
    t = visit.t if visit.asker is not None else translator(changed.lang)
    after = replace(visit, chat=changed, t=t)
    return say(
        t("Done."),
        *_overview(after).blocks[0].lines[1:3],
        *ordering.words(after),
        sounding.words(after),
        next_digest(after),
    )


def _time(chat: Chat, value: str) -> Chat | None:
    match = re.fullmatch(r"(\d{1,2})[:.h：](\d{2})", value)
    if not match or int(match[1]) > 23 or int(match[2]) > 59:
        return None
    time = f"{int(match[1]):02d}:{match[2]}"
    return replace(chat, schedule=replace(chat.schedule, time=time))


def _zone(chat: Chat, value: str) -> Chat | None:
    names = {name.casefold(): name for name in available_timezones()}
    zone = names.get(value.replace(" ", "_").casefold())
    if zone is None:
        return None
    return replace(chat, schedule=replace(chat.schedule, zone=str(ZoneInfo(zone))))


def _days(chat: Chat, value: str) -> Chat | None:
    days = WEEKDAYS.get(value.casefold())
    return replace(chat, schedule=replace(chat.schedule, weekdays=days)) if days else None


def _lang(chat: Chat, value: str) -> Chat | None:
    names = {"en": "en", "english": "en", "zh": "zh", "chinese": "zh", "中文": "zh"}
    lang = names.get(value.casefold())
    if lang is None:
        return None
    content = {"en": "en", "zh": "both"}[lang]
    return replace(chat, lang=lang, content=content)


def _papers(chat: Chat, value: str) -> Chat | None:
    word = value.casefold()
    content = next((name for name, words in CONTENT_WORDS.items() if word == name or word in words), None)
    return replace(chat, content=content) if content is not None else None


CHANGES: dict[str, Callable[[Chat, str], Chat | None]] = {
    "time": _time,
    "zone": _zone,
    "days": _days,
    "lang": _lang,
    "papers": _papers,
    "order": ordering.changed,
    "sound": sounding.changed,
}

ALIASES = {"language": "lang", "timezone": "zone", "tz": "zone", "weekdays": "days", "content": "papers"}
EXAMPLES = {
    "time": "07:30",
    "zone": "Europe/Berlin",
    "days": "workdays",
    "lang": "zh",
    "papers": "both",
    "order": "for-you",
    "sound": "on",
}

TAKES = {
    "time": N_("A time of day such as 07:30."),
    "zone": N_("A time zone such as Europe/Berlin or Asia/Shanghai."),
    "days": N_("Either daily or workdays."),
    "lang": N_("Either en or zh."),
    "papers": N_("One of original, translation and both."),
    "order": N_("One of announced, title-first and for-you."),
    "sound": N_("Either on or off."),
}
