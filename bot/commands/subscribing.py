"""/subscribe, /unsubscribe, /subscriptions and /topics."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta

from bot.commands.rates import daily_counts
from bot.commands.visit import Visit, action, bold, code, line, rows, say
from bot.markup import Block
from bot.ports import Button, Keyboard, Reply
from bot.render.charts import DailyCounts, rounded
from bot.render.query_words import describe
from bot.render.trial import FLOOD
from scheduler import calendar, query, slots
from scheduler.errors import QueryError
from scheduler.models import AnnounceType, ChatKind, Subscription
from scheduler.query import And, Field, Query, Term
from scheduler.store.chats import TooManySubscriptions
from scheduler.topics import named

_QUOTES = '"“”„«»「」'
_PHRASE = re.compile(f"[{_QUOTES}]([^{_QUOTES}]+)[{_QUOTES}]")
_OR = re.compile(r"\s+or\s+|\s*[,，、;；]\s*", re.IGNORECASE)
BACK = "back"
"""What the button back to the list carries: the list then takes the place of what it was left for."""


def subscribe(visit: Visit) -> Reply:
    """Saves what was typed: several plain words as the phrase (and says so), anything else as it stands."""
    if not visit.argument:
        return _ask_what(visit)
    parsed, title = read_wish(visit, visit.argument)
    return _save(visit, parsed, title, loose=query.is_plain_words(visit.argument))


def read_wish(visit: Visit, text: str) -> tuple[Query, str]:
    """What is meant by what was typed to be followed, tried or compared, and what it is called. Raises QueryError.

    A topic's name stands for its query, several plain words for the phrase.
    """
    topic = next((topic for topic in visit.house.topics if topic.key == text.casefold()), None)
    if topic is not None:
        return query.parse(topic.query), visit.in_its_language(topic.title)
    if query.is_plain_words(text):
        return query.phrase_query(text), " ".join(text.split())
    parsed = query.parse(text)
    return parsed, title_of(parsed)


def title_of(parsed: Query) -> str:
    """What heads the section of a query: what was typed, without quotes where it is one phrase alone."""
    phrase = _PHRASE.fullmatch(parsed.typed)
    return phrase[1] if phrase else parsed.typed


def _ask_what(visit: Visit) -> Reply:
    t = visit.t
    return say(
        t("What do you want to follow? Write it after the command:"),
        line(code("/subscribe diffusion policy")),
        keyboard=rows(Button(t("Pick a topic"), "topics")),
    )


def subscribe_to(visit: Visit) -> Reply:
    """A button that carries a query: subscribes to exactly that."""
    parsed = query.parse(visit.argument)
    return _save(visit, parsed, title_of(parsed))


def subscribe_without_cross_lists(visit: Visit) -> Reply:
    """The same, for what was followed without cross-listed papers before."""
    parsed = query.parse(visit.argument)
    return _save(visit, parsed, title_of(parsed), cross_lists=False)


def loosen(visit: Visit) -> Reply:
    """Replaces a phrase by its words in any order: the button under a new subscription."""
    key, _, words = visit.argument.partition(":")
    if not visit.request.may_manage:
        return not_yours(visit)
    if key.isdecimal():
        visit.store.chats.unsubscribe(visit.chat.key, int(key))
    parsed = query.parse(words)
    return _save(visit, parsed, visit.t("{words}, in any order", words=parsed.canonical))


def _either(words: str) -> str:
    """`rl or ai`, `rl, world model` as the query that is meant, most likely; "" for anything else."""
    parts = [part for part in _OR.split(words) if part]
    return " OR ".join(f'"{part}"' if " " in part else part for part in parts) if len(parts) > 1 else ""


def any_of_them(visit: Visit) -> Reply:
    """Replaces a phrase with "or" or commas in it by its alternatives: the button under a new subscription."""
    key, _, words = visit.argument.partition(":")
    if not visit.request.may_manage:
        return not_yours(visit)
    parsed = query.parse(words)
    if key.isdecimal():
        visit.store.chats.unsubscribe(visit.chat.key, int(key))
    return _save(visit, parsed, parsed.typed)


def not_yours(visit: Visit) -> Reply:
    """What somebody is told who may not change what this chat gets."""
    return say(
        visit.t("Only who manages this chat can change what it gets."),
        visit.t("For yourself alone you follow a subject with {command}.", command="/my"),
    )


def _save(visit: Visit, parsed: Query, title: str, *, loose: bool = False, cross_lists: bool = True) -> Reply:
    t = visit.t
    parsed = replace(parsed, by_relevance=False)  # a digest has an order of its own
    if not visit.request.may_manage:
        return not_yours(visit)
    until = parsed.span(visit.now.date())[1]
    if until is not None and until < visit.now.date():
        return say(
            t("These days are over: nothing that is announced from now on can match. /search finds what was.")
        )
    if (same := _equal(visit, parsed)) is not None:
        return say(
            t("You follow “{title}” already.", title=same.title),
            keyboard=rows(Button(t("Show all"), "subscriptions")),
        )
    try:
        saved, _ = visit.store.chats.subscribe(
            visit.chat.key,
            parsed.canonical,
            title,
            since=first_date(visit, visit.chat.key),
            cross_lists=cross_lists,
            most=visit.house.most_for_a_chat,
        )
    except TooManySubscriptions:
        return say(
            t(
                "This chat follows {count} things already, which is the limit. End one first.",
                count=visit.house.most_for_a_chat,
            ),
            keyboard=rows(Button(t("Show them"), "subscriptions")),
        )
    return _saved(visit, saved, parsed, loose)


def _equal(visit: Visit, parsed: Query) -> Subscription | None:
    """The chat's subscription that finds the same papers, however it was spelt."""
    for one in visit.store.chats.subscriptions(visit.chat.key):
        try:
            if query.parse(one.query) == parsed:
                return one
        except QueryError:
            continue
    return None


