"""Replies as Telegram shows them: new messages, the pressed message changed, the rest when it is there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from telegram import Bot

from bot.adapters.telegram.outcomes import SEND_PHOTOS
from bot.adapters.telegram.posting import (
    Doubts,
    Form,
    Manner,
    NotEditableError,
    ask_to_pick,
    attempt,
    edit,
    post,
)
from bot.parts import reply_parts
from bot.ports import Gone, Moved, Outcome, Part, Paused, Rejected, Reply, Retry, Sent, Standing
from scheduler.models import ChatKind, ChatRef, Platform

logger = logging.getLogger(__name__)

REPLY_PATIENCE = timedelta(seconds=10)
"""The longest pause after which an answer is tried again: a person does not wait longer."""

REPLY_TRIES = 3

STARTING = Retry(timedelta(seconds=1), "starting", counted=False, scope="platform")


@dataclass(frozen=True, slots=True)
class Asked:
    """Where a request came from: its chat, and the message that was written or whose button was pressed."""

    chat: ChatRef
    kind: ChatKind
    message_id: int
    pressed: bool = False

    @property
    def manner(self) -> Manner:
        """How to answer: as a reply where several people talk, without a sound where many only read."""
        return Manner(
            quiet=self.kind is ChatKind.CHANNEL,
            reply_to=self.message_id if self.kind is ChatKind.GROUP else None,
        )


class Replies:
    """Puts replies into chats through the bot of the moment (None: not connected)."""

    def __init__(self, bot: Callable[[], Bot | None], standing: Standing, doubts: Doubts) -> None:
        self._bot = bot
        self._standing = standing
        self._doubts = doubts
        self._waiting: set[asyncio.Task[None]] = set()

    async def show(self, asked: Asked, reply: Reply) -> None:
        """Shows a reply where it was asked for; its `later` part when that is there."""
        parts = reply_parts(reply, Platform.TELEGRAM)
        for position, part in enumerate(parts):
            in_place = reply.in_place and asked.pressed and position == 0 and part.attachment is None
            outcome = await self._put(asked, part, in_place=in_place)
            if isinstance(outcome, Moved):
                await self._standing(asked.chat, outcome)
                asked = replace(asked, chat=outcome.to)
                outcome = await self._put(asked, part, in_place=False)
            if not isinstance(outcome, Sent):
                await self._unanswered(asked.chat, outcome)
                return
            if position == 0:
                shown = replace(asked, message_id=int(outcome.message_id), pressed=True)
        bot, picker = self._bot(), reply.picker
        if picker is not None and bot is not None:
            await self._insist(lambda _: ask_to_pick(bot, asked.chat, picker), asked.chat)
        if reply.later is not None:
            self._wait_for(shown if parts else asked, reply.later)

    def _wait_for(self, asked: Asked, later: Callable[[], Awaitable[Reply]]) -> None:
        """Shows the rest of an answer when it is there; the chat's next requests do not wait for it."""

        async def show() -> None:
            try:
                reply = await later()
                await self.show(asked, replace(reply, in_place=True))
            except Exception:
                logger.exception("the rest of an answer to %s could not be shown", asked.chat)

        task = asyncio.create_task(show())
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def give_up_waiting(self) -> None:
        """Ends what answers are still waiting for."""
        left = list(self._waiting)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def _put(self, asked: Asked, part: Part, *, in_place: bool) -> Outcome:
        outcome = await self._put_as_it_is(asked, part, in_place=in_place)
        if part.picture is None or not _is_refused(outcome):
            return outcome
        # What it shows stands in the text too; the chat itself is as it was.
        said = replace(part, picture=None, plain=part.plain or part.picture.description)
        return await self._put_as_it_is(asked, said, in_place=False)

    async def _put_as_it_is(self, asked: Asked, part: Part, *, in_place: bool) -> Outcome:
        bot = self._bot()
        if bot is None:
            return STARTING
        chat = asked.chat
        if in_place:
            try:
                return await self._insist(lambda form: edit(bot, chat, asked.message_id, part, form), chat)
            except NotEditableError:
                logger.debug("message %d of %s cannot be edited", asked.message_id, chat)
        return await self._insist(lambda form: post(bot, chat, part, asked.manner, form), chat)

    async def _insist(self, call: Callable[[Form], Awaitable[str]], chat: ChatRef) -> Outcome:
        """Makes a call, and again after a short wait where Telegram asks for one."""
        for _ in range(REPLY_TRIES):
            outcome = self._doubts.weigh(await attempt(call, chat))
            if not isinstance(outcome, Retry) or outcome.after > REPLY_PATIENCE:
                return outcome
            await asyncio.sleep(outcome.after.total_seconds())
        return outcome

    async def _unanswered(self, chat: ChatRef, outcome: Outcome) -> None:
        logger.warning("an answer to %s was not delivered: %s", chat, outcome)
        # Telegram sometimes does not find a chat that is there; the outbox tries again before it believes it.
        if isinstance(outcome, Gone | Paused) and outcome.reason != "chat_not_found":
            await self._standing(chat, outcome)


def _is_refused(outcome: Outcome) -> bool:
    """True when a picture could not be shown where a text may be."""
    return isinstance(outcome, Rejected) or outcome == Paused("no_rights", (SEND_PHOTOS,))
