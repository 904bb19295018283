"""What was no message, and was refused when it was recorded, over HTTP."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from tests.http.client import QUIET, call, mock_of, session, web
from tests.program import SECONDS

pytestmark = [pytest.mark.anyio, QUIET]

ADD_TALK = """
> {id: 1, method: tools/call, params: {name: add, arguments: {a: 1}}}
< {id: 1, result: {sum: 1}}
"""
RECORDED_GARBAGE = """
- {raw: "{nope", from: client}
- {server: {id: null, error: {code: -32700, message: Parse error}}, http: {status: 400}}
- {raw: "null", from: client}
- {server: {id: server-error, error: {code: -32602, message: Validation error}}, http: {status: 422}}
- {raw: "[]", from: client}
- {raw: '"page"', from: client}
- http: {post: 400, type: text/plain, body: what?}
"""


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"{nope", 400, '"id":null,"error":{"code":-32700,"message":"Parse error"}'),
        (b"null", 422, '"id":"server-error","error":{"code":-32602,"message":"Validation error"}'),
        (b"[]", 400, '"error":{"code":-32600,'),
        (b'"page"', 400, "what?"),
    ],
)
async def test_ht_10_recorded_garbage_is_refused_as_it_was(
    tmp_path: Path, over: str, body: bytes, status: int, said: str
) -> None:
    """Case HT-10: with the recorded status and error, whatever id that has; what nothing answered does not hang."""
    with mock_of(tmp_path, session(RECORDED_GARBAGE + ADD_TALK)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            for _ in range(2):
                with anyio.fail_after(SECONDS):
                    response = await client.post(body)
                assert response.status_code == status
                assert said in response.text
            assert await client.answer(call("add", a=1)) == {"id": 1, "result": {"sum": 1}}
