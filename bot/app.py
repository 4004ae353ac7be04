"""Composition root: wires store, desk, adapters, sender and timetable into one process, and takes them down in order.

Everything runs on one event loop. A platform that is down stops only itself: each adapter runs under a supervisor of
its own, which waits longer after each failure and gives up only for what the operator must mend.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import signal
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from bot import savers, services, sharding, standing
from bot.adapters.discord import DiscordAdapter
from bot.adapters.telegram import TelegramAdapter
from bot.commands.desk import Desk
from bot.commands.table import specs
from bot.commands.visit import House, link_note
from bot.config import Settings
from bot.deliveries import render
from bot.outages import Outages
from bot.outbox import Sender
from bot.ports import ChatAdapter, PlatformStopped
from bot.render import fonts
from bot.site import keeping
from scheduler import editions, gaps, harvesting, jobs, meaning, planning, seeds, topics
from scheduler.enriching import Enricher, Waiting
from scheduler.errors import SettingsError
from scheduler.harvesting import Others, StoreMemory
from scheduler.lookups import Lookups
from scheduler.meaning import Encoder
from scheduler.models import Chat, Digest, Platform, Schedule
from scheduler.news import News
from scheduler.sources.http import SourceClient, WebClient
from scheduler.sources.turns import SharedTurns
from scheduler.sources.wire import Wire
from scheduler.store import Store, open_store
from scheduler.store.chats import Defaults
from scheduler.store.lock import Role, holding, opening
from scheduler.store.thread import StoreThread
from scheduler.timetable import Timetable

logger = logging.getLogger(__name__)

FIRST_PAUSE = 2.0
LONGEST_PAUSE = 300.0
GAPS_PAUSE = timedelta(minutes=10)
SAVERS_PAUSE = timedelta(minutes=5)
"""How often it is looked whether somebody's saved papers have changed."""


def clock() -> datetime:
    """Now, aware, in UTC. Everything else is told the time."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Assembly:
    """The parts of a running Paperboy that do not depend on a platform."""

    settings: Settings
    store: StoreThread
    desk: Desk
    news: News


def defaults(settings: Settings) -> Defaults:
    """What a new chat starts with."""
    return Defaults(Schedule(settings.digest_time, settings.timezone), {"en": "en", "zh": "both"})


def open_seeded(path: Path) -> Store:
    """The store in the file at `path`; a new one starts with the seeds. Raises DatabaseTooNew and StoreError."""
    with opening(path):
        store = open_store(path)
        try:
            seeds.load_once(store, clock())
        except BaseException:
            store.close()
            raise
        return store


def assemble(settings: Settings) -> Assembly:
    """Opens the database and sets the desk on it."""
    store = StoreThread(open_seeded(settings.database))
    catalogue = topics.catalogue(settings.topics)
    house = House(
        catalogue,
        settings.categories,
        settings.contact,
        encoder(settings),
        settings.font or fonts.installed(),
        others(settings).names,
        most_for_a_chat=settings.chat_subscriptions,
        most_for_a_member=settings.member_subscriptions,
    )
    desk = Desk(store, house, defaults(settings), settings.lang, clock)
    return Assembly(settings, store, desk, house.news)


def encoder(settings: Settings) -> Encoder | None:
    """What searches by meaning, None where the extra is not installed or turned off."""
    return meaning.installed() if settings.meaning else None


def source_client(
    settings: Settings, store: StoreThread | None = None, wire: Wire | None = None
) -> SourceClient:
    """The one client for arXiv, with the addresses, the pace and the contact of the settings.

    It takes turns with every other process that works on the same database. With `store` it remembers answers over a
    restart; `wire` replaces the network.
    """
    return SourceClient(
        feed_url=settings.arxiv_feed_url,
        listing_url=settings.arxiv_listing_url,
        api_url=settings.arxiv_api_url,
        oai_url=settings.arxiv_oai_url,
        contact=settings.contact,
        pace=settings.arxiv_pace,
        page_pace=settings.arxiv_page_pace,
        turns=SharedTurns(settings.database.with_name(f"{settings.database.name}.pace")),
        memory=StoreMemory(store) if store is not None else None,
        wire=wire,
    )


def web_client(settings: Settings, store: StoreThread | None = None, wire: Wire | None = None) -> WebClient:
    """The client for every other source; what it waits for holds up nothing of arXiv's."""
    memory = StoreMemory(store) if store is not None else None
    return WebClient(contact=settings.contact, memory=memory, wire=wire)