def _saved(visit: Visit, saved: Subscription, parsed: Query, loose: bool) -> Reply:
    t = visit.t
    if loose:
        lines = [t("You follow the phrase “{title}”, in title or abstract.", title=saved.title)]
    else:
        lines = [t("You follow “{title}”: {meaning}.", title=saved.title, meaning=describe(parsed, t))]
    if (rate := _rate(visit, saved.query)) is not None:
        lines.append(rate)
    lines += [next_digest(visit), *how_to_be_told(visit)]
    words = " ".join(saved.title.split())
    return say(
        *lines,
        keyboard=rows(
            Button(t("Show today's papers"), "digest"),
            Button(t("Words in any order"), action(visit, "loosen", str(saved.key), words))
            if loose
            else None,
            Button(
                t("Any of them: {query}", query=either)[:60], action(visit, "either", str(saved.key), either)
            )
            if loose and (either := _either(words))
            else None,
            Button(t("Undo"), action(visit, "undo", str(saved.key))),
        ),
    )


def first_date(visit: Visit, chat: int) -> date | None:
    """The first announcement to be told of: the newest, while the slot in which that chat (its key) gets it is still to
    come."""
    newest = visit.store.archive.newest_date()
    entry = visit.store.due.of(chat)
    if newest is None or entry is None:
        return None
    was_planned = entry.planned_until is not None and entry.planned_until >= newest
    is_next = entry.slot < calendar.announced_at(calendar.next_day(visit.now))
    if is_next and not was_planned and newest >= calendar.newest_day(visit.now):
        return newest
    return newest + timedelta(days=1)


def begin_by_new_slot(visit: Visit) -> None:
    """After a change of schedule: who follows something since today and now gets a digest today is told of today.

    Somebody who subscribes and then sets a time ten minutes ahead means to see it work.
    """
    first = first_date(visit, visit.chat.key)
    if first is not None:
        visit.store.chats.begin_by(visit.chat.key, first)


def _asks_for_replaced(parsed: Query) -> bool:
    """True for a query whose papers were only replaced, which no digest brings."""
    parts = parsed.root.parts if isinstance(parsed.root, And) else (parsed.root,)
    return any(
        isinstance(part, Term) and part.field is Field.TYPE and not AnnounceType(part.text).is_news
        for part in parts
    )


def _rate(visit: Visit, canonical: str) -> str | None:
    """How many papers a day the query finds, from the last days in the archive; None in an empty archive."""
    if _asks_for_replaced(query.parse(canonical)):
        return visit.t("A digest brings new and cross-listed papers only; /search finds the replaced ones.")
    counts = daily_counts(visit, query.parse(canonical), canonical)
    return None if counts is None else _rate_words(visit, counts)


def _rate_words(visit: Visit, counts: DailyCounts) -> str:
    t, rate = visit.t, counts.rate
    if not any(counts.counts):
        return t("None of the last papers match it; the next one that does reaches you.")
    if rate < 1:
        return t("Less than one paper a day, going by the last announcements.")
    about = rounded(rate, t)
    if rate > FLOOD:
        return t("About {count} papers a day. That is a lot; another word makes it fewer.", count=about)
    return t("About {count} papers a day.", count=about) if about != "1" else t("About one paper a day.")


def next_digest(visit: Visit) -> str:
    """A sentence with the moment of the next digest, on the reader's clock."""
    t, schedule = visit.t, visit.chat.schedule
    due = visit.store.chats.next_digest(visit.chat.key) or slots.next_slot(schedule, visit.now)
    if due <= visit.now:
        return t("Next digest as soon as the announcement that it waits for is complete.")
    local = due.astimezone(visit.local_now.tzinfo)
    days, time = (local.date() - visit.local_now.date()).days, t.time(local)
    if schedule.at_announcement:
        return _next_at_announcement(visit, local.date(), days, time)
    if days == 0:
        return t("Next digest today at {time}.", time=time)
    if days == 1:
        return t("Next digest tomorrow at {time}.", time=time)
    return t("Next digest on {date} at {time}.", date=t.date(local.date()), time=time)


