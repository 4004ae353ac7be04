"""/mute and /muted: what a chat never wants in its digests. Search finds it all the same."""

from __future__ import annotations

from bot.commands.rates import daily_counts
from bot.commands.subscribing import not_yours
from bot.commands.visit import CardPlace, Visit, action, bold, code, line, rows, say
from bot.locale import N_, Translator
from bot.markup import Block
from bot.ports import Button, Keyboard, Reply
from bot.render.query_words import describe
from scheduler import categories, query
from scheduler.errors import NotAPaperId, QueryError
from scheduler.models import Paper
from scheduler.paper_ids import parse as parse_id
from scheduler.query import Field, Query, Term
from scheduler.store.mutes import MOST, Mute, MuteKind, TooManyMutes

KINDS = {
    "word": MuteKind.WORD,
    "words": MuteKind.WORD,
    "词": MuteKind.WORD,
    "author": MuteKind.AUTHOR,
    "作者": MuteKind.AUTHOR,
    "paper": MuteKind.PAPER,
    "论文": MuteKind.PAPER,
    "category": MuteKind.CATEGORY,
    "cat": MuteKind.CATEGORY,
    "分类": MuteKind.CATEGORY,
}
"""What may stand in front of what is muted; without it an id is a paper, a category a category, all else words."""

_NAMES = {
    MuteKind.WORD: N_("word {title}"),
    MuteKind.AUTHOR: N_("author {title}"),
    MuteKind.PAPER: N_("paper {title}"),
    MuteKind.CATEGORY: N_("category {title}"),
}
_FIELDS = {Field.AUTHOR: MuteKind.AUTHOR, Field.CATEGORY: MuteKind.CATEGORY, Field.ID: MuteKind.PAPER}
A_LOT = 0.2
"""The share of all papers from which on a mute is warned of."""

AUTHORS_OFFERED = 6
CATEGORIES_OFFERED = 4


def mute_name(one: Mute, t: Translator) -> str:
    """ "author Wei Zhang"."""
    return t(_NAMES[one.kind], title=one.title)


def mute(visit: Visit) -> Reply:
    """Mutes what was named: an author, a paper, a category, or any query."""
    t = visit.t
    if not visit.argument or visit.argument.casefold() in KINDS:
        return say(
            t("What shall never come in this chat's digests? For example:"),
            line(code(t("/mute survey"))),
            line(code("/mute author Wei Zhang")),
            line(code("/mute category cs.CV")),
            line(code("/mute paper 2609.33867")),
            keyboard=rows(Button(t("What is muted"), "muted")),
        )
    kind, wanted = _named(visit.argument)
    return _mute(visit, kind, wanted)


def press_mute(visit: Visit) -> Reply:
    """A button that names a kind and what to mute."""
    kind, _, wanted = visit.argument.partition(":")
    return _mute(visit, MuteKind(kind), wanted)


def _named(text: str) -> tuple[MuteKind, str]:
    first, _, rest = text.partition(" ")
    kind = KINDS.get(first.casefold())
    if kind is not None and rest.strip():
        return kind, rest.strip()
    if categories.canonical(text) in categories.CATEGORIES:
        return MuteKind.CATEGORY, categories.canonical(text)
    try:
        return MuteKind.PAPER, parse_id(text)[0]
    except NotAPaperId:
        return MuteKind.WORD, text


def _mute(visit: Visit, kind: MuteKind, wanted: str) -> Reply:
    t = visit.t
    if not visit.request.may_manage:
        return not_yours(visit)
    parsed, title = _query_of(kind, wanted)
    kind, title = _kind_of(kind, parsed, title)
    if parsed.root is None or parsed.limits:
        return say(
            t("Words can be muted, authors, papers and categories, but no dates."),
            line(code(t("/mute survey"))),
        )
    try:
        muted, is_new = visit.store.mutes.add(visit.chat.key, kind, parsed.canonical, title)
    except TooManyMutes:
        return say(
            t("This chat mutes {count} things already, which is the limit. End one first.", count=MOST),
            keyboard=rows(Button(t("What is muted"), "muted")),
        )
    return _muted(visit, muted, parsed, is_new)


def _query_of(kind: MuteKind, wanted: str) -> tuple[Query, str]:
    """The query that finds what is muted, and what it is called. Raises QueryError and NotAPaperId."""
    bare = " ".join(wanted.strip('"“”').split())
    if kind is MuteKind.AUTHOR:
        return query.parse(f'au:"{bare.replace(chr(34), " ")}"'), bare
    if kind is MuteKind.CATEGORY:
        return query.parse(f"cat:{bare}"), bare
    if kind is MuteKind.PAPER:
        paper_id = wanted if wanted.startswith("url:") else parse_id(wanted)[0]
        return query.parse(f'id:"{paper_id}"'), paper_id
    if query.is_plain_words(wanted):
        return query.phrase_query(wanted), bare
    parsed = query.parse(wanted)
    return parsed, parsed.canonical


