"""The people and chats of the fake Telegram: what they do becomes updates, what they see is kept as messages.

telegram.user("ada").says("/subscribe rl")
telegram.user("ada").presses("▶")
telegram.user("ada").received()[-1].text
group = telegram.group("Reading group", admins=["ada"], members=["bob"], forum=True)
group.topic("papers").says("bob", "/search rl")
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

Json = dict[str, Any]

ANONYMOUS_ADMIN = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
"""Who Telegram says has written an anonymous administrator's message."""

LINKED_CHANNEL = {"id": 777000, "is_bot": False, "first_name": "Telegram"}
"""Who Telegram says has copied a channel's post into its discussion group."""

CHANNEL_IN_GROUP = {"id": 136817688, "is_bot": True, "first_name": "Channel", "username": "Channel_Bot"}
"""Who Telegram says has written a message in a channel's name."""

_RIGHTS = (
    "can_be_edited",
    "can_manage_chat",
    "can_delete_messages",
    "can_manage_video_chats",
    "can_restrict_members",
    "can_promote_members",
    "can_change_info",
    "can_invite_users",
    "can_post_stories",
    "can_edit_stories",
    "can_delete_stories",
    "can_post_messages",
)

_PERMISSIONS = (
    "is_member",
    "can_send_messages",
    "can_send_audios",
    "can_send_documents",
    "can_send_photos",
    "can_send_videos",
    "can_send_video_notes",
    "can_send_voice_notes",
    "can_send_polls",
    "can_send_other_messages",
    "can_add_web_page_previews",
    "can_edit_tag",
    "can_react_to_messages",
    "can_change_info",
    "can_invite_users",
    "can_pin_messages",
    "can_manage_topics",
)


class RefusedCall(Exception):
    """What the Bot API answers instead of a result."""

    def __init__(self, status: int, description: str, parameters: Json | None = None) -> None:
        super().__init__(description)
        self.status = status
        self.description = description
        self.parameters = parameters


