"""JSON-RPC 2.0 messages, opaque: unknown members, order, `null` against absent and number kinds survive.

Nothing here validates MCP. A message is kept as the mapping that it was, without its `jsonrpc: "2.0"`.
"""

from __future__ import annotations

import json
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from mcpmock.wire.exact import BLANKS, has_lone_surrogate, is_shallow, member_texts, spans

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Object: TypeAlias = dict[str, Json]
Kind: TypeAlias = Literal["request", "notification", "response"]
Side: TypeAlias = Literal["client", "server"]

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INVALID_PARAMS: Final = -32602
HEADER_MISMATCH: Final = -32020  # of the stateless revision (2026-07-28)
INTERNAL_ERROR: Final = -32603
METHOD_NOT_FOUND: Final = -32601

BOM: Final = b"\xef\xbb\xbf"


class Missing:
    """The value of a member that is not there, where `None` is a value of its own."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()


class Lexeme(str):
    """A number that Python cannot hold (beyond 4,300 digits, or beyond a double), as it was spelt."""


class Message(NamedTuple):
    """One JSON-RPC message.

    `body` holds all members but `jsonrpc`, in their order. `text` is the exact JSON text, of the whole message
    with `jsonrpc`, where `body` alone would lose something (a lone surrogate, `1e400`, 5,000 digits, `-0`, a
    duplicate key); else None.
    """

    body: Object
    kind: Kind
    text: str | None = None

    @property
    def method(self) -> str:
        """The method of a request or notification; the empty string for a response."""
        return self.body.get("method", "")  # type: ignore[return-value]  # a string; `cast` would cost as much again

    @property
    def id(self) -> Json | Missing:
        """The id with its JSON type, `MISSING` where there is none (`None` is the JSON null)."""
        return self.body.get("id", MISSING)

    @property
    def params(self) -> Json:
        """The params; None both for absent and for null."""
        return self.body.get("params")

    @property
    def is_error(self) -> bool:
        """Whether this is a response that holds an error and no result."""
        return "error" in self.body and "result" not in self.body


class Batch(NamedTuple):
    """Several messages sent as one JSON array (JSON-RPC 2.0 section 6; MCP 2025-03-26 only)."""

    messages: tuple[Message, ...]


class NotAMessage(NamedTuple):
    """Bytes that are no JSON-RPC message: noise from a server, an invalid request from a client.

    `code` is the JSON-RPC error that a server owes for it (-32700 where it is no JSON, else -32600), `reason` a
    sentence for people, `id` the id to answer to where one could be read. `members` are those of a batch some of which
    are no messages: each of these is owed an error of its own (JSON-RPC 2.0, section 6).
    """

    code: int
    reason: str
    id: Json | Missing = MISSING
    members: tuple[Message | NotAMessage, ...] = ()


Parsed: TypeAlias = Message | Batch | NotAMessage

_TOO_DEEP: Final = NotAMessage(PARSE_ERROR, "the JSON is nested too deeply")


def parse(frame: bytes) -> Parsed:
    """The message or batch in one frame, quickly: duplicate keys take the last value, `text` only where needed.

    Never raises. A leading BOM is tolerated.
    """
    try:
        text = frame.decode()
        value, end = _scan_quickly(text, 0)
    except (ValueError, RecursionError, StopIteration):
        return _parse_slowly(frame)
    if end != len(text) and text[end:].strip(BLANKS):
        return _parse_slowly(frame)
    return classify(value) if is_shallow(value, text) else _TOO_DEEP


def parse_exact(frame: bytes) -> Parsed:
    """Like `parse`, and notices also what a mapping cannot hold; for recording and for hand-written cassettes."""
    try:
        text = frame.removeprefix(BOM).decode()
        if (plain := _parse_what_is_spelt_plainly(text)) is not None:
            return classify(plain) if is_shallow(plain, text) else _TOO_DEEP
        losses: list[str] = []
        value = _exact_decoder(losses).decode(text)
        if not is_shallow(value, text):
            return _TOO_DEEP
        return classify(value, text.strip() if losses or has_lone_surrogate(text) else None)
    except (ValueError, RecursionError) as error:
        return NotAMessage(PARSE_ERROR, _reason(error))


def json_value(text: str) -> Json | Missing:
    """The JSON value that a text is; MISSING where it is none, or where the value would lose what the text has."""
    try:
        losses: list[str] = []
        value: Json = _exact_decoder(losses).decode(text)
    except (ValueError, RecursionError):
        return MISSING
    return MISSING if losses else value


def classify(value: Any, text: str | None = None) -> Parsed:
    """The message or batch that a parsed JSON value is, which it takes over; `text` is its exact text, where it has
    to be kept."""
    if type(value) is not list:
        return _classify_object(value, text)
    texts = member_texts(text) if text is not None else [None] * len(value)
    members = [_classify_object(member, text) for member, text in zip(value, texts, strict=True)]
    messages = tuple(member for member in members if isinstance(member, Message))
    if not value:
        return NotAMessage(INVALID_REQUEST, "an empty batch")
    if len(messages) != len(members):
        return NotAMessage(INVALID_REQUEST, "the batch holds what is no message", members=tuple(members))
    return Batch(messages)


def message_from(value: Object) -> Message | NotAMessage:
    """The message in an object that may leave out `jsonrpc`, as entries of a cassette do."""
    return _classify_object({"jsonrpc": "2.0", **value})


def encode(body: Object) -> bytes:
    """The bytes of a message, without the line's end: ASCII, compact, `jsonrpc` first.

    Raises ValueError for a number that JSON cannot hold; such messages have a `text`, see `splice`.
    """
    return b'{"jsonrpc":"2.0",' + dumps(body)[1:].encode("ascii") if body else b'{"jsonrpc":"2.0"}'


dumps = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode


def splice(text: str, changes: dict[tuple[str, ...], Json]) -> str:
    """The exact JSON text of an object with the values at some paths replaced, everything else untouched.

    `changes` maps paths of object keys to new values; a path that the text lacks is passed over. Of duplicate keys
    all are replaced.
    """
    pieces: list[str] = []
    done = 0
    for start, end, path in spans(text, changes):
        value = changes[path]
        pieces += [text[done:start], value if isinstance(value, Lexeme) else dumps(value)]
        done = end
    return "".join([*pieces, text[done:]])


def _classify_object(value: Any, text: str | None = None) -> Message | NotAMessage:
    if type(value) is not dict:
        return NotAMessage(INVALID_REQUEST, "the JSON is no JSON-RPC message")
    if value.pop("jsonrpc", None) != "2.0":  # the value is ours: it has just been parsed
        return NotAMessage(INVALID_REQUEST, 'the object has no "jsonrpc": "2.0"', _readable_id(value))
    if "method" in value:
        if type(value["method"]) is not str:
            return NotAMessage(INVALID_REQUEST, "the method is no string", _readable_id(value))
        return Message(value, "request" if "id" in value else "notification", text)
    if "result" in value or "error" in value:
        return Message(value, "response", text)
    return NotAMessage(INVALID_REQUEST, "neither a method nor a result nor an error", _readable_id(value))


def _readable_id(value: dict[str, Any]) -> Json | Missing:
    found = value.get("id", MISSING)
    return found if is_valid_id(found) else MISSING


def is_valid_id(value: object) -> bool:
    """Whether this can be the id of an MCP request: a string or a number, never null and never a boolean."""
    if type(value) is float:
        return value - value == 0  # neither infinite nor no number: it can be spelt again
    return type(value) is int or type(value) is str


def _parse_slowly(frame: bytes) -> Parsed:
    """What begins with a BOM or a blank, has numbers beyond CPython's limits, or is no JSON."""
    try:
        text = frame.removeprefix(BOM).decode()
        value = _decode(text)
        return classify(value) if is_shallow(value, text) else _TOO_DEEP
    except (ValueError, RecursionError) as error:
        return _parse_again(frame, error)


