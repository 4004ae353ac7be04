"""A small archive for the site's tests: three announcement days, some papers of topics, one with evil words."""

from __future__ import annotations

from datetime import date

from bot.site.form import Form
from scheduler import topics
from scheduler.models import AnnounceType, Wording
from scheduler.store import Store
from tests.builders import MORNING, feed, paper

THURSDAY = date(2026, 9, 24)
MONDAY = date(2026, 9, 28)
TUESDAY = date(2026, 9, 29)
WEDNESDAY = date(2026, 9, 30)

EVIL = '<script>alert("1")</script> & </details> ]]> {{x}} \u202e\x07'
BASE = "https://papers.example.org/archive"


def form(content: str = "both", base: str = "") -> Form:
    """The site in both languages, from files."""
    return Form(content, topics.catalogue(), base)


def filled(store: Store) -> Store:
    """Three days: world models on two of them (one paper on both), a withdrawn paper, and a bilingual one."""
    kites = paper(
        "2609.00001",
        "World models for kites",
        "We present a world model of kites. It improves flight by 12%.",
        authors=("Ana Müller", "Bo Sand"),
    )
    store.archive.store(feed(kites, day=THURSDAY), now=MORNING)
    store.archive.store(
        feed(
            paper("2609.00002", EVIL, EVIL, authors=(EVIL,), categories=("cs.AI",), comments=EVIL),
            paper("hep-th/9901001", "On boundaries", categories=("hep-th",)),
            day=MONDAY,
        ),
        now=MORNING,
        wordings={},
    )
    ropes = paper("2609.00003", "World models of ropes", "We study ropes with world models.")
    words = {ropes.id: (Wording("zh", "绳索的世界模型", "用世界模型研究绳索。", origin="editor"),)}
    store.archive.store(feed(ropes, day=TUESDAY), now=MORNING, wordings=words)
    store.archive.store(feed(kites, day=TUESDAY, category="cs.RO", kind=AnnounceType.CROSS), now=MORNING)
    return store


def announce(store: Store, day: date, *titles: str) -> None:
    """One more day with papers of these titles."""
    papers = [paper(f"26{day:%m}.9{place:04}", title, "An abstract.") for place, title in enumerate(titles)]
    store.archive.store(feed(*papers, day=day), now=MORNING)
