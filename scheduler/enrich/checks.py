"""What a translation or a TL;DR says otherwise than the paper does. Pure, quick, and linear in the text's length.

The kinds: `number`, `percent`, `money`, `unit` (a figure that is changed, left out or added), `name`, `url`, `tex`
(formulas that broke), `untranslated`, `length`, `missing` (a sentence left out), `repeated`, `refusal` (a machine's
excuse in the place of words), `terminology` (the glossary's).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from scheduler.enrich import figures, names, wholeness
from scheduler.enrich.glossary import Glossary
from scheduler.models import Flag, Paper, Wording

__all__ = ["Flag", "check_tldr", "check_translation"]

NOTHING = "?"
"""Stands in a flag's detail for what is not there: "CAPEX → ?"."""

_MINOR = frozenset({"terminology", "unit"})
"""An address that is left out is minor too: the paper's own links are beside it anyway."""
_LONGEST_DETAIL = 80
_BROKEN_TEX = re.compile(
    r"\\[A-Za-z]{2,}|\$|[{}]|[\^_]\{|``|''|\d\s?/\s?[%％]|[@=]\d+[%％]|[)）\]］]\s?[%％]"
)
_COMMON_SIGNS = frozenset("+=<>~|×→±−¬≈≤≥·∼≫≪↑↓←⇒µμ△▲")
_REFUSAL = re.compile(
    r"翻译失败|翻譯失敗|translation failed|summary generation failed|as an ai (?:language )?model"
    r"|i(?:'|’)?m sorry|i (?:can(?:'|’)?t|cannot|am unable to) (?:translate|help|assist|summari)"
    r"|(?:抱歉|对不起)[，,]?\s?(?:我|作为)|作为(?:一个|一款)?(?:AI|人工智能)(?:语言)?(?:模型|助手)[，,]?我|请提供(?:需要|要)",
    re.IGNORECASE,
)


def check_translation(paper: Paper, wording: Wording, glossary: Glossary) -> tuple[Flag, ...]:
    """What is wrong with the title and the abstract of a Chinese `wording` against the paper's own, title first.

    Texts that are "" are not checked. All texts are clean (`scheduler.text.clean`).
    """
    name = names.title_name(paper.title, paper.abstract)
    known = (name,) if name is not None else ()
    pairs = (
        ("title", paper.title, wording.title),
        ("abstract", paper.abstract, wording.abstract),
    )
    return tuple(
        _flag(field, kind, detail)
        for field, source, target in pairs
        if source and target
        for kind, detail in _translated(
            field, source, target, glossary, known, f"{paper.title}\n{paper.abstract}"
        )
    )


def check_tldr(paper: Paper, tldr: str, lang: str = "en") -> tuple[Flag, ...]:
    """What stands in a TL;DR in `lang` ("en", "zh") and not in the paper's title and abstract.

    An extract of the abstract is never flagged; leaving out is a TL;DR's business.
    """
    source = f"{paper.title}\n{paper.abstract}"
    found = [
        *_figures(figures.additions(source, tldr)),
        *(("name", f"{NOTHING} → {name}") for name in names.added(source, tldr)),
        *_urls("", source, tldr),
        *_broken(source, tldr),
        *_loops(source, tldr),
        *_refusals(source, tldr),
    ]
    return tuple(_flag("tldr", kind, detail) for kind, detail in found)


Found = Iterator[tuple[str, str]]


def _flag(field: str, kind: str, detail: str) -> Flag:
    shown = detail if len(detail) <= _LONGEST_DETAIL else f"{detail[: _LONGEST_DETAIL - 1]}…"
    is_minor = kind in _MINOR or (kind == "url" and detail.endswith(f"→ {NOTHING}"))
    return Flag(field, kind, "minor" if is_minor else "major", shown)


