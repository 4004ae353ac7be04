"""The job that the timetable ticks: it looks at what chats will be told of, and makes what their readers lack."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import partial

from scheduler import enrich, planning
from scheduler.enrich.budget import affordable
from scheduler.enrich.glossary import Glossary
from scheduler.enrich.wishes import Part, Wish, content_hash, lacking
from scheduler.enriching import standing as standings
from scheduler.enriching.calls import Calls
from scheduler.enriching.limits import Limits
from scheduler.enriching.purse import Purse
from scheduler.enriching.standing import Standing
from scheduler.models import Paper, Wording, WordingStatus
from scheduler.news import News
from scheduler.providers.port import Provider
from scheduler.store import Store
from scheduler.store.due import DueChat
from scheduler.store.enrichments import Made, Recipe
from scheduler.store.thread import StoreThread

logger = logging.getLogger(__name__)

LOOK_AGAIN = timedelta(minutes=5)
"""Papers get other words, and pauses end, without a trace in what is looked at every tick."""

SLICE = 40
"""Wishes after which it is asked whether there are other papers or chats."""

LONGEST_WAIT = 30.0
"""Seconds; a service that asked for a shorter pause is waited for, for a longer one the job comes again."""

PAPERS_AT_ONCE = 50
"""Papers looked up in one call to the store, so that people are answered in between."""

BROKEN_PAUSE = timedelta(hours=1)

_Asked = tuple[Provider, Wish]
_BY_PEOPLE = frozenset({"extract", "editor", "import"})


@dataclass(frozen=True, slots=True)
class _Reading:
    """A paper that somebody will read in a language."""

    key: int
    lang: str


class Enricher:
    """Makes words for the digests that come within `ahead`. `providers` are asked in their order: the first that makes
    a part makes it.

    `lacking` is how many papers lacked something at the last look, before anything was asked for.
    """

    def __init__(
        self,
        store: StoreThread,
        providers: Sequence[Provider],
        glossary: Glossary,
        limits: Limits,
        clock: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        news: News | None = None,
        ahead: timedelta = planning.COMING,
    ) -> None:
        self.providers = tuple(providers)
        self.lacking = 0
        self.standings = {one.name: Standing(one.name) for one in providers}
        self.limits = limits
        self.calls = Calls(Purse(store, limits.caps, clock), glossary, limits.per_minute, clock, sleep)
        self._store = store
        self._glossary = glossary
        self._clock = clock
        self._sleep = sleep
        self._news = news or News()
        self._ahead = ahead
        self._looked: datetime | None = None
        self._stamp = ""
        self._has_rest = False
        self._busy = asyncio.Lock()
        self._asked_for: dict[tuple[int, str], asyncio.Task[None]] = {}

    async def close(self) -> None:
        """Waits until the job has put down what it was at, and lets go of every connection."""
        await asyncio.gather(*self._asked_for.values(), return_exceptions=True)
        async with self._busy:
            for provider in self.providers:
                await provider.close()

    async def enrich_if_due(self, now: datetime) -> None:
        """Makes what is lacking for the coming digests, as far as services and budget go; returns when there is no
        more to do for now."""
        async with self._busy:
            if any(map(self._may_be_asked, self.providers)) and await self._is_due(now):
                while await self._look():
                    logger.debug("looking at the coming digests again")

    async def make_now(self, key: int, lang: str) -> None:
        """Makes what a reader of `lang` lacks of one paper, because somebody asks for it; within the same budget.

        Those who ask for the same at the same time wait for one call. What came of it stands in the archive.
        """
        task = self._asked_for.get((key, lang))
        if task is None:
            task = self._asked_for[key, lang] = asyncio.create_task(self._make_now(_Reading(key, lang)))
            task.add_done_callback(lambda _: self._asked_for.pop((key, lang), None))
        await asyncio.wait({task})

    async def _make_now(self, reading: _Reading) -> None:
        lacking_now = await self._store.call(partial(self._lacking, readings=[reading], now=self._clock()))
        for provider, wish in lacking_now:
            if self._may_be_asked(provider):
                await self._one(provider, wish)
        await self._store.call(self._note_standings)

    async def _is_due(self, now: datetime) -> bool:
        is_old = self._looked is None or now - self._looked >= LOOK_AGAIN
        return await self._has_changed() or self._has_rest or is_old

    async def _has_changed(self) -> bool:
        """Whether there are other papers, or chats that follow or read something else, than when last asked."""
        first = self._clock().astimezone(UTC).date() - planning.LOOK_BACK
        before, self._stamp = self._stamp, await self._store.call(partial(_stamp, first=first))
        return before != self._stamp

    async def _look(self) -> bool:
        """One look at the coming digests, and the calls for what they lack; True to look again at once.

        It is broken off for another look when the news or the chats change: the order may be another one then.
        """
        now = self._looked = self._clock()
        lacking_now = await self._wishes(now)
        self.lacking = len({wish.key for _, wish in lacking_now})
        open_to = [one for one in lacking_now if self._may_be_asked(one[0])]
        wishes = await self._affordable(open_to, now)
        made = 0
        for start in range(0, len(wishes), SLICE):
            made += await self._all(wishes[start : start + SLICE])
            await self._store.call(self._note_standings)
            if await self._has_changed():
                return True
        if lacking_now:
            await self._store.call(self._note_standings)
        self._has_rest = bool(wishes) or len(open_to) < len(lacking_now)
        if made:
            logger.info("words were made for %d papers and languages", made)
        return made > 0

    def _note_standings(self, store: Store) -> None:
        for one in self.standings.values():
            standings.note(store, one, self._clock())

    # what is lacking

    async def _wishes(self, now: datetime) -> list[_Asked]:
        """Everything that readers will lack, the soonest digest first and each in its own order."""
        readings = await self._readings(now)
        wishes: list[_Asked] = []
        for start in range(0, len(readings), PAPERS_AT_ONCE):
            some = readings[start : start + PAPERS_AT_ONCE]
            wishes += await self._store.call(partial(self._lacking, readings=some, now=now))
        return wishes

    async def _readings(self, now: datetime) -> list[_Reading]:
        due = await self._store.call(lambda store: planning.coming(store, now, self._ahead))
        came = await self._store.call(lambda store: planning.round_at(store, now))
        readings: dict[_Reading, None] = {}
        for entry in filter(self._reads_ours, due):
            told = await self._store.call(
                partial(planning.coming_digest, entry=entry, came=came, news=self._news)
            )
            for key in told.keys:
                if key not in told.left_out:
                    readings |= {_Reading(key, lang): None for lang in entry.chat.languages}
        return list(readings)

    def translates_abstracts(self) -> bool:
        """Whether any service makes Chinese abstracts."""
        return any(Part.ABSTRACT in one.parts.get("zh", ()) for one in self.providers)

    def _reads_ours(self, entry: DueChat) -> bool:
        return any(one.parts.get(lang) for one in self.providers for lang in entry.chat.languages)

    def _lacking(self, store: Store, readings: Sequence[_Reading], now: datetime) -> list[_Asked]:
        known = {one.key: one for one in store.archive.by_key([reading.key for reading in readings])}
        wishes: list[_Asked] = []
        for reading in readings:
            if (paper := known.get(reading.key)) is not None:
                wishes += self._of_paper(store, reading, paper.paper, paper.wordings, now)
        return wishes

    def _of_paper(
        self, store: Store, reading: _Reading, paper: Paper, words: Mapping[str, Wording], now: datetime
    ) -> Iterable[_Asked]:
        """The wishes for one paper; what was made of the same words before is put in at once."""
        content = content_hash(paper)
        current = words.get(reading.lang)
        if current is not None and _is_stale(store, current, content, reading.lang):
            words = {lang: word for lang, word in words.items() if lang != reading.lang}
        open_parts = lacking(paper, words, reading.lang)
        tldr = enrich.complete(paper, words).get("en", Wording("en")).tldr
        for provider in self.providers:
            parts = tuple(part for part in open_parts if part in provider.parts.get(reading.lang, ()))
            open_parts = tuple(part for part in open_parts if part not in parts)
            made = store.enrichments.of(self.recipe(provider, content, reading.lang)) if parts else {}
            found = {part: made[part] for part in parts if part in made and made[part].text}
            put_in(store, reading.key, reading.lang, found)
            left = tuple(part for part in parts if _is_open(made.get(part), now))
            if left:
                yield provider, Wish(reading.key, paper, reading.lang, left, tldr)

    def recipe(self, provider: Provider, content: str, lang: str) -> Recipe:
        """What the words of this content by this service are kept under."""
        glossary = "" if lang == "en" else f", glossary {self._glossary.version}"
        return Recipe(content, lang, f"{provider.kind} {provider.name}, {provider.version}{glossary}")

    # what is paid for, and made

    async def _affordable(self, wishes: Sequence[_Asked], now: datetime) -> list[_Asked]:
        """The wishes that can be asked for now, as far as the day's rest is likely to pay for them."""
        today = now.astimezone(UTC).date()
        spent = await self._store.call(lambda store: store.spending.of(today))
        chosen = affordable([(wish, one.likely) for one, wish in wishes], spent, self.limits.caps)
        paid = [
            (one, wish.with_parts(parts)) for (one, wish), parts in zip(wishes, chosen, strict=True) if parts
        ]
        for provider in {one for one, _ in wishes} - {one for one, _ in paid}:
            self.standings[provider.name].spent(today)
        return paid

    def _may_be_asked(self, provider: Provider) -> bool:
        """False for one that refuses, or that wants to be left alone for longer than can be waited for."""
        standing = self.standings[provider.name]
        return not standing.is_stopped and standing.pause_left(self._clock()) <= LONGEST_WAIT

    async def _all(self, wishes: Sequence[_Asked]) -> int:
        """Asks for all of these, some at once and in their order; how many came to something."""
        waiting = iter(wishes)
        done = await asyncio.gather(*(self._work_off(waiting) for _ in range(self.limits.calls)))
        return sum(done)

    async def _work_off(self, waiting: Iterator[_Asked]) -> int:
        done = 0
        for provider, wish in waiting:
            if self._may_be_asked(provider):
                await self._sleep(self.standings[provider.name].pause_left(self._clock()))
                done += await self._one(provider, wish)
        return done

    async def _one(self, provider: Provider, wish: Wish) -> bool:
        """Makes the words of one wish and puts them into the archive; false when it is to be tried another time."""
        try:
            made = await self.calls.make(provider, self.standings[provider.name], wish)
        except Exception:
            logger.exception("no words for %s: this should not have happened", wish.paper.id)
            made = broken(wish, provider.name, self._clock())
        if made:
            recipe = self.recipe(provider, wish.content, wish.lang)
            await self._store.call(lambda store: keep(store, wish, recipe, made))
        return any(one.next_try is None for one in made.values())


