"""From Telegram's updates to requests: addresses, kinds, commands, and who may manage. No I/O."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from telegram import (
    Chat,
    ChatMember,
    ChatMemberRestricted,
    ChatMemberUpdated,
    MaybeInaccessibleMessage,
    Message,
)
from telegram.constants import ChatMemberStatus, ChatType

from bot.ports import Gone, Paused
from scheduler.models import ChatKind, ChatRef, Platform

_COMMAND = re.compile(r"/([A-Za-z0-9_]{1,32})(?:@([A-Za-z0-9_]+))?(?:\s+(.*))?", re.DOTALL)

_KINDS = {ChatType.PRIVATE: ChatKind.PRIVATE, ChatType.CHANNEL: ChatKind.CHANNEL}

_MANAGERS = (ChatMemberStatus.OWNER, ChatMemberStatus.ADMINISTRATOR)

_AWAY = (ChatMemberStatus.LEFT, ChatMemberStatus.BANNED)

REMEMBERED_SECONDS = 60.0
"""How long it is remembered who administers a group."""

REMEMBERED_AT_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Command:
    """A typed command: `name` in lower case without the slash, `text` the rest; `name` "" for plain text.

    `addressed` is true when it named our bot.
    """

    name: str
    text: str
    addressed: bool = False


def command_in(text: str, username: str) -> Command | None:
    """The command in a message's text; None when it is addressed to another bot.

    Telegram delivers "/help@SomeBot" to every bot of a group that is not in privacy mode, and "/start
    payload" for a deep link (core.telegram.org/bots/features, "Commands" and "Deep linking").
    """
    found = _COMMAND.fullmatch(text.strip())
    if found is None:
        return Command("", text.strip())
    name, bot, rest = found.groups()
    if bot and bot.lower() != username.lower():
        return None
    return Command(name.lower(), (rest or "").strip(), addressed=bool(bot))


def is_for_us(command: Command, kind: ChatKind, known: Collection[str]) -> bool:
    """Whether to answer: everything in a private chat; elsewhere a known command or one that names our bot.

    A group's members talk to each other and to other bots, whose commands reach us too.
    """
    return kind is ChatKind.PRIVATE or command.addressed or command.name in known


def ref_of(message: MaybeInaccessibleMessage | Message) -> ChatRef:
    """The chat and topic that a message stands in; a forum's General topic has no thread id."""
    thread = message.message_thread_id if isinstance(message, Message) and message.is_topic_message else None
    return ChatRef(Platform.TELEGRAM, str(message.chat.id), str(thread or ""))


def kind_of(chat: Chat) -> ChatKind:
    """Private, group (supergroups and their topics too) or channel."""
    return _KINDS.get(ChatType(chat.type), ChatKind.GROUP)


def title_of(chat: Chat) -> str:
    """What a chat is called: its title, or the person's name."""
    return chat.title or chat.full_name or ""


def place_title(message: MaybeInaccessibleMessage | Message) -> str:
    """The same with a topic's name: "Lab › papers"; "" in a topic whose name the message does not tell.

    A message in a topic answers the one that opened the topic, unless it answers another (Bot API, Message).
    """
    if not isinstance(message, Message) or not message.is_topic_message:
        return title_of(message.chat)
    opened = message.reply_to_message.forum_topic_created if message.reply_to_message else None
    return f"{title_of(message.chat)} › {opened.name}" if opened else ""


def author_of(message: Message) -> str:
    """The person's id, or the chat's in whose name the message was written; "" where Telegram tells none.

    Such messages carry a stand-in as their sender that is the same in every group, so the chat comes first.
    """
    author = message.sender_chat or message.from_user
    return str(author.id) if author else ""


def is_in_the_chats_name(message: Message) -> bool:
    """True for an anonymous administrator's message and a channel's own post."""
    return message.sender_chat is not None and message.sender_chat.id == message.chat.id


def standing_of(change: ChatMemberUpdated) -> Gone | Paused | None:
    """What a change of our own membership means for the chat; None: we may post (again)."""
    return standing_as(change.new_chat_member, kind_of(change.chat))


def standing_as(member: ChatMember, kind: ChatKind) -> Gone | Paused | None:
    """What being such a member keeps us from; None: we may post."""
    if member.status in _AWAY:
        return Gone(_gone_reason(member, kind))
    if isinstance(member, ChatMemberRestricted):
        if not member.is_member:
            return Gone("not_member")
        return None if member.can_send_messages else Paused("no_rights", ("Send messages",))
    if kind is ChatKind.CHANNEL and not getattr(member, "can_post_messages", False):
        return Paused("no_rights", ("Post messages",))
    return None


def _gone_reason(member: ChatMember, kind: ChatKind) -> str:
    if kind is ChatKind.PRIVATE:
        return "blocked"
    return "kicked" if member.status == ChatMemberStatus.BANNED else "not_member"


class Administrators:
    """Who administers which group, remembered for a minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[tuple[int, int], tuple[float, bool]] = {}

    def recall(self, chat_id: int, user_id: int) -> bool | None:
        """Whether the person administers the chat; None when it has to be asked."""
        until, manages = self._known.get((chat_id, user_id), (0.0, False))
        return manages if self._clock() < until else None

    def learn(self, chat_id: int, member: ChatMember) -> bool:
        """Remembers what Telegram says of a member and gives whether that is an administrator."""
        if len(self._known) >= REMEMBERED_AT_MOST:
            self._known.clear()
        manages = member.status in _MANAGERS
        self._known[chat_id, member.user.id] = (self._clock() + REMEMBERED_SECONDS, manages)
        return manages
