"""What a replay server asks of its clients: sessions, versions, verbs, batches (PROTOCOL 2.3; issue 5, 3)."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import httpx
import pytest

from tests.http.client import BOTH, QUIET, call, message_text, mock_of, session, web
from tests.session.dialogue import recorded

pytestmark = [pytest.mark.anyio, QUIET]

ADD = "> {id: 1, method: tools/call, params: {name: add, arguments: {a: 1}}}\n< {id: 1, result: {sum: 1}}"
ADDED = {"id": 1, "result": {"sum": 1}}
INITIALIZE = {"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}}}


async def test_a_session_is_needed_known_and_its_own(tmp_path: Path, over: str) -> None:
    """Spec (2025-06-18, Session Management): 400 where its id is missing, 404 where it is unknown; then anew."""
    with mock_of(tmp_path, session(ADD)) as mock:
        async with web(mock, over) as client:
            for missing, status in (({}, 400), ({"mcp_session_id": "nobody's"}, 404), ({"mcp_session_id": "/"}, 404)):
                response = await client.post(call("add", a=1), **missing)
                assert response.status_code == status
                assert response.json()["id"] is None
                assert response.json()["error"]["code"] == -32600
            await client.shake()
            assert all(0x21 <= ord(character) <= 0x7E for character in client.session)
            assert await client.answer(call("add", a=1)) == ADDED
            again = await client.post(INITIALIZE)
            assert again.headers["mcp-session-id"] != client.session


async def test_a_server_without_session_ids_needs_none(tmp_path: Path, over: str) -> None:
    """Spec: a server may do without; as recorded (`session: false`)."""
    with mock_of(tmp_path, session(ADD, "{session: false, answers: json}")) as mock:
        async with web(mock, over) as client:
            response = await client.shake()
            assert "mcp-session-id" not in response.headers
            assert await client.answer(call("add", a=1)) == ADDED


@pytest.mark.parametrize(("version", "status"), [("2024-11-05", 200), ("2025-11-25", 200), ("1.0", 400), ("x", 400)])
async def test_a_version_is_one_that_there_is(tmp_path: Path, over: str, version: str, status: int) -> None:
    """Spec (2025-06-18, Protocol Version Header): 400 for an unsupported one; none at all is fine."""
    with mock_of(tmp_path, session(ADD), allow_playback_repeats=True) as mock:
        async with web(mock, over) as client:
            await client.shake()
            del client.head["mcp-protocol-version"]
            assert await client.answer(call("add", a=1)) == ADDED
            response = await client.post(call("add", a=1), mcp_protocol_version=version)
            assert response.status_code == status
            if status == 400:
                assert "2025-11-25" in response.json()["error"]["message"]


async def test_a_client_of_the_stateless_revision_falls_back(tmp_path: Path, over: str) -> None:
    """PROTOCOL 2.6 and 4.5: a bad request whose body holds none of the codes of that revision."""
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    with mock_of(tmp_path, session(ADD)) as mock:
        async with web(mock, over) as client:
            probe = {"id": 1, "method": "server/discover", "params": {"_meta": meta}}
            response = await client.post(probe, mcp_protocol_version="2026-07-28", mcp_method="server/discover")
            assert response.status_code == 400
            assert response.json()["error"]["code"] not in (-32020, -32021, -32022)
            await client.shake()
            assert await client.answer(call("add", a=1)) == ADDED


@pytest.mark.parametrize("verb", ["PUT", "PATCH", "HEAD", "TRACE"])
async def test_other_verbs_are_not_allowed(tmp_path: Path, over: str, verb: str) -> None:
    """PROTOCOL 2.3, status table: 405 with Allow."""
    with mock_of(tmp_path, session(ADD)) as mock:
        async with web(mock, over) as client:
            response = await client.http.request(verb, client.url)
            assert (response.status_code, response.headers["allow"]) == (405, "GET, POST, DELETE, OPTIONS")


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_a_batch_is_answered_as_one_where_its_revision_allows_it(tmp_path: Path, over: str, accept: str) -> None:
    """Case RP-06: an array for an array, in JSON or in one event; of notifications only, 202."""
    text = session(ADD).replace("2025-06-18", "2025-03-26")
    with mock_of(tmp_path, text) as mock:
        async with web(mock, over) as client:
            await client.shake("2025-03-26")
            response = await client.post([call("add", a=1), {"id": 2, "method": "ping"}], accept=accept)
            body = response.text.removeprefix("event: message\ndata: ")
            assert [one["id"] for one in json.loads(body)] == [1, 2]
            quiet = await client.post([{"method": "notifications/initialized"}] * 2)
            assert (quiet.status_code, quiet.content) == (202, b"")


async def test_a_batch_of_another_revision_is_refused(tmp_path: Path, over: str) -> None:
    """Case RP-06: 400, with a JSON-RPC error."""
    with mock_of(tmp_path, session(ADD)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            response = await client.post([call("add", a=1)])
            assert (response.status_code, "error" in response.json()) == (400, True)


async def test_a_batch_that_asks_for_nothing_is_refused_too(tmp_path: Path, over: str) -> None:
    """PROTOCOL 2.3: what is not accepted is a bad request; it was accepted, and the error came on the GET stream."""
    with mock_of(tmp_path, session(ADD)) as mock:
        async with web(mock, over) as client:
            await client.shake("2025-06-18")
            response = await client.post([{"method": "notifications/initialized"}])
            assert (response.status_code, response.json()["error"]["code"]) == (400, -32600)


async def test_garbage_in_a_batch_is_answered(tmp_path: Path, over: str) -> None:
    """JSON-RPC 2.0, 6: an error for each member that is no message."""
    with mock_of(tmp_path, session(ADD).replace("2025-06-18", "2025-03-26")) as mock:
        async with web(mock, over) as client:
            await client.shake("2025-03-26")
            response = await client.post(b"[1, null]", accept="application/json")
            assert [one["error"]["code"] for one in response.json()] == [-32600, -32600]


async def test_an_origin_that_is_none_is_foreign(tmp_path: Path) -> None:
    """Issue 5: 403 and why, whatever stands there; it was a fault of the server (500)."""
    with mock_of(tmp_path, session(ADD)) as mock:
        response = httpx.post(mock.url, content=b"{}", headers={"origin": "http://[evil"})
        assert response.status_code == 403
        assert "--allow-origin" in response.json()["error"]["message"]


async def test_a_recorded_url_that_is_none_is_nobodys(tmp_path: Path, over: str) -> None:
    """Ours: cassettes are written by hand, too; the server could not start."""
    text = session(ADD).replace("- transport:", '- url: "http://[x"\n  transport:', 1)
    with mock_of(tmp_path, text) as mock:
        async with web(mock, over) as client:
            await client.shake()
            assert await client.answer(call("add", a=1)) == ADDED


@pytest.mark.parametrize(("gets", "status"), [((405,), 405), ((406, "stream"), 200), ((), 200)])
async def test_one_refusal_of_a_stream_is_not_the_servers_rule(
    tmp_path: Path, over: str, gets: tuple[object, ...], status: int
) -> None:
    """Ours: it is the rule where no stream was ever opened; also where the first session did not ask for one."""
    first = session(ADD)
    second = first.partition("sessions:")[2] + "".join(f"  - http: {{get: {get}}}\n" for get in gets)
    with mock_of(tmp_path, f"{first.rstrip()}{second.rstrip()}\n") as mock:
        async with web(mock, over) as client:
            await client.shake()
            async with client.listen() as stream:
                assert stream.response.status_code == status


async def test_an_event_id_of_thousands_of_digits_is_unknown(tmp_path: Path, over: str) -> None:
    """Issue 5: `Last-Event-ID` may be nonsense; it was a fault of the server (500)."""
    with mock_of(tmp_path, session(ADD, "{ids: true}")) as mock:
        async with web(mock, over) as client:
            await client.shake()
            async with client.listen(last_event_id="1:" + "9" * 5000) as stream:
                assert stream.response.status_code == 200


async def test_a_session_in_a_path_may_have_any_name(tmp_path: Path) -> None:
    """Issue 5, 3: `/mcp/s/NAME`, also where NAME is the path of HTTP+SSE."""
    with mock_of(tmp_path, session(ADD)) as mock:
        for name in ("sse", "messages"):
            response = httpx.post(f"{mock.url}/s/{name}", content=message_text(INITIALIZE), headers=BOTH)
            assert response.status_code == 200


async def test_an_answer_that_was_no_message_is_played_as_it_was(tmp_path: Path, over: str) -> None:
    """Case RP-08: status, type and body; and the session goes on."""
    entry = "- {http: {post: 502, type: text/html, body: '<html>down</html>'}, in: 2}\n"
    entries = "> {id: 2, method: tools/call, params: {name: b}}\n" + entry + ADD
    with mock_of(tmp_path, session(entries)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            response = await client.post(call("b"))
            told = (response.status_code, response.headers["content-type"], response.text)
            assert told == (502, "text/html", "<html>down</html>")
            assert await client.answer(call("add", a=1)) == ADDED


async def test_a_recorded_status_goes_with_its_message(tmp_path: Path, over: str) -> None:
    """Issue 5, 1: what stands beside a message."""
    beside = "{status: 400, answers: json, headers: {retry-after: '3'}}"
    answer = f"- {{server: {{id: 1, error: {{code: -1, message: no}}}}, http: {beside}}}"
    entries = f"> {{id: 1, method: tools/call, params: {{name: b}}}}\n{answer}"
    with mock_of(tmp_path, session(entries)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            response = await client.post(call("b", 9))
            assert (response.status_code, response.headers["retry-after"]) == (400, "3")
            assert response.json() == {"jsonrpc": "2.0", "id": 9, "error": {"code": -1, "message": "no"}}


async def test_recorded_delays_are_kept_on_every_stream(tmp_path: Path, over: str) -> None:
    """DESIGN 4: the machine is woken by whoever waits, and nobody else is held up."""
    slow = "- {client: {method: tools/call, params: {name: slow}}, server: {result: {}}, delay: 40}"
    with mock_of(tmp_path, recorded(slow + "\n" + ADD)) as mock:
        async with web(mock, over) as client, anyio.create_task_group() as group:
            await client.shake()
            order = []

            async def ask(name: str, **arguments: object) -> None:
                await client.answer(call(name, name, **arguments))
                order.append(name)

            async with client.listen():
                group.start_soon(ask, "slow")
                while not mock.calls("tools/call"):
                    await anyio.lowlevel.checkpoint()
                await ask("add", a=1)
                while len(order) < 2:
                    await anyio.lowlevel.checkpoint()
        assert order == ["add", "slow"]


@pytest.mark.parametrize("way", ["url"])
async def test_two_hundred_clients_at_once(tmp_path: Path, way: str) -> None:
    """Issue 5, "How we shall look at it": each with a connection and a session of its own."""
    with mock_of(tmp_path, session(ADD), allow_playback_repeats=True) as mock:
        async with anyio.create_task_group() as group:

            async def talk() -> None:
                async with web(mock, "url") as client:
                    await client.shake()
                    assert await client.answer(call("add", a=1)) == ADDED

            for _ in range(200):
                group.start_soon(talk)
        assert len({one.number for one in mock.sessions}) == 200


async def test_a_client_without_an_id_goes_on_with_the_session_of_its_path(tmp_path: Path, over: str) -> None:
    """Issue 5.3: where no ids are given out, and at `/mcp/s/NAME`, each of which is a session of its own."""
    calls = "> {id: 1, method: tools/call, params: {name: add, arguments: {a: 1}}}\n"
    entries = calls + "< {id: 1, result: {sum: 1}}\n" + calls + "< {id: 1, result: {sum: 2}}\n"
    with mock_of(tmp_path, session(entries, "{session: false}")) as mock:
        async with web(mock, over) as client:
            url = client.url
            for path in ("", "/s/one"):
                client.url = url + path
                await client.shake()
                assert not client.session
                sums = [(await client.answer(call("add", number, a=1)))["result"]["sum"] for number in (1, 2)]
                assert sums == [1, 2]