def _parse_again(frame: bytes, error: Exception) -> Parsed:
    if "integer string conversion" in str(error):  # CPython's limit of 4,300 digits, which JSON does not have
        return parse_exact(frame)
    return NotAMessage(PARSE_ERROR, _reason(error))


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return _TOO_DEEP.reason
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8: byte {error.start}"
    return f"not JSON: {error}"


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_decoder = json.JSONDecoder(parse_constant=_refuse_constant)
_decode = _decoder.decode
_scan_quickly = _decoder.scan_once  # type: ignore[attr-defined]  # typeshed leaves it out
_UNBOUNDED_DIGITS: Final = 4300


def _parse_what_is_spelt_plainly(text: str) -> Any:
    """The value, if writing it anew gives the same text: then parsing has lost nothing, and half the time is spared.

    None for all else, lone surrogates included.
    """
    if "\\ud" in text or "\\uD" in text:
        return None
    try:
        value, _ = _scan_quickly(text, 0)
        writer = _WRITERS['": ' in text[:_START], text.isascii()]
        return value if writer(value) == text else None
    except (ValueError, RecursionError, StopIteration):
        return None


_START: Final = 40
_WRITERS: Final = {
    (is_spaced, is_ascii): json.JSONEncoder(
        separators=(", ", ": ") if is_spaced else (",", ":"),
        ensure_ascii=is_ascii,
        allow_nan=False,
        check_circular=False,
    ).encode
    for is_spaced in (False, True)
    for is_ascii in (False, True)
}


def _exact_decoder(losses: list[str]) -> json.JSONDecoder:
    """A decoder that appends to `losses` what the parsed value does not hold."""

    def parse_int(lexeme: str) -> Any:
        if len(lexeme) > _UNBOUNDED_DIGITS:
            losses.append("digits")
            return Lexeme(lexeme)
        if lexeme == "-0":
            losses.append("-0")
        return int(lexeme)

    def parse_float(lexeme: str) -> Any:
        value = float(lexeme)
        if value in (float("inf"), float("-inf")):
            losses.append("range")
            return Lexeme(lexeme)
        return value

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(members)
        if len(value) != len(members):
            losses.append("duplicate")
        return value

    return json.JSONDecoder(
        parse_int=parse_int, parse_float=parse_float, parse_constant=_refuse_constant, object_pairs_hook=pairs
    )
