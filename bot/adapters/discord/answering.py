"""Replies as Discord shows them: the deferred answer edited, follow-ups, the pressed message changed."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import discord

from bot.adapters.discord.asking import Interaction, is_direct, language_of, may_manage
from bot.adapters.discord.messages import as_edit, new_message, plain_message
from bot.adapters.discord.outcomes import is_our_mistake
from bot.locale import translator
from bot.parts import reply_parts
from bot.ports import Part, Reply
from scheduler.models import Platform

logger = logging.getLogger(__name__)

TOO_LATE = {10062, 40060}
"""Unknown interaction (three seconds were over) and already acknowledged: nothing can be said any more."""


async def show_answer(interaction: Interaction, reply: Reply, *, hidden: bool) -> None:
    """Answers a deferred command; `hidden` says that it was deferred for the asker alone.

    The deferral fixes who sees the first message, so a reply for everybody takes the place of a hidden one.
    """
    parts = _parts(reply)
    if parts and hidden and not reply.private:
        # Until the deferred message says something, a follow-up is taken for it and inherits who sees it.
        await interaction.edit_original_response(content="…")
        await _follow_up(interaction, parts, hidden=False)
        await interaction.delete_original_response()
    elif parts:
        await _attempt(interaction.edit_original_response, parts[0], edit=True)
        await _follow_up(interaction, parts[1:], hidden=hidden)
    elif reply.toast:
        await interaction.edit_original_response(content=discord.utils.escape_markdown(reply.toast))
    else:
        await interaction.delete_original_response()
    if reply.later is not None:
        await show_answer(interaction, await reply.later(), hidden=hidden)


async def show_press(interaction: Interaction, reply: Reply) -> None:
    """Answers a deferred press: in place, as a further message, or as a short word for who pressed."""
    parts = _parts(reply)
    hidden = reply.private and not is_direct(interaction)
    says_enough = bool(reply.blocks)
    if parts and reply.in_place:
        if _may_change_message(interaction):
            await _attempt(interaction.edit_original_response, parts[0], edit=True)
            # Buttons in their new state say what a toast would, which here is a message of its own.
            parts, says_enough = parts[1:], True
        elif reply.blocks:
            hidden = True
        else:
            parts = ()
    shown = await _follow_up(interaction, parts, hidden=hidden)
    if reply.toast and not says_enough:
        await interaction.followup.send(discord.utils.escape_markdown(reply.toast), ephemeral=True)
    if reply.later is not None:
        later = await reply.later()
        await _remove(shown)
        await show_press(interaction, replace(later, in_place=reply.in_place))


async def show_message(channel: discord.abc.Messageable, reply: Reply) -> None:
    """Answers what was written in direct messages; the rest of a slow answer takes the place of its beginning."""
    shown = await _post(channel, reply)
    if reply.later is not None:
        later = await reply.later()
        await _remove(shown)
        await show_message(channel, later)


async def _remove(messages: Sequence[discord.Message]) -> None:
    for message in messages:
        # Somebody was faster, or may no longer: the rest of the answer comes all the same.
        with suppress(discord.HTTPException):
            await message.delete()


async def _post(channel: discord.abc.Messageable, reply: Reply) -> list[discord.Message]:
    shown: list[discord.Message] = []

    async def send(**fields: Any) -> None:
        shown.append(await channel.send(**fields))

    for part in _parts(reply):
        await _attempt(send, part)
    return shown


async def show_sentence(interaction: Interaction, text: str) -> None:
    """Says one sentence to the asker alone, whether or not something was said before."""
    shown = discord.utils.escape_markdown(text)
    if not interaction.response.is_done():
        await interaction.response.send_message(shown, ephemeral=True)
    elif interaction.type is discord.InteractionType.component:
        await interaction.followup.send(shown, ephemeral=True)
    else:
        await interaction.edit_original_response(content=shown)


async def apologise(interaction: Interaction) -> None:
    """Tells the asker that the answer failed."""
    t = translator(language_of(interaction))
    await show_sentence(
        interaction, t("That did not work, and it is my fault. Please try again in a minute.")
    )


def is_too_late(error: BaseException) -> bool:
    """True when Discord no longer takes an answer to the interaction."""
    return isinstance(error, discord.HTTPException) and error.code in TOO_LATE


def _parts(reply: Reply) -> tuple[Part, ...]:
    parts = reply_parts(reply, Platform.DISCORD)
    return tuple(replace(part, quiet=False) for part in parts)


def _may_change_message(interaction: Interaction) -> bool:
    """What everybody in a channel sees changes only at the hand of somebody who may manage it."""
    message = interaction.message
    return may_manage(interaction) or (message is not None and message.flags.ephemeral)


async def _follow_up(
    interaction: Interaction, parts: tuple[Part, ...], *, hidden: bool
) -> list[discord.WebhookMessage]:
    shown: list[discord.WebhookMessage] = []

    async def send(**fields: Any) -> None:
        shown.append(await interaction.followup.send(ephemeral=hidden, wait=True, **fields))

    for part in parts:
        await _attempt(send, part)
    return shown


async def _attempt(call: Callable[..., Awaitable[object]], part: Part, *, edit: bool = False) -> None:
    """Shows a part; once more as plain text where Discord refuses it as it is."""
    try:
        fields = new_message(part)
        await call(**(as_edit(fields) if edit else fields))
    except discord.HTTPException as error:
        if not is_our_mistake(error):
            raise
        logger.error("Discord refused an answer, shown as plain text instead: %s", error)
        fields = plain_message(part)
        await call(**(as_edit(fields) if edit else fields))
