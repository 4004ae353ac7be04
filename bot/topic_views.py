"""`paperboy topic`: the catalogue, or one topic's stream of summaries, written to read or for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime

from bot.render.json import paper_object
from bot.render.stream import Stream, stream_html, stream_markdown, stream_text, topic_stream
from bot.render.view import View
from scheduler import query, stream
from scheduler.errors import SettingsError
from scheduler.store import Store
from scheduler.stream import StreamPage
from scheduler.topics import Topic, named, nearest

FORMS = ("html", "json", "markdown", "text")

_WRITERS: dict[str, Callable[[Stream, View], str]] = {
    "html": stream_html,
    "markdown": lambda shown, view: stream_markdown(shown, view.t),
    "text": lambda shown, view: stream_text(shown, view.t),
}


def topic_named(topics: Sequence[Topic], name: str) -> Topic:
    """The topic of that key or title. Raises SettingsError, which names the nearest ones."""
    found = named(topics, name)
    if found is None:
        near = ", ".join(one.key for one in nearest(topics, name))
        hint = f"the nearest: {near}" if near else "paperboy topic lists them all"
        raise SettingsError(f"there is no topic {name!r}; {hint}")
    return found


def catalogue(topics: Sequence[Topic], form: str, lang: str) -> str:
    """Every topic: a line each to read, or a JSON list."""
    if form == "json":
        return json.dumps([_object(topic) for topic in topics], ensure_ascii=False, indent=2)
    spoken = "zh" if lang == "zh" else "en"
    return "\n".join(f"{one.field}  {one.key}  {one.title[spoken]}" for one in topics)


def write(store: Store, topic: Topic, form: str, limit: int, view: View, now: datetime) -> str:
    """The newest `limit` papers of a topic in one of `FORMS`."""
    page = stream.read(store, query.parse(topic.query), today=now.date(), limit=limit)
    if form == "json":
        return json.dumps(_stream_object(topic, page, view.content), ensure_ascii=False, indent=2)
    shown = topic_stream(topic, page.papers, page.total, view, exact=page.exact)
    return _WRITERS[form](shown, view)


def _stream_object(topic: Topic, page: StreamPage, lang: str) -> dict[str, object]:
    papers = [
        {
            "date": one.date.isoformat(),
            **paper_object(one.paper, one.wordings, lang, announce_type=one.announce_type, match=one.match),
        }
        for one in page.papers
    ]
    return {"topic": _object(topic), "total": page.total, "papers": papers}


def _object(topic: Topic) -> dict[str, object]:
    return {
        "key": topic.key,
        "field": topic.field,
        "title": dict(topic.title),
        "description": dict(topic.description),
        "query": topic.query,
    }
