"""Numbers in words, English and Chinese: which values a text may be said to name. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

_UNITS = {
    word: value
    for value, words in enumerate(
        (
            "zero",
            "one single first once unit unique",
            "two second twice dual double doubled doubles doubling pair pairs both bimanual bidirectional two-fold",
            "three third thirds triple tripled triples thrice",
            "four fourth quadruple quarter quadrupled quadruped quadrupedal",
            "five fifth",
            "six sixth hexapod",
            "seven seventh",
            "eight eighth",
            "nine ninth",
            "ten tenth",
            "eleven",
            "twelve dozen",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        )
    )
    for word in words.split()
}
_TENS = {
    word: 10 * place
    for place, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_GREAT = {
    "hundred": 10**2,
    "hundreds": 10**2,
    "thousand": 10**3,
    "thousands": 10**3,
    "million": 10**6,
    "millions": 10**6,
    "billion": 10**9,
    "billions": 10**9,
}
_FRACTIONS: dict[str, tuple[Decimal, ...]] = {
    word: (Decimal("0.5"), Decimal(50), Decimal(2)) for word in "half halve halved halves halving".split()
}
_FRACTIONS |= {word: (Decimal("0.25"), Decimal(25)) for word in ("quarter", "quarters")}
_FRACTIONS |= {word: (Decimal(100), Decimal(2)) for word in ("double", "doubles", "doubled", "doubling")}
_WORD = re.compile(r"[a-z]+")
_HAN = re.compile(r"[零〇一二两三四五六七八九十百千万亿半双俩]+(?:点[零〇一二三四五六七八九]+)?")
_HAN_DIGITS = {
    sign: value
    for value, signs in enumerate(("零〇", "一", "二两双俩", "三", "四", "五", "六", "七", "八", "九"))
    for sign in signs
}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1000}
_HAN_GREAT = {"万": 10**4, "亿": 10**8}


def english_numbers(text: str) -> set[Decimal]:
    """The values of a text's English number words: each word's own, and those of runs ("two hundred", "forty-two")."""
    found: set[Decimal] = set()
    run, end = 0, -2
    for match in _WORD.finditer(text.lower()):
        word = match.group()
        found.update(_FRACTIONS.get(word, ()))
        value = _UNITS.get(word, _TENS.get(word, _GREAT.get(word)))
        if value is None:
            run = 0
            continue
        found.add(Decimal(value))
        if run and match.start() - end <= 1:
            run = run * value if word in _GREAT else run + value
            found.add(Decimal(run))
        else:
            run = value
        end = match.end()
    return found


def han_numbers(text: str) -> set[Decimal]:
    """The values of a text's Chinese numerals, with tenths as per cents (八成) and halves as 50, 0.5 and 2."""
    found: set[Decimal] = set()
    for match in _HAN.finditer(text):
        found.update(_han_values(match.group()))
        if text[match.end() : match.end() + 1] == "成" and len(match.group()) == 1:
            found.update(value * 10 for value in _han_values(match.group()))
    return found


def _han_values(written: str) -> Iterator[Decimal]:
    if "半" in written:
        yield from (Decimal("0.5"), Decimal(50), Decimal(2))
    whole, _, rest = written.replace("半", "").partition("点")
    value = _han_whole(whole)
    if rest:
        yield Decimal(f"{value}.{''.join(str(_HAN_DIGITS[sign]) for sign in rest)}")
    elif whole:
        yield Decimal(value)
        yield from (Decimal(_HAN_DIGITS[sign]) for sign in whole if sign in _HAN_DIGITS)


def _han_whole(written: str) -> int:
    total = section = digit = 0
    for sign in written:
        if sign in _HAN_DIGITS:
            digit = _HAN_DIGITS[sign]
        elif sign in _HAN_SCALES:
            section += (digit or 1) * _HAN_SCALES[sign]
            digit = 0
        else:
            total = (total + section + digit or 1) * _HAN_GREAT[sign]
            section = digit = 0
    return total + section + digit
