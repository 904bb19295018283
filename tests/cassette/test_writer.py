"""How a cassette reads in a review: short things in one line, large ones as blocks, texts as they are."""

from __future__ import annotations

import io

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mcpmock.cassette.model import Cassette, Entry, MatchRule, Rules, Session
from mcpmock.cassette.reader import load
from mcpmock.cassette.writer import dump, dump_entry, dump_head, dump_session_head, dump_timing
from mcpmock.wire.message import Json, Message, parse_exact
from tests.cassette.values import call, cassettes, message, without_places

SAMPLE = """\
version: 1
recorded_with: mcpmock 0.1.0
sessions:
- server: everything
  transport: stdio
  command: [npx, -y, "@modelcontextprotocol/server-everything", stdio]
  entries:
  - client:
      id: 0
      method: initialize
      params:
        protocolVersion: "2025-11-25"
        capabilities: {sampling: {}}
        clientInfo: {name: demo, version: 1.0.0}
  - server:
      id: 0
      result:
        protocolVersion: "2025-11-25"
        capabilities: {tools: {listChanged: true}}
        serverInfo: {name: everything, version: 2.0.0}
  - client: {method: notifications/initialized}
  - client:
      id: 1
      method: tools/call
      params: {name: ask-the-model, arguments: {prompt: hello}, _meta: {progressToken: 1}}
  - server: {method: notifications/progress, params: {progressToken: 1, progress: 1, total: 2}}
  - server:
      id: 0
      method: sampling/createMessage
      params: {messages: [{role: user, content: {type: text, text: hello}}], maxTokens: 100}
  - client: {id: 0, result: {role: assistant, content: {type: text, text: hi}, model: m}}
  - server:
      id: 1
      result:
        content:
        - type: text
          text: |
            A long text is a literal block,
            readable in a review.
  - stderr: "Starting default (STDIO) server...\\n"
  - exit: 0
  timing: [0, 412, 413, 415, 420, 421, 560, 561, 900, 905]
"""


def test_the_sample_of_the_design_is_written_as_it_stands_there() -> None:
    """Ours (DESIGN 3)."""
    assert dump(load(SAMPLE.encode())) == SAMPLE


def result(text: Json) -> str:
    """How an answer with this text is written."""
    content: list[Json] = [{"type": "text", "text": text}]
    return dump_entry(Entry("server", (message({"id": 1, "result": {"content": content}}),)))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Hello there, 2 apples!", "Hello there, 2 apples!"),
        ("3", '"3"'),
        ('{"temperature": 22.5}', """'{"temperature": 22.5}'"""),
        ("one line\n", '"one line\\n"'),
        ("two\nlines", "|-\n            two\n            lines"),
        ("two\n\nlines\n", "|\n            two\n\n            lines"),
        ("  indented\nand not", "|2-\n              indented\n            and not"),
        ("ends empty\n\n", "|+\n            ends empty\n"),
        ("blank \nat an end", '"blank \\nat an end"'),
        ("tab\there\n\tand there", "|-\n            tab\there\n            \tand there"),
        ("Größe: 3 µm, 日本語", '"Größe: 3 µm, 日本語"'),
        ("Größe 3 µm, 日本語", "Größe 3 µm, 日本語"),
        ("bell\x07, next line\x85", '"bell\\u0007, next line\\u0085"'),
        ("word " * 40 + ".", "word " * 40 + "."),
        ('"' + "x" * 120, '|-\n            "' + "x" * 120),
        (1e16, "1.0e+16"),
        (1e-7, "1.0e-07"),
        (-0.0, "-0.0"),
        (12345678901234567890, "12345678901234567890"),
        (None, "null"),
        ({}, "{}"),
        ([], "[]"),
    ],
)
def test_a_value_is_spelt_as_people_would(text: Json, written: str) -> None:
    """CA-02: literal blocks where they keep the text, else quotes; nothing is folded; what is readable stays so."""
    value: Json = [1, 2, text]
    entry = dump_entry(Entry("server", (message({"id": 1, "result": {"k" * 90: {"a": {"text": text}, "b": value}}}),)))
    block = dump_entry(Entry("server", (message({"id": 1, "result": {"big": "a\nb", "m": {"l": "a\nb", "t": text}}}),)))
    assert f"          t: {written}\n" in block
    assert yaml.safe_load(io.StringIO(entry))[0]["server"]["result"]["k" * 90]["b"] == value


