"""Ada in her private chat with the real desk, on either platform: what she says, presses and sees."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import simcord

from bot.adapters.console import ConsoleAdapter
from bot.commands.desk import Desk
from bot.commands.table import specs
from bot.commands.visit import House
from scheduler import seeds, topics
from scheduler.models import Chat, ChatRef, Platform, Schedule
from scheduler.store import Store
from scheduler.store.chats import Defaults
from scheduler.store.thread import StoreThread
from tests.builders import memory_store
from tests.e2e.running import until
from tests.fakes.telegram_chats import Person, Shown
from tests.judges import discord_markdown

NOW = datetime(2026, 9, 29, 6, 0, tzinfo=UTC)
"""Two hours before the digest of the day whose papers the seeds hold."""

ARGUMENTS = {spec.name: spec.parameters[0].name for spec in specs() if spec.parameters}


@dataclass(frozen=True, slots=True)
class Seen:
    """One message as ada sees it. `buttons` are labels, `choices` what opens one of many."""

    text: str
    buttons: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()


@dataclass
class Office:
    """The desk over a store with the seeds, as `bot.app` sets it up."""

    store: Store
    desk: Desk

    def chat(self, ada: Ada) -> Chat:
        """Ada's chat as the store has it."""
        found = self.store.chats.at(ada.ref)
        assert found is not None
        return found

    def person(self, ada: Ada) -> str:
        """Ada as the library knows her."""
        return self.store.chats.person_of(self.chat(ada).key)

    def follows(self, ada: Ada) -> list[str]:
        """The queries of ada's subscriptions."""
        return [one.query for one in self.store.chats.subscriptions(self.chat(ada).key)]


@contextmanager
def open_office() -> Iterator[Office]:
    """An office that is closed at the end."""
    store = memory_store()
    seeds.load_once(store, NOW)
    thread = StoreThread(store)
    defaults = Defaults(Schedule("08:00", "UTC"), {"en": "en", "zh": "both"})
    house = House(topics.catalogue(), ("cs.LG",), "ops@example.org")
    try:
        yield Office(store, Desk(thread, house, defaults, "en", lambda: NOW))
    finally:
        thread.close()


class Ada(ABC):
    """What ada does; each verb gives the message that stands there because of it."""

    ref: ChatRef

    @abstractmethod
    async def says(self, command: str, argument: str = "") -> Seen:
        """Uses a command."""

    @abstractmethod
    async def presses(self, label: str) -> Seen:
        """Presses a button under the newest message that has it."""

    @abstractmethod
    async def opens(self, number: int) -> Seen:
        """Chooses the entry of that number under the newest message with choices."""


class AdaOnTelegram(Ada):
    """Ada in a private chat of the fake Telegram."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.ref = ChatRef(Platform.TELEGRAM, str(person.id))

    async def says(self, command: str, argument: str = "") -> Seen:
        before = self.person.received()
        self.person.says(f"/{command} {argument}".strip())
        return await self._changed(before)

    async def presses(self, label: str) -> Seen:
        before = self.person.received()
        self.person.presses(label)
        return await self._changed(before)

    async def opens(self, number: int) -> Seen:
        return await self.presses(str(number))

    async def _changed(self, before: tuple[Shown, ...]) -> Seen:
        def answers() -> list[Shown]:
            # The buttons that pick a chat follow an answer as a message of their own.
            return [one for one in self.person.received() if one not in before and not one.keyboard]

        await until(lambda: bool(answers()))
        (changed,) = answers()
        labels = [label for label in changed.labels if not label.lstrip("✕ ").isdecimal()]
        choices = [label for label in changed.labels if label not in labels]
        return Seen(changed.text, tuple(labels), tuple(choices))


class AdaOnDiscord(Ada):
    """Ada in her direct messages of the offline Discord."""

    def __init__(self, env: simcord.Env) -> None:
        self._user = env.create_user("ada")
        self.ref = ChatRef(Platform.DISCORD, str(self._user.dm_channel.id))

    async def says(self, command: str, argument: str = "") -> Seen:
        return await self.fills_in(command, **({ARGUMENTS[command]: argument} if argument else {}))

    async def fills_in(self, command: str, **options: str) -> Seen:
        """Uses a command with several options."""
        result = await self._user.slash(command, **options)
        return self._seen((result.followups or [result.response])[-1].id)

    async def presses(self, label: str) -> Seen:
        message = self._newest(lambda part: part.get("label") == label)
        result = await self._user.click(message, label=label)
        return self._seen((result.followups or [message])[-1].id)

    async def opens(self, number: int) -> Seen:
        message = self._newest(lambda part: "options" in part)
        (select,) = (part for part in _components(message) if "options" in part)
        value = next(one["value"] for one in select["options"] if one["label"].startswith(f"{number} · "))
        result = await self._user.select(message, [value])
        return self._seen((result.followups or [message])[-1].id)

    def _newest(self, wanted: Any) -> Any:
        history = reversed(self._user.dm_channel.history())
        return next(message for message in history if any(map(wanted, _components(message))))

    def _seen(self, message_id: int) -> Seen:
        (message,) = (one for one in self._user.dm_channel.history() if one.id == message_id)
        pieces = [piece for embed in message.embeds for piece in (embed.title, embed.description) if piece]
        written = [message.content, *pieces]
        parts = _components(message)
        return Seen(
            "\n".join(discord_markdown.read(piece).text for piece in written if piece),
            tuple(part["label"] for part in parts if "label" in part),
            tuple(option["label"] for part in parts for option in part.get("options", ())),
        )


class AdaOnConsole(Ada):
    """Ada at a terminal."""

    def __init__(self, desk: Desk) -> None:
        self._shown: list[str] = []
        self._adapter = ConsoleAdapter(desk.answer, _nothing_typed(), self._shown.append, user="ada")
        self.ref = self._adapter.chat

    async def says(self, command: str, argument: str = "") -> Seen:
        return await self._types(f"/{command} {' '.join(argument.split())}".strip())

    async def presses(self, label: str) -> Seen:
        return await self._types(f"#{self._numbers()[label]}")

    async def opens(self, number: int) -> Seen:
        return await self._types(f"#{number}")

    async def _types(self, line: str) -> Seen:
        self._shown.clear()
        await self._adapter.handle(line)
        return Seen("\n".join(self._shown), tuple(self._numbers()))

    def _numbers(self) -> dict[str, int]:
        """The newest buttons by label."""
        found = re.findall(r"\[#(\d+)(?: ([^\]]*))?\]", "\n".join(self._shown))
        return {label or number: int(number) for number, label in found}


async def _nothing_typed() -> AsyncIterator[str]:
    nothing: tuple[str, ...] = ()
    for line in nothing:
        yield line


def _components(message: Any) -> list[dict[str, Any]]:
    return [part.to_dict() for row in message.components for part in row.children]
