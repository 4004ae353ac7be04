"""/topics and /topic: the catalogue by field, and what is new in one of its subjects."""

from __future__ import annotations

from collections import Counter

from bot.commands.searching import PAGE, SearchPlace
from bot.commands.visit import Visit, action, bold, line, paper_choices, rows, say
from bot.markup import Block
from bot.ports import Button, Keyboard, Reply
from bot.render.stream import FIELDS
from bot.render.topic import topic_blocks
from scheduler import query, stream
from scheduler.stream import StreamPage
from scheduler.topics import Topic, named, nearest

LABEL = 80
"""Letters of a choice's label (Discord: 100 at most)."""


def topics(visit: Visit) -> Reply:
    """The catalogue: the fields, or one field's topics, each with a button that subscribes and one that shows it."""
    wanted = visit.argument.casefold()
    if wanted in FIELDS:
        return _topics_of(visit, wanted)
    counts = Counter(topic.field for topic in visit.house.topics)
    buttons = [
        Button(f"{visit.t(FIELDS[field])} · {counts[field]}", action(visit, "topics", field))
        for field in FIELDS
        if counts[field]
    ]
    return say(visit.t("Topics that others follow too. Which field?"), keyboard=rows(*buttons, width=2))


def _topics_of(visit: Visit, field: str) -> Reply:
    t = visit.t
    chosen = [topic for topic in visit.house.topics if topic.field == field][:24]
    titles = [visit.in_its_language(topic.title) for topic in chosen]
    follow = [
        Button(title, action(visit, "topic", topic.key)) for title, topic in zip(titles, chosen, strict=True)
    ]
    look = tuple(
        Button(f"{number} · {title}"[:LABEL], _turn(visit, topic), short=str(number))
        for number, (title, topic) in enumerate(zip(titles, chosen, strict=True), start=1)
    )
    blocks = tuple(
        Block((line(f"{number}  ", bold(title)), line(visit.in_its_language(topic.description))))
        for number, (title, topic) in enumerate(zip(titles, chosen, strict=True), start=1)
    )
    back = Button(t("◀ All fields"), "topics")
    keyboard = Keyboard((*rows(*follow, width=2).rows, (back,)), look, t("See what is new in a topic…"))
    said = t("A number shows what is new in a topic; its name follows it.")
    head = Block((line(bold(t(FIELDS[field]))), line(said)))
    return Reply((head, *blocks), keyboard, in_place=bool(visit.request.action))


def topic(visit: Visit) -> Reply:
    """The page of the topic that is named by key or title; without a name the catalogue."""
    if not visit.argument:
        return topics(visit)
    found = named(visit.house.topics, visit.argument)
    return _page(visit, found, (), in_place=False) if found is not None else _unknown(visit)


def _unknown(visit: Visit) -> Reply:
    t = visit.t
    buttons = [
        Button(visit.in_its_language(one.title), _turn(visit, one))
        for one in nearest(visit.house.topics, visit.argument[:80])
    ]
    search = Button(t("Search for it"), action(visit, "s", str(SearchPlace(visit.argument[:200]))))
    return say(
        t("There is no topic “{name}”.", name=visit.argument[:80]),
        *([t("Did you mean one of these?")] if buttons else []),
        keyboard=rows(*buttons, search, Button(t("Pick a topic"), "topics"), width=1),
    )


def topic_page(visit: Visit) -> Reply:
    """The buttons of a topic: its first page, and the others."""
    place = SearchPlace.read(visit.argument)
    found = named(visit.house.topics, place.query)
    if found is None:
        gone = visit.t("This topic is not in the catalogue any more.")
        return say(gone, keyboard=rows(Button(visit.t("Pick a topic"), "topics")))
    return _page(visit, found, place.cursors, in_place=True)


def _page(visit: Visit, topic: Topic, cursors: tuple[int, ...], *, in_place: bool) -> Reply:
    shown = stream.read(
        visit.store,
        query.parse(topic.query),
        today=visit.now.date(),
        limit=PAGE,
        before=cursors[-1] if cursors else None,
        first=len(cursors) * PAGE + 1,
    )
    blocks = topic_blocks(topic, shown, len(cursors) + 1, visit.view)
    return Reply(blocks, _keyboard(visit, topic, cursors, shown), in_place=in_place, shareable=True)


def _keyboard(visit: Visit, topic: Topic, cursors: tuple[int, ...], shown: StreamPage) -> Keyboard:
    t = visit.t
    moves = []
    if cursors:
        moves.append(Button("◀", _turn(visit, topic, cursors[:-1])))
    if shown.next_before is not None:
        moves.append(Button("▶", _turn(visit, topic, (*cursors, shown.next_before))))
    follow = Button(t("Follow this topic"), action(visit, "topic", topic.key))
    back = Button(t("◀ {field}", field=t(FIELDS[topic.field])), action(visit, "topics", topic.field))
    choices = paper_choices(visit, [(one.number, one.paper) for one in shown.papers])
    return Keyboard(tuple(filter(None, (tuple(moves), (follow, back)))), choices, t("Open a paper…"))


def _turn(visit: Visit, topic: Topic, cursors: tuple[int, ...] = ()) -> str:
    return action(visit, "t", str(SearchPlace(topic.key, cursors)))
