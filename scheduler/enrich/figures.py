"""The figures of a text, English or Chinese, and which of them another text leaves out, adds or changes. Pure.

A figure is a number with what makes it one of its kind: a scale ("3.6k", "360万"), a per cent sign, "times", a
currency, a unit. Digits inside names ("GPT-6", "Qwen3.8-27B") belong to the name and are no figures.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from scheduler.enrich.number_words import english_numbers, han_numbers

_SCALES = {
    "k": 10**3,
    "M": 10**6,
    "B": 10**9,
    "T": 10**12,
    "bn": 10**9,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "百": 10**2,
    "千": 10**3,
    "万": 10**4,
    "十万": 10**5,
    "百万": 10**6,
    "千万": 10**7,
    "亿": 10**8,
    "十亿": 10**9,
    "百亿": 10**10,
    "千亿": 10**11,
    "万亿": 10**12,
}
_UNITS = {
    spelling: unit
    for unit, spellings in {
        "%": "% ％ percent percents 个百分点 百分点 pp /%",
        "×": "× x X times fold 倍",
        "$": "$ US$ dollar dollars USD 美元 美金",
        "€": "€ euro euros EUR 欧元",
        "¥": "¥ ￥ RMB CNY yuan 人民币",
        "£": "£ GBP 英镑",
        "ms": "ms millisecond milliseconds 毫秒",
        "μs": "μs us microsecond microseconds 微秒",
        "s": "s sec second seconds 秒 秒钟",
        "min": "min minute minutes 分钟",
        "h": "h hr hrs hour hours 小时",
        "d": "day days 天 日",
        "mm": "mm millimeter millimeters 毫米",
        "cm": "cm centimeter centimeters 厘米",
        "m": "m meter meters metre metres 米",
        "km": "km kilometer kilometers kilometre kilometres 公里 千米",
        "g": "g gram grams 克",
        "kg": "kg kilogram kilograms 公斤 千克",
        "Hz": "Hz hertz 赫兹",
        "kHz": "kHz 千赫",
        "MHz": "MHz 兆赫",
        "MB": "MB",
        "GB": "GB",
        "TB": "TB",
        "°": "° degree degrees 度",
    }.items()
    for spelling in spellings.split()
}
CURRENCIES = frozenset("$€¥£")
_POINTS = frozenset({"point", "points"})
"""A gain in "points" is one of percentage points or not: the text does not say."""
_GLUED = re.compile(r"(?:st|nd|rd|th|D|d|K|px|dB|bits?|fps|FPS|W|kW|V|shot|way|step|hop|bit|pt|pts)\Z")
_SPELT_SCALES = "|".join(
    sorted((scale for scale in _SCALES if len(scale) > 2 or not scale.isascii()), key=len, reverse=True)
)
_WORD_UNITS = sorted(
    (unit for unit in (*_UNITS, *_POINTS) if unit.isascii() and unit.isalpha()), key=len, reverse=True
)
_OTHER_UNITS = sorted(
    (unit for unit in _UNITS if not unit.isascii() or not unit.isalpha()), key=len, reverse=True
)
_FIGURE = re.compile(
    r"(?P<before>百分之 ?|(?:US|HK)?\$ ?|[€£¥￥] ?)?"
    r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])|\d+(?:\.\d+)?|(?<![^\s(=<>~])\.\d+)"
    r"(?P<power>[⁺⁻]?[⁰¹²³⁴-⁹]+)?"
    r"(?P<glued>[A-Za-zμ]{1,12}(?![A-Za-zμ\d]))?"
    rf"(?:[ -]?(?P<scale>(?:{_SPELT_SCALES})))?"
    rf"(?:[ -]?(?P<share>percentage[ -])?(?P<unit>(?:{'|'.join(_WORD_UNITS)})(?![A-Za-z])"
    rf"|{'|'.join(map(re.escape, _OTHER_UNITS))}))?"
)
_BETWEEN = re.compile(r"\s*(?:[-–—~～至到/→、,，]|to|and|or|和|与|或|vs\.?|versus)+\s*(?:from|从)?\s*")
_RUN = re.compile(r"\d+(?:\.\d+)?")
_LETTERS_BEFORE = 24
_MOST = 40
"""As many differences of two texts are told; a text with more is beyond saving."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as written; `value` has its scale in it, `power` is the superscript behind it ("⁻⁴").

    `unit` is "%", "×", a currency's sign or an SI-like sign, "" for none that is known here; `units` is what it may
    be, more than one in a row like "87–94%" and in a gain of so many "points".
    """

    text: str
    bare: Decimal
    value: Decimal
    power: str
    unit: str
    units: frozenset[str]
    place: int

    @property
    def key(self) -> tuple[Decimal, str]:
        """Equal for figures of the same number, whatever their units."""
        return self.value, self.power


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure that stands otherwise in the other text. `kind` is "number", "percent", "money" or "unit".

    One of both is "" for a figure that is left out or added.
    """

    kind: str
    source: str
    target: str


def figures(text: str) -> list[Figure]:
    """The figures of a text, in order."""
    found: list[Figure] = []
    goes_on: list[bool] = []
    end = 0
    for match in _FIGURE.finditer(text):
        figure = _figure(text, match)
        if figure is not None:
            goes_on.append(_BETWEEN.fullmatch(text[end : match.start()][:20]) is not None)
            found.append(figure)
            end = match.end()
    return _with_open_units(found, goes_on)


