"""An answer held against its paper: what is wrong, what the model is told of it, and what may be shown. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from scheduler.enrich.checks import check_tldr, check_translation
from scheduler.enrich.extract import LONGEST, shortened
from scheduler.enrich.glossary import Glossary
from scheduler.enrich.wishes import Part, Wish
from scheduler.models import Flag, Wording, WordingStatus
from scheduler.text import sentences

OFF_TOPIC = "off topic"
"""Kind of words that speak of something else than their paper, such as what an abstract told the model to say."""

MISLEADING = frozenset({"untranslated", "repeated", "length", "refusal", "url", OFF_TOPIC})
"""Kinds of faults after which a translation is of no use: the original takes its place."""

MOST_MARKS = 3
"""A text with more major faults than that is not marked but left out: nobody reads past so many."""

LEAST_SHARED = 0.3
"""The share of an English TL;DR's longer words that the rest of the abstract must have, where a part of it speaks to a
model. Of 84 TL;DRs by an editor none had less than 0.5, and without any one sentence none less than 0.32.
"""

ENOUGH_TO_JUDGE = 6
"""Longer English words that tell whether a TL;DR and a paper have nothing in common at all; twice as many Chinese
pairs. A shorter TL;DR may be in other words, a paper in another language.
"""

LEAST_CHINESE = 0.2
"""The share of a Chinese TL;DR's letters that are Chinese, at least: names and terms stay as they are."""

_TO_A_MODEL = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instruction|prompt|rule|above|previous)"
    r"|\b(?:system|assistant|user|ai|llm|model|reviewers?)\s?:|\b(?:instructions?|note)(?: to .{1,40})?:"
    r"|\b(?:you|reviewers?|(?:language |ai )?models?|llms?|assistants?) (?:are to|must|should|shall|will have to) "
    r"|\byou (?:are|will) |\byour (?:instruction|prompt|answer|task)s?\b|\bas an ai\b|\bif you are\b"
    r"|\b(?:answer|respond|reply|output|write|print|say) (?:only|with|exactly|in|that|this|the following)\b"
    r"|\b(?:instead|please),? (?:answer|respond|reply|output|write|print|say|state|translate|summari[sz]e)\b"
    r"|\bdo not (?:translate|summari[sz]e)\b|\b(?:correct|right|true) (?:answer|summary|translation) is\b",
    re.IGNORECASE,
)
"""A sentence of an abstract that speaks to who reads it. Its words say nothing of what the paper is about."""

_LONGER_WORD = re.compile(r"[a-z]{4,}")
_LATIN_OR_FIGURE = re.compile(r"[a-z][a-z0-9-]+|\d+(?:\.\d+)?")
_HAN_PAIR = re.compile(r"[\u3400-\u9fff]{2}")
_STEM = 5

TOO_LONG = "too long"
"""Kind of a TL;DR that has to be cut."""

MOST_DEFECTS = 8


@dataclass(frozen=True, slots=True)
class Verdict:
    """The words of one answer and what the checks found in them."""

    words: Mapping[Part, str]
    flags: tuple[Flag, ...]

    def weight(self, part: Part) -> tuple[int, int]:
        """How bad a part is, to compare two answers: major faults, then minor ones."""
        found = [flag.severity for flag in self.flags if flag.field == part]
        return found.count("major"), len(found)

    @property
    def faulty(self) -> tuple[Part, ...]:
        """The parts in which something was found."""
        return tuple(part for part in self.words if self.weight(part) > (0, 0))

    @property
    def defects(self) -> tuple[str, ...]:
        """The faults in words for a model, none for none."""
        return tuple(f"{flag.field}: {flag.kind} ({flag.detail})" for flag in self.flags[:MOST_DEFECTS])

    def bettered(self, second: Verdict) -> Verdict:
        """This answer, with those parts of a second one that have fewer faults."""
        better = {part for part in second.words if second.weight(part) < self.weight(part)}
        kept = tuple(flag for flag in self.flags if flag.field not in better)
        added = tuple(flag for flag in second.flags if flag.field in better)
        words = {part: second.words[part] if part in better else said for part, said in self.words.items()}
        return Verdict(words, kept + added)


def judge(wish: Wish, words: Mapping[Part, str], glossary: Glossary) -> Verdict:
    """What the checks say of an answer."""
    flags: list[Flag] = []
    if wish.lang != "en":
        made = Wording(wish.lang, words.get(Part.TITLE, ""), "", words.get(Part.ABSTRACT, ""))
        flags += check_translation(wish.paper, made, glossary)
        flags += _obeyed(wish, words, glossary)
    if tldr := words.get(Part.TLDR, ""):
        flags += check_tldr(wish.paper, tldr, wish.lang)
        if not _is_about_it(tldr, words, wish, glossary):
            flags.append(_off_topic(Part.TLDR))
        if len(tldr) > LONGEST:
            flags.append(Flag("tldr", TOO_LONG, "minor", f"{len(tldr)} > {LONGEST} characters"))
    return Verdict(words, tuple(flags))


