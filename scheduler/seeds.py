"""What the folder `seeds/` brings: one day's papers for a new database, and the glossary."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from scheduler.enrich.glossary import Glossary, read_terms
from scheduler.errors import SettingsError, UnknownInput
from scheduler.models import Announcement, AnnounceType, Paper, PaperId, ParsedFeed, Wording
from scheduler.store import Store
from scheduler.text import clean, split_authors

FOLDER = Path(__file__).resolve().parents[1] / "seeds"
LOADED = "seeds.loaded"


def _unreadable(path: Path, error: OSError) -> str:
    return f"{path} cannot be read: {error.strerror}; the folder seeds/ is a part of Paperboy, take it from the release"


def glossary(own: Path | None = None, folder: Path = FOLDER) -> Glossary:
    """The shipped English-Chinese glossary with the operator's file on top of it.

    Raises UnknownInput for a file that cannot be read and SettingsError for one that is no glossary.
    """
    shipped = folder / "glossary.zh.csv"
    made = Glossary(read_terms(_text(shipped, _unreadable), str(shipped)))
    if own is None:
        return made
    return made.with_terms(read_terms(_text(own, _unreadable_glossary), f"PAPERBOY_GLOSSARY={own}"))


def _text(path: Path, problem: Callable[[Path, OSError], str]) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UnknownInput(problem(path, error)) from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is no glossary: not UTF-8, byte {error.start}") from error


def _unreadable_glossary(path: Path, error: OSError) -> str:
    return f"PAPERBOY_GLOSSARY={path} cannot be read: {error.strerror}"


def load_once(store: Store, now: datetime, folder: Path = FOLDER) -> bool:
    """Puts the seeds' papers into a new database; False when that was done before."""
    if LOADED in store.notes:
        return False
    feeds = read_papers(folder)
    with store.writing():
        for feed, wordings in feeds:
            store.archive.store(feed, now=now, wordings=wordings)
        store.notes[LOADED] = now.isoformat()
    return True


def read_papers(folder: Path = FOLDER) -> tuple[tuple[ParsedFeed, dict[PaperId, tuple[Wording, ...]]], ...]:
    """The announcements in `papers.jsonl`, by date and primary category, with each paper's words."""
    path = folder / "papers.jsonl"
    announcements: dict[tuple[date, str], list[Announcement]] = {}
    wordings: dict[PaperId, tuple[Wording, ...]] = {}
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            announcement = _announcement(entry)
            announcements.setdefault((announcement.date, announcement.category), []).append(announcement)
            wordings[announcement.paper.id] = _wordings(entry)
    except OSError as error:
        raise UnknownInput(_unreadable(path, error)) from error
    except (ValueError, KeyError, TypeError) as error:
        raise UnknownInput(f"{path} is no file of papers: {error}") from error
    return tuple(
        (
            ParsedFeed("seeds", "arxiv", category, day, tuple(entries)),
            {entry.paper.id: wordings[entry.paper.id] for entry in entries},
        )
        for (day, category), entries in announcements.items()
    )


def _announcement(entry: Mapping[str, Any]) -> Announcement:
    title = clean(entry["title"])
    paper = Paper(
        id=PaperId(entry["id"]),
        version=entry["version"],
        title=title,
        authors=split_authors(", ".join(entry["authors"])),
        categories=tuple(entry["categories"]),
        raw_title=entry["title"] if title != entry["title"] else "",
    )
    kind = AnnounceType(entry["announce_type"])
    return Announcement(paper, kind, date.fromisoformat(entry["date"]), entry["categories"][0])


def _wordings(entry: Mapping[str, str]) -> tuple[Wording, ...]:
    return (
        Wording("en", tldr=entry["tldr_en"], origin="editor"),
        Wording("zh", title=entry["title_zh"], tldr=entry["tldr_zh"], origin="editor"),
    )
