"""What a person saved: the line on a card, a page of the list, and the list as a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bot.locale import Translator
from bot.markup import Block, Line, LineKind, Span
from bot.markup.letters import link_target
from bot.ports import Attachment
from bot.render import bibtex
from bot.render.markdown import escaped
from bot.render.paper_words import (
    abstract_page,
    bold_link,
    code,
    dotted,
    line,
    links,
    marked_chinese_title,
    short_authors,
)
from bot.render.view import View
from scheduler.models import Paper, Wording
from scheduler.store.library import Saved

AUTHORS = 2


@dataclass(frozen=True, slots=True)
class SavedPaper:
    """A saved paper, with its words and with what it was saved with."""

    saved: Saved
    paper: Paper
    wordings: Mapping[str, Wording]


def tag_words(tags: Sequence[str]) -> str:
    """ "#rl #robots"."""
    return " ".join(f"#{tag}" for tag in tags)


def kept_words(saved: Saved) -> str:
    """The tags and the note, "" for neither."""
    return " · ".join(filter(None, (tag_words(saved.tags), saved.note)))


def saved_block(saved: Saved, view: View) -> Block:
    """What stands on the card of a paper that the reader saved."""
    t = view.t
    day = t.short_date(view.local(saved.at).date(), year=True)
    return Block((line(f"⭐ {t('Saved on {date}', date=day)}"), *_kept_line(saved)))


def _kept_line(saved: Saved) -> tuple[Line, ...]:
    words = kept_words(saved)
    return (line(words),) if words else ()


def saved_page(heading: str, shown: Sequence[SavedPaper], first: int, view: View) -> tuple[Block, ...]:
    """One page of saved papers, numbered from `first`."""
    head = Block((line(heading, kind=LineKind.HEADING),))
    return (
        head,
        *(Block(_lines(one, number, view)) for number, one in enumerate(shown, start=first)),
    )


def _lines(one: SavedPaper, number: int, view: View) -> tuple[Line, ...]:
    paper = one.paper
    lines = [line(f"{number}  ", bold_link(paper.title, abstract_page(paper)))]
    if chinese := marked_chinese_title(one.wordings, view.languages):
        lines.append(line(chinese))
    lines += _kept_line(one.saved)
    withdrawn = view.t("withdrawn") if paper.withdrawn else ""
    lines.append(
        dotted(short_authors(paper.authors, AUTHORS), paper.primary_category, code(paper.id), Span(withdrawn))
    )
    return tuple(lines)


def export(papers: Sequence[SavedPaper], form: str, t: Translator) -> Attachment:
    """The papers as a file: `form` is a key of FORMS."""
    name, media_type, write = FORMS[form]
    return Attachment(name, write(papers, t), media_type)


def _bibtex(papers: Sequence[SavedPaper], _: Translator) -> str:
    return bibtex.bibliography([one.paper for one in papers])


def _json(papers: Sequence[SavedPaper], _: Translator) -> str:
    return json.dumps([_as_json(one) for one in papers], ensure_ascii=False, indent=2) + "\n"


def _as_json(one: SavedPaper) -> dict[str, object]:
    paper = one.paper
    return {
        "id": paper.id,
        "title": paper.title,
        "authors": [author.name for author in paper.authors],
        "categories": list(paper.categories),
        "abstract": paper.abstract,
        "version": paper.version,
        "doi": paper.doi,
        "journal_ref": paper.journal_ref,
        "comments": paper.comments,
        "links": links(paper),
        "saved": one.saved.at.isoformat(),
        "tags": list(one.saved.tags),
        "note": one.saved.note,
    }


def _markdown(papers: Sequence[SavedPaper], t: Translator) -> str:
    return f"# {t('Saved papers')}\n\n" + "".join(map(_as_markdown, papers))


def _as_markdown(one: SavedPaper) -> str:
    paper = one.paper
    url = link_target(abstract_page(paper))
    title = f"[{escaped(paper.title)}](<{url}>)" if url else escaped(paper.title)
    authors = escaped(", ".join(author.name for author in paper.authors))
    facts = f"`{paper.id}` {escaped(kept_words(one.saved))}".rstrip()
    return "  \n  ".join(filter(None, (f"- **{title}**", authors, facts))) + "\n"


_Write = Callable[[Sequence[SavedPaper], Translator], str]

FORMS: Mapping[str, tuple[str, str, _Write]] = {
    "bibtex": ("saved.bib", "application/x-bibtex", _bibtex),
    "json": ("saved.json", "application/json", _json),
    "markdown": ("saved.md", "text/markdown", _markdown),
}
"""The forms of an export by name: the file's name, its media type, and what writes it."""
