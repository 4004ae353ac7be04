"""Names that a translation keeps: methods, models, data sets, acronyms, addresses; and which ones it lost. Pure.

A word is taken for a name by its letters (GRPO, iCaRL, Qwen3, MaD-RL) or for standing before its title's colon and in
the abstract. What the glossary has a rendering of ("RL" is 强化学习) may stand as that rendering.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from scheduler.enrich.glossary import Glossary

_WORD = re.compile(r"[A-Za-z0-9]+")
_LOOK = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][a-z]*[A-Z0-9][A-Za-z0-9]*")
"""A word with a capital behind its first letter (GRPO, iCaRL), or with digits (Qwen3); 700K and 3D are figures."""
_VERSIONED = re.compile(r"(?<![\w.-])[A-Za-z][A-Za-z0-9]{0,30}(?:[-.][A-Za-z0-9]{1,20}){0,6}")
_LOWER_ENDS = re.compile(r"\A(?:[a-z]+[-.])+|(?:[-.][a-z]+)+\Z")
_LATIN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{3,}(?![A-Za-z0-9])")
_NOT_A_LETTER = re.compile(r"[^a-z0-9\u3400-\u9fff\u0370-\u03ff]+")
_URL = re.compile(r"(?:https?://|www\.)[^\s\u3000-\u9fff，。；）]{1,500}", re.IGNORECASE)
_LEVEL = str.maketrans("₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789" * 2)
_SPELT_OUT = re.compile(r"([A-Z]{2,4})[a-z]{3,}\Z")
_CAPITAL_INSIDE = re.compile(r"[A-Za-z0-9][.@/+][A-Z]")
_GLUED = re.compile(r"[a-z]{4,}(?=[A-Z])")
_SHOUTED = re.compile(r"\b[A-Z]{4,}(?: [A-Z]{4,})+\b")
_FIELD_WORDS = frozenset("AI ML RL LLM VLM MLLM NLP GPU CPU API RLHF".split())
"""Short for what every reader of the field knows; using one names nothing."""
_NO_NAMES = frozenset("URL PDF II III IV VI VII VIII IX XI TL DR".split())
_LONGEST_TITLE_NAME = 40
_MOST_TITLE_WORDS = 4
_ACRONYM_BEHIND = 160
_LEAST_GONE = 2
_MOST_KEPT = 0.7
"""A name that the source says so much oftener than its translation became something else in between: a good translator
says "it" now and then, and seldom more than once."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name as the source has it, and its letters in lower case without blanks and hyphens."""

    text: str
    letters: str


def title_name(title: str, abstract: str) -> Name | None:
    """What stands before the title's colon, when it is the name of something: by its letters or by its use."""
    before, colon, _ = title.partition(":")
    before = before.strip()
    words = before.split()
    if not colon or not 1 < len(before) <= _LONGEST_TITLE_NAME or len(words) > _MOST_TITLE_WORDS:
        return None
    has_the_look = _LOOK.search(_levelled(before)) or _CAPITAL_INSIDE.search(before)
    if has_the_look and (len(words) == 1 or (len(words) == 2 and before in abstract)):
        return Name(before, _letters(before))
    if len(words) > 1 or not before[0].isupper():
        return None
    uses = re.finditer(rf"(?<=[A-Za-z,;(“\"] ){re.escape(before)}(?![\w-])", abstract, re.IGNORECASE)
    return Name(before, _letters(before)) if any(use.group()[0].isupper() for use in uses) else None


