"""How the site is written: in which language, under which address, with which topics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from bot.locale import Translator
from bot.render.view import View
from scheduler.models import Platform
from scheduler.topics import Topic

PROGRAM = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Form:
    """What every page depends on. `content` is "en", "zh" or "both"; `base` the site's address, "" for none."""

    content: str
    topics: tuple[Topic, ...]
    base: str = ""

    @property
    def view(self) -> View:
        """How papers are shown. Nobody knows where a reader sits: times are New York's, where arXiv announces."""
        lang = "zh" if self.content == "zh" else "en"
        return View(lang=lang, content=self.content, zone="America/New_York", platform=Platform.CONSOLE)

    @property
    def t(self) -> Translator:
        """The translator for the pages' own words."""
        return self.view.t

    def fingerprint(self) -> str:
        """A hash of this form and of the program that writes it: another one means that every page is looked at."""
        hashed = blake2b(repr((self.content, self.base, self.topics)).encode(), digest_size=16)
        for path in _program():
            hashed.update(path.read_bytes())
        return hashed.hexdigest()


def _program() -> Iterator[Path]:
    """The files whose change can change a page: code, catalogues, scripts."""
    for package in ("bot", "scheduler"):
        yield from sorted(
            path for path in (PROGRAM / package).rglob("*") if path.suffix in {".py", ".po", ".js", ".csv"}
        )
