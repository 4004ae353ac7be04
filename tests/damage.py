"""Ways to damage a translation, as machines do: each gives the damaged text, or None where it has nothing to damage."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from scheduler.enrich.figures import figures
from scheduler.text import sentences

Damage = Callable[[str, str, random.Random], str | None]
_NAME = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z0-9-]*[A-Z][A-Za-z0-9-]*[A-Z])[A-Za-z][A-Za-z0-9-]{2,}(?![A-Za-z0-9])"
)


def _numbers(text: str) -> list[tuple[int, int]]:
    """Where the figures of a text stand that are more than one digit long."""
    places = []
    for figure in figures(text):
        match = re.compile(r"\d[\d,]*(?:\.\d+)?").search(text, figure.place)
        if match is not None and sum(letter.isdigit() for letter in match.group()) > 1:
            places.append(match.span())
    return places


def digit_changed(source: str, text: str, rng: random.Random) -> str | None:
    """One digit of a number is another one."""
    places = _numbers(text)
    if not places:
        return None
    start, end = rng.choice(places)
    place = rng.choice([at for at in range(start, end) if text[at].isdigit()])
    other = rng.choice([digit for digit in "123456789" if digit != text[place]])
    return text[:place] + other + text[place + 1 :]


def number_dropped(source: str, text: str, rng: random.Random) -> str | None:
    """A number is gone."""
    places = _numbers(text)
    if not places:
        return None
    start, end = rng.choice(places)
    return text[:start] + text[end:]


def decimal_moved(source: str, text: str, rng: random.Random) -> str | None:
    """The decimal point stands one digit further on: 3.62 is 36.2, 3.6 is 36."""
    places = [span for span in _numbers(text) if "." in text[slice(*span)] and "," not in text[slice(*span)]]
    if not places:
        return None
    start, end = rng.choice(places)
    whole, _, rest = text[start:end].partition(".")
    moved = f"{whole}{rest[0]}" + (f".{rest[1:]}" if rest[1:] else "")
    return text[:start] + moved + text[end:]


def percent_dropped(source: str, text: str, rng: random.Random) -> str | None:
    """The signs of a per cent are gone behind every figure that has one."""
    return text.replace("%", "") if "%" in text else None


def name_replaced(source: str, text: str, rng: random.Random) -> str | None:
    """A name is a Chinese word, everywhere."""
    names = [
        name for name in dict.fromkeys(_NAME.findall(text)) if name in source and name not in ("LLM", "LLMs")
    ]
    return text.replace(rng.choice(names), "该方法") if names else None


def truncated(source: str, text: str, rng: random.Random) -> str | None:
    """The last two fifths are gone."""
    return text[: int(len(text) * 0.6)]


def left_in_english(source: str, text: str, rng: random.Random) -> str | None:
    """The source comes back."""
    return source


def doubled(source: str, text: str, rng: random.Random) -> str | None:
    """One sentence is said twice."""
    parts = sentences(text)
    place = rng.randrange(len(parts))
    return "".join([*parts[: place + 1], *parts[place:]])


def sentence_dropped(source: str, text: str, rng: random.Random) -> str | None:
    """One sentence of at least three is gone."""
    parts = sentences(text)
    if len(parts) < 3:
        return None
    place = rng.randrange(len(parts))
    return "".join([*parts[:place], *parts[place + 1 :]])


DAMAGES: tuple[Damage, ...] = (
    digit_changed,
    number_dropped,
    decimal_moved,
    percent_dropped,
    name_replaced,
    truncated,
    left_in_english,
    doubled,
    sentence_dropped,
)