def test_a_text_with_empty_lines_at_its_end_is_never_the_last_thing() -> None:
    """CA-02: tools that tidy the end of files would shorten it."""
    written = dump_entry(Entry("stderr", text="a\n\n\n"))
    assert written == "  - stderr: |+\n      a\n\n\n  # the text ends with empty lines\n"


def test_no_line_ends_with_a_blank() -> None:
    """CA-02: editors strip them."""
    value: Json = {
        "a": [],
        "b": {},
        "c": ["x\n\ny\n", {"d": "z \n"}],
        "e": [[1, ["y" * 100]]],
        "k" * 1200: [{"x": "y\n\n"}],
    }
    written = dump_entry(Entry("client", (call(value),)))
    assert not [line for line in written.splitlines() if line != line.rstrip()]


@given(cassette=cassettes)
def test_it_needs_neither_anchors_nor_tags_nor_folding(cassette: Cassette) -> None:
    """CA-02: no event has an anchor or a tag, and no scalar goes over several lines but a block."""
    for event in yaml.parse(dump(cassette), Loader=yaml.CSafeLoader):
        assert getattr(event, "anchor", None) is None
        assert getattr(event, "tag", None) is None
        if isinstance(event, yaml.ScalarEvent) and event.style != "|":
            assert event.start_mark.line == event.end_mark.line


def test_entries_of_every_kind() -> None:
    """Ours (cassettes/README.md)."""
    request, notice = call({"name": "a"}), message({"method": "notifications/message"})
    exact = parse_exact(b'{"jsonrpc":"2.0","id":1,"result":{"n":1e400}}')
    assert isinstance(exact, Message)
    written = "".join(
        map(
            dump_entry,
            [
                Entry("client", (request,), rules=Rules(3, True, 200, ("/a", "/b c/*")), owner="x", label="first"),
                Entry("server", (notice,), owner=7),
                Entry("server", (request, exact), is_batch=True),
                Entry("client", (message({"method": "a"}),), answer=message({"result": {}})),
                Entry("raw", text="no: message"),
                Entry("raw", text=b"caf\xe9", side="client"),
                Entry("raw", size=70_000_000),
                Entry("stderr", text="a\nb\n"),
                Entry("eof", side="client"),
                Entry("exit", status="SIGKILL"),
            ],
        )
    )
    assert (
        written
        == """\
  - client: {id: 1, method: tools/call, params: {name: a}}
    in: x
    label: first
    times: 3
    optional: true
    delay: 200
    match: {ignore: [/a, /b c/*]}
  - server: {method: notifications/message}
    in: 7
  - server:
    - {id: 1, method: tools/call, params: {name: a}}
    - '{"jsonrpc":"2.0","id":1,"result":{"n":1e400}}'
  - client: {method: a}
    server: {result: {}}
  - raw: "no: message"
  - raw: {base64: Y2Fm6Q==}
    from: client
  - raw: {dropped: 70000000}
  - stderr: |
      a
      b
  - eof: client
  - exit: SIGKILL
"""
    )


def test_the_head_of_a_file_and_of_a_session() -> None:
    """Ours (cassettes/README.md): what is not known is not written."""
    rules = (MatchRule("tools/call", "search", ("/arguments/at",)), MatchRule(ignore=("/x",)))
    assert dump_head(Cassette(match=rules, recorded_with="mcpmock 0.1.0")) == (
        "version: 1\nrecorded_with: mcpmock 0.1.0\n"
        "match: [{method: tools/call, name: search, ignore: [/arguments/at]}, {ignore: [/x]}]\nsessions:\n"
    )
    session = Session((), "a", "streamable_http", ("run", "-x", ""), (("B", "1"), ("A", "y")), "https://host/mcp?k=v")
    assert dump_session_head(session) == (
        '- server: a\n  transport: streamable_http\n  command: [run, -x, ""]\n'
        '  env: {B: "1", A: "y"}\n  url: https://host/mcp?k=v\n  entries:\n'
    )
    assert dump_session_head(Session()) == "- transport: stdio\n  entries:\n"