def _kind_of(kind: MuteKind, parsed: Query, title: str) -> tuple[MuteKind, str]:
    """What a query is really about that was typed as words: `au:"Wei Zhang"` is an author."""
    term = parsed.root
    if kind is MuteKind.WORD and isinstance(term, Term) and term.field in _FIELDS:
        return _FIELDS[term.field], term.text
    return kind, title


def _muted(visit: Visit, muted: Mute, parsed: Query, is_new: bool) -> Reply:
    t = visit.t
    head = (
        t(
            "Muted: {name}. Digests of this chat leave it out; search still finds it.",
            name=mute_name(muted, t),
        )
        if is_new
        else t("Muted already: {name}.", name=mute_name(muted, t))
    )
    meaning = (t("That is {meaning}.", meaning=describe(parsed, t)),) if muted.kind is MuteKind.WORD else ()
    return say(
        head,
        *meaning,
        *_warning(visit, muted, parsed),
        keyboard=rows(
            Button(t("Undo"), action(visit, "unmute", str(muted.key))),
            Button(t("What is muted"), "muted"),
        ),
    )


def _warning(visit: Visit, muted: Mute, parsed: Query) -> tuple[str, ...]:
    follows = visit.store.chats.subscriptions(visit.chat.key)
    if any(one.query == muted.query for one in follows):
        return (visit.t("This chat follows just that: nothing of it comes any more."),)
    found, every = daily_counts(visit, parsed, ""), daily_counts(visit, Query(None), "")
    if found is None or every is None or not any(every.counts):
        return ()
    share = sum(found.counts) / sum(every.counts)
    if share < A_LOT:
        return ()
    return (visit.t("That is {share} % of all papers of the last days.", share=round(100 * share)),)


def muted(visit: Visit) -> Reply:
    """Everything that the chat mutes, each with a button that ends it."""
    t = visit.t
    known = visit.store.mutes.of(visit.chat.key)
    if not known:
        return say(t("Nothing is muted in this chat. For example:"), line(code("/mute author Wei Zhang")))
    head = t.n("This chat mutes {count} thing.", "This chat mutes {count} things.", len(known))
    lines = [
        line(f"{number}  ", bold(mute_name(one, t)), *_unlike(one))
        for number, one in enumerate(known, start=1)
    ]
    ends = tuple(
        Button(
            t("Tell me again of “{title}”", title=mute_name(one, t))[:80],
            action(visit, "unmute", str(one.key)),
            short=f"✕ {number}",
        )
        for number, one in enumerate(known[:25], start=1)
    )
    return Reply((Block((line(head), *lines)),), Keyboard(choices=ends, prompt=t("End one…")))


def _unlike(one: Mute) -> tuple[str, ...]:
    """The query of muted words, where their title does not say it."""
    is_said = one.kind is not MuteKind.WORD or one.query.strip('"').casefold() == one.title.casefold()
    return () if is_said else (f"  {one.query}",)


def unmute(visit: Visit) -> Reply:
    """The button that ends a mute."""
    t = visit.t
    if not visit.request.may_manage:
        return not_yours(visit)
    key = int(visit.argument) if visit.argument.isdecimal() else 0
    ended = visit.store.mutes.end(visit.chat.key, key)
    if ended is None:
        return Reply(toast=t("This was ended already."))
    wanted = ended.query if ended.kind is MuteKind.WORD else ended.title
    return say(
        t("No longer muted: {name}.", name=mute_name(ended, t)),
        t("What it kept back in the last seven days comes with the next digest."),
        keyboard=rows(Button(t("Undo"), action(visit, "mute", ended.kind, wanted))),
    )


def offer(visit: Visit) -> Reply:
    """[Mute…] on a card: what of this paper can be muted, in the card's place."""
    t, place = visit.t, CardPlace.read(visit.argument)
    if not visit.request.may_manage:
        return not_yours(visit)
    known = visit.store.archive.by_id(place.paper)
    if known is None:
        return Reply(toast=t("This paper is not in the archive any more."))
    back = Button(t("◀ Back to the card"), action(visit, "k", str(place)))
    return say(
        line(bold(known.paper.title)),
        t("What shall never come in this chat's digests again? A word is muted so:"),
        line(code(t("/mute survey"))),
        keyboard=Keyboard((*rows(*_offers(visit, known.paper), width=1).rows, (back,))),
        in_place=True,
    )


def _offers(visit: Visit, paper: Paper) -> list[Button]:
    t = visit.t
    named = [(MuteKind.AUTHOR, author.name) for author in paper.authors[:AUTHORS_OFFERED]]
    named += [(MuteKind.CATEGORY, name) for name in paper.categories[:CATEGORIES_OFFERED]]
    buttons = [
        Button(t(_NAMES[kind], title=title)[:60], action(visit, "mute", kind, title))
        for kind, title in named
        if _can_be_muted(kind, title)
    ]
    return [*buttons, Button(t("this paper"), action(visit, "mute", MuteKind.PAPER, paper.id))]


def _can_be_muted(kind: MuteKind, title: str) -> bool:
    try:
        return _query_of(kind, title)[0].root is not None
    except QueryError:
        return False