def _with_open_units(found: list[Figure], goes_on: list[bool]) -> list[Figure]:
    """The figures with the unit of the one that ends their row as a possible one of theirs ("87–94%", "3 or 5 ms")."""
    units: frozenset[str] = frozenset()
    for place in range(len(found) - 2, -1, -1):
        units = units | found[place + 1].units if goes_on[place + 1] else frozenset()
        if units and not found[place].unit:
            found[place] = replace(found[place], units=found[place].units | units)
    return found


def _figure(text: str, match: re.Match[str]) -> Figure | None:
    glued, before = match["glued"] or "", (match["before"] or "").strip()
    if not before and _is_in_a_name(text, match.start("number")):
        return None
    scale, unit = _SCALES.get(glued if glued != "K" else "k", 1), match["unit"] or ""
    if glued and scale == 1 and glued not in _UNITS and not _GLUED.match(glued):
        return None
    if match["scale"]:
        scale *= _SCALES[match["scale"]]
    if before == "百分之" or match["share"]:
        unit = "%"
    bare = Decimal(match["number"].replace(",", ""))
    spelt = before if before and before != "百分之" else unit or glued
    known = _UNITS.get(spelt, "")
    units = frozenset({"", "%"}) if spelt in _POINTS else frozenset({known})
    written = match.group().strip(" -")
    return Figure(written, bare, bare * scale, match["power"] or "", known, units, match.start())


def _is_in_a_name(text: str, start: int) -> bool:
    """True for digits that a letter, or a capitalised word with a hyphen, stands before ("H20", "GPT-6")."""
    if start == 0:
        return False
    before = text[max(0, start - _LETTERS_BEFORE) : start]
    if before[-1].isascii() and (before[-1].isalpha() or before[-1] == "_"):
        return True
    if before[-1] not in "-‐.@" or len(before) < 2:
        return False
    word = re.search(r"[A-Za-z0-9.]+\Z", before[:-1])
    return word is not None and re.search(r"[A-Z]", word.group()) is not None


def differences(source: str, target: str) -> tuple[Difference, ...]:
    """Where the figures of two texts that should say the same do not agree, in the source's order.

    A number that one of both writes in words, English or Chinese, agrees with its digits in the other.
    """
    pairs, missing, added = _paired(figures(source), figures(target))
    missing = _not_said(missing, target)
    added = _not_said(added, source)
    found = [(one.place, difference) for one, other in pairs if (difference := _otherwise(one, other))]
    rest = list(added)[:_MOST]
    for one in missing[:_MOST]:
        other = _nearest(one, rest)
        if other is not None:
            rest.remove(other)
        found.append((one.place, Difference(_kind(one), one.text, other.text if other else "")))
    found += [(len(source) + one.place, Difference(_kind(one), "", one.text)) for one in rest]
    return tuple(difference for _, difference in sorted(found, key=lambda each: each[0])[:_MOST])


def additions(source: str, target: str) -> tuple[Difference, ...]:
    """The figures of `target` that `source` does not hold, or holds with another unit."""
    known: dict[tuple[Decimal, str], list[Figure]] = {}
    for one in figures(source):
        known.setdefault(one.key, []).append(one)
    strange = [
        one
        for one in figures(target)
        if all(_otherwise(other, one) is not None for other in known.get(one.key, ())[:_MOST])
    ]
    return tuple(Difference(_kind(one), "", one.text) for one in _not_said(strange, source)[:_MOST])


Pairs = list[tuple[Figure, Figure]]


def _paired(source: list[Figure], target: list[Figure]) -> tuple[Pairs, list[Figure], list[Figure]]:
    """Equal figures of both sides, best fitting units first, and what is left on either side.

    A figure that one side repeats more often than the other is no difference.
    """
    free: dict[tuple[Decimal, str], list[Figure]] = {}
    for other in target:
        free.setdefault(other.key, []).append(other)
    heard = set(free)
    pairs: Pairs = []
    for one in source:
        same = free.get(one.key)
        if same:
            best = next((other for other in same[:_MOST] if _otherwise(one, other) is None), same[0])
            same.remove(best)
            pairs.append((one, best))
    said = {one.key for one in source}
    missing = [one for one in source if one.key not in heard]
    return pairs, missing, [one for one in target if one.key not in said]


def _not_said(found: Sequence[Figure], other: str) -> list[Figure]:
    """Those figures that the other text does not have in words or inside a name either."""
    if not found:
        return []
    spelt = english_numbers(other) | han_numbers(other)
    runs = set(_RUN.findall(other)) - {run for one in figures(other) for run in _RUN.findall(one.text)}
    return [one for one in found if one.power or not (one.value in spelt or str(one.bare) in runs)]


def _otherwise(one: Figure, other: Figure) -> Difference | None:
    if one.units & other.units:
        return None
    kind = _unit_kind(one.unit, other.unit)
    return Difference(kind, one.text, other.text) if kind else None


def _unit_kind(unit: str, other: str) -> str:
    """The kind of a change of unit, "" where it is none: a unit that is only spelt on one side counts for these."""
    both = {unit, other}
    if both & CURRENCIES:
        return "money"
    if "%" in both:
        return "percent"
    return "unit" if "" not in both else ""


def _nearest(one: Figure, others: Sequence[Figure]) -> Figure | None:
    """Of the added figures the one that most likely is the changed `one`: with as many digits in common as any."""

    def likeness(other: Figure) -> tuple[int, int]:
        digits = [set(enumerate(re.sub(r"\D", "", each.text))) for each in (one, other)]
        return (len(digits[0] & digits[1]), -abs(len(digits[0]) - len(digits[1])))

    return max(others[:_MOST], key=likeness, default=None)


def _kind(one: Figure) -> str:
    if one.unit in CURRENCIES:
        return "money"
    return "percent" if one.unit == "%" else "number"
