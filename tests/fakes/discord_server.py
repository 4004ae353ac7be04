"""A small Discord on 127.0.0.1: REST and gateway over real sockets, for the real client.

    discord = FakeDiscord(); await discord.start()
    room = discord.channel("papers"); discord.person("ada", manages=True)
    discord.command("ada", room, "search", query="rl")        # reaches the bot by the gateway
    discord.shown_in(room)                                    # what stands there
    discord.refuse(Refused(403, 50013))                       # the next message is refused

Every request is checked against Discord's own description where that lies beside the checkout; what does not
fit is in `problems`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from tests.adapters.contract import eventually
from tests.judges import discord_spec

Json = dict[str, Any]

APPLICATION = 900
GUILD = 500
ROLE = 501
MANAGERS = 502
TIMESTAMP = "2026-09-29T12:00:00.000000+00:00"
EPHEMERAL = 1 << 6
LOADING = 1 << 7
ALL_RIGHTS = (1 << 50) - 1
MEMBER_RIGHTS = 1 << 10 | 1 << 11 | 1 << 31
MANAGER_RIGHTS = MEMBER_RIGHTS | 1 << 4


@dataclass(frozen=True)
class Refused:
    """An answer to a request: an error as Discord writes it, or `body` instead."""

    status: int
    code: int = 0
    body: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    extra: Mapping[str, Any] = field(default_factory=dict)

    def response(self) -> web.Response:
        """The answer as sent."""
        body = self.body
        if body is None:
            body = json.dumps({"code": self.code, "message": "refused, as this test wants", **self.extra})
        headers = {"Content-Type": self.content_type, **self.headers}
        return web.Response(status=self.status, body=body.encode(), headers=headers)


HANG_UP = Refused(0)
"""The connection is closed without an answer."""

ANSWER_LOST = Refused(1)
"""What is asked is done, and then the connection is closed without an answer."""


@dataclass(frozen=True)
class Asked:
    """One request as it came: `files` by name."""

    method: str
    path: str
    json: Any
    files: Mapping[str, str]
    headers: Mapping[str, str]


@dataclass
class Shown:
    """One message: `body` as the bot wrote it, `only_for` the one person who sees it (0: everybody)."""

    id: int
    channel: int
    body: Json
    files: dict[str, str]
    only_for: int = 0
    is_followup: bool = False

    @property
    def flags(self) -> int:
        """Message flags, with the ones that the server sets."""
        return int(self.body.get("flags") or 0) | (EPHEMERAL if self.only_for else 0)


@dataclass(frozen=True)
class Room:
    """A channel: type 0 text, 1 direct message, 5 announcements, 11 thread, 15 forum, 16 media.

    A thread has its channel as `parent`; `tags` are a forum's, of which every post needs one where there are any.
    """

    id: int
    type: int
    name: str
    parent: int = 0
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Person:
    """Somebody with an account, and what they may do in every room of the server."""

    id: int
    name: str
    rights: int


@dataclass
class Interaction:
    """An interaction that the bot may answer by its token."""

    id: int
    room: Room
    person: Person
    pressed: int = 0
    original: int = 0
    hidden: bool = False
    callbacks: list[Json] = field(default_factory=list)


class FakeDiscord:
    """The server. It takes one `token`; `stated_gateway` and `resume_url` are what it tells of itself."""

    def __init__(self, token: str = "MTIzNDU2.fake.secret-of-discord") -> None:
        self.token = token
        self.asked: list[Asked] = []
        self.problems: list[str] = []
        self.shown: dict[int, Shown] = {}
        self.interactions: dict[str, Interaction] = {}
        self.identified: list[Json] = []
        self.resumed: list[Json] = []
        self.connections = 0
        self.stated_gateway = ""
        self.stated_shards = 1
        self.resume_url = ""
        self.close_at_identify = 0
        self.me_status = 200
        self.knows_its_gateway = True
        self.too_late = False
        self.installed_by_people_only = False
        self.guild = GUILD
        self._ids = itertools.count(1000)
        self._sequence = itertools.count(1)
        self._nonces: dict[str, int] = {}
        self._refusals: list[tuple[int | None, Refused]] = []
        self._rooms: dict[int, Room] = {}
        self._people: dict[str, Person] = {}
        self._sockets: dict[web.WebSocketResponse, Json] = {}
        self._runner: web.AppRunner | None = None
        self._address = ""

    # life

    async def start(self) -> None:
        """Listens on a free port."""
        app = web.Application()
        app.router.add_get("/gateway", self._gateway)
        app.router.add_route("*", "/api/v10/{path:.*}", self._rest)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self._address = f"{host}:{port}"

    async def stop(self) -> None:
        """Closes everything."""
        await self.drop(1001)
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def api_url(self) -> str:
        """The REST base to configure."""
        return f"http://{self._address}/api/v10"

    @property
    def gateway_url(self) -> str:
        """The gateway to configure."""
        return f"ws://{self._address}/gateway"

    # the world

    def channel(self, name: str, type: int = 0, tags: tuple[str, ...] = ()) -> Room:
        """A new channel of the server."""
        return self._room(Room(next(self._ids), type, name, tags=tags))

    def described(self, room: Room) -> Json:
        """The channel as events tell of it."""
        return _channel(room) | ({} if room.type == 1 else {"guild_id": str(self.guild)})

    def posts_in(self, forum: Room) -> list[Room]:
        """The forum's posts, oldest first."""
        return [room for room in self._rooms.values() if room.parent == forum.id]

    def person(self, name: str, *, manages: bool = False) -> Person:
        """A new person, a member of the server."""
        person = Person(next(self._ids), name, MANAGER_RIGHTS if manages else MEMBER_RIGHTS)
        self._people[name] = person
        return person

    def direct(self, name: str) -> Room:
        """The direct messages between a person and the bot."""
        number = self._people[name].id + 10_000
        return self._rooms.get(number) or self._room(Room(number, 1, name))

    def _room(self, room: Room) -> Room:
        self._rooms[room.id] = room
        return room

    def shown_in(self, room: Room) -> list[Shown]:
        """The messages that stand there, oldest first, without those that are still being thought about."""
        return [
            message
            for message in self.shown.values()
            if message.channel == room.id and not message.flags & LOADING
        ]

    def sent(self) -> list[Asked]:
        """The requests that post a message into a channel."""
        return [asked for asked in self.asked if asked.method == "POST" and asked.path.endswith("/messages")]

    def refuse(self, *refusals: Refused, room: Room | None = None) -> None:
        """Answers the next messages into a channel (into `room`, where it is given) so."""
        self._refusals += [(room.id if room else None, refusal) for refusal in refusals]

    def _refusal_for(self, channel: str) -> Refused | None:
        for place, refusal in self._refusals:
            if place in (None, int(channel)):
                self._refusals.remove((place, refusal))
                return refusal
        return None

    # the gateway

    async def drop(self, code: int) -> None:
        """Closes every gateway connection with a close code."""
        for socket in list(self._sockets):
            await socket.close(code=code)

    async def tell(self, event: str, payload: Json) -> None:
        """Sends an event to the connection whose shard it belongs to: its server's, else the first one's."""
        is_of_server = "guild_id" in payload or event.startswith("GUILD_")
        number = self.guild >> 22 if is_of_server else 0
        for socket, identify in list(self._sockets.items()):
            shard, count = identify.get("shard", (0, 1))
            if number % count == shard:
                await self._tell(socket, event, payload)

    async def _tell(self, socket: web.WebSocketResponse, event: str, payload: Json) -> None:
        message = {"op": 0, "t": event, "s": next(self._sequence), "d": payload}
        await socket.send_str(json.dumps(message))

    async def order(self, op: int, payload: object = None) -> None:
        """Sends an operation: 7 reconnect, 9 invalid session."""
        await self._send({"op": op, "d": payload, "s": None, "t": None})

    async def roles_changed(self, *roles: int) -> None:
        """The bot's own membership now has these roles."""
        member = {"user": _bot(), "roles": [str(role) for role in roles], "joined_at": TIMESTAMP, "flags": 0}
        await self.tell("GUILD_MEMBER_UPDATE", member | {"guild_id": str(self.guild)})

    async def _send(self, message: Json) -> None:
        for socket in list(self._sockets):
            await socket.send_str(json.dumps(message))

    async def _gateway(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.connections += 1
        await socket.send_str(json.dumps({"op": 10, "d": {"heartbeat_interval": 41250}, "s": None}))
        try:
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    await self._received(socket, json.loads(message.data))
        finally:
            self._sockets.pop(socket, None)
        return socket

    async def _received(self, socket: web.WebSocketResponse, message: Json) -> None:
        match message["op"]:
            case 1:
                await socket.send_str(json.dumps({"op": 11}))
            case 2:
                await self._welcome(socket, message["d"])
                # Only now: whoever waits for it may send an event, which must not come before the server's state.
                self.identified.append(message["d"])
            case 6:
                self.resumed.append(message["d"])
                self._sockets[socket] = {}
                await self._tell(socket, "RESUMED", {})

    async def _welcome(self, socket: web.WebSocketResponse, identify: Json) -> None:
        code = 4004 if identify["token"] != self.token else self.close_at_identify
        if code:
            await socket.close(code=code)
            return
        self._sockets[socket] = identify
        number, count = identify.get("shard", (0, 1))
        here = [self.guild] if (self.guild >> 22) % count == number else []
        ready = {
            "v": 10,
            "user": _bot(),
            "guilds": [{"id": str(guild), "unavailable": True} for guild in here],
            "session_id": "a-session",
            "resume_gateway_url": self.resume_url or self.gateway_url,
            "application": {"id": str(APPLICATION), "flags": 0},
        }
        if "shard" in identify:
            ready["shard"] = identify["shard"]
        await self._tell(socket, "READY", ready)
        if here:
            await self._tell(socket, "GUILD_CREATE", self._guild())

    def _guild(self) -> Json:
        rooms = [self.described(room) for room in self._rooms.values() if room.type in (0, 5, 15, 16)]
        everyone = _role(self.guild, "@everyone", MEMBER_RIGHTS)
        return {
            "id": str(self.guild),
            "name": "Lab",
            "owner_id": "1",
            "member_count": 2,
            "roles": [
                everyone,
                _role(ROLE, "paperboy", ALL_RIGHTS & ~(1 << 3)),
                _role(MANAGERS, "managers", MANAGER_RIGHTS),
            ],
            "channels": rooms,
            "threads": [],
            "members": [{"user": _bot(), "roles": [str(ROLE)], "joined_at": TIMESTAMP, "flags": 0}],
            "emojis": [],
            "stickers": [],
            "features": [],
            "verification_level": 0,
            "default_message_notifications": 0,
            "explicit_content_filter": 0,
            "mfa_level": 0,
            "nsfw_level": 0,
            "premium_tier": 0,
            "preferred_locale": "en-US",
            "system_channel_flags": 0,
            "unavailable": False,
            "large": False,
        }

    # what people do

    async def command(
        self, by: str, room: Room, name: str, *, locale: str = "en-US", **options: str | Room
    ) -> Interaction:
        """A person uses a slash command ("feed here" for a subcommand); a room is given as a channel option."""
        first, _, second = name.partition(" ")
        given: list[Json] = [_option(key, value) for key, value in options.items()]
        if second:
            given = [{"name": second, "type": 1, "options": given}]
        rights = str(self._people[by].rights)
        named = {
            str(one.id): self.described(one) | {"permissions": rights}
            for one in options.values()
            if isinstance(one, Room)
        }
        data = {"id": "77", "name": first, "type": 1, "options": given, "resolved": {"channels": named}}
        return await self._interact(2, by, room, data, locale=locale)

    async def complete(self, by: str, room: Room, name: str, option: str, typed: str) -> Interaction:
        """A person types into an option."""
        given = [{"name": option, "type": 3, "value": typed, "focused": True}]
        return await self._interact(4, by, room, {"id": "77", "name": name, "type": 1, "options": given})

    async def press(self, by: str, room: Room, message: Shown, custom_id: str) -> Interaction:
        """A person presses a button under a message."""
        data = {"component_type": 2, "custom_id": custom_id}
        return await self._interact(3, by, room, data, message)

    async def choose(self, by: str, room: Room, message: Shown, custom_id: str, value: str) -> Interaction:
        """A person chooses an entry of a select under a message."""
        data = {"component_type": 3, "custom_id": custom_id, "values": [value]}
        return await self._interact(3, by, room, data, message)

    async def _interact(
        self,
        kind: int,
        by: str,
        room: Room,
        data: Json,
        message: Shown | None = None,
        locale: str = "en-US",
    ) -> Interaction:
        person = self._people[by]
        number = next(self._ids)
        interaction = Interaction(number, room, person, message.id if message else 0)
        token = f"interaction-{number}"
        self.interactions[token] = interaction
        payload: Json = {
            "id": str(number),
            "application_id": str(APPLICATION),
            "type": kind,
            "token": token,
            "version": 1,
            "data": data,
            "channel_id": str(room.id),
            "channel": self.described(room),
            "locale": locale,
            "entitlements": [],
            "app_permissions": str(ALL_RIGHTS),
            "attachment_size_limit": 1 << 23,
            "authorizing_integration_owners": {"0": "0" if room.type == 1 else str(self.guild)},
            "context": 1 if room.type == 1 else 0,
        }
        if self.installed_by_people_only:
            payload["authorizing_integration_owners"] = {"1": str(person.id)}
            payload["context"] = 2 if room.type == 1 else 0
        user = _user(person.id, person.name)
        if room.type == 1:
            payload["user"] = user
        else:
            payload["guild_id"] = str(self.guild)
            payload["member"] = {
                "user": user,
                "roles": [],
                "joined_at": TIMESTAMP,
                "flags": 0,
                "permissions": str(person.rights),
            }
        if message is not None:
            payload["message"] = _message(message)
        await self.tell("INTERACTION_CREATE", payload)
        return interaction

    # REST

    async def _rest(self, request: web.Request) -> web.StreamResponse:
        asked = await _read(request)
        self.asked.append(asked)
        self._judge(asked)
        parts = asked.path.strip("/").split("/")
        if not _is_by_interaction(parts) and asked.headers.get("Authorization") != f"Bot {self.token}":
            return Refused(401).response()
        is_post = asked.method == "POST" and parts[0] == "channels"
        if is_post and (refusal := self._refusal_for(parts[1])) is not None:
            if refusal is ANSWER_LOST:
                self._answer(asked, parts)
            if refusal in (HANG_UP, ANSWER_LOST):
                assert request.transport is not None
                request.transport.close()
            return (Refused(500) if refusal in (HANG_UP, ANSWER_LOST) else refusal).response()
        return self._answer(asked, parts)

    def _judge(self, asked: Asked) -> None:
        if discord_spec.is_here():
            problems = discord_spec.problems_of(asked.method, asked.path, asked.json)
            self.problems += [f"{asked.method} {asked.path}: {problem}" for problem in problems]

    def _answer(self, asked: Asked, parts: Sequence[str]) -> web.Response:
        match [asked.method, *parts]:
            case ["GET", "users", "@me"]:
                return _json(_bot()) if self.me_status == 200 else Refused(self.me_status).response()
            case ["GET", "oauth2", "applications", "@me"]:
                return _json(_application())
            case ["GET", "gateway", "bot"]:
                return self._state_gateway()
            case ["PUT", "applications", _, "commands"]:
                return _json([_registered(number, one) for number, one in enumerate(asked.json)])
            case ["POST", "users", "@me", "channels"]:
                return self._open_direct(asked.json)
            case ["POST", "channels", channel, "messages"]:
                return self._post(asked, int(channel))
            case ["POST", "channels", channel, "threads"]:
                return self._open_post(asked, int(channel))
            case ["GET", "channels", channel]:
                return _json(self.described(self._rooms[int(channel)]))
            case ["GET", "channels", _, "messages", message]:
                return _json(_message(self.shown[int(message)]))
            case ["GET", "guilds", _, "threads", "active"]:
                threads = [self.described(room) for room in self._rooms.values() if room.type == 11]
                return _json({"threads": threads, "members": []})
            case ["GET", "guilds", _, "members", person]:
                return self._member(int(person))
            case ["POST", "interactions", _, token, "callback"]:
                return self._call_back(asked, self.interactions[token])
            case ["POST", "webhooks", _, token]:
                return self._follow_up(asked, self.interactions[token])
            case ["PATCH", "webhooks", _, token, "messages", "@original"]:
                return self._edit(asked, self.interactions[token])
            case ["DELETE", "webhooks", _, token, "messages", "@original"]:
                self.shown.pop(self.interactions[token].original, None)
                return web.Response(status=204)
            case ["DELETE", "channels", _, "messages", message] if int(message) in self.shown:
                del self.shown[int(message)]
                return web.Response(status=204)
            case ["DELETE", "webhooks", _, _, "messages", message] if int(message) in self.shown:
                del self.shown[int(message)]
                return web.Response(status=204)
        return Refused(404).response()

    def _state_gateway(self) -> web.Response:
        if not self.knows_its_gateway:
            return Refused(404).response()
        limit = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}
        url = self.stated_gateway or self.gateway_url
        return _json({"url": url, "shards": self.stated_shards, "session_start_limit": limit})

    def _open_direct(self, body: Json) -> web.Response:
        person = next(one for one in self._people.values() if one.id == int(body["recipient_id"]))
        return _json(_channel(self.direct(person.name)))

    def _post(self, asked: Asked, channel: int) -> web.Response:
        if channel not in self._rooms:
            return Refused(404, 10003).response()
        nonce = str(asked.json.get("nonce", ""))
        if nonce and asked.json.get("enforce_nonce") and nonce in self._nonces:
            return _json(_message(self.shown[self._nonces[nonce]]))
        message = self._show(asked, channel)
        self._nonces[nonce] = message.id
        return _json(_message(message))

    def _open_post(self, asked: Asked, forum: int) -> web.Response:
        if self._rooms.get(forum, Room(0, 0, "")).type != 15:
            return Refused(404, 10003).response()
        if self._rooms[forum].tags and not asked.json.get("applied_tags"):
            return Refused(400, 40067).response()
        first = Asked("POST", "", asked.json["message"], asked.files, asked.headers)
        message = self._show(first, forum)
        # A post has the id of the message that begins it.
        message.channel = message.id
        post = self._room(Room(message.id, 11, asked.json["name"], parent=forum))
        return _json(self.described(post) | {"message": _message(message)})

    def _member(self, person: int) -> web.Response:
        known = next((one for one in self._people.values() if one.id == person), None)
        if known is None:
            return Refused(404, 10007).response()
        roles = [str(MANAGERS)] if known.rights & 1 << 4 else []
        member = {"user": _user(known.id, known.name), "roles": roles, "joined_at": TIMESTAMP, "flags": 0}
        return _json(member)

    def _show(self, asked: Asked, channel: int, only_for: int = 0, followup: bool = False) -> Shown:
        message = Shown(next(self._ids), channel, asked.json, dict(asked.files), only_for, followup)
        self.shown[message.id] = message
        return message

    def _call_back(self, asked: Asked, interaction: Interaction) -> web.Response:
        if self.too_late:
            return Refused(404, 10062).response()
        if interaction.callbacks:
            return Refused(400, 40060).response()
        interaction.callbacks.append(asked.json)
        data = asked.json.get("data") or {}
        interaction.hidden = bool(int(data.get("flags") or 0) & EPHEMERAL)
        match asked.json["type"]:
            case 4:
                interaction.original = self._respond(interaction, data)
            case 5:
                interaction.original = self._respond(interaction, {"flags": LOADING})
            case 6 | 7:
                interaction.original = interaction.pressed
        return _json({"interaction": {"id": str(interaction.id), "type": 2}})

    def _respond(self, interaction: Interaction, body: Json) -> int:
        only_for = interaction.person.id if interaction.hidden else 0
        asked = Asked("POST", "", body, {}, {})
        return self._show(asked, interaction.room.id, only_for).id

    def _follow_up(self, asked: Asked, interaction: Interaction) -> web.Response:
        original = self.shown.get(interaction.original)
        if original is not None and original.flags & LOADING:
            # Discord takes the first follow-up for the deferred message (docs, "Followup Messages").
            return self._edit(asked, interaction)
        hidden = int(asked.json.get("flags") or 0) & EPHEMERAL
        only_for = interaction.person.id if hidden else 0
        return _json(_message(self._show(asked, interaction.room.id, only_for, followup=True)))

    def _edit(self, asked: Asked, interaction: Interaction) -> web.Response:
        message = self.shown.get(interaction.original)
        if message is None:
            return Refused(404, 10008).response()
        message.body = {**message.body, **asked.json, "flags": message.flags & ~LOADING}
        if "attachments" in asked.json:
            message.files = dict(asked.files)
        return _json(_message(message))


