"""Subscriptions of the stateless revision (`subscriptions/listen`, 2026-07-28; PROTOCOL 2.4)."""

from __future__ import annotations

import pytest

from mcpmock.cassette.reader import load
from mcpmock.session.playing.actions import Close, Send
from mcpmock.session.playing.live import Options
from mcpmock.session.showing.selfcheck import selfcheck
from mcpmock.wire.message import encode
from tests.session.dialogue import dialogue, playback, recorded

VERSION = "io.modelcontextprotocol/protocolVersion: '2026-07-28'"
META = f"_meta: {{{VERSION}}}"
SUB = "io.modelcontextprotocol/subscriptionId"


def listen(number: str, wanted: str) -> str:
    """A client subscribes."""
    return f"> {{id: {number}, method: subscriptions/listen, params: {{notifications: {wanted}, {META}}}}}\n"


def ack(number: str, honoured: str) -> str:
    """The server acknowledges."""
    params = f"{{_meta: {{{SUB}: {number}}}, notifications: {honoured}}}"
    return f"< {{method: notifications/subscriptions/acknowledged, params: {params}}}\n"


def changed(number: str, kind: str = "tools") -> str:
    """A list has changed."""
    return f"< {{method: notifications/{kind}/list_changed, params: {{_meta: {{{SUB}: {number}}}}}}}\n"


def updated(number: str, uri: str) -> str:
    """A resource has changed."""
    params = f"{{_meta: {{{SUB}: {number}}}, uri: '{uri}'}}"
    return f"< {{method: notifications/resources/updated, params: {params}}}\n"


def call(number: int, name: str = "add") -> str:
    """A call, and the answer to it behind what comes between."""
    return f"> {{id: {number}, method: tools/call, params: {{name: {name}, {META}}}}}\n"


def done(number: int) -> str:
    """The answer."""
    return f"< {{id: {number}, result: {{resultType: complete}}}}\n"


TOOLS = "{toolsListChanged: true}"
ADDS = recorded(listen("L1", TOOLS) + ack("L1", TOOLS) + call(1) + changed("L1") + done(1))


def test_it_is_acknowledged_first_under_the_live_id() -> None:
    """PROTOCOL 4.2, 7: the id of the live request, with its type."""
    dialogue(ADDS, listen("7", TOOLS) + ack("7", TOOLS) + call(8) + changed("7") + done(8))
    dialogue(ADDS, listen("'7'", TOOLS) + ack("'7'", TOOLS) + call(8) + changed("'7'") + done(8))


def test_what_comes_on_it_waits_for_its_own_cause() -> None:
    """DESIGN 3: for the stream *and* for the anchor that it would have had without one."""
    dialogue(ADDS, call(8) + done(8) + listen("7", TOOLS) + ack("7", TOOLS) + changed("7"))
    dialogue(
        ADDS,
        listen("7", TOOLS)
        + ack("7", TOOLS)
        + "> {id: 3, method: tools/call, params: {name: other}}\n"
        + "< miss unknown 3\n",
    )


def test_only_what_the_live_client_asks_for_is_sent() -> None:
    """PROTOCOL 4.2, 7: scripted notifications are filtered by the live filter; the intersection is acknowledged."""
    dialogue(ADDS, listen("7", "{promptsListChanged: true}") + ack("7", "{}") + call(8) + done(8))
    both = "{toolsListChanged: true, promptsListChanged: true}"
    dialogue(ADDS, listen("7", both) + ack("7", TOOLS) + call(8) + changed("7") + done(8))


def test_a_subscription_to_resources_hears_of_those() -> None:
    """Spec (2026-07-28): an update may be of a part of what was subscribed to."""
    wanted = "{resourceSubscriptions: ['mem://a']}"
    cassette = recorded(listen("1", wanted) + ack("1", wanted) + call(2) + updated("1", "mem://a/b") + done(2))
    dialogue(cassette, listen("7", wanted) + ack("7", wanted) + call(8) + updated("7", "mem://a/b") + done(8))
    other = "{resourceSubscriptions: ['mem://z']}"
    dialogue(cassette, listen("7", other) + ack("7", other) + call(8) + done(8))


def test_several_at_once_each_hear_their_own() -> None:
    """Spec (2026-07-28): several may be open; an event may be sent once for each."""
    prompts = "{promptsListChanged: true}"
    opened = listen("a", TOOLS) + ack("a", TOOLS) + listen("b", prompts) + ack("b", prompts)
    cassette = recorded(opened + call(1) + changed("a") + changed("b", "prompts") + done(1))
    live = listen("x", TOOLS) + ack("x", TOOLS) + listen("y", prompts) + ack("y", prompts)
    dialogue(cassette, live + call(1) + changed("x") + changed("y", "prompts") + done(1))
    both = "{toolsListChanged: true, promptsListChanged: true}"
    dialogue(cassette, listen("x", both) + ack("x", TOOLS) + call(1) + changed("x") + changed("x", "prompts") + done(1))


