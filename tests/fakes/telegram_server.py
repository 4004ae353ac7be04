"""A Telegram that lives in the test: a server on 127.0.0.1 that speaks the Bot API.

Requests and answers are held against Telegram's own description where that lies beside the checkout; what
does not fit is kept in `violations`, which must be empty at the end of a test. TDLib's parser reads HTML.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from aiohttp import web

from tests.fakes.telegram_chats import (
    Channel,
    Chat,
    Group,
    Json,
    Person,
    RefusedCall,
    Shown,
    member_json,
    statuses,
)
from tests.fakes.telegram_rules import CAPTION_LIMIT, TEXT_LIMIT, check_length, parse, rows
from tests.judges.bot_api_spec import FILE, BotApi

TOAST_LIMIT = 200

_STRINGS = frozenset(
    {
        "text",
        "caption",
        "parse_mode",
        "callback_query_id",
        "inline_query_id",
        "next_offset",
        "start_parameter",
        "url",
        "language_code",
    }
)
"""The fields that are strings, for want of Telegram's description."""


@dataclass
class Script:
    """Something that happens to the next `times` calls of a method (any) for a chat (any)."""

    act: Callable[[web.Request], Awaitable[web.Response]]
    method: str | None
    chat_id: int | None
    times: int
    accepted: bool = False

    def fits(self, method: str, fields: Mapping[str, Any]) -> bool:
        """Whether this call is meant."""
        named = self.method in (None, method) and self.chat_id in (None, fields.get("chat_id"))
        return named and self.times > 0 and not (self.method is None and method == "getUpdates")


