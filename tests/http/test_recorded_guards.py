"""What a recorded server refused, or let in, by the head of a request alone (cassettes/README.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import anyio
import pytest

from mcpmock.cassette.reader import load
from mcpmock.session.showing.selfcheck import selfcheck
from tests.http.client import BOTH, QUIET, call, message_text, mock_of, session, web
from tests.program import SECONDS

pytestmark = [pytest.mark.anyio, QUIET]

ADD: Final = """
> {id: 1, method: tools/call, params: {name: add, arguments: {a: 1}}}
< {id: 1, result: {sum: 1}}
"""
MINDED: Final = """
- {client: {id: 7, method: tools/list}}
- http: {post: 406, type: application/json, sent: {accept: application/json}, body: {error: {code: -1}}}
- {client: {id: 7, method: tools/list}}
- http: {post: 400, type: text/plain, sent: {mcp-session-id: null}, body: no session}
- {client: {id: 7, method: tools/list}}
- http: {post: 404, type: text/plain, sent: {mcp-session-id: unknown}, body: lost}
- {client: {id: 7, method: tools/list}}
- {server: {id: 7, error: {code: -2, message: no}}, http: {status: 400, sent: {mcp-protocol-version: "1.0"}}}
- {client: [{id: 7, method: tools/list}]}
- http: {post: 400, type: text/plain, body: no batches}
- http: {get: 406, type: text/plain, sent: {accept: application/json}, body: streams only}
- {client: {method: notifications/roots/list_changed}}
- http: {options: 405, headers: {allow: POST}}
- http: {put: 405, type: text/plain, body: no put}
"""
FOREIGN: Final = """
- {client: {id: 8, method: tools/list}}
- http: {post: 403, type: text/plain, sent: {origin: "https://evil.example"}, body: theirs}
- {client: {id: 9, method: tools/list}}
- {server: {id: 9, result: {tools: []}}, http: {sent: {origin: "https://good.example"}}}
"""


async def test_what_a_head_was_refused_for_is_refused_in_the_same_words_whatever_is_asked(
    tmp_path: Path, over: str
) -> None:
    """Issue 6: every verdict as it was; a refusal uses up nothing, and answers no sound request."""
    cassette = session(MINDED + ADD)
    assert selfcheck(load(cassette.encode())) == []
    with mock_of(tmp_path, cassette, allow_unplayed=False) as mock:
        async with web(mock, over) as client:
            await client.shake()
            for _ in range(2):
                said = await client.post(call("add", a=1), accept="application/json")
                assert (said.status_code, said.json()["error"]["code"]) == (406, -1)
                said = await client.post(call("add", 5, a=1), mcp_protocol_version="1.0")
                assert (said.status_code, said.json()["id"], said.json()["error"]["code"]) == (400, 5, -2)
                said = await client.post(call("add", a=1), mcp_session_id="made-up")
                assert (said.status_code, said.text) == (404, "lost")
                said = await client.post([{"id": 1, "method": "ping"}])
                assert (said.status_code, said.text) == (400, "no batches")
                said = await client.http.post(client.url, content=message_text(call("add")), headers=BOTH)
                assert (said.status_code, said.text) == (400, "no session")
            assert await client.answer(call("add", a=1)) == {"id": 1, "result": {"sum": 1}}
        assert mock.misses == []


async def test_other_verbs_are_answered_as_they_were(tmp_path: Path, over: str) -> None:
    """Ours: a GET for what it takes, PUT and OPTIONS whatever else they say; another as it should be."""
    with mock_of(tmp_path, session(MINDED + ADD)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            said = await client.http.get(client.url, headers={**client.head, "accept": "application/json"})
            assert (said.status_code, said.text) == (406, "streams only")
            said = await client.http.options(client.url, headers={"origin": "http://localhost:1"})
            assert (said.status_code, said.headers["allow"]) == (405, "POST")
            said = await client.http.put(client.url, headers={"mcp-protocol-version": "2025-11-25"})
            assert (said.status_code, said.text) == (405, "no put")
            assert (await client.http.patch(client.url)).status_code == 405
            assert (await client.post({"method": "notifications/roots/list_changed"})).status_code == 202


async def test_ht_09_foreign_names_are_judged_as_the_recorded_server_judged_them(tmp_path: Path, over: str) -> None:
    """HT-09: in its words, the very one that it let in, and nobody for what clients did; anyone else as ever."""
    with mock_of(tmp_path, session(FOREIGN + ADD)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            for origin in ("https://evil.example", "https://worse.example"):
                said = await client.post(call("add", a=1), origin=origin)
                assert (said.status_code, said.text) == (403, "theirs")
            assert (await client.post(call("add", a=1), origin="https://good.example")).status_code == 200
            report = client.url.replace("/mcp", "/__mcpmock/report")
            assert (await client.http.get(report, headers={"origin": "https://good.example"})).status_code == 403
            assert (await client.http.get(report)).status_code == 200
        assert mock.misses == []


async def test_ht_09_where_nothing_is_recorded_foreign_pages_are_refused(tmp_path: Path, over: str) -> None:
    """HT-09: DNS rebinding; the guard of a replay."""
    with mock_of(tmp_path, session(ADD)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            said = await client.post(call("add", a=1), origin="https://good.example")
            assert (said.status_code, "--allow-origin" in said.text) == (403, True)


ANSWERED: Final = """
- {client: {id: 99, result: {action: accept}}}
- http: {post: 400, type: text/plain, body: no such question}
- {client: [{id: 98, method: tools/list}]}
- http: {post: 400, type: text/plain, body: not now}
> {id: 1, method: tools/call, params: {name: ask}}
< {id: 5, method: roots/list}
> {id: 5, result: {roots: []}}
< {id: 1, result: {sum: 1}}
- client: [{id: 3, method: tools/list}]
- server: [{id: 3, result: {tools: []}}]
"""


async def test_where_answers_and_batches_are_taken_one_was_refused_for_what_it_said(tmp_path: Path, over: str) -> None:
    """Ours: the refusal of a stray answer answered each sound one, and the server waited for its answer for ever."""
    with mock_of(tmp_path, session(ANSWERED)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            said = await client.post({"id": 99, "result": {"action": "accept"}})
            assert (said.status_code, said.text) == (400, "no such question")
            assert (await client.post({"id": 5, "result": {"roots": [{"uri": "file:///"}]}})).status_code == 202
            said = await client.post([{"id": 98, "method": "tools/list"}])
            assert (said.status_code, said.text) == (400, "not now")
            assert (await client.post([{"id": 4, "method": "tools/list"}])).status_code == 200
            with anyio.fail_after(SECONDS):
                said = await client.post(b"[5]")
            assert (said.status_code, said.json()["error"]["code"]) == (400, -32600)


MALFORMED: Final = """
- {client: {id: null, method: tools/list}}
- http: {post: 400, type: text/plain, body: no id}
- {client: {id: 7, method: tools/list, params: [1]}}
- {server: {id: null, error: {code: -3, message: no params}}, http: {status: 400}}
- {client: {id: 1.5, method: tools/list}}
- http: {post: 202}
- {client: {id: 7, method: tools/list, params: null}}
- http: {post: 400, type: text/plain, body: null is none}
- {client: {id: 7, method: tools/list, result: {}}}
- http: {post: 400, type: text/plain, body: either or}
> {id: 8, method: tools/list}
< {id: 8, result: {tools: []}}
"""


async def test_what_is_no_message_of_mcp_is_answered_as_it_was_and_answers_no_other(tmp_path: Path, over: str) -> None:
    """Ours: a request with a fraction for an id was accepted as a notification, and so was every sound one."""
    with mock_of(tmp_path, session(MALFORMED)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            said = await client.post({"id": None, "method": "tools/list"})
            assert (said.status_code, said.text) == (400, "no id")
            said = await client.post({"id": 7, "method": "tools/list", "params": [1]})
            assert (said.status_code, said.json()["error"]["code"]) == (400, -3)
            assert (await client.post({"id": 1.5, "method": "tools/list"})).status_code == 202
            for more, told in (({"params": None}, "null is none"), ({"result": {}}, "either or")):
                assert (await client.post({"id": 7, "method": "tools/list", **more})).text == told
            assert await client.answer({"id": 9, "method": "tools/list"}) == {"id": 9, "result": {"tools": []}}
        assert mock.misses == []


async def test_an_empty_session_id_is_told_from_none(tmp_path: Path, over: str) -> None:
    """Ours: servers say 404 to it, and said so in a replay to all that was asked without a session."""
    lost = 'http: {delete: 404, type: text/plain, sent: {mcp-session-id: ""}, body: lost}'
    with mock_of(
        tmp_path, session(f"- {lost}\n- http: {{delete: 400, sent: {{mcp-session-id: null}}}}\n" + ADD)
    ) as mock:
        async with web(mock, over) as client:
            await client.shake()
            assert (await client.http.delete(client.url)).status_code == 400
            said = await client.http.delete(client.url, headers={"mcp-session-id": ""})
            assert (said.status_code, said.text) == (404, "lost")


@pytest.mark.parametrize(
    ("status", "length"), [(200, "1"), (202, "1"), (413, "-1"), (413, "0"), (413, "9" * 5000), (413, "²")]
)
async def test_a_length_is_heeded_where_a_body_was_refused_for_it(
    tmp_path: Path, over: str, status: int, length: str
) -> None:
    """Ours: one that was written by hand and means nothing answers no sound request, and breaks nothing."""
    odd = f'- {{server: {{id: 7, result: {{}}}}, http: {{status: {status}, sent: {{content-length: "{length}"}}}}}}\n'
    cassette = session("- {client: {id: 7, method: prompts/list}}\n" + odd + ADD)
    assert selfcheck(load(cassette.encode())) is not None
    with mock_of(tmp_path, cassette, allow_unplayed=True) as mock:
        async with web(mock, over) as client:
            await client.shake()
            assert await client.answer(call("add", a=1)) == {"id": 1, "result": {"sum": 1}}
