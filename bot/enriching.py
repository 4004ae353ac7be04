"""`paperboy enrich`: the TL;DRs and translations of the coming digests at once, for who runs no `paperboy run`."""

from __future__ import annotations

from datetime import timedelta

from bot import app, services
from bot.config import Settings
from bot.markup import dialect_for, pack
from bot.render.view import View
from bot.render.words import words_blocks
from scheduler.errors import SettingsError
from scheduler.models import Platform
from scheduler.store.lock import Role, holding
from scheduler.store.thread import StoreThread

EVERY_NEXT = timedelta(days=31)
"""Each chat's next digest comes within it, whatever its schedule: who asks for words at once means a weekly one too."""


async def enrich(settings: Settings) -> str:
    """Makes what is lacking as far as services and budget go; what came of it, as lines to read.

    Raises SettingsError where no service is set up, and AlreadyRunning where a Paperboy does the same already.
    """
    services.require_names(settings)
    if not settings.model_url and not settings.translator:
        raise SettingsError("no model is set up: put PAPERBOY_MODEL_URL or PAPERBOY_TRANSLATOR into .env")
    with holding(settings.database, (Role.SCHEDULER,), app.clock()):
        store = StoreThread(app.open_seeded(settings.database))
        try:
            return await _made(settings, store)
        finally:
            store.close()


async def _made(settings: Settings, store: StoreThread) -> str:
    enricher = services.enricher(settings, store, app.clock, ahead=EVERY_NEXT)
    try:
        await enricher.enrich_if_due(app.clock())
    finally:
        await enricher.close()
    report = await store.call(lambda store: services.standing(settings, store, app.clock()))
    view = View(lang="en", content="en", zone=settings.timezone, platform=Platform.CONSOLE)
    shown = [one.plain for one in pack(words_blocks(report, view), dialect_for(Platform.CONSOLE))]
    return "\n".join([*shown, _outcome(enricher.lacking)])


def _outcome(lacking: int) -> str:
    if not lacking:
        return "There is nothing more to make for the next digests now."
    who = (
        "1 paper of the next digests lacks" if lacking == 1 else f"{lacking} papers of the next digests lack"
    )
    return f"{who} words still; the lines above say how the services stand."
