"""/preview: the chat's next digest as it would be now. Nothing is marked as delivered by it."""

from __future__ import annotations

from dataclasses import replace

from bot.commands.digests import page
from bot.commands.subscribing import next_digest
from bot.commands.visit import Visit, code, line, rows, say
from bot.ports import Button, Reply
from scheduler import digest, planning

NAME = "preview"


def preview(visit: Visit) -> Reply:
    """The digest of what the chat was not told of yet, with a line on when it comes."""
    t, chat = visit.t, visit.chat
    subscriptions = visit.store.members.followed_in(chat.key)
    if not subscriptions:
        return say(
            t("This chat follows nothing yet, so there is no digest. For example:"),
            line(code("/subscribe diffusion policy")),
            keyboard=rows(Button(t("Pick a topic"), "topics")),
        )
    built = planning.preview(visit.store, chat, visit.now, visit.house.news)
    if not built.keys:
        return say(t("Nothing new for this chat so far."), next_digest(visit))
    visit.store.outbox.keep_digest(chat.key, NAME, digest.dump(built.digest), visit.now)
    shown = page(visit, built.digest, NAME, 1, in_place=False)
    head = say(t("As it would be now; what is announced until then is added."), next_digest(visit))
    return replace(shown, blocks=(*head.blocks, *shown.blocks))