class FakeTelegram:
    """The server. `calls` holds every call's method and fields, `toasts` the words beside pressed buttons."""

    def __init__(self, token: str = "4242:nobody-may-read-this", username: str = "PaperboyTestBot") -> None:
        self.token = token
        self.bot: Json = {"id": 4242, "is_bot": True, "first_name": "Paperboy", "username": username}
        self.calls: list[tuple[str, Json]] = []
        self.toasts: list[str] = []
        self.lists: list[Json] = []
        self.menus: dict[tuple[str, str], list[Json]] = {}
        self.violations: list[str] = []
        self._api = BotApi.stored()
        self._chats: dict[int, Chat] = {}
        self._people: dict[str, Person] = {}
        self._scripts: list[Script] = []
        self._updates: list[Json] = []
        self._update_id = 1000
        self._query_id = 0
        self._allowed: list[str] = []
        self._wake = asyncio.Event()
        self._poll: object = None
        self._runner: web.AppRunner | None = None
        self._port = 0

    # life

    async def start(self) -> None:
        """Listens on a free port; after a `stop`, on the same one again."""
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port, reuse_address=True)
        await site.start()
        self._port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Closes every connection and the port."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    @property
    def base_url(self) -> str:
        """What stands for "https://api.telegram.org"."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def is_read(self) -> bool:
        """True when every update has been fetched and confirmed."""
        return not self._updates

    # people and chats

    def user(self, name: str) -> Person:
        """The person of that name, made when first named."""
        if name not in self._people:
            self._people[name] = Person(self, 1001 + len(self._people), name)
        return self._people[name]

    def group(
        self,
        title: str,
        admins: Iterable[str] = (),
        members: Iterable[str] = (),
        *,
        forum: bool = False,
        basic: bool = False,
    ) -> Group:
        """A new supergroup (or a basic group) that the bot is a member of."""
        number = 1 + len(self._chats)
        chat_id = -number if basic else -1_001_000_000_000 - number
        kind = "group" if basic else "supergroup"
        people = statuses(self, admins, members)
        group = Group(self, chat_id, kind, title, members=people, forum=forum)
        self.adopt(group)
        return group

    def channel(self, title: str, admins: Iterable[str] = (), members: Iterable[str] = ()) -> Channel:
        """A new channel that the bot is an administrator of."""
        chat_id = -1_001_000_000_000 - len(self._chats) - 1
        channel = Channel(self, chat_id, "channel", title, members=statuses(self, admins, members))
        self.adopt(channel)
        return channel

    def adopt(self, chat: Chat) -> None:
        """Makes a chat known."""
        self._chats[chat.id] = chat

    def publish(self, kind: str, content: Json) -> None:
        """Queues an update, unless the bot has said that it wants none of the kind."""
        if self._allowed and kind not in self._allowed:
            return
        if kind in ("callback_query", "inline_query"):
            self._query_id += 1
            content = {"id": str(self._query_id), **content}
        self._update_id += 1
        update = {"update_id": self._update_id, kind: content}
        if self._api is not None:
            self._api.check_type("Update", update)
        self._updates.append(update)
        self._notify()

    def called(self, method: str) -> list[Json]:
        """The fields of every call of a method so far."""
        return [fields for name, fields in self.calls if name == method]

    # scripts

    def refuse(
        self,
        chat_id: int | None,
        status: int,
        description: str,
        parameters: Json | None = None,
        *,
        method: str | None = None,
        times: int = 1,
    ) -> None:
        """Answers the next calls with an error, in Telegram's form."""

        async def act(_request: web.Request) -> web.Response:
            return _failure(RefusedCall(status, description, parameters))

        self._scripts.append(Script(act, method, chat_id, times))

    def answer_raw(
        self, status: int, body: str, *, method: str | None = None, chat_id: int | None = None, times: int = 1
    ) -> None:
        """Answers the next calls with any body, as a proxy does."""

        async def act(_request: web.Request) -> web.Response:
            return web.Response(status=status, text=body, content_type="text/html")

        self._scripts.append(Script(act, method, chat_id, times))

    def hang_up(
        self, chat_id: int | None, *, accepted: bool = False, method: str | None = None, reset: bool = False
    ) -> None:
        """Closes the connection of the next call without an answer, before or after doing what it asks."""

        async def act(request: web.Request) -> web.Response:
            assert request.transport is not None
            (request.transport.abort if reset else request.transport.close)()
            return web.Response()

        self._scripts.append(Script(act, method, chat_id, 1, accepted))

    def stall(self, chat_id: int | None, *, accepted: bool = False, method: str | None = None) -> None:
        """Never answers the next call, before or after doing what it asks."""

        async def act(_request: web.Request) -> web.Response:
            await asyncio.Event().wait()
            return web.Response()

        self._scripts.append(Script(act, method, chat_id, 1, accepted))

    # HTTP

    async def _serve(self, request: web.Request) -> web.Response:
        found = re.fullmatch(r"/bot([^/]+)/(\w+)", request.path)
        if found is None:
            return _failure(RefusedCall(404, "Not Found"))
        token, method = found.groups()
        fields, uploads = await self._read(request, method)
        self.calls.append((method, fields))
        script = next((script for script in self._scripts if script.fits(method, fields)), None)
        if script is None or script.accepted:
            response = await self._answer(token, method, fields, uploads)
        if script is None:
            return response
        script.times -= 1
        return await script.act(request)

    async def _read(self, request: web.Request, method: str) -> tuple[Json, dict[str, tuple[str, bytes]]]:
        form: dict[str, str] = {}
        uploads: dict[str, tuple[str, bytes]] = {}
        for name, value in (await request.post()).items():
            if isinstance(value, web.FileField):
                uploads[name] = (value.filename, value.file.read())
            elif isinstance(value, str):
                form[name] = value
        if self._api is None or not self._api.knows(method):
            fields = {name: _value(name, text) for name, text in form.items()}
        else:
            fields = self._api.decode(method, form)
        # What another field names by attach:// is no parameter (core.telegram.org/bots/api#sending-files).
        told = "".join(form.values())
        fields |= {name: FILE for name in uploads if f"attach://{name}" not in told}
        self._judge(lambda api: api.check_request(method, fields))
        return fields, uploads

    async def _answer(
        self, token: str, method: str, fields: Json, uploads: dict[str, tuple[str, bytes]]
    ) -> web.Response:
        if token != self.token:
            return _failure(RefusedCall(401, "Unauthorized"))
        try:
            result = await self._do(method, fields, uploads)
        except RefusedCall as refusal:
            return _failure(refusal)
        self._judge(lambda api: api.check_result(method, result))
        return _response(200, {"ok": True, "result": result})

    def _judge(self, check: Callable[[BotApi], None]) -> None:
        if self._api is None:
            return
        try:
            check(self._api)
        except AssertionError as error:
            self.violations.append(str(error))

    # methods

    async def _do(self, method: str, fields: Json, uploads: dict[str, tuple[str, bytes]]) -> Any:
        match method:
            case "getMe":
                return self.bot
            case "getUpdates":
                return await self._get_updates(fields)
            case "sendMessage":
                return self._send_message(fields)
            case "sendDocument":
                return self._send_document(fields, uploads)
            case "sendPhoto":
                return self._send_photo(fields, uploads)
            case "editMessageMedia":
                return self._edit_media(fields, uploads)
            case "editMessageText" | "editMessageReplyMarkup":
                return self._edit_message(fields, text_too=method == "editMessageText")
            case "answerCallbackQuery":
                return self._answer_callback_query(fields)
            case "answerInlineQuery":
                return self._answer_inline_query(fields)
            case "setMyCommands" | "deleteMyCommands":
                return self._set_my_commands(fields)
            case "getChat":
                return self._chat(fields).as_json() | {
                    "accent_color_id": 0,
                    "max_reaction_count": 11,
                    "accepted_gift_types": dict.fromkeys(_GIFTS, False),
                }
            case "getChatMember":
                return self._get_chat_member(fields)
            case "sendChatAction" | "deleteWebhook" | "leaveChat":
                return True
        raise RefusedCall(404, "Not Found: method not found")

    async def _get_updates(self, fields: Json) -> list[Json]:
        self._allowed = fields.get("allowed_updates", self._allowed)
        offset = fields.get("offset", 0)
        self._updates = [update for update in self._updates if update["update_id"] >= offset]
        end = time.monotonic() + fields.get("timeout", 0)
        self._poll = turn = object()
        self._notify()
        while not self._updates and (left := end - time.monotonic()) > 0:
            wake = self._wake
            try:
                await asyncio.wait_for(wake.wait(), left)
            except TimeoutError:
                break
            if self._poll is not turn:
                raise RefusedCall(
                    409,
                    "Conflict: terminated by other getUpdates request; "
                    "make sure that only one bot instance is running",
                )
        return self._updates[: fields.get("limit", 100)]

    def _notify(self) -> None:
        self._wake.set()
        self._wake = asyncio.Event()

    def _send_message(self, fields: Json) -> Json:
        chat = self._writable(fields)
        text, entities = parse(fields.get("text", ""), fields.get("parse_mode"))
        if not text.strip():
            raise RefusedCall(400, "Bad Request: message text is empty")
        check_length(text, TEXT_LIMIT, "message")
        return self._put(chat, fields, text, entities)

    def _send_document(self, fields: Json, uploads: dict[str, tuple[str, bytes]]) -> Json:
        chat = self._writable(fields)
        if "document" not in uploads:
            raise RefusedCall(400, "Bad Request: there is no document in the request")
        text, entities = parse(fields.get("caption", ""), fields.get("parse_mode"))
        check_length(text, CAPTION_LIMIT, "message caption")
        name, content = uploads["document"]
        return self._put(chat, fields, text, entities, document=(name, content.decode()))

    def _send_photo(self, fields: Json, uploads: dict[str, tuple[str, bytes]]) -> Json:
        chat = self._writable(fields)
        if "photo" not in uploads:
            raise RefusedCall(400, "Bad Request: there is no photo in the request")
        text, entities = parse(fields.get("caption", ""), fields.get("parse_mode"))
        check_length(text, CAPTION_LIMIT, "message caption")
        return self._put(chat, fields, text, entities, photo=_photo(uploads["photo"][1]))

    def _edit_media(self, fields: Json, uploads: dict[str, tuple[str, bytes]]) -> Json:
        chat, place = self._editable(fields)
        media = fields["media"]
        text, entities = parse(media.get("caption", ""), media.get("parse_mode"))
        check_length(text, CAPTION_LIMIT, "message caption")
        photo = _photo(uploads[media["media"].removeprefix("attach://")][1])
        new = replace(chat.messages[place], rows=rows(fields), text=text, entities=entities, photo=photo)
        return _changed(chat, place, new)

    def _put(
        self,
        chat: Chat,
        fields: Json,
        text: str,
        entities: tuple[Json, ...],
        *,
        document: tuple[str, str] | None = None,
        photo: bytes | None = None,
    ) -> Json:
        shown = Shown(
            message_id=chat.next_id(),
            author=self.bot["id"],
            text=text,
            entities=entities,
            rows=rows(fields),
            document=document,
            photo=photo,
            quiet=fields.get("disable_notification", False),
            reply_to=self._reply_to(chat, fields),
            thread_id=fields.get("message_thread_id"),
            keyboard=tuple(
                button for row in fields.get("reply_markup", {}).get("keyboard", []) for button in row
            ),
            preview=not fields.get("link_preview_options", {}).get("is_disabled", False),
        )
        chat.messages.append(shown)
        return chat.message_json(shown)

    def _edit_message(self, fields: Json, *, text_too: bool) -> Json:
        chat, place = self._editable(fields)
        old = chat.messages[place]
        new = replace(old, rows=rows(fields))
        if text_too:
            if old.document or old.photo:
                raise RefusedCall(400, "Bad Request: there is no text in the message to edit")
            text, entities = parse(fields["text"], fields.get("parse_mode"))
            if not text.strip():
                raise RefusedCall(400, "Bad Request: message text is empty")
            check_length(text, TEXT_LIMIT, "message")
            new = replace(new, text=text, entities=entities)
        return _changed(chat, place, new)

    def _editable(self, fields: Json) -> tuple[Chat, int]:
        """The chat, and where in it the bot's message stands that is to be changed."""
        chat = self._chat(fields)
        if chat.refusal:
            raise chat.refusal
        found = [n for n, m in enumerate(chat.messages) if m.message_id == fields["message_id"]]
        if not found:
            raise RefusedCall(400, "Bad Request: message to edit not found")
        if chat.messages[found[0]].author != self.bot["id"]:
            raise RefusedCall(400, "Bad Request: message can't be edited")
        return chat, found[0]

    def _answer_callback_query(self, fields: Json) -> bool:
        if not 0 < int(fields["callback_query_id"]) <= self._query_id:
            raise RefusedCall(400, "Bad Request: query is too old and response timeout expired")
        if len(fields.get("text", "")) > TOAST_LIMIT:
            raise RefusedCall(400, "Bad Request: MESSAGE_TOO_LONG")
        self.toasts.append(fields.get("text", ""))
        return True

    def _answer_inline_query(self, fields: Json) -> bool:
        found = fields["results"]
        if not 0 < int(fields["inline_query_id"]) <= self._query_id:
            raise RefusedCall(400, "Bad Request: query is too old and response timeout expired")
        if len(found) > 50 or len(fields.get("next_offset", "").encode()) > 64:
            raise RefusedCall(400, "Bad Request: RESULTS_TOO_MUCH")
        if len({one["id"] for one in found}) < len(found) or any(
            len(one["id"].encode()) > 64 for one in found
        ):
            raise RefusedCall(400, "Bad Request: RESULT_ID_DUPLICATE")
        for one in found:
            content = one["input_message_content"]
            text, _ = parse(content["message_text"], content.get("parse_mode"))
            check_length(text, TEXT_LIMIT, "message")
        self.lists.append(fields)
        return True

    def _set_my_commands(self, fields: Json) -> bool:
        commands = fields.get("commands", [])
        if len(commands) > 100:
            raise RefusedCall(400, "Bad Request: BOT_COMMANDS_TOO_MUCH")
        for command in commands:
            if not re.fullmatch(r"[a-z0-9_]{1,32}", command["command"]):
                raise RefusedCall(400, "Bad Request: BOT_COMMAND_INVALID")
            if not 1 <= len(command["description"]) <= 256:
                raise RefusedCall(400, "Bad Request: BOT_COMMAND_DESCRIPTION_INVALID")
        scope = fields.get("scope", {"type": "default"})["type"]
        self.menus[scope, fields.get("language_code", "")] = commands
        return True

    def _get_chat_member(self, fields: Json) -> Json:
        chat = self._chat(fields)
        if chat.refusal is not None and chat.refusal.status == 403:
            raise chat.refusal
        if fields["user_id"] == self.bot["id"]:
            return chat.own_member()
        if isinstance(chat, Channel) and chat.standing != "administrator":
            raise RefusedCall(400, "Bad Request: member list is inaccessible")
        person = next((p for p in self._people.values() if p.id == fields["user_id"]), None)
        if person is None or not isinstance(chat, Group | Channel):
            raise RefusedCall(400, "Bad Request: user not found")
        return member_json(person.as_json(), chat.members.get(person.id, "left"))

    # checks

    def _chat(self, fields: Json) -> Chat:
        chat = self._chats.get(fields["chat_id"])
        if chat is None:
            raise RefusedCall(400, "Bad Request: chat not found")
        return chat

    def _writable(self, fields: Json) -> Chat:
        chat, thread_id = self._chat(fields), fields.get("message_thread_id")
        if chat.refusal:
            raise chat.refusal
        if thread_id is not None:
            topics = chat.topics if isinstance(chat, Group) else {}
            if thread_id not in topics:
                raise RefusedCall(400, "Bad Request: message thread not found")
            if (refusal := topics[thread_id]) is not None:
                raise refusal
        return chat

    def _reply_to(self, chat: Chat, fields: Json) -> int | None:
        asked = fields.get("reply_parameters")
        if asked is None:
            return None
        if any(message.message_id == asked["message_id"] for message in chat.messages):
            return int(asked["message_id"])
        if asked.get("allow_sending_without_reply"):
            return None
        raise RefusedCall(400, "Bad Request: message to be replied not found")


_GIFTS = (
    "unlimited_gifts",
    "limited_gifts",
    "unique_gifts",
    "premium_subscription",
    "gifts_from_channels",
)


def _value(name: str, text: str) -> Any:
    if name in _STRINGS:
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _failure(refusal: RefusedCall) -> web.Response:
    body: Json = {"ok": False, "error_code": refusal.status, "description": refusal.description}
    if refusal.parameters:
        body["parameters"] = refusal.parameters
    return _response(refusal.status, body)


def _response(status: int, body: Json) -> web.Response:
    return web.Response(status=status, text=json.dumps(body), content_type="application/json")


def _changed(chat: Chat, place: int, new: Shown) -> Json:
    if new == chat.messages[place]:
        raise RefusedCall(
            400,
            "Bad Request: message is not modified: specified new message content and reply markup are "
            "exactly the same as a current content and reply markup of the message",
        )
    chat.messages[place] = new
    return chat.message_json(new)


def _photo(content: bytes) -> bytes:
    """Telegram looks at what it is sent (core.telegram.org/bots/api#sendphoto)."""
    if not content.startswith(b"\x89PNG"):
        raise RefusedCall(400, "Bad Request: IMAGE_PROCESS_FAILED")
    return content
