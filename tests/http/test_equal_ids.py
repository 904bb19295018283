"""Case RP-02 over HTTP: equal ids in flight, within a session and in several."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from tests.http.client import LONG, QUIET, TALK, call, mock_of, web
from tests.session.dialogue import HANDSHAKE, recorded

pytestmark = [pytest.mark.anyio, QUIET]


async def test_rp_02_two_requests_in_flight_with_one_id(tmp_path: Path, over: str) -> None:
    """Case RP-02: each is answered in its own exchange; `calls` tells them apart."""
    slow = "- {client: {method: tools/call, params: {name: slow}}, server: {result: {city: A}}, delay: 60}"
    quick = "- {client: {method: tools/call, params: {name: quick}}, server: {result: {city: B}}}"
    with mock_of(tmp_path, recorded(f"{slow}\n{quick}")) as mock:
        async with web(mock, over) as client, anyio.create_task_group() as group:
            await client.shake()
            found = []

            async def ask(name: str) -> None:
                found.append((name, await client.answer(call(name, 1))))

            async with client.stream(call("slow", 1)) as stream:
                await ask("quick")
                found.append(("slow", await stream.message()))
            group.cancel_scope.cancel()
        assert found == [("quick", {"id": 1, "result": {"city": "B"}}), ("slow", {"id": 1, "result": {"city": "A"}})]
        assert [(one.name, one.answer) for one in mock.calls("tools/call")] == [
            ("slow", {"city": "A"}),
            ("quick", {"city": "B"}),
        ]


async def test_rp_02_two_sessions_with_the_same_ids(tmp_path: Path, over: str) -> None:
    """Case RP-02: each has its own cursor; nothing crosses over."""
    sessions = [HANDSHAKE + TALK.replace("done", f"done {which}") for which in ("first", "second")]
    with mock_of(tmp_path, recorded(*sessions)) as mock:
        async with web(mock, over) as one, web(mock, over) as two:
            await one.shake(roots={})
            await two.shake(roots={})
            async with two.stream(LONG) as second, one.stream(LONG) as first:
                for client in (one, two):
                    await client.post({"id": 5, "result": {"roots": []}})
                assert (await first.rest())[-1]["result"] == {"text": "done first"}
                assert (await second.rest())[-1]["result"] == {"text": "done second"}
