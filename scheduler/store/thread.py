"""The store behind one thread of its own, so that no SQL ever holds up the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from scheduler.store import Store, open_store

T = TypeVar("T")


class StoreThread:
    """One open store and the one thread that uses it; calls run one after the other, in order."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")

    @classmethod
    def open(cls, path: Path | None) -> StoreThread:
        """The store in the file at `path`. Raises DatabaseTooNew and StoreError."""
        return cls(open_store(path))

    async def call(self, work: Callable[[Store], T]) -> T:
        """What `work` returns for the store; its exceptions come through.

        Once begun, the work is finished even when the caller is cancelled: a transaction is never half done.
        """
        return await asyncio.get_running_loop().run_in_executor(self._executor, work, self._store)

    def close(self) -> None:
        """Waits for what is under way and closes the file."""
        self._executor.shutdown(wait=True)
        self._store.close()