@given(times=st.lists(st.integers(0, 10**7), min_size=1, max_size=300))
def test_many_times_take_several_lines(times: list[int]) -> None:
    """Ours: so that an edit of a long recording is a small diff."""
    entries = tuple(Entry("stderr", text="a\n", at=at) for at in times)
    written = dump_timing(times)
    assert written.count("\n") == -(-len(times) // 20)
    assert [entry.at for entry in load(dump(Cassette((Session(entries),))).encode()).sessions[0].entries] == times


@given(cassette=cassettes)
def test_a_file_cut_behind_any_entry_is_a_cassette(cassette: Cassette) -> None:
    """Ours (DESIGN 3, Crash-safe): nothing need be written at the end."""
    written = dump_head(cassette)
    assert load(written.encode()).sessions == ()
    whole: list[Session] = []
    for session in cassette.sessions:
        written += dump_session_head(session)
        for count, entry in enumerate(session.entries, 1):
            cut = (*whole, session._replace(entries=session.entries[: count - 1]))
            assert without_places(load(written.encode())).sessions == cut
            written += dump_entry(entry)
        whole.append(session)


def test_what_no_utf8_file_can_hold_is_not_lost() -> None:
    """Ours: an argument or a line that was no UTF-8 is written with escapes; recording goes on."""
    owned = Entry("server", (message({"method": "a"}),), owner="\ud800")
    lines = (Entry("stderr", text="a\udcffb"), Entry("stderr", text=b"caf\xe9\n"), owned)
    session = Session(lines, command=("run", "\udcff"), env=(("A", "\udc80"),))
    read = load(dump(Cassette((session,))).encode()).sessions[0]
    assert read.command == ("run", "\\udcff")
    assert read.env == (("A", "\\udc80"),)
    assert [entry.text for entry in read.entries[:2]] == ["a\\udcffb", "caf\\xe9\n"]


def test_a_value_nested_beyond_reading_is_its_exact_text() -> None:
    """Ours: no reader of YAML has to follow it."""
    deep: Json = "bottom"
    for _ in range(300):
        deep = [deep]
    written = dump_entry(Entry("client", (call({"deep": deep}),)))
    assert written.startswith("""  - client: |-\n      {"jsonrpc":"2.0","id":1""")
    read = load(dump(Cassette((Session((Entry("client", (call({"deep": deep}),)),)),))).encode())
    assert read.sessions[0].entries[0].messages[0] == call({"deep": deep})


def test_in_a_batch_only_those_members_are_texts_that_must_be() -> None:
    """Ours (cassettes/README.md)."""
    entry = Entry("server", (call({"a": "\ud800"}), call({"a": 1})), is_batch=True)
    assert dump_entry(entry) == (
        "  - server:\n"
        """    - '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":"\\ud800"}}'\n"""
        "    - {id: 1, method: tools/call, params: {a: 1}}\n"
    )


def test_a_number_that_json_has_not_is_refused() -> None:
    """Ours: it cannot come from a message, and nobody could read it."""
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="JSON has no"):
            dump_entry(Entry("client", (call({"n": value}),)))


@pytest.mark.parametrize("depth", range(56, 68))
@pytest.mark.parametrize("is_batch", [False, True])
def test_where_nesting_becomes_unreadable_nothing_is_lost(depth: int, is_batch: bool) -> None:
    """Ours: found by fuzzing. What fits into YAML by itself may not fit where it stands."""
    deep: Json = "bottom" * 20
    for _ in range(depth):
        deep = {"a": deep}
    cassette = Cassette((Session((Entry("client", (call(deep),), is_batch),)),))
    assert load(dump(cassette).encode()).sessions[0].entries[0].messages[0].body == call(deep).body
