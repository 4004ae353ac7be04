"""What an adapter offers and hands us. No platform type and no I/O here.

update ─ adapter ─▶ Request ─ commands.answer ─▶ Reply ─ adapter ─▶ messages
outbox ─ Part ─▶ ChatAdapter.send ─▶ Outcome
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import timedelta
from typing import Any, Protocol

from bot.markup import Block, Card
from scheduler.models import ChatKind, ChatRef, Platform

ACTION_LIMIT = 64
"""Bytes of a button's action: Telegram's callback_data, the smaller of both platforms' limits."""

ELSEWHERE = "@"
"""Begins an action that is about another chat than the one where its button is pressed."""


def action_for(chat: int, action: str) -> str:
    """An action about the chat of this key, wherever its button is pressed."""
    return f"{ELSEWHERE}{chat}:{action}"


@dataclass(frozen=True, slots=True)
class Button:
    """A button: either `action` (a request for us, at most `ACTION_LIMIT` bytes) or `url` is set.

    `short` is the label where room is scarce (a number on Telegram); "" means `label`.
    """

    label: str
    action: str = ""
    url: str = ""
    short: str = ""


@dataclass(frozen=True, slots=True)
class Keyboard:
    """Buttons under a message, in rows.

    `choices` open one of many (the papers of a page): rows of short labels on Telegram, a select on Discord with
    `prompt` as its placeholder. A private answer follows, so they may stand under a message that many read.
    """

    rows: tuple[tuple[Button, ...], ...] = ()
    choices: tuple[Button, ...] = ()
    prompt: str = ""

    @property
    def is_empty(self) -> bool:
        """True when there is nothing to press."""
        return not self.rows and not self.choices


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file sent with a message; `text` is its whole content (UTF-8)."""

    name: str
    text: str
    media_type: str = "text/html"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture shown with a message; `png` is its whole content.

    `description` says in a sentence what it shows, for who cannot see it; `bars` is the same in lines of letters, for
    a place without pictures.
    """

    name: str
    png: bytes
    description: str
    bars: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """One finished message in one dialect, within its platform's limits: what the outbox stores and sends.

    `cards` are the texts in the dialect (one on Telegram and the console; one embed each on Discord). `plain` is
    the same without markup, sent when the platform refuses the markup. `quiet` asks for no sound. `post` names the
    post that the part opens in a forum. `pings` are the ids of people whom the platform is to tell of it.
    """

    cards: tuple[Card, ...]
    plain: str
    keyboard: Keyboard = field(default_factory=Keyboard)
    attachment: Attachment | None = None
    quiet: bool = True
    post: str = ""
    picture: Picture | None = None
    pings: tuple[str, ...] = ()

    def to_json(self) -> str:
        """A text that `from_json` turns back into an equal part."""
        return json.dumps(_raw(self), ensure_ascii=False, separators=(",", ":"), default=_in_letters)

    @classmethod
    def from_json(cls, text: str) -> Part:
        """The part that `to_json` wrote."""
        raw = json.loads(text)
        keyboard = raw["keyboard"]
        return cls(
            cards=tuple(Card(**card) for card in raw["cards"]),
            plain=raw["plain"],
            keyboard=Keyboard(
                rows=tuple(tuple(Button(**button) for button in row) for row in keyboard["rows"]),
                choices=tuple(Button(**button) for button in keyboard["choices"]),
                prompt=keyboard["prompt"],
            ),
            attachment=Attachment(**raw["attachment"]) if raw["attachment"] else None,
            quiet=raw["quiet"],
            post=raw.get("post", ""),
            picture=_picture(raw.get("picture")),
            pings=tuple(raw.get("pings", ())),
        )


def _in_letters(png: object) -> str:
    if not isinstance(png, bytes):
        raise TypeError(f"a part holds {type(png).__name__}, which has no JSON")
    return b64encode(png).decode()


def _picture(raw: Mapping[str, Any] | None) -> Picture | None:
    if raw is None:
        return None
    return Picture(raw["name"], b64decode(raw["png"]), raw["description"], tuple(raw["bars"]))


def _raw(value: object) -> object:
    """`dataclasses.asdict` without its deep copies, which cost more than all else of a part."""
    if isinstance(value, tuple):
        return [_raw(each) for each in value]
    if is_dataclass(value):
        return {each.name: _raw(getattr(value, each.name)) for each in fields(value)}
    return value


@dataclass(frozen=True, slots=True)
class Pick:
    """A button with which a person picks one of their own groups or channels; `number` comes back with it.

    It offers only chats that the person administers and where we may post, or can be let in by the person.
    """

    label: str
    kind: ChatKind
    number: int = 0


@dataclass(frozen=True, slots=True)
class Picker:
    """A message of its own with buttons to pick a chat, for the platforms that have such buttons (Telegram)."""

    text: str
    picks: tuple[Pick, ...]


