"""Requests about another chat than the one they are made in: a channel looked after from a private chat.

A typed command goes where the private chat is directed (/channel); a button stays with the chat that its message was
about (`@key:action`), however the private chat is directed when it is pressed. Either way the platform is asked first
whether the person may (still) do that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot import standing
from bot.commands.visit import Visit, bold, line, say, shortened, untangled
from bot.locale import Translator
from bot.markup import Block
from bot.ports import (
    ELSEWHERE,
    Button,
    Gone,
    Keyboard,
    Paused,
    Picked,
    Reply,
    Request,
    Rights,
    action_for,
)
from scheduler.models import Chat, ChatKind, ChatRef
from scheduler.store import Store

DIRECTED = frozenset(
    "subscribe unsubscribe subscriptions topics digest settings stop feed preview why status mute muted "
    "search try".split()
)
"""The commands that look after a chat's feed, and those whose answers offer to follow what was looked for."""


@dataclass(frozen=True, slots=True)
class Errand:
    """A request about another chat: its address and kind, and the request as that chat's own.

    `title` is what that chat is called; `chat` is None for one that never spoke to us.
    """

    request: Request
    ref: ChatRef
    kind: ChatKind
    title: str
    chat: Chat | None


def errand_of(store: Store, request: Request) -> Errand | None:
    """What a request is to do in another chat; None when it is about the chat that it was made in."""
    if request.picked is not None:
        return _for_picked(store, request, request.picked)
    action = untangled(store, request.action)
    if action.startswith(ELSEWHERE):
        key, _, inner = action[len(ELSEWHERE) :].partition(":")
        chat = store.chats.get(int(key)) if key.isdecimal() else None
        return _for_chat(replace(request, action=inner), chat)
    if request.kind is ChatKind.PRIVATE and request.command.casefold() in DIRECTED:
        own = store.chats.at(request.chat)
        return _for_chat(request, store.chats.steered(own.key) if own is not None else None)
    return None


def _for_picked(store: Store, request: Request, picked: Picked) -> Errand:
    return Errand(request, picked.chat, picked.kind, picked.title, store.chats.at(picked.chat))


def _for_chat(request: Request, chat: Chat | None) -> Errand | None:
    return Errand(request, chat.ref, chat.kind, name_of(chat), chat) if chat is not None else None


def name_of(chat: Chat) -> str:
    """What people call a chat."""
    return chat.title or chat.ref.chat_id


def headed(visit: Visit, reply: Reply) -> Reply:
    """The reply with the name of the chat that it is about, its buttons bound to that chat, and the way back."""
    name = name_of(visit.chat)
    keyboard = _bound_keyboard(visit, reply.keyboard)
    if not reply.blocks:
        return replace(reply, keyboard=keyboard, toast=f"{name}: {reply.toast}" if reply.toast else "")
    head = [line(bold(visit.t("For {chat}:", chat=name)))]
    if visit.rights is not None and visit.rights.obstacle is not None:
        head.append(line("⚠ ", problem_words(visit.chat, visit.rights.obstacle, visit.t)))
    return replace(
        reply,
        blocks=(Block(tuple(head)), *reply.blocks),
        keyboard=replace(keyboard, rows=(*keyboard.rows, *_way_back(visit))),
    )


def refused(asking: Visit, errand: Errand, rights: Rights | None) -> Reply:
    """Why an errand is not run: nobody could be asked, we see nothing there, or the person has no right there."""
    t, name = asking.t, errand.title or errand.ref.chat_id
    if rights is None:
        return say(
            t("I can't find out just now who manages {chat}, so nothing was changed. Try again.", chat=name)
        )
    if rights.obstacle is not None:
        resting = errand.chat or replace(asking.chat, ref=errand.ref, title=errand.title)
        return say(
            line(problem_words(resting, rights.obstacle, t)),
            t("So I can't see who manages {chat}; nothing was changed.", chat=name),
        )
    return say(*_lost(asking, errand, name))


def _lost(asking: Visit, errand: Errand, name: str) -> Iterator[str]:
    """The person does not manage the chat (any more): forgotten as who looks after it."""
    t, chats = asking.t, asking.store.chats
    yield t("You are no administrator of {chat}, so nothing was changed.", chat=name)
    if errand.chat is None:
        return
    chats.drop_manager(errand.chat.key, asking.request.user)
    steered = chats.steered(asking.chat.key)
    if steered is not None and steered.key == errand.chat.key:
        chats.steer(asking.chat.key, None)
        yield t("You are back at your own feed.")


def problem_words(chat: Chat, obstacle: Gone | Paused, t: Translator) -> str:
    """What keeps us from a chat, in one sentence."""
    missing = obstacle.missing if isinstance(obstacle, Paused) else ()
    return standing.problem_words(replace(chat, reason=standing.reason_text(obstacle.reason, missing)), t)


def _bound_keyboard(visit: Visit, keyboard: Keyboard) -> Keyboard:
    def bind(button: Button) -> Button:
        return replace(button, action=bound(visit, button.action)) if button.action else button

    return replace(
        keyboard,
        rows=tuple(tuple(map(bind, row)) for row in keyboard.rows),
        choices=tuple(map(bind, keyboard.choices)),
    )


def bound(visit: Visit, action: str) -> str:
    """An action for the chat that a visit is about, wherever its button is pressed."""
    return shortened(visit.store, action_for(visit.chat.key, action))


def _way_back(visit: Visit) -> Iterator[tuple[Button, ...]]:
    """The button that ends the directing, while it lasts."""
    if visit.asker is None:
        return
    steered = visit.store.chats.steered(visit.asker.key)
    if steered is not None and steered.key == visit.chat.key:
        yield (Button(visit.t("Back to your own feed"), "own"),)