def test_it_ends_when_the_client_cancels_it() -> None:
    """Spec (2026-07-28, stdio): by `notifications/cancelled`; nothing more may be sent for it."""
    cancel = "> {method: notifications/cancelled, params: {requestId: 7}}\n"
    dialogue(ADDS, listen("7", TOOLS) + ack("7", TOOLS) + cancel + call(8) + done(8))


def test_it_ends_when_the_server_ends_it() -> None:
    """Spec (2026-07-28): by its result, or by a cancellation that names it; both are seen."""
    result = "< {id: %s, result: {resultType: complete, _meta: {" + SUB + ": %s}}}\n"
    ends = recorded(listen("1", TOOLS) + ack("1", TOOLS) + call(2) + done(2) + result % ("1", "1"))
    dialogue(ends, listen("7", TOOLS) + ack("7", TOOLS) + call(8) + done(8) + result % ("7", "7"))
    cancelled = "< {method: notifications/cancelled, params: {requestId: %s}}\n"
    ends = recorded(listen("1", TOOLS) + ack("1", TOOLS) + call(2) + done(2) + cancelled % "1")
    dialogue(ends, listen("7", TOOLS) + ack("7", TOOLS) + call(8) + done(8) + cancelled % "7")


def test_its_end_comes_behind_what_came_on_it_last() -> None:
    """Ours: the change was because of the later call, and the end seemed to be because of the earlier one."""
    end = "< {id: %s, result: {resultType: complete}}\n"
    text = recorded(
        listen("L1", TOOLS) + ack("L1", TOOLS) + call(1) + call(2) + changed("L1") + end % "L1" + done(1) + done(2)
    )
    live = listen("7", TOOLS) + ack("7", TOOLS) + call(1) + done(1) + call(2) + changed("7") + end % 7 + done(2)
    dialogue(text, live)
    assert selfcheck(load(text.encode())) == []


def test_of_equal_ones_each_is_played_once_however_quick_a_call_beside_them_is_answered() -> None:
    """Ours (DESIGN 4, `stateful`): while the call was open the first began, and there it may have been answered."""
    end = "< {id: %s, result: {resultType: complete}}\n"
    beside = call(1) + listen("L1", TOOLS) + ack("L1", TOOLS) + done(1) + listen("L2", TOOLS) + ack("L2", TOOLS)
    text = recorded(beside + call(2) + end % "L1" + changed("L2") + done(2))
    live = call(1) + done(1) + listen("7", TOOLS) + ack("7", TOOLS) + listen("8", TOOLS) + ack("8", TOOLS)
    dialogue(text, live + call(2) + end % 7 + changed("8") + done(2))
    assert selfcheck(load(text.encode())) == []


def test_what_has_waited_for_it_comes_in_the_recorded_order() -> None:
    """DESIGN 3: each had its cause; the call that was open longest had the later one."""
    both = "{toolsListChanged: true, promptsListChanged: true}"
    beside = call(1) + call(2) + listen("L1", both) + ack("L1", both)
    text = recorded(beside + changed("L1") + done(2) + changed("L1", "prompts") + done(1))
    live = call(1) + done(1) + call(2) + done(2) + listen("7", both) + ack("7", both)
    dialogue(text, live + changed("7") + changed("7", "prompts"))


@pytest.mark.parametrize(("end", "is_abort"), [("closed", False), ("aborted", True)])
def test_the_end_of_its_stream_waits_for_its_cause_and_what_came_on_it_comes_first(end: str, is_abort: bool) -> None:
    """Ours (DESIGN 3): over HTTP it ended with its acknowledgement, and every change was lost."""
    talk = listen("1", TOOLS) + ack("1", TOOLS) + call(2) + done(2) + changed("1") + call(3, "b") + done(3)
    text = recorded(talk + changed("1") + f"- {{http: {{{end}: server}}, in: 1}}\n")
    assert selfcheck(load(text.encode())) == []
    broke = f"the recorded stream {'broke' if is_abort else 'was closed'} before the answer"
    error = f"< {{id: 7, error: {{code: -32603, message: {broke}}}}}\n"
    live = listen("7", TOOLS) + ack("7", TOOLS) + call(8) + done(8) + changed("7") + call(9, "b") + done(9)
    dialogue(text, live + changed("7") + error)

    machine = playback(text, Options(http=True))
    params = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
    wanted = {"notifications": {"toolsListChanged": True}, **params}
    said = {"stream": ("subscriptions/listen", wanted), "8": ("tools/call", {"name": "add", **params})}
    said["9"] = ("tools/call", {"name": "b", **params})
    told = []
    for ticket, (method, its_params) in said.items():
        body = {"jsonrpc": "2.0", "id": ticket, "method": method, "params": its_params}
        actions = machine.receive(encode(body), ticket=ticket)
        told.append([action if isinstance(action, Close) else getattr(action, "ticket", "") for action in actions])
    assert told == [["stream"], ["8", "stream"], ["9", "stream", Close("stream", is_abort=is_abort)]]


