"""Discord's shards over several processes: which are this one's, whether it sends, and when a session may begin."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime

from bot.config import Settings
from bot.ports import ChatAdapter
from scheduler.models import Platform
from scheduler.sources.turns import SharedTurns
from scheduler.store.lock import Shards

FIRST_SHARD = 0
"""The shard that direct messages come to ("Gateway", "Sharding"); its process also does what only one may do."""

SESSION_PACE = 5.0
"""Seconds between the beginnings of two sessions ("Gateway", "Sharding": max_concurrency)."""


def shards_of(settings: Settings) -> Shards | None:
    """The shards that this process takes, None for all of Discord."""
    ids = settings.discord_shard_ids
    return Shards(ids, settings.discord_shard_count) if ids else None


def senders_of(settings: Settings, adapters: Mapping[Platform, ChatAdapter]) -> dict[Platform, ChatAdapter]:
    """The adapters through which this process sends. Of Discord's shards the first one's process does, for all."""
    ids = settings.discord_shard_ids
    silent = {Platform.DISCORD} if ids and FIRST_SHARD not in ids else set()
    return {platform: adapter for platform, adapter in adapters.items() if platform not in silent}


def session_turns(settings: Settings, clock: Callable[[], datetime]) -> Callable[[], Awaitable[None]]:
    """Waits until this process may begin a session at Discord's gateway: one in five seconds over all processes."""
    turns = SharedTurns(settings.database.with_name(f"{settings.database.name}.discord.pace"))

    async def turn() -> None:
        async with turns.held() as board:
            await asyncio.sleep(board.of("session").left(clock().timestamp()))
            board.pause("session", clock().timestamp(), SESSION_PACE)

    return turn
