"""The Discord adapter: receives by the gateway, answers people, sends the outbox's parts over REST."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from enum import Enum, auto
from typing import Any

import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import HTTPClient, Route

from bot.adapters.discord.client import Desk, PaperboyClient, ShardedPaperboyClient
from bot.adapters.discord.forums import Fields, post_in
from bot.adapters.discord.messages import new_message, nonce_of, plain_message
from bot.adapters.discord.outcomes import (
    SEND_ERRORS,
    STARTING,
    RefusalBrake,
    is_our_mistake,
    outcome_of,
)
from bot.adapters.discord.rights import missing_in, rights_in
from bot.ports import (
    Answer,
    CommandSpec,
    Gone,
    Outcome,
    Part,
    Paused,
    PlatformStopped,
    Rejected,
    Retry,
    Rights,
    RightsUnknown,
    Sent,
    Standing,
    Suggest,
)
from scheduler.models import ChatKind, ChatRef, Platform

logger = logging.getLogger(__name__)

SEND_PATIENCE = 180.0
"""Seconds for one send: more than discord.py's own retries (25 s) and the rate limits it waits for (60 s)."""

_TOKEN = "PAPERBOY_DISCORD_TOKEN"
_FINAL_CLOSE_CODES = {
    4004: f"Discord refuses the token: set {_TOKEN} to the one in the developer portal (Bot, Reset Token)",
    4013: "Discord does not know the intents that this version asks for: update Paperboy",
}
"""Gateway close codes after which reconnecting is useless ("Opcodes and Status Codes")."""


_POST_CLOSED = {"gone_channel": "its post was deleted", "locked": "its post was locked"}


class Finding(Enum):
    """Why a connection ended by itself."""

    CLOSED = auto()
    MORE_SHARDS = auto()


