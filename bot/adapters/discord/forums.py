"""Forum channels: a digest is one post, named by its day, with the digest's parts as its messages.

Making a post takes no nonce (docs.discord.com, "Start Thread in Forum or Media Channel"), so a post of ours with the
same name is looked for first: the part that opened it is not sent again, any other one joins it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import discord

from bot.adapters.discord.messages import embeds_of, nonce_of
from bot.ports import Outcome, Part, Paused, Sent
from scheduler.models import ChatRef

NAME_LIMIT = 100
"""Letters of a post's name ("Channel resource")."""

OPEN_MINUTES = 1440
"""A post stays in the list of active ones for a day after its last message: that long it is found again."""

FITTING_TAGS = ("papers", "arxiv", "digest")

Fields = Callable[[Part], dict[str, Any]]
"""The arguments that show a part."""


async def post_in(
    forum: discord.ForumChannel, us: int, chat: ChatRef, part: Part, key: str, fields: Fields
) -> Outcome:
    """Opens the post that a part begins, or joins the one of ours (`us` is our id) that stands there.

    Raises what discord.py raises.
    """
    if forum.is_media():
        return Paused("media")
    if forum.flags.require_tag and not _tags(forum):
        return Paused("no_tag")
    # What was made for a channel has no name for a post: its first words do.
    name = (part.post or part.plain.strip().partition("\n")[0] or "…")[:NAME_LIMIT].strip()
    there = await _post_of(forum, us, name)
    if there is None:
        settings: dict[str, Any] = {"auto_archive_duration": OPEN_MINUTES, "silent": part.quiet}
        if forum.flags.require_tag:
            settings["applied_tags"] = _tags(forum)
        created = await forum.create_thread(name=name, **settings, **fields(part))
        return Sent(str(created.message.id), thread=str(created.thread.id))
    if await _begins_with(there, part):
        return Sent(str(there.id), thread=str(there.id))
    message = await there.send(nonce=nonce_of(chat, key), silent=part.quiet, **fields(part))
    return Sent(str(message.id), thread=str(there.id))


def _tags(forum: discord.ForumChannel) -> list[discord.ForumTag]:
    """One tag that anybody may use, a fitting one first; [] where there is none."""
    free = [tag for tag in forum.available_tags if not tag.moderated]
    return sorted(free, key=lambda tag: tag.name.casefold() not in FITTING_TAGS)[:1]


async def _post_of(forum: discord.ForumChannel, owner: int, name: str) -> discord.Thread | None:
    """The newest active post of this name that `owner` opened."""
    threads = [
        thread
        for thread in await forum.guild.active_threads()
        if (thread.parent_id, thread.owner_id, thread.name) == (forum.id, owner, name) and not thread.locked
    ]
    return max(threads, key=lambda thread: thread.id, default=None)


async def _begins_with(post: discord.Thread, part: Part) -> bool:
    """True when the post's first message, which has the post's id, shows this part."""
    try:
        first = await post.fetch_message(post.id)
    except (discord.Forbidden, discord.NotFound):
        # Without the right to read the history a repeat in the post is risked rather than a part lost.
        return False
    return [_words(embed) for embed in first.embeds] == [_words(embed) for embed in embeds_of(part)]


def _words(embed: discord.Embed) -> tuple[str, str]:
    return (embed.title or "").strip(), (embed.description or "").strip()
