"""The one table of commands: what the platforms list, what /help shows, and who answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.commands import (
    about,
    by_meaning,
    cards,
    channel,
    comparing,
    crosslists,
    digests,
    feed,
    library,
    members,
    muting,
    reading,
    searching,
    settings,
    standing,
    status,
    subscribing,
    topics,
    trying,
)
from bot.commands.preview import preview
from bot.commands.similar import similar, similar_page
from bot.commands.visit import Handler, Visit
from bot.commands.why import why
from bot.locale import N_, translator
from bot.ports import CommandSpec, Parameter, Reply


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its handler, its one line, and its argument (name, its one line, whether it is completed).

    `more` are further arguments, where a platform asks for each by its name; elsewhere all are one line of text.
    """

    name: str
    summary: str
    handler: Handler
    argument: tuple[str, str, bool] | None = None
    manages: bool = False
    more: tuple[tuple[str, str, bool], ...] = ()


def _help(visit: Visit) -> Reply:
    return about.help_with(visit, [(command.name, command.summary) for command in COMMANDS])


COMMANDS = (
    Command("start", N_("What I do, and the first steps"), about.start),
    Command(
        "subscribe",
        N_("Follow a subject"),
        subscribing.subscribe,
        ("query", N_("Words, a phrase in quotes, or a topic"), True),
        manages=True,
    ),
    Command(
        "unsubscribe",
        N_("Follow a subject no longer"),
        subscribing.unsubscribe,
        ("subscription", N_("Its number or its name"), True),
        manages=True,
    ),
    Command("subscriptions", N_("What this chat follows"), subscribing.subscriptions),
    Command(
        "my",
        N_("Follow a subject for yourself alone, in a group or server"),
        members.my,
        ("query", N_("Words, a phrase in quotes, or a topic"), True),
    ),
    Command("topics", N_("Ready-made subjects, by field"), topics.topics),
    Command(
        "topic",
        N_("What is new in a ready-made subject"),
        topics.topic,
        ("topic", N_("Its name"), True),
    ),
    Command(
        "digest",
        N_("Today's papers for this chat"),
        digests.show_digest,
        ("date", N_("A day, as 2026-09-29"), False),
    ),
    Command(
        "search",
        N_("Find papers in the archive, newest first"),
        searching.search,
        ("query", N_("Words, phrases, authors, categories"), True),
    ),
    Command(
        "try",
        N_("How many papers a subject would bring, before following it"),
        trying.try_wish,
        ("query", N_("Words, a phrase in quotes, or a topic"), True),
    ),
    Command(
        "trends",
        N_("Subjects compared over time, as a picture"),
        comparing.compare,
        ("subjects", N_("Up to five, with commas between; then a span such as 90d"), False),
    ),
    Command(
        "paper",
        N_("One paper's card, by its id or link"),
        reading.show_paper,
        ("id", N_("An arXiv id or a link"), True),
    ),
    Command(
        "similar",
        N_("Papers like one that you name"),
        similar,
        ("id", N_("An arXiv id or a link"), True),
    ),
    Command(
        "save",
        N_("Keep a paper for yourself, with tags and a note"),
        library.save,
        ("id", N_("An arXiv id or a link"), True),
        more=(("note", N_("For example: #robots read before Friday"), False),),
    ),
    Command(
        "saved",
        N_("Your saved papers: find, open, export"),
        library.saved,
        ("query", N_("Words, a #tag, or: export bibtex"), True),
    ),
    Command(
        "bibtex",
        N_("One paper as BibTeX"),
        cards.bibtex,
        ("id", N_("An arXiv id or a link"), True),
    ),
    Command(
        "mute",
        N_("Never in this chat's digests: a word, an author, a paper"),
        muting.mute,
        ("what", N_("For example: survey, or: author Wei Zhang"), False),
        manages=True,
    ),
    Command("muted", N_("What this chat's digests leave out"), muting.muted),
    Command(
        "settings",
        N_("Time, time zone and language"),
        settings.settings,
        ("change", N_("For example: time 07:30"), False),
        manages=True,
    ),
    Command(
        "channel",
        N_("Look after a group or channel from here"),
        channel.channel,
        ("back", N_("back: your own feed again"), False),
    ),
    Command("stop", N_("No more digests here; what is followed is kept"), feed.stop, manages=True),
    Command("preview", N_("The next digest, as it would be now"), preview),
    Command(
        "why",
        N_("Why this chat was told of a paper, or not"),
        why,
        ("id", N_("An arXiv id or a link"), True),
    ),
    Command("status", N_("How the sources stand, and what comes next"), status.status),
    Command("help", N_("Everything I can do"), _help),
    Command(
        "privacy",
        N_("What I keep of this chat"),
        about.privacy,
        ("delete", N_("delete: have it all deleted"), False),
    ),
)

BY_NAME: Mapping[str, Handler] = {command.name: command.handler for command in COMMANDS} | {
    "feed": feed.feed,
}

ACTIONS: Mapping[str, Handler] = {
    "topics": topics.topics,
    "topic": subscribing.subscribe_topic,
    "t": topics.topic_page,
    "digest": digests.show_digest,
    "d": digests.turn_page,
    "whole": digests.whole_page,
    "p": reading.open_paper,
    "c": reading.open_in_place,
    "k": reading.reopen,
    "zh": reading.translate,
    "s": searching.search_page,
    "save": cards.press_save,
    "resave": library.save,
    "unsave": library.remove,
    "saved": library.saved,
    "sv": library.saved_page,
    "svx": library.press_export,
    "up": cards.press_up,
    "down": cards.press_down,
    "bib": cards.press_bibtex,
    "sim": similar_page,
    "mutes": muting.offer,
    "mute": muting.press_mute,
    "muted": muting.muted,
    "unmute": muting.unmute,
    "m": by_meaning.page,
    "sub": subscribing.subscribe_to,
    "try": trying.try_query,
    "tr": comparing.compare_again,
    "loosen": subscribing.loosen,
    "either": subscribing.any_of_them,
    "undo": subscribing.undo,
    "subscriptions": subscribing.subscriptions,
    "my": members.my,
    "myend": members.end,
    "myway": members.choose_way,
    "subnew": subscribing.subscribe_without_cross_lists,
    "crosses": crosslists.cross_lists,
    "cross": crosslists.switch,
    "set": settings.press,
    "privacy": about.privacy,
    "forget": about.forget,
    "keep": about.keep,
    "resume": feed.resume,
    "check": standing.check,
    "settings": settings.settings,
    "channel": channel.channel,
    "picked": channel.picked,
    "steer": channel.steer,
    "own": channel.own,
    "another": channel.another,
    "general": channel.general,
    "take": channel.take_one,
}
"""Who answers a pressed button, by the action's name (before the first colon)."""


def specs() -> tuple[CommandSpec, ...]:
    """The commands as platforms list them, with every language's one line."""
    return tuple(
        CommandSpec(command.name, _summary(command.summary), _parameters(command), command.manages)
        for command in COMMANDS
    )


def _parameters(command: Command) -> tuple[Parameter, ...]:
    arguments = () if command.argument is None else (command.argument, *command.more)
    return tuple(
        Parameter(name, _summary(summary), required=False, suggests=suggests)
        for name, summary, suggests in arguments
    )


def _summary(text: str) -> dict[str, str]:
    return {lang: translator(lang)(text) for lang in ("en", "zh")}
