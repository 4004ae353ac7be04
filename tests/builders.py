"""Small papers, feeds and chats for tests, in the field's words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from scheduler.models import (
    Announcement,
    AnnounceType,
    Author,
    Chat,
    ChatKind,
    ChatRef,
    Paper,
    PaperId,
    ParsedFeed,
    Platform,
    Schedule,
)
from scheduler.store import Store, open_store
from scheduler.store.chats import Defaults

TUESDAY = date(2026, 9, 29)
MORNING = datetime(2026, 9, 29, 7, 0, tzinfo=UTC)
SHARED = Path(__file__).resolve().parents[2] / "shared"
DEFAULTS = Defaults(Schedule("08:00", "UTC"), {"en": "en", "zh": "both"})


def paper(
    paper_id: str,
    title: str = "A paper",
    abstract: str = "",
    *,
    authors: Sequence[str] = ("Ada Lovelace",),
    categories: Sequence[str] = ("cs.LG",),
    version: int = 1,
    comments: str = "",
) -> Paper:
    """A paper with sensible defaults."""
    return Paper(
        PaperId(paper_id),
        version,
        title,
        abstract,
        tuple(Author(name) for name in authors),
        tuple(categories),
        comments=comments,
    )


def feed(
    *papers: Paper,
    day: date = TUESDAY,
    category: str = "cs.LG",
    kind: AnnounceType = AnnounceType.NEW,
    declared: int | None = None,
) -> ParsedFeed:
    """One category's announcement of one day."""
    announcements = tuple(Announcement(one, kind, day, category) for one in papers)
    return ParsedFeed("arxiv-rss", "arxiv", category, day, announcements, declared=declared)


def memory_store() -> Store:
    """An empty store that lives in memory."""
    return open_store(None)


def chat_in(
    store: Store,
    name: str = "ada",
    *,
    platform: Platform = Platform.CONSOLE,
    kind: ChatKind = ChatKind.PRIVATE,
    schedule: Schedule | None = None,
    now: datetime = MORNING,
) -> Chat:
    """A chat that spoke to Paperboy."""
    defaults = Defaults(schedule, DEFAULTS.content) if schedule else DEFAULTS
    return store.chats.ensure(ChatRef(platform, name), kind, name, "en", defaults, now)
