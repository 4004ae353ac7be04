"""Telegram's own parser of messages (TDLib, the pinned package `tdjson`), without network or account."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import tdjson

LINKS = frozenset({"Url", "EmailAddress", "Mention", "Hashtag", "Cashtag", "BotCommand"})
"""Kinds that Telegram makes of bare text without being asked."""


@dataclass(frozen=True, slots=True)
class Entity:
    """`kind` as TDLib names it less its prefix ("Bold", "TextUrl", "ExpandableBlockQuote"); UTF-16 units.

    `user` is whom a "MentionName" mentions.
    """

    kind: str
    offset: int
    length: int
    url: str = ""
    user: int = 0

    def covers(self, other: Entity) -> bool:
        """True when `other` lies within."""
        return self.offset <= other.offset and other.offset + other.length <= self.offset + self.length


class MarkupError(Exception):
    """Telegram would answer 400 to this text."""


def parse_html(text: str) -> tuple[str, list[Entity]]:
    """The shown text and its entities, as `parse_mode="HTML"` gives them. Raises MarkupError."""
    mode = {"@type": "textParseModeHTML"}
    answer = _execute({"@type": "parseTextEntities", "text": text, "parse_mode": mode})
    return answer["text"], _entities(answer)


def detected(text: str) -> list[Entity]:
    """What Telegram makes of a text without markup by itself: addresses, names, hash tags, commands."""
    return _entities(_execute({"@type": "getTextEntities", "text": text}))


def live_links(html: str) -> list[str]:
    """The pieces of a message that Telegram would turn into links though we made none of them."""
    text, entities = parse_html(html)
    guarded = [entity for entity in entities if entity.kind in ("Code", "Pre", "TextUrl")]
    units = text.encode("utf-16-le")
    return [
        units[2 * entity.offset : 2 * (entity.offset + entity.length)].decode("utf-16-le")
        for entity in detected(text)
        if entity.kind in LINKS and not any(_overlap(entity, guard) for guard in guarded)
    ]


def _overlap(one: Entity, other: Entity) -> bool:
    return one.offset < other.offset + other.length and other.offset < one.offset + one.length


def _entities(answer: dict[str, Any]) -> list[Entity]:
    return [
        Entity(
            entity["type"]["@type"].removeprefix("textEntityType"),
            entity["offset"],
            entity["length"],
            entity["type"].get("url", ""),
            entity["type"].get("user_id", 0),
        )
        for entity in answer["entities"]
    ]


def _execute(query: dict[str, Any]) -> dict[str, Any]:
    raw = tdjson.td_execute(json.dumps(query).encode())
    if raw is None:
        raise AssertionError(f"TDLib gave no answer to {query['@type']}")
    answer: dict[str, Any] = json.loads(raw)
    if answer["@type"] == "error":
        raise MarkupError(answer["message"])
    return answer


_execute({"@type": "setLogVerbosityLevel", "new_verbosity_level": 0})
