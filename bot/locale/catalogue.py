"""The catalogue as a file: what the code says, and what is translated of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from babel.messages import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

PACKAGE = Path(__file__).parent.parent
CATALOGUE = Path(__file__).parent / "zh.po"

_KEYWORDS: dict[str, tuple[int, ...] | None] = {"t": None, "N_": None, "n": (1, 2)}
_HEADER = "# Chinese sentences of Paperboy. `python -m bot.locale` keeps them in step with the code."
# The header's dates would change with every run and say nothing.
_NO_DATE = datetime(2026, 1, 1, tzinfo=UTC)


def extracted(package: Path = PACKAGE) -> Catalog:
    """Every sentence that the code of `package` marks with `t(…)`, `t.n(…)` or `N_(…)`, untranslated."""
    found = _empty()
    # Babel's own annotation of an extraction method is that of its caller's result.
    method: Any = _sentences
    for path in sorted(package.rglob("*.py")):
        for _, sentence, _, _ in extract_from_file(method, path, keywords=_KEYWORDS):
            found.add(sentence)
    return found


def _sentences(
    file: IO[bytes], keywords: Mapping[str, object], comment_tags: object, options: object
) -> Iterator[tuple[int, str, tuple[str, ...], list[str]]]:
    """Babel's extraction method, reading the syntax tree: Babel's own one sees no call within an f-string."""
    for node in ast.walk(ast.parse(file.read())):
        if isinstance(node, ast.Call) and (name := _called(node.func)) in keywords:
            wanted = 2 if name == "n" else 1
            texts = tuple(_constants(node.args[:wanted]))
            if len(texts) == wanted:
                yield node.lineno, name, texts, []


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _constants(arguments: list[ast.expr]) -> Iterator[str]:
    for argument in arguments:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            yield argument.value


def read(path: Path = CATALOGUE) -> Catalog:
    """The catalogue in the file; an empty one where there is no file."""
    if not path.exists():
        return _empty()
    with path.open("rb") as file:
        return read_po(file, locale="zh")


def brought_up_to_date(known: Catalog, found: Catalog) -> Catalog:
    """`found` with the translations of `known`; sentences that the code no longer says are left out."""
    fresh = _empty()
    for message in found:
        if message.id:
            old = known.get(message.id)
            translation = old.string if old is not None and not old.fuzzy else None
            fresh.add(message.id, translation or None)
    return fresh


def written(catalogue: Catalog) -> bytes:
    """The file's content: sorted, without places in the code, so that a diff shows sentences alone."""
    content = BytesIO()
    write_po(content, catalogue, no_location=True, sort_output=True, width=100, ignore_obsolete=True)
    return content.getvalue()


def missing(catalogue: Catalog) -> list[str]:
    """The sentences without a translation."""
    return [_sentence(message) for message in catalogue if message.id and not _is_whole(message)]


def _is_whole(message: Message) -> bool:
    forms = [message.string] if isinstance(message.string, str) else list(message.string or ())
    return bool(forms) and all(forms) and not message.fuzzy


def _sentence(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _empty() -> Catalog:
    return Catalog(
        locale="zh",
        header_comment=_HEADER,
        project="Paperboy",
        version="0",
        msgid_bugs_address="-",
        language_team="-",
        last_translator="Paperboy",
        creation_date=_NO_DATE,
        revision_date=_NO_DATE,
        fuzzy=False,
    )
