"""What is asked of a model or a translation service for one paper: which of its words, in which language. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from scheduler.models import Paper, Wording


class Part(StrEnum):
    """The words of a paper that can be made, in the order in which a reader needs them."""

    TITLE = "title"
    TLDR = "tldr"
    ABSTRACT = "abstract"


LANGUAGES = {"en": "English", "zh": "Simplified Chinese"}
"""The languages that words are made in, by their English names."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Some words of one paper in one language.

    `key` is the paper's key in the archive. `tldr` is its English TL;DR, for services that can only translate;
    `is_shortened` says that the end of the abstract was cut off because the whole did not fit.
    """

    key: int
    paper: Paper
    lang: str
    parts: tuple[Part, ...]
    tldr: str = ""
    is_shortened: bool = False

    @property
    def content(self) -> str:
        """The hash of what the words are made from: another version with the same words is the same content."""
        return content_hash(self.paper)

    def with_parts(self, parts: tuple[Part, ...]) -> Wish:
        """The same wish for fewer words."""
        return replace(self, parts=parts)

    def shortened(self) -> Wish:
        """The wish with the first half of the abstract, and without a translation of it, which would be no abstract."""
        half = self.paper.abstract[: len(self.paper.abstract) // 2].rpartition(" ")[0]
        parts = tuple(part for part in self.parts if part is not Part.ABSTRACT)
        return replace(self, paper=replace(self.paper, abstract=half), parts=parts, is_shortened=True)


def content_hash(paper: Paper) -> str:
    """sha256 of the clean title and abstract, as 64 hexadecimal digits."""
    return hashlib.sha256(f"{paper.title}\n{paper.abstract}".encode()).hexdigest()


def lacking(paper: Paper, wordings: Mapping[str, Wording], lang: str) -> tuple[Part, ...]:
    """The parts that a reader of `lang` does not have yet: in English a TL;DR that is more than an extract."""
    known = wordings.get(lang)
    if lang == "en":
        has_tldr = known is not None and bool(known.tldr) and known.origin != "extract"
        return (Part.TLDR,) if paper.abstract and not has_tldr else ()
    possible = tuple(Part) if paper.abstract else (Part.TITLE,)
    return tuple(part for part in possible if known is None or not getattr(known, part))


def is_untranslated(wordings: Mapping[str, Wording]) -> bool:
    """True when there is neither a Chinese title nor a Chinese TL;DR."""
    chinese = wordings.get("zh")
    return chinese is None or not (chinese.title or chinese.tldr)
