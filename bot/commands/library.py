"""/save and /saved: a person's own papers, with tags and notes, to be searched, opened and exported."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.commands.cards import full, named, removed
from bot.commands.visit import Visit, action, code, line, page_turns, paper_choices, rows, say
from bot.markup import Block
from bot.ports import Button, Keyboard, Reply, Suggestion
from bot.render import library as render_library
from bot.render.library import SavedPaper
from scheduler import paper_ids, query
from scheduler.errors import NotAPaperId
from scheduler.matching import DayIndex
from scheduler.models import PaperId
from scheduler.query import Query
from scheduler.store.library import LibraryFull, Saved, saved_with_tag
from scheduler.store.papers import Known
from scheduler.text import clean

PAGE = 8
LONGEST_NOTE = 1000
LONGEST_TAG = 40
MOST_TAGS = 20
TAGS_SHOWN = 6
SUGGESTED = 100
"""Characters of a suggestion (Discord, "Application Commands")."""

_TAG = re.compile(r"(?<!\S)(?P<off>-?)[#＃](?P<tag>[^\W\d][\w-]*)(?!\S)")
_LOOSE_PREFIX = re.compile(r"(?i)\b(arxiv|doi)\s*[:：]\s+")
_EXPORT = re.compile(r"(?i:export|导出)(?:\s+(?P<form>[A-Za-z]+))?(?:\s+(?P<rest>.*))?", re.DOTALL)
_FORM_NAMES = {"bib": "bibtex", "bibtex": "bibtex", "json": "json", "md": "markdown", "markdown": "markdown"}
_LABELS = {"bibtex": "BibTeX", "json": "JSON", "markdown": "Markdown"}
NO_NOTE = "-"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to do to a saved paper: tags to add and to drop, and a note (None: leave it)."""

    add: tuple[str, ...]
    drop: tuple[str, ...]
    note: str | None

    @classmethod
    def read(cls, text: str) -> Wanted:
        """What `#tag -#tag a note` asks for; a note of "-" alone takes the note away."""
        found = [(bool(one["off"]), _tag_name(one["tag"])) for one in _TAG.finditer(text)]
        note = " ".join(word for word in _TAG.sub(" ", text).split() if word not in ("#", "＃"))
        return cls(
            tuple(dict.fromkeys(tag for is_off, tag in found if not is_off)),
            tuple(tag for is_off, tag in found if is_off),
            "" if note == NO_NOTE else note or None,
        )


