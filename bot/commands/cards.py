"""The buttons of a paper's card: save, thumbs, similar ones, BibTeX, share, mute, and the way back."""

from __future__ import annotations

from urllib.parse import urlencode

from bot.commands.visit import CardPlace, NotArchived, Visit, action, code, line, rows, say
from bot.markup import Block, Line, LineKind, Span
from bot.ports import Attachment, Button, Keyboard, Reply
from bot.render import bibtex as render_bibtex
from bot.render.library import saved_block, tag_words
from bot.render.paper import card_keyboard
from bot.render.paper_words import abstract_page
from scheduler import paper_ids
from scheduler.enrich.wishes import Part, content_hash
from scheduler.errors import NotAPaperId
from scheduler.models import Paper, PaperId, Platform
from scheduler.store.library import LibraryFull, Saved
from scheduler.store.papers import Known

SHARE = "https://t.me/share/url"
"""Opens Telegram's choice of a chat to share an address with (core.telegram.org/widgets/share)."""

LONGEST_ENTRY = 3000
"""Characters of a BibTeX entry that are shown; a longer one (thousands of authors) comes as a file."""


def keyboard(visit: Visit, known: Known, back: str = "", version: int | None = None) -> Keyboard:
    """Everything that can be done with a paper, in the state in which this reader left it.

    With a `version` its pages are those of that version.
    """
    t, place = visit.t, str(CardPlace(known.paper.id, back))
    may_mute = visit.request.may_manage
    lists = (
        card_keyboard(known.paper, t, version).rows,
        ((_save_button(visit, known, place), *_thumbs(visit, known, place)),),
        rows(
            Button(t("Similar"), action(visit, "sim", "", known.paper.id)),
            Button("BibTeX", action(visit, "bib", known.paper.id)),
            _share(visit, known.paper),
        ).rows,
        rows(
            Button(t("Translate the abstract"), action(visit, "zh", place))
            if may_translate(visit, known)
            else None
        ).rows,
        rows(
            Button(t("Mute…"), action(visit, "mutes", place)) if may_mute else None,
            Button(back_label(visit, back), back) if back else None,
        ).rows,
    )
    return Keyboard(tuple(row for one in lists for row in one))


def may_translate(visit: Visit, known: Known) -> bool:
    """Whether a reader of Chinese lacks the abstract, and it was not tried in vain before."""
    words = known.wordings.get("zh")
    if not visit.house.translates or "zh" not in visit.view.languages or not known.paper.abstract:
        return False
    if words is not None and words.abstract:
        return False
    return Part.ABSTRACT not in visit.store.enrichments.given_up(content_hash(known.paper), "zh")


def back_label(visit: Visit, back: str) -> str:
    """What the button that leads back to a page is called."""
    return visit.t("◀ Back to the digest") if back.startswith("d:") else visit.t("◀ Back to the list")


def _save_button(visit: Visit, known: Known, place: str) -> Button:
    """Where others look on, the button never tells what one of them keeps."""
    is_saved = not visit.is_overheard and visit.store.library.saved_paper(visit.person, known.key) is not None
    label = visit.t("★ Saved") if is_saved else visit.t("⭐ Save")
    return Button(label, action(visit, "save", place))


def _thumbs(visit: Visit, known: Known, place: str) -> tuple[Button, Button]:
    up, down = action(visit, "up", place), action(visit, "down", place)
    if visit.is_overheard:
        liked, disliked = visit.store.library.votes_in(visit.chat.key, known.key)
        return Button(f"👍 {liked or ''}".rstrip(), up), Button(f"👎 {disliked or ''}".rstrip(), down)
    own = visit.store.library.vote_of(visit.person, known.key)
    return Button("👍 ✓" if own > 0 else "👍", up), Button("👎 ✓" if own < 0 else "👎", down)


def _share(visit: Visit, paper: Paper) -> Button | None:
    url = abstract_page(paper)
    if visit.chat.ref.platform is not Platform.TELEGRAM or not url:
        return None
    return Button(visit.t("Share"), url=f"{SHARE}?{urlencode({'url': url, 'text': paper.title})}")


def own_words(visit: Visit, known: Known) -> tuple[Block, ...]:
    """What the reader saved the paper with, where nobody else reads it."""
    if visit.is_overheard or not visit.person:
        return ()
    saved = visit.store.library.saved_paper(visit.person, known.key)
    return (saved_block(saved, visit.view),) if saved is not None else ()


def note_opened(visit: Visit, known: Known) -> None:
    """Remembers that the reader opened this card."""
    if visit.person:
        visit.store.library.opened(visit.person, visit.chat.key, known.key, visit.now)


