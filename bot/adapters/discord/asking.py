"""Interactions as requests: which chat is meant, who asks, in which language."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import discord
import discord.app_commands

from bot.adapters.discord.rights import manages
from bot.ports import Request
from scheduler.models import ChatKind, ChatRef, Platform

logger = logging.getLogger(__name__)

Interaction = discord.Interaction[Any]

Target = discord.app_commands.AppCommandChannel
"""A channel that a command names, with what the person may do there."""

_KINDS: Mapping[object, ChatKind] = {
    discord.ChannelType.news: ChatKind.CHANNEL,
    discord.ChannelType.forum: ChatKind.FORUM,
    discord.ChannelType.media: ChatKind.FORUM,
}

NEEDS_OWN_CHAT = ("my",)
MANAGERS_COMMANDS = ("feed", "subscribe", "topic")
"""Commands whose papers come by direct message; and those after which their giver is told there of trouble."""

CHINESE = (discord.Locale.chinese, discord.Locale.taiwan_chinese)


async def request_of(
    interaction: Interaction,
    *,
    command: str = "",
    text: str = "",
    action: str = "",
    target: Target | None = None,
    is_typing: bool = False,
) -> Request:
    """The request behind an interaction; one REST call where the person's direct messages are meant or needed.

    `target` is the channel of the same server that a command names instead of the one that it is given in. While a
    person `is_typing` nothing is opened.

    A chat is a channel, a thread or a direct message, each by its own id as `chat_id`. Where only the person
    has installed the bot (a group message, a foreign server), nothing can be posted later, so that person's
    direct messages stand for the chat.
    """
    if target is not None and target.id != interaction.channel_id:
        return _request_for(interaction, target, command, text)
    personal = is_personal(interaction)
    needs_own = command in NEEDS_OWN_CHAT or (command in MANAGERS_COMMANDS and may_manage(interaction))
    needs_own = needs_own and not (is_typing or personal or is_direct(interaction))
    return Request(
        chat=await _own_chat(interaction) if personal else chat_of(interaction.channel_id),
        kind=ChatKind.PRIVATE if personal or is_direct(interaction) else _kind(interaction.channel),
        user=str(interaction.user.id),
        command=command,
        text=text,
        action=action,
        may_manage=personal or may_manage(interaction),
        chat_title=_title(interaction, personal),
        lang=language_of(interaction),
        alone=not is_direct(interaction),
        user_name=interaction.user.display_name,
        own_chat=await _own_chat_if_any(interaction) if needs_own else None,
    )


def _request_for(interaction: Interaction, target: Target, command: str, text: str) -> Request:
    return Request(
        chat=chat_of(target.id),
        kind=_kind(target),
        user=str(interaction.user.id),
        command=command,
        text=text,
        may_manage=manages(target.permissions),
        chat_title=f"#{target.name}",
        lang=language_of(interaction),
        alone=True,
        elsewhere=True,
        user_name=interaction.user.display_name,
    )


def request_about(request: Request, channel: discord.abc.GuildChannel) -> Request:
    """The same request about another channel of the server."""
    return replace(
        request,
        chat=chat_of(channel.id),
        kind=_kind(channel),
        chat_title=f"#{channel.name}",
        elsewhere=True,
    )


def request_in(message: discord.Message) -> Request:
    """The request in a direct message: its text, without a command; Discord does not tell the person's language."""
    return Request(
        chat=chat_of(message.channel.id),
        kind=ChatKind.PRIVATE,
        user=str(message.author.id),
        text=message.content.strip(),
        chat_title=message.author.display_name,
    )


def chat_of(channel_id: int | None) -> ChatRef:
    """The address of a channel, thread or direct message."""
    return ChatRef(Platform.DISCORD, str(channel_id or ""))


def is_direct(interaction: Interaction) -> bool:
    """True in the direct messages between a person and the bot."""
    return interaction.guild_id is None and not interaction.context.private_channel


def is_personal(interaction: Interaction) -> bool:
    """True where the bot is not a member and acts for one person alone."""
    if interaction.guild_id is None:
        return interaction.context.private_channel or interaction.channel_id is None
    return interaction.is_user_integration() and not interaction.is_guild_integration()


def may_manage(interaction: Interaction) -> bool:
    """Who may manage the channel or the server may change what it receives; in direct messages anybody."""
    return interaction.guild_id is None or manages(interaction.permissions)


def language_of(interaction: Interaction) -> str:
    """The person's language without its region: "en", "zh"."""
    return interaction.locale.value.partition("-")[0]


def named_channel(interaction: Interaction) -> int | None:
    """The id of the channel that a command's options name while they are being typed, None where they name none."""
    data: Any = interaction.data or {}
    options = list(data.get("options", []))
    for option in options:
        if option.get("type") == discord.AppCommandOptionType.channel.value and option.get("value"):
            return int(option["value"])
        # Those of a subcommand.
        options += option.get("options", [])
    return None


async def _own_chat_if_any(interaction: Interaction) -> ChatRef | None:
    try:
        return await _own_chat(interaction)
    except discord.HTTPException as error:
        logger.warning("no direct messages with %s: %s", interaction.user.id, error)
        return None


async def _own_chat(interaction: Interaction) -> ChatRef:
    channel = interaction.user.dm_channel or await interaction.user.create_dm()
    return chat_of(channel.id)


def _kind(channel: object) -> ChatKind:
    return _KINDS.get(getattr(channel, "type", None), ChatKind.GROUP)


def _title(interaction: Interaction, personal: bool) -> str:
    name = getattr(interaction.channel, "name", None)
    if personal or is_direct(interaction) or not name:
        return interaction.user.display_name
    return f"#{name}"
