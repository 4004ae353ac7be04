"""Cross-listed papers, on or off for each subscription: the buttons under /subscriptions."""

from __future__ import annotations

from bot.commands.subscribing import BACK, not_yours, subscriptions
from bot.commands.visit import Visit, action, bold, line
from bot.markup import Block, Line
from bot.ports import Button, Keyboard, Reply
from scheduler.models import Subscription

MOST_CHOICES = 25
"""Discord's select menus have so many entries."""


def cross_lists(visit: Visit) -> Reply:
    """Every subscription with what it does about cross-listed papers; a press on one changes it."""
    if not visit.request.may_manage:
        return not_yours(visit)
    known = visit.store.chats.subscriptions(visit.chat.key)
    return _choices(visit, known) if known else subscriptions(visit)


def switch(visit: Visit) -> Reply:
    """A subscription's button: cross-listed papers off where they were on, and on where they were off."""
    if not visit.request.may_manage:
        return not_yours(visit)
    key = int(visit.argument) if visit.argument.isdecimal() else 0
    before = visit.store.chats.subscription(visit.chat.key, key)
    if before is None:
        return Reply(toast=visit.t("This was ended already."))
    visit.store.chats.follow_cross_lists(visit.chat.key, key, not before.cross_lists)
    return _choices(visit, visit.store.chats.subscriptions(visit.chat.key))


def _choices(visit: Visit, known: tuple[Subscription, ...]) -> Reply:
    t = visit.t
    head = (
        line(bold(t("Cross-listed papers"))),
        line(t("A paper of another category that is also listed in one of yours. Choose what to change:")),
    )
    lines = tuple(_standing(visit, number, one) for number, one in enumerate(known, start=1))
    choices = tuple(
        _switch_of(visit, number, one) for number, one in enumerate(known[:MOST_CHOICES], start=1)
    )
    return Reply(
        (Block((*head, *lines)),),
        Keyboard(
            rows=((Button(t("◀ Back to the list"), f"subscriptions:{BACK}"),),),
            choices=choices,
            prompt=t("Switch on or off…"),
        ),
        in_place=bool(visit.request.action),
    )


def _standing(visit: Visit, number: int, one: Subscription) -> Line:
    t = visit.t
    word = t("with cross-listed papers") if one.cross_lists else t("without cross-listed papers")
    return line(f"{number}  ", bold(one.title), f"  {word}")


def _switch_of(visit: Visit, number: int, one: Subscription) -> Button:
    t = visit.t
    label = (
        t("“{title}” without cross-listed papers", title=one.title)
        if one.cross_lists
        else t("“{title}” with cross-listed papers", title=one.title)
    )
    return Button(
        label, action(visit, "cross", str(one.key)), short=f"{'−' if one.cross_lists else '+'} {number}"
    )
