"""The site's folder: what stands in it, what is written anew, and what of its days the topics' pages need.

Only what differs from the last time is written, each file in one step: a reader never sees half of one. What was
written stands in `.paperboy/manifest.json` as hashes; a folder that is lost is simply written again.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from hashlib import blake2b
from pathlib import Path

from bot.render.stream import Entry
from scheduler.errors import SiteError

KEPT = ".paperboy"


@dataclass(frozen=True, slots=True)
class DayRecord:
    """What is remembered of a day's pages: what they were made from (a hash), and how many papers stand there.

    `entries` names the fields of its entries: another version of Paperboy may have others.
    """

    made_from: str
    papers: int
    entries: str = " ".join(one.name for one in fields(Entry))


@dataclass(slots=True)
class Folder:
    """An open site folder. `written` and `removed` are the files of this update, by their path in the folder."""

    path: Path
    days: dict[date, DayRecord] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    _hashes: dict[str, str] = field(default_factory=dict)

    def write(self, name: str, content: str) -> None:
        """Puts a file in its place unless the very same stands there already."""
        encoded = content.encode("utf-8")
        hashed = blake2b(encoded, digest_size=16).hexdigest()
        target = self.path / name
        if self._hashes.get(name) == hashed and target.is_file():
            return
        _replace(target, encoded)
        self._hashes[name] = hashed
        self.written.append(name)

    def read(self, name: str) -> str:
        """A file of the site, "" for one that does not stand there."""
        target = self.path / name
        return target.read_text(encoding="utf-8") if target.is_file() else ""

    def keep_day(self, day: date, record: DayRecord, topics: dict[str, list[Entry]]) -> None:
        """Remembers a day whose pages are written, and its papers by topic; from then on it counts as done."""
        entries = {key: [asdict(one) for one in papers] for key, papers in topics.items()}
        _replace(self._kept(day), json.dumps(entries, ensure_ascii=False).encode("utf-8"))
        self.days[day] = record
        self.save()

    def topics_of(self, day: date) -> dict[str, list[Entry]]:
        """A day's papers by topic. Raises SiteError when somebody has spoilt what is remembered of it."""
        path = self._kept(day)
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            return {key: [Entry.read(one) for one in papers] for key, papers in kept.items()}
        except (ValueError, TypeError, KeyError, AttributeError):
            raise SiteError(f"{path} is damaged; delete it and run paperboy site again") from None

    def remembers(self, day: date) -> bool:
        """True when the day's papers by topic can be had from an earlier update."""
        record = self.days.get(day)
        is_readable = record is not None and record.entries == DayRecord("", 0).entries
        return is_readable and self._kept(day).is_file()

    def has_day(self, day: date, made_from: str) -> bool:
        """True when the day's pages were made from the same and stand there."""
        is_same = self.remembers(day) and self.days[day].made_from == made_from
        return is_same and all((self.path / name).is_file() for name in files_of(day))

    def names(self, start: str) -> list[str]:
        """The files of the site whose path begins so."""
        return [name for name in self._hashes if name.startswith(start)]

    def remove(self, folder: str, is_over: Callable[[str], bool]) -> None:
        """Takes away what an earlier update wrote under `folder` and nobody wants any more."""
        for name in filter(is_over, self.names(f"{folder}/")):
            with contextlib.suppress(FileNotFoundError):
                (self.path / name).unlink()
            del self._hashes[name]
            self.removed.append(name)

    def save(self) -> None:
        """Writes down what stands in the folder."""
        days = {day.isoformat(): asdict(record) for day, record in sorted(self.days.items())}
        manifest = {"files": dict(sorted(self._hashes.items())), "days": days}
        _replace(self.path / KEPT / "manifest.json", json.dumps(manifest, indent=0).encode("utf-8"))

    def _kept(self, day: date) -> Path:
        return self.path / KEPT / f"{day.isoformat()}.json"


def files_of(day: date) -> tuple[str, ...]:
    """A day's files: its page, both feeds and its part of the search index."""
    return tuple(f"days/{day.isoformat()}.{ending}" for ending in ("html", "xml", "json", "js"))


@contextmanager
def opened(path: Path) -> Iterator[Folder]:
    """The site in the folder at `path`, which is made when it is missing; what stands in it is saved at the end.

    Raises SiteError for a folder that holds pages of somebody else, that cannot be written, or that another process
    is writing.
    """
    try:
        manifest = path / KEPT / "manifest.json"
        if not manifest.exists() and (path / "index.html").exists():
            raise SiteError(f"{path} holds an index.html that is not Paperboy's; name another folder")
        manifest.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path):
            folder = _read(path, manifest)
            folder.save()
            yield folder
            folder.save()
    except OSError as error:
        raise SiteError(f"cannot write the site in {path}: {error.strerror or error}") from error


def _read(path: Path, manifest: Path) -> Folder:
    try:
        kept = json.loads(manifest.read_text(encoding="utf-8"))
        days = {date.fromisoformat(day): DayRecord(**record) for day, record in kept["days"].items()}
        return Folder(path, days, _hashes=dict(kept["files"]))
    except (FileNotFoundError, ValueError, TypeError, KeyError, AttributeError):
        return Folder(path)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    with (path / KEPT / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SiteError(
                f"another process is writing the site in {path}; try again when it is done"
            ) from None
        yield


def _replace(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f".{target.name}.new")
    fresh.write_bytes(content)
    os.replace(fresh, target)