def _stamp(store: Store, first: date) -> str:
    return f"{store.archive.announced_since(first)} {store.chats.stamp()}"


def _is_stale(store: Store, current: Wording, content: str, lang: str) -> bool:
    """True for a machine's words that were made from other words than the paper has now."""
    return current.origin not in _BY_PEOPLE and not store.enrichments.has_content(content, lang)


def _is_open(made: Made | None, now: datetime) -> bool:
    """True for a part that was never tried, or that is to be tried again."""
    return made is None or (not made.text and made.next_try is not None and made.next_try <= now)


def keep(store: Store, wish: Wish, recipe: Recipe, made: Mapping[Part, Made]) -> None:
    """Into the cache, and into the archive what readers may see; in one transaction."""
    with store.writing():
        store.enrichments.keep(recipe, made)
        put_in(store, wish.key, wish.lang, made)


def put_in(store: Store, key: int, lang: str, made: Mapping[Part, Made]) -> None:
    """Adds the texts to the paper's words; nothing where there is no text."""
    shown = {part: one for part, one in made.items() if one.text}
    if not shown:
        return
    title, tldr, abstract = (shown[part].text if part in shown else "" for part in Part)
    flags = tuple(flag for one in shown.values() for flag in one.flags)
    status = WordingStatus.FLAGGED if flags else WordingStatus.OK
    origin = next(iter(shown.values())).origin
    store.archive.add_wording(key, Wording(lang, title, tldr, abstract, origin, flags, status))


def broken(wish: Wish, origin: str, now: datetime) -> dict[Part, Made]:
    """What is kept of a wish that ran into a fault of ours."""
    made = Made(
        "", WordingStatus.FAILED, origin, now, reason="a fault of Paperboy's", next_try=now + BROKEN_PAUSE
    )
    return dict.fromkeys(wish.parts, made)
