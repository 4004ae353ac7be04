"""The command table as slash commands. No I/O: what a command does is handed in."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any

import discord
from discord import app_commands

from bot.adapters.discord.asking import CHINESE, Interaction
from bot.locale import N_, translator
from bot.ports import CommandSpec, Parameter, Suggestion

FEED = "feed"
HERE = "here"
STOP = "stop"

CHOICES = 25
CHOICE_LIMIT = 100
"""Autocomplete: choices, and characters of a choice's name and of its value ("Application Commands")."""

_FEED_COMMANDS = ("subscribe", "unsubscribe", "subscriptions")
_FEED_SUMMARY = N_("This channel's daily papers")
_HERE_SUMMARY = N_("Post each day's papers in this channel")
_STOP_SUMMARY = N_("Post no more papers in this channel")

Run = Callable[[Interaction, str, str], Awaitable[None]]
"""`run(interaction, command, text)` answers a command."""

Complete = Callable[[Interaction, str, str, str], Awaitable[tuple[Suggestion, ...]]]
"""`complete(interaction, command, parameter, typed)`: suggestions, () when there are none."""

Command = app_commands.Command[Any, ..., Any]


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


def _command(spec: CommandSpec, run: Run, complete: Complete) -> Command:
    async def callback(interaction: Interaction, **values: str) -> None:
        await run(interaction, spec.name, argument_text(spec, values))

    # discord.py reads a command's options from its callback's signature; the table is ours.
    callback.__signature__ = _signature(spec.parameters)  # type: ignore[attr-defined]
    summaries = {parameter.name: _localised(parameter.summary) for parameter in spec.parameters}
    if summaries:
        app_commands.describe(**summaries)(callback)
    command: Command = app_commands.Command(
        name=spec.name, description=_localised(spec.summary), callback=callback
    )
    for parameter in spec.parameters:
        if parameter.suggests:
            command.autocomplete(parameter.name)(_completer(spec.name, parameter.name, complete))
    return command


def _signature(parameters: Sequence[Parameter]) -> inspect.Signature:
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
    group.add_command(_feed_switch(HERE, _HERE_SUMMARY, run))
    group.add_command(_feed_switch(STOP, _STOP_SUMMARY, run))
    for spec in table:
        if spec.name in _FEED_COMMANDS:
            group.add_command(_command(spec, run, complete))
    return group


def _feed_switch(name: str, summary: str, run: Run) -> Command:
    async def callback(interaction: Interaction) -> None:
        await run(interaction, FEED, name)

    return app_commands.Command(name=name, description=_sentence(summary), callback=callback)


def _sentence(sentence: str) -> app_commands.locale_str:
    return _localised({lang: translator(lang)(sentence) for lang in ("en", "zh")})


def _localised(summary: Mapping[str, str]) -> app_commands.locale_str:
    english = summary["en"]
    return app_commands.locale_str(english, zh=summary.get("zh", ""))
