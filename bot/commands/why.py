"""/why: for one paper, why this chat was told of it or not, subscription by subscription."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from zoneinfo import ZoneInfo

from bot.commands.muting import mute_name
from bot.commands.subscribing import next_digest
from bot.commands.visit import Visit, bold, code, line, rows, say
from bot.markup import Block, Line
from bot.ports import Button, Reply
from bot.render.paper_words import field_names
from scheduler import digest, matching, paper_ids, planning, query, slots
from scheduler.errors import NotAPaperId, QueryError
from scheduler.models import DeliveryState, PaperId, Subscription
from scheduler.query import And, Kind, Node, Not, Query, Term
from scheduler.store.outbox import Run
from scheduler.store.papers import DayPaper, Known
from scheduler.tokens import Run as Tokens


def why(visit: Visit) -> Reply:
    """Whether and when the chat was told of the paper, and what each of its subscriptions says to it."""
    t = visit.t
    if not visit.argument:
        return say(t("Which paper? Write its id or a link after the command:"), line(code("/why 2609.33867")))
    try:
        paper_id, _ = paper_ids.parse(visit.argument)
    except NotAPaperId:
        return say(
            t(
                "“{text}” is no paper's id. One looks like 2609.33867 or hep-th/9901001; a link works too.",
                text=visit.argument[:80],
            )
        )
    known = visit.store.archive.by_id(paper_id)
    return _not_there(visit, paper_id) if known is None else _answer(visit, known)


def _not_there(visit: Visit, paper_id: PaperId) -> Reply:
    links = paper_ids.links(paper_id)
    return say(
        visit.t("{id} is not in the archive, so nobody here was told of it.", id=paper_id),
        visit.t("Categories that are fetched: {names}.", names=visit.t.row(visit.house.categories)),
        keyboard=rows(Button(visit.t("Abstract page"), url=links["abs"]) if links else None),
    )


def _answer(visit: Visit, known: Known) -> Reply:
    t = visit.t
    head = Block((line(bold(known.paper.title)), line(_verdict(visit, known))))
    subscriptions = visit.store.members.followed_in(visit.chat.key)
    if not subscriptions:
        return Reply((head, Block((line(t("This chat follows nothing yet.")),))))
    reasons = tuple(Block(tuple(_reason(visit, known, one))) for one in subscriptions)
    return Reply((head, *reasons), rows(Button(t("Open the card"), f"p:{known.paper.id}")))


def _verdict(visit: Visit, known: Known) -> str:
    """What happened to this paper in this chat, in one sentence."""
    t = visit.t
    run = visit.store.outbox.run_with(visit.chat.key, known.key)
    if run is not None:
        return run_words(visit, run)
    if not known.announced:
        return t("It is in the archive for search only; its announcement was never fetched.")
    news = _news(known)
    if not news:
        day = max(day for day, _, _ in known.announced)
        return t("It came only as a replacement ({date}); digests tell of new papers.", date=t.date(day))
    if not any(_finds(visit, one.query, known) for one in visit.store.members.followed_in(visit.chat.key)):
        return t("Announced on {date}; nothing that this chat follows finds it.", date=t.date(max(news)))
    if muted := [one for one in visit.store.mutes.of(visit.chat.key) if _finds(visit, one.query, known)]:
        names = t.names([mute_name(one, t) for one in muted])
        return t("Announced on {date}; muted by you: {names}.", date=t.date(max(news)), names=names)
    following = _following(visit, max(news), known)
    if not following:
        return t("Announced on {date}; this chat began to follow it later.", date=t.date(max(news)))
    if all(digest.leaves_out(one, _as_news(known)) for one in following):
        return t(
            "Announced on {date}, but only as cross-listed, which is switched off for what finds it.",
            date=t.date(max(news)),
        )
    if max(news) < planning.newest_day(visit.store, visit.now) - planning.LOOK_BACK:
        return t("Announced on {date}, which is farther back than digests look.", date=t.date(max(news)))
    return f"{t('Announced on {date}; it comes with the next digest.', date=t.date(max(news)))} {next_digest(visit)}"


def run_words(visit: Visit, run: Run) -> str:
    """What became of a run of this chat, in one sentence."""
    t = visit.t
    if run.is_cleared:
        return t(
            "Planned on {moment}; what became of it is not kept any more.",
            moment=moment_words(visit, run.planned),
        )
    match run.state:
        case DeliveryState.SENT if run.sent_at is not None:
            return t("Delivered here on {moment}.", moment=moment_words(visit, run.sent_at))
        case DeliveryState.FAILED:
            return t(
                "Planned on {moment}, but the platform refused a part of it. That is my mistake, and it is noted.",
                moment=moment_words(visit, run.planned),
            )
        case DeliveryState.UNKNOWN:
            return t(
                "Sent on {moment}, but the platform never said whether it arrived.",
                moment=moment_words(visit, run.planned),
            )
    planned = moment_words(visit, run.planned)
    if run.waits_until is None or run.waits_until <= visit.now:
        return t("Planned on {moment}; it is on its way.", moment=planned)
    until = moment_words(visit, run.waits_until)
    if run.waits_until <= slots.quiet_end(visit.chat.schedule, visit.now):
        return t(
            "Planned on {moment}; it comes at the end of the quiet hours, {until}.",
            moment=planned,
            until=until,
        )
    if not run.reason:
        return t("Planned on {moment}; it is on its way.", moment=planned)
    return t(
        "Planned on {moment}; it waits until {until}, because the platform asks for that.",
        moment=planned,
        until=until,
    )


def moment_words(visit: Visit, moment: datetime) -> str:
    """A day and a time on the chat's own clock."""
    local = moment.astimezone(ZoneInfo(visit.chat.schedule.zone))
    return f"{visit.t.date(local.date())} {visit.t.time(local)}"


