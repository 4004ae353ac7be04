"""The Telegram adapter: receives by long polling, answers people, sends the outbox's parts."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, MutableMapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from typing import Any

from telegram import CallbackQuery, ChatMemberUpdated, ChatShared, InlineQuery, Message, Update
from telegram.constants import CallbackQueryLimit
from telegram.error import InvalidToken, NetworkError, TelegramError
from telegram.ext import Application, ApplicationBuilder, ExtBot, TypeHandler, Updater

from bot.adapters.telegram import updates
from bot.adapters.telegram.answering import STARTING, Asked, Replies
from bot.adapters.telegram.commands import set_commands
from bot.adapters.telegram.connection import (
    HIDDEN_TOKEN,
    Connection,
    PollConnection,
    PollWatch,
    token_out_of_httpx_logs,
)
from bot.adapters.telegram.inline import answer_inline
from bot.adapters.telegram.ordering import AT_ONCE, InOrder
from bot.adapters.telegram.picking import picked_chat, rights_in
from bot.adapters.telegram.posting import (
    Doubts,
    Manner,
    attempt,
    post,
)
from bot.markup import Block, Line, Span
from bot.ports import (
    Answer,
    CommandSpec,
    Inline,
    Moved,
    Outcome,
    Part,
    PlatformStopped,
    Reply,
    Request,
    Retry,
    Rights,
    RightsUnknown,
    Sent,
    Standing,
    Suggest,
)
from scheduler.models import ChatKind, ChatRef, Platform

logger = logging.getLogger(__name__)

ALLOWED_UPDATES = (
    Update.MESSAGE,
    Update.CHANNEL_POST,
    Update.CALLBACK_QUERY,
    Update.MY_CHAT_MEMBER,
    Update.INLINE_QUERY,
)

TOAST_PATIENCE = 2.0
"""Seconds that a pressed button waits for its answer's short word; then it is released without one."""

STOP_PATIENCE = 15.0
"""Seconds that a stop waits for the answers that are being prepared."""

_Application = Application[Any, Any, Any, Any, Any, Any]


