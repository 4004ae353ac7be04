"""Interactions as requests: which chat is meant, who asks, in which language."""

from __future__ import annotations

from typing import Any

import discord

from bot.adapters.discord.rights import manages
from bot.ports import Request
from scheduler.models import ChatKind, ChatRef, Platform

Interaction = discord.Interaction[Any]

CHINESE = (discord.Locale.chinese, discord.Locale.taiwan_chinese)


async def request_of(
    interaction: Interaction, *, command: str = "", text: str = "", action: str = ""
) -> Request:
    """The request behind an interaction; one REST call where the person's direct messages are meant.

    A chat is a channel, a thread or a direct message, each by its own id as `chat_id`. Where only the person
    has installed the bot (a group message, a foreign server), nothing can be posted later, so that person's
    direct messages stand for the chat.
    """
    personal = is_personal(interaction)
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


def in_thread(interaction: Interaction) -> bool:
    """True in a thread, a forum's post included."""
    return isinstance(interaction.channel, discord.Thread)


async def _own_chat(interaction: Interaction) -> ChatRef:
    channel = interaction.user.dm_channel or await interaction.user.create_dm()
    return chat_of(channel.id)


def _kind(channel: object) -> ChatKind:
    is_news = getattr(channel, "type", None) is discord.ChannelType.news
    return ChatKind.CHANNEL if is_news else ChatKind.GROUP


def _title(interaction: Interaction, personal: bool) -> str:
    name = getattr(interaction.channel, "name", None)
    if personal or is_direct(interaction) or not name:
        return interaction.user.display_name
    return f"#{name}"
