"""`python -m bot run` as a process of its own, told everything by environment variables."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from copy import copy
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from scheduler.models import Schedule
from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
"""Seconds that a test waits for what the process has to do; starting it takes two or three."""

AHEAD = timedelta(minutes=30)
"""A new subscription is told of today's papers only where its digest is due before the next announcement."""


def zone_of_a_young_day(now: datetime) -> str:
    """An IANA zone in which it is about one o'clock at night, so that no day ends in a test."""
    offset = 1 - now.astimezone(UTC).hour
    offset += 24 if offset < -12 else 0
    # The names of these zones count westward: Etc/GMT-5 is five hours ahead of Greenwich.
    return f"Etc/GMT{-offset:+d}" if offset else "Etc/GMT"


def digests_time(now: datetime) -> Schedule:
    """When new chats are due: so far ahead that tests say themselves when the time has come."""
    zone = zone_of_a_young_day(now)
    return Schedule(f"{(now + AHEAD).astimezone(ZoneInfo(zone)):%H:%M}", zone)


class Paperboy:
    """One Paperboy with its database in `folder`, started and ended as often as a test wants."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.database = folder / "paperboy.sqlite"
        self._output = folder / "output.txt"
        self._cwd = folder / "empty"
        self._cwd.mkdir()
        schedule = digests_time(datetime.now(UTC))
        self._environ = {
            "HOME": str(self._cwd),
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": str(ROOT),
            "PAPERBOY_DATABASE": str(self.database),
            "PAPERBOY_CONTACT": "tests@example.org",
            "PAPERBOY_TIMEZONE": schedule.zone,
            "PAPERBOY_DIGEST_TIME": schedule.time,
            "PAPERBOY_TICK": "0.2",
            **{f"PAPERBOY_{name.upper()}": value for name, value in settings.items()},
        }
        self._process: subprocess.Popen[bytes] | None = None
        self._neighbours = 0
        self.arguments: tuple[str, ...] = ()

    def beside(self, **settings: str) -> Paperboy:
        """Another process on the same database, with some settings changed; it is not started yet."""
        other = copy(self)
        self._neighbours += 1
        other._process = None
        other._output = self._output.with_name(f"output-{self._neighbours}.txt")
        other._environ = self._environ | {f"PAPERBOY_{name.upper()}": text for name, text in settings.items()}
        return other

    # life

    def start(self) -> None:
        """Starts the process; what it writes is kept over all its lives."""
        assert self._process is None, "it runs already"
        with self._output.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "bot", "run", *self.arguments],
                cwd=self._cwd,
                env=self._environ,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    async def ended(self, patience: float = PATIENCE) -> int:
        """The exit status, once the process has ended by itself or by a signal (then it is negative)."""
        assert self._process is not None
        await until(lambda: self._process is not None and self._process.poll() is not None, patience, self)
        status = self._process.wait()
        self._process = None
        return status

    async def stop(self, number: signal.Signals = signal.SIGTERM, patience: float = PATIENCE) -> int:
        """Asks the process to stop, as a service manager or Ctrl-C does, and gives the exit status."""
        self._signal(number)
        return await self.ended(patience)

    async def kill(self) -> None:
        """Ends the process without a word."""
        self._signal(signal.SIGKILL)
        assert await self.ended() == -signal.SIGKILL

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def clean_up(self) -> None:
        """Ends the process where a test has left it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    # what it wrote

    @property
    def output(self) -> str:
        """Everything on standard output and standard error so far."""
        return self._output.read_text(encoding="utf-8") if self._output.exists() else ""

    def lines(self, *words: str) -> list[str]:
        """The lines that hold all these words."""
        return [line for line in self.output.splitlines() if all(word in line for word in words)]

    @property
    def files(self) -> list[str]:
        """What lies in the folder that it was started in."""
        return sorted(path.name for path in self._cwd.iterdir())

    # its database

    @contextlib.contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(self.database, timeout=10)
        try:
            with connection:
                yield connection
        finally:
            connection.close()

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """What the database says; [] before it is there."""
        if not self.database.exists():
            return []
        with self._connected() as connection:
            try:
                return connection.execute(sql, values).fetchall()
            except sqlite3.OperationalError as error:
                if "no such table" in str(error):
                    return []
                raise

    def parts(self, *states: str) -> int:
        """How many parts of the outbox are in one of these states (in any, without states)."""
        chosen = f"where state in ({', '.join('?' * len(states))})" if states else ""
        found = self.rows(f"select count(*) from delivery {chosen}", *states)
        return int(found[0][0]) if found else 0

    def fetched(self) -> int:
        """How many categories' announcements have come from arXiv and are whole."""
        found = self.rows(
            "select count(distinct category) from batch where state = 'fresh' and source like 'arxiv%'"
        )
        return int(found[0][0]) if found else 0

    def let_the_time_come(self) -> None:
        """Every chat's digest is due now, in whole microseconds as a datetime has them."""
        a_second_ago = datetime.now(UTC) - timedelta(seconds=1)
        with self._connected() as connection:
            connection.execute("update chat set next_due = ?", [a_second_ago.timestamp()])


async def until(happened: Any, patience: float = PATIENCE, paperboy: Paperboy | None = None) -> None:
    """Returns as soon as `happened()` is true; fails after `patience` seconds with what Paperboy wrote."""
    end = time.monotonic() + patience
    while not happened():
        told = paperboy.output[-4000:] if paperboy else ""
        assert time.monotonic() < end, f"it did not happen in {patience} s\n{told}"
        await asyncio.sleep(0.02)