def _tag_name(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()[:LONGEST_TAG]


def save(visit: Visit) -> Reply:
    """Saves a paper with tags and a note, or changes what a saved one carries."""
    t = visit.t
    if not visit.argument:
        return say(
            t("Which paper? Write its id or a link after the command:"),
            line(code(t("/save 2609.33867 #robots read before Friday"))),
        )
    if not visit.person:
        return _unknown_person(visit)
    paper, rest = _paper_and_rest(visit.argument)
    known = named(visit, paper)
    return known if isinstance(known, Reply) else _save(visit, known, Wanted.read(rest))


def _paper_and_rest(text: str) -> tuple[str, str]:
    """The first word that names a paper, wherever it stands, and the other words; without one, the first word."""
    typed = _LOOSE_PREFIX.sub(r"\1:", text).split()
    place = next((place for place, word in enumerate(typed) if _is_paper(word)), 0)
    return typed[place], " ".join(typed[:place] + typed[place + 1 :])


def _is_paper(word: str) -> bool:
    try:
        paper_ids.parse(word)
    except NotAPaperId:
        return False
    return True


def _unknown_person(visit: Visit) -> Reply:
    return say(visit.t("I can't tell who you are here. Write to me in private for that."))


def _save(visit: Visit, known: Known, wanted: Wanted) -> Reply:
    t = visit.t
    if wanted.note is not None and len(wanted.note) > LONGEST_NOTE:
        return say(
            t(
                "This note has {count} characters; {limit} is the limit. Nothing was changed.",
                count=t.number(len(wanted.note)),
                limit=t.number(LONGEST_NOTE),
            )
        )
    before = visit.store.library.saved_paper(visit.person, known.key)
    if len({*(before.tags if before else ()), *wanted.add} - {*wanted.drop}) > MOST_TAGS:
        return say(t("A paper can carry {limit} tags. Nothing was changed.", limit=MOST_TAGS))
    try:
        saved, is_new = visit.store.library.save(
            visit.person,
            visit.chat.key,
            known.key,
            visit.now,
            add=wanted.add,
            drop=wanted.drop,
            note=wanted.note,
        )
    except LibraryFull:
        return say(full(visit))
    return _saved(visit, known, saved, is_new)


def _saved(visit: Visit, known: Known, saved: Saved, is_new: bool) -> Reply:
    t = visit.t
    head = t("Saved: {title}", title=known.paper.title) if is_new else _changed_words(visit, known)
    carried = (render_library.kept_words(saved),) if saved.tags or saved.note else ()
    if visit.is_overheard:
        return say(head)
    count = visit.store.library.count(visit.person)
    return say(
        head,
        *carried,
        t.n(
            "{count} paper saved. I tell you when it changes: a new version, a DOI, a withdrawal.",
            "{count} papers saved. I tell you when one changes: a new version, a DOI, a withdrawal.",
            count,
        ),
        keyboard=rows(
            Button(t("Show all"), "saved"),
            Button(t("Remove"), action(visit, "unsave", known.paper.id)),
        ),
    )


def _changed_words(visit: Visit, known: Known) -> str:
    return visit.t("Saved already; tags and note are as you wrote them: {title}", title=known.paper.title)


def remove(visit: Visit) -> Reply:
    """[Remove]: takes a paper out of the saved ones."""
    known = visit.store.archive.by_id(PaperId(visit.argument))
    before = visit.store.library.remove(visit.person, known.key) if known and visit.person else None
    if known is None or before is None:
        return Reply(toast=visit.t("This paper is not among your saved ones."))
    return removed(visit, known.paper, before)


def saved(visit: Visit) -> Reply:
    """The person's saved papers: all, those a query finds, those with a tag; or all of these as a file."""
    if not visit.person:
        return _unknown_person(visit)
    if visit.is_overheard:
        return say(
            visit.t(
                "Your saved papers are for your eyes alone. Ask me in private: {command}", command="/saved"
            )
        )
    if exporting := _EXPORT.fullmatch(visit.argument):
        return _export(visit, exporting["form"] or "", exporting["rest"] or "")
    return _page(visit, visit.argument, 1, in_place=False)


def saved_page(visit: Visit) -> Reply:
    """The buttons under a page: another page, or the way back from a card."""
    number, _, wanted = visit.argument.partition(":")
    return _page(visit, wanted, int(number) if number.isdecimal() else 1, in_place=True)


def _page(visit: Visit, wanted: str, number: int, *, in_place: bool) -> Reply:
    t = visit.t
    everything = visit.store.library.saved(visit.person)
    if not everything:
        return say(
            t("You have saved nothing yet. A paper's card has a button for it; or write, for example:"),
            line(code(t("/save 2609.33867 #robots read before Friday"))),
        )
    found = _found(visit, everything, wanted)
    if not found:
        return say(
            t.n(
                "Your {count} saved paper does not fit {query}.",
                "None of your {count} saved papers fits {query}.",
                len(everything),
                query=wanted,
            ),
            keyboard=rows(Button(t("Show all"), "saved")),
        )
    pages = -(-len(found) // PAGE)
    number = min(max(number, 1), pages)
    first = (number - 1) * PAGE
    shown = _papers(visit, found[first : first + PAGE])
    heading = t("Saved papers · {count}", count=t.number(len(found))) + (f" · {wanted}" if wanted else "")
    blocks = render_library.saved_page(heading, shown, first + 1, visit.view)
    change = code(t("/save {id} #todo -#old read again", id=shown[0].paper.id))
    hint = Block((line(t("To change tags or a note:")), line(change)))
    return Reply(
        (*blocks, *((hint,) if number == 1 and not wanted else ())),
        _keyboard(visit, shown, everything, wanted, number, pages),
        in_place=in_place,
    )


def _found(visit: Visit, everything: Sequence[Saved], wanted: str) -> tuple[Saved, ...]:
    """Those with the tags and found by the query in `wanted`, the newest first. Raises QueryError.

    A note is looked through like a paper's own words.
    """
    found = [(_tag_name(one["tag"]), bool(one["off"])) for one in _TAG.finditer(wanted)]
    text = " ".join(_TAG.sub(" ", wanted).split())
    tagged = saved_with_tag(everything, [tag for tag, is_off in found if not is_off])
    unwanted = {tag for tag, is_off in found if is_off}
    tagged = tuple(one for one in tagged if unwanted.isdisjoint(one.tags))
    if not text or not tagged:
        return tagged
    parsed, today = query.parse(text), visit.now.date()
    keys = visit.store.archive.found_among(parsed, [one.paper for one in tagged], today=today)
    keys |= _found_with_notes(visit, parsed, [one for one in tagged if one.note and one.paper not in keys])
    return tuple(one for one in tagged if one.paper in keys)


def _found_with_notes(visit: Visit, parsed: Query, noted: Sequence[Saved]) -> frozenset[int]:
    """The papers (keys) that the query finds when what was noted of them counts as theirs."""
    notes = {one.paper: one.note for one in noted}
    known = visit.store.archive.by_key(list(notes))
    index = DayIndex(
        [
            (replace(one.paper, abstract=f"{one.paper.abstract} {clean(notes[one.key])}"), one.wordings)
            for one in known
        ]
    )
    return frozenset(known[place].key for place in index.papers(parsed, today=visit.now.date()))


def _papers(visit: Visit, saved: Sequence[Saved]) -> tuple[SavedPaper, ...]:
    known = {one.key: one for one in visit.store.archive.by_key([one.paper for one in saved])}
    return tuple(
        SavedPaper(one, known[one.paper].paper, known[one.paper].wordings)
        for one in saved
        if one.paper in known
    )


def _keyboard(
    visit: Visit,
    shown: Sequence[SavedPaper],
    everything: Sequence[Saved],
    wanted: str,
    number: int,
    pages: int,
) -> Keyboard:
    t = visit.t
    numbered = enumerate((one.paper for one in shown), start=(number - 1) * PAGE + 1)
    choices = paper_choices(visit, numbered, action(visit, "sv", f"{number}:{wanted}"))
    turns = page_turns(number, pages, lambda page: action(visit, "sv", f"{page}:{wanted}"))
    tags = Counter(tag for one in everything for tag in one.tags)
    common = [tag for tag, _ in tags.most_common(TAGS_SHOWN)] if not wanted else []
    files = tuple(
        Button(label, action(visit, "svx", f"{form} {wanted}".strip())) for form, label in _LABELS.items()
    )
    return Keyboard(
        (
            *turns.rows,
            *rows(
                *(Button(f"#{tag} · {tags[tag]}", action(visit, "sv", f"1:#{tag}")) for tag in common)
            ).rows,
            files,
        ),
        choices,
        t("Open a paper…"),
    )


def press_export(visit: Visit) -> Reply:
    """The buttons that send the list as a file."""
    form, _, wanted = visit.argument.partition(" ")
    return _export(visit, form, wanted)


def suggest(visit: Visit, typed: str, limit: int) -> tuple[Suggestion, ...]:
    """The person's tags and the exports, as far as they begin with what is typed so far."""
    tags = Counter(tag for one in visit.store.library.saved(visit.person) for tag in one.tags)
    offers = [(f"#{tag} · {count}", f"#{tag}") for tag, count in tags.most_common()]
    offers += [(f"export {label}", f"export {form}") for form, label in _LABELS.items()]
    wanted = typed.casefold().lstrip("#")
    fitting = [Suggestion(*offer) for offer in offers if offer[1].lstrip("#").startswith(wanted)]
    as_typed = [Suggestion(typed, typed)] if typed and len(typed) <= SUGGESTED else []
    return (*as_typed, *fitting)[:limit]


def _export(visit: Visit, form: str, wanted: str) -> Reply:
    t = visit.t
    name = _FORM_NAMES.get(form.casefold())
    if name is None:
        # What follows "export" may be the query already.
        name, wanted = "bibtex", f"{form} {wanted}".strip()
    found = _found(visit, visit.store.library.saved(visit.person), wanted)
    if not found:
        return say(
            t("Nothing to export: no saved paper fits."),
            line(code("/saved export bibtex"), f" {t('also as json or markdown')}"),
            keyboard=rows(Button(t("Show all"), "saved")),
        )
    papers = _papers(visit, found)
    words = t.n(
        "{count} saved paper as {form}.", "{count} saved papers as {form}.", len(papers), form=_LABELS[name]
    )
    return Reply((Block((line(words),)),), attachment=render_library.export(papers, name, t))
