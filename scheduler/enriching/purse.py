"""The day's budget, taken from before each call and settled after it, so that calls at once never exceed a cap."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from scheduler.enrich.budget import Amount, Caps, smaller
from scheduler.enrich.wishes import Wish
from scheduler.providers.port import Provider
from scheduler.store.thread import StoreThread


class Unpaid(Exception):
    """The rest of the day's budget does not pay for the call."""


@dataclass(frozen=True, slots=True)
class Reserved:
    """What is paid for: the wish, which may have been made smaller, and at most how much of which day's budget."""

    wish: Wish
    amount: Amount
    day: date


class Purse:
    """Every call of this process reserves here what it costs at the very most; the account is in the store."""

    def __init__(self, store: StoreThread, caps: Caps, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._caps = caps
        self._clock = clock
        self._under_way = 0
        self._changed = asyncio.Condition()

    @property
    def today(self) -> date:
        """The day of the account: UTC's."""
        return self._clock().astimezone(UTC).date()

    async def take(self, provider: Provider, wish: Wish, defects: Sequence[str] = ()) -> Reserved:
        """The wish, or as much of it as can be paid for, and what was reserved. Raises Unpaid.

        Calls under way have reserved more than they will need: what they leave is waited for.
        """
        async with self._changed:
            while (taken := await self._reserved(provider, wish, defects)) is None:
                if self._under_way == 0:
                    taken = await self._less(provider, wish, defects)
                    break
                await self._changed.wait()
            self._under_way += 1
            return taken

    async def _less(self, provider: Provider, wish: Wish, defects: Sequence[str]) -> Reserved:
        for one in smaller(wish):
            if (taken := await self._reserved(provider, one, defects)) is not None:
                return taken
        raise Unpaid

    async def _reserved(self, provider: Provider, wish: Wish, defects: Sequence[str]) -> Reserved | None:
        taken = Reserved(wish, provider.most(wish, defects), self.today)
        there_is = await self._store.call(
            lambda store: store.spending.reserve(taken.day, taken.amount, self._caps)
        )
        return taken if there_is else None

    async def settle(self, taken: Reserved, used: Amount) -> None:
        """Gives back what a call did not use."""
        async with self._changed:
            self._under_way -= 1
            await self._store.call(lambda store: store.spending.settle(taken.day, taken.amount, used))
            self._changed.notify_all()
