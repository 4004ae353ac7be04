"""The contract of every adapter, for the console."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

import pytest

from bot.adapters.console import ConsoleAdapter
from bot.markup import dialect_for
from bot.ports import Answer, Attachment, Button, Picture
from scheduler.models import ChatRef, Platform
from tests.adapters.contract import AdapterContract, Harness, Place, Refusal, Seen

LINK = re.compile("\x1b\\]8;;([^\x1b]+)\x1b\\\\(.*?)\x1b\\]8;;\x1b\\\\", re.DOTALL)
LABEL = re.compile(r"\[#(\d+)(?: ([^\]]*))?\]")
FILE = "📎 "


class ConsoleHarness(Harness):
    """A terminal whose lines are typed by the test and whose output it reads."""

    platform = Platform.CONSOLE
    places = frozenset({Place.PRIVATE})
    refusals: frozenset[Refusal] = frozenset()
    edits = False
    toasts_shown = False

    def __init__(self) -> None:
        self._typed: asyncio.Queue[str | None] = asyncio.Queue()
        self._shown: list[str] = []
        self._files: dict[str, str] = {}
        self._dialect = dialect_for(Platform.CONSOLE, colour=True)
        self._run: asyncio.Task[None] | None = None

    async def build(self, answer: Answer) -> ConsoleAdapter:
        self._adapter = ConsoleAdapter(
            answer, self._lines(), self._shown.append, user="ada", colour=True, save=self._save
        )
        return self._adapter

    def _save(self, file: Attachment | Picture) -> str:
        self._files[file.name] = file.text if isinstance(file, Attachment) else file.png.decode("latin-1")
        return file.name

    async def _lines(self) -> AsyncIterator[str]:
        while (line := await self._typed.get()) is not None:
            yield line

    async def start(self) -> None:
        self._run = asyncio.create_task(self._adapter.run())

    async def stop(self) -> None:
        assert self._run is not None
        self._typed.put_nowait(None)
        await self._run

    def ref(self, place: Place) -> ChatRef:
        return ChatRef(Platform.CONSOLE, "ada")

    async def says(self, line: str, place: Place = Place.PRIVATE, by: str = "ada") -> None:
        self._typed.put_nowait(line)

    async def press(self, button: Button, place: Place = Place.PRIVATE, by: str = "ada") -> None:
        texts = [self._dialect.read(text) for text in self._shown]
        newest = next(text for text in reversed(texts) if LABEL.search(text))
        for number, label in LABEL.findall(newest):
            if (label or number) in (button.short, button.label):
                self._typed.put_nowait(f"#{number}")
                return
        raise AssertionError(f"no button {button.label} in {newest}")

    def received(self, place: Place = Place.PRIVATE) -> tuple[Seen, ...]:
        return tuple(self._seen(text) for text in self._shown)

    def _seen(self, text: str) -> Seen:
        links = tuple((self._dialect.read(shown), url) for url, shown in LINK.findall(text))
        plain = self._dialect.read(text)
        labels = tuple(label or number for number, label in LABEL.findall(plain))
        name = next((line.removeprefix(FILE) for line in plain.splitlines() if line.startswith(FILE)), "")
        return Seen(
            plain,
            labels,
            links,
            (name, self._files[name]) if name else None,
            message_id=str(len(self._shown)),
        )

    def toasts(self) -> tuple[str, ...]:
        return tuple(self._shown)


class TestConsoleContract(AdapterContract):
    """Every promise of `AdapterContract`."""

    @pytest.fixture
    def harness(self) -> Harness:
        return ConsoleHarness()
