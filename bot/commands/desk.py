"""Turns a request into a reply: finds the chat, the handler and the language, and puts every mistake into words."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial

from bot import standing
from bot.commands import inline, library, looking_up, reading, searching
from bot.commands.directing import Errand, errand_of, headed, refused
from bot.commands.feed import STOPPED
from bot.commands.table import ACTIONS, BY_NAME
from bot.commands.visit import (
    CardPlace,
    Handler,
    House,
    NotArchived,
    NotTranslated,
    Visit,
    action,
    rows,
    say,
    untangled,
)
from bot.locale import translator
from bot.ports import (
    Button,
    ChatAdapter,
    Gone,
    InlineCards,
    Moved,
    Paused,
    Reply,
    Request,
    Rights,
    RightsUnknown,
    Suggestion,
)
from bot.render.query_words import explain_error
from bot.render.view import View
from scheduler import paper_ids
from scheduler.errors import NotAPaperId, QueryError
from scheduler.lookups import Finding
from scheduler.models import Chat, ChatKind, ChatRef, ChatState, PaperId, Platform
from scheduler.store import Store
from scheduler.store.chats import Defaults
from scheduler.store.thread import StoreThread

logger = logging.getLogger(__name__)

SUGGESTIONS = 25
TOPICS_BEFORE_PAPERS = 5

Find = Callable[[PaperId], Awaitable[Finding]]
"""Fetches a paper into the archive and says what came of it."""

Translate = Callable[[int], Awaitable[None]]
"""Has the Chinese words of a paper (its key) made, as far as that can be done now."""

MANAGING = frozenset(
    "subscribe unsubscribe settings feed topic sub set resume picked steer general take mute unmute".split()
)
"""Commands and buttons that only who looks after a group or channel uses there."""


CHANGING_CARDS = frozenset(("save", "up", "down"))
"""Buttons of a card that do something to the paper for the one who presses them."""


class Desk:
    """Answers requests from every platform; one for the whole process."""

    def __init__(
        self, store: StoreThread, house: House, defaults: Defaults, lang: str, clock: Callable[[], datetime]
    ) -> None:
        self._store = store
        self._house = house
        self._defaults = defaults
        self._lang = lang
        self._clock = clock
        self._find: Find | None = None
        self._translate: Translate | None = None
        self._adapters: Mapping[Platform, ChatAdapter] = {}

    def look_up_with(self, find: Find) -> None:
        """From now on a paper that the archive has not is looked up; until then it is said where to find it."""
        self._find = find

    def translate_with(self, translate: Translate) -> None:
        """From now on a card has a button that gets its abstract translated."""
        self._translate = translate
        self._house = replace(self._house, translates=True)

    def meet(self, adapters: Mapping[Platform, ChatAdapter]) -> None:
        """The adapters that are asked who may do what; without one, nobody looks after a chat from elsewhere."""
        self._adapters = adapters

    async def answer(self, request: Request) -> Reply:
        """The reply to a request. A person's mistake is a reply too; so is a fault of ours, in calm words."""
        now = self._clock()
        first = await self._store.call(lambda store: self._answer(store, request, now))
        if isinstance(first, Reply):
            return first
        errand = first
        rights = await self._rights(errand)
        return await self._store.call(lambda store: self._run_errand(store, request, errand, rights, now))

    async def _rights(self, errand: Errand) -> Rights | None:
        """What the platform says just now, None where it could not be asked."""
        adapter = self._adapters.get(errand.ref.platform)
        if adapter is None:
            return None
        try:
            return await adapter.rights(errand.ref, errand.kind, errand.request.user)
        except RightsUnknown as error:
            logger.warning("who may look after %s is not known: %s", errand.ref, error)
            return None

    async def inline(self, request: Request, offset: str) -> InlineCards:
        """The papers for what somebody types after the bot's name in any chat; a page of them."""
        now = self._clock()
        return await self._store.call(lambda store: self._inline(store, request, offset, now))

    async def suggest(self, request: Request, parameter: str) -> tuple[Suggestion, ...]:
        """What fits what is typed so far, at most 25; nothing where it cannot be read yet."""
        now = self._clock()
        return await self._store.call(lambda store: self._suggest(store, request, parameter, now))

    async def standing(self, ref: ChatRef, change: Gone | Paused | Moved | None) -> None:
        """Notes that a platform told of a chat that is gone, moved, or ours again."""
        now = self._clock()
        await self._store.call(lambda store: _note_standing(store, ref, change, now))

    def _answer(self, store: Store, request: Request, now: datetime) -> Reply | Errand:
        """The reply, or the errand that needs the platform's word first."""
        errand = errand_of(store, request)
        if errand is not None:
            return errand
        visit = self._visit(store, request, now)
        reply = self._handled(visit)
        return headed(visit, reply) if visit.is_elsewhere else reply

    def _handled(self, visit: Visit) -> Reply:
        request = visit.request
        try:
            return _with_sharing(visit, _handled(visit))
        except NotArchived as missing:
            if self._find is None or not paper_ids.is_arxiv(missing.paper_id):
                return looking_up.not_archived(visit, missing)
            return replace(
                looking_up.begun(visit, missing), later=partial(self._looked_up, self._find, visit, missing)
            )
        except NotTranslated as missing:
            if self._translate is None:
                return reading.untranslated(visit, missing.place)
            later = partial(self._translated, self._translate, visit, missing)
            return Reply(toast=visit.t("Being translated; it takes a moment."), in_place=True, later=later)
        except QueryError as error:
            return explain_error(error, visit.t)
        except NotAPaperId as error:
            return say(visit.t("“{text}” is no paper's id.", text=error.text[:80]))
        except Exception:
            logger.exception("answering %s failed", request.command or request.action or "a text")
            return say(
                visit.t(
                    "Something went wrong on my side, and it is noted. Nothing of yours is lost; try again later."
                )
            )

    async def _looked_up(self, find: Find, visit: Visit, missing: NotArchived) -> Reply:
        """The answer to the same request once the paper was looked up."""
        finding = await find(missing.paper_id)
        again = replace(visit, now=self._clock())
        return await self._store.call(lambda _: _answer_found(again, missing, finding))

    async def _translated(self, translate: Translate, visit: Visit, missing: NotTranslated) -> Reply:
        """The card once the abstract was translated, or could not be."""
        await translate(missing.key)
        again = replace(visit, now=self._clock())
        return await self._store.call(lambda _: _answer_translated(again))

    def _inline(self, store: Store, request: Request, offset: str, now: datetime) -> InlineCards:
        chat = store.chats.at(request.chat)
        lang = chat.lang if chat else self._language(request)
        content = chat.content if chat else self._defaults.content[lang]
        zone = chat.schedule.zone if chat else self._defaults.schedule.zone
        view = View(lang, content, zone, request.chat.platform)
        return inline.cards(store, view, request.text, offset, now.date())

    def _language(self, request: Request) -> str:
        return "zh" if request.lang.startswith("zh") else (request.lang[:2] and "en") or self._lang

    def _run_errand(
        self, store: Store, request: Request, errand: Errand, rights: Rights | None, now: datetime
    ) -> Reply:
        """The reply to a request about another chat, or why it is refused."""
        asking = self._visit(store, request, now)
        if rights is None or not rights.manages:
            return refused(asking, errand, rights)
        chat = store.chats.ensure(
            errand.ref, errand.kind, errand.title, asking.chat.lang, self._defaults_like(asking.chat), now
        )
        visit = replace(
            asking,
            chat=chat,
            request=replace(errand.request, may_manage=True),
            asker=asking.chat,
            rights=rights,
        )
        if rights.obstacle is None:
            _note_people(store, chat, replace(visit.request, kind=chat.kind))
            _taken_back(store, chat)
        return headed(visit, self._handled(visit))

    def _defaults_like(self, chat: Chat) -> Defaults:
        """What a chat starts with that somebody sets up from another one: that one's time zone."""
        return replace(self._defaults, schedule=replace(self._defaults.schedule, zone=chat.schedule.zone))

    def _visit(self, store: Store, request: Request, now: datetime) -> Visit:
        lang = self._language(request)
        chat = store.chats.ensure(request.chat, request.kind, request.chat_title, lang, self._defaults, now)
        _note_people(store, chat, request)
        if request.own_chat is not None:
            own = store.chats.ensure(
                request.own_chat, ChatKind.PRIVATE, request.user_name, lang, self._defaults, now
            )
            store.chats.note_person(own.key, request.user)
        if request.may_manage and not request.elsewhere:
            # Whoever speaks to us here has taken us back; a right that is still missing shows at the next send.
            _taken_back(store, chat)
        return Visit(store, chat, request, now, translator(chat.lang), self._house)

    def _suggest(
        self, store: Store, request: Request, parameter: str, now: datetime
    ) -> tuple[Suggestion, ...]:
        visit = self._visit(store, request, now)
        try:
            return _suggestions(visit, parameter)
        except QueryError:
            return ()


