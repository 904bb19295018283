"""The JSON Schema of cassettes, for editors: made of the tables that the reader reads by.

It is draft 7, which editors know best. What a schema cannot say (which message is an answer, whether a string is the
exact JSON text of a message) only the reader refuses.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from mcpmock.cassette import entries, http_facts, reader, schema
from mcpmock.cassette.model import FORMAT_VERSION
from mcpmock.cassette.schema import SHAPES, Table, Take
from mcpmock.wire.message import Json, Object

__all__ = ["cassette_schema"]

_POINTER: Final = r"^(?:/(?:[^~]|~[01])*)$"
_HEADER_NAME: Final = r"^[!#$%&'*+.^_`|~0-9a-z-]+$"
_HEADER_VALUE: Final = r"^(?:[^\x00\r\n\v\f \t](?:[^\x00\r\n\v\f]*[^\x00\r\n\v\f \t])?)?$"
_STATUS: Final[Object] = {"type": "integer", "minimum": 200, "maximum": 999}
_LINE: Final = "a line that was no message: its text, its bytes, or their number"


def cassette_schema() -> Object:
    """The schema of a whole cassette."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A cassette of mcpmock, version 1",
        **_object(reader.FILE_KEYS, required=("version", "sessions")),
        "definitions": {
            "session": _object(reader.SESSION_KEYS, required=("entries",)),
            "rule": _object(reader.RULE_KEYS),
            "norm": _object(http_facts.NORM_KEYS),
            "entry": _entry(),
            "message": {"anyOf": [_said("one"), {"type": "array", "minItems": 1, "items": _said("one")}]},
            "one": {"anyOf": [_said("mapping"), {"type": "string", "minLength": 2}]},
            "mapping": _message(),
            "beside": _only(http_facts.FACT_KEYS, http_facts.BESIDE),
            "fact": {"oneOf": [_fact(kind) for kind in http_facts.KINDS]},
        },
    }


def _said(name: str) -> Object:
    return {"$ref": f"#/definitions/{name}"}


def _object(table: Table, *, required: Iterable[str] = ()) -> Object:
    """A mapping with the keys of a table."""
    made = _only(table, table.keys)
    return {**made, "required": list(required)} if required else made


def _only(table: Table, keys: Iterable[str], **values: Json) -> Object:
    """A mapping with some of the keys of a table; `values` replaces what is said of single ones."""
    properties: Object = {key: values.get(key) or _shape(table, key) for key in table.keys if key in set(keys)}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _shape(table: Table, key: str) -> Json:
    known = _BY_KEY.get((table.what, key))
    return known if known is not None else _shape_of(table.keys[key])


def _shape_of(take: Take) -> Json:
    """What a taker takes, in the words of JSON Schema."""
    shape: Any = SHAPES.get(take)
    if isinstance(shape, Table):
        return _object(shape)
    made: Json = shape if shape is not None else _PLAIN[take]
    return made


def _message() -> Object:
    """A JSON-RPC message, as far as a schema need know it."""
    properties: Object = {"jsonrpc": {"const": "2.0"}, "method": {"type": "string"}}
    kinds: list[Json] = [{"required": [key]} for key in ("method", "result", "error")]
    return {"type": "object", "properties": properties, "anyOf": kinds}


def _entry() -> Object:
    """What may stand beside what: an entry is of one kind, or the short form."""
    return {"oneOf": [_short_form(), *[_entry_of(kind) for kind in entries.COMPANY]]}


def _entry_of(kind: str) -> Object:
    company = entries.COMPANY[kind] - ({"server", "http"} if kind == "client" else set())
    http = _said("fact" if kind == "http" else "beside")
    return {**_only(entries.KEYS, {kind, *company}, http=http), "required": [kind]}


