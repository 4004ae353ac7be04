"""/my: what a member of a group, server or channel follows there for themself, beside what the chat follows.

The papers come in private; where who manages the chat allows it (`/settings members on`) and the member wants it,
under the member's name in the chat's digest.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from bot.commands.subscribing import first_date, next_digest, read_wish
from bot.commands.visit import Visit, action, bold, code, line, link_note, rows, say
from bot.locale import N_
from bot.markup import Block, Line
from bot.ports import Button, Keyboard, Reply
from bot.render.query_words import describe
from scheduler.models import Chat, ChatKind, Subscription
from scheduler.store.chats import TooManySubscriptions
from scheduler.store.members import Place, Way

MOST_CHOICES = 25
_ALLOWED = {"on": True, "yes": True, "开": True, "off": False, "no": False, "关": False}
_WAYS = {
    Way.PRIVATE: N_("I send you their papers in private."),
    Way.NAMED: N_("This chat's digest has their papers, under your name."),
    Way.PINGED: N_("This chat's digest has their papers, under your name, and pings you."),
}
STARTED = "my"
"""What /start is followed by where a button of this module leads to the private talk."""

_WAY_NAMES = {
    Way.PRIVATE: N_("In private"),
    Way.NAMED: N_("Under my name here"),
    Way.PINGED: N_("Here, with a ping"),
}


def my(visit: Visit) -> Reply:
    """Follows what is named for the asker alone; without a name, shows what the asker follows here or anywhere."""
    if not visit.person:
        return say(
            visit.t("I cannot tell who you are: you write in a chat's name. Write as yourself, please.")
        )
    if visit.chat.kind is ChatKind.PRIVATE:
        return _everywhere(visit)
    return _follow(visit) if visit.argument else _here(visit)


def _follow(visit: Visit) -> Reply:
    t = visit.t
    parsed, title = read_wish(visit, visit.argument)
    parsed = replace(parsed, by_relevance=False)
    most = visit.house.most_for_a_member
    try:
        saved, is_new = visit.store.members.follow(
            visit.chat.key,
            visit.person,
            visit.request.user_name or visit.request.user,
            parsed.canonical,
            title,
            since=_first_date(visit),
            most=most,
        )
    except TooManySubscriptions:
        return say(
            t(
                "You follow {count} things in this chat already, which is the limit. End one first.",
                count=most,
            ),
            keyboard=rows(Button(t("Show mine"), "my")),
        )
    if not is_new:
        return say(t("You follow “{title}” already.", title=saved.title), keyboard=_mine(visit))
    return say(
        t("For yourself you follow “{title}”: {meaning}.", title=saved.title, meaning=describe(parsed, t)),
        *_how_it_comes(visit),
        keyboard=rows(
            Button(t("Undo"), action(visit, "myend", str(saved.key))),
            Button(t("Show mine"), "my"),
            _private_link(visit),
        ),
    )


def begin(visit: Visit) -> bool:
    """Somebody who follows something in groups writes in private for the first time, and can be told from now on.

    False for who follows nothing. The newest papers count, while their slot is still to come.
    """
    if visit.chat.kind is not ChatKind.PRIVATE or not visit.store.members.places(visit.person):
        return False
    first = first_date(visit, visit.chat.key)
    if first is not None:
        visit.store.members.begin_by(visit.person, first)
    return True


def _mine(visit: Visit) -> Keyboard:
    return rows(Button(visit.t("Show mine"), "my"))


def _first_date(visit: Visit) -> date | None:
    """As for a subscription of the chat that will tell of it; what is announced from now on where none can yet."""
    own = _private_chat(visit) if _way(visit) is Way.PRIVATE else visit.chat
    if own is not None:
        return first_date(visit, own.key)
    newest = visit.store.archive.newest_date()
    return newest + timedelta(days=1) if newest is not None else None


def _how_it_comes(visit: Visit) -> tuple[str, ...]:
    """How the papers reach the member, and what is still to be done for it."""
    way = _way(visit)
    told = (visit.t(_WAYS[way]),)
    if way is Way.PRIVATE and _private_chat(visit) is None:
        return (
            *told,
            visit.t("I cannot write to you yet: write me {command} in private once.", command="/start"),
        )
    return told


def _way(visit: Visit) -> Way:
    way = visit.store.members.way(visit.chat.key, visit.person)
    return way if visit.chat.names_members else Way.PRIVATE


def _private_chat(visit: Visit) -> Chat | None:
    return visit.store.chats.private_with(visit.person)


def _private_link(visit: Visit) -> Button | None:
    """Opens the private talk, for who never had one, where the platform has an address for it."""
    link = visit.store.notes.get(link_note(visit.chat.ref.platform), "")
    needed = _way(visit) is Way.PRIVATE and _private_chat(visit) is None
    return Button(visit.t("Write to me in private"), url=f"{link}{STARTED}") if link and needed else None


def _here(visit: Visit) -> Reply:
    """What the asker follows in this chat, each with a button that ends it, and the other ways to be told."""
    if visit.is_overheard:
        return _elsewhere(visit)
    t = visit.t
    known = visit.store.members.keywords(visit.chat.key, visit.person)
    if not known:
        return say(
            t("You follow nothing for yourself in this chat. For example:"),
            line(code("/my diffusion policy")),
        )
    link = _private_link(visit)
    return Reply(
        (
            Block((line(bold(t("What you follow here for yourself"))), *_numbered(known))),
            Block(tuple(map(line, _how_it_comes(visit)))),
        ),
        Keyboard(
            rows=tuple(filter(None, (_ways(visit, but=_way(visit)), (link,) if link else ()))),
            choices=_ends(visit, known),
            prompt=t("End one…"),
        ),
        in_place=bool(visit.request.action),
    )


def _elsewhere(visit: Visit) -> Reply:
    """Where others read along nobody's list is shown, nor how anybody is told."""
    t = visit.t
    link = visit.store.notes.get(link_note(visit.chat.ref.platform), "")
    there = Button(t("Write to me in private"), url=f"{link}{STARTED}") if link else None
    return say(
        t("What you follow for yourself is listed in private: write me {command} there.", command="/my"),
        keyboard=Keyboard(tuple(filter(None, (_ways(visit), (there,) if there else ())))),
    )


