"""Bars and lines as PNG pictures, readable 360 pixels wide: the finding as title, axes labelled, no colour alone.

Colours are Okabe and Ito's ("Color Universal Design", 2008), which people with any colour vision tell apart; lines
differ in their markers too and carry their names at their ends.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from itertools import pairwise
from math import ceil, floor, log10
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from bot.render import fonts

WIDTH, HEIGHT = 720, 432
"""Pixels: twice what a small phone gives a picture in a chat."""

_FINE = 2
"""Everything is drawn so many times as large and made smaller, which smooths slanted lines."""

_BLACK, _GREY, _PALE, _WHITE = "#1a1a1a", "#5c5c5c", "#dddddd", "#ffffff"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")
_TITLE, _SMALL = 34, 26
_LEAST = 1e-9
"""Rates below that are drawn as none: no axis could be named for them."""

_MARGIN = 20
_TOP, _BOTTOM = 128, 44
_LEFT = 70
_NAMES = 0.34
"""The share of the width that the names of lines may take."""

_TICKS = 4
_WIDEST = 72
"""Of a bar, in pixels."""

_SHORTEST_SUBJECT = 6

_MARKER = 8


@dataclass(frozen=True, slots=True)
class Named:
    """One line of a chart: a value for each place of the axis, None where nothing is known."""

    name: str
    values: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Axes:
    """What stands around a chart: the finding, what is counted, and what some places of the axis are called.

    `trend` (1 rising, -1 falling, 0 neither) is drawn as an arrow beside a title that has no words for it. `subject` is
    the part of the title that is shortened first, where there is no room for all.
    """

    title: str
    unit: str
    places: Sequence[tuple[int, str]]
    trend: int | None = None
    subject: str = ""


class Pen:
    """Writes and draws into one picture. `font` is a file, None for Pillow's own, which knows ASCII only."""

    def __init__(self, font: Path | None) -> None:
        self._font = font
        self._image = Image.new("RGB", (WIDTH * _FINE, HEIGHT * _FINE), _WHITE)
        self._draw = ImageDraw.Draw(self._image)

    def width(self, text: str, size: int) -> float:
        """How wide a text stands."""
        return _font(self._font, size).getlength(text) / _FINE

    def text(
        self,
        place: tuple[float, float],
        text: str,
        size: int = _SMALL,
        colour: str = _GREY,
        anchor: str = "la",
    ) -> None:
        """Writes one line; `anchor` as Pillow has it ("la": the place is its upper left corner)."""
        where = (place[0] * _FINE, place[1] * _FINE)
        heavy = size == _TITLE
        self._draw.text(
            where,
            text,
            colour,
            _font(self._font, size),
            anchor,
            stroke_width=1 if heavy else 0,
            stroke_fill=colour,
        )

    def line(self, places: Sequence[tuple[float, float]], colour: str, width: float) -> None:
        """A line through the places."""
        fine = [(x * _FINE, y * _FINE) for x, y in places]
        self._draw.line(fine, colour, round(width * _FINE), joint="curve")

    def shape(self, corners: Sequence[tuple[float, float]], colour: str) -> None:
        """A filled polygon."""
        self._draw.polygon([(x * _FINE, y * _FINE) for x, y in corners], colour)

    def disc(self, place: tuple[float, float], radius: float, colour: str) -> None:
        """A filled circle."""
        x, y = place
        self._draw.ellipse(
            [(each * _FINE) for each in (x - radius, y - radius, x + radius, y + radius)], colour
        )

    def png(self) -> bytes:
        """The picture as a file."""
        small = self._image.reduce(_FINE).quantize(96, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        written = BytesIO()
        small.save(written, "PNG")
        return written.getvalue()


@lru_cache(maxsize=16)
def _font(path: Path | None, size: int) -> ImageFont.FreeTypeFont:
    if path is not None:
        return ImageFont.truetype(str(path), size * _FINE, index=fonts.face(path) or 0)
    own = ImageFont.load_default(size * _FINE)
    assert isinstance(own, ImageFont.FreeTypeFont)
    return own


@lru_cache(maxsize=4096)
def _has(font: Path | None, letter: str) -> bool:
    if font is None:
        return " " <= letter <= "~"
    face = _font(font, _SMALL)
    missing = face.getmask("\U0010fffe")
    return letter.isspace() or bytes(face.getmask(letter)) != bytes(missing)


def writable(text: str, font: Path | None) -> str:
    """The text as the font can write it, without accents where it has none; "" where letters are missing."""
    letters = []
    for letter in unicodedata.normalize("NFC", text):
        kept = letter if _has(font, letter) else _bare(letter)
        if not all(_has(font, each) for each in kept):
            return ""
        letters.append(kept)
    return "".join(letters)


def _bare(letter: str) -> str:
    known = {
        "–": "-",
        "—": "-",
        "“": '"',
        "”": '"',
        "’": "'",
        "…": "...",
        "ø": "o",
        "ł": "l",
        "≈": "~",
        "·": "-",
    }
    plain = unicodedata.normalize("NFKD", known.get(letter, letter))
    return "".join(each for each in plain if not unicodedata.combining(each)) or letter


def bars(axes: Axes, values: Sequence[int], font: Path | None = None) -> bytes:
    """A bar for each place, a thin line at their mean, and the highest and the last with their numbers."""
    pen, mean = Pen(font), sum(values) / max(len(values), 1)
    frame = _Frame(pen, axes, max([*values, 1]), len(values), WIDTH - _MARGIN)
    width = min(max(frame.step * 0.72, 2), _WIDEST)
    for place, value in enumerate(values):
        x, y = frame.at(place, value)
        x -= width / 2
        pen.shape([(x, frame.zero), (x, y), (x + width, y), (x + width, frame.zero)], COLOURS[0])
    height = frame.at(0, mean)[1]
    pen.line([(frame.left, height), (frame.right, height)], COLOURS[1], 2)
    for place in _told(values):
        x, y = frame.at(place, values[place])
        pen.text((min(x, frame.right - 12), y - 4), str(values[place]), colour=_BLACK, anchor="ms")
    return pen.png()


def _told(values: Sequence[int]) -> list[int]:
    """The places whose numbers are written: the highest, and the last where it is not beside that."""
    if not values:
        return []
    highest = max(range(len(values)), key=lambda place: values[place])
    last = len(values) - 1
    return [highest, last] if last - highest > 2 else [highest]


def lines(axes: Axes, series: Sequence[Named], font: Path | None = None) -> bytes:
    """A line with its own marker for each of at most five series, named at its right end."""
    pen = Pen(font)
    names = [_clipped(pen, each.name, WIDTH * _NAMES) for each in series]
    room = max((pen.width(name, _SMALL) for name in names), default=0) + 3 * _MARKER
    highest = max((value for each in series for value in each.values if value is not None), default=0)
    count = max((len(each.values) for each in series), default=0)
    frame = _Frame(pen, axes, highest if highest > _LEAST else 1, count, WIDTH - _MARGIN - room - _MARKER)
    ends: list[tuple[float, int]] = []
    for number, each in enumerate(series):
        known = [frame.at(place, value) for place, value in enumerate(each.values) if value is not None]
        for before, after in pairwise(known):
            pen.line([before, after], COLOURS[number], 3)
        for place in known[:: max(1, len(known) // 8)]:
            _MARKERS[number](pen, place, COLOURS[number])
        ends.append((known[-1][1] if known else frame.zero, number))
    for height, number in _apart(ends, _SMALL + 4, _TOP, frame.zero):
        _MARKERS[number](pen, (frame.right + 2 * _MARKER, height), COLOURS[number])
        pen.text((frame.right + 4 * _MARKER, height), names[number], colour=_BLACK, anchor="lm")
    return pen.png()


def _apart(ends: list[tuple[float, int]], gap: float, top: float, bottom: float) -> list[tuple[float, int]]:
    """The heights of names in order, moved so far that none covers another."""
    placed: list[tuple[float, int]] = []
    for height, number in sorted(ends):
        placed.append((max(height, placed[-1][0] + gap if placed else top), number))
    low = bottom
    for place in range(len(placed) - 1, -1, -1):
        placed[place] = (min(placed[place][0], low), placed[place][1])
        low = placed[place][0] - gap
    return placed


def _clipped(pen: Pen, text: str, width: float) -> str:
    if pen.width(text, _SMALL) <= width:
        return text
    while text and pen.width(f"{text}...", _SMALL) > width:
        text = text[:-1]
    return f"{text.rstrip()}..."


class _Frame:
    """The axes of a chart: drawn at once; `at` says where a value stands."""

    def __init__(self, pen: Pen, axes: Axes, highest: float, count: int, right: float) -> None:
        self.left, self.right = float(_LEFT), right
        self.zero = float(HEIGHT - _BOTTOM)
        self.step = (self.right - self.left) / max(count, 1)
        tick = _tick(highest)
        self._highest = tick * ceil(round(highest / tick, 6))
        self._write_title(pen, axes)
        self._draw_heights(pen, tick)
        self._write_places(pen, axes.places)

    def at(self, place: int, value: float) -> tuple[float, float]:
        """Where the value of a place stands."""
        height = (self.zero - _TOP - _SMALL) * value / self._highest
        return self.left + self.step * (place + 0.5), self.zero - height

    def _write_title(self, pen: Pen, axes: Axes) -> None:
        title = _shortened(pen, axes.title, axes.subject)
        pen.text((_MARGIN, 14), title, _TITLE, _BLACK)
        if axes.trend is not None:
            _arrow(pen, _MARGIN + pen.width(title, _TITLE) + 30, 34, axes.trend)
        pen.text((_MARGIN, 66), axes.unit, colour=_GREY)

    def _draw_heights(self, pen: Pen, tick: float) -> None:
        for number in range(round(self._highest / tick) + 1):
            value = number * tick
            _, height = self.at(0, value)
            pen.line([(self.left, height), (self.right, height)], _PALE if number else _GREY, 1.5)
            pen.text((self.left - 8, height), f"{value:g}", anchor="rm")

    def _write_places(self, pen: Pen, places: Sequence[tuple[int, str]]) -> None:
        until = 0.0
        for place, name in places:
            x, width = self.at(place, 0)[0], pen.width(name, _SMALL)
            start = min(max(x - width / 2, 2), WIDTH - 2 - width)
            if start >= until:
                pen.line([(x, self.zero), (x, self.zero + 6)], _GREY, 1.5)
                pen.text((start, self.zero + 9), name)
                until = start + width + 14


def _shortened(pen: Pen, title: str, subject: str) -> str:
    """The title within the width: its subject is cut first, then what does not fit at its end."""
    room = WIDTH - 2 * _MARGIN
    before, found, after = title.partition(subject) if subject else (title, "", "")
    while pen.width(title, _TITLE) > room and len(found) > _SHORTEST_SUBJECT:
        found = found[:-1]
        title = f"{before}{found.rstrip()}...{after}"
    if pen.width(title, _TITLE) <= room:
        return title
    while title and pen.width(f"{title}...", _TITLE) > room:
        title = title[:-1]
    return f"{title.rstrip(' ,:')}..."


def _tick(highest: float) -> float:
    """A round distance of about a quarter of the height: 1, 2 or 5 times a power of ten."""
    rough = highest / _TICKS
    power = 10.0 ** floor(log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)


def _arrow(pen: Pen, x: float, y: float, trend: int) -> None:
    """An arrow to the right that points up, down, or neither."""
    rise = 12 * trend
    turned = [
        (tip - side * 0.5 * trend, side + tip * 0.5 * trend) for tip, side in ((10, 0), (-8, -9), (-8, 9))
    ]
    pen.line([(x - 18, y + rise), (x + 10, y - rise)], _BLACK, 4)
    pen.shape([(x + 14 + along, y - rise - across * 1.0) for along, across in turned], _BLACK)


def _disc(pen: Pen, place: tuple[float, float], colour: str) -> None:
    pen.disc(place, _MARKER, colour)


def _polygon(*corners: tuple[float, float]) -> Callable[[Pen, tuple[float, float], str], None]:
    def draw(pen: Pen, place: tuple[float, float], colour: str) -> None:
        pen.shape([(place[0] + _MARKER * x, place[1] + _MARKER * y) for x, y in corners], colour)

    return draw


_MARKERS: tuple[Callable[[Pen, tuple[float, float], str], None], ...] = (
    _disc,
    _polygon((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    _polygon((0, -1.2), (1.15, 0.9), (-1.15, 0.9)),
    _polygon((0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)),
    _polygon((0, 1.2), (1.15, -0.9), (-1.15, -0.9)),
)
