"""The catalogue of topics: ready-made subjects, the shipped ones with the operator's own on top.

A file of topics is TOML with one `[[topic]]` a subject: `key`, `field`, `title_en`, `title_zh`, `description_en`,
`description_zh` and `query`. Chinese may be left out of an operator's file; English stands in for it then.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from scheduler import query
from scheduler.errors import QueryError, SettingsError, UnknownInput

SHIPPED = Path(__file__).resolve().parents[1] / "seeds" / "topics.toml"
SETTING = "PAPERBOY_TOPICS"
FIELDS = ("cs", "stat", "math", "physics", "q-bio", "q-fin", "econ", "eess")
"""arXiv's groups of archives (arXiv "Category Taxonomy"), in the order in which they are shown."""

_PARTS = re.compile(r"[^\W_]+")
_KEY = re.compile(r"(?=.{1,30}\Z)[a-z0-9]+(-[a-z0-9]+)*")
_NEEDED = ("key", "field", "title_en", "description_en", "query")
_OPTIONAL = ("title_zh", "description_zh")


@dataclass(frozen=True, slots=True)
class Topic:
    """A ready-made subscription. `title` and `description` by language ("en", "zh"); `field` is one of `FIELDS`."""

    key: str
    field: str
    title: Mapping[str, str]
    description: Mapping[str, str]
    query: str


def catalogue(own: Path | None = None, shipped: Path = SHIPPED) -> tuple[Topic, ...]:
    """Every topic in its order; a topic of the file `own` replaces the shipped one of the same key.

    Raises UnknownInput for the shipped file, and SettingsError for `own`, naming the file, the topic and its line.
    """
    try:
        topics = {topic.key: topic for topic in _read(shipped)}
    except _FaultError as fault:
        raise UnknownInput(f"{shipped} is no catalogue of topics: {fault}") from None
    except OSError as error:
        raise UnknownInput(
            f"{shipped} cannot be read: {error.strerror}; the folder seeds/ is a part of Paperboy, "
            "take it from the release"
        ) from error
    return tuple((topics | _own(own)).values())


def named(topics: Sequence[Topic], name: str) -> Topic | None:
    """The topic of that key, or of that title in any language, whatever its case; None where there is none."""
    wanted = " ".join(name.split()).casefold()
    return next(
        (
            topic
            for topic in topics
            if wanted in (topic.key, *(title.casefold() for title in topic.title.values()))
        ),
        None,
    )


def nearest(topics: Sequence[Topic], name: str) -> tuple[Topic, ...]:
    """At most three topics whose key or title is spelt most like it, or has it or a word like it, the nearest first."""
    wanted = " ".join(name.split()).casefold()
    spelt = {word.casefold(): topic for topic in topics for word in (topic.key, *topic.title.values())}
    near = [spelt[word] for word in get_close_matches(wanted, spelt, n=6, cutoff=0.6)]
    near += [topic for word, topic in spelt.items() if len(wanted) > 1 and wanted in word]
    words = {part: topic for word, topic in reversed(spelt.items()) for part in _PARTS.findall(word)}
    near += [words[part] for part in get_close_matches(wanted, words, n=3, cutoff=0.75)]
    return tuple({topic.key: topic for topic in near}.values())[:3]


def _own(path: Path | None) -> dict[str, Topic]:
    if path is None:
        return {}
    try:
        return {topic.key: topic for topic in _read(path)}
    except _FaultError as fault:
        raise SettingsError(f"{SETTING}: {path}: {fault}") from None
    except OSError as error:
        raise SettingsError(f"{SETTING}: {path} cannot be read: {error.strerror}") from None


class _FaultError(ValueError):
    """What is wrong with a file of topics, and where in it."""


def _read(path: Path) -> tuple[Topic, ...]:
    try:
        text = path.read_text(encoding="utf-8")
        parsed = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise _FaultError(f"it is not UTF-8 text (byte {error.start})") from None
    except tomllib.TOMLDecodeError as error:
        raise _FaultError(f"it is not TOML: {error}") from None
    entries = parsed.get("topic")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise _FaultError("it has no [[topic]]")
    if other := sorted(parsed.keys() - {"topic"}):
        raise _FaultError(f"{other[0]!r} is no part of a catalogue, only [[topic]] is")
    lines = [number for number, line in enumerate(text.splitlines(), 1) if _is_opening(line)]
    topics: dict[str, Topic] = {}
    for place, entry in enumerate(entries):
        topic = _checked(entry, _where(entry, place, lines, len(entries)))
        if topic.key in topics:
            raise _FaultError(
                f"{_where(entry, place, lines, len(entries))}: there is another topic of this key"
            )
        topics[topic.key] = topic
    return tuple(topics.values())


def _is_opening(line: str) -> bool:
    return line.split("#")[0].replace(" ", "").rstrip() == "[[topic]]"


def _where(entry: Mapping[str, Any], place: int, lines: Sequence[int], count: int) -> str:
    line = f" (line {lines[place]})" if len(lines) == count else ""
    return f"topic {entry.get('key', place + 1)!r}{line}"


def _checked(entry: Mapping[str, Any], where: str) -> Topic:
    for name in _NEEDED:
        if not entry.get(name):
            raise _FaultError(f"{where}: {name} is missing")
    for name, value in entry.items():
        if name not in (*_NEEDED, *_OPTIONAL):
            known = ", ".join((*_NEEDED, *_OPTIONAL))
            raise _FaultError(f"{where}: {name} is not known; a topic has {known}")
        if not isinstance(value, str):
            raise _FaultError(f"{where}: {name} is no text in quotes")
    if not _KEY.match(entry["key"]):
        raise _FaultError(
            f"{where}: a key is at most 30 small letters, digits and hyphens, such as tidal-power"
        )
    if entry["field"] not in FIELDS:
        raise _FaultError(f"{where}: field {entry['field']!r} is none of {', '.join(FIELDS)}")
    return Topic(
        key=entry["key"],
        field=entry["field"],
        title=_by_language(entry, "title"),
        description=_by_language(entry, "description"),
        query=_query(entry["query"], where),
    )


def _by_language(entry: Mapping[str, str], name: str) -> dict[str, str]:
    english = " ".join(entry[f"{name}_en"].split())
    return {"en": english, "zh": " ".join(entry.get(f"{name}_zh", "").split()) or english}


def _query(text: str, where: str) -> str:
    try:
        query.parse(text)
    except QueryError as error:
        problem = error.problem.replace("_", " ") + (f" {error.detail!r}" if error.detail else "")
        raise _FaultError(
            f"{where}: query: {problem} at letter {error.position + 1} of {text!r}; "
            f"this would be read: {error.suggestion}"
        ) from None
    return text
