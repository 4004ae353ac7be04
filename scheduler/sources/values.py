"""Fields of JSON answers, whose types nobody promises: read as the type wanted, or as nothing."""

from __future__ import annotations

import json
from typing import Any

from scheduler.errors import SourceChanged


def document(body: bytes, source: str) -> Any:
    """The JSON document in `body`. Raises SourceChanged for what is none (or is nested beyond all sense)."""
    try:
        return json.loads(body.decode("utf-8-sig", errors="replace"))
    except (ValueError, RecursionError) as error:
        raise SourceChanged(source, "the answer is no JSON document, or it breaks off") from error


def of(holder: Any, name: str) -> Any:
    """A field of an object; None where there is no object or no such field."""
    return holder.get(name) if isinstance(holder, dict) else None


def first(values: Any) -> Any:
    """The first of a list; None for anything else."""
    return values[0] if isinstance(values, list) and values else None


def string(holder: Any, name: str) -> str:
    """A field as a stripped string; numbers too, "" for anything else and for the "NA" of bioRxiv."""
    value = of(holder, name)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    written = str(value).strip()
    return "" if written == "NA" else written


def number(holder: Any, name: str) -> int | None:
    """A field as a whole number, written as one or as a string of digits; None for anything else."""
    written = string(holder, name)
    return int(written) if written.isdecimal() and written.isascii() else None
