"""What changed in papers that a reader saved, as a short message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.locale import Translator
from bot.markup import Block, Line, LineKind
from bot.ports import ACTION_LIMIT, Button, Keyboard
from bot.render.paper_words import abstract_page, bold_link, clip, code, dotted, line
from bot.render.view import View
from scheduler.models import Change, ChangeKind, Paper

LABEL_LIMIT = 80
LONGEST_TEXT = 160


@dataclass(frozen=True, slots=True)
class PaperNews:
    """A saved paper (its key, and as it is now), and what changed in it, oldest first."""

    key: int
    paper: Paper
    changes: tuple[Change, ...]


def news_blocks(news: Sequence[PaperNews], view: View) -> tuple[Block, ...]:
    """A heading, and for each paper its title and what changed: "v2: title changed; now 14 pages"."""
    t = view.t
    head = t.n("A paper that you saved has changed", "{count} papers that you saved have changed", len(news))
    return (
        Block((line(f"⭐ {head}", kind=LineKind.HEADING),)),
        *(Block(_lines(one, number, t)) for number, one in enumerate(news, start=1)),
    )


def _lines(one: PaperNews, number: int, t: Translator) -> tuple[Line, ...]:
    title = line(f"{number}  ", bold_link(one.paper.title, abstract_page(one.paper)))
    return (title, line(news_words(one.changes, t)), dotted(one.paper.primary_category, code(one.paper.id)))


def news_words(changes: Sequence[Change], t: Translator) -> str:
    """What changed, in one line: of several changes of one kind, what was at first and what is now."""
    newest = {change.kind: change for change in changes}
    oldest = {change.kind: change.old for change in reversed(changes)}
    said = "; ".join(_said(newest, oldest, t))
    version = newest.get(ChangeKind.VERSION)
    if version is None:
        return said
    return f"v{version.new}: {said}" if said else t("v{version} is there", version=version.new)


def _said(newest: dict[ChangeKind, Change], oldest: dict[ChangeKind, str], t: Translator) -> Iterator[str]:
    if ChangeKind.WITHDRAWN in newest:
        yield t("withdrawn by its authors")
    if ChangeKind.TITLE in newest:
        yield t("title changed, before: “{title}”", title=clip(oldest[ChangeKind.TITLE], LONGEST_TEXT))
    if (comments := newest.get(ChangeKind.COMMENTS)) and comments.new:
        yield t("now {comments}", comments=clip(comments.new, LONGEST_TEXT))
    if (journal := newest.get(ChangeKind.JOURNAL_REF)) and journal.new:
        yield t("published: {journal}", journal=clip(journal.new, LONGEST_TEXT))
    if (doi := newest.get(ChangeKind.DOI)) and doi.new:
        yield t("DOI {doi}", doi=doi.new)


def news_keyboard(news: Sequence[PaperNews], t: Translator) -> Keyboard:
    """A button per paper that opens its card."""
    choices = tuple(
        Button(clip(f"{number} · {one.paper.title}", LABEL_LIMIT), f"p:{one.paper.id}", short=str(number))
        for number, one in enumerate(news, start=1)
        if len(f"p:{one.paper.id}".encode()) <= ACTION_LIMIT
    )
    return Keyboard(choices=choices, prompt=t("Open a paper…"))