def press_save(visit: Visit) -> Reply:
    """[⭐ Save]: saves the paper, or takes it out again; what it was saved with can be had back."""
    place, known = _pressed(visit)
    if known is None or not visit.person:
        return _cannot(visit)
    before = visit.store.library.saved_paper(visit.person, known.key)
    if before is None:
        try:
            visit.store.library.save(visit.person, visit.chat.key, known.key, visit.now)
        except LibraryFull:
            return Reply(toast=full(visit))
        return _changed(visit, known, place, visit.t("Saved. {command} shows all.", command="/saved"))
    has_words = bool(before.tags or before.note)
    if has_words and visit.is_overheard:
        return Reply(toast=visit.t("You saved this with words of yours; take it away in private: /saved"))
    visit.store.library.remove(visit.person, known.key)
    if has_words:
        return removed(visit, known.paper, before)
    return _changed(visit, known, place, visit.t("No longer saved."))


def full(visit: Visit) -> str:
    """What somebody is told who saved as much as one can."""
    return visit.t("You have saved as many papers as I can keep; remove one first.")


def removed(visit: Visit, paper: Paper, saved: Saved) -> Reply:
    """Tells that a paper is no longer saved, with a button that saves it again with the same words."""
    again = " ".join(filter(None, (paper.id, tag_words(saved.tags), saved.note)))
    return say(
        visit.t("No longer saved: {title}", title=paper.title),
        keyboard=rows(Button(visit.t("Undo"), action(visit, "resave", again))),
    )


def press_up(visit: Visit) -> Reply:
    """👍: likes the paper, or takes that back."""
    return _vote(visit, 1, visit.t("Noted: more like this."))


def press_down(visit: Visit) -> Reply:
    """👎: the opposite."""
    return _vote(visit, -1, visit.t("Noted: less like this."))


def _vote(visit: Visit, value: int, words: str) -> Reply:
    place, known = _pressed(visit)
    if known is None or not visit.person:
        return _cannot(visit)
    taken_back = visit.store.library.vote_of(visit.person, known.key) == value
    visit.store.library.vote(visit.person, visit.chat.key, known.key, 0 if taken_back else value, visit.now)
    return _changed(visit, known, place, visit.t("Taken back.") if taken_back else words)


def _pressed(visit: Visit) -> tuple[CardPlace, Known | None]:
    place = CardPlace.read(visit.argument)
    return place, visit.store.archive.by_id(place.paper)


def _cannot(visit: Visit) -> Reply:
    if not visit.person:
        return Reply(toast=visit.t("I can't tell who you are here. Write to me in private for that."))
    return Reply(toast=visit.t("This paper is not in the archive any more."))


def _changed(visit: Visit, known: Known, place: CardPlace, words: str) -> Reply:
    """The same card with its buttons in their new state."""
    return Reply(keyboard=keyboard(visit, known, place.back), in_place=True, toast=words, shareable=True)


def bibtex(visit: Visit) -> Reply:
    """/bibtex: one paper's entry, to be copied."""
    if not visit.argument:
        return say(
            visit.t("Which paper? Write its id or a link after the command:"),
            line(code("/bibtex 2609.33867")),
        )
    known = named(visit, visit.argument)
    return known if isinstance(known, Reply) else _entry(visit, known)


def press_bibtex(visit: Visit) -> Reply:
    """[BibTeX] on a card."""
    known = visit.store.archive.by_id(PaperId(visit.argument))
    return _cannot(visit) if known is None else _entry(visit, known)


def _entry(visit: Visit, known: Known) -> Reply:
    entry = render_bibtex.entry(known.paper)
    if len(entry) > LONGEST_ENTRY:
        name = f"{render_bibtex.cite_key(known.paper)}.bib"
        words = visit.t(
            "The entry has {count} authors, so it comes as a file.", count=len(known.paper.authors)
        )
        return Reply(
            (Block((line(words),)),), attachment=Attachment(name, entry + "\n", "application/x-bibtex")
        )
    lines = tuple(Line((Span(text),), LineKind.PRE) for text in entry.splitlines())
    return Reply((Block(lines),), shareable=True)


def named(visit: Visit, text: str) -> Known | Reply:
    """The archived paper that a person named by its id or a link, or the answer that it is none.

    Raises NotArchived.
    """
    try:
        paper_id, version = paper_ids.parse(text)
    except NotAPaperId:
        return say(
            visit.t(
                "“{text}” is no paper's id. One looks like 2609.33867 or hep-th/9901001; a link works too.",
                text=text[:80],
            )
        )
    known = visit.store.archive.by_id(paper_id)
    if known is None:
        raise NotArchived(paper_id, version)
    return known