def _is_by_interaction(parts: Sequence[str]) -> bool:
    """True for what an interaction's token alone allows."""
    return parts[0] in ("interactions", "webhooks")


async def _read(request: web.Request) -> Asked:
    path = "/" + request.match_info["path"]
    if request.content_type != "multipart/form-data":
        text = await request.text()
        return Asked(request.method, path, json.loads(text) if text else None, {}, request.headers.copy())
    form = await request.post()
    files = {
        field.filename: _content(field.file.read())
        for field in form.values()
        if isinstance(field, web.FileField)
    }
    return Asked(request.method, path, json.loads(str(form["payload_json"])), files, request.headers.copy())


def _content(file: bytes) -> str:
    """A file as letters: one for each byte where it is no text."""
    return file.decode("latin-1" if file.startswith(b"\x89PNG") else "utf-8")


def _json(value: object) -> web.Response:
    # discord.py reads JSON only under exactly this content type.
    return web.Response(body=json.dumps(value).encode(), headers={"Content-Type": "application/json"})


def _user(number: int, name: str) -> Json:
    return {"id": str(number), "username": name, "discriminator": "0", "avatar": None, "global_name": None}


def _bot() -> Json:
    return _user(APPLICATION, "paperboy") | {"bot": True, "verified": True, "mfa_enabled": False}


