"""A paper's pieces as they stand everywhere: link, titles, TL;DRs, authors in short; and texts cut to fit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote

from bot.locale import N_, Translator
from bot.markup import Line, LineKind, Span, Style
from bot.markup.letters import cluster_ends
from scheduler import paper_ids
from scheduler.enrich.wishes import is_untranslated
from scheduler.models import Author, Paper, Wording
from scheduler.text import sentences

Wordings = Mapping[str, Wording]

MOST_DOUBTS = 3
"""As many places are named in a mark."""

LEADING = 3
"""As many authors of a long list are named."""

_SUFFIXES = frozenset({"jr", "jr.", "sr", "sr.", "ii", "iii", "iv"})
_GROUPS = frozenset({"collaboration", "team", "consortium", "group", "project"})
_LOOSE_ENDS = " ,;:.…，、；：。（("
_IS_IN_A_WORD = re.compile(r"[^\s\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
"""Whatever is neither a blank nor a Chinese character or sign: Latin words are never cut."""

_LONGEST_WORD = 40

_FIELDS = {
    "title": N_("title"),
    "abstract": N_("abstract"),
    "authors": N_("authors"),
    "categories": N_("categories"),
    "id": N_("id"),
    "source": N_("source"),
}
_STAND_IN = re.compile(r"(?:\bthis|此)\s?(?:链接\s?)?https?\s?(?:URL|网址|链接)", re.IGNORECASE)
"""What arXiv's pages show in the place of an address, and what becomes of it in translations."""

_ORIGINS = {"extract": N_("extract"), "editor": N_("by an editor"), "import": N_("imported")}


@dataclass(frozen=True, slots=True)
class Said:
    """A text in one language, who wrote it (`Wording.origin`), and what the checks doubt in it ("" for nothing)."""

    lang: str
    text: str
    origin: str = ""
    doubt: str = ""

    @property
    def shown(self) -> str:
        """The text with the doubt behind it."""
        return _marked(self.text, self.doubt)

    def within(self, limit: int) -> str:
        """The text in at most `limit` characters, and the doubt behind it."""
        return _marked(clip(self.text, limit), self.doubt)


def links(paper: Paper, version: int | None = None) -> dict[str, str]:
    """The paper's addresses by form ("abs", "pdf", "html"); its own address stands for a missing "abs"."""
    found = paper_ids.links(paper.id, version, source=paper.source)
    return found if "abs" in found or not paper.url else {"abs": paper.url, **found}


def abstract_page(paper: Paper) -> str:
    """The address of the abstract page, "" for a paper that has none."""
    return links(paper).get("abs", "")


def doi_url(doi: str) -> str:
    """The address of a DOI."""
    return f"https://doi.org/{quote(doi, safe='/:;().-_')}"


def chinese_title(wordings: Wordings, languages: Sequence[str]) -> str:
    """The Chinese title for who wants Chinese, "" where there is none."""
    chinese = wordings.get("zh")
    return chinese.title if chinese is not None and "zh" in languages else ""


def tldrs(wordings: Wordings, languages: Sequence[str]) -> tuple[Said, ...]:
    """The TL;DRs in the languages wanted; where none of those is there, the one in the other language."""
    known = {lang: word for lang, word in wordings.items() if word.tldr}
    wanted = [lang for lang in languages if lang in known] or [
        lang for lang in ("en", "zh") if lang in known
    ][:1]
    return tuple(_said(known[lang], "tldr") for lang in wanted)


def tldrs_beside(paper: Paper, wordings: Wordings, languages: Sequence[str]) -> tuple[Said, ...]:
    """The TL;DRs where the abstract is shown too: without an extract that is the abstract over again."""
    return tuple(said for said in tldrs(wordings, languages) if not _repeats(said, paper.abstract))


def _repeats(said: Said, abstract: str) -> bool:
    """True for all of an abstract, and for the beginning of one that is a single sentence."""
    beginning = said.text.removesuffix("…")
    is_cut = beginning != said.text
    return abstract.startswith(beginning) and (
        said.text == abstract or (is_cut and len(sentences(abstract)) == 1)
    )


def abstracts(paper: Paper, wordings: Wordings, languages: Sequence[str]) -> tuple[Said, ...]:
    """The abstract, and the Chinese one for who wants Chinese (first, for who wants nothing else)."""
    english = (Said("en", paper.abstract),) if paper.abstract else ()
    chinese = wordings.get("zh")
    if chinese is None or not chinese.abstract or "zh" not in languages:
        return english
    translated = _said(chinese, "abstract")
    return (*english, translated) if languages[0] == "en" else (translated, *english)


def with_links(words: str, page: str) -> tuple[Span, ...]:
    """A text in which "this https URL", where only arXiv knows the address, leads to `page`, which has it."""
    spans: list[Span] = []
    end = 0
    for found in _STAND_IN.finditer(words) if page else ():
        spans += [Span(words[end : found.start()]), Span(found.group(), url=page)]
        end = found.end()
    return tuple(span for span in (*spans, Span(words[end:])) if span.text)


