"""What every command handler gets, and the few ways in which it answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.locale import Translator
from bot.markup import Block, Line, Span, Style
from bot.ports import ACTION_LIMIT, Button, Keyboard, Reply, Request, Rights
from bot.render.paper_words import code as code
from bot.render.paper_words import line as line
from bot.render.view import View
from scheduler.meaning import Encoder
from scheduler.models import Chat, ChatKind, Paper, PaperId, Platform
from scheduler.news import News
from scheduler.store import Store
from scheduler.store.chats import SUBSCRIPTIONS_PER_CHAT
from scheduler.store.library import person_name
from scheduler.topics import Topic

_CURSOR = re.compile("-?[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class House:
    """What all visits share: the catalogue of topics, the categories fetched, and how to reach the operator.

    `encoder` is what searches by meaning, None without that extra; `font` is a file for the words in pictures.
    `most_for_a_chat` and `most_for_a_member` are how much each may follow.
    `translates` is whether an abstract can be translated when somebody asks for it.
    `sources` are those beside arXiv that are on (names, and addresses of feeds); `news` is what the last days' digests
    are made of, shared with who plans them.
    """

    topics: tuple[Topic, ...]
    categories: tuple[str, ...]
    contact: str
    encoder: Encoder | None = None
    font: Path | None = None
    sources: tuple[str, ...] = ()
    news: News = field(default_factory=News)
    translates: bool = False
    most_for_a_chat: int = SUBSCRIPTIONS_PER_CHAT
    most_for_a_member: int = SUBSCRIPTIONS_PER_CHAT


@dataclass(frozen=True, slots=True)
class Visit:
    """One request, with all that its handler may use. Handlers run in the store's thread and never wait.

    `asker` is the private chat that it came from when it is about another one (`chat`), `rights` what the platform
    said of that one a moment ago.
    """

    store: Store
    chat: Chat
    request: Request
    now: datetime
    t: Translator
    house: House
    asker: Chat | None = None
    rights: Rights | None = None

    @property
    def is_elsewhere(self) -> bool:
        """True where the answer is not read in the chat that it is about, and has to name it."""
        return self.asker is not None or self.request.elsewhere

    @property
    def argument(self) -> str:
        """What was typed after the command, or what a button carries."""
        return self.request.text.strip()

    @property
    def view(self) -> View:
        """How this chat wants papers shown."""
        return View(
            lang=self.chat.lang,
            content=self.chat.content,
            zone=self.chat.schedule.zone,
            platform=self.chat.ref.platform,
        )

    @property
    def person(self) -> str:
        """Who asks, as the library knows people; "" where the platform does not tell.

        On Telegram who writes in the name of a group or channel has that one's id, which is below 0 (Bot API, Chat).
        """
        user = self.request.user
        return "" if user.startswith("-") else person_name(self.chat.ref.platform, user)

    @property
    def is_overheard(self) -> bool:
        """True where the answer is read by others too: Telegram shows nothing to one member of a group alone."""
        return self.chat.kind is not ChatKind.PRIVATE and not self.request.alone

    def in_its_language(self, texts: Mapping[str, str]) -> str:
        """The text for the chat's language, the English one where there is none."""
        return texts.get(self.chat.lang, texts["en"])

    @property
    def local_now(self) -> datetime:
        """`now` on the chat's own clock."""
        return self.now.astimezone(ZoneInfo(self.chat.schedule.zone))


Handler = Callable[[Visit], Reply]


class NotArchived(Exception):
    """Raised by a handler for a paper that the archive has not; the desk looks it up or says where it is.

    `version` is the one that was asked for, None for the newest.
    """

    def __init__(self, paper_id: PaperId, version: int | None = None) -> None:
        super().__init__(paper_id)
        self.paper_id = paper_id
        self.version = version


class NotTranslated(Exception):
    """Raised by a handler for a paper (its key in the archive) whose Chinese abstract is still to be made.

    `place` is the card that asks for it.
    """

    def __init__(self, key: int, place: CardPlace) -> None:
        super().__init__(key)
        self.key = key
        self.place = place


def link_note(platform: Platform) -> str:
    """The store's note with the beginning of an address that opens a private talk with us on a platform."""
    return f"start link {platform}"


def bold(text: str) -> Span:
    """A span in bold."""
    return Span(text, Style.BOLD)


def say(*lines: str | Line, keyboard: Keyboard | None = None, in_place: bool = False) -> Reply:
    """A reply of one block, a line each."""
    block = Block(tuple(text if isinstance(text, Line) else line(text) for text in lines))
    return Reply((block,), keyboard or Keyboard(), in_place=in_place)


def rows(*buttons: Button | None, width: int = 3) -> Keyboard:
    """A keyboard of these buttons, `width` in a row; None is left out."""
    present = [button for button in buttons if button is not None]
    return Keyboard(tuple(tuple(present[start : start + width]) for start in range(0, len(present), width)))


def action(visit: Visit, name: str, *texts: str) -> str:
    """An action `name:text:…`; where that is too long for a button, its texts are kept and a short token stands."""
    return shortened(visit.store, ":".join((name, *texts)))


def shortened(store: Store, plain: str) -> str:
    """An action that fits a button: itself, or a short token that `untangled` turns back into it."""
    return plain if len(plain.encode()) <= ACTION_LIMIT else f"~{store.tokens.token(plain)}"


@dataclass(frozen=True, slots=True)
class CardPlace:
    """Which card, and the action of the button that leads back from it; "" for a card that nothing led to."""

    paper: PaperId
    back: str = ""

    def __str__(self) -> str:
        return f"{self.paper} {self.back}".rstrip()

    @classmethod
    def read(cls, text: str) -> CardPlace:
        """The place that was written as text."""
        paper, _, back = text.partition(" ")
        return cls(PaperId(paper), back)


def paper_choices(visit: Visit, papers: Iterable[tuple[int, Paper]], back: str = "") -> tuple[Button, ...]:
    """A choice for each paper of a numbered list; it opens the paper's card.

    `back` is the action that shows the list again: the card then takes the list's place, unless others read it too.
    """
    return tuple(
        Button(f"{number} · {paper.title}"[:90], _opening(visit, paper.id, back), short=str(number))
        for number, paper in papers
    )


def _opening(visit: Visit, paper_id: PaperId, back: str) -> str:
    if back and not visit.is_overheard:
        return action(visit, "k", str(CardPlace(paper_id, back)))
    return action(visit, "p", paper_id)


def page_turns(number: int, pages: int, turned: Callable[[int], str]) -> Keyboard:
    """◀ n/m ▶ as far as there are pages; `turned(page)` is the action that shows a page, counted from 1."""
    if pages < 2:
        return Keyboard()
    return rows(
        Button("◀", turned(number - 1)) if number > 1 else None,
        Button(f"{number}/{pages}", turned(number)),
        Button("▶", turned(number + 1)) if number < pages else None,
    )


def cursor_of(text: str) -> int | None:
    """What the next page begins before, as it was handed out (below 0 behind the hits in titles), None for no such."""
    return int(text) if _CURSOR.fullmatch(text) else None


def untangled(store: Store, pressed: str) -> str:
    """The action behind a pressed button's text, whether or not it was shortened; "" for an unknown token."""
    if not pressed.startswith("~"):
        return pressed
    return store.tokens.text(pressed[1:]) or ""
