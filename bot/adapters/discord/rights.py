"""Which of Discord's permissions a digest needs, by the names that people see in their settings."""

from __future__ import annotations

import aiohttp
import discord

from bot.locale import N_, Translator
from bot.ports import Paused, Rights, RightsUnknown

_EVERYWHERE = {
    "view_channel": N_("View Channel"),
    "embed_links": N_("Embed Links"),
    "attach_files": N_("Attach Files"),
}
_CHANNEL = {"send_messages": N_("Send Messages")}
_THREAD = {"send_messages_in_threads": N_("Send Messages in Threads")}
"""In a thread *Send Messages* has no effect (docs.discord.com, "Threads")."""


def missing_rights(granted: discord.Permissions, *, in_thread: bool) -> tuple[str, ...]:
    """The English names of what is missing for a digest with its file; () when nothing is."""
    if granted.administrator:
        return ()
    needed = _EVERYWHERE | (_THREAD if in_thread else _CHANNEL)
    return tuple(name for flag, name in needed.items() if not getattr(granted, flag))


def missing_in(channel: object) -> tuple[str, ...] | None:
    """The same for a channel or thread of the gateway's cache; None where the cache cannot tell."""
    is_thread = isinstance(channel, discord.Thread)
    # A thread has the rights of its channel.
    place = channel.parent if isinstance(channel, discord.Thread) else channel
    if not isinstance(place, discord.abc.GuildChannel):
        return None
    # None until the server's first event has come, whatever the annotation says.
    me: discord.Member | None = place.guild.me
    if me is None:
        return None
    # A channel's own method also takes away what is useless without another right, so one missing looks like
    # three.
    return missing_rights(discord.abc.GuildChannel.permissions_for(place, me), in_thread=is_thread)


def manages(granted: discord.Permissions) -> bool:
    """True for who may change what a channel receives: its managers and those of its server."""
    return granted.administrator or granted.manage_channels or granted.manage_guild


async def rights_in(channel: object, user: str) -> Rights:
    """What a person and we may do in a channel or thread of the gateway's cache; raises RightsUnknown.

    One REST call: members are not cached without a privileged intent.
    """
    missing = missing_in(channel)
    if missing is None or not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
        raise RightsUnknown("the channel is not in the cache of this process")
    try:
        member = await channel.guild.fetch_member(int(user))
    except discord.NotFound:
        return Rights(False)
    except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
        raise RightsUnknown(f"{type(error).__name__}: {error}") from error
    obstacle = Paused("no_rights", missing) if missing else None
    return Rights(manages(channel.permissions_for(member)), obstacle)


def refusal_text(missing: tuple[str, ...], channel: str, t: Translator) -> str:
    """The sentence for the person who asked for a feed where something is missing."""
    names = t.names([t(name) for name in missing])
    return t(
        "I may not post in {channel} yet. My role lacks: {rights}. Grant it, then use /feed here again.",
        channel=channel,
        rights=names,
    )
