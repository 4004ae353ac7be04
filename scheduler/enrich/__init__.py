"""A paper's words beside its own: the TL;DR, made without a model where nobody wrote one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from scheduler.enrich import extract
from scheduler.models import Paper, Wording

_tldr = lru_cache(maxsize=20_000)(extract.tldr)


def complete(paper: Paper, wordings: Mapping[str, Wording]) -> Mapping[str, Wording]:
    """The paper's words with an English TL;DR: an extract of the abstract where there is none yet."""
    english = wordings.get("en")
    if (english is not None and english.tldr) or not paper.abstract:
        return wordings
    made = _tldr(paper.title, paper.abstract)
    if not made:
        return wordings
    before = english or Wording("en")
    return {**wordings, "en": replace(before, tldr=made, origin="extract")}