class TelegramAdapter:
    """Telegram as a `ChatAdapter`.

    `base_url` is the Bot API server ("https://api.telegram.org"). `languages` are those of the commands'
    summaries, the first for everybody whose language is not among them. `command_hashes` remembers between
    runs what the command menus were set to. `timeout` is in seconds and per request. `suggest` is not
    called: Telegram cannot complete a command's argument. Without `inline` nothing is offered in other chats.
    """

    platform = Platform.TELEGRAM

    def __init__(
        self,
        *,
        token: str,
        base_url: str,
        answer: Answer,
        suggest: Suggest,
        commands: Sequence[CommandSpec],
        standing: Standing,
        inline: Inline | None = None,
        languages: Sequence[str] = ("en", "zh"),
        command_hashes: MutableMapping[str, str] | None = None,
        timeout: float = 20.0,
        poll_seconds: int = 25,
        conflict_patience: timedelta = timedelta(minutes=5),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._token = token
        self._base_url = base_url.rstrip("/")
        self._answer = answer
        self._inline = inline
        self._standing = standing
        self._commands = tuple(commands)
        self._known = {"start", *(command.name for command in commands)}
        self._languages = tuple(languages)
        self._hashes = {} if command_hashes is None else command_hashes
        self._timeout = timeout
        self._poll_seconds = poll_seconds
        self._conflict_patience = conflict_patience
        self._clock = clock
        self._doubts = Doubts()
        self._administrators = updates.Administrators(clock)
        self._bot: ExtBot[None] | None = None
        self._replies = Replies(lambda: self._bot, standing, self._doubts)
        self._watch: PollWatch | None = None
        self._username = ""

    def __repr__(self) -> str:
        return f"TelegramAdapter({self._base_url!r}, @{self._username or '?'})"

    @property
    def username(self) -> str:
        """The bot's name without the "@"; "" until it is known."""
        return self._username

    @property
    def start_link(self) -> str:
        """The beginning of a deep link (core.telegram.org/bots/features#deep-linking), "" while nameless."""
        return f"https://t.me/{self._username}?start=" if self._username else ""

    # life

    async def run(self) -> None:
        """Receives until cancelled, then handles what it has received and closes its connections.

        Raises PlatformStopped for a token that Telegram refuses and for a second process with the same token;
        any other exception means that trying again may help.
        """
        async with AsyncExitStack() as stack:
            stack.enter_context(token_out_of_httpx_logs(self._token))
            watch = PollWatch(self._conflict_patience, self._clock)
            application = self._build(watch)
            # Also closes what a failed start has opened, which the application's own shutdown leaves open.
            stack.push_async_callback(application.bot.shutdown)
            await _initialise(application)
            stack.push_async_callback(application.shutdown)
            stack.callback(self._forget)
            self._bot, self._watch, self._username = application.bot, watch, application.bot.username
            await set_commands(application.bot, self._commands, self._languages, self._hashes)
            await application.start()
            stack.push_async_callback(self._replies.give_up_waiting)
            stack.push_async_callback(_stop, application)
            await self._poll(application, watch, stack)
            await watch.ended

    def _build(self, watch: PollWatch) -> _Application:
        builder = (
            ApplicationBuilder()
            .token(HIDDEN_TOKEN)
            .base_url(f"{self._base_url}/bot")
            .base_file_url(f"{self._base_url}/file/bot")
            .request(Connection(self._token, pool=AT_ONCE, timeout=self._timeout))
            .get_updates_request(PollConnection(self._token, self._timeout, watch))
            .concurrent_updates(InOrder())
            .job_queue(None)
        )
        application = builder.build()
        application.add_handler(TypeHandler(Update, self._receive))
        return application

    async def _poll(self, application: _Application, watch: PollWatch, stack: AsyncExitStack) -> None:
        updater = application.updater
        assert updater is not None
        # Before it starts: a stop in that moment would leave it running, and the application will not be closed then.
        stack.push_async_callback(_end, updater)
        stack.callback(watch.stop)
        await updater.start_polling(
            timeout=timedelta(seconds=self._poll_seconds),
            allowed_updates=ALLOWED_UPDATES,
            drop_pending_updates=False,
            error_callback=watch.failed,
        )
        logger.info("Telegram: receiving as @%s", self._username)

    def _forget(self) -> None:
        self._bot = self._watch = None

    # deliveries

    async def send(self, chat: ChatRef, part: Part, key: str) -> Outcome:
        """Sends one part with one call and says what came of it.

        Telegram has no key against repeats, so `key` only names the part in the log.
        """
        bot = self._bot
        if bot is None:
            return STARTING
        manner = Manner(quiet=part.quiet)
        outcome = await attempt(lambda form: post(bot, chat, part, manner, form), chat)
        if isinstance(outcome, Retry) and outcome.reason == "token":
            await self._try_token(bot)
        outcome = self._doubts.weigh(outcome)
        if not isinstance(outcome, Sent):
            logger.info("part %s for %s: %s", key, chat, outcome)
        return outcome

    async def _try_token(self, bot: ExtBot[None]) -> None:
        """Ends the run when Telegram itself refuses the token: a proxy answers 401 and 404 too."""
        try:
            await bot.get_me()
        except InvalidToken as error:
            if self._watch is not None:
                self._watch.end(_token_refused(error))
        except TelegramError:
            logger.debug("the token could not be tried", exc_info=True)

    async def rights(self, chat: ChatRef, kind: ChatKind, user: str) -> Rights:
        """What Telegram says of a person and of us in a group or channel; raises RightsUnknown."""
        if self._bot is None:
            raise RightsUnknown("Telegram is not connected")
        return await rights_in(self._bot, chat, kind, user)

    # updates

    async def _receive(self, update: Update, _context: object) -> None:
        try:
            if update.callback_query is not None:
                await self._pressed(update.callback_query)
            elif update.my_chat_member is not None:
                await self._changed(update.my_chat_member)
            elif update.inline_query is not None:
                await self._listed(update.inline_query)
            elif update.effective_message is not None:
                await self._written(update.effective_message)
        except Exception:
            # Whatever fails for one update must not end the others'.
            logger.exception("Telegram: update %d could not be answered", update.update_id)

    async def _changed(self, change: ChatMemberUpdated) -> None:
        await self._standing(ChatRef(Platform.TELEGRAM, str(change.chat.id)), updates.standing_of(change))

    async def _written(self, message: Message) -> None:
        chat, kind = updates.ref_of(message), updates.kind_of(message.chat)
        if message.migrate_to_chat_id:
            await self._standing(chat, Moved(ChatRef(Platform.TELEGRAM, str(message.migrate_to_chat_id))))
        elif message.forum_topic_reopened:
            await self._standing(chat, None)
        if message.chat_shared is not None:
            await self._picked(message, message.chat_shared)
            return
        # A channel's post is copied into its discussion group, where it must not be answered a second time.
        if not message.text or message.is_automatic_forward:
            return
        command = updates.command_in(message.text, self._username)
        if command is None or not updates.is_for_us(command, kind, self._known):
            return
        request = Request(
            chat=chat,
            kind=kind,
            user=updates.author_of(message),
            command=command.name,
            text=command.text,
            may_manage=await self._may_manage(message, kind),
            chat_title=updates.place_title(message),
            lang=_language(message),
            user_name=message.from_user.full_name if message.from_user else "",
        )
        reply = await self._answer(request)
        await self._replies.show(Asked(chat, kind, message.message_id), reply)

    async def _listed(self, query: InlineQuery) -> None:
        """Somebody types after our name in any chat. Telegram asks again with each letter."""
        if self._inline is None:
            return
        person = str(query.from_user.id)
        request = Request(
            chat=ChatRef(Platform.TELEGRAM, person),
            kind=ChatKind.PRIVATE,
            user=person,
            text=query.query.strip(),
            lang=query.from_user.language_code or "",
        )
        await answer_inline(query, await self._inline(request, query.offset))

    async def _picked(self, message: Message, shared: ChatShared) -> None:
        chat = updates.ref_of(message)
        request = Request(
            chat=chat,
            kind=ChatKind.PRIVATE,
            user=updates.author_of(message),
            action="picked",
            chat_title=updates.place_title(message),
            lang=_language(message),
            picked=picked_chat(shared),
        )
        reply = await self._answer(request)
        await self._replies.show(Asked(chat, ChatKind.PRIVATE, message.message_id), reply)

    async def _may_manage(self, message: Message, kind: ChatKind) -> bool:
        if kind is not ChatKind.GROUP or updates.is_in_the_chats_name(message):
            return True
        if message.sender_chat is not None or message.from_user is None:
            return False
        return await self._administers(message.chat.id, message.from_user.id)

    async def _administers(self, chat_id: int, user_id: int) -> bool:
        known = self._administrators.recall(chat_id, user_id)
        if known is not None or self._bot is None:
            return bool(known)
        try:
            member = await self._bot.get_chat_member(chat_id, user_id)
        except TelegramError as error:
            logger.warning("whether %d administers %d is not known: %s", user_id, chat_id, error)
            return False
        return self._administrators.learn(chat_id, member)

    async def _pressed(self, query: CallbackQuery) -> None:
        message = query.message
        if message is None or not query.data:
            await _release(query, "")
            return
        kind = updates.kind_of(message.chat)
        request = Request(
            chat=updates.ref_of(message),
            kind=kind,
            user=str(query.from_user.id),
            action=query.data,
            may_manage=kind is ChatKind.PRIVATE
            or await self._administers(message.chat.id, query.from_user.id),
            chat_title=updates.place_title(message),
            lang=query.from_user.language_code or "",
            user_name=query.from_user.full_name,
        )
        reply = await self._answer_press(query, request)
        await self._replies.show(Asked(request.chat, kind, message.message_id, pressed=True), reply)

    async def _answer_press(self, query: CallbackQuery, request: Request) -> Reply:
        """The answer; the button is released with its short word, or without it when that takes long."""
        answering = asyncio.ensure_future(self._answer(request))
        try:
            done, _ = await asyncio.wait({answering}, timeout=TOAST_PATIENCE)
            shown = bool(done) and answering.exception() is None
            await _release(query, answering.result().toast if shown else "")
            reply = await answering
        finally:
            answering.cancel()
        if shown or not reply.toast or reply.blocks:
            return reply
        return replace(reply, blocks=(Block((Line((Span(reply.toast),)),)),), in_place=False)


async def _stop(application: _Application) -> None:
    try:
        async with asyncio.timeout(STOP_PATIENCE):
            await application.stop()
    except TimeoutError:
        logger.warning("Telegram: answers that were not ready in %g s are given up", STOP_PATIENCE)


async def _end(updater: Updater) -> None:
    if updater.running:
        await updater.stop()


async def _initialise(application: _Application) -> None:
    try:
        await application.initialize()
    except InvalidToken as error:
        raise _token_refused(error) from None


def _token_refused(error: InvalidToken) -> Exception:
    """What a 401 or 404 to `getMe` means: final from Telegram itself, which answers in JSON; or a proxy's."""
    cause: BaseException | None = error
    while isinstance(cause, InvalidToken):
        cause = cause.__cause__
    if cause is not None:
        return NetworkError("the Bot API server was answered for by something else (401 or 404, not JSON)")
    return PlatformStopped(
        "Telegram refuses the token: set PAPERBOY_TELEGRAM_TOKEN to the one that @BotFather gave you"
    )


async def _release(query: CallbackQuery, toast: str) -> None:
    """Ends the waiting sign on a pressed button; a press that is too old needs none."""
    try:
        await query.answer(toast[: CallbackQueryLimit.ANSWER_CALLBACK_QUERY_TEXT_LENGTH] or None)
    except TelegramError as error:
        logger.debug("a pressed button could not be released: %s", error)


def _language(message: Message) -> str:
    return (message.from_user.language_code or "") if message.from_user else ""