def marked_chinese_title(wordings: Wordings, languages: Sequence[str]) -> str:
    """The Chinese title for who wants Chinese, with what the checks doubt in it."""
    title = chinese_title(wordings, languages)
    return _marked(title, doubt(wordings["zh"], "title")) if title else ""


def doubt(word: Wording, *fields: str) -> str:
    """ "⚠ 3.6k → 36k?": what the checks doubt in those fields of a paper's words, "" for nothing.

    Unusual terms are not told: the glossary's flags are for who runs Paperboy.
    """
    found = [flag.detail for flag in word.flags if flag.kind != "terminology" and flag.field in fields]
    told = "; ".join(list(dict.fromkeys(found))[:MOST_DOUBTS])
    return f"⚠ {told}{'' if told.endswith('?') else '?'}" if told else ""


def _said(word: Wording, field: str) -> Said:
    origin = word.origin if field == "tldr" else word.translator or word.origin
    return Said(word.lang, getattr(word, field), origin, doubt(word, field))


def _marked(text: str, doubted: str) -> str:
    return f"{text}  {doubted}" if doubted else text


def untranslated(wordings: Wordings, languages: Sequence[str]) -> bool:
    """True when Chinese is wanted and there is neither a Chinese title nor a Chinese TL;DR."""
    return "zh" in languages and is_untranslated(wordings)


def surname(name: str) -> str:
    """What an author is called in short: "Kulkarni", "van der Maaten"; groups and one-word names whole."""
    words = name.split()
    if len(words) > 1 and words[-1].casefold() in _SUFFIXES:
        words.pop()
    if len(words) < 2 or words[-1].casefold() in _GROUPS:
        return " ".join(words)
    start = len(words) - 1
    while start > 1 and words[start - 1].islower():
        start -= 1
    return " ".join(words[start:])


def short_authors(authors: Sequence[Author], limit: int) -> str:
    """ "Kulkarni, Vepuri +9"; one more than the limit is named rather than counted."""
    return _counted([surname(author.name) for author in authors], limit)


def full_authors(authors: Sequence[Author], limit: int) -> str:
    """Names with affiliations where known; of more than the limit the first three, and how many more: "A, B, C +63"."""
    named = [f"{one.name} ({one.affiliation})" if one.affiliation else one.name for one in authors]
    return _counted(named, limit if len(named) <= limit + 1 else min(limit, LEADING))


def _counted(names: Sequence[str], limit: int) -> str:
    if limit == 0:
        return ""
    shown = names if len(names) <= limit + 1 else names[:limit]
    more = f" +{len(names) - len(shown)}" if len(shown) < len(names) else ""
    return ", ".join(shown) + more


def field_names(fields: Sequence[str], t: Translator) -> str:
    """ "title, abstract" in the reader's language."""
    return t.row(t(_FIELDS[name]) if name in _FIELDS else name for name in fields)


def origin_name(origin: str, t: Translator) -> str:
    """Who wrote a text, in the reader's language; a model goes by its name."""
    return t(_ORIGINS[origin]) if origin in _ORIGINS else origin


@lru_cache(maxsize=20_000)
def clip(text: str, limit: int) -> str:
    """The text in at most `limit` characters: cut between words (Chinese between characters), with "…"."""
    if len(text) <= limit:
        return text
    end = limit - 1 if text[: limit + 1].isascii() else 0
    for place in cluster_ends(text) if not end else ():
        if place >= limit:
            break
        end = place
    head = text[:end]
    if not text[end].isspace():
        head = _without_half_a_word(head, text[end])
    return head.rstrip(_LOOSE_ENDS) + "…"


def _without_half_a_word(head: str, following: str) -> str:
    """`head` up to the word that goes on with `following`; Chinese, and one endless word, is cut anywhere."""
    if not _IS_IN_A_WORD.match(following):
        return head
    start = next((at for at in range(len(head), 0, -1) if not _IS_IN_A_WORD.match(head[at - 1])), 0)
    return head[:start] if start > 0 and len(head) - start <= _LONGEST_WORD else head


def line(*parts: str | Span, kind: LineKind = LineKind.TEXT) -> Line:
    """A line of plain texts and spans."""
    return Line(tuple(part if isinstance(part, Span) else Span(part) for part in parts), kind)


def dotted(*parts: str | Span, kind: LineKind = LineKind.QUIET) -> Line:
    """A line of parts with " · " between those that say something."""
    present = [part if isinstance(part, Span) else Span(part) for part in parts if part]
    spans: list[Span] = []
    for part in present:
        if part.text:
            spans += [Span(" · "), part] if spans else [part]
    return Line(tuple(spans), kind)


def bold_link(text: str, url: str) -> Span:
    """A title."""
    return Span(text, Style.BOLD, url)


def code(text: str) -> Span:
    """What copies on tap where a platform can."""
    return Span(text, Style.CODE)
