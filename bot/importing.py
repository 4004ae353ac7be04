"""`paperboy import`: digests in text files into the archive, each file on its own, and what came of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO
from zoneinfo import ZoneInfo

import click

from bot import app
from bot.render.text import announced
from scheduler import calendar, importing
from scheduler.enrich.glossary import Glossary
from scheduler.errors import UnknownInput
from scheduler.importing import Imported
from scheduler.sources import digests, kinds
from scheduler.sources.digests import TextDigest
from scheduler.store import Store

SUFFIX = ".txt"


@dataclass(frozen=True, slots=True)
class FileImported:
    """What came of one file: the digest and what it brought, or None twice and the errors that say why."""

    path: Path
    digest: TextDigest | None
    imported: Imported | None
    errors: tuple[str, ...] = ()

    def for_programs(self) -> dict[str, Any]:
        """The JSON object of `paperboy import --json`."""
        digest, imported = self.digest, self.imported
        if digest is None or imported is None:
            return {"file": str(self.path), "papers": 0, "new": 0, "errors": list(self.errors)}
        return {
            "file": str(self.path),
            "date": digest.date.isoformat(),
            "announced": calendar.announced_at(digest.date).isoformat(),
            "claimed": digest.claimed.isoformat() if digest.claimed else None,
            "corrected": digest.corrected,
            "papers": imported.papers,
            "new": imported.new,
            "keywords": digest.keywords,
            "untranslated": list(imported.untranslated),
            "flagged": list(imported.flagged),
            "errors": list(self.errors),
        }

    def for_people(self, zone: str) -> Iterator[str]:
        """A line that counts, and one for everything worth knowing; times are told in `zone` too."""
        digest, imported = self.digest, self.imported
        if digest is None or imported is None:
            return
        yield f"{self.path}: {_papers(imported.papers)}, {imported.new} new, announced {digest.date}"
        if digest.claimed is not None and digest.corrected:
            right = announced(calendar.announced_at(digest.date), ZoneInfo(zone))
            yield f"  announcement time corrected: {announced(digest.claimed, ZoneInfo(zone))} → {right}"
        if any(digest.keywords):
            yield "  keywords: " + ", ".join(f"{word} ({count})" for word, count in digest.keywords.items())
        if imported.untranslated:
            yield f"  translation missing: {', '.join(imported.untranslated)}"
        if imported.flagged:
            doubted = sum(
                any(flag.kind != "terminology" for flag in each) for each in imported.flagged.values()
            )
            terms = len(imported.flagged) - doubted
            yield (
                f"  {_papers(doubted)} flagged by the checks, {terms} more for terms alone; "
                "see: paperboy translations --flagged"
            )


def _papers(count: int) -> str:
    return f"{count} {'paper' if count == 1 else 'papers'}"


def from_paths(
    store: Store, paths: Sequence[Path], glossary: Glossary, now: datetime, out: TextIO
) -> tuple[FileImported, ...]:
    """Imports files, and the text files of folders and all folders in them; a bar on `out` for many on a terminal."""
    files = [file for path in paths for file in _files(path)]
    wants_bar = len(files) > 1 and out.isatty()
    with click.progressbar(files, label="Importing", file=out) if wants_bar else nullcontext(files) as each:
        return tuple(_from_file(store, file, glossary, now) for file in each)


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.rglob(f"*{SUFFIX}") if file.is_file()) or [path]


def _from_file(store: Store, path: Path, glossary: Glossary, now: datetime) -> FileImported:
    if path.is_dir():
        return FileImported(path, None, None, (f"{path}: there is no {SUFFIX} file in this folder",))
    try:
        body = path.read_bytes()
        digest = digests.parse(body)
    except OSError as error:
        return FileImported(path, None, None, (f"{path}: cannot be read: {error.strerror}",))
    except UnknownInput as error:
        return FileImported(path, None, None, (f"{path}: {error}{_advice(body)}",))
    imported = importing.store_digest(store, digest, glossary, now)
    problems = tuple(f"{path}: {one.entry}: {one.problem}" for one in digest.problems)
    return FileImported(path, digest, imported, problems)


def _advice(body: bytes) -> str:
    """What to do with a file that is something else that we can read."""
    try:
        kind = kinds.recognise(body)
    except UnknownInput:
        return ""
    return f"; it is {kind}: read it with paperboy fetch --from"


def import_files(
    store: Store, paths: Sequence[Path], glossary: Glossary, out: TextIO
) -> tuple[FileImported, ...]:
    """`from_paths` at this moment."""
    return from_paths(store, paths, glossary, app.clock(), out)
