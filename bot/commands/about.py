"""/start, /help and /privacy: what Paperboy is, what it can do, and what it keeps."""

from __future__ import annotations

from collections.abc import Sequence

from bot.commands import members, scheduling
from bot.commands.inline import SEARCHING
from bot.commands.reading import card
from bot.commands.subscribing import next_digest
from bot.commands.visit import Visit, action, bold, code, line, rows, say
from bot.locale import Translator
from bot.markup import Block
from bot.ports import Button, Reply
from bot.render.view import View
from scheduler.models import ChatKind


def start(visit: Visit) -> Reply:
    """Greets, says what will happen, and offers the first taps; from a paper's link in a channel, opens its card."""
    opened = View.started_paper(visit.argument)
    if opened is not None:
        return card(visit, opened)
    if visit.argument == SEARCHING:
        return Reply((_language(visit.t),), rows(Button(visit.t("Pick a topic"), "topics")))
    if visit.argument == members.STARTED and members.begin(visit):
        return members.my(visit)
    t = visit.t
    chat = visit.chat
    return say(
        t("I bring you the new arXiv papers on your subjects, with one line on each."),
        t(
            "Tell me what you follow, for example {example}, or pick a topic.",
            example="/subscribe diffusion policy",
        ),
        *scheduling.words(visit),
        *([next_digest(visit)] if visit.store.chats.subscriptions(chat.key) else ()),
        t("/help shows everything I can do, /settings changes the time, the zone and the language."),
        keyboard=rows(
            Button(t("Pick a topic"), "topics"),
            Button(t("Show today's papers"), "digest"),
            Button(
                "中文" if chat.lang == "en" else "English", action(visit, "set", "lang", _other(chat.lang))
            ),
        ),
    )


def _other(lang: str) -> str:
    return "zh" if lang == "en" else "en"


def help_with(visit: Visit, commands: Sequence[tuple[str, str]]) -> Reply:
    """Every command with its one line (name, sentence to translate), and the query language in five examples."""
    t = visit.t
    listed = Block(
        (
            line(bold(t("What I can do"))),
            *(line(code(f"/{name}"), f" {t(summary)}") for name, summary in commands),
        )
    )
    return Reply((listed, _language(t)), rows(Button(t("Pick a topic"), "topics")))


def _language(t: Translator) -> Block:
    """The query language in five examples."""
    examples = (
        (
            "reinforcement learning",
            t("followed as a phrase, searched as words in any order; plurals and hyphens count too"),
        ),
        ('"world model" -survey', t("the phrase, but not with this word")),
        ("(RL OR bandit) robot", t("one of two words, and a third")),
        ("ti:RLHF cat:cs.CL", t("in the title, in one category")),
        ('au:"Wei Zhang"', t("both names in one author's name")),
        ("polic*", t("every word that begins so")),
        ("RL type:new since:7d", t("announced as new (or cross, replace), in the last seven days")),
    )
    return Block(
        (
            line(bold(t("How to say what you want"))),
            *(line(code(query), f" {meaning}") for query, meaning in examples),
            line(
                t("Whole words only: RL finds “RL-based”, but not “world” and not “RLHF”, a word of its own.")
            ),
        )
    )


def privacy(visit: Visit) -> Reply:
    """What is kept of a chat and why, and how to have it deleted."""
    t = visit.t
    if visit.argument.casefold() == "delete":
        return _confirm_deletion(visit)
    contact = (t("Whoever runs this bot can be reached at {contact}.", contact=visit.house.contact),)
    return say(
        t(
            "What I keep of this chat: its address and name, its settings, its subscriptions,"
            " and which papers it was sent. Nothing else, and nobody else gets it."
        ),
        t(
            "Of you I keep the papers that you save with tags and notes, your thumbs up and down, and the last cards"
            " that you opened, for your eyes and for the order of your digest; and what you follow for yourself in"
            " groups, with the name that you have there."
        ),
        t(
            "I read commands, pressed buttons and what you write to me in private. Other messages are not kept."
        ),
        t("Of a group or channel I keep who set it up, to tell that person when I can no longer post there."),
        t("{command} deletes all of it.", command="/privacy delete"),
        *(contact if visit.house.contact else ()),
        t("Thank you to arXiv for use of its open access interoperability."),
        keyboard=rows(Button(t("Delete everything"), "privacy:delete")),
    )


def _confirm_deletion(visit: Visit) -> Reply:
    t = visit.t
    if not visit.request.may_manage:
        return say(t("Only who manages this chat can do that."))
    count = len(visit.store.chats.subscriptions(visit.chat.key))
    return say(
        t.n(
            "This deletes the settings, {count} subscription and the record of deliveries of this chat for good.",
            "This deletes the settings, {count} subscriptions and the record of deliveries of this chat for good.",
            count,
        ),
        *_saved_papers(visit),
        keyboard=rows(Button(t("Yes, delete"), "forget"), Button(t("Keep everything"), "keep")),
    )


def _saved_papers(visit: Visit) -> tuple[str, ...]:
    """What a person loses with a private chat beside what the chat itself has."""
    saved = visit.store.library.count(visit.person) if visit.chat.kind is ChatKind.PRIVATE else 0
    if not saved:
        return ()
    return (
        visit.t.n(
            "{count} paper that you saved goes with it, with its tags and note; {command} sends it to you first.",
            "{count} papers that you saved go with it, with tags and notes; {command} sends them to you first.",
            saved,
            command="/saved export json",
        ),
    )


def forget(visit: Visit) -> Reply:
    """Deletes what is kept of the chat."""
    if not visit.request.may_manage:
        return say(visit.t("Only who manages this chat can do that."))
    visit.store.chats.forget(visit.chat.key)
    return say(
        visit.t("Everything I kept of this chat is deleted. {command} begins anew.", command="/start"),
        in_place=True,
    )


def keep(visit: Visit) -> Reply:
    """The answer to a deletion that was thought over."""
    return say(visit.t("Nothing was deleted."), in_place=True)
