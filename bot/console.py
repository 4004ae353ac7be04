"""`paperboy demo` and `paperboy chat`: a whole Paperboy in one terminal, without a token, a network or a model."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from datetime import date, timedelta
from pathlib import Path

import click

from bot import app
from bot.adapters.console import ConsoleAdapter
from bot.config import Settings, no_colour
from bot.deliveries import render
from bot.locale import Translator, translator
from bot.outbox import Sender
from bot.pacing import Pace
from bot.ports import Attachment, Picture
from scheduler import planning, query
from scheduler.models import Chat, ChatKind, Platform
from scheduler.news import read_day
from scheduler.store import Store

DEMO_QUERIES = ("diffusion policy", "reinforcement learning")


def wants_colour() -> bool:
    """True on a terminal that has not asked for none (NO_COLOR)."""
    return sys.stdout.isatty() and not no_colour()


async def typed_lines(prompt: str) -> AsyncIterator[str]:
    """The lines of standard input; each is read only when it is asked for, so that the prompt follows the answer.

    A daemon thread reads: a pending read must never hold up the end of the process.
    """
    loop = asyncio.get_running_loop()
    while True:
        line: asyncio.Future[str | None] = loop.create_future()
        threading.Thread(target=_read_line, args=(loop, line, prompt), daemon=True).start()
        typed = await line
        if typed is None:
            return
        yield typed


def _read_line(loop: asyncio.AbstractEventLoop, line: asyncio.Future[str | None], prompt: str) -> None:
    try:
        typed: str | None = input(prompt) if prompt else _plain_line()
    except (EOFError, KeyboardInterrupt):
        typed = None
    with contextlib.suppress(RuntimeError):  # the loop is closed: the process is ending
        loop.call_soon_threadsafe(_settle, line, typed)


def _settle(line: asyncio.Future[str | None], typed: str | None) -> None:
    if not line.done():
        line.set_result(typed)


def _plain_line() -> str | None:
    line = sys.stdin.buffer.readline()
    return line.decode("utf-8", errors="replace").rstrip("\r\n") if line else None


@contextlib.contextmanager
def assembled(settings: Settings) -> Iterator[app.Assembly]:
    """The parts of a Paperboy, closed at the end."""
    assembly = app.assemble(settings)
    try:
        yield assembly
    finally:
        assembly.store.close()


async def talk(settings: Settings, name: str, kind: ChatKind, lang: str) -> None:
    """Reads lines and prints replies until the input ends."""
    with assembled(settings) as assembly:
        adapter = _adapter(assembly, name, kind, lang, "> " if sys.stdin.isatty() else "")
        await adapter.run()


def _adapter(assembly: app.Assembly, name: str, kind: ChatKind, lang: str, prompt: str) -> ConsoleAdapter:
    return ConsoleAdapter(
        assembly.desk.answer,
        typed_lines(prompt),
        click.echo,
        user=name,
        kind=kind,
        lang=lang,
        colour=wants_colour(),
        save=lambda file: _saved(file, assembly.settings.database.parent),
    )


def _saved(file: Attachment | Picture, folder: Path) -> str:
    """Writes a file beside the database and gives its path."""
    path = folder / file.name
    path.write_bytes(file.png if isinstance(file, Picture) else file.text.encode())
    return str(path)


async def demo(settings: Settings, lang: str, prompt: bool) -> None:
    """Subscribes a console chat to two keywords, delivers the seeds' day through the outbox, and goes on."""
    with assembled(settings) as assembly:
        adapter = _adapter(assembly, "demo", ChatKind.PRIVATE, lang, "> " if prompt else "")
        t = translator(lang)
        day, planned = await assembly.store.call(lambda store: _plan_demo(store, settings, adapter, lang))
        if planned:
            queries = t.names([f"“{text}”" for text in DEMO_QUERIES])
            click.echo(
                t(
                    "A demo with the papers of {date}: this chat follows {queries}.",
                    date=t.date(day),
                    queries=queries,
                )
                + "\n"
            )
        sender = Sender(assembly.store, {Platform.CONSOLE: adapter}, app.clock, pace=Pace())
        await sender.drain()
        if not planned:
            click.echo(
                t(
                    "The digest of {date} is already delivered to this chat: nothing is sent twice.",
                    date=t.date(day),
                )
                + "\n"
            )
        await _go_on(adapter, t, prompt)


def _plan_demo(store: Store, settings: Settings, adapter: ConsoleAdapter, lang: str) -> tuple[date, bool]:
    now = app.clock()
    chat = store.chats.ensure(adapter.chat, ChatKind.PRIVATE, "demo", lang, app.defaults(settings), now)
    for text in DEMO_QUERIES:
        store.chats.subscribe(chat.key, query.phrase_query(text).canonical, text)
    day = store.archive.newest_date() or now.date() - timedelta(days=1)
    return day, plan_day(store, chat, day)


def plan_day(store: Store, chat: Chat, day: date) -> bool:
    """Enqueues a chat's digest of one announcement date; False when it was planned before or has nothing."""
    now = app.clock()
    return planning.plan(store, chat, read_day(store, [day]), f"day-{day.isoformat()}", render, now, None)


async def _go_on(adapter: ConsoleAdapter, t: Translator, prompt: bool) -> None:
    if prompt:
        click.echo(
            t(
                "Type a command, for example {one} or {two}; /help shows all, Ctrl-D ends.",
                one="/search moe",
                two="/paper 2609.33867",
            )
        )
        await adapter.run()
    else:
        click.echo(
            t(
                "Next: {one} talks to it here; {two} delivers to Telegram and Discord.",
                one="paperboy chat",
                two="paperboy run",
            )
        )
