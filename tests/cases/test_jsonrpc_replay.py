"""Cases from public bug reports: JSON-RPC, the replayer's side over stdio."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.session.dialogue import recorded
from tests.transports.client import call, line, replay

PING = {"id": 1, "method": "ping"}
PONG = {"id": 1, "result": {}}


def written(tmp_path: Path, text: str) -> Path:
    """A cassette with this text."""
    path = tmp_path / "case.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def session(revision: str, rest: str = "") -> str:
    """A session with a handshake that agreed on this revision."""
    return recorded(f"""
    > {{id: 0, method: initialize, params: {{protocolVersion: "{revision}", capabilities: {{}}}}}}
    < {{id: 0, result: {{protocolVersion: "{revision}", capabilities: {{}}}}}}
    > {{method: notifications/initialized}}
    {rest}
    """)


INITIALIZE = {
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {"roots": {}}},
}


def test_rp_02_two_requests_in_flight_with_one_id(tmp_path: Path) -> None:
    """RP-02: each call gets its own payload, though both have id 1; the slow one waits for its question."""
    path = written(
        tmp_path,
        recorded("""
        > {id: 1, method: tools/call, params: {name: weather, arguments: {city: A}}}
        > {id: 1, method: tools/call, params: {name: weather, arguments: {city: B}}}
        < {id: 9, method: sampling/createMessage, params: {messages: [A]}}
        > {id: 9, result: {}}
        < {id: 1, result: sunny in A}
        < {id: 1, result: rain in B}
        """),
    )
    with replay(path) as client:
        client.send(call("weather", city="A"))
        question = client.read()
        assert client.ask(call("weather", city="B")) == {"id": 1, "result": "rain in B"}
        assert client.ask({"id": question["id"], "result": {}}) == {"id": 1, "result": "sunny in A"}
        assert client.finish() == (0, b"")


def test_rp_02_many_clients_which_all_use_the_same_ids(tmp_path: Path) -> None:
    """RP-02: each session has its own replay cursor, and no cross-talk."""
    steps = [("add", "one"), ("add", "two"), ("get", "two")]
    said = "".join(
        f"> {{id: {at}, method: tools/call, params: {{name: {name}}}}}\n< {{id: {at}, result: {result}}}\n"
        for at, (name, result) in enumerate(steps)
    )
    path = written(tmp_path, recorded(said))
    with ExitStack() as stack:
        clients = [stack.enter_context(replay(path)) for _ in range(3)]
        for at, (name, result) in enumerate(steps):
            for client in reversed(clients):
                assert client.ask(call(name, at)) == {"id": at, "result": result}
        assert [client.finish() for client in clients] == [(0, b"")] * 3


@pytest.mark.parametrize(("revision", "told"), [("2024-11-05", None), ("2025-06-18", None), ("2025-11-25", "absent")])
def test_rp_04_input_without_a_readable_id(tmp_path: Path, revision: str, told: str | None) -> None:
    """RP-04: no `id` at 2025-11-25, null before; a request with id null gets -32600 the same way."""
    with replay(written(tmp_path, session(revision))) as client:
        assert client.ask(INITIALIZE)["result"]["protocolVersion"] == revision
        for data, code in ((b"no JSON\n", -32700), (line({"id": None, "method": "ping"}), -32600), (b"[]\n", -32600)):
            client.write(data)
            refused = client.read()
            assert refused["error"]["code"] == code
            assert refused.get("id", "absent") == told
        assert client.ask(PING) == PONG
        assert client.finish() == (0, b"")


def test_rp_04_a_recorded_error_without_an_id_is_replayed_in_its_place(tmp_path: Path) -> None:
    """RP-04: id null, and no id at all, as they were recorded."""
    path = written(
        tmp_path,
        session(
            "2025-06-18",
            """
            > {id: 1, method: tools/list}
            < {id: 1, result: {tools: []}}
            < {id: null, error: {code: -32700, message: Parse error}}
            < {error: {code: -32700, message: Parse error}}
            """,
        ),
    )
    with replay(path) as client:
        client.ask(INITIALIZE)
        client.send({"method": "notifications/initialized"})
        assert client.ask({"id": 5, "method": "tools/list"}) == {"id": 5, "result": {"tools": []}}
        assert client.read() == {"id": None, "error": {"code": -32700, "message": "Parse error"}}
        assert client.read() == {"error": {"code": -32700, "message": "Parse error"}}
        assert client.finish() == (0, b"")


BATCH = b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},'
BATCH += b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}]\n'


def test_rp_06_a_batch_in_and_an_array_out(tmp_path: Path) -> None:
    """RP-06: at 2025-03-26, any order, no entry for notifications; `[]` is one -32600."""
    path = written(tmp_path, session("2025-03-26", "> {id: 1, method: tools/list}\n< {id: 1, result: {tools: []}}"))
    with replay(path) as client:
        client.ask(INITIALIZE)
        client.write(BATCH)
        told = client.read_line()
        assert told.startswith(b"[")
        assert told.count(b'"jsonrpc":"2.0"') == 2
        for answer in (b'{"jsonrpc":"2.0","id":1,"result":{}}', b'{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}'):
            assert answer in told
        client.write(b"[]\n")
        assert client.read()["error"]["code"] == -32600
        assert client.finish() == (0, b"")


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-06-18", "2025-11-25"])
def test_rp_06_no_batches_in_other_revisions(tmp_path: Path, revision: str) -> None:
    """RP-06: -32600, once for the whole."""
    with replay(written(tmp_path, session(revision))) as client:
        client.ask(INITIALIZE)
        client.write(BATCH)
        assert client.read()["error"]["code"] == -32600
        assert client.finish() == (0, b"")


STRAY = """
> {id: 1, method: tools/call, params: {name: t}}
< {id: 1, result: first}
< {id: 1, result: second}
< {id: 99, result: stray}
"""


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), [(7, "first")]),
        (("--order", "strict"), [(7, "first"), (7, "second"), (99, "stray")]),
    ],
)
def test_rp_07_answers_to_nothing_and_second_answers(
    tmp_path: Path, options: tuple[str, ...], told: list[tuple[int, str]]
) -> None:
    """RP-07: strays only in strict order; default replay answers once."""
    with replay(written(tmp_path, recorded(STRAY)), *options) as client:
        client.send(call("t", 7))
        _, data = client.finish()
    assert data == b"".join(line({"id": at, "result": text}).replace(b" ", b"") for at, text in told)


@pytest.mark.parametrize("raw", ['{"Output":{},"Version":"1"}', "<html>login</html>", '{"jsonrpc":"2.0","id":3}'])
def test_rp_08_what_is_no_answer_is_not_played_as_one(tmp_path: Path, raw: str) -> None:
    """RP-08 over stdio: the request stays unanswered, as it was; the line itself is played only where asked for."""
    path = written(
        tmp_path,
        recorded(f"""
        > {{id: 3, method: tools/call, params: {{name: t}}}}
        - raw: '{raw}'
        """),
    )
    for options, told in (((), b""), (("--noise",), raw.encode() + b"\n")):
        with replay(path, *options) as client:
            client.send(call("t", 3))
            assert client.finish() == (0, told)
