"""What is said of a paper that the archive has not: while it is looked up, and when it is not found."""

from __future__ import annotations

from bot.commands.visit import NotArchived, Visit, action, rows, say
from bot.ports import Button, Keyboard, Reply
from scheduler import paper_ids
from scheduler.lookups import Finding
from scheduler.models import PaperId


def begun(visit: Visit, missing: NotArchived) -> Reply:
    """The paper is being fetched; the card takes this answer's place."""
    return say(visit.t("{id} is new to me: looking it up at arXiv…", id=missing.paper_id))


def not_found(visit: Visit, missing: NotArchived, finding: Finding) -> Reply:
    """Why there is no card, and what can be done about it."""
    t, name = visit.t, missing.paper_id
    if finding is Finding.UNKNOWN:
        return say(t("arXiv has no paper {id}. Is a digit wrong?", id=name))
    why = (
        t("Many papers are being looked up at the moment. Try {id} again in a minute.", id=name)
        if finding is Finding.BUSY
        else t(
            "arXiv does not answer at the moment, so I can't show {id}. Try again in a few minutes.", id=name
        )
    )
    again = Button(t("Try again"), action(visit, "p", name))
    pages = asked_version(visit, name, missing.version)
    return say(why, keyboard=Keyboard(((again,), *pages.rows)))


def not_archived(visit: Visit, missing: NotArchived) -> Reply:
    """Where to find a paper that cannot be looked up here."""
    return say(
        visit.t(
            "{id} is not in the archive: it holds what was announced since I began to run.",
            id=missing.paper_id,
        ),
        keyboard=asked_version(visit, missing.paper_id, missing.version),
    )


def asked_version(visit: Visit, paper_id: PaperId, version: int | None) -> Keyboard:
    """The pages of the version that was asked for."""
    links = paper_ids.links(paper_id, version)
    labels = (("abs", visit.t("Abstract page")), ("pdf", "PDF"), ("html", "HTML"))
    return rows(*(Button(label, url=links[form]) for form, label in labels if form in links))