def _off_topic(part: Part) -> Flag:
    return Flag(part, OFF_TOPIC, "major", "not about this paper")


def _obeyed(wish: Wish, words: Mapping[Part, str], glossary: Glossary) -> Iterator[Flag]:
    """Translations that have nothing of their paper, where a part of its abstract speaks to a model."""
    known, is_plain = _known(wish)
    for part in (Part.TITLE, Part.ABSTRACT):
        if not is_plain and words.get(part) and not _shares_a_term(words[part], known, glossary):
            yield _off_topic(part)


def _known(wish: Wish) -> tuple[str, bool]:
    """What the paper says of itself, and whether that is all: no sentence of its abstract speaks to a model."""
    told = sentences(wish.paper.abstract)
    plain = [one for one in told if not _TO_A_MODEL.search(one)]
    return " ".join([wish.paper.title, *plain]), len(plain) == len(told)


def _is_about_it(tldr: str, words: Mapping[Part, str], wish: Wish, glossary: Glossary) -> bool:
    """Whether a TL;DR is of this paper: what speaks to a model must not be all that it has of it."""
    known, is_plain = _known(wish)
    if wish.lang == "zh":
        is_alike = is_plain and _has_in_common(tldr, words.get(Part.ABSTRACT, ""))
        return _is_chinese(tldr) and (is_alike or _shares_a_term(tldr, known, glossary))
    return _shares_something(tldr, known) if is_plain else _shares_words(tldr, known)


def _is_chinese(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    chinese = sum("\u3400" <= letter <= "\u9fff" for letter in letters)
    return chinese > 0 and chinese >= LEAST_CHINESE * len(letters)


def _shares_something(tldr: str, known: str) -> bool:
    stems, there = frozenset(_stems(tldr)), frozenset(_stems(known))
    return min(len(stems), len(there)) < ENOUGH_TO_JUDGE or not stems.isdisjoint(there)


def _shares_words(tldr: str, known: str) -> bool:
    stems, there = _stems(tldr), frozenset(_stems(known))
    return bool(stems) and sum(stem in there for stem in stems) >= LEAST_SHARED * len(stems)


def _shares_a_term(tldr: str, known: str, glossary: Glossary) -> bool:
    """Whether a Chinese TL;DR has a Latin word or a figure of the paper's own, or a term of it in Chinese."""
    there = frozenset(_LATIN_OR_FIGURE.findall(known.lower()))
    if not there.isdisjoint(_LATIN_OR_FIGURE.findall(tldr.lower())):
        return True
    return any(one in tldr for term in glossary.terms_in(known) for one in term.preferred)


def _has_in_common(tldr: str, abstract: str) -> bool:
    """Whether a Chinese TL;DR has any word of the abstract of its answer; true where there is too little of either."""
    pairs, there = _pairs(tldr), _pairs(abstract)
    return min(len(pairs), len(there)) < 2 * ENOUGH_TO_JUDGE or not pairs.isdisjoint(there)


def _pairs(text: str) -> set[str]:
    return {f"{one}{other}" for one, other in pairwise(text) if _HAN_PAIR.fullmatch(f"{one}{other}")}


def _stems(text: str) -> list[str]:
    return [word[:_STEM] for word in _LONGER_WORD.findall(text.lower())]


@dataclass(frozen=True, slots=True)
class Taken:
    """One part as it may be shown: "ok", "flagged" with its flags, or "fallback" without a text."""

    text: str
    status: WordingStatus
    flags: tuple[Flag, ...] = ()


def taken(verdict: Verdict) -> dict[Part, Taken]:
    """What may be shown of an answer that will not get better.

    A TL;DR with a major fault gives way to the extract, a text that is no translation to the original; other faults are
    shown with their mark.
    """
    return {part: _taken(part, said, verdict.flags) for part, said in verdict.words.items()}


def _taken(part: Part, said: str, found: Sequence[Flag]) -> Taken:
    flags = tuple(flag for flag in found if flag.field == part)
    if _is_useless(part, flags):
        return Taken("", WordingStatus.FALLBACK, flags)
    if part is Part.TLDR:
        said = shortened(said, LONGEST)
        flags = tuple(flag for flag in flags if flag.kind != TOO_LONG)
    return Taken(said, WordingStatus.FLAGGED if flags else WordingStatus.OK, flags)


def _is_useless(part: Part, flags: Sequence[Flag]) -> bool:
    faults = [flag for flag in flags if flag.severity == "major"]
    if part is Part.TLDR:
        return bool(faults)
    return len(faults) > MOST_MARKS or any(flag.kind in MISLEADING for flag in faults)
