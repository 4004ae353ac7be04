"""What every model and translation service offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from scheduler.enrich.budget import Amount
from scheduler.enrich.wishes import Part, Wish


@dataclass(frozen=True, slots=True)
class Answer:
    """The words of one answer, cleaned, and what it did cost: None where the service did not say.

    `defect` says in a few words why there are none in an answer that is not what was asked for.
    """

    words: Mapping[Part, str]
    used: Amount | None
    defect: str = ""


class Provider(Protocol):
    """One service.

    `name` is the origin that readers see, `kind` the sort of service and `version` whatever else of it makes other
    words (the prompt). `parts` are the words that it makes, by language. `learns` is true for one that does better when
    it is told what was wrong.
    """

    name: str
    kind: str
    version: str
    parts: Mapping[str, tuple[Part, ...]]
    learns: bool

    def most(self, wish: Wish, defects: Sequence[str] = ()) -> Amount:
        """What a call costs at the very most."""

    def likely(self, wish: Wish) -> Amount:
        """What a call is likely to cost."""

    async def ask(self, wish: Wish, within: Amount, defects: Sequence[str] = ()) -> Answer:
        """The words, at a cost of at most `within` (`most`, at an earlier moment).

        `defects` are those of an earlier answer. Raises ProviderError.
        """

    async def close(self) -> None:
        """Let go of every connection."""