def others(settings: Settings) -> Others:
    """Which other sources are on."""
    return Others(
        settings.sources,
        settings.feeds,
        settings.biorxiv_url,
        settings.huggingface_url,
        settings.allow_private_feeds,
    )


def adapters_of(
    assembly: Assembly, memory: MutableMapping[str, str], roles: Collection[Role] = tuple(Role)
) -> dict[Platform, ChatAdapter]:
    """An adapter for every platform among the roles that has a token."""
    settings, desk = assembly.settings, assembly.desk
    adapters: dict[Platform, ChatAdapter] = {}
    if settings.telegram_token and Role.TELEGRAM in roles:
        adapters[Platform.TELEGRAM] = TelegramAdapter(
            token=settings.telegram_token.reveal(),
            base_url=settings.telegram_base_url,
            answer=desk.answer,
            suggest=desk.suggest,
            inline=desk.inline,
            commands=specs(),
            standing=desk.standing,
            command_hashes=memory,
        )
    if settings.discord_token and Role.DISCORD in roles:
        adapters[Platform.DISCORD] = DiscordAdapter(
            token=settings.discord_token.reveal(),
            api_url=settings.discord_api_url,
            gateway_url=settings.discord_gateway_url,
            answer=desk.answer,
            suggest=desk.suggest,
            commands=specs(),
            standing=desk.standing,
            memory=memory,
            shard_count=settings.discord_shard_count,
            shard_ids=settings.discord_shard_ids,
            turn=sharding.session_turns(settings, clock),
        )
    return adapters


def require_tokens(settings: Settings, roles: Collection[Role] = tuple(Role)) -> None:
    """Raises SettingsError when a role that was asked for has no token; all roles together need one platform."""
    tokens = {Role.TELEGRAM: settings.telegram_token, Role.DISCORD: settings.discord_token}
    if set(roles) != set(Role):
        for role, token in tokens.items():
            if role in roles and not token:
                raise SettingsError(f"--only {role} needs PAPERBOY_{role.upper()}_TOKEN in .env")
    elif not any(tokens.values()):
        raise SettingsError(
            "no chat platform is set up: put PAPERBOY_TELEGRAM_TOKEN or PAPERBOY_DISCORD_TOKEN into .env, "
            "or try everything without one: paperboy demo"
        )


async def run(settings: Settings, roles: Collection[Role] = tuple(Role)) -> int:
    """Runs until SIGTERM or SIGINT (0), or until no platform can go on (1).

    `roles` are the shares of the work that this process takes; others may take the rest on the same database.
    Raises SettingsError and AlreadyRunning before it starts.
    """
    require_tokens(settings, roles)
    services.require_names(settings)
    async with contextlib.AsyncExitStack() as stack:
        stack.enter_context(holding(settings.database, tuple(roles), clock(), sharding.shards_of(settings)))
        assembly = assemble(settings)
        stack.callback(assembly.store.close)
        memory = await _Memory.read(assembly.store)
        adapters = adapters_of(assembly, memory, roles)
        assembly.desk.meet(adapters)
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for signal_number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(signal_number, stop.set)
        senders = sharding.senders_of(settings, adapters)
        sender = Sender(assembly.store, senders, clock)
        await assembly.store.call(
            lambda store: store.outbox.recover([str(name) for name in senders], clock())
        )
        platforms = [_start(stack, _keep_up(adapter, sender)) for adapter in adapters.values()]
        _start(stack, sender.run())
        _start(stack, memory.keep_written(assembly.store))
        _start(stack, _leave_links(adapters, memory))
        client = await stack.enter_async_context(source_client(settings, assembly.store))
        lookups = Lookups(client, assembly.store, clock)
        stack.push_async_callback(lookups.close)
        assembly.desk.look_up_with(lookups.find)
        if Role.SCHEDULER in roles:
            web = await stack.enter_async_context(web_client(settings, assembly.store))
            enricher = services.enricher(settings, assembly.store, clock, news=assembly.news)
            stack.push_async_callback(enricher.close)
            if enricher.translates_abstracts():
                assembly.desk.translate_with(partial(enricher.make_now, lang="zh"))
            _tick(stack, assembly, client, web, sender, adapters, enricher)
        shares = adapters if set(roles) == set(Role) else sorted(roles)
        logger.info("Paperboy is up: %s; categories %s", ", ".join(shares), ", ".join(settings.categories))
        return await _until(stop, platforms)


