"""JSON-RPC messages, opaque."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpmock.wire.message import (
    INVALID_REQUEST,
    MISSING,
    PARSE_ERROR,
    Batch,
    Json,
    Lexeme,
    Message,
    NotAMessage,
    Parsed,
    classify,
    dumps,
    encode,
    is_valid_id,
    message_from,
    parse,
    parse_exact,
)
from tests.wire.samples import PARSERS, bodies, frame, message, same

# -- opaque


@given(bodies)
def test_every_member_survives_in_its_place(body: dict[str, Json]) -> None:
    """DESIGN 5: the wire is opaque to us; PROTOCOL 5, traps 7 and 8."""
    for parser in (parse, parse_exact):
        found = message(parser(json.dumps({"jsonrpc": "2.0", **body}).encode()))
        assert same(found.body, body)
        assert same(message(parse(encode(found.body))).body, body)


@PARSERS
@pytest.mark.parametrize(
    "text",
    [
        "null",
        "[]",
        "{}",
        "1",
        "1.0",
        "-0.0",
        "1.10",
        "1e5",
        "12345678901234567890",
        '"\\u2028"',
        "true",
        '{"b":1,"a":2}',
    ],
)
def test_kinds_of_numbers_and_the_order_of_members_are_kept(parser: Any, text: str) -> None:
    """PROTOCOL 5, trap 13."""
    assert same(message(parser(frame(text))).params, json.loads(text))


@PARSERS
def test_null_is_not_absent(parser: Any) -> None:
    """PROTOCOL 5, trap 7."""
    assert message(parser(b'{"jsonrpc":"2.0","id":1,"result":null}')).body == {"id": 1, "result": None}
    without = message(parser(b'{"jsonrpc":"2.0","method":"x"}'))
    null = message(parser(b'{"jsonrpc":"2.0","method":"x","id":null}'))
    assert (without.id, without.kind) == (MISSING, "notification")
    assert (null.id, null.kind) == (None, "request")
    assert repr(MISSING) == "MISSING"


@PARSERS
@pytest.mark.parametrize("spelt", ["0", "1", '"1"', '""', "-7", "1.0", "9007199254740993", '"a\\u0000b"'])
def test_ids_keep_type_and_value(parser: Any, spelt: str) -> None:
    """PROTOCOL 5, traps 1 and 2."""
    found = message(parser(f'{{"id":{spelt},"jsonrpc":"2.0","method":"ping"}}'.encode()))
    assert same(found.id, json.loads(spelt))
    assert is_valid_id(found.id)
    assert f'"id":{spelt}'.encode() in encode(found.body)


@pytest.mark.parametrize("value", [None, True, False, [], {}, MISSING, float("inf"), float("nan"), Lexeme("1e400")])
def test_what_can_be_no_id(value: object) -> None:
    """MCP schema, RequestId: a string or a number; PROTOCOL 5, trap 2."""
    assert not is_valid_id(value)


@PARSERS
def test_messages_are_encoded_in_one_line_of_ascii(parser: Any) -> None:
    """PROTOCOL 5, traps 12 and 16: no line end, no surrogate, nothing that a reader could split at."""
    found = message(parser(frame('"\\n\\u2028\\ud83d\\ude00 é"')))
    line = encode(found.body)
    assert line == b'{"jsonrpc":"2.0","id":1,"method":"x","params":"\\n\\u2028\\ud83d\\ude00 \\u00e9"}'
    assert encode({}) == b'{"jsonrpc":"2.0"}'


def test_infinity_is_never_written() -> None:
    """PROTOCOL 5, trap 13."""
    with pytest.raises(ValueError, match="JSON"):
        encode({"result": float("inf")})
    with pytest.raises(ValueError, match="JSON"):
        dumps(float("nan"))


# -- kinds


@PARSERS
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"jsonrpc":"2.0","id":1,"method":"a"}', "request"),
        ('{"jsonrpc":"2.0","method":"a"}', "notification"),
        ('{"jsonrpc":"2.0","id":1,"result":{}}', "response"),
        ('{"jsonrpc":"2.0","id":1,"error":{}}', "response"),
        ('{"jsonrpc":"2.0","error":{}}', "response"),
        ('{"jsonrpc":"2.0","id":1,"method":"a","result":{}}', "request"),
    ],
)
def test_kinds_of_messages(parser: Any, text: str, kind: str) -> None:
    """JSON-RPC 2.0, sections 4 and 5; case RP-04: an error may come without an id."""
    assert message(parser(text.encode())).kind == kind


@pytest.mark.parametrize(
    ("body", "is_error"), [({"error": 1}, True), ({"result": 1}, False), ({"error": None, "result": 1}, False)]
)
def test_an_error_has_no_result(body: dict[str, Json], is_error: bool) -> None:
    """PROTOCOL 5, trap 7: `error: null` beside a result is no error."""
    assert message(message_from(body)).is_error is is_error


def test_methods_and_params_of_what_has_none() -> None:
    """Ours."""
    response = message(message_from({"id": 1, "result": {}}))
    assert (response.method, response.params) == ("", None)


def test_entries_of_a_cassette_leave_the_version_out() -> None:
    """DESIGN 3."""
    assert message_from({"method": "x"}) == Message({"method": "x"}, "notification")
    assert isinstance(message_from({"method": "x", "jsonrpc": "1.0"}), NotAMessage)
    assert isinstance(message_from({}), NotAMessage)


# -- what is no message


@PARSERS
@pytest.mark.parametrize(
    ("text", "code", "live_id"),
    [
        (b"", PARSE_ERROR, MISSING),
        (b"Listening on port 3000", PARSE_ERROR, MISSING),
        (b'{"jsonrpc":"2.0","id":1,"method":"x"', PARSE_ERROR, MISSING),
        (b'{"jsonrpc":"2.0","id":1,"method":"x"} trailing', PARSE_ERROR, MISSING),
        (b'{"jsonrpc":"2.0","id":1,"method":"x"}\xc2\xa0', PARSE_ERROR, MISSING),
        (b'{"jsonrpc":"2.0","method":"\xff"}', PARSE_ERROR, MISSING),
        (b'{"jsonrpc":"2.0","method":"x","params":NaN}', PARSE_ERROR, MISSING),
        (b'{"jsonrpc":"2.0","method":"x","params":-Infinity}', PARSE_ERROR, MISSING),
        (b"[" * 100_000, PARSE_ERROR, MISSING),
        (b'{"a":' * 100_000, PARSE_ERROR, MISSING),
        (b"1" * 5_000, INVALID_REQUEST, MISSING),
        (b"1", INVALID_REQUEST, MISSING),
        (b'"text"', INVALID_REQUEST, MISSING),
        (b"null", INVALID_REQUEST, MISSING),
        (b"{}", INVALID_REQUEST, MISSING),
        (b'{"id":3,"method":"x"}', INVALID_REQUEST, 3),
        (b'{"jsonrpc":"1.0","id":"a","method":"x"}', INVALID_REQUEST, "a"),
        (b'{"jsonrpc":2.0,"id":"a","method":"x"}', INVALID_REQUEST, "a"),
        (b'{"jsonrpc":"2.0","id":3}', INVALID_REQUEST, 3),
        (b'{"jsonrpc":"2.0","id":3,"method":7}', INVALID_REQUEST, 3),
        (b'{"jsonrpc":"2.0","id":null,"method":7}', INVALID_REQUEST, MISSING),
        (b'{"jsonrpc":"2.0","id":true,"method":7}', INVALID_REQUEST, MISSING),
        (b"[]", INVALID_REQUEST, MISSING),
        (b"[1]", INVALID_REQUEST, MISSING),
        (b'[{"jsonrpc":"2.0","method":"x"},{}]', INVALID_REQUEST, MISSING),
    ],
)
def test_rp_08_what_is_no_message_is_kept_as_what_it_is(parser: Any, text: bytes, code: int, live_id: Json) -> None:
    """Case RP-08; JSON-RPC 2.0, section 5.1: -32700 for what is no JSON, -32600 for other values."""
    found = parser(text)
    assert isinstance(found, NotAMessage)
    assert (found.code, found.id) == (code, live_id)
    assert found.reason


@given(st.binary(max_size=60) | st.lists(st.sampled_from([*b'{}[]",:\\ud8c0e1.-+ntf\xef\xbb\xbf\xff'])).map(bytes))
def test_bytes_never_crash_a_parser(data: bytes) -> None:
    """STYLE: Hypothesis for every decoder."""
    quick, exact = parse(data), parse_exact(data)
    assert type(quick) is type(exact)


@given(bodies, st.sampled_from([(",", ":"), (", ", ": "), (",  ", ":")]), st.booleans())
def test_however_a_message_is_spelt_it_is_the_same(body: dict[str, Json], marks: Any, is_ascii: bool) -> None:
    """Ours: what is spelt plainly is parsed in a quicker way, with the same result."""
    text = json.dumps({"jsonrpc": "2.0", **body}, separators=marks, ensure_ascii=is_ascii)
    found = parse_exact(text.encode(errors="surrogatepass"))
    again = parse_exact(text.replace("{", "{ ", 1).encode(errors="surrogatepass"))
    assert type(found) is type(again)
    if isinstance(found, Message) and isinstance(again, Message):
        assert (repr(found.body), found.text is None) == (repr(again.body), again.text is None)


@given(bodies, st.integers(0, 200), st.integers(0, 255))
def test_a_message_with_a_wrong_byte_never_crashes_a_parser(body: dict[str, Json], at: int, byte: int) -> None:
    """STYLE: Hypothesis for every decoder."""
    data = bytearray(encode(body))
    data[at % len(data)] = byte
    assert type(parse(bytes(data))) is type(parse_exact(bytes(data)))


def test_no_depth_crashes_a_parser() -> None:
    """PROTOCOL 5, trap 15: around the depth at which Python gives up there are several limits."""
    for depth in range(900, 1100):
        for leaf in ('"\\ud800"', "1e400"):
            for text in (
                frame("[" * depth + leaf + "]" * depth),
                b"[" + frame('{"a":' * depth + leaf + "}" * depth) + b"]",
            ):
                assert isinstance(parse(text), Parsed)
                assert isinstance(parse_exact(text), Parsed)


@PARSERS
def test_a_bom_and_blanks_around_a_message_are_tolerated(parser: Any) -> None:
    """PROTOCOL 5, trap 19."""
    plain = message(parser(frame("1")))
    for around in (b"\xef\xbb\xbf%s", b" \t%s\r\n ", b"\xef\xbb\xbf %s"):
        assert parser(around % frame("1")) == plain


# -- batches


BATCH = (
    b'[{"jsonrpc":"2.0","id":1,"method":"ping"}, {"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":2,"result":{}}]'
)


@PARSERS
def test_rp_06_a_batch_is_several_messages(parser: Any) -> None:
    """Case RP-06; JSON-RPC 2.0, section 6."""
    found = parser(BATCH)
    assert isinstance(found, Batch)
    assert [one.kind for one in found.messages] == ["request", "notification", "response"]
    assert [one.id for one in found.messages] == [1, MISSING, 2]
    assert all(one.text is None for one in found.messages)


def test_a_parsed_value_can_be_classified() -> None:
    """Ours: for shells that have the value already."""
    assert classify({"jsonrpc": "2.0", "method": "x"}) == Message({"method": "x"}, "notification")
