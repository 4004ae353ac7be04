"""A paper's words in the database: one row a language, what the checks found in them as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, replace
from typing import Any

from sqlite_utils import Database

from scheduler.models import Flag, Wording, WordingStatus

_COLUMNS = ("lang", "title", "tldr", "abstract", "origin", "flags", "status", "translator")
_PUT = (
    f"insert into wording(paper, {', '.join(_COLUMNS)}) values (?{', ?' * len(_COLUMNS)}) "
    f"on conflict(paper, lang) do update set {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS[1:])}"
)


def put_words(db: Database, key: int, word: Wording) -> None:
    """Writes a paper's words in one language over those that are there."""
    flags = json.dumps([astuple(flag) for flag in word.flags], ensure_ascii=False)
    texts = [word.lang, word.title, word.tldr, word.abstract, word.origin]
    db.execute(_PUT, [key, *texts, flags, word.status, word.translator])


def read_words(row: Mapping[str, Any]) -> Wording:
    """The words in a row of the table."""
    values = {name: row[name] for name in _COLUMNS}
    values["flags"] = tuple(Flag(*flag) for flag in json.loads(row["flags"]))
    values["status"] = WordingStatus(row["status"])
    return Wording(**values)


def united(known: Mapping[str, Wording], added: Iterable[Wording]) -> dict[str, Wording]:
    """The words by language with `added` ones over them; texts that are "" leave what is there, with its flags."""
    words = dict(known)
    for word in added:
        words[word.lang] = _over(words.get(word.lang, Wording(word.lang)), word)
    return words


def _over(before: Wording, word: Wording) -> Wording:
    """`word` over what is there. A text that somebody else wrote in the same words already stays theirs."""
    word = _what_is_new(before, word)
    flags = tuple(flag for flag in before.flags if not getattr(word, flag.field)) + word.flags
    origin = word.origin if word.tldr or not before.tldr else before.origin
    translator = _translator(word) or _translator(before)
    return Wording(
        word.lang,
        word.title or before.title,
        word.tldr or before.tldr,
        word.abstract or before.abstract,
        origin,
        flags,
        _status(word, flags),
        translator if translator != origin else "",
    )


def _what_is_new(before: Wording, word: Wording) -> Wording:
    known = [("tldr", before.origin), ("title", _translator(before)), ("abstract", _translator(before))]
    theirs = {
        field
        for field, writer in known
        if getattr(word, field) and getattr(word, field) == getattr(before, field) and writer != word.origin
    }
    flags = tuple(flag for flag in word.flags if flag.field not in theirs)
    title, tldr, abstract = (
        "" if field in theirs else getattr(word, field) for field in ("title", "tldr", "abstract")
    )
    return replace(word, title=title, tldr=tldr, abstract=abstract, flags=flags)


def _translator(word: Wording) -> str:
    return (word.translator or word.origin) if word.title or word.abstract else ""


def _status(word: Wording, flags: Sequence[Flag]) -> WordingStatus:
    if word.status is WordingStatus.OK and flags:
        return WordingStatus.FLAGGED
    return word.status