async def _leave_links(adapters: Mapping[Platform, ChatAdapter], memory: MutableMapping[str, str]) -> None:
    """Notes how each platform opens a private talk with us, for a process that plans without an adapter."""
    missing = dict(adapters)
    while missing:
        for platform, adapter in list(missing.items()):
            if link := adapter.start_link:
                memory[link_note(platform)] = link
                del missing[platform]
        await asyncio.sleep(1)


async def _until(stop: asyncio.Event, platforms: Sequence[asyncio.Task[None]]) -> int:
    """Waits for the signal to stop (0), or for the last platform to give up (1), if there is any."""
    if not platforms:
        await stop.wait()
        return 0
    stopping = asyncio.create_task(stop.wait())
    over = asyncio.create_task(_all_of(platforms))
    await asyncio.wait([stopping, over], return_when=asyncio.FIRST_COMPLETED)
    if stop.is_set():
        over.cancel()
        logger.info("Stopping: parts in flight are finished first")
        return 0
    stopping.cancel()
    logger.error("No platform can go on; mend the settings named above and start again")
    return 1


async def _all_of(tasks: Sequence[asyncio.Task[None]]) -> None:
    await asyncio.wait(tasks)


def _start(stack: contextlib.AsyncExitStack, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
    """A task that is cancelled and waited for when the stack unwinds."""
    task = asyncio.create_task(work)

    async def end() -> None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    stack.push_async_callback(end)
    return task


def _tick(
    stack: contextlib.AsyncExitStack,
    assembly: Assembly,
    client: SourceClient,
    web: WebClient,
    sender: Sender,
    adapters: Mapping[Platform, ChatAdapter],
    enricher: Enricher,
) -> None:
    settings, store = assembly.settings, assembly.store

    links: dict[str, str] = {}

    def note_links(store: Store) -> None:
        links.update((name, store.notes.get(link_note(name), "")) for name in Platform)

    def rendered(chat: Chat, digest: Digest, run_key: str) -> tuple[str, ...]:
        adapter = adapters.get(chat.ref.platform)
        link = adapter.start_link if adapter is not None else links.get(chat.ref.platform, "")
        return render(chat, digest, run_key, link)

    planner = editions.Planner(rendered, assembly.news, Waiting(enricher))

    def round_now(store: Store) -> editions.Work:
        note_links(store)
        names = planning.wanted_categories(store, settings.categories)
        return editions.Work(planning.round_at(store, clock(), names))

    async def plan() -> None:
        work = await store.call(round_now)
        total = 0
        while not work.is_over:
            # A call for each step: people are answered in between, and the first digests leave at once.
            planned = await store.call(partial(planner.step, work=work))
            total += planned
            if planned:
                sender.wake()
        if total:
            logger.info("%d digests planned", total)

    async def fetch() -> None:
        await jobs.fetch_if_due(client, store, settings.categories, clock())

    async def fill_gaps() -> None:
        await gaps.fill(client, store, clock())

    async def look_after_chats() -> None:
        await store.call(lambda store: standing.look_after(store, clock()))

    async def clear() -> None:
        steps = await store.call(lambda store: store.clear(clock()))
        while await store.call(lambda _: next(steps, None)) is not None:
            pass

    async def tell_savers() -> None:
        if await store.call(lambda store: savers.tell_if_due(store, clock())):
            sender.wake()

    async def fetch_others() -> None:
        await harvesting.fetch_others_if_due(web, store, others(settings), clock())

    async def learn() -> None:
        reader = encoder(settings)
        if reader is not None:
            await meaning.learn(reader, store, settings.tick / 2)

    async def enrich() -> None:
        await enricher.enrich_if_due(clock())

    async def tidy() -> None:
        await store.call(lambda store: store.archive.tidy())

    timetable, tick = Timetable(), timedelta(seconds=settings.tick)
    timetable.every(tick, "fetch", fetch, clock())
    timetable.every(GAPS_PAUSE, "gaps", fill_gaps, clock() + tick)
    timetable.every(tick, "plan", plan, clock())
    if enricher.providers:
        timetable.every(tick, "enrich", enrich, clock())
    timetable.every(tick, "tidy", tidy, clock())
    timetable.every(SAVERS_PAUSE, "savers", tell_savers, clock())
    timetable.every(timedelta(days=1), "chats", look_after_chats, clock())
    timetable.every(timedelta(days=1), "clear", clear, clock() + tick)
    if settings.sources or settings.feeds:
        timetable.every(tick, "others", fetch_others, clock())
    timetable.every(tick, "learn", learn, clock())
    if settings.site_dir:
        site = keeping.command(
            str(settings.database), str(settings.site_dir), settings.site_lang, settings.site_url
        )
        keeper = keeping.Keeper(store, site, settings.categories, clock)
        timetable.every(tick, "site", keeper.write_if_due, clock())
    timetable.start()
    stack.callback(timetable.stop)


async def _keep_up(adapter: ChatAdapter, sender: Sender) -> None:
    await supervise(adapter.platform, adapter.run)
    sender.let_go(adapter.platform)


async def supervise(
    name: str,
    run_once: Callable[[], Awaitable[None]],
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    now: Callable[[], datetime] = clock,
) -> None:
    """Runs a platform again and again, waiting longer after each failure; ends when trying again is useless.

    A long outage is told of in a handful of lines.
    """
    failures, outages = 0, Outages()
    while True:
        started = asyncio.get_running_loop().time()
        try:
            await run_once()
            reason = "it ended by itself"
        except PlatformStopped as error:
            logger.error("%s is off: %s", name, error)
            return
        except Exception as error:
            if (task := asyncio.current_task()) is not None and task.cancelling():
                # What broke on the way out must not make the stop unheard: nobody says it twice.
                raise asyncio.CancelledError from error
            reason = f"{type(error).__name__}: {error}"
        was_up = asyncio.get_running_loop().time() - started > LONGEST_PAUSE
        failures = 1 if was_up else failures + 1
        if was_up:
            outages.over(name, now())
        pause = random.uniform(FIRST_PAUSE / 2, min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**failures))
        if outages.is_news(name, now()):
            logger.warning("%s is down (%s); trying again in %.0f s, and so on", name, reason, pause)
        await sleep(pause)


class _Memory(dict[str, str]):
    """What adapters remember over a restart: a dict that is written to the store's notes a moment later.

    Adapters write it on the event loop, where no SQL may run.
    """

    @classmethod
    async def read(cls, store: StoreThread) -> _Memory:
        return cls(await store.call(lambda store: dict(store.notes)))

    async def keep_written(self, store: StoreThread) -> None:
        """Writes every change until cancelled, and the last ones then."""
        written = dict(self)
        try:
            while True:
                await asyncio.sleep(1)
                await self._write(store, written)
        finally:
            await self._write(store, written)

    async def _write(self, store: StoreThread, written: dict[str, str]) -> None:
        """Writes what differs from `written` and notes it there; what cannot be written now is tried again."""
        changed = {name: value for name, value in self.items() if written.get(name) != value}
        if not changed:
            return
        try:
            await store.call(lambda store: store.notes.update(changed))
        except Exception as error:
            logger.warning("%s could not be remembered: %s", ", ".join(changed), error)
        else:
            written.update(changed)
