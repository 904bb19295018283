"""What comes to one client on several connections comes in the order of the recording (issue 6: "Equal results,
callbacks and order")."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from mcpmock.transports.http import turns
from tests.http.client import call, session
from tests.http.stream_client import clients_of
from tests.http.test_stateless_over_http import META
from tests.session.dialogue import recorded

GET = "- {http: {get: stream}, label: get}"
VERSION = "io.modelcontextprotocol/protocolVersion: '2026-07-28'"
ID = "io.modelcontextprotocol/subscriptionId"


def asked(name: str, live_id: int = 1) -> str:
    """A recorded call."""
    return f"> {{id: {live_id}, method: tools/call, params: {{name: {name}}}}}"


def answered(live_id: int = 1) -> str:
    """Its answer."""
    return f"< {{id: {live_id}, result: {{made: {live_id}}}}}"


def told(what: str) -> str:
    """What was told on the stream of a GET."""
    return f"- {{server: {{method: notifications/message, params: {{level: info, data: {what}}}}}, in: get}}"


def subscribed(live_id: str, kind: str) -> tuple[str, str]:
    """A recorded subscription to one kind, and how it was acknowledged."""
    wanted = f"notifications: {{{kind}: true}}"
    meta = f"_meta: {{{ID}: {live_id}}}"
    return (
        f"> {{id: {live_id}, method: subscriptions/listen, params: {{_meta: {{{VERSION}}}, {wanted}}}}}",
        f"< {{method: notifications/subscriptions/acknowledged, params: {{{meta}, {wanted}}}}}",
    )


AFTER = "\n".join((GET, asked("make"), answered(), told("after")))
BEFORE = "\n".join((GET, asked("make"), told("before"), answered()))


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who does not read is waited for as long as a test may last: on a slow machine the order can be seen, too."""
    monkeypatch.setattr(turns, "LIMIT", 600)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("answers", ["json", "stream"])
def test_what_was_told_after_an_answer_comes_once_that_has_been_read(tmp_path: Path, answers: str) -> None:
    """Seen with tasks of 2025-11-25: a status reached the client before the answer that names the task."""
    with clients_of(tmp_path, session(AFTER, f"{{answers: {answers}}}")) as (client,):
        client.shake()
        stream = client.listen()
        answer = client.post(call("make"))
        answer.await_something()
        assert stream.is_silent()
        answer.read_until(b'"made"')
        stream.read_until(b'"after"')


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("answers", ["json", "stream"])
def test_an_answer_comes_once_what_was_told_before_it_has_been_read(tmp_path: Path, answers: str) -> None:
    """The reverse; the head of a stream may come at once."""
    with clients_of(tmp_path, session(BEFORE, f"{{answers: {answers}}}")) as (client,):
        client.shake()
        stream = client.listen()
        answer = client.post(call("make"))
        stream.await_something()
        if answers == "stream":
            assert '"made"' not in answer.read_head()
        assert answer.is_silent()
        stream.read_until(b'"before"')
        answer.read_until(b'"made"')


@pytest.mark.usefixtures("patient")
def test_two_subscriptions_and_a_call_come_in_their_order(tmp_path: Path) -> None:
    """Seen with the TypeScript SDK: what came on the second subscription was heard first."""
    changed = "< {{method: notifications/{}/list_changed, params: {{_meta: {{{}: {}}}}}}}".format
    talk = (
        *subscribed("a", "toolsListChanged"),
        *subscribed("b", "promptsListChanged"),
        f"> {{id: 1, method: tools/call, params: {{name: make, _meta: {{{VERSION}}}}}}}",
        changed("prompts", ID, "b"),
        changed("tools", ID, "a"),
        "< {id: 1, result: {resultType: complete, made: 1}}",
    )
    with clients_of(tmp_path, recorded("\n".join(talk))) as (client,):
        client.head["mcp-protocol-version"] = "2026-07-28"
        streams = []
        for live_id, kind in (("a", "toolsListChanged"), ("b", "promptsListChanged")):
            params = {"_meta": META, "notifications": {kind: True}}
            asks = {"id": live_id, "method": "subscriptions/listen", "params": params}
            streams.append(client.post(asks, {"mcp-method": "subscriptions/listen"}))
            streams[-1].read_until(b"acknowledged")
        tools, prompts = streams
        makes = {"id": 1, "method": "tools/call", "params": {"name": "make", "arguments": {}, "_meta": META}}
        answer = client.post(makes, {"mcp-method": "tools/call", "mcp-name": "make"})
        prompts.await_something()
        assert tools.is_silent()
        prompts.read_until(b"prompts/list_changed")
        tools.await_something()
        assert '"made"' not in answer.read_head()
        assert answer.is_silent()
        tools.read_until(b"tools/list_changed")
        answer.read_until(b'"made"')


def test_who_does_not_read_one_of_its_streams_gets_its_answers(tmp_path: Path) -> None:
    """Ours (DESIGN 4): it is waited for once, and for a quarter of a second."""
    talks = [line for at in range(1, 21) for line in (asked(f"make{at}", at), answered(at), told(f"after{at}"))]
    with clients_of(tmp_path, session("\n".join((GET, *talks)), "{answers: json}")) as (client,):
        client.shake()
        client.listen()
        began = time.monotonic()
        for at in range(1, 21):
            client.post(call(f"make{at}", at)).read_until(b'"made"')
        assert time.monotonic() - began < 10 * turns.LIMIT


@pytest.mark.usefixtures("patient")
def test_no_session_waits_for_another(tmp_path: Path) -> None:
    """Ours: a thousand of them at once."""
    with clients_of(tmp_path, session(AFTER, "{answers: json}"), count=2) as (slow, quick):
        for client in (slow, quick):
            client.shake()
        slow.listen()
        slow.post(call("make")).await_something()
        stream = quick.listen()
        quick.post(call("make")).read_until(b'"made"')
        stream.read_until(b'"after"')


@pytest.mark.usefixtures("patient")
def test_who_has_left_a_stream_is_not_waited_for(tmp_path: Path) -> None:
    """Ours: what comes on it waits for whoever opens it again, and nothing else does."""
    talks = (GET, asked("one"), answered(), told("after"), asked("two", 2), answered(2))
    with clients_of(tmp_path, session("\n".join(talks), "{answers: json}")) as (client,):
        client.shake()
        client.listen().socket.close()
        client.post(call("one")).read_until(b'"made"')
        client.post(call("two", 2)).read_until(b'"made"')
        client.listen().read_until(b'"after"')
