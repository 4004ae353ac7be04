"""The gateway client: commands kept in step, interactions answered, news of channels passed on."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import aiohttp
import discord
from discord import app_commands

from bot.adapters.discord.answering import (
    apologise,
    is_too_late,
    show_answer,
    show_message,
    show_press,
    show_sentence,
)
from bot.adapters.discord.asking import (
    Interaction,
    Target,
    chat_of,
    is_direct,
    language_of,
    may_manage,
    named_channel,
    request_about,
    request_in,
    request_of,
)
from bot.adapters.discord.commands import FEED, HERE, TAKE, SummaryTranslator, slash_commands
from bot.adapters.discord.messages import pressed_action
from bot.adapters.discord.rights import (
    manages_in,
    media_text,
    missing_in,
    missing_rights,
    place_of,
    refusal_text,
)
from bot.locale import translator
from bot.ports import Answer, CommandSpec, Gone, Paused, Standing, Suggest, Suggestion
from bot.sharding import FIRST_SHARD

logger = logging.getLogger(__name__)

# At DEBUG the library writes every event: the tokens that answer an interaction, and what people typed.
logging.getLogger("discord").setLevel(logging.INFO)

# Its two warnings that voice will not work are of no use here.
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False

RATE_LIMIT_PATIENCE = 60.0
"""Seconds: a longer rate limit is raised to the outbox instead of holding a sender."""

LAST_ANSWERS = 5.0
"""Seconds that a closing client waits for answers that are being written."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What the client works for: who answers, completes and is told, and what is remembered between runs."""

    answer: Answer
    suggest: Suggest
    commands: Sequence[CommandSpec]
    standing: Standing
    memory: MutableMapping[str, str]


class PaperboyTree(app_commands.CommandTree["PaperboyClient"]):
    """The command tree; what fails in a command is told to who asked."""

    async def on_error(self, interaction: Interaction, error: app_commands.AppCommandError) -> None:
        """Commands that this version no longer has, and everything that no handler expected."""
        await _failed(interaction, error)


