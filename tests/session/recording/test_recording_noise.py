"""What is recorded of that which is no message, or an odd one: case by case."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcpmock.cassette.model import Cassette, Entry, Session
from mcpmock.cassette.reader import load
from mcpmock.cassette.writer import dump
from mcpmock.session.recording.stderr import LARGEST_BLOCK, LONGEST_LINE
from mcpmock.session.recording.stdio import Recording
from mcpmock.wire.message import Message, Object
from tests.session.seeing import PING, PONG, entry, line, recorded, warnings_of


def test_rp_06_a_batch_is_one_entry() -> None:
    """RP-06: forwarded as one, recorded as one, its members told apart."""
    batch: list[Any] = [PING, {"method": "notifications/x"}, {"id": 2, "method": "tools/list"}]
    assert recorded(("client", line(batch))) == [entry("client", *batch)]


@pytest.mark.parametrize("text", ["[]", "42", "null", '{"level":"info"}', '{"jsonrpc":"2.0","id":3}', '{"ok":true}'])
def test_rp_08_json_that_is_no_message_is_kept_as_it_is(text: str) -> None:
    """FR-06, RP-06, RP-08: JSON, but not JSON-RPC, is noise in its place."""
    assert recorded(("server", text.encode() + b"\n")) == [Entry("raw", text=text)]


def test_fr_05_carriage_returns_and_blank_lines_leave_no_trace() -> None:
    """FR-05: the cassette is the same as for LF."""
    crlf = line(PING).replace(b"\n", b"\r\n")
    assert recorded(("client", crlf + b"\r\n" + crlf), ("server", crlf)) == recorded(
        ("client", line(PING) * 2), ("server", line(PING))
    )


def test_fr_06_noise_is_recorded_in_its_place_and_warned_of_once() -> None:
    """FR-06: banners and log lines on stdout."""
    noise = b"Server v1.2 ready\n\x1b[32mINFO\x1b[0m started\n"
    seen = [("server", noise), ("client", line(PING)), ("server", b"42\n" + line(PONG))]
    assert recorded(*seen) == [
        Entry("raw", text="Server v1.2 ready"),
        Entry("raw", text="\x1b[32mINFO\x1b[0m started"),
        entry("client", PING),
        Entry("raw", text="42"),
        entry("server", PONG),
    ]
    (warning,) = warnings_of(*seen)
    assert warning == "the server wrote a line that is no message: 'Server v1.2 ready'"


def test_fr_07_a_line_that_is_no_utf_8_is_kept_byte_for_byte() -> None:
    """FR-07: recorded in a lossless form; the session goes on."""
    bad = b'{"jsonrpc":"2.0","id":1,"result":{"t":"\xff"}}'
    assert recorded(("client", b"\xff\xfe\n" + line(PING)), ("server", bad + b"\n")) == [
        Entry("raw", text=b"\xff\xfe", side="client"),
        entry("client", PING),
        Entry("raw", text=bad),
    ]


def test_fr_08_a_lone_surrogate_is_kept_as_exact_text() -> None:
    """FR-08: what YAML cannot hold is kept as JSON text and read back as it was."""
    text = r'{"jsonrpc":"2.0","id":1,"result":{"t":"x\ud800y","\udfff":1}}'
    (found,) = recorded(("server", text.encode() + b"\n"))
    assert found.messages[0].text == text
    again = load(dump(Cassette((Session((found,)),))).encode())
    assert again.sessions[0].entries[0].messages == found.messages


def test_fr_09_a_byte_order_mark_hides_no_message() -> None:
    """FR-09: one leading BOM is ignored for parsing."""
    assert recorded(("client", b"\xef\xbb\xbf" + line(PING))) == [entry("client", PING)]


def test_fr_04_only_lf_ends_a_line() -> None:
    """FR-04: U+2028, U+2029 and U+0085 are part of a string."""
    body: Object = {"id": 1, "result": {"t": "a\u2028b\u2029c\x85d"}}
    raw = json.dumps({"jsonrpc": "2.0", **body}, ensure_ascii=False).encode() + b"\n"
    assert recorded(("server", raw)) == [entry("server", body)]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (b'Content-Length: 40\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"ping"}', "Content-Length headers"),
        (b'{\n "jsonrpc":"2.0",\n "id":1,\n "result":{}\n}\n', "pretty-printed"),
    ],
)
def test_fr_11_the_likely_cause_of_fragments_is_named_once(text: bytes, cause: str) -> None:
    """FR-11: LSP framing, pretty-printed JSON."""
    (warning,) = warnings_of(("server", text), ("server", text))
    assert cause in warning


def test_fr_11_a_cause_is_named_even_behind_a_banner() -> None:
    """FR-11: the first line that is no message need not be the telling one."""
    warnings = warnings_of(("server", b"hello\nContent-Length: 4\r\n"))
    assert len(warnings) == 2
    assert "Content-Length" in warnings[1]


def test_fr_02_a_line_beyond_the_cap_is_counted_and_the_next_one_is_kept() -> None:
    """FR-02: drained to the next LF, noted with its size."""
    seen = [("server", b"x" * 60), ("server", b"x" * 60 + b"\n" + line(PONG))]
    assert recorded(*seen, recording=Recording(max_message=100)) == [Entry("raw", size=120), entry("server", PONG)]
    (warning,) = warnings_of(*seen, max_message=100)
    assert "a line of 120 bytes" in warning
    assert "--max-message" in warning


def test_rp_02_two_open_requests_with_one_id_are_flagged() -> None:
    """RP-02: legal to forward, worth a word."""
    warnings = warnings_of(("client", line(PING) * 2))
    assert len(warnings) == 1
    assert "the id 1 twice at once" in warnings[0]
    assert not warnings_of(("client", line(PING)), ("server", line(PONG)), ("client", line(PING)))
    assert not warnings_of(("client", line(PING) + line({"id": "1", "method": "ping"})))


@pytest.mark.parametrize(
    "body", [{"id": None, "error": {"code": -32700, "message": "x"}}, {"error": {"code": 1, "message": ""}}]
)
def test_rp_04_an_error_without_an_id_is_a_message_like_any_other(body: Object) -> None:
    """RP-04: stored in its place, with null or without an id, as it came."""
    assert recorded(("server", line(body))) == [entry("server", body)]


def test_rp_04_a_request_with_a_null_id_is_a_request() -> None:
    """RP-04: neither taken for a notification nor crashed on."""
    (found,) = recorded(("client", line({"id": None, "method": "ping"})))
    assert found.messages[0].kind == "request"


def test_rp_07_strays_and_second_answers_are_recorded() -> None:
    """RP-07: an answer that nobody waits for, and the same one twice."""
    stray: Object = {"id": 99, "result": {}}
    again: Object = {"id": 1, "result": {"second": True}}
    recording = Recording()
    seen = [("client", line(PING)), ("server", line(stray) + line(PONG) + line(again))]
    assert recorded(*seen, recording=recording)[1:] == [
        entry("server", stray),
        entry("server", PONG),
        entry("server", again),
    ]
    assert recording.open_requests == 0
    assert recording.answers == 3


def test_neighbouring_stderr_lines_are_one_block() -> None:
    """Ours (DESIGN 3): however they were chunked, blank lines among them."""
    assert recorded(("stderr", b"one\ntw"), ("stderr", b"o\n\n  three\n")) == [
        Entry("stderr", text="one\ntwo\n\n  three\n")
    ]


@pytest.mark.parametrize("odd", [b"\x1b[1mbold\n", b"50%\r\n", b"blank \n", "a\u2028b\n".encode()])
def test_a_stderr_line_that_no_block_can_hold_stands_alone(odd: bytes) -> None:
    """Ours (format): the text is the same however the stream was chunked."""
    found = [block.text for block in recorded(("stderr", b"one\n" + odd + b"two\nthree\n"))]
    assert found == ["one\n", odd.decode(), "two\nthree\n"]


def test_stderr_that_is_no_utf_8_is_shown_as_escapes() -> None:
    """Ours: text for people; bytes that are no text are told from those that are."""
    assert recorded(("stderr", b"a\xffb\n")) == [Entry("stderr", text="a\\xffb\n")]


def test_stderr_without_an_end_does_not_fill_the_memory() -> None:
    """Ours: a line is cut behind 64 KiB, and never within a character."""
    text = ("ü" * LONGEST_LINE).encode()
    pieces = [str(found.text) for found in recorded(("stderr", b"x" + text), status=0)[:-1]]
    assert "".join(pieces).encode() == b"x" + text
    assert max(len(piece.encode()) for piece in pieces) <= LONGEST_LINE


def test_a_large_stderr_block_is_closed() -> None:
    """Ours: what is rewritten with every append has a bound."""
    found = recorded(("stderr", b"a line of stderr\n" * LARGEST_BLOCK))
    assert max(len(block.text) for block in found) <= LARGEST_BLOCK + 20
    assert len(found) == 17


class Censor:
    """Takes one word out of everything."""

    def message(self, message: Message) -> Message:
        """The message without it."""
        return message._replace(body=json.loads(json.dumps(message.body).replace("hush", "***")))

    def text(self, text: str) -> str:
        """The text without it."""
        return text.replace("hush", "***")

    def data(self, data: bytes) -> bytes:
        """The bytes without it."""
        return data.replace(b"hush", b"***")


def test_everything_that_is_kept_passes_through_the_redactor() -> None:
    """Ours (DESIGN 3, No secrets): messages, noise of any kind, stderr."""
    seen = [
        ("client", line({"id": "hush", "method": "hush", "params": {"a": ["hush"]}})),
        ("server", b"hush\n\xffhush\n"),
        ("stderr", b"hush\nhush \n"),
    ]
    found = recorded(*seen, recording=Recording(redactor=Censor()))
    assert "hush" not in repr(found)
    assert repr(found).count("***") == 7


def test_a_warning_shows_no_secret() -> None:
    """Ours (DESIGN 3, No secrets): stderr ends up in logs."""
    (warning,) = warnings_of(("server", b"it is hush\n"), redactor=Censor())
    assert warning.endswith("'it is ***'")