def _translated(
    field: str, source: str, target: str, glossary: Glossary, known: Iterable[names.Name], whole: str
) -> Found:
    """The faults of one text; `whole` is all that the paper says, which a title's translation may draw on."""
    refused = list(_refusals(source, target))
    if refused:
        yield from refused
        return
    gaps = wholeness.gaps(source, target, is_title=field == "title")
    yield from ((gap.kind, gap.detail) for gap in gaps)
    if any(gap.kind == "untranslated" for gap in gaps):
        return
    yield from _figures(figures.differences(source, target))
    yield from _names(source, target, glossary, known, whole)
    yield from _urls(source, source, target)
    yield from _broken(source, target)
    yield from _lost_signs(source, target)
    yield from _terminology(source, target, glossary)


def _figures(found: Iterable[figures.Difference]) -> Found:
    for one in found:
        yield one.kind, f"{one.source or NOTHING} → {one.target or NOTHING}"


def _names(source: str, target: str, glossary: Glossary, known: Iterable[names.Name], whole: str) -> Found:
    """Names that are lost, everywhere or in most places, each beside the strange word that most likely stands for it,
    and other strange words."""
    strange = names.foreign(whole, target)
    for name in names.lost(source, target, glossary, known):
        instead = next((word for word in strange if _are_alike(word, name)), NOTHING)
        strange = [word for word in strange if word != instead]
        yield "name", f"{name} → {instead}"
    yield from (("name", f"{name} → {NOTHING}") for name in names.thinned(source, target, glossary))
    yield from (("name", f"{NOTHING} → {word}") for word in strange)


def _are_alike(word: str, name: str) -> bool:
    return word.lower() in name.lower() or set(word.lower()) == set(name.lower())


def _urls(expected: str, allowed: str, target: str) -> Found:
    there, wanted, known = names.urls(target), names.urls(expected), names.urls(allowed)
    yield from (("url", f"{url} → {NOTHING}") for url in wanted if url not in target)
    yield from (("url", f"{NOTHING} → {url}") for url in there if url not in known and url not in allowed)


def _broken(source: str, target: str) -> Found:
    """The first piece of broken TeX in `target` that is not in `source` too; a dollar may be money."""
    money = {figure.place for figure in figures.figures(target) if figure.unit == "$"}
    for match in _BROKEN_TEX.finditer(target):
        said = unicodedata.normalize("NFKC", match.group())
        if (said == "$" and match.start() in money) or said in source:
            continue
        yield "tex", f"{NOTHING} → {target[max(0, match.start() - 8) : match.end() + 8].strip()}"
        return


def _lost_signs(source: str, target: str) -> Found:
    """Letters and signs of formulas that are in `source` alone."""
    lost = [sign for sign in dict.fromkeys(source) if _is_of_a_formula(sign) and sign not in target]
    if lost:
        yield "tex", f"{' '.join(lost)} → {NOTHING}"


def _is_of_a_formula(sign: str) -> bool:
    if sign.isascii() or sign in _COMMON_SIGNS:
        return False
    name = unicodedata.name(sign, "")
    return unicodedata.category(sign) == "Sm" or name.startswith(
        ("GREEK", "SUPERSCRIPT", "SUBSCRIPT", "MATHEMATICAL")
    )


def _loops(source: str, target: str) -> Found:
    gap = wholeness.loop(target, source)
    if gap is not None:
        yield gap.kind, gap.detail


def _refusals(source: str, target: str) -> Found:
    match = _REFUSAL.search(target)
    if match is not None and not _REFUSAL.search(source):
        yield "refusal", f"“{match.group()}”"


def _terminology(source: str, target: str, glossary: Glossary) -> Found:
    """Forbidden renderings of terms, outside the right renderings that they may be a part of."""
    terms = glossary.terms_in(source)
    allowed = sorted({right for term in terms for right in term.preferred}, key=len, reverse=True)
    for term in terms:
        for wrong in term.forbidden:
            rest = target
            for right in allowed:
                if wrong in right:
                    rest = rest.replace(right, "")
            if wrong in rest:
                yield "terminology", f"{term.name} → {wrong}"