class DiscordAdapter:
    """Discord as a `ChatAdapter`.

    `api_url` is the REST API with its version ("https://discord.com/api/v10"), `gateway_url` the gateway (""
    asks the API for it); both belong to the whole process, so one process has one Discord. `memory` keeps
    between runs what the commands were set to. There are as many shards as the API recommends, or `shard_count`;
    of those this adapter receives for `shard_ids`, or all, and sends for every one: REST knows no shards. `turn`
    is waited for before a session begins.
    """

    platform = Platform.DISCORD

    def __init__(
        self,
        *,
        token: str,
        api_url: str,
        gateway_url: str,
        answer: Answer,
        suggest: Suggest,
        commands: Sequence[CommandSpec],
        standing: Standing,
        memory: MutableMapping[str, str],
        shard_count: int = 0,
        shard_ids: Sequence[int] = (),
        turn: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._token = token
        self._api_url = api_url.rstrip("/")
        self._gateway_url = gateway_url
        self._desk = Desk(answer, suggest, tuple(commands), standing, memory)
        self._brake = RefusalBrake()
        self._client: PaperboyClient | None = None
        self._shard_count, self._shard_ids, self._turn = shard_count, list(shard_ids), turn
        self._sharded = bool(shard_count)

    start_link = ""

    def __repr__(self) -> str:
        return f"DiscordAdapter({self._api_url!r})"

    # life

    def client(self) -> PaperboyClient:
        """A fresh client, through which `send` goes from now on."""
        trace = self._brake.trace()
        if not self._sharded:
            self._client = PaperboyClient(self._desk, trace)
        elif not self._shard_ids:
            self._client = ShardedPaperboyClient(self._desk, trace)
        else:
            client = ShardedPaperboyClient(
                self._desk, trace, shard_count=self._shard_count, shard_ids=self._shard_ids
            )
            client.turn = self._turn
            self._client = client
        return self._client

    async def run(self) -> None:
        """Receives until cancelled, then ends the answers that are being written and closes the connections.

        Raises PlatformStopped for a refused token or intent; any other exception means that trying again may
        help.
        """
        # discord.py has no setting for the server; this attribute is where its every request begins.
        Route.BASE = self._api_url
        try:
            while await self._connect() is Finding.MORE_SHARDS:
                self._sharded = True
        except discord.LoginFailure:
            raise PlatformStopped(_FINAL_CLOSE_CODES[4004]) from None
        except discord.PrivilegedIntentsRequired:
            raise PlatformStopped(
                f"Discord refuses the intents: {_TOKEN} belongs to an application that may not have them"
            ) from None
        except discord.ConnectionClosed as error:
            if error.code in _FINAL_CLOSE_CODES:
                raise PlatformStopped(_FINAL_CLOSE_CODES[error.code]) from None
            raise
        finally:
            self._client = None

    async def _connect(self) -> Finding:
        async with self.client() as client:
            await client.login(self._token)
            shards = await self._choose_gateway(client)
            if self._sharded:
                client.shard_count = self._shard_count or shards
            elif shards > 1:
                return Finding.MORE_SHARDS
            await client.connect()
        return Finding.CLOSED

    async def _choose_gateway(self, client: PaperboyClient) -> int:
        """Points all connections at the configured gateway, else at the one the API names; gives the shards.

        discord.py 2.7.1 goes to `DEFAULT_GATEWAY`, a constant: always with one connection, with several from
        the second session on, and from the first one when the number of shards is set.
        """
        try:
            shards, url, _ = await client.http.get_bot_gateway()
        except discord.GatewayNotFound:
            if not self._gateway_url:
                raise
            shards, url = 1, self._gateway_url
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(self._gateway_url or url)
        if self._gateway_url:
            _pin_gateway(client.http, yarl.URL(self._gateway_url))
        return shards

    # deliveries

    async def send(self, chat: ChatRef, part: Part, key: str) -> Outcome:
        """Sends one part and says what came of it; the same key within minutes is one message."""
        client = self._client
        if client is None or not client.may_send:
            return STARTING
        if wait := self._brake.wait():
            return Retry(wait, "too many refusals", counted=False, scope="platform")
        if not (channel_id := chat.thread_id or chat.chat_id).isdecimal():
            return Rejected(f"{channel_id!r} is no channel of Discord")
        try:
            async with asyncio.timeout(SEND_PATIENCE):
                return await _post(client, chat, part, key)
        except SEND_ERRORS as error:
            outcome = outcome_of(error, missing_in(client.get_channel(int(channel_id))) or ())
            if chat.thread_id and isinstance(outcome, Gone | Paused) and outcome.reason in _POST_CLOSED:
                # Somebody has put an end to the post that the parts before this one stand in, not to the forum.
                outcome = Rejected(_POST_CLOSED[outcome.reason])
            logger.debug("part %s for %s: %s", key, chat, outcome)
            return outcome
        except RuntimeError:
            # aiohttp's word for a session that was closed meanwhile.
            if client.is_closed():
                return STARTING
            raise

    async def rights(self, chat: ChatRef, kind: ChatKind, user: str) -> Rights:
        """What Discord says of a person and of us in a channel or thread; raises RightsUnknown."""
        client = self._client
        if client is None or not client.may_send:
            raise RightsUnknown("Discord is not connected")
        return await rights_in(client.get_channel(int(chat.thread_id or chat.chat_id)), user)


async def _post(client: PaperboyClient, chat: ChatRef, part: Part, key: str) -> Outcome:
    """One message, or a forum's post; once more as plain text where Discord refuses it as it is."""
    put = _put_as(client, chat, part, key)
    try:
        return await put(new_message)
    except discord.HTTPException as error:
        if not is_our_mistake(error):
            raise
        logger.error("Discord refused a part for %s, sent as plain text: %s", chat, error)
        too_large = error.status == 413
    return await put(lambda part: plain_message(part, with_file=not too_large))


def _put_as(
    client: PaperboyClient, chat: ChatRef, part: Part, key: str
) -> Callable[[Fields], Awaitable[Outcome]]:
    """How a part is put where it belongs, given how it is shown."""

    async def message(fields: Fields) -> Outcome:
        channel = client.get_partial_messageable(int(chat.thread_id or chat.chat_id))
        sent = await channel.send(nonce=nonce_of(chat, key), silent=part.quiet, **fields(part))
        return Sent(str(sent.id), thread=chat.thread_id)

    async def post(fields: Fields) -> Outcome:
        channel_id = int(chat.chat_id)
        forum = client.get_channel(channel_id) or await client.fetch_channel(channel_id)
        if isinstance(forum, discord.ForumChannel):
            return await post_in(forum, client.user.id if client.user else 0, chat, part, key, fields)
        return await message(fields)

    if chat.thread_id:
        return message
    in_forum = isinstance(client.get_channel(int(chat.chat_id)), discord.ForumChannel)
    return post if part.post or in_forum else message


def _pin_gateway(http: HTTPClient, gateway: yarl.URL) -> None:
    """Keeps resumed sessions at the configured gateway too.

    The gateway names an address for resuming in its first event; a proxy or a test server may pass on one
    that must not or cannot be reached. One method of the client's own HTTP object opens every connection.
    """
    connect = http.ws_connect

    async def pinned(url: str, *, compress: int = 0) -> Any:
        return await connect(str(gateway.with_query(yarl.URL(url).query)), compress=compress)

    http.ws_connect = pinned  # type: ignore[method-assign]
