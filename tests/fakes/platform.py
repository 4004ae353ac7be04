"""A platform that receives nothing and knows nobody: what the small fakes of a sender's tests have in common."""

from __future__ import annotations

import asyncio

from bot.ports import Rights, RightsUnknown
from scheduler.models import ChatKind, ChatRef, Platform


class SilentPlatform:
    """Everything of a `ChatAdapter` but `send`."""

    start_link = ""

    def __init__(self, platform: Platform = Platform.TELEGRAM) -> None:
        self.platform = platform

    async def run(self) -> None:
        """Waits until it is cancelled."""
        await asyncio.Event().wait()

    async def rights(self, chat: ChatRef, kind: ChatKind, user: str) -> Rights:
        """Nobody's are known here."""
        raise RightsUnknown
