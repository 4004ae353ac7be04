"""/feed here and /stop: whether a chat gets digests at all. Settings and subscriptions are kept either way."""

from __future__ import annotations

from bot.commands import channel
from bot.commands.subscribing import how_to_be_told, next_digest, not_yours
from bot.commands.visit import Visit, code, line, rows, say
from bot.ports import Button, Reply
from scheduler.models import ChatState

STOPPED = "stopped"


def feed(visit: Visit) -> Reply:
    """`here`: the digest comes to this channel; `stop`: not any more; `take`: with another one's configuration."""
    if visit.argument.casefold() == "stop":
        return stop(visit)
    if visit.argument.casefold() == "take":
        return channel.take(visit)
    return _here(visit)


def _here(visit: Visit) -> Reply:
    t = visit.t
    if not visit.request.may_manage:
        return not_yours(visit)
    visit.store.chats.set_state(visit.chat.key, ChatState.ACTIVE)
    if visit.store.chats.subscriptions(visit.chat.key):
        return say(t("The digest comes here."), next_digest(visit), *how_to_be_told(visit))
    return say(
        t("The digest will come here as soon as this channel follows something. For example:"),
        line(code("/subscribe diffusion policy")),
        keyboard=rows(Button(t("Pick a topic"), "topics")),
    )


def stop(visit: Visit) -> Reply:
    """Ends the deliveries to this chat until somebody takes them up again."""
    if not visit.request.may_manage:
        return say(visit.t("Only who manages this chat can do that."))
    visit.store.chats.set_state(visit.chat.key, ChatState.PAUSED, STOPPED)
    return say(
        visit.t("No more digests come here. What this chat follows is kept."),
        keyboard=rows(Button(visit.t("Take it up again"), "resume")),
    )


def resume(visit: Visit) -> Reply:
    """Takes deliveries up again."""
    return _here(visit)