def lost(source: str, target: str, glossary: Glossary, known: Iterable[Name] = ()) -> list[str]:
    """The names of an English text that its Chinese translation does not hold, each once, in the text's order.

    `known` names are looked for too, where they stand in `source`.
    """
    there = _letters(target)
    words = {word.lower() for word in _WORD.findall(target)}
    found: dict[str, None] = {}
    for name in known:
        is_kept = name.letters in there or _is_rendered(name.text, target, glossary)
        if name.letters in _letters(source) and not is_kept:
            found[name.text] = None
    for version in _versions(source):
        if _letters(version) not in there and not _is_rendered(version, target, glossary):
            found[version] = None
    for word in _names(source):
        # A blank is often lost before a name: "namedSumGround" is SumGround.
        keys = {word.lower(), f"{word.lower()}s", _GLUED.sub("", word, count=1).lower()}
        if keys & words or (len(word) > 2 and word.lower() in there):
            continue
        if not _is_rendered(word, target, glossary):
            found[word] = None
    parts = {part for name in found for part in _WORD.findall(name) if part != name}
    return [name for name in found if name not in parts]


def thinned(source: str, target: str, glossary: Glossary) -> list[str]:
    """The names that a translation holds, but far less often than its source: elsewhere they became other words."""
    said, there = Counter(_names(source)), target.lower()
    return [
        name
        for name, times in said.items()
        if name not in _FIELD_WORDS
        and (kept := there.count(name.lower()))
        and times - kept >= _LEAST_GONE
        and kept <= _MOST_KEPT * times
        and not _is_rendered(name, target, glossary)
    ]


def added(source: str, target: str) -> list[str]:
    """The names of `target` that `source` has not: neither the word itself nor the words an acronym is made of."""
    return [name for name in _unknown(_names(_levelled(target)), source) if name not in _FIELD_WORDS]


def foreign(source: str, target: str) -> list[str]:
    """The Latin words of a Chinese text that its English source has not, each once, in the text's order."""
    return _unknown(_LATIN.findall(_levelled(target)), source)


def _unknown(words: Iterable[str], source: str) -> list[str]:
    there = [word.lower() for word in _WORD.findall(_levelled(source))]
    known = {
        *there,
        *map("".join, pairwise(there)),
        *map("".join, zip(there, there[1:], there[2:], strict=False)),
    }
    initials = "".join(word[0] for word in there)
    return [
        word
        for word in dict.fromkeys(words)
        if not ({word.lower(), word.lower().removesuffix("s"), f"{word.lower()}s"} & known)
        and not (word.isalpha() and word.lower().removesuffix("s") in initials)
    ]


def _levelled(text: str) -> str:
    """L₂ is L2, and R² is R2."""
    return text.translate(_LEVEL)


def urls(text: str) -> list[str]:
    """The addresses that a text holds, without the punctuation behind them."""
    return [match.group().rstrip(".,;:)!?") for match in _URL.finditer(text)]


def _names(text: str) -> Iterator[str]:
    """The words of a text that have the look of a name; a plural s is taken off."""
    shouted = {place for match in _SHOUTED.finditer(text) for place in range(*match.span())}
    for match in _LOOK.finditer(_URL.sub(lambda url: " " * len(url.group()), text)):
        word = match.group()
        singular = word[:-1] if len(word) > 2 and word.endswith("s") and word[-2].isupper() else word
        if len(singular) < 2 or singular in _NO_NAMES or match.start() in shouted:
            continue
        spelt = _SPELT_OUT.match(singular)
        if spelt and f"({spelt.group(1)}" in text[match.end() : match.end() + _ACRONYM_BEHIND]:
            continue
        if spelt and re.search(r"\([A-Z]{3,}\)", text[match.end() : match.end() + _ACRONYM_BEHIND]):
            continue
        yield singular


def _versions(text: str) -> Iterator[str]:
    """Names that go on with a number (GPT-4, Qwen3.8-27B), without English words that are tied to them (-based)."""
    for match in _VERSIONED.finditer(text):
        version = _LOWER_ENDS.sub("", match.group())
        if not version.islower() and re.search(r"[A-Za-z]{2}.*\d", version):
            yield version


def _is_rendered(word: str, target: str, glossary: Glossary) -> bool:
    return any(rendering in target for term in glossary.terms_in(word) for rendering in term.preferred)


def _letters(text: str) -> str:
    return _NOT_A_LETTER.sub("", text.lower())
