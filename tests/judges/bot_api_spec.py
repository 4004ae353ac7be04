"""Telegram's own description of its Bot API as a judge: what a bot may ask and what a server may answer.

The description lies outside the repository ("../shared/specs/telegram-bot-api.json": `methods` and `types`,
each with typed fields); `BotApi.load()` skips the test that asks for it where it is absent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

SPEC = Path(__file__).resolve().parents[3] / "shared" / "specs" / "telegram-bot-api.json"

_SIMPLE: Mapping[str, Mapping[str, Any]] = {
    "Integer": {"type": "integer"},
    "Float": {"type": "number"},
    "String": {"type": "string"},
    "Boolean": {"type": "boolean"},
    "InputFile": {"const": "<file>"},
    "CallbackGame": {"type": "object"},
}

FILE = "<file>"
"""What stands for an uploaded file among a request's fields."""


def _type_schema(name: str) -> dict[str, Any]:
    if name.startswith("Array of "):
        return {"type": "array", "items": _type_schema(name.removeprefix("Array of "))}
    return dict(_SIMPLE.get(name) or {"$ref": f"#/$defs/{name}"})


def _any_of(names: list[str]) -> dict[str, Any]:
    return _type_schema(names[0]) if len(names) == 1 else {"anyOf": [_type_schema(name) for name in names]}


def _fields_schema(fields: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {field["name"]: _any_of(field["types"]) for field in fields},
        "required": [field["name"] for field in fields if field["required"]],
        "additionalProperties": False,
    }


def _definition(described: dict[str, Any]) -> dict[str, Any]:
    if "subtypes" in described:
        return _any_of(described["subtypes"])
    return _fields_schema(described.get("fields", []))


class BotApi:
    """One version of the Bot API. Both checks raise AssertionError with every violation in one message."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.version: str = spec["version"]
        self._methods: Mapping[str, dict[str, Any]] = spec["methods"]
        self._defs = {name: _definition(described) for name, described in spec["types"].items()}

    @classmethod
    def stored(cls) -> BotApi | None:
        """The description that lies beside the checkout, None where there is none."""
        return cls(_read()) if SPEC.exists() else None

    @classmethod
    def load(cls) -> BotApi:
        """The description that lies beside the checkout; skips the running test where there is none."""
        api = cls.stored()
        if api is None:
            pytest.skip("the Bot API description (shared/specs/telegram-bot-api.json) is not here")
        return api

    def knows(self, method: str) -> bool:
        """Whether there is such a method."""
        return method in self._methods

    def decode(self, method: str, form: Mapping[str, str]) -> dict[str, Any]:
        """A form's fields as values: strings where the method takes strings, JSON elsewhere."""
        types = {field["name"]: field["types"] for field in self._method(method).get("fields", [])}
        return {name: _value(text, types.get(name, ["String"])) for name, text in form.items()}

    def check_request(self, method: str, fields: Mapping[str, Any]) -> None:
        """Raises AssertionError unless `fields` (values; `FILE` for an upload) is a call of `method`."""
        self._check(method, fields, _fields_schema(self._method(method).get("fields", [])))

    def check_result(self, method: str, result: object) -> None:
        """Raises AssertionError unless `result` is what `method` returns."""
        self._check(f"{method} result", result, _any_of(self._method(method)["returns"]))

    def check_type(self, name: str, value: object) -> None:
        """Raises AssertionError unless `value` is of the type `name` ("Update")."""
        self._check(name, value, _type_schema(name))

    def _method(self, name: str) -> dict[str, Any]:
        if name not in self._methods:
            raise AssertionError(f"{self.version} has no method {name}")
        return self._methods[name]

    def _check(self, what: str, value: object, schema: dict[str, Any]) -> None:
        errors = Draft202012Validator({**schema, "$defs": self._defs}).iter_errors(value)
        deepest = [best_match([error]) for error in errors]
        if deepest:
            raise AssertionError(
                f"{what}: " + "; ".join(f"{error.json_path}: {error.message[:300]}" for error in deepest)
            )


@cache
def _read() -> dict[str, Any]:
    spec: dict[str, Any] = json.loads(SPEC.read_text(encoding="utf-8"))
    return spec


def _value(text: str, types: list[str]) -> object:
    if "String" in types and types != ["Integer", "String"]:
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text
