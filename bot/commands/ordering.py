"""The order of papers within a section, as /settings shows and changes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bot.commands.visit import Visit, action
from bot.locale import N_
from bot.ports import Button
from scheduler import ranking, tastes
from scheduler.models import Chat, Order

ORDERS = {
    Order.ANNOUNCED: N_("as announced"),
    Order.TITLE_FIRST: N_("hits in the title first"),
    Order.FOR_YOU: N_("what suits you first"),
}


def changed(chat: Chat, value: str) -> Chat | None:
    """The chat with the order of that name, None for a name that none has."""
    wanted = "-".join(value.casefold().replace("_", " ").split())
    order = next((one for one in Order if wanted in (one, one.replace("-", ""))), None)
    return replace(chat, order=order) if order is not None else None


def words(visit: Visit) -> Iterator[str]:
    """In which order papers come; while a chat's taste is not known, how much is missing and what is done till then."""
    t, chat = visit.t, visit.chat
    yield t("Order of papers: {order}.", order=t(ORDERS[chat.order]))
    if chat.order is Order.FOR_YOU and tastes.taste_of(visit.store, chat) is None:
        yield t(
            "I learn what suits you from what you save, like (👍 👎) and open: {count} of {enough} papers so far."
            " Until then hits in the title come first.",
            count=len(tastes.signals_of(visit.store, chat)),
            enough=ranking.ENOUGH,
        )


def buttons(visit: Visit) -> Iterator[Button]:
    """One for each order that the chat does not have."""
    for order, name in ORDERS.items():
        if order is not visit.chat.order:
            yield Button(visit.t("Order: {order}", order=visit.t(name)), action(visit, "set", "order", order))
