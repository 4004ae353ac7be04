"""/settings: when the digest comes, on whose clock, and in which languages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bot.commands import members, ordering, scheduling, sounding
from bot.commands.subscribing import begin_by_new_slot, next_digest
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


def settings(visit: Visit) -> Reply:
    """The settings, or one of them changed: `time 07:30`, `weekly monday`, `quiet 22:00-07:00`, `lang zh`."""
    name, _, value = visit.argument.partition(" ")
    if not name:
        return _overview(visit)
    if not value and name.casefold() in scheduling.DAYS:
        return set_one(visit, "days", name)
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
        *scheduling.words(visit),
        _languages(visit),
        *ordering.words(visit),
        sounding.words(visit),
        *members.words(visit),
        t("To change one of them:"),
        line(code("/settings time 07:30")),
        line(code("/settings zone Europe/Berlin")),
        line(code("/settings weekly monday")),
        line(code("/settings quiet 22:00-07:00")),
        line(code("/settings order for-you")),
        next_digest(visit),
        keyboard=rows(
            Button(LANGUAGES[other], action(visit, "set", "lang", other)),
            *(
                Button(t("Papers {how}", how=t(CONTENT[name])), action(visit, "set", "papers", name))
                for name in papers
            ),
            *scheduling.buttons(visit),
            *ordering.buttons(visit),
            sounding.button(visit),
            *members.buttons(visit),
            Button(t("A group or channel of yours"), "channel") if chat.kind is ChatKind.PRIVATE else None,
            width=1,
        ),
    )


def _languages(visit: Visit) -> str:
    t, chat = visit.t, visit.chat
    return t(
        "I write {language}; papers are shown {how}.",
        language=LANGUAGES.get(chat.lang, chat.lang),
        how=t(CONTENT[chat.content]),
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
            visit.t("“{value}” does not fit here. {what}", value=value[:40], what=visit.t(TAKES[name])),
            line(code(f"/settings {name} {EXAMPLES[name]}")),
        )
    visit.store.chats.save(changed, visit.now)
    if changed.schedule.quiet != visit.chat.schedule.quiet:
        visit.store.outbox.release(changed.key, visit.now)
    if changed.schedule != visit.chat.schedule:
        begin_by_new_slot(replace(visit, chat=changed))
    # Who changes another chat's language goes on reading their own.
    t = visit.t if visit.asker is not None else translator(changed.lang)
    after = replace(visit, chat=changed, t=t)
    return say(
        t("Done."),
        *scheduling.words(after),
        _languages(after),
        *ordering.words(after),
        sounding.words(after),
        *members.words(after),
        next_digest(after),
    )


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
    "time": scheduling.time,
    "zone": scheduling.zone,
    "days": scheduling.days,
    "weekly": scheduling.weekly,
    "quiet": scheduling.quiet,
    "empty": scheduling.empty,
    "lang": _lang,
    "papers": _papers,
    "order": ordering.changed,
    "sound": sounding.changed,
    "members": members.changed,
}

ALIASES = {"language": "lang", "timezone": "zone", "tz": "zone", "weekdays": "days", "content": "papers"}
EXAMPLES = {
    "time": "07:30",
    "zone": "Europe/Berlin",
    "days": "workdays",
    "weekly": "monday",
    "quiet": "22:00-07:00",
    "empty": "on",
    "lang": "zh",
    "papers": "both",
    "order": "for-you",
    "sound": "on",
    "members": "on",
}

TAKES = {
    "time": N_("A time of day such as 07:30, or announcement: as soon as one is complete."),
    "zone": N_("A time zone such as Europe/Berlin or Asia/Shanghai."),
    "days": N_("Either daily or workdays, or days such as mon wed fri."),
    "weekly": N_("A day of the week such as monday: the digest of a whole week."),
    "quiet": N_("Hours in which nothing is sent, such as 22:00-07:00, or off."),
    "empty": N_("Either on or off: whether I say so when there is nothing new."),
    "lang": N_("Either en or zh."),
    "papers": N_("One of original, translation and both."),
    "order": N_("One of announced, title-first and for-you."),
    "sound": N_("Either on or off."),
    "members": N_(
        "Either on or off: whether the digest may name members beside what they follow for themselves."
    ),
}
