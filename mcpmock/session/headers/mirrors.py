"""Which arguments of a tool headers mirror: the `x-mcp-header` in its schema (MCP 2026-07-28, "Schema Extension")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from mcpmock.wire.message import Json

__all__ = ["mirrors_of"]

_MARK: Final = "x-mcp-header"
_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_TYPES: Final = ("string", "integer", "boolean", "number")
"""Those that can be mirrored. A number must not be; clients drop the tool, and an official server still looks."""

_OF_SCHEMAS: Final = frozenset(
    (
        *("items", "prefixItems", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems"),
        *("propertyNames", "oneOf", "anyOf", "allOf", "not", "if", "then", "else"),
    )
)
"""Keywords whose value is a schema, or a list of them."""

_OF_NAMED_SCHEMAS: Final = frozenset({"patternProperties", "dependentSchemas", "$defs", "definitions"})


class _Marked(NamedTuple):
    """A schema with a mark; the path to its argument, None where `properties` alone do not lead there."""

    path: tuple[str, ...] | None
    token: Json
    kind: Json

    @property
    def is_sound(self) -> bool:
        return bool(self.path and isinstance(self.token, str) and _TOKEN.fullmatch(self.token) and self.kind in _TYPES)


def mirrors_of(schema: Json) -> Mapping[tuple[str, ...], str]:
    """The header token of each argument, by its path.

    None at all where one mark breaks the rules, or two say the same: clients must drop such a tool, and the official
    servers do not look at headers then.
    """
    marked = list(_marked(schema, ()))
    tokens = {str(one.token).lower() for one in marked}
    if len(tokens) < len(marked) or not all(one.is_sound for one in marked):
        return {}
    return {one.path: str(one.token) for one in marked if one.path}


def _marked(schema: Json, path: tuple[str, ...] | None) -> Iterator[_Marked]:
    if not isinstance(schema, dict):
        return
    if _MARK in schema:
        yield _Marked(path, schema[_MARK], schema.get("type"))
    for key, value in schema.items():
        if key == "properties":
            for name, inner in value.items() if isinstance(value, dict) else ():
                yield from _marked(inner, None if path is None else (*path, name))
        elif key in _OF_SCHEMAS:
            for inner in value if isinstance(value, list) else [value]:
                yield from _marked(inner, None)
        elif key in _OF_NAMED_SCHEMAS:
            for inner in value.values() if isinstance(value, dict) else ():
                yield from _marked(inner, None)
