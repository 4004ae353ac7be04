"""Which of Discord's permissions a digest needs, by the names that people see in their settings."""

from __future__ import annotations

from enum import Enum, auto

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
_FORUM = {
    "send_messages": N_("Create Posts"),
    "send_messages_in_threads": N_("Send Messages in Posts"),
}
"""Discord's settings name these two so in a forum."""


class Place(Enum):
    """Where a digest is to stand; each needs other rights."""

    CHANNEL = auto()
    THREAD = auto()
    FORUM = auto()


_NEEDED = {Place.CHANNEL: _CHANNEL, Place.THREAD: _THREAD, Place.FORUM: _FORUM}


def missing_rights(granted: discord.Permissions, place: Place) -> tuple[str, ...]:
    """The English names of what is missing for a digest with its file; () when nothing is."""
    if granted.administrator:
        return ()
    needed = _EVERYWHERE | _NEEDED[place]
    return tuple(name for flag, name in needed.items() if not getattr(granted, flag))


def place_of(channel: object) -> Place:
    """What kind of place a channel or thread is."""
    if isinstance(channel, discord.Thread):
        return Place.THREAD
    return Place.FORUM if isinstance(channel, discord.ForumChannel) else Place.CHANNEL


def missing_in(channel: object) -> tuple[str, ...] | None:
    """The same for a channel or thread of the gateway's cache; None where the cache cannot tell."""
    # A thread has the rights of its channel.
    holder = channel.parent if isinstance(channel, discord.Thread) else channel
    if not isinstance(holder, discord.abc.GuildChannel):
        return None
    # None until the server's first event has come, whatever the annotation says.
    me: discord.Member | None = holder.guild.me
    if me is None:
        return None
    # A channel's own method also takes away what is useless without another right, so one missing looks like
    # three.
    return missing_rights(discord.abc.GuildChannel.permissions_for(holder, me), place_of(channel))


def manages(granted: discord.Permissions) -> bool:
    """True for who may change what a channel receives: its managers and those of its server."""
    return granted.administrator or granted.manage_channels or granted.manage_guild


def manages_in(channel: discord.abc.GuildChannel, member: discord.abc.User) -> bool:
    """True for a member who manages a channel of the cache; an event brings the member with the roles."""
    return isinstance(member, discord.Member) and manages(channel.permissions_for(member))


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


def media_text(channel: str, t: Translator) -> str:
    """The sentence for the person who asked for a feed in a media channel."""
    return t(
        "{channel} is a media channel, where every post needs a picture. Choose a text channel or a forum.",
        channel=channel,
    )
