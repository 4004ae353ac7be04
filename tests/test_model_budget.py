"""Money: whole numbers, reserved before a call, settled after it, never above a cap."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.enrich.budget import Amount, Caps, TokenPrice, affordable, characters
from scheduler.enrich.wishes import Part, Wish
from scheduler.enriching.purse import Purse, Unpaid
from scheduler.providers.port import Answer
from scheduler.store.thread import StoreThread
from tests.builders import memory_store, paper

DAY = date(2026, 9, 29)
NOON = datetime(2026, 9, 29, 12, tzinfo=UTC)
WISH = Wish(1, paper("2609.00001", "A title", "An abstract"), "zh", tuple(Part))


def test_a_token_costs_millionths_and_a_part_of_one_counts_as_a_whole() -> None:
    price = TokenPrice(Decimal("0.15"), Decimal("0.6"))
    assert price.of(720, 430) == Amount(tokens=1150, micros=366)
    assert price.of(1, 0).micros == 1
    assert TokenPrice().of(10, 10) == Amount(tokens=20)
    assert characters(1000, Decimal(20)) == Amount(characters=1000, micros=20_000)


def test_titles_come_first_then_tldrs_then_abstracts() -> None:
    cost = {(): 0, (Part.TITLE,): 10, (Part.TITLE, Part.TLDR): 15, tuple(Part): 40}
    asked = [(WISH, lambda wish: Amount(tokens=cost[wish.parts]))] * 3
    for cap, parts in (
        (9, [0, 0, 0]),
        (25, [2, 1, 0]),
        (40, [2, 2, 1]),
        (45, [2, 2, 2]),
        (70, [3, 2, 2]),
        (120, [3, 3, 3]),
    ):
        assert [len(one) for one in affordable(asked, Amount(), Caps(tokens=cap))] == parts
    assert [len(one) for one in affordable(asked, Amount(tokens=75), Caps(tokens=100))] == [2, 1, 0]


def test_a_cap_is_a_cap_of_its_own_and_none_is_none() -> None:
    assert Caps().allow(Amount(10**9, 10**9, 10**9))
    assert Caps(tokens=5).allow(Amount(5, 99, 99))
    assert not Caps(tokens=5).allow(Amount(6))
    assert not Caps(characters=5).allow(Amount(0, 6))
    assert not Caps(micros=5).allow(Amount(0, 0, 6))


@dataclass
class Shop:
    """A provider whose calls cost what a test says: at most and in the end."""

    prices: list[tuple[int, int]]
    name: str = "shop"
    kind: str = "model"
    version: str = "1"
    learns: bool = False
    parts: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)

    def most(self, wish: Wish, defects: Sequence[str] = ()) -> Amount:
        share = len(wish.parts)
        return Amount(tokens=self.prices[wish.key][0] * share, micros=self.prices[wish.key][0] * share)

    def likely(self, wish: Wish) -> Amount:
        return self.most(wish)

    async def ask(self, wish: Wish, within: Amount, defects: Sequence[str] = ()) -> Answer:
        raise NotImplementedError

    async def close(self) -> None:
        """Nothing is open."""


@settings(max_examples=40)
@given(
    prices=st.lists(st.tuples(st.integers(0, 50), st.integers(0, 100)), min_size=1, max_size=24),
    cap=st.integers(0, 400),
    pauses=st.lists(st.integers(0, 3), min_size=24, max_size=24),
)
def test_eight_calls_at_once_never_exceed_a_cap(
    prices: list[tuple[int, int]], cap: int, pauses: list[int]
) -> None:
    """Each call uses a percentage of what was reserved for it, after some turns of the loop; some never come back."""

    async def run() -> None:
        store = memory_store()
        thread = StoreThread(store)
        shop, caps = Shop(prices), Caps(micros=cap)
        purse = Purse(thread, caps, lambda: NOON)
        waiting = iter(range(len(prices)))
        spent: list[int] = []

        async def buyer() -> None:
            for number in waiting:
                wish = Wish(number, WISH.paper, "zh", tuple(Part))
                try:
                    taken = await purse.take(shop, wish)
                except Unpaid:
                    continue
                assert store.spending.of(DAY).micros <= cap
                for _ in range(pauses[number]):
                    await asyncio.sleep(0)
                used = taken.amount.micros * prices[number][1] // 100
                spent.append(used)
                await purse.settle(taken, Amount(tokens=used, micros=used))

        await asyncio.gather(*(buyer() for _ in range(8)))
        assert store.spending.of(DAY).micros == sum(spent) <= cap
        thread.close()

    asyncio.run(run())


def test_what_calls_under_way_leave_is_waited_for() -> None:
    async def run() -> None:
        store = memory_store()
        thread = StoreThread(store)
        purse = Purse(thread, Caps(micros=100), lambda: NOON)
        shop = Shop([(30, 0)])
        wish = Wish(0, WISH.paper, "zh", tuple(Part))
        first = await purse.take(shop, wish)
        second = asyncio.create_task(purse.take(shop, wish))
        await asyncio.sleep(0.05)
        assert not second.done()
        await purse.settle(first, Amount(micros=5))
        assert (await second).wish.parts == tuple(Part)
        await purse.settle(await second, Amount(micros=60))
        less = await purse.take(shop, wish)
        assert less.wish.parts == (Part.TITLE,)
        await purse.settle(less, less.amount)
        with pytest.raises(Unpaid):
            await purse.take(shop, wish)
        thread.close()

    asyncio.run(run())


def test_what_was_reserved_when_the_process_died_stays_spent() -> None:
    store = memory_store()
    assert store.spending.reserve(DAY, Amount(micros=60), Caps(micros=100))
    assert not store.spending.reserve(DAY, Amount(micros=41), Caps(micros=100))
    assert store.spending.reserve(date(2026, 9, 30), Amount(micros=41), Caps(micros=100))
    store.spending.settle(DAY, Amount(micros=60), Amount(micros=10))
    assert store.spending.of(DAY) == Amount(micros=10)
