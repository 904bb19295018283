"""Streams that the server ends before the answer, so that the client asks for the rest (2025-11-25, SEP-1699)."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import httpx
import pytest

from mcpmock.wire.sse import Event
from tests.http.client import QUIET, Stream, call, mock_of, session, web

pytestmark = [pytest.mark.anyio, QUIET]

RESUMABLE = "{ids: true, priming: true, retry: 20}"
DONE = {"id": 2, "result": {"text": "done"}}
POLLED = """
> {id: 1, method: tools/call, params: {name: long}}
- {http: {closed: server}, in: 1}
- {http: {get: stream, resumes: 1}}
< {method: notifications/message, params: {level: info, data: x}}
< {id: 1, result: {text: done}}
"""
LOG = {"method": "notifications/message", "params": {"level": "info", "data": "x"}}


async def events_of(stream: Stream) -> list[Event]:
    """All events of a stream."""
    found = []
    while (event := await stream.event()) is not None:
        found.append(event)
    return found


@pytest.mark.parametrize("end", ["closed", "aborted"])
async def test_ss_06_a_stream_that_ended_early_ends_early_and_is_gone_on_with(
    tmp_path: Path, over: str, end: str
) -> None:
    """Case SS-06 (SEP-1699, polling): the answer came when the client had asked for the rest."""
    with mock_of(tmp_path, session(POLLED.replace("closed", end), RESUMABLE)) as mock:
        async with web(mock, over) as client:
            await client.shake("2025-11-25")
            async with client.stream(call("long", 2)) as stream:
                event = await stream.event()
                assert event is not None
                assert (event.is_priming, event.retry) == (True, 20)
                with pytest.raises(httpx.HTTPError) if end == "aborted" else nullcontext():
                    assert await stream.event() is None
            for _ in range(2):
                async with client.listen(last_event_id=event.id or "") as rest:
                    assert await rest.rest() == [LOG, DONE]
        assert mock.misses == []


@pytest.mark.parametrize(("version", "datas"), [("2025-11-25", [True, False, True]), ("2025-06-18", [True, True])])
async def test_ss_06_a_stream_is_primed_as_it_goes_on(
    tmp_path: Path, over: str, version: str, datas: list[bool]
) -> None:
    """Case SS-06: with an event that has an id of its own and no data, for a client that knows such."""
    primed = POLLED.replace("< {id: 1,", "- {http: {priming: server}, in: 1}\n< {id: 1,")
    with mock_of(tmp_path, session(primed, RESUMABLE)) as mock:
        async with web(mock, over) as client:
            await client.shake(version)
            async with client.stream(call("long", 2)) as stream:
                found = await events_of(stream)
            if not found[0].data:
                async with client.listen(last_event_id=found[0].id or "") as rest:
                    found = await events_of(rest)
            assert [bool(event.data) for event in found] == datas
            assert len({event.id for event in found}) == len(found)


@pytest.mark.parametrize(("norm", "version"), [("", "2025-11-25"), (RESUMABLE, "2025-06-18")])
async def test_ss_06_who_has_seen_no_id_gets_all_of_it_at_once(
    tmp_path: Path, over: str, norm: str, version: str
) -> None:
    """Case SS-06: nobody can ask for the rest of a stream of which no event had an id."""
    with mock_of(tmp_path, session(POLLED, norm)) as mock:
        async with web(mock, over) as client:
            await client.shake(version)
            assert await client.ask(call("long", 2)) == [LOG, DONE]
