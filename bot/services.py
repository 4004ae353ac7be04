"""The models and translation services that the settings name, ready to be asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from bot.config import Settings
from scheduler import planning, seeds
from scheduler.enrich.budget import Caps, TokenPrice
from scheduler.enrich.glossary import Glossary
from scheduler.enrich.wishes import Part
from scheduler.enriching import Enricher, Limits, Report, report
from scheduler.errors import SettingsError
from scheduler.news import News
from scheduler.providers.calling import Caller, Place
from scheduler.providers.chat_model import ChatModel
from scheduler.providers.port import Provider
from scheduler.providers.translators import DIALECTS, Translator
from scheduler.sources.http import agent_of
from scheduler.store import Store
from scheduler.store.thread import StoreThread

TRANSLATOR_TIMEOUT = 30.0


class StoredShapes:
    """What endpoints take, kept in the store's notes (`chat_model.ShapeMemory`)."""

    def __init__(self, store: StoreThread) -> None:
        self._store = store

    async def recall(self, endpoint: str) -> str:
        """What was remembered of an endpoint, "" for nothing."""
        return await self._store.call(lambda store: store.notes.get(_note(endpoint), ""))

    async def remember(self, endpoint: str, shape: str) -> None:
        """Keeps it."""
        await self._store.call(lambda store: store.notes.update({_note(endpoint): shape}))


def _note(endpoint: str) -> str:
    return f"request shape {endpoint}"


def require_names(settings: Settings) -> None:
    """Raises SettingsError for a model or a translator that is named only by half."""
    if settings.model_url and not settings.model_name:
        raise SettingsError("PAPERBOY_MODEL_URL is set, so PAPERBOY_MODEL_NAME must say which model")
    if settings.model_name and not settings.model_url:
        raise SettingsError("PAPERBOY_MODEL_NAME is set, so PAPERBOY_MODEL_URL must say where the model is")
    needs_key = settings.translator in ("deepl", "google")
    if needs_key and not settings.translator_key:
        raise SettingsError(f"PAPERBOY_TRANSLATOR={settings.translator} needs PAPERBOY_TRANSLATOR_KEY")


def enricher(
    settings: Settings,
    store: StoreThread,
    clock: Callable[[], datetime],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    news: News | None = None,
    ahead: timedelta = planning.COMING,
) -> Enricher:
    """What makes words with the services of the settings; it does nothing where there are none.

    `news` is shared with whoever plans digests on the same store; words are made for digests that come within `ahead`.
    """
    glossary = seeds.glossary(settings.glossary)
    made_by = providers(settings, store, glossary)
    return Enricher(store, made_by, glossary, limits(settings), clock, sleep, news, ahead)


def standing(settings: Settings, store: Store, now: datetime) -> Report:
    """How the services of the settings stand."""
    named = [DIALECTS[settings.translator].title] if settings.translator else []
    named += [settings.model_name] if settings.model_url else []
    return report(store, named, limits(settings).caps, now)


def limits(settings: Settings) -> Limits:
    """How much may be asked, and spent in a day."""
    money = settings.daily_money
    caps = Caps(
        settings.daily_tokens, settings.daily_characters, None if money is None else int(money * 1_000_000)
    )
    return Limits(
        caps, settings.calls_at_once, settings.calls_a_minute, timedelta(seconds=settings.words_wait)
    )


def providers(settings: Settings, store: StoreThread, glossary: Glossary) -> tuple[Provider, ...]:
    """The services in the order in which they are asked: what the translator does not do is the model's."""
    found: list[Provider] = []
    if settings.translator:
        found.append(_translator(settings))
    if settings.model_url:
        found.append(_model(settings, store, glossary))
    return tuple(found)


def _model(settings: Settings, store: StoreThread, glossary: Glossary) -> ChatModel:
    mend = {0: "PAPERBOY_MODEL_URL", 401: "PAPERBOY_MODEL_KEY", 402: "PAPERBOY_MODEL_KEY"}
    mend |= {403: "PAPERBOY_MODEL_KEY", 404: "PAPERBOY_MODEL_URL and PAPERBOY_MODEL_NAME"}
    place = Place(settings.model_name, settings.model_url, settings.model_key.reveal(), mend)
    return ChatModel(
        _caller(settings, place, settings.model_timeout),
        settings.model_name,
        glossary,
        price=TokenPrice(settings.model_price_read, settings.model_price_written),
        memory=StoredShapes(store),
        parts={"en": (Part.TLDR,), "zh": tuple(Part)},
    )


def _translator(settings: Settings) -> Translator:
    dialect, key = DIALECTS[settings.translator], settings.translator_key.reveal()
    mend = {0: "PAPERBOY_TRANSLATOR_URL", 404: "PAPERBOY_TRANSLATOR_URL"}
    mend |= dict.fromkeys((401, 402, 403, 456), "PAPERBOY_TRANSLATOR_KEY")
    place = Place(dialect.title, settings.translator_url or dialect.usual_url(key), key, mend)
    parts = {"zh": tuple(Part(name) for name in settings.translator_parts)}
    caller = _caller(settings, place, TRANSLATOR_TIMEOUT)
    return Translator(caller, dialect, price=settings.translator_price, parts=parts)


def _caller(settings: Settings, place: Place, timeout: float) -> Caller:
    agent = agent_of(settings.contact)
    return Caller(place, agent=agent, timeout=timeout, calls=settings.calls_at_once)
