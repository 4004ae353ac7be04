"""Discord's own description of its HTTP API as a judge of the requests that a bot makes.

The description (OpenAPI 3.1) lies outside the repository, in "../shared/specs/discord-openapi.json".
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

SPEC = Path(__file__).resolve().parents[3] / "shared" / "specs" / "discord-openapi.json"

_ADDRESS = "urn:discord"

_OF_THE_LIBRARY = frozenset({"tts"})
"""Sent by discord.py with every edit; Discord passes over it."""


def is_here() -> bool:
    """True where the description lies beside the checkout."""
    return SPEC.exists()


def check_request(method: str, path: str, json_body: object = None) -> None:
    """Raises AssertionError unless Discord has this operation and takes this body; skips without a judge.

    `path` is relative to the API's base ("/channels/1/messages"). A body is checked against the schema of the
    operation's JSON form, and its outermost names must all be known there.
    """
    if not is_here():
        pytest.skip("Discord's API description (shared/specs/discord-openapi.json) is not here")
    if problems := problems_of(method, path, json_body):
        raise AssertionError(f"{method} {path}: " + "; ".join(problems))


def problems_of(method: str, path: str, json_body: object = None) -> list[str]:
    """What is wrong with a request, one sentence each; [] for a good one."""
    template = _template(method, path)
    if template is None:
        return ["no such operation"]
    content = _spec()["paths"][template][method.lower()].get("requestBody", {}).get("content", {})
    if "application/json" not in content:
        return [] if json_body is None else ["this operation takes no JSON body"]
    schema = content["application/json"]["schema"]
    return [*_violations(template, method, json_body), *_unknown_names(schema, json_body)]


def _violations(template: str, method: str, body: object) -> list[str]:
    parts = ("paths", template, method.lower(), "requestBody", "content", "application/json", "schema")
    pointer = "/".join(part.replace("~", "~0").replace("/", "~1") for part in parts)
    # A JSON pointer in an address must not hold braces.
    pointer = pointer.replace("{", "%7B").replace("}", "%7D")
    validator = Draft202012Validator({"$ref": f"{_ADDRESS}#/{pointer}"}, registry=_registry())
    return [_sentence(error) for error in validator.iter_errors(body)]


def _depth(error: ValidationError) -> tuple[int, int]:
    place = error.relative_schema_path[0]
    return len(error.absolute_path), -place if isinstance(place, int) else 0


def _sentence(error: ValidationError) -> str:
    deepest = error
    while deepest.context:
        # Of the alternatives the one that goes furthest into the body was meant.
        deepest = max(deepest.context, key=_depth)
    return f"{deepest.json_path}: {deepest.message[:200]}"


def _unknown_names(schema: dict[str, Any], body: object) -> list[str]:
    if not isinstance(body, dict):
        return []
    known = _names(schema)
    strange = set(body) - known - _OF_THE_LIBRARY if known else ()
    return [f"{name!r} is not a field of this body" for name in strange]


def _names(schema: dict[str, Any]) -> set[str]:
    """The property names of a schema; of all its alternatives where it has some."""
    if "$ref" in schema:
        return _names(_spec()["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    names = set(schema.get("properties", ()))
    for alternative in [*schema.get("oneOf", ()), *schema.get("anyOf", ()), *schema.get("allOf", ())]:
        names |= _names(alternative)
    return names


def _template(method: str, path: str) -> str | None:
    """The path of the description that a real path fits; fixed words win over placeholders."""
    fitting = [
        template
        for template, operations in _spec()["paths"].items()
        if method.lower() in operations and _pattern(template).fullmatch(path.partition("?")[0])
    ]
    return min(fitting, key=lambda template: template.count("{"), default=None)


@cache
def _pattern(template: str) -> re.Pattern[str]:
    pieces = re.split(r"\{[^}]*\}", template)
    return re.compile("[^/]+".join(re.escape(piece) for piece in pieces))


@cache
def _registry() -> Registry[Any]:
    resource: Resource[Any] = Resource.from_contents(_spec(), default_specification=DRAFT202012)
    registry: Registry[Any] = Registry().with_resource(_ADDRESS, resource)
    return registry


@cache
def _spec() -> dict[str, Any]:
    spec: dict[str, Any] = json.loads(SPEC.read_text(encoding="utf-8"))
    schemas = spec["components"]["schemas"]
    # discord.py writes some ids as numbers, which Discord reads as well.
    schemas["SnowflakeType"] = {"anyOf": [schemas["SnowflakeType"], {"type": "integer", "minimum": 0}]}
    # The description does not have the media channels yet that the documentation lists ("Channel types").
    schemas["ChannelTypes"]["oneOf"].append({"title": "GUILD_MEDIA", "const": 16})
    return spec
