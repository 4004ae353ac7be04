"""The Telegram adapter on the fake Telegram: what its tests start from."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from bot.adapters.telegram import TelegramAdapter
from bot.ports import Answer, Button, ChatAdapter, Gone, Inline, Moved, Paused
from scheduler.models import ChatRef, Platform
from tests.adapters.contract import (
    COMMANDS,
    Harness,
    Place,
    Refusal,
    Seen,
    eventually,
    no_suggestions,
)
from tests.fakes.telegram_chats import Chat, Group, Shown, Topic
from tests.fakes.telegram_server import FakeTelegram
from tests.patience import PATIENCE

FLOOD_SECONDS = 17

_REFUSALS: dict[Refusal, tuple[int, str, dict[str, Any] | None]] = {
    Refusal.BLOCKED: (403, "Forbidden: bot was blocked by the user", None),
    Refusal.NO_RIGHTS: (400, "Bad Request: not enough rights to send text messages to the chat", None),
    Refusal.FLOOD: (429, f"Too Many Requests: retry after {FLOOD_SECONDS}", {"retry_after": FLOOD_SECONDS}),
    Refusal.MARKUP: (400, "Bad Request: can't parse entities: unsupported start tag", None),
    Refusal.SERVER_ERROR: (502, "Bad Gateway", None),
}


@dataclass
class Standings:
    """A `Standing` that remembers."""

    told: list[tuple[ChatRef, Gone | Paused | Moved | None]] = field(default_factory=list)

    async def __call__(self, chat: ChatRef, standing: Gone | Paused | Moved | None) -> None:
        self.told.append((chat, standing))


def ref_to(place: Chat | Topic) -> ChatRef:
    """A fake chat's or topic's address."""
    if isinstance(place, Topic):
        return ChatRef(Platform.TELEGRAM, str(place.group.id), str(place.thread_id))
    return ChatRef(Platform.TELEGRAM, str(place.id))


@dataclass
class Rig:
    """A fake Telegram, an adapter for it, and the adapter's run."""

    telegram: FakeTelegram
    adapter: TelegramAdapter
    standings: Standings
    run: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Runs the adapter until it polls."""
        polls = len(self.telegram.called("getUpdates"))
        self.run = run = asyncio.create_task(self.adapter.run())
        await eventually(lambda: len(self.telegram.called("getUpdates")) > polls or run.done())

    async def stop(self) -> None:
        """Ends the run and the server; raises what the run raised, and for calls that do not exist."""
        try:
            await self.end_run()
        finally:
            await self.telegram.stop()
        assert self.telegram.violations == []

    async def end_run(self) -> None:
        """Cancels the run and waits for it; raises what it raised."""
        if self.run is not None:
            run, self.run = self.run, None
            run.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.wait_for(run, PATIENCE)


async def rig_for(
    answer: Answer,
    *,
    hashes: MutableMapping[str, str] | None = None,
    patience: float = 5.0,
    clock: Callable[[], float] | None = None,
    telegram: FakeTelegram | None = None,
    inline: Inline | None = None,
) -> Rig:
    """A started fake Telegram (or the one given) and an adapter that is not running yet."""
    if telegram is None:
        telegram = FakeTelegram()
        await telegram.start()
    standings = Standings()
    timing: dict[str, Any] = {} if clock is None else {"clock": clock}
    adapter = TelegramAdapter(
        token=telegram.token,
        base_url=telegram.base_url,
        answer=answer,
        suggest=no_suggestions,
        commands=COMMANDS,
        standing=standings,
        inline=inline,
        command_hashes=hashes,
        timeout=patience,
        poll_seconds=2,
        **timing,
    )
    return Rig(telegram, adapter, standings)


class TelegramHarness(Harness):
    """The contract's view of a rig."""

    platform = Platform.TELEGRAM
    limit = 4096

    def __init__(self) -> None:
        self.rig: Rig | None = None
        self._group: Group | None = None

    async def build(self, answer: Answer) -> ChatAdapter:
        self.rig = await rig_for(answer)
        self._group = self._rig.telegram.group("Reading group", admins=["ada"], members=["bob"])
        self._rig.telegram.user("ada").chat.refusal = None
        return self._rig.adapter

    async def start(self) -> None:
        await self._rig.start()

    async def stop(self) -> None:
        await self._rig.stop()

    def ref(self, place: Place) -> ChatRef:
        return ref_to(self._chat(place))

    async def says(self, line: str, place: Place = Place.PRIVATE, by: str = "ada") -> None:
        if place is Place.PRIVATE:
            self._rig.telegram.user(by).says(line)
        else:
            self.group.says(by, line)

    async def press(self, button: Button, place: Place = Place.PRIVATE, by: str = "ada") -> None:
        labels = {label for shown in self._chat(place).received() for label in shown.labels}
        label = button.short if button.short in labels else button.label
        self._chat(place).press(label, self._rig.telegram.user(by))

    def received(self, place: Place = Place.PRIVATE) -> tuple[Seen, ...]:
        return tuple(_seen(shown) for shown in self._chat(place).received())

    def toasts(self) -> tuple[str, ...]:
        return tuple(self._rig.telegram.toasts)

    async def refuse_next(self, refusal: Refusal, place: Place = Place.PRIVATE) -> None:
        status, description, parameters = _REFUSALS[refusal]
        self._rig.telegram.refuse(self._chat(place).id, status, description, parameters)

    @property
    def group(self) -> Group:
        """The group of "ada" and "bob"."""
        assert self._group is not None
        return self._group

    @property
    def _rig(self) -> Rig:
        assert self.rig is not None, "build first"
        return self.rig

    def _chat(self, place: Place) -> Chat:
        return self.group if place is Place.GROUP else self._rig.telegram.user("ada").chat


def _seen(shown: Shown) -> Seen:
    return Seen(shown.text, shown.labels, shown.links, shown.document, shown.photo, str(shown.message_id))
