"""`paperboy digest`, `search` and `status`: what the archive has, written to read or for programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime

from bot import services
from bot.config import Settings
from bot.markup import dialect_for, pack
from bot.render import search as render_search
from bot.render.html import digest_html
from bot.render.json import digest_object, paper_object, search_object
from bot.render.markdown import digest_markdown
from bot.render.status import source_block, source_object
from bot.render.text import digest_text
from bot.render.translations import flag_objects, flag_table, word_object, word_table
from bot.render.view import View
from bot.render.words import words_blocks, words_object
from scheduler import enrich, harvesting, query
from scheduler import status as standing
from scheduler.errors import SettingsError
from scheduler.matching import DayIndex
from scheduler.models import Chat, ChatRef, Digest, Match, Platform, Subscription
from scheduler.news import build_for, read_day
from scheduler.planning import wanted_categories
from scheduler.query import Query
from scheduler.snippets import snippet
from scheduler.store import Store
from scheduler.store.papers import FoundPapers

EVERYTHING = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """A digest to be written, and the zone of the chat that it is for ("" for nobody in particular)."""

    digest: Digest
    zone: str = ""


def digest_of(
    store: Store,
    day: date | None,
    wanted: str | None,
    chat_name: str | None,
    now: datetime,
    title: str = "",
) -> Shown:
    """The digest of one announcement date (the newest where none is named).

    For one query (whose section has `title`, or the query's own words), for a chat's subscriptions, or of all papers.
    Raises QueryError, and SettingsError for a chat that is not known.
    """
    chat = _chat(store, chat_name) if chat_name is not None else None
    chosen = day or store.archive.newest_date() or now.date()
    subscriptions = _subscriptions(store, chat, wanted, title)
    news = read_day(store, [chosen])
    everything = dict.fromkeys(news.candidates, Match((), ()))
    hits = {one.query: news.find(one.query) if one.query else everything for one in subscriptions}
    built = build_for(news, subscriptions, hits=hits)
    whole = replace(built.digest, dates=(chosen,), announced=news.announced.get(chosen, 0))
    return Shown(whole, chat.schedule.zone if chat else "")


_ALL = Subscription(0, 0, EVERYTHING, "All papers")


def _subscriptions(
    store: Store, chat: Chat | None, wanted: str | None, title: str
) -> tuple[Subscription, ...]:
    if chat is not None:
        return tuple(replace(one, since=None) for one in store.members.followed_in(chat.key))
    if wanted is None:
        return (_ALL,)
    parsed = query.parse(wanted)
    return (Subscription(0, 0, parsed.canonical, title or wanted.strip()),)


def _chat(store: Store, name: str) -> Chat:
    platform, _, address = name.partition(":")
    chat_id, _, thread_id = address.partition("/")
    found = None
    if platform in list(Platform):
        found = store.chats.at(ChatRef(Platform(platform), chat_id, thread_id))
    if found is None:
        raise SettingsError(
            f"--chat {name}: there is no such chat; one is named console:you or telegram:123456"
        )
    return found


Writer = Callable[[Shown, str, str, datetime], str]


CHINESE_ZONE = "Asia/Shanghai"


def _text(shown: Shown, lang: str, zone: str, now: datetime) -> str:
    """A Chinese head tells Beijing's time, unless a chat or the operator has another zone than UTC, the default."""
    return digest_text(shown.digest, now, CHINESE_ZONE if lang != "en" and zone == "UTC" else zone, lang)


def _markdown(shown: Shown, lang: str, zone: str, now: datetime) -> str:
    return digest_markdown(shown.digest, view_for(lang, zone))


def _html(shown: Shown, lang: str, zone: str, now: datetime) -> str:
    return digest_html(shown.digest, view_for(lang, zone))


def _json(shown: Shown, lang: str, zone: str, now: datetime) -> str:
    return json.dumps(digest_object(shown.digest, lang), ensure_ascii=False, indent=2)


FORMS: dict[str, Writer] = {"text": _text, "markdown": _markdown, "html": _html, "json": _json}


def view_for(lang: str, zone: str) -> View:
    """How papers are shown in a language ("en", "zh", "both"), with times in a zone."""
    return View(lang="zh" if lang == "zh" else "en", content=lang, zone=zone, platform=Platform.CONSOLE)


def write(shown: Shown, form: str, lang: str, zone: str, now: datetime) -> str:
    """The digest in one of `FORMS`, its times in the chat's zone or else in `zone`."""
    return FORMS[form](shown, lang, shown.zone or zone, now)


def search(
    store: Store, text: str, limit: int, as_json: bool, lang: str, settings: Settings, now: datetime
) -> str:
    """What a query finds, newest first: a JSON object for programs, or a page to read."""
    parsed = query.parse(text)
    found = store.archive.search(parsed, today=now.date(), limit=limit)
    if as_json:
        return _search_json(found, parsed, lang)
    results = tuple(
        render_search.Result(
            number,
            one.paper,
            enrich.complete(one.paper, one.wordings),
            one.day,
            snippet(one.paper.abstract, parsed, 160) if one.paper.abstract else (),
        )
        for number, one in enumerate(found.papers, start=1)
    )
    blocks = render_search.search_page(
        parsed.typed,
        results,
        found.total,
        view_for(lang, settings.timezone),
        exact=found.total_is_exact,
        by_relevance=parsed.by_relevance,
    )
    packed = pack(blocks, dialect_for(Platform.CONSOLE))
    return "\n\n".join(one.plain for one in packed)


def _search_json(found: FoundPapers, parsed: Query, lang: str) -> str:
    index = DayIndex(
        [(one.paper, one.wordings) for one in found.papers], types=[one.types for one in found.papers]
    )
    objects = [
        paper_object(
            one.paper,
            enrich.complete(one.paper, one.wordings),
            lang,
            announce_type=one.announced[0][2] if one.announced else None,
            match=index.match(parsed, place),
        )
        for place, one in enumerate(found.papers)
    ]
    return json.dumps(search_object(parsed.canonical, found.total, objects), ensure_ascii=False, indent=2)


def status(store: Store, settings: Settings, as_json: bool, now: datetime) -> str:
    """How the configured and subscribed categories stand: a JSON object for programs, or lines to read."""
    shown = standing.sources(store, wanted_categories(store, settings.categories), now)
    others = harvesting.states(store, (*settings.sources, *settings.feeds))
    made = services.standing(settings, store, now)
    if as_json:
        objects = {"sources": source_object(shown, others), "words": words_object(made)}
        return json.dumps(objects, ensure_ascii=False, indent=2)
    view = view_for("en", settings.timezone)
    blocks = [source_block(shown, others, view, now), *words_blocks(made, view)]
    return "\n\n".join(one.plain for one in pack(blocks, dialect_for(Platform.CONSOLE)))


def translations(store: Store, flagged: bool, as_json: bool) -> str:
    """The Chinese words in the archive, or with `flagged` every place in them that the checks doubt."""
    words = store.archive.worded("zh", flagged=flagged)
    if as_json:
        objects = (
            [flag for one in words for flag in flag_objects(*one)] if flagged else map(word_object, words)
        )
        return json.dumps(list(objects), ensure_ascii=False, indent=2)
    return flag_table(words) if flagged else word_table(words)