def _handled(visit: Visit) -> Reply:
    handler, argument = _handler(visit)
    return handler(replace(visit, request=replace(visit.request, text=argument)))


def _answer_found(visit: Visit, missing: NotArchived, finding: Finding) -> Reply:
    reply = looking_up.not_found(visit, missing, finding if finding is not Finding.FOUND else Finding.UNKNOWN)
    if finding is Finding.FOUND:
        with contextlib.suppress(NotArchived):
            reply = _with_sharing(visit, _handled(visit))
    return headed(visit, reply) if visit.is_elsewhere else reply


def _answer_translated(visit: Visit) -> Reply:
    try:
        reply = _handled(visit)
    except NotTranslated as missing:
        reply = reading.untranslated(visit, missing.place)
    return headed(visit, reply) if visit.is_elsewhere else reply


def _with_sharing(visit: Visit, reply: Reply) -> Reply:
    """The reply with a button that shows it to everyone, where it is one that others may want to see too."""
    request = visit.request
    if not (reply.shareable and reply.private and request.alone):
        return reply
    asked = _card_of(untangled(visit.store, request.action)) or f"/{request.command} {request.text}"
    button = Button(visit.t("Show to everyone"), action(visit, "share", asked))
    keyboard = replace(reply.keyboard, rows=(*reply.keyboard.rows, (button,)))
    return replace(reply, keyboard=keyboard)