@dataclass(frozen=True, slots=True)
class Picked:
    """A chat that a person has picked: the pick's `number`, and what the platform tells of the chat."""

    number: int
    chat: ChatRef
    kind: ChatKind
    title: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """Something a person asked for: a command with its argument text, or a pressed button.

    `command` is a name of the command table without the slash ("search"), or "" for plain text; `text` is the rest
    of the line. `action` is set instead for a pressed button or a chosen entry. `user` is the person's id on the
    platform, `may_manage` true when that person may change what this chat receives (always in a private chat; a
    group's or channel's administrators elsewhere). `lang` is what the platform says of the person's language.
    `alone` is true where a private reply is seen by the asker only, among others who read the chat.

    `user_name` is what the person is called there. `own_chat` is the private talk with the person where the platform
    opened one for what is asked (Discord does for anybody). `picked` is set for a chat that was picked. `elsewhere` is
    true where the person asks in another chat than `chat`, which the answer must name then.
    """

    chat: ChatRef
    kind: ChatKind
    user: str
    command: str = ""
    text: str = ""
    action: str = ""
    may_manage: bool = True
    chat_title: str = ""
    lang: str = ""
    alone: bool = False
    picked: Picked | None = None
    elsewhere: bool = False
    user_name: str = ""
    own_chat: ChatRef | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a person is answered.

    `in_place` replaces the message whose button was pressed (a page turned); `private` shows the answer to the
    asker alone where the platform can; `toast` is a short word beside the pressed button. No blocks and only a
    toast: nothing new is sent. `shareable` says that others may be interested too: where it was shown to the asker
    alone, a button shows it to everyone. `later` is the rest of an answer that takes a while (a paper being looked
    up): the adapter shows what there is, goes on serving, and puts in its place what `later` gives. `picker` follows
    as a message of its own.
    """

    blocks: tuple[Block, ...] = ()
    keyboard: Keyboard = field(default_factory=Keyboard)
    attachment: Attachment | None = None
    picture: Picture | None = None
    in_place: bool = False
    private: bool = True
    toast: str = ""
    shareable: bool = False
    later: Callable[[], Awaitable[Reply]] | None = field(default=None, compare=False)
    picker: Picker | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One autocomplete entry: `value` is handed back as the argument, `label` is read."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class InlineCard:
    """One paper to be put into any chat: what is read in the list, and the message that a tap sends there.

    `key` is the same for the same paper and at most 64 bytes; `part` has buttons with addresses only.
    """

    key: str
    title: str
    description: str
    part: Part


@dataclass(frozen=True, slots=True)
class InlineCards:
    """A page of cards for words that somebody types after the bot's name in any chat.

    `next_offset` is handed back for the next page, "" where there is none. `note` is one short line above the cards
    that leads into the private talk, "" for none; `start` is what /start gets there.
    """

    cards: tuple[InlineCard, ...] = ()
    next_offset: str = ""
    note: str = ""
    start: str = ""


@dataclass(frozen=True, slots=True)
class Sent:
    """The part stands in the chat; `thread` is the forum post that it opened or joined."""

    message_id: str = ""
    thread: str = ""


@dataclass(frozen=True, slots=True)
class Retry:
    """Not sent; try again after `after`. `counted` is false when it was no fault of the part (a flood wait).

    `scope` "chat" delays this chat alone, "platform" everything on the platform.
    """

    after: timedelta
    reason: str
    counted: bool = True
    scope: str = "chat"


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Nobody can tell whether it was sent (the answer was lost)."""

    reason: str


@dataclass(frozen=True, slots=True)
class Moved:
    """The chat has a new address; send there at once."""

    to: ChatRef


@dataclass(frozen=True, slots=True)
class Gone:
    """The chat cannot be reached any more until somebody there acts; `reason` is a stable key ("blocked")."""

    reason: str


@dataclass(frozen=True, slots=True)
class Paused:
    """The chat exists but we may not post; `reason` is a stable key ("no_rights"), `missing` the exact rights."""

    reason: str
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejected:
    """The platform refused this part as it is even as plain text: our mistake, kept and reported."""

    reason: str


Outcome = Sent | Retry | Ambiguous | Moved | Gone | Paused | Rejected


@dataclass(frozen=True, slots=True)
class Rights:
    """What a platform says of a person and of us in a group or channel, at this moment.

    `manages`: the person may change what the chat receives; `obstacle`: what keeps us from posting there, None when
    nothing does.
    """

    manages: bool
    obstacle: Gone | Paused | None = None


class RightsUnknown(Exception):
    """The platform could not be asked just now; the message says why, for the log."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A command's argument: `summary` by language, `suggests` true when `Suggest` completes it."""

    name: str
    summary: Mapping[str, str]
    required: bool = False
    suggests: bool = False


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """One command as platforms list it: `name` without the slash, `summary` (1-100 characters) by language.

    `manages` marks what changes a chat's feed (only for who may manage it, outside private chats).
    """

    name: str
    summary: Mapping[str, str]
    parameters: tuple[Parameter, ...] = ()
    manages: bool = False


Answer = Callable[[Request], Awaitable[Reply]]
"""Turns a request into a reply; never raises for a person's mistake."""

Suggest = Callable[[Request, str], Awaitable[tuple[Suggestion, ...]]]
"""`suggest(request, parameter)`: at most 25 suggestions for what is typed so far (`request.text`)."""

Inline = Callable[[Request, str], Awaitable[InlineCards]]
"""`inline(request, offset)`: the papers for the words in `request.text`, from the page that `offset` names."""

Standing = Callable[[ChatRef, Gone | Paused | Moved | None], Awaitable[None]]
"""Called when a platform tells, outside a send, that a chat blocked, removed, moved or (None) took us back."""


class PlatformStopped(Exception):
    """Raised by `ChatAdapter.run` when trying again is useless (a wrong token); the message is for the operator."""


class ChatAdapter(Protocol):
    """One chat platform. `run` receives until cancelled; `send` may be called while `run` is up."""

    platform: Platform

    @property
    def start_link(self) -> str:
        """The beginning of an address that opens a private talk with the bot, "" where there is none (yet)."""

    async def run(self) -> None:
        """Receives updates and answers them until cancelled.

        Raises PlatformStopped for what only the operator can mend; any other exception means "try again".
        """

    async def send(self, chat: ChatRef, part: Part, key: str) -> Outcome:
        """Sends one part and says what came of it; `key` is the same for the same part of the same delivery."""

    async def rights(self, chat: ChatRef, kind: ChatKind, user: str) -> Rights:
        """Asks the platform who may do what in a group or channel; raises RightsUnknown where it cannot tell."""
