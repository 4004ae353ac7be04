"""What calls cost and what may be spent in a day: whole numbers, money in millionths, so that sums are exact. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from scheduler.enrich.wishes import Part, Wish

NOTHING = Decimal(0)


@dataclass(frozen=True, slots=True)
class Amount:
    """Tokens, characters, and money in millionths of the operator's currency."""

    tokens: int = 0
    characters: int = 0
    micros: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(
            self.tokens + other.tokens, self.characters + other.characters, self.micros + other.micros
        )

    def __sub__(self, other: Amount) -> Amount:
        return Amount(
            self.tokens - other.tokens, self.characters - other.characters, self.micros - other.micros
        )


@dataclass(frozen=True, slots=True)
class Caps:
    """The most that may be spent in one day (UTC); None where there is no cap."""

    tokens: int | None = None
    characters: int | None = None
    micros: int | None = None

    def allow(self, amount: Amount) -> bool:
        """True when so much in one day is within every cap."""
        pairs = (
            (amount.tokens, self.tokens),
            (amount.characters, self.characters),
            (amount.micros, self.micros),
        )
        return all(cap is None or value <= cap for value, cap in pairs)


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """Money per million tokens that go in and that come out: a token costs so many millionths."""

    read: Decimal = NOTHING
    written: Decimal = NOTHING

    def of(self, read: int, written: int) -> Amount:
        """What so many tokens are; a part of a millionth counts as a whole one."""
        return Amount(tokens=read + written, micros=_whole(self.read * read + self.written * written))


def characters(count: int, per_million: Decimal) -> Amount:
    """What a text of so many characters is at a price per million of them."""
    return Amount(characters=count, micros=_whole(per_million * count))


def _whole(micros: Decimal) -> int:
    return int(micros.to_integral_value(rounding=ROUND_CEILING))


Cost = Callable[[Wish], Amount]


def affordable(asked: Sequence[tuple[Wish, Cost]], spent: Amount, caps: Caps) -> tuple[tuple[Part, ...], ...]:
    """For each wish the parts that the day's rest is likely to pay for, () for none.

    Every title comes before the first TL;DR, and every TL;DR before the first abstract; within these the order is that
    of `asked`. Each wish is one call all the same.
    """
    chosen: list[tuple[Part, ...]] = [()] * len(asked)
    for part in Part:
        for place, (wish, cost) in enumerate(asked):
            grown = (*chosen[place], part)
            if wish.parts[: len(grown)] != grown:
                continue
            before = cost(wish.with_parts(chosen[place])) if chosen[place] else Amount()
            total = spent + cost(wish.with_parts(grown)) - before
            if caps.allow(total):
                spent, chosen[place] = total, grown
    return tuple(chosen)


def smaller(wish: Wish) -> Iterable[Wish]:
    """The wish with ever fewer parts, the last ones in reading order left out first."""
    for count in range(len(wish.parts) - 1, 0, -1):
        yield wish.with_parts(wish.parts[:count])