@dataclass(frozen=True, slots=True)
class Shown:
    """One message as it stands in a chat. `entities` and `rows` (of buttons) are Bot API objects.

    `document` is a file's name and text, `photo` a picture's bytes; `author` the sender's id (the bot's, or a
    person's). `keyboard` are the buttons below the text field that came with it.
    """

    message_id: int
    author: int
    text: str
    entities: tuple[Json, ...] = ()
    rows: tuple[tuple[Json, ...], ...] = ()
    document: tuple[str, str] | None = None
    photo: bytes | None = None
    quiet: bool = False
    reply_to: int | None = None
    thread_id: int | None = None
    preview: bool = True
    keyboard: tuple[Json, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The buttons' texts, row by row."""
        return tuple(button["text"] for row in self.rows for button in row)

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """Linked texts and their addresses."""
        return tuple(
            (self.piece(entity), entity["url"]) for entity in self.entities if entity["type"] == "text_link"
        )

    def piece(self, entity: Mapping[str, Any]) -> str:
        """The text that an entity covers; Telegram counts in UTF-16 units."""
        units = self.text.encode("utf-16-le")
        start = 2 * int(entity["offset"])
        return units[start : start + 2 * int(entity["length"])].decode("utf-16-le")


class Server(Protocol):
    """What a chat needs of the server."""

    bot: Json

    def publish(self, kind: str, content: Json) -> None:
        """Queues an update."""

    def user(self, name: str) -> Person:
        """A person by name."""

    def adopt(self, chat: Chat) -> None:
        """Makes a chat known."""


@dataclass(eq=False)
class Chat:
    """A chat of any type. `standing` is the bot's status in it, as a ChatMember has it, `rights` what differs."""

    server: Server
    id: int
    type: str
    title: str
    standing: str = "member"
    refusal: RefusedCall | None = None
    rights: Json = field(default_factory=dict)
    messages: list[Shown] = field(default_factory=list)
    _last_id: int = 0

    def as_json(self) -> Json:
        """The chat as the Bot API shows it."""
        name = {"first_name": self.title} if self.type == "private" else {"title": self.title}
        return {"id": self.id, "type": self.type, **name}

    def next_id(self) -> int:
        """The next message's id."""
        self._last_id += 1
        return self._last_id

    def received(self, thread_id: int | None = None) -> tuple[Shown, ...]:
        """The bot's messages as they stand now, oldest first; of one topic when it is given."""
        return tuple(
            shown
            for shown in self.messages
            if shown.author == self.server.bot["id"] and thread_id in (None, shown.thread_id)
        )

    def message_json(self, shown: Shown) -> Json:
        """A message of the bot's as the Bot API shows it."""
        message: Json = {
            "message_id": shown.message_id,
            "date": int(time.time()),
            "chat": self.as_json(),
            "from": self.server.bot,
        }
        body, marks = (
            ("caption", "caption_entities") if shown.document or shown.photo else ("text", "entities")
        )
        if shown.text:
            message |= {body: shown.text, marks: list(shown.entities)}
        if shown.rows:
            message["reply_markup"] = {"inline_keyboard": [list(row) for row in shown.rows]}
        if shown.photo:
            size = {"width": 720, "height": 432, "file_size": len(shown.photo)}
            names = {"file_id": f"photo-{shown.message_id}", "file_unique_id": f"photo-u-{shown.message_id}"}
            message["photo"] = [names | size]
        if shown.document:
            message["document"] = {
                "file_id": f"file-{shown.message_id}",
                "file_unique_id": f"unique-{shown.message_id}",
                "file_name": shown.document[0],
                "file_size": len(shown.document[1].encode()),
            }
        return message | thread_json(shown.thread_id)

    def writes(self, text: str, sender: Json | None, thread_id: int | None = None, **extra: Any) -> int:
        """Somebody writes a message; gives its id."""
        shown = Shown(self.next_id(), sender["id"] if sender else self.id, text, thread_id=thread_id)
        self.messages.append(shown)
        message: Json = {"message_id": shown.message_id, "date": int(time.time()), "chat": self.as_json()}
        if sender is not None:
            message["from"] = sender
        if text:
            message |= {"text": text} | command_entities(text)
        kind = "channel_post" if self.type == "channel" else "message"
        self.server.publish(kind, message | thread_json(thread_id) | extra)
        return shown.message_id

    def press(
        self, label: str, person: Person, thread_id: int | None = None, *, forgotten: bool = False
    ) -> None:
        """A person presses the button `label` under the newest message that has it.

        `forgotten` lets the server tell no more of the message than its id, as it does of old ones.
        """
        for shown in reversed(self.received(thread_id)):
            for button in (button for row in shown.rows for button in row):
                if button["text"] == label:
                    self._publish_press(shown, button["callback_data"], person, forgotten=forgotten)
                    return
        raise AssertionError(f"no button {label!r} in {self.title}: {[m.labels for m in self.received()]}")

    def _publish_press(self, shown: Shown, action: str, person: Person, *, forgotten: bool) -> None:
        message = self.message_json(shown)
        if forgotten:
            message = {"message_id": shown.message_id, "date": 0, "chat": self.as_json()}
        query = {"from": person.as_json(), "message": message, "chat_instance": str(self.id), "data": action}
        self.server.publish("callback_query", query)

    def own_member(self) -> Json:
        """The bot as a member."""
        return member_json(self.server.bot, self.standing) | self.rights

    def change(self, by: Person, standing: str, refusal: RefusedCall | None, **rights: Any) -> None:
        """The bot's membership changes: the chat answers with `refusal` from now on; an update says so."""
        before = self.own_member()
        self.standing, self.refusal, self.rights = standing, refusal, rights
        after = self.own_member()
        content = {
            "chat": self.as_json(),
            "from": by.as_json(),
            "date": int(time.time()),
            "old_chat_member": before,
            "new_chat_member": after,
        }
        self.server.publish("my_chat_member", content)


@dataclass(eq=False)
class Person:
    """Somebody with a private chat with the bot, which exists once they have written there."""

    server: Server
    id: int
    name: str
    lang: str = "en"
    chat: Chat = field(init=False)

    def __post_init__(self) -> None:
        never_spoken = RefusedCall(403, "Forbidden: bot can't initiate conversation with a user")
        self.chat = Chat(self.server, self.id, "private", self.name, refusal=never_spoken)
        self.server.adopt(self.chat)

    def as_json(self) -> Json:
        """The person as the Bot API shows them."""
        return {"id": self.id, "is_bot": False, "first_name": self.name, "language_code": self.lang}

    def says(self, text: str) -> int:
        """Writes to the bot in private; gives the message's id."""
        self.chat.refusal = None
        return self.chat.writes(text, self.as_json())

    def types(self, words: str, offset: str = "") -> None:
        """Types words after the bot's name in some chat."""
        self.server.publish("inline_query", {"from": self.as_json(), "query": words, "offset": offset})

    def presses(self, label: str, *, forgotten: bool = False) -> None:
        """Presses a button in private."""
        self.chat.press(label, self, forgotten=forgotten)

    def picks(self, label: str, chat: Group | Channel) -> None:
        """Presses a button below the text field and picks a chat, which must be one that the button asks for.

        Telegram's app lets an administrator add the bot with the rights that the button names.
        """
        keyboard = next(shown.keyboard for shown in reversed(self.received()) if shown.keyboard)
        (button,) = (button for button in keyboard if button["text"] == label)
        wanted = button["request_chat"]
        assert wanted["chat_is_channel"] == (chat.type == "channel")
        assert chat.members.get(self.id) in ("creator", "administrator"), (
            "the app offers only one's own chats"
        )
        if wanted.get("bot_administrator_rights") and chat.standing != "administrator":
            chat.change(self, "administrator", None)
        if wanted.get("bot_is_member"):
            assert chat.standing not in ("left", "kicked"), "the app offers only chats that the bot is in"
        self.shares(wanted["request_id"], chat)

    def shares(self, request_id: int, chat: Chat) -> None:
        """Tells the bot of a chat, as an app does after a pick (or as somebody's own program does)."""
        shared = {"request_id": request_id, "chat_id": chat.id, "title": chat.title}
        self.chat.writes("", self.as_json(), chat_shared=shared)

    def received(self) -> tuple[Shown, ...]:
        """The bot's messages in private."""
        return self.chat.received()

    def blocks(self) -> None:
        """Blocks the bot."""
        self.chat.change(
            self, "kicked", RefusedCall(403, "Forbidden: bot was blocked by the user"), until_date=0
        )

    def unblocks(self) -> None:
        """Takes the bot back."""
        self.chat.change(self, "member", None)


@dataclass(eq=False)
class Group(Chat):
    """A group, or a supergroup with or without topics."""

    members: dict[int, str] = field(default_factory=dict)
    topics: dict[int, RefusedCall | None] = field(default_factory=dict)
    forum: bool = False

    def as_json(self) -> Json:
        """The group as the Bot API shows it."""
        return Chat.as_json(self) | ({"is_forum": True} if self.forum else {})

    def says(self, name: str, text: str, thread_id: int | None = None) -> int:
        """A member writes; gives the message's id."""
        return self.writes(text, self.server.user(name).as_json(), thread_id)

    def says_anonymously(self, text: str) -> int:
        """An administrator writes in the group's name."""
        return self.writes(text, ANONYMOUS_ADMIN, sender_chat=self.as_json())

    def says_as_channel(self, channel: Chat, text: str) -> int:
        """A member writes in the name of a channel of theirs."""
        return self.writes(text, CHANNEL_IN_GROUP, sender_chat=channel.as_json())

    def copies(self, channel: Chat, text: str) -> int:
        """The group discusses a channel, whose post is copied here."""
        return self.writes(text, LINKED_CHANNEL, sender_chat=channel.as_json(), is_automatic_forward=True)

    def presses(self, name: str, label: str, thread_id: int | None = None) -> None:
        """A member presses a button."""
        self.press(label, self.server.user(name), thread_id)

    def topic(self, name: str) -> Topic:
        """A new topic; its id is that of the message that opened it."""
        assert self.forum, "only a forum has topics"
        thread_id = 100 + self.next_id()
        self.topics[thread_id] = None
        return Topic(self, thread_id, name)

    def removes_bot(self, by: str, *, ban: bool = False) -> None:
        """An administrator removes the bot."""
        where = "supergroup" if self.type == "supergroup" else "group"
        if ban:
            refusal = RefusedCall(403, f"Forbidden: bot was kicked from the {where} chat")
            self.change(self.server.user(by), "kicked", refusal, until_date=0)
        else:
            refusal = RefusedCall(403, f"Forbidden: bot is not a member of the {where} chat")
            self.change(self.server.user(by), "left", refusal)

    def mutes_bot(self, by: str) -> None:
        """An administrator takes away the right to write."""
        refusal = RefusedCall(400, "Bad Request: not enough rights to send text messages to the chat")
        self.change(self.server.user(by), "restricted", refusal, can_send_messages=False)

    def takes_bot_back(self, by: str) -> None:
        """An administrator adds the bot, or gives its rights back."""
        self.change(self.server.user(by), "member", None)

    def becomes(self, new: Group) -> None:
        """The group becomes a supergroup: another chat with another id."""
        self.refusal = RefusedCall(
            400,
            "Bad Request: group chat was upgraded to a supergroup chat",
            {"migrate_to_chat_id": new.id},
        )
        self.writes("", ANONYMOUS_ADMIN, migrate_to_chat_id=new.id)
        new.writes("", ANONYMOUS_ADMIN, migrate_from_chat_id=self.id)


@dataclass(eq=False)
class Topic:
    """One topic of a forum."""

    group: Group
    thread_id: int
    name: str

    def says(self, name: str, text: str) -> int:
        """A member writes here, which answers the message that opened the topic."""
        opened = {
            "message_id": self.thread_id,
            "date": int(time.time()),
            "chat": self.group.as_json(),
            "forum_topic_created": {"name": self.name, "icon_color": 7322096},
        }
        by = self.group.server.user(name).as_json()
        return self.group.writes(text, by, self.thread_id, reply_to_message=opened)

    def presses(self, name: str, label: str) -> None:
        """A member presses a button here."""
        self.group.presses(name, label, self.thread_id)

    def received(self) -> tuple[Shown, ...]:
        """The bot's messages here."""
        return self.group.received(self.thread_id)

    def closes(self) -> None:
        """Nobody but administrators may write here any more."""
        self.group.topics[self.thread_id] = RefusedCall(400, "Bad Request: TOPIC_CLOSED")

    def reopens(self, by: str) -> None:
        """Everybody may write here again."""
        self.group.topics[self.thread_id] = None
        self.group.writes("", self.group.server.user(by).as_json(), self.thread_id, forum_topic_reopened={})

    def disappears(self) -> None:
        """The topic is deleted, of which no update tells."""
        self.group.topics[self.thread_id] = RefusedCall(400, "Bad Request: message thread not found")


@dataclass(eq=False)
class Channel(Chat):
    """A channel; the bot may post here while it is an administrator."""

    standing: str = "administrator"
    members: dict[int, str] = field(default_factory=dict)

    def posts(self, text: str) -> int:
        """Somebody posts in the channel's name."""
        return self.writes(text, None, sender_chat=self.as_json())

    def demotes_bot(self, by: str) -> None:
        """The bot is no administrator any more."""
        refusal = RefusedCall(400, "Bad Request: need administrator rights in the channel chat")
        self.change(self.server.user(by), "member", refusal)

    def presses(self, name: str, label: str) -> None:
        """A reader presses a button."""
        self.press(label, self.server.user(name))


def thread_json(thread_id: int | None) -> Json:
    """What a message in a topic says of it."""
    return {"message_thread_id": thread_id, "is_topic_message": True} if thread_id else {}


def command_entities(text: str) -> Json:
    """The mark that Telegram puts on a message that begins with a command."""
    found = re.match(r"/[A-Za-z0-9_]{1,32}(@[A-Za-z0-9_]+)?(?=\s|$)", text)
    if found is None:
        return {}
    return {"entities": [{"type": "bot_command", "offset": 0, "length": found.end()}]}


def member_json(user: Json, status: str) -> Json:
    """A ChatMember; an administrator has every right, a restricted member every permission."""
    member: Json = {"user": user, "status": status}
    match status:
        case "creator":
            return member | {"is_anonymous": False}
        case "administrator":
            return member | dict.fromkeys(_RIGHTS, True) | {"is_anonymous": False}
        case "restricted":
            return member | dict.fromkeys(_PERMISSIONS, True) | {"until_date": 0}
        case "kicked":
            return member | {"until_date": 0}
    return member


def statuses(server: Server, admins: Iterable[str], members: Iterable[str]) -> dict[int, str]:
    """Ids and statuses of a new group's people; the first administrator owns it."""
    named = [(name, "creator" if n == 0 else "administrator") for n, name in enumerate(admins)]
    return {
        server.user(name).id: status for name, status in [*named, *((name, "member") for name in members)]
    }
