"""What a measurement says, how it is taken, and the table and the file of all of them."""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

ROUNDS = 3
"""A measurement is the best of so many: what else the machine does only ever adds to it."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement. `ratio` is how many times more `peer` takes, None without a peer; `met` is the verdict."""

    name: str
    value: float
    unit: str
    target: str
    ratio: float | None
    peer: str
    met: bool


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured: `papers` in the archive, `day` of them on one day, and subscriptions."""

    papers: int
    day: int
    subscriptions: int
    distinct: int

    @property
    def seconds(self) -> int:
        """How long the sender is watched."""
        return 20 if self.subscriptions >= 10_000 else 2

    @classmethod
    def from_environment(cls) -> Sizes:
        """BENCH_PAPERS (100,000) and BENCH_SUBSCRIPTIONS (100,000); small archives make everything small."""
        papers = int(os.environ.get("BENCH_PAPERS", "100000"))
        subscriptions = int(os.environ.get("BENCH_SUBSCRIPTIONS", str(min(100_000, 20 * papers))))
        distinct = subscriptions * 32 // 100 if subscriptions < 1_000_000 else 240_000
        return cls(papers, min(1000, papers), subscriptions, distinct)


def at_most(
    name: str,
    value: float,
    unit: str,
    most: float,
    *,
    peer: str = "",
    times: float | None = None,
    least: float = 0,
) -> Figure:
    """A figure that must not exceed `most`, with a peer that must take `least` times as much."""
    target = f"≤ {most:g} {unit}" + (f", ≥ {least:g} ×" if least else "")
    met = value <= most and (times is None or times >= least)
    return Figure(
        name, round(value, 4), unit, target, round(times, 1) if times is not None else None, peer, met
    )


def cpu_seconds(work: Callable[[], T], rounds: int = ROUNDS) -> tuple[float, T]:
    """The least CPU time of a few rounds, and what the last one returned."""
    return _least(time.process_time, work, rounds)


def wall_seconds(work: Callable[[], T], rounds: int = ROUNDS) -> tuple[float, T]:
    """The same by the clock on the wall."""
    return _least(time.perf_counter, work, rounds)


def _least(clock: Callable[[], float], work: Callable[[], T], rounds: int) -> tuple[float, T]:
    taken = []
    for _ in range(rounds):
        start = clock()
        result = work()
        taken.append(clock() - start)
    return min(taken), result


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of all are not above; 0 for none."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))] if ranked else 0.0


def peak_megabytes() -> float:
    """The most memory that this process ever had (Linux counts in kilobytes: getrusage(2))."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def table(figures: Sequence[Figure]) -> str:
    """The figures as lines of text."""
    rows = [("work", "value", "target", "ratio", "peer", "met")]
    for each in figures:
        ratio = f"{each.ratio:,.1f} ×" if each.ratio is not None else ""
        value = f"{each.value:,.3f} {each.unit}"
        rows.append((each.name, value, each.target, ratio, each.peer, "yes" if each.met else "NO"))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
    )


def write(figures: Sequence[Figure], path: Path) -> None:
    """The figures as a list of JSON objects."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps([asdict(each) for each in figures], ensure_ascii=False, indent=2) + "\n", "utf-8"
    )