class PaperboyClient(discord.Client):
    """One connection's client: made anew for every run, because a closed client cannot be used again."""

    def __init__(self, desk: Desk, trace: aiohttp.TraceConfig, **sharding: Any) -> None:
        intents = discord.Intents.none()
        # Channels, threads, roles and our own rights; of what people write only what they write to us in private,
        # which needs no privilege ("Gateway", "Message Content Intent").
        intents.guilds = True
        intents.dm_messages = True
        super().__init__(
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
            max_ratelimit_timeout=RATE_LIMIT_PATIENCE,
            http_trace=trace,
            **sharding,
        )
        self._desk = desk
        self._answers: set[asyncio.Task[Any]] = set()
        self.may_send = False
        self.tree = PaperboyTree(
            self,
            allowed_contexts=app_commands.AppCommandContext(
                guild=True, dm_channel=True, private_channel=True
            ),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
        )

    # life

    async def setup_hook(self) -> None:
        """Runs once after the login, before the gateway: brings the commands in step."""
        self.may_send = True
        await self.tree.set_translator(SummaryTranslator())
        for command in slash_commands(self._desk.commands, self._run_command, self._complete):
            self.tree.add_command(command)
        if FIRST_SHARD in (getattr(self, "shard_ids", None) or (FIRST_SHARD,)):
            await self._sync_commands()

    async def _sync_commands(self) -> None:
        """Registers the commands when they differ from what was registered last: Discord limits how often."""
        place = f"discord.commands.{self.application_id}"
        fingerprint = await self._fingerprint()
        if self._desk.memory.get(place) == fingerprint:
            return
        try:
            await self.tree.sync()
        except app_commands.CommandSyncFailure:
            # The table is wrong; the commands registered before go on working.
            logger.exception("Discord refused the commands")
            return
        self._desk.memory[place] = fingerprint

    async def _fingerprint(self) -> str:
        translate = self.tree.translator
        assert translate is not None
        payload = [
            await command.get_translated_payload(self.tree, translate) for command in self.tree.get_commands()
        ]
        text = json.dumps([discord.http.Route.BASE, payload], sort_keys=True)
        return sha256(text.encode()).hexdigest()

    async def close(self) -> None:
        """Lets answers that are being written end, then closes the connections."""
        running = self._answers - {asyncio.current_task()}
        if running and not self.is_closed():
            await asyncio.wait(running, timeout=LAST_ANSWERS)
        self.may_send = False
        await super().close()

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        task = asyncio.current_task()
        assert task is not None
        self._answers.add(task)
        try:
            yield
        finally:
            self._answers.discard(task)

    # commands

    async def _run_command(
        self, interaction: Interaction, command: str, text: str, target: Target | None
    ) -> None:
        with self._at_work():
            try:
                await self._answer_command(interaction, command, text, target)
            except Exception as error:
                await _failed(interaction, error)

    async def _answer_command(
        self, interaction: Interaction, command: str, text: str, target: Target | None
    ) -> None:
        opens = command == FEED and text in (HERE, TAKE)
        if opens and (refusal := _refusal(interaction, target)):
            await show_sentence(interaction, refusal)
            return
        # In direct messages nobody else reads, and a hidden answer would be gone after a restart of the app.
        shown_to_all = opens and text == HERE and target is None and may_manage(interaction)
        hidden = not is_direct(interaction) and not shown_to_all
        await interaction.response.defer(ephemeral=hidden, thinking=True)
        request = await request_of(interaction, command=command, text=text, target=target)
        await show_answer(interaction, await self._desk.answer(request), hidden=hidden)

    async def _complete(
        self, interaction: Interaction, command: str, parameter: str, typed: str
    ) -> tuple[Suggestion, ...]:
        try:
            request = await request_of(interaction, command=command, text=typed, is_typing=True)
            if (channel_id := named_channel(interaction)) is not None:
                channel = self.get_channel(channel_id)
                if not isinstance(channel, discord.abc.GuildChannel) or not manages_in(
                    channel, interaction.user
                ):
                    return ()
                request = request_about(request, channel)
            return await self._desk.suggest(request, parameter)
        except Exception:
            # Without suggestions a person can still type.
            logger.exception("no suggestions for %s of /%s", parameter, command)
            return ()

    # buttons

    async def on_interaction(self, interaction: Interaction) -> None:
        """Presses and choices. Commands reach their callbacks through the tree.

        The event is read instead of discord.py's views: the custom id says everything, so a button outlives
        every restart and the message's components need not be parsed.
        """
        if interaction.type is not discord.InteractionType.component:
            return
        if action := pressed_action(interaction):
            with self._at_work():
                try:
                    await self._answer_press(interaction, action)
                except Exception as error:
                    await _failed(interaction, error)

    async def _answer_press(self, interaction: Interaction, action: str) -> None:
        await interaction.response.defer()
        request = await request_of(interaction, action=action)
        await show_press(interaction, await self._desk.answer(request))

    # what is written in direct messages

    async def on_message(self, message: discord.Message) -> None:
        """An id, a link or words that somebody sends us in private."""
        is_written = message.type in (discord.MessageType.default, discord.MessageType.reply)
        if message.guild is not None or message.author.bot or not is_written or not message.content.strip():
            return
        with self._at_work():
            try:
                await show_message(message.channel, await self._desk.answer(request_in(message)))
            except Exception:
                logger.exception("message %d could not be answered", message.id)

    # news of servers and channels

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """The bot was removed from a server."""
        await self._tell((channel.id for channel in _places(guild)), Gone("gone_guild"))

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """The bot was added to a server, perhaps again.

        discord.py also calls this for a server that is out of order again right after the connection.
        """
        if not guild.unavailable:
            await self._tell_mended(_places(guild))

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """A channel was deleted; its threads are reported one by one."""
        await self._tell([channel.id], Gone("gone_channel"))

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """A thread or a forum's post was deleted, also one that was not in the cache."""
        await self._tell([payload.thread_id], Gone("gone_channel"))

    async def on_guild_channel_update(
        self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel
    ) -> None:
        """A channel's overwrites may have given back what was missing.

        Both states are compared as far as they can be: `before` is a copy with the old overwrites.
        """
        if missing_in(before) and not missing_in(after):
            threads = [thread for thread in after.guild.threads if thread.parent_id == after.id]
            await self._tell_mended([after, *threads])

    async def on_thread_update(self, before: discord.Thread, after: discord.Thread) -> None:
        """A locked thread was unlocked."""
        if before.locked and not after.locked:
            await self._tell_mended([after])

    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        """A role of ours may have been given what was missing."""
        granted = after.permissions.value & ~before.permissions.value
        if granted and after in getattr(after.guild.me, "roles", ()):
            await self._tell_mended(_places(after.guild))

    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        """We were given another role; Discord reports our own membership without any privilege."""
        if self.user is not None and after.id == self.user.id and set(after.roles) - set(before.roles):
            await self._tell_mended(_places(after.guild))

    async def _tell_mended(self, places: Iterable[discord.abc.GuildChannel | discord.Thread]) -> None:
        await self._tell([place.id for place in places if missing_in(place) == ()], None)

    async def _tell(self, channel_ids: Iterable[int], standing: Gone | Paused | None) -> None:
        for channel_id in channel_ids:
            try:
                await self._desk.standing(chat_of(channel_id), standing)
            except Exception:
                logger.exception("the news of channel %d was not recorded", channel_id)


class ShardedPaperboyClient(PaperboyClient, discord.AutoShardedClient):
    """The same with several connections, which Discord demands from 2,500 servers on ("Gateway").

    `turn` is waited for before each session begins, where other processes begin some too.
    """

    turn: Callable[[], Awaitable[None]] | None = None

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Keeps the pace of beginning sessions, over all processes where there are several."""
        if self.turn is None:
            await super().before_identify_hook(shard_id, initial=initial)
        else:
            await self.turn()


def _places(guild: discord.Guild) -> Iterator[discord.abc.GuildChannel | discord.Thread]:
    yield from guild.channels
    yield from guild.threads


def _refusal(interaction: Interaction, target: Target | None) -> str:
    """Why a digest cannot come to the channel that is meant, "" where it can."""
    t = translator(language_of(interaction))
    channel = interaction.channel if target is None else target
    name = f"#{getattr(channel, 'name', '') or '?'}"
    if getattr(channel, "type", None) is discord.ChannelType.media:
        return media_text(name, t)
    if target is None:
        missing = missing_rights(interaction.app_permissions, place_of(interaction.channel))
    else:
        found = missing_in(target.resolve())
        missing = ("View Channel",) if found is None else found
    return refusal_text(missing, name, t) if missing else ""


async def _failed(interaction: Interaction, error: BaseException) -> None:
    if is_too_late(error):
        logger.warning("an interaction came to its answer too late: %s", error)
        return
    logger.error("an interaction could not be answered", exc_info=error)
    try:
        await apologise(interaction)
    except Exception as further:
        logger.info("nor could that be said: %s", type(further).__name__)
