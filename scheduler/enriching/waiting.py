"""How long a digest waits for its words, and what it says of those that are not there (`planning.Words`).

A digest whose papers came in good time leaves on its minute. One whose papers came only minutes before its slot may
wait a few seconds more, and one that is late anyway because arXiv was, up to the operator's limit; never while no
answers come, and never for a service that does not work.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from scheduler.enrich.wishes import Part, content_hash, is_untranslated, lacking
from scheduler.enriching.job import Enricher
from scheduler.models import Chat, Digest, DigestPaper, Shortfall
from scheduler.store import Store
from scheduler.store.due import DueChat

ON_TIME = timedelta(seconds=15)
"""How late a digest may be for its words alone."""

LATE = timedelta(minutes=2)
"""A digest whose papers came so long after its slot is late anyway, and minutes more do not matter."""

STALLED = timedelta(seconds=90)
"""When no answer has come for so long, none is waited for."""

_WAITED_FOR = frozenset({Part.TITLE, Part.TLDR})


class Waiting:
    """Answers for one `Enricher` in this process."""

    def __init__(self, enricher: Enricher) -> None:
        self._enricher = enricher

    def is_waited_for(self, store: Store, entry: DueChat, told: Digest, now: datetime) -> bool:
        """True while the slot's digest lacks titles or TL;DRs that are likely to come soon."""
        arrived = _arrived(store, told) if self._enricher.providers else None
        if arrived is None or now >= self._deadline(entry.slot, arrived):
            return False
        newest = self._enricher.calls.newest_answer
        began = max(entry.slot, arrived, newest or arrived)
        if now - began > STALLED:
            return False
        return any(self._may_come(store, one, entry.chat.languages, now) for one in told.papers)

    def _deadline(self, slot: datetime, arrived: datetime) -> datetime:
        patience = arrived + self._enricher.limits.wait
        is_late = arrived - slot > LATE
        return patience if is_late else min(patience, max(slot, arrived) + ON_TIME)

    def _may_come(self, store: Store, one: DigestPaper, languages: Iterable[str], now: datetime) -> bool:
        content = content_hash(one.paper)
        return any(
            self._makers(lang, open_parts - store.enrichments.given_up(content, lang), now)
            for lang in languages
            if (open_parts := _WAITED_FOR.intersection(lacking(one.paper, one.wordings, lang)))
        )

    def _makers(self, lang: str, parts: frozenset[Part], now: datetime) -> bool:
        """Whether a service that works makes one of these parts."""
        return any(
            parts.intersection(one.parts.get(lang, ()))
            and self._enricher.standings[one.name].trouble(now) is None
            for one in self._enricher.providers
        )

    def shortfall(self, store: Store, chat: Chat, told: Digest, now: datetime) -> Shortfall | None:
        """Why papers are not in Chinese for a chat that reads it; None where all are, or nobody translates."""
        makers = [one for one in self._enricher.providers if one.parts.get("zh")]
        if "zh" not in chat.languages or not makers:
            return None
        missing = [one for one in told.papers if is_untranslated(one.wordings)]
        if not missing:
            return None
        if all(store.enrichments.given_up(content_hash(one.paper), "zh") & _WAITED_FOR for one in missing):
            return Shortfall.UNSOUND
        troubles = (self._enricher.standings[one.name].trouble(now) for one in makers)
        return next((trouble for trouble in troubles if trouble is not None), Shortfall.LATE)


def _arrived(store: Store, told: Digest) -> datetime | None:
    """When the first papers of the digest's last category came, None where that is not known."""
    batches = (batch for day in told.dates for batch in store.batches.on(day))
    return max((batch.first_seen for batch in batches if batch.first_seen is not None), default=None)
