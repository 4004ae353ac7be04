"""Work that makes thousands of small things at once, without the garbage collector looking at them all the while."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collecting() -> Iterator[None]:
    """Rows and queries by the thousand set the collector off again and again, which then looks through the whole of a
    day's index for nothing. What is dropped meanwhile is freed as ever; only circles wait."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
