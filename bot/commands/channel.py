"""/channel: a group or channel looked after from a private chat, and a configuration that moves to another one."""

from __future__ import annotations

from dataclasses import replace

from bot.commands.directing import name_of
from bot.commands.subscribing import not_yours
from bot.commands.visit import Visit, action, code, line, rows, say
from bot.ports import Button, Pick, Picker, Reply, action_for
from scheduler.models import Chat, ChatKind, ChatState, Platform

OWN = "back"


def channel(visit: Visit) -> Reply:
    """The chats that this person looks after, each with a button, and on Telegram the buttons to pick another."""
    t = visit.t
    if visit.chat.kind is not ChatKind.PRIVATE:
        return say(
            t("Write /channel to me in private: there you can look after any group or channel of yours.")
        )
    if visit.argument.casefold() == OWN:
        return own(visit)
    known = visit.store.chats.managed_from(visit.chat.key)
    steered = visit.store.chats.steered(visit.chat.key)
    lines = [t("A group or channel can be looked after from here: what it follows, when its digest comes.")]
    if steered is not None:
        lines.append(t("What you type here now is for {chat}.", chat=name_of(steered)))
    if visit.chat.ref.platform is Platform.DISCORD:
        lines.append(t("On Discord, give commands in the channel itself, or name it:"))
    buttons = [Button(name_of(one), action_for(one.key, "steer")) for one in known[:24]]
    back = Button(t("Back to your own feed"), "own") if steered is not None else None
    example = (line(code("/feed subscribe diffusion policy channel:#papers")),)
    return replace(
        say(
            *lines,
            *(example if visit.chat.ref.platform is Platform.DISCORD else ()),
            keyboard=rows(*buttons, back, width=2),
        ),
        picker=_picker(visit),
    )


def _picker(visit: Visit, number: int = 0) -> Picker | None:
    """Buttons to pick a chat, where the platform has them."""
    if visit.chat.ref.platform is not Platform.TELEGRAM:
        return None
    t = visit.t
    return Picker(
        t("Which one? You must be an administrator there."),
        (Pick(t("A channel"), ChatKind.CHANNEL, number), Pick(t("A group"), ChatKind.GROUP, number)),
    )


def picked(visit: Visit) -> Reply:
    """A chat was picked: it is looked after from here, or takes over another one's configuration."""
    request = visit.request
    if request.picked is None or visit.asker is None or visit.rights is None:
        return Reply(toast=visit.t("This is over. {command} begins anew.", command="/channel"))
    if visit.rights.obstacle is not None:
        # The heading says what is missing.
        name = name_of(visit.chat)
        return say(visit.t("Nothing was changed. Grant me that, then pick {chat} again.", chat=name))
    return _move(visit, request.picked.number) if request.picked.number else steer(visit)


def steer(visit: Visit) -> Reply:
    """From now on what is typed in this private chat is for the other one."""
    t = visit.t
    if visit.asker is None:
        return Reply(toast=t("This is over. {command} begins anew.", command="/channel"))
    visit.store.chats.steer(visit.asker.key, visit.chat.key)
    return say(
        t("You now manage {chat} here.", chat=name_of(visit.chat)),
        t(
            "{subscribe}, {settings} and every other command for a feed is for it, until you go back.",
            subscribe="/subscribe",
            settings="/settings",
        ),
        keyboard=rows(
            Button(t("What this chat follows"), "subscriptions"),
            Button(t("Pick a topic"), "topics"),
            width=2,
        ),
    )


def own(visit: Visit) -> Reply:
    """What is typed in this private chat is for itself again."""
    visit.store.chats.steer(visit.chat.key, None)
    return say(visit.t("You are back at your own feed."))


def another(visit: Visit) -> Reply:
    """[Use another channel] under a notice: where the configuration is to go."""
    t = visit.t
    source = managed(visit, visit.argument)
    if source is None:
        return Reply(toast=t("There is nothing to move any more."))
    if (picker := _picker(visit, source.key)) is not None:
        return replace(
            say(t("Everything of {chat} moves to the one that you pick.", chat=name_of(source))),
            picker=picker,
        )
    return say(
        t(
            "In the channel that is to have it, write this and choose {chat}; everything moves.",
            chat=name_of(source),
        ),
        line(code("/feed take")),
    )


def managed(visit: Visit, key: str) -> Chat | None:
    """The chat of this key, when the person of this private chat is who looks after it."""
    chat = visit.store.chats.get(int(key)) if key.isdecimal() else None
    owner = visit.store.chats.manager_chat(chat.key) if chat is not None else None
    here = visit.asker or visit.chat
    return chat if owner is not None and owner.key == here.key else None


def _move(visit: Visit, number: int) -> Reply:
    source = managed(visit, str(number))
    if source is None or source.key == visit.chat.key:
        return say(visit.t("There is nothing to move any more."))
    return moved(visit, source)


def moved(visit: Visit, source: Chat) -> Reply:
    """Everything of `source` is this chat's from now on, joined with what it has; what waits is sent here."""
    store, t = visit.store, visit.t
    with store.writing():
        target = visit.chat
        store.chats.move(source.key, target.ref)
        arrived = replace(
            source, ref=target.ref, kind=target.kind, title=target.title, state=ChatState.ACTIVE, reason=""
        )
        store.chats.save(arrived, visit.now)
        store.chats.set_state(source.key, ChatState.ACTIVE)
    return say(
        t(
            "Everything of {source} is here now. What was still to be sent comes here.",
            source=name_of(source),
        )
    )


def general(visit: Visit) -> Reply:
    """[Use General] under a notice about a topic: its digests come to the group's General topic."""
    source = visit.chat
    if not source.ref.thread_id:
        return say(visit.t("Its digests come to the General topic already."))
    place = replace(source.ref, thread_id="")
    moved(replace(visit, chat=replace(source, ref=place)), source)
    return say(visit.t("From now on the digests come to the General topic, what was still to be sent too."))


def take(visit: Visit) -> Reply:
    """Which of the chats that this person looks after is to move to this one."""
    t = visit.t
    if not visit.request.may_manage:
        return not_yours(visit)
    known = [one for one in _of_the_asker(visit) if one.key != visit.chat.key]
    if not known:
        return say(t("You look after no other group or channel, so there is nothing to move here."))
    buttons = [Button(name_of(one), action(visit, "take", str(one.key))) for one in known[:24]]
    return say(
        t("Everything of the one that you choose moves here: what it follows, its settings, what waits."),
        keyboard=rows(*buttons, width=2),
    )


def take_one(visit: Visit) -> Reply:
    """The button for one of them."""
    if not visit.request.may_manage:
        return not_yours(visit)
    source = next((one for one in _of_the_asker(visit) if str(one.key) == visit.argument), None)
    if source is None or source.key == visit.chat.key:
        return Reply(toast=visit.t("There is nothing to move any more."))
    return moved(visit, source)


def _of_the_asker(visit: Visit) -> tuple[Chat, ...]:
    return visit.store.chats.managed_by(visit.chat.ref.platform, visit.request.user)
