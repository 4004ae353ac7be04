"""Captured answers in the shared folder beside the checkout; tests that need them skip without it."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from scheduler.models import Announcement

FEEDS = Path(__file__).resolve().parents[3] / "shared" / "feeds"
SERVED = FEEDS / "served"


def captured(name: str) -> bytes:
    """The bytes of a captured answer (`served/…` for those of arXiv's own software)."""
    path = FEEDS / name
    if not path.is_file():
        pytest.skip(f"shared/feeds/{name} is not beside this checkout")
    return path.read_bytes()


def table(name: str) -> list[dict[str, str]]:
    """The rows of served/MANIFEST.tsv or served/EXPECT.tsv; [] where they are absent."""
    path = SERVED / name
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def counts(announcements: Iterable[Announcement]) -> dict[str, int]:
    """How many announcements of each type."""
    return dict(Counter(str(announcement.announce_type) for announcement in announcements))
