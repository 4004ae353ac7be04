"""Updates of different chats at the same time, those of one chat one after another."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any
from weakref import WeakValueDictionary

from telegram import Update
from telegram.ext import BaseUpdateProcessor

AT_ONCE = 64
"""How many updates are handled at the same time, of different chats."""


class InOrder(BaseUpdateProcessor):
    """Handles the updates of different chats at the same time and those of one chat one after another."""

    def __init__(self) -> None:
        super().__init__(AT_ONCE)
        self._turns: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._handling: set[asyncio.Task[Any]] = set()

    async def do_process_update(self, update: object, coroutine: Any) -> None:
        """Waits for the chat's turn and handles the update."""
        chat = update.effective_chat if isinstance(update, Update) else None
        turn = self._turns.setdefault(chat.id if chat else 0, asyncio.Lock())
        with self._noted(), closing(coroutine):
            async with turn:
                await coroutine

    @contextmanager
    def _noted(self) -> Iterator[None]:
        task = asyncio.current_task()
        assert task is not None
        self._handling.add(task)
        try:
            yield
        finally:
            self._handling.discard(task)

    async def initialize(self) -> None:
        """Nothing to prepare."""

    async def shutdown(self) -> None:
        """Gives up what is still being handled."""
        left = list(self._handling)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