def _application() -> Json:
    return {
        "id": str(APPLICATION),
        "name": "paperboy",
        "icon": None,
        "description": "",
        "bot_public": True,
        "bot_require_code_grant": False,
        "verify_key": "",
        "flags": 0,
        "owner": _user(1, "owner"),
        "team": None,
    }


def _role(number: int, name: str, permissions: int) -> Json:
    return {
        "id": str(number),
        "name": name,
        "permissions": str(permissions),
        "position": 0 if name == "@everyone" else 1,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "managed": number == ROLE,
        "mentionable": False,
        "flags": 0,
    }


def _channel(room: Room) -> Json:
    channel: Json = {"id": str(room.id), "type": room.type}
    if room.type == 1:
        return channel | {"recipients": [_user(room.id - 10_000, room.name)], "last_message_id": None}
    if room.type == 11:
        channel |= {
            "parent_id": str(room.parent),
            "owner_id": str(APPLICATION),
            "message_count": 0,
            "member_count": 1,
            "thread_metadata": {
                "archived": False,
                "auto_archive_duration": 1440,
                "archive_timestamp": TIMESTAMP,
                "locked": False,
            },
        }
    if room.type in (15, 16):
        channel |= {
            "available_tags": [
                {"id": str(900 + n), "name": name, "moderated": False, "emoji_id": None, "emoji_name": None}
                for n, name in enumerate(room.tags)
            ],
            "flags": 1 << 4 if room.tags else 0,
            "default_reaction_emoji": None,
            "default_sort_order": None,
            "default_forum_layout": 0,
        }
    return {
        "name": room.name,
        "position": 0,
        "permission_overwrites": [],
        "parent_id": None,
        "nsfw": False,
        "topic": None,
    } | channel


def _message(message: Shown) -> Json:
    return {
        "id": str(message.id),
        "channel_id": str(message.channel),
        "author": _bot(),
        "content": message.body.get("content") or "",
        "timestamp": TIMESTAMP,
        "edited_timestamp": None,
        "tts": False,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": message.body.get("embeds") or [],
        "pinned": False,
        "type": 0,
        "components": message.body.get("components") or [],
        "flags": message.flags,
        "nonce": message.body.get("nonce"),
    }


def _option(name: str, value: str | Room) -> Json:
    if isinstance(value, Room):
        return {"name": name, "type": 7, "value": str(value.id)}
    return {"name": name, "type": 3, "value": value}


def _registered(number: int, command: Json) -> Json:
    return {
        **command,
        "id": str(7000 + number),
        "application_id": str(APPLICATION),
        "version": "1",
        "default_member_permissions": str(command.get("default_member_permissions") or 0),
    }


async def until_connected(server: FakeDiscord, count: int = 1) -> None:
    """Returns when the bot has identified or resumed `count` times."""
    await eventually(lambda: len(server.identified) + len(server.resumed) >= count)