def _card_of(pressed: str) -> str:
    """The button that shows what a pressed one left: the card itself, for those that only change its buttons."""
    name, _, argument = pressed.partition(":")
    return f"p:{CardPlace.read(argument).paper}" if name in CHANGING_CARDS else pressed


def _share(visit: Visit) -> Reply:
    """What was shown to one person, for all who read the chat: without the buttons that are that person's own."""
    asked = visit.argument
    if asked.startswith("/"):
        command, _, text = asked[1:].partition(" ")
        request = replace(visit.request, action="", command=command, text=text, alone=False)
    else:
        request = replace(visit.request, action=asked, alone=False)
    reply = _handled(replace(visit, request=request))
    pages = (tuple(button for button in row if button.url) for row in reply.keyboard.rows)
    keyboard = replace(reply.keyboard, rows=tuple(row for row in pages if row))
    return replace(reply, keyboard=keyboard, private=False, in_place=False)


def _taken_back(store: Store, chat: Chat) -> None:
    if chat.state is ChatState.ACTIVE or chat.reason == STOPPED:
        return
    if chat.state is ChatState.PAUSED:
        store.chats.try_again(chat.key)
    else:
        store.chats.set_state(chat.key, ChatState.ACTIVE)


def _handler(visit: Visit) -> tuple[Handler, str]:
    request = visit.request
    if request.action:
        name, _, argument = untangled(visit.store, request.action).partition(":")
        if name == "share":
            return _share, argument
        return ACTIONS.get(name, _stale_button), argument
    if not request.command:
        return reading.plain_text, request.text
    return BY_NAME.get(request.command.casefold(), _unknown_command), request.text