@pytest.mark.parametrize(
    ("end", "told"),
    [
        ("closed: server", "the recorded stream was closed before the answer"),
        ("post: 500", "the recorded server answered with HTTP status 500"),
    ],
)
def test_one_that_ended_before_it_began_is_not_acknowledged(end: str, told: str) -> None:
    """PROTOCOL 2.4: the acknowledgement comes first on a stream that is served, and only there."""
    refused = f"< {{id: 7, error: {{code: -32603, message: {told}}}}}\n"
    text = recorded(listen("1", TOOLS) + f"- {{http: {{{end}}}, in: 1}}\n" + call(2) + done(2))
    dialogue(text, listen("7", TOOLS) + refused + call(8) + done(8))


def test_where_its_client_left_it_a_live_one_stays_for_as_long_as_it_likes() -> None:
    """Ours (DESIGN 4): how long a client listens is its own affair, also where the cassette shows no envelope."""
    for meta in (META, "x: 1"):
        text = recorded(
            (listen("1", TOOLS) + ack("1", TOOLS)).replace(META, meta) + "- {http: {closed: client}, in: 1}\n"
        )
        machine = dialogue(text, listen("7", TOOLS) + ack("7", TOOLS), options=Options(http=True))
        assert not machine.report.misses


def test_what_ended_it_when_the_client_closed_comes_when_the_client_closes() -> None:
    """Ours (DESIGN 2.3): causes, not clocks."""
    result = "< {id: %s, result: {resultType: complete}}\n"
    ends = recorded(listen("1", TOOLS) + ack("1", TOOLS) + call(2) + done(2) + "- eof: client\n" + result % "1")
    dialogue(ends, listen("7", TOOLS) + ack("7", TOOLS) + call(8) + done(8) + "> eof\n" + result % "7")


def test_one_that_was_not_recorded_is_acknowledged_and_silent() -> None:
    """Ours (DESIGN 4): a client that listens by itself (the TypeScript SDK does) is not refused."""
    cassette = recorded(call(1) + done(1))
    machine = dialogue(cassette, listen("7", TOOLS) + ack("7", TOOLS) + call(8) + done(8))
    assert not machine.report.misses


def test_a_filter_that_json_cannot_spell_again_is_acknowledged_as_text() -> None:
    """Ours: a replay ended by a traceback."""
    envelope = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}'
    line = '{"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{"notifications":{"odd":[1e400]},%s}}'
    dialogue(recorded(call(1) + done(1)), f"> raw: {line % envelope}\n" + ack("5", "{odd: [Infinity]}"))


def test_over_http_it_has_its_own_stream_and_ends_with_it() -> None:
    """Spec (2026-07-28): the client ends it by closing its stream."""
    machine = playback(ADDS, Options(http=True))
    meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
    body = {"jsonrpc": "2.0", "id": 7, "method": "subscriptions/listen"}
    wants = {"notifications": {"toolsListChanged": True}, **meta}
    (acknowledged,) = machine.receive(encode({**body, "params": wants}), ticket="stream")
    assert isinstance(acknowledged, Send)
    assert (acknowledged.ticket, acknowledged.is_answer) == ("stream", False)
    machine.left("stream")
    params = {"name": "add", **meta}
    answered = machine.receive(
        encode({"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": params}), ticket="c"
    )
    assert [one.ticket for one in answered if isinstance(one, Send)] == ["c"]


def test_a_client_that_leaves_a_stateless_exchange_has_cancelled_it() -> None:
    """PROTOCOL 2.4: a disconnect is the cancel of this revision, and means nothing in the ones before (2.3)."""
    ask = "> {id: 1, method: tools/call, params: {name: slow, %s}}\n"
    cancel = "> {method: notifications/cancelled, params: {requestId: 1}}\n"
    for meta, closes in ((META, True), ("x: 1", False)):
        machine = playback(recorded(ask % meta + cancel), Options(http=True))
        params = {
            "name": "slow",
            **({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}} if closes else {"x": 1}),
        }
        machine.receive(encode({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": params}), ticket="t")
        assert machine.left("t") == ([Close("t")] if closes else [])


def test_one_that_was_refused_is_refused_and_nothing_is_sent_on_it() -> None:
    """PROTOCOL 2.4: the acknowledgement comes first on a stream that is served, and only there."""
    refused = "< {id: 3, error: {code: -32603, message: too many}}\n"
    ended = f"< {{id: L1, result: {{resultType: complete, _meta: {{{SUB}: L1}}}}}}\n"
    served = listen("L1", TOOLS) + ack("L1", TOOLS) + call(1) + changed("L1") + ended + done(1)
    talk = served + listen("3", TOOLS) + refused + call(4, "other") + done(4)
    assert dialogue(recorded(talk), talk).report.misses == []
    assert selfcheck(load(recorded(talk).encode())) == []


def test_a_refusal_waits_for_no_call_that_was_open_when_it_was_recorded() -> None:
    """Ours (DESIGN 3): what was refused was answered, like any other request."""
    refused = "< {id: 3, error: {code: -32603, message: too many}}\n"
    talk = call(1) + listen("3", TOOLS) + refused + done(1)
    dialogue(recorded(talk), listen("3", TOOLS) + refused + call(1) + done(1))