def _short_form() -> Object:
    """A request and its answer; neither has an id."""
    without_id: Object = {"not": {"required": ["id"]}}
    request: Object = {"allOf": [_said("one"), without_id, {"not": {"required": ["result"]}}]}
    answer: Object = {"allOf": [_said("one"), without_id, {"not": {"required": ["method"]}}]}
    keys = {"client", *entries.COMPANY["client"]}
    made = _only(entries.KEYS, keys, client=request, server=answer, http=_said("beside"))
    return {**made, "required": ["client", "server"]}


def _fact(kind: str) -> Object:
    keys = _only(http_facts.FACT_KEYS, {kind, *http_facts.COMPANY[kind]})
    has_body: Json = [{"required": [key]} for key in ("body", "base64")]
    without: Object = {
        "required": [kind],
        "properties": {kind: {"enum": [*http_facts.WITHOUT_BODY]}},
        "anyOf": has_body,
    }
    return {**keys, "required": [kind], **({"not": without} if kind in http_facts.VERBS else {})}


_PLAIN: Final[dict[Take, Json]] = {
    schema.string: {"type": "string"},
    schema.name: {"type": "string", "minLength": 1},
    schema.strings: {"type": "array", "items": {"type": "string"}},
    schema.string_pairs: {"type": "object", "additionalProperties": {"type": "string"}},
    schema.counts: {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}},
    schema.boolean: {"type": "boolean"},
    schema.reference: {"type": ["string", "number"]},
    schema.base64: {"type": "string", "pattern": "^[A-Za-z0-9+/]*={0,2}$"},
    schema.pointers: {"type": "array", "items": {"type": "string", "pattern": _POINTER}},
    schema.anything: True,
    http_facts.media: {"type": "string", "minLength": 1, "pattern": _HEADER_VALUE},
    http_facts.status: _STATUS,
    http_facts.status_of_message: {**_STATUS, "not": {"enum": [*http_facts.WITHOUT_BODY]}},
    http_facts.stream_or_status: {"anyOf": [{"const": "stream"}, _STATUS]},
    http_facts.headers: {
        "type": "object",
        "additionalProperties": {"type": "string", "pattern": _HEADER_VALUE},
        "propertyNames": {"pattern": _HEADER_NAME, "not": {"enum": [*http_facts.FRAMING]}},
    },
    http_facts.sent: {
        "type": "object",
        "additionalProperties": {"type": ["string", "null"]},
        "propertyNames": {"pattern": _HEADER_NAME},
    },
}
"""What the takers take that are no closures."""

_BY_KEY: Final[dict[tuple[str, str], Json]] = {
    (reader.FILE_KEYS.what, "version"): {"const": FORMAT_VERSION},
    (reader.FILE_KEYS.what, "sessions"): {"type": ["array", "null"], "items": {"$ref": "#/definitions/session"}},
    (reader.FILE_KEYS.what, "match"): {"type": ["array", "null"], "items": {"$ref": "#/definitions/rule"}},
    (reader.SESSION_KEYS.what, "entries"): {"type": ["array", "null"], "items": {"$ref": "#/definitions/entry"}},
    (reader.SESSION_KEYS.what, "timing"): {
        "type": "array",
        "items": {"type": "integer", "minimum": -reader.LATEST, "maximum": reader.LATEST},
    },
    (reader.SESSION_KEYS.what, "http"): {"$ref": "#/definitions/norm"},
    (entries.KEYS.what, "client"): {"$ref": "#/definitions/message"},
    (entries.KEYS.what, "server"): {"$ref": "#/definitions/message"},
    (entries.KEYS.what, "raw"): {
        "description": _LINE,
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "properties": {"base64": _PLAIN[schema.base64]},
                "required": ["base64"],
                "additionalProperties": False,
            },
            {
                "type": "object",
                "properties": {"dropped": {"type": "integer", "minimum": 1}},
                "required": ["dropped"],
                "additionalProperties": False,
            },
        ],
    },
    (entries.KEYS.what, "exit"): {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^SIG[A-Z0-9]*$"}]},
}
"""What stands behind the keys of which the tables tell only how they are read."""