def _ways(visit: Visit, but: Way | None = None) -> tuple[Button, ...]:
    """A button for each way to be told but one; none where members are not named, which leaves one way."""
    ways = [way for way in Way if way is not but] if visit.chat.names_members else []
    return tuple(Button(visit.t(_WAY_NAMES[way]), action(visit, "myway", way)) for way in ways)


def _everywhere(visit: Visit) -> Reply:
    """In private: what the person follows in every group and channel."""
    t, places = visit.t, visit.store.members.places(visit.person)
    if not places:
        return say(
            t("In a group or server, {command} follows a subject for yourself alone.", command="/my …"),
            t("Here, {command} does.", command="/subscribe …"),
        )
    known = tuple(one for place in places for one in place.keywords)
    return Reply(
        (*(_of_place(place, known) for place in places), Block((line(next_digest(visit)),))),
        Keyboard(choices=_ends(visit, known), prompt=t("End one…")),
        in_place=bool(visit.request.action),
    )


def _of_place(place: Place, known: tuple[Subscription, ...]) -> Block:
    first = known.index(place.keywords[0]) + 1
    return Block((line(bold(place.title)), *_numbered(place.keywords, first)))


def _numbered(known: tuple[Subscription, ...], first: int = 1) -> tuple[Line, ...]:
    return tuple(line(f"{number}  ", bold(one.title)) for number, one in enumerate(known, start=first))


def _ends(visit: Visit, known: tuple[Subscription, ...]) -> tuple[Button, ...]:
    return tuple(
        Button(
            visit.t("End “{title}”", title=one.title),
            action(visit, "myend", str(one.key)),
            short=f"✕ {number}",
        )
        for number, one in enumerate(known[:MOST_CHOICES], start=1)
    )


def end(visit: Visit) -> Reply:
    """A keyword's button: ends it, if it is the presser's own."""
    key = int(visit.argument) if visit.argument.isdecimal() else 0
    ended = visit.store.members.end(visit.person, key)
    if ended is None:
        return Reply(toast=visit.t("This is not yours, or was ended already."))
    return say(visit.t("You follow “{title}” no longer.", title=ended.title), keyboard=_mine(visit))


def choose_way(visit: Visit) -> Reply:
    """A way's button: how the presser is told from now on."""
    if not visit.store.members.keywords(visit.chat.key, visit.person) or visit.argument not in set(Way):
        return Reply(toast=visit.t("You follow nothing for yourself in this chat."))
    visit.store.members.tell(visit.chat.key, visit.person, Way(visit.argument))
    if (first := _first_date(visit)) is not None:
        visit.store.members.begin_by(visit.person, first, visit.chat.key)
    return Reply(toast=visit.t(_WAYS[_way(visit)])) if visit.is_overheard else _here(visit)


def changed(chat: Chat, value: str) -> Chat | None:
    """The chat with its members named or not, None for any other word (`/settings members on`)."""
    allowed = _ALLOWED.get(value.casefold())
    return replace(chat, names_members=allowed) if allowed is not None else None


def words(visit: Visit) -> tuple[str, ...]:
    """Whether members may be named in the digest, for /settings; nothing in private."""
    if visit.chat.kind is ChatKind.PRIVATE:
        return ()
    t = visit.t
    if visit.chat.names_members:
        return (
            t(
                "Members may be named in the digest, beside what they follow for themselves ({command}).",
                command="/my",
            ),
        )
    return (
        t("What members follow for themselves ({command}) comes to them in private only.", command="/my"),
    )


def buttons(visit: Visit) -> tuple[Button, ...]:
    """The other way, for /settings."""
    if visit.chat.kind is ChatKind.PRIVATE:
        return ()
    allowed = visit.chat.names_members
    label = visit.t("Don't name members") if allowed else visit.t("Members may be named")
    return (Button(label, action(visit, "set", "members", "off" if allowed else "on")),)
