"""Several processes that make the days of a large site, each with a connection of its own."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from bot.site.days import MadeDay, Make, Order, in_turn, made_day
from bot.site.form import Form
from scheduler.store import Store, open_store

WORTH_IT = 4
"""Fewer days are made at once sooner than processes have started."""


def working(store: Store, database: Path, form: Form) -> Make:
    """Makes many days in as many processes as the machine has cores, few in this one."""

    def make(orders: Sequence[Order]) -> Iterator[MadeDay]:
        cores = min(os.cpu_count() or 1, len(orders))
        if cores == 1 or len(orders) < WORTH_IT:
            yield from in_turn(store, form)(orders)
            return
        # Not forked: a process that has threads and an open database must not be copied.
        with ProcessPoolExecutor(cores, get_context("spawn"), _begin, (database, form)) as pool:
            yield from pool.map(_make, orders)

    return make


_mine: list[tuple[Store, Form]] = []


def _begin(database: Path, form: Form) -> None:
    # Ctrl-C reaches every process of a terminal; the one that started this one ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _mine.append((open_store(database), form))


def _make(order: Order) -> MadeDay:
    store, form = _mine[0]
    return made_day(store, order, form)