def how_to_be_told(visit: Visit) -> tuple[str, ...]:
    """What whoever looks after a group or channel has still to do to be told of problems there in private."""
    if visit.chat.kind is ChatKind.PRIVATE or not visit.person:
        return ()
    if visit.store.chats.private_with(visit.person) is not None:
        return ()
    return (
        visit.t(
            "Write me {command} in private once, so that I can tell you if I may no longer post here.",
            command="/start",
        ),
    )


def _next_at_announcement(visit: Visit, day: date, days: int, time: str) -> str:
    t = visit.t
    if days == 0:
        return t("Next digest today, as soon as the announcement is complete, from {time} on.", time=time)
    if days == 1:
        return t("Next digest tomorrow, as soon as the announcement is complete, from {time} on.", time=time)
    return t(
        "Next digest on {date}, as soon as the announcement is complete, from {time} on.",
        date=t.date(day),
        time=time,
    )


def unsubscribe(visit: Visit) -> Reply:
    """Ends the subscription of that number, title or query; without one, offers all of them."""
    if not visit.argument:
        return subscriptions(visit)
    if not visit.request.may_manage:
        return not_yours(visit)
    found = _named(visit)
    if found is None:
        return say(
            visit.t("This chat does not follow “{title}”.", title=visit.argument),
            keyboard=rows(Button(visit.t("Show all"), "subscriptions")),
        )
    visit.store.chats.unsubscribe(visit.chat.key, found.key)
    return say(
        visit.t("You follow “{title}” no longer.", title=found.title),
        keyboard=rows(_resume(visit, found)),
    )


def _named(visit: Visit) -> Subscription | None:
    known = visit.store.chats.subscriptions(visit.chat.key)
    wanted = visit.argument.strip("#").casefold()
    if wanted.isdecimal() and 1 <= int(wanted) <= len(known):
        return known[int(wanted) - 1]
    unquoted = wanted.strip('"“”')
    return next(
        (one for one in known if unquoted in (one.title.casefold(), one.query.casefold().strip('"'))), None
    )


def undo(visit: Visit) -> Reply:
    """The button under a new subscription, and each one's button in the list: ends it."""
    if not visit.request.may_manage:
        return not_yours(visit)
    key = int(visit.argument) if visit.argument.isdecimal() else 0
    ended = visit.store.chats.unsubscribe(visit.chat.key, key)
    if ended is None:
        return Reply(toast=visit.t("This was ended already."))
    return say(
        visit.t("You follow “{title}” no longer.", title=ended.title),
        keyboard=rows(_resume(visit, ended)),
    )


def _resume(visit: Visit, ended: Subscription) -> Button:
    """The button that follows again what was ended, with or without cross-listed papers as before."""
    name = "sub" if ended.cross_lists else "subnew"
    return Button(visit.t("Undo"), action(visit, name, ended.query))


def subscriptions(visit: Visit) -> Reply:
    """What the chat follows, numbered, each with a button that ends it."""
    t = visit.t
    known = visit.store.chats.subscriptions(visit.chat.key)
    if not known:
        return say(
            t("This chat follows nothing yet. For example:"),
            line(code("/subscribe diffusion policy")),
            keyboard=rows(Button(t("Pick a topic"), "topics")),
        )
    lines = [
        line(f"{number}  ", bold(one.title), *_query_of(one), *_without_cross_lists(visit, one))
        for number, one in enumerate(known, start=1)
    ]
    head = t.n("This chat follows {count} thing.", "This chat follows {count} things.", len(known))
    ends = tuple(
        Button(t("End “{title}”", title=one.title), action(visit, "undo", str(one.key)), short=f"✕ {number}")
        for number, one in enumerate(known[:25], start=1)
    )
    return Reply(
        (Block((line(head), *lines)), Block((line(next_digest(visit)),))),
        Keyboard(rows=((Button(t("Cross-listed papers…"), "crosses"),),), choices=ends, prompt=t("End one…")),
        in_place=bool(visit.request.action) and visit.argument == BACK,
    )


def _without_cross_lists(visit: Visit, one: Subscription) -> tuple[str, ...]:
    return () if one.cross_lists else (f" · {visit.t('without cross-listed papers')}",)


def _query_of(one: Subscription) -> tuple[str, ...]:
    plain = one.query.strip('"').casefold() == one.title.casefold()
    return () if plain else (f"  {one.query}",)


def subscribe_topic(visit: Visit) -> Reply:
    """A topic's button."""
    topic = named(visit.house.topics, visit.argument)
    if topic is None:
        return say(visit.t("This topic is not in the catalogue any more."), keyboard=_to_topics(visit))
    return _save(visit, query.parse(topic.query), visit.in_its_language(topic.title))


def _to_topics(visit: Visit) -> Keyboard:
    return rows(Button(visit.t("Pick a topic"), "topics"))
