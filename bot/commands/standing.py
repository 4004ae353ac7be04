"""How a chat stands: its part of /status, and the button under a notice that something keeps us from a chat."""

from __future__ import annotations

from collections.abc import Iterator

from bot import standing
from bot.commands.subscribing import next_digest
from bot.commands.visit import Visit, bold, line, say
from bot.commands.why import moment_words, run_words
from bot.markup import Block, Line
from bot.ports import Reply
from scheduler.models import Chat, ChatState, DeliveryState
from scheduler.store.outbox import Run


def deliveries(visit: Visit) -> Block:
    """What this chat follows, when its next digest comes, what became of the last, and what is wrong, in words."""
    t, chat = visit.t, visit.chat
    followed = len(visit.store.chats.subscriptions(chat.key))
    lines = [line(bold(t("This chat")))]
    lines.append(line(t.n("It follows {count} thing.", "It follows {count} things.", followed)))
    if chat.state is ChatState.ACTIVE and visit.store.members.followed_in(chat.key):
        lines.append(line(next_digest(visit)))
    last = visit.store.outbox.last_run(chat.key)
    lines.append(line(_last(visit, last) if last is not None else t("Nothing was delivered here so far.")))
    if chat.state is not ChatState.ACTIVE:
        lines.append(line("⚠ ", standing.problem_words(chat, t, t("this chat"))))
    return Block((*lines, *_managed_lines(visit)))


def _managed_lines(visit: Visit) -> Iterator[Line]:
    """The groups and channels that this person set up, those with a problem each with its reason."""
    t, managed = visit.t, visit.store.chats.managed_from(visit.chat.key)
    served = [one.title or one.ref.chat_id for one in managed if one.state is ChatState.ACTIVE]
    if served:
        yield line(t("Set up by you, and served: {names}.", names=t.names(served)))
    for one in managed:
        if one.state is not ChatState.ACTIVE:
            yield line("⚠ ", standing.problem_words(one, t))


def _last(visit: Visit, run: Run) -> str:
    if run.state is DeliveryState.SENT and run.sent_at is not None:
        return visit.t("Last digest: {moment}, delivered.", moment=moment_words(visit, run.sent_at))
    return visit.t("Last digest: {what}", what=run_words(visit, run))


def check(visit: Visit) -> Reply:
    """[Check again] under a notice: the chat is served again, and what cannot be sent is told anew."""
    t = visit.t
    chat = _managed(visit)
    if chat is None:
        return Reply(toast=t("There is nothing to check any more."))
    name = chat.title or chat.ref.chat_id
    if chat.state is ChatState.ACTIVE:
        return say(t("Nothing keeps me from {chat} now.", chat=name))
    if chat.reason == "stopped":
        return say(standing.problem_words(chat, t))
    visit.store.chats.set_state(chat.key, ChatState.ACTIVE)
    if not visit.store.outbox.is_waiting(chat.key):
        standing.notice(
            visit.store, chat, f"check {visit.now.isoformat()}", (t("Digests come here again."),), visit.now
        )
    return say(
        t("I try it now. If it works, {chat} gets its digests again; if not, I tell you here.", chat=name)
    )


def _managed(visit: Visit) -> Chat | None:
    """The chat of the button, when the one who pressed is who set it up."""
    if not visit.argument.isdecimal():
        return None
    chat = visit.store.chats.get(int(visit.argument))
    owner = visit.store.chats.manager_chat(chat.key) if chat is not None else None
    return chat if owner is not None and owner.key == visit.chat.key else None