def _stale_button(visit: Visit) -> Reply:
    return say(
        visit.t("This button is from an older version of me. {command} shows what I can do.", command="/help")
    )


def _unknown_command(visit: Visit) -> Reply:
    return say(
        visit.t(
            "I don't know the command “/{name}”. {help} shows what I can do.",
            name=visit.request.command[:40],
            help="/help",
        ),
        keyboard=rows(Button(visit.t("Pick a topic"), "topics")),
    )


def _suggestions(visit: Visit, parameter: str) -> tuple[Suggestion, ...]:
    typed = visit.argument
    if parameter == "id":
        return searching.suggest_papers(visit, typed, SUGGESTIONS)
    if visit.request.command == "saved":
        return library.suggest(visit, typed, SUGGESTIONS)
    known = visit.store.chats.subscriptions(visit.chat.key)
    if parameter == "subscription":
        named = [Suggestion(one.title, str(number)) for number, one in enumerate(known, start=1)]
        return _containing(named, typed)
    topics = [Suggestion(visit.in_its_language(topic.title), topic.key) for topic in visit.house.topics]
    if parameter == "topic":
        return _containing(topics, typed)
    as_typed = [Suggestion(typed, typed)] if typed and len(typed) <= 100 else []
    if visit.request.command != "search":
        return (*as_typed, *_containing(topics, typed))[:SUGGESTIONS]
    topics = [
        Suggestion(visit.in_its_language(topic.title), topic.query)
        for topic in visit.house.topics
        if len(topic.query) <= 100
    ]
    known_papers: tuple[Suggestion, ...] = ()
    with contextlib.suppress(QueryError):
        known_papers = searching.suggest_papers(visit, typed, SUGGESTIONS)
    fitting = _containing(topics, typed)[:TOPICS_BEFORE_PAPERS]
    return (*as_typed, *fitting, *known_papers)[:SUGGESTIONS]


def _containing(suggestions: list[Suggestion], typed: str) -> tuple[Suggestion, ...]:
    wanted = typed.casefold()
    return tuple(
        one for one in suggestions if wanted in one.label.casefold() or wanted in one.value.casefold()
    )[:SUGGESTIONS]


def _note_standing(store: Store, ref: ChatRef, change: Gone | Paused | Moved | None, now: datetime) -> None:
    """A platform tells of a chat as a whole: its topics share what happens to it."""
    with store.writing():
        for chat in store.chats.all_at(ref):
            _note_one(store, chat, change, now)


def _note_one(store: Store, chat: Chat, change: Gone | Paused | Moved | None, now: datetime) -> None:
    if chat.reason == STOPPED and not isinstance(change, Moved):
        return
    match change:
        case None:
            store.chats.set_state(chat.key, ChatState.ACTIVE)
        case Gone(reason):
            standing.rest(store, chat, ChatState.GONE, reason, (), now)
        case Paused(reason, missing):
            standing.rest(store, chat, ChatState.PAUSED, reason, missing, now)
        case Moved(to):
            store.chats.move(chat.key, replace(to, thread_id=chat.ref.thread_id))


def _note_people(store: Store, chat: Chat, request: Request) -> None:
    """Who a private chat is with, and who looks after any other one: the one to tell when something is wrong."""
    if not request.user:
        return
    if request.kind is ChatKind.PRIVATE:
        store.chats.note_person(chat.key, request.user)
    elif request.may_manage and (
        request.command in MANAGING or untangled(store, request.action).partition(":")[0] in MANAGING
    ):
        store.chats.note_manager(chat.key, request.user)
