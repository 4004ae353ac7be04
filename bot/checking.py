"""`paperboy check`: what of the settings works, each tried once, and which setting to mend where it does not."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime

from bot import app, services
from bot.config import Settings
from scheduler.enrich.wishes import Part, Wish
from scheduler.enriching import Enricher, Unpaid
from scheduler.errors import ProviderError
from scheduler.models import Paper, PaperId
from scheduler.providers.port import Provider
from scheduler.sources.http import agent_of
from scheduler.sources.wire import HttpWire, Response, WireError
from scheduler.store.thread import StoreThread

PATIENCE = 20.0
"""Seconds that a platform has for its answer."""

SAMPLE = Paper(
    PaperId("2609.00001"),
    1,
    "SailNet: a policy that learns to sail",
    "We propose SailNet, a policy that learns to sail from old logbooks. It wins 87% of 40 races.",
)


@dataclass(frozen=True, slots=True)
class Checked:
    """What was tried, whether it works, and a line that says so or names the setting to mend."""

    name: str
    works: bool
    told: str

    def __str__(self) -> str:
        return f"{'ok   ' if self.works else 'FAULT'}  {self.name}: {self.told}"


async def check(settings: Settings, clock: Callable[[], datetime]) -> AsyncIterator[Checked]:
    """Tries everything that the settings name, one after the other. Raises StoreError for an unusable database."""
    store = StoreThread(app.open_seeded(settings.database))
    try:
        newest = await store.call(lambda store: store.archive.newest_date())
        held = f"papers up to {newest}" if newest else "no papers yet"
        yield Checked("database", True, f"{settings.database}, {held}")
        async for one in _services(settings, store, clock):
            yield one
    finally:
        store.close()
    async for one in _platforms(settings):
        yield one


async def _services(
    settings: Settings, store: StoreThread, clock: Callable[[], datetime]
) -> AsyncIterator[Checked]:
    services.require_names(settings)
    enricher = services.enricher(settings, store, clock)
    try:
        for provider in enricher.providers:
            yield await _service(enricher, provider, clock)
    finally:
        await enricher.close()
    if not enricher.providers:
        yield Checked("model", True, "none is set up (PAPERBOY_MODEL_URL); every TL;DR is an extract")


async def _service(enricher: Enricher, provider: Provider, clock: Callable[[], datetime]) -> Checked:
    lang = "en" if "en" in provider.parts else "zh"
    parts = provider.parts[lang][:1] or (Part.TITLE,)
    wish = Wish(0, SAMPLE, lang, parts, "SailNet wins 87% of 40 races.")
    began = clock()
    try:
        defect = await enricher.calls.probe(provider, wish)
    except Unpaid:
        return Checked(provider.name, True, "not asked: the day's budget is spent")
    except ProviderError as error:
        return Checked(provider.name, False, str(error))
    seconds = (clock() - began).total_seconds()
    if defect:
        return Checked(
            provider.name, False, f"answered, but not what was asked for ({defect}); try another model"
        )
    return Checked(provider.name, True, f"answered in {seconds:.1f} s")


async def _platforms(settings: Settings) -> AsyncIterator[Checked]:
    telegram, discord = settings.telegram_token, settings.discord_token
    if telegram:
        url = f"{settings.telegram_base_url}/bot{telegram.reveal()}/getMe"
        yield await _platform(settings, "telegram", url, {})
    if discord:
        url, headers = f"{settings.discord_api_url}/users/@me", {"Authorization": f"Bot {discord.reveal()}"}
        yield await _platform(settings, "discord", url, headers)
    if not telegram and not discord:
        told = "no platform is set up: PAPERBOY_TELEGRAM_TOKEN or PAPERBOY_DISCORD_TOKEN"
        yield Checked("platforms", False, told)


async def _platform(settings: Settings, name: str, url: str, headers: dict[str, str]) -> Checked:
    """Asks a platform who we are: it needs the token, and changes nothing."""
    wire = HttpWire(agent=agent_of(settings.contact), timeout=PATIENCE)
    try:
        response = await wire.send(url, headers)
    except WireError as error:
        return Checked(name, False, f"{error.words}; see {_address_of(name)}")
    finally:
        await wire.close()
    if response.status in (401, 403, 404):
        return Checked(name, False, f"does not accept the token; see PAPERBOY_{name.upper()}_TOKEN")
    if response.status != 200:
        return Checked(name, False, f"answers HTTP {response.status}; see {_address_of(name)}")
    return Checked(name, True, f"the token is @{_username(response)}'s")


def _address_of(name: str) -> str:
    return {"telegram": "PAPERBOY_TELEGRAM_BASE_URL", "discord": "PAPERBOY_DISCORD_API_URL"}[name]


def _username(response: Response) -> str:
    """Telegram wraps its answer in "result" (Bot API, "Making requests"); Discord does not."""
    try:
        told = json.loads(response.body)
        return str(told.get("result", told)["username"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return "?"
