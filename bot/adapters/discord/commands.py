"""The command table as slash commands. No I/O: what a command does is handed in."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any

import discord
from discord import app_commands

from bot.adapters.discord.asking import CHINESE, Interaction, Target
from bot.locale import N_, translator
from bot.ports import CommandSpec, Parameter, Suggestion

FEED = "feed"
HERE = "here"
STOP = "stop"
TAKE = "take"
CHANNEL = "channel"

CHOICES = 25
CHOICE_LIMIT = 100
"""Autocomplete: choices, and characters of a choice's name and of its value ("Application Commands")."""

_FEED_COMMANDS = ("subscribe", "unsubscribe", "subscriptions", "settings", "preview", "status")
_FEED_SUMMARY = N_("This channel's daily papers")
_HERE_SUMMARY = N_("Post each day's papers in this channel")
_TAKE_SUMMARY = N_("Let another channel's papers come here instead")
_CHANNEL_SUMMARY = N_("Another channel than this one, such as a forum")
_STOP_SUMMARY = N_("Post no more papers in this channel")

Run = Callable[[Interaction, str, str, Target | None], Awaitable[None]]
"""`run(interaction, command, text, target)` answers a command, for the channel `target` where one is named."""

Complete = Callable[[Interaction, str, str, str], Awaitable[tuple[Suggestion, ...]]]
"""`complete(interaction, command, parameter, typed)`: suggestions, () when there are none."""

Command = app_commands.Command[Any, ..., Any]


class FeedChannel(app_commands.Transformer[discord.Client]):
    """A channel that a feed can be for. Media channels are offered too, to be refused with the reason."""

    @property
    def type(self) -> discord.AppCommandOptionType:
        """A channel."""
        return discord.AppCommandOptionType.channel

    @property
    def channel_types(self) -> list[discord.ChannelType]:
        """Channels that are read and forums; a forum takes no command itself, so it has to be named."""
        kinds = discord.ChannelType
        return [kinds.text, kinds.news, kinds.forum, kinds.media]

    async def transform(self, interaction: Interaction, value: Any, /) -> Target:
        """The channel with the asker's rights there, as Discord resolved it."""
        if not isinstance(value, Target):
            raise app_commands.TransformerError(value, self.type, self)
        return value


class SummaryTranslator(app_commands.Translator):
    """Gives Discord the Chinese summary of every command and parameter."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        """The Chinese text for Chinese clients, None (the English one) for all others."""
        text = string.extras.get("zh")
        return str(text) if text and locale in CHINESE else None


def slash_commands(
    table: Sequence[CommandSpec], run: Run, complete: Complete
) -> tuple[Command | app_commands.Group, ...]:
    """Every command of the table for everybody, and the group `/feed` for who manages a channel.

    `/feed` is the group itself: a table entry of that name is what its subcommands ask for.
    """
    everywhere = [_command(spec, run, complete) for spec in table if spec.name != FEED]
    return (*everywhere, _feed_group(table, run, complete))


def argument_text(spec: CommandSpec, values: Mapping[str, str]) -> str:
    """The given options as one line, in the table's order."""
    given = (values.get(parameter.name, "").strip() for parameter in spec.parameters)
    return " ".join(text for text in given if text)


def choices_of(suggestions: Sequence[Suggestion]) -> list[app_commands.Choice[str]]:
    """Suggestions within Discord's limits, without any whose value would have to be cut."""
    whole = [entry for entry in suggestions if entry.label and 0 < len(entry.value) <= CHOICE_LIMIT]
    return [
        app_commands.Choice(name=entry.label[:CHOICE_LIMIT], value=entry.value) for entry in whole[:CHOICES]
    ]


def _command(spec: CommandSpec, run: Run, complete: Complete, *, for_feed: bool = False) -> Command:
    async def callback(interaction: Interaction, channel: Target | None = None, **values: str) -> None:
        await run(interaction, spec.name, argument_text(spec, values), channel)

    # discord.py reads a command's options from its callback's signature; the table is ours.
    callback.__signature__ = _signature(spec.parameters, for_feed)  # type: ignore[attr-defined]
    summaries = {parameter.name: _localised(parameter.summary) for parameter in spec.parameters}
    if for_feed:
        summaries[CHANNEL] = _sentence(_CHANNEL_SUMMARY)
    if summaries:
        app_commands.describe(**summaries)(callback)
    command: Command = app_commands.Command(
        name=spec.name, description=_localised(spec.summary), callback=callback
    )
    for parameter in spec.parameters:
        if parameter.suggests:
            command.autocomplete(parameter.name)(_completer(spec.name, parameter.name, complete))
    return command


def _signature(parameters: Sequence[Parameter], for_feed: bool) -> inspect.Signature:
    kind = inspect.Parameter.KEYWORD_ONLY
    options = [
        inspect.Parameter(
            parameter.name,
            kind,
            annotation=str,
            default=inspect.Parameter.empty if parameter.required else "",
        )
        for parameter in parameters
    ]
    if for_feed:
        channel = app_commands.Transform[Target, FeedChannel]
        options.append(inspect.Parameter(CHANNEL, kind, annotation=channel, default=None))
    asked = inspect.Parameter(
        "interaction", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=discord.Interaction
    )
    return inspect.Signature([asked, *options])


def _completer(
    command: str, parameter: str, complete: Complete
) -> Callable[[Interaction, str], Coroutine[Any, Any, list[app_commands.Choice[str]]]]:
    async def completer(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        return choices_of(await complete(interaction, command, parameter, typed))

    return completer


def _feed_group(table: Sequence[CommandSpec], run: Run, complete: Complete) -> app_commands.Group:
    group = app_commands.Group(
        name=FEED,
        description=_sentence(_FEED_SUMMARY),
        guild_only=True,
        # What is not said here would be taken from the tree.
        allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False),
        allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
        default_permissions=discord.Permissions(manage_channels=True),
    )
    for name, summary in ((HERE, _HERE_SUMMARY), (STOP, _STOP_SUMMARY), (TAKE, _TAKE_SUMMARY)):
        group.add_command(_feed_switch(name, summary, run, complete))
    for spec in table:
        if spec.name in _FEED_COMMANDS:
            group.add_command(_command(spec, run, complete, for_feed=True))
    return group


def _feed_switch(name: str, summary: str, run: Run, complete: Complete) -> Command:
    async def switch(interaction: Interaction, _command: str, _text: str, target: Target | None) -> None:
        await run(interaction, FEED, name, target)

    spec = CommandSpec(name, {lang: translator(lang)(summary) for lang in ("en", "zh")})
    return _command(spec, switch, complete, for_feed=True)


def _sentence(sentence: str) -> app_commands.locale_str:
    return _localised({lang: translator(lang)(sentence) for lang in ("en", "zh")})


def _localised(summary: Mapping[str, str]) -> app_commands.locale_str:
    english = summary["en"]
    return app_commands.locale_str(english, zh=summary.get("zh", ""))