def _news(known: Known) -> list[date]:
    return [day for day, _, kind in known.announced if kind.is_news]


def _finds(visit: Visit, text: str, known: Known) -> bool:
    try:
        return bool(_index(known).hits(query.parse(text), today=visit.now.date()))
    except QueryError:
        return False


def _following(visit: Visit, day: date, known: Known) -> list[Subscription]:
    """The subscriptions that find the paper and had begun on that day."""
    return [
        one
        for one in visit.store.members.followed_in(visit.chat.key)
        if (one.since is None or one.since <= day) and _finds(visit, one.query, known)
    ]


def _as_news(known: Known) -> DayPaper:
    """The paper as it was announced on the newest of its days, by the strongest type that it had then."""
    newest = max(_news(known))
    kind = min((kind for day, _, kind in known.announced if day == newest), key=lambda kind: kind.rank)
    return DayPaper(known.key, known.paper, kind, newest, known.wordings)


def _index(known: Known) -> matching.DayIndex:
    return matching.DayIndex([(known.paper, known.wordings)], types=[known.types])


def _reason(visit: Visit, known: Known, one: Subscription) -> Iterator[Line]:
    """A subscription's name, and what it finds in the paper or misses in it."""
    t = visit.t
    yield line(bold(one.heading))
    try:
        parsed = query.parse(one.query)
    except QueryError:
        yield line(t("I can't read this search any more; please write it anew."))
        return
    index = _index(known)
    hits = index.hits(parsed, today=visit.now.date())
    if 0 not in hits:
        yield line(_missed(visit, index, parsed))
        return
    yield line(
        t(
            "Finds it: {words} ({fields}).",
            words=t.names([f"“{word}”" for word in hits[0].words] or [parsed.canonical]),
            fields=field_names(hits[0].fields, t),
        )
    )
    news = _news(known)
    if one.since is not None and news and max(news) < one.since:
        yield line(t("Followed since {date}, which is later.", date=t.date(one.since)))
    if news and digest.leaves_out(one, _as_news(known)):
        yield line(t("Cross-listed papers are switched off for it, and to it this one is only cross-listed."))


def _missed(visit: Visit, index: matching.DayIndex, parsed: Query) -> str:
    """Why a query does not find the one paper of `index`."""
    t = visit.t
    if parsed.root is None or index.hits(Query(parsed.root)):
        return t("Its dates leave this paper out.")
    excluding = [part for part in _exclusions(parsed.root) if index.hits(Query(part.part))]
    if excluding:
        return t("Excluded by {rules}.", rules=t.names([str(part) for part in excluding]))
    found = [term for term in query.positive_terms(parsed.root) if index.hits(Query(term))]
    if not found:
        return _missed_words(visit, index, parsed)
    missing = [str(part) for part in _parts(parsed.root) if not index.hits(Query(part))]
    return t(
        "Found {found}, but not {missing}.",
        found=t.names([str(term) for term in found]),
        missing=t.names(missing),
    )


def _missed_words(visit: Visit, index: matching.DayIndex, parsed: Query) -> str:
    """Why none of a query's terms is found: of a phrase some words may be there, or all of them, but apart."""
    t = visit.t
    found, missing, apart = [], [], []
    for term in query.positive_terms(parsed.root):
        words = [str(one) for one in _words_of(term)]
        here = [word for word, one in zip(words, _words_of(term), strict=True) if index.hits(Query(one))]
        found += here
        missing += [word for word in words if word not in here]
        apart += [str(term)] if len(here) == len(words) > 1 else []
    if apart:
        return t("The words of {phrases} are in this paper, but not side by side.", phrases=t.names(apart))
    if not found:
        return t("None of its words occurs in this paper.")
    return t("Found {found}, but not {missing}.", found=t.names(found), missing=t.names(missing))


def _words_of(term: Term) -> list[Term]:
    """A phrase's or a name's words, each as a term of its own in the same field; any other term as it is."""
    if term.kind not in (Kind.PHRASE, Kind.NAME) or term.is_open:
        return [term]
    return [Term(term.field, token, (Tokens((token,)),)) for token in term.runs[0].tokens]


def _parts(root: Node) -> tuple[Node, ...]:
    """What must hold at once, without what is excluded."""
    parts = root.parts if isinstance(root, And) else (root,)
    return tuple(part for part in parts if not isinstance(part, Not))


def _exclusions(root: Node) -> tuple[Not, ...]:
    return tuple(part for part in root.parts if isinstance(part, Not)) if isinstance(root, And) else ()
