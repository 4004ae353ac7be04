"""Which of Discord's permissions a digest needs, by the names that people see in their settings. No I/O."""

from __future__ import annotations

import discord

from bot.locale import N_, Translator

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


def refusal_text(missing: tuple[str, ...], channel: str, t: Translator) -> str:
    """The sentence for the person who asked for a feed where something is missing."""
    names = t.names([t(name) for name in missing])
    return t(
        "I may not post in {channel} yet. My role lacks: {rights}. Grant it, then use /feed here again.",
        channel=channel,
        rights=names,
    )
