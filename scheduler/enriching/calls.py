"""One wish to one service: money reserved, a turn waited for, the answer checked, and asked for once more."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from scheduler.enrich.budget import Amount
from scheduler.enrich.glossary import Glossary
from scheduler.enrich.judging import Verdict, judge, taken
from scheduler.enrich.wishes import Part, Wish
from scheduler.enriching.purse import Purse, Unpaid
from scheduler.enriching.standing import Standing
from scheduler.errors import (
    PaperTooLong,
    ProviderError,
    ProviderRefused,
    ProviderThrottled,
    ProviderUnavailable,
)
from scheduler.models import WordingStatus
from scheduler.providers.port import Answer, Provider
from scheduler.store.enrichments import Made

logger = logging.getLogger(__name__)

TRY_AGAIN = timedelta(minutes=10)
"""A paper during which a service failed is left alone for so long, so that it cannot hold up the others."""

SHORTEST = 400
"""An abstract with fewer characters that does not fit is not shortened any more."""


@dataclass(frozen=True, slots=True)
class _Tried:
    """One answer to a wish (which may have been made smaller), judged; no verdict where it could not be read."""

    wish: Wish
    verdict: Verdict | None
    defects: tuple[str, ...]
    cost: Amount

    @property
    def open_parts(self) -> tuple[Part, ...]:
        """What is to be asked for once more."""
        return self.wish.parts if self.verdict is None else self.verdict.faulty

    def bettered(self, second: _Tried) -> _Tried:
        """What both answers together give."""
        cost = self.cost + second.cost
        if self.verdict is None or second.verdict is None:
            return replace(second if self.verdict is None else self, cost=cost)
        best = self.verdict.bettered(second.verdict)
        return replace(self, verdict=best, defects=best.defects, cost=cost)


class Calls:
    """Asks services. `clock` tells the moment, `sleep` waits for seconds, `per_minute` is how many calls may begin.

    `newest_answer` is the moment of the last answer of any service, None before the first one.
    """

    def __init__(
        self,
        purse: Purse,
        glossary: Glossary,
        per_minute: int,
        clock: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self.newest_answer: datetime | None = None
        self._purse = purse
        self._glossary = glossary
        self._gap = timedelta(minutes=1) / per_minute
        self._clock = clock
        self._sleep = sleep
        self._next_turn = datetime.min.replace(tzinfo=UTC)

    async def make(self, provider: Provider, standing: Standing, wish: Wish) -> Mapping[Part, Made]:
        """What came of the wish's parts; nothing for those that are still to be made another time."""
        try:
            first = await self._fitting(provider, standing, wish)
        except (ProviderRefused, ProviderThrottled, Unpaid) as error:
            self._note(standing, error)
            return {}
        except ProviderError as error:
            self._note(standing, error)
            again = isinstance(error, ProviderUnavailable)
            return self._without(provider, wish.parts, str(error), again=again)
        if first.defects and provider.learns:
            first = await self._with_second(provider, standing, first)
        return self._kept(provider, wish, first)

    async def _fitting(self, provider: Provider, standing: Standing, wish: Wish) -> _Tried:
        """The first answer, to a shortened wish where the whole abstract does not fit."""
        while True:
            try:
                return await self._tried(provider, standing, wish, ())
            except PaperTooLong:
                if len(wish.paper.abstract) < SHORTEST or not wish.shortened().parts:
                    raise
                wish = wish.shortened()

    async def _with_second(self, provider: Provider, standing: Standing, first: _Tried) -> _Tried:
        """The first answer, bettered by a second one to what was wrong in it, with the defects named."""
        wish = first.wish.with_parts(first.open_parts)
        try:
            return first.bettered(await self._tried(provider, standing, wish, first.defects))
        except (ProviderError, Unpaid) as error:
            self._note(standing, error)
            return first

    async def _tried(
        self, provider: Provider, standing: Standing, wish: Wish, defects: Sequence[str]
    ) -> _Tried:
        reserved = await self._purse.take(provider, wish, defects)
        used = reserved.amount  # what is not known to be less counts as spent
        try:
            await self._turn()
            answer = await provider.ask(reserved.wish, reserved.amount, defects)
            used = reserved.amount if answer.used is None else answer.used
        except ProviderError as error:
            if not (isinstance(error, ProviderUnavailable) and error.may_be_billed):
                used = Amount()
            raise
        finally:
            await self._purse.settle(reserved, used)
        self.newest_answer = self._clock()
        standing.worked(reserved.day)
        return self._judged(reserved.wish, answer, used)

    def _judged(self, wish: Wish, answer: Answer, used: Amount) -> _Tried:
        if answer.defect:
            return _Tried(wish, None, (answer.defect,), used)
        verdict = judge(wish, answer.words, self._glossary)
        return _Tried(wish, verdict, verdict.defects, used)

    async def probe(self, provider: Provider, wish: Wish) -> str:
        """Asks once, within the budget like any other call; "" for a good answer, else what was wrong with it.

        Raises ProviderError and Unpaid.
        """
        tried = await self._tried(provider, Standing(provider.name), wish, ())
        return "" if tried.verdict is not None else "; ".join(tried.defects)

    async def _turn(self) -> None:
        """Waits so that no more calls begin in a minute than are allowed."""
        now = self._clock()
        turn = max(now, self._next_turn)
        self._next_turn = turn + self._gap
        if turn > now:
            await self._sleep((turn - now).total_seconds())

    def _note(self, standing: Standing, error: ProviderError | Unpaid) -> None:
        """What an error means for the service as a whole."""
        if isinstance(error, Unpaid):
            standing.spent(self._purse.today)
        elif isinstance(error, ProviderRefused):
            standing.stop(str(error))
        elif isinstance(error, ProviderThrottled):
            standing.slow_down(str(error), error.retry_after, self._clock())
        elif isinstance(error, ProviderUnavailable):
            standing.failed(str(error), self._clock())
        else:
            logger.warning("no words from %s: %s", standing.name, error)

    # what is kept

    def _kept(self, provider: Provider, wish: Wish, best: _Tried) -> dict[Part, Made]:
        """What is kept of the answer; parts that the budget left out are not in it, and are asked for another time."""
        if best.verdict is None:
            logger.warning("no usable words for %s: %s", wish.paper.id, "; ".join(best.defects))
            return self._without(provider, best.wish.parts, "; ".join(best.defects), cost=best.cost)
        now = self._clock()
        made = {
            part: Made(one.text, one.status, provider.name, now, one.flags, "; ".join(best.defects))
            for part, one in taken(best.verdict).items()
        }
        if best.wish.is_shortened and Part.ABSTRACT in wish.parts:
            made |= self._without(provider, [Part.ABSTRACT], "too long for the model")
        return _priced(made, best.cost)

    def _without(
        self,
        provider: Provider,
        parts: Iterable[Part],
        reason: str,
        *,
        cost: Amount = Amount(),  # noqa: B008 - frozen
        again: bool = False,
    ) -> dict[Part, Made]:
        """Parts for which there are no words: the original is shown, for now or for good."""
        now = self._clock()
        status = WordingStatus.FAILED if again else WordingStatus.FALLBACK
        next_try = now + TRY_AGAIN if again else None
        made = {
            part: Made("", status, provider.name, now, reason=reason, next_try=next_try) for part in parts
        }
        return _priced(made, cost)


def _priced(made: dict[Part, Made], cost: Amount) -> dict[Part, Made]:
    """The cost of the call stands with its first part."""
    first = next(iter(made), None)
    return made if first is None else {**made, first: replace(made[first], cost=cost)}
