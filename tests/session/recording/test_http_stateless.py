"""The stateless revision (2026-07-28) over HTTP: what is recorded of it, and how that is played (PROTOCOL 2.4)."""

from __future__ import annotations

from typing import Any

import pytest

from mcpmock.cassette.model import HttpNorm
from mcpmock.cassette.reader import load
from mcpmock.cassette.writer import dump_entry
from mcpmock.session.playing.live import Options
from mcpmock.session.showing.selfcheck import selfcheck
from tests.session.dialogue import dialogue, recorded
from tests.session.http_talk import STREAM, Talk, expected, introduced

META: dict[str, Any] = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
VERSION = "_meta: {io.modelcontextprotocol/protocolVersion: '2026-07-28'}"
SUB = "io.modelcontextprotocol/subscriptionId"
CANCEL = "> {method: notifications/cancelled, params: {requestId: 1}}\n"
STAMPED = f"> {{method: notifications/cancelled, params: {{requestId: L, {VERSION}}}}}\n"


def call(number: object, name: str = "add") -> dict[str, Any]:
    """A call with what each request of this revision carries."""
    return {"id": number, "method": "tools/call", "params": {"name": name, "_meta": META}}


def listen(number: object) -> dict[str, Any]:
    """A client subscribes."""
    return {"id": number, "method": "subscriptions/listen", "params": {"notifications": {}, "_meta": META}}


def changed(number: object) -> dict[str, Any]:
    """A list has changed."""
    return {"method": "notifications/tools/list_changed", "params": {"_meta": {SUB: number}}}


def ask(talk: Talk, message: dict[str, Any], **options: Any) -> int:
    """A POST without a session."""
    return talk.post(message, session="", **options)


def done(number: int) -> dict[str, Any]:
    """An answer."""
    return {"id": number, "result": {"resultType": "complete"}}


# -- recorded


def test_all_that_is_asked_without_a_session_is_one() -> None:
    """Ours (DESIGN 4, "Sessions"): whatever connection it comes on, and whoever else speaks."""
    talk = introduced()
    for number in (1, 2):
        talk.answer(ask(talk, call(number), on=number), done(number))
    talk.answer(talk.post({"id": 1, "method": "tools/list"}), {"id": 1, "result": {}})
    assert len(talk.recording.sessions) == 2
    assert talk.session(1).norm == HttpNorm(answers="json", session=False)
    assert talk.entries(1).count("tools/call") == 2
    assert "tools/list" in talk.entries(0)


def test_who_says_the_revision_in_the_header_alone_is_of_the_same_session() -> None:
    """Ours: the request was refused for what it lacks; it made a session of its own, and of the other era."""
    talk = Talk()
    for body, error in (({"id": 7, "method": "tools/list"}, {"id": 7, "error": {}}), (b"{nonsense", {"error": {}})):
        talk.answer(ask(talk, body, version="2026-07-28"), error, 400)
    talk.answer(ask(talk, call(1)), done(1))
    assert len(talk.recording.sessions) == 1
    entries = talk.entries()
    assert entries.count("- client:") == 2
    assert '- raw: "{nonsense"\n  from: client\n' in entries


LISTED = {"tools": [{"name": "add", "inputSchema": {"properties": {"a": {"type": "integer", "x-mcp-header": "A"}}}}]}
MISMATCH = {"id": 1, "error": {"code": -32020}}


@pytest.mark.parametrize(
    ("odd", "answer", "status", "told"),
    [
        ({"Mcp-Name": ""}, MISMATCH, 400, "{status: 400, sent: {mcp-name: null}}"),
        ({"Mcp-Name": "sub"}, MISMATCH, 400, "{status: 400, sent: {mcp-name: sub}}"),
        ({"Mcp-Protocol-Version": ""}, {"error": {}}, 400, "sent: {mcp-protocol-version: null}"),
        ({"Mcp-Param-A": "5"}, MISMATCH, 400, "{status: 400, sent: {mcp-param-a: '5'}}"),
        ({"Mcp-Param-B": "5"}, MISMATCH, 400, "{status: 400, sent: {mcp-param-b: '5'}}"),
        ({"Mcp-Param-B": "5"}, done(1), 200, ""),
        ({"Mcp-Name": "sub"}, done(1), 200, "{sent: {mcp-name: sub}}"),
        ({"Mcp-Name": "sub"}, b"", 401, "{post: 401}"),
        ({"Accept": "application/json"}, b"", 406, "{post: 406, sent: {accept: application/json}}"),
        ({"Accept": "application/json"}, done(1), 200, ""),
        ({"Accept": "text/event-stream"}, done(1), 200, "{sent: {accept: text/event-stream}}"),
        ({"Content-Type": "text/plain"}, b"no", 400, "sent: {content-type: text/plain}"),
        ({}, MISMATCH, 400, "{status: 400}"),
    ],
)
def test_headers_that_were_refused_or_tolerated_are_kept(
    odd: dict[str, str], answer: Any, status: int, told: str
) -> None:
    """Issue 6: by them a replay tells who is refused; what is as it must be, and what nobody minded, is not told."""
    talk = Talk()
    listing = {"id": 0, "method": "tools/list", "params": {"_meta": META}}
    talk.answer(ask(talk, listing), {"id": 0, "result": LISTED})
    talk.odd = odd
    talk.answer(ask(talk, call(1)), answer, status)
    entries = talk.entries().replace('"5"', "'5'")
    assert told in entries
    assert ("sent:" in entries) == ("sent:" in told)


def test_requests_of_several_clients_under_one_id_are_told_apart() -> None:
    """Issue 6: when the first was answered, and its stream had ended, the second was taken for answered, too."""
    talk = Talk()
    streams = [ask(talk, call(1, name)) for name in ("add", "sub")]
    for stream in streams:
        talk.head(stream, 200, STREAM)
    talk.event(streams[0], done(1))
    talk.end(streams[0])
    talk.answer(ask(talk, call(1, "mul")), {"id": 1, "result": {"of": "mul"}})
    talk.event(streams[1], {"id": 1, "result": {"of": "sub"}})
    talk.end(streams[1])
    entries = "".join(map(dump_entry, talk.session().take_entries()))
    assert entries.count("label:") == 2
    assert selfcheck(load(f"version: 1\nsessions:\n- entries:\n{entries}".encode())) == []


def test_that_a_subscription_is_answered_by_a_stream_is_not_told() -> None:
    """Ours: it always is, whatever the server answers else."""
    talk = Talk()
    talk.answer(ask(talk, call(1)), done(1))
    stream = ask(talk, listen("L"))
    talk.head(stream, 200, STREAM)
    talk.event(stream, {"method": "notifications/subscriptions/acknowledged", "params": {"_meta": {SUB: "L"}}})
    talk.event(stream, {"id": "L", "result": {"resultType": "complete", "_meta": {SUB: "L"}}})
    talk.end(stream)
    assert talk.session().norm == HttpNorm(answers="json", session=False)
    assert "http:" not in talk.entries()


def test_what_is_tolerated_is_told_once() -> None:
    """Ours: a client that leaves headers out does so always."""
    talk = Talk()
    talk.odd = {"Mcp-Method": ""}
    for number in range(3):
        talk.answer(ask(talk, call(number)), done(number))
    assert talk.entries().count("sent: {mcp-method: null}") == 1


def test_who_has_no_session_of_the_other_era_stays_apart_from_it() -> None:
    """Ours: a server with both eras may have no session ids in either."""
    talk = Talk()
    talk.answer(ask(talk, {"id": 0, "method": "initialize"}, on=1), {"id": 0, "result": {}})
    talk.answer(ask(talk, call(1), on=2), done(1))
    talk.answer(ask(talk, {"id": 1, "method": "tools/list"}, on=3), {"id": 1, "result": {}})
    assert "tools/list" in talk.entries(0)
    assert "tools/call" in talk.entries(1)


def test_a_probe_that_was_refused_stands_before_the_handshake_that_follows() -> None:
    """Ours (DESIGN 3): as on pipes; else it would be a session without an answer, which no cassette takes in."""
    talk = Talk()
    refusal = {"error": {"code": -32000, "message": "no session"}, "id": None}
    for number in (1, 2):
        talk.answer(ask(talk, {"id": 0, "method": "server/discover", "params": {"_meta": META}}), refusal, status=400)
        talk.answer(talk.get(session=""), status=400)
        hello = ask(talk, {"id": 1, "method": "initialize"})
        talk.answer(hello, {"id": 1, "result": {}}, Mcp_Session_Id=f"s{number}")
    assert [session.key for session in talk.recording.sessions] == ["s1", "s2"]
    assert all(session.answers == 1 for session in talk.recording.sessions)
    entries = talk.entries(1)
    assert entries.index("server/discover") < entries.index("post: 400") < entries.index("method: initialize")


def test_a_probe_that_was_answered_is_no_handshake() -> None:
    """Ours (DESIGN 4, "Sessions"): who speaks the stateless revision stays apart from whoever shakes hands."""
    talk = Talk()
    talk.answer(ask(talk, {"id": 0, "method": "server/discover", "params": {"_meta": META}}), status=401)
    talk.answer(ask(talk, {"id": 0, "method": "server/discover", "params": {"_meta": META}}), done(0))
    talk.answer(ask(talk, {"id": 1, "method": "initialize"}), {"id": 1, "result": {}}, Mcp_Session_Id="s")
    assert [session.key for session in talk.recording.sessions] == ["", "s"]


def test_what_comes_on_a_subscription_needs_no_owner() -> None:
    """Ours (DESIGN 3): its id tells the stream, and its cause follows from the rules."""
    talk = Talk()
    stream = ask(talk, listen("L"))
    talk.head(stream, 200, STREAM)
    talk.event(stream, {"method": "notifications/subscriptions/acknowledged", "params": {"_meta": {SUB: "L"}}})
    asked = ask(talk, call(1))
    talk.event(stream, changed("L"))
    talk.answer(asked, done(1))
    talk.passes(2000)
    assert "in:" not in talk.entries()


def test_two_subscriptions_under_one_id_are_told_apart() -> None:
    """Ours (DESIGN 3): clients number theirs alike; what came on which is said of both."""
    talk = Talk()
    talk.answer(ask(talk, call(0)), done(0))
    streams = [ask(talk, listen("L")), ask(talk, listen("L"))]
    for stream in streams:
        talk.head(stream, 200, STREAM)
    for stream in streams:
        talk.event(stream, changed("L"))
    entries = talk.entries()
    assert entries.count("label: L-2\n") == 1
    assert [line.strip() for line in entries.splitlines() if "in: L" in line] == ["in: L", "in: L-2"]


def test_while_one_listens_another_request_is_alone() -> None:
    """Ours (DESIGN 3): a subscription is nobody's cause, so a log message belongs to the only other request."""
    talk = Talk()
    stream = ask(talk, listen("L"))
    talk.head(stream, 200, STREAM)
    asked = ask(talk, call(1))
    talk.head(asked, 200, STREAM)
    talk.event(asked, {"method": "notifications/message", "params": {"level": "info", "data": "x"}})
    talk.event(asked, done(1))
    assert "in:" not in talk.entries()


def test_a_client_that_leaves_has_cancelled_and_its_ids_are_free() -> None:
    """Spec (2026-07-28): a disconnect is the cancel; ids are unique among outstanding requests only."""
    talk = Talk()
    talk.answer(ask(talk, call(0)), done(0))
    stream = ask(talk, listen("L"))
    talk.head(stream, 200, STREAM)
    talk.abort(stream, "client")
    talk.head(ask(talk, listen("L")), 200, STREAM)
    slow = ask(talk, call(1))
    talk.abort(slow, "client")
    talk.answer(ask(talk, call(1)), done(1))
    entries = talk.entries()
    assert "label:" not in entries
    assert entries.count("- http: {aborted: client}") == 2
    assert entries.endswith(
        expected(f"""
        - http: {{aborted: client}}
          in: 1
        - client: {{id: 1, method: tools/call, params: {{name: add, {VERSION}}}}}
        - server: {{id: 1, result: {{resultType: complete}}}}
    """)[1:]
    )


# -- played


def said(message: str) -> str:
    """A call, as in a talk."""
    return f"> {{id: 1, method: tools/call, params: {{name: {message}, {VERSION}}}}}\n"


WANTED = "notifications: {toolsListChanged: true}"
LISTENS = f"{{id: L, method: subscriptions/listen, params: {{{WANTED}, {VERSION}}}}}"
HEARD = f"{{method: notifications/subscriptions/acknowledged, params: {{_meta: {{{SUB}: L}}, {WANTED}}}}}"
CHANGED = f"{{method: notifications/tools/list_changed, params: {{_meta: {{{SUB}: L}}}}}}"
BEGINS, ACKNOWLEDGED, NEWS = f"> {LISTENS}\n", f"< {HEARD}\n", f"< {CHANGED}\n"
GIVEN_UP = recorded(
    said("slow") + "- {http: {aborted: client}, in: 1}\n" + said("add") + "< {id: 1, result: {resultType: complete}}"
)


def test_a_client_that_left_is_waited_for_as_one_that_cancelled() -> None:
    """Spec (2026-07-28): the stream stays open until the live client leaves; so it does on pipes."""
    answered = said("add").replace("id: 1", "id: 2") + "< {id: 2, result: {resultType: complete}}"
    for options in (Options(http=True), Options()):
        machine = dialogue(GIVEN_UP, said("slow") + CANCEL + answered, options=options)
        assert not machine.report.misses


def test_a_subscription_that_was_left_stays_open() -> None:
    """Ours (DESIGN 4): how long a client listens is its own affair."""
    cassette = recorded(BEGINS + ACKNOWLEDGED + "- {http: {aborted: client}, in: L}\n")
    dialogue(cassette, BEGINS + ACKNOWLEDGED, options=Options(http=True))


def test_a_notification_cancels_nothing() -> None:
    """Spec (2026-07-28): on pipes only; over HTTP another client may have a request under that id."""
    answer = "< {id: 1, result: {resultType: complete}}\n"
    cassette = recorded(BEGINS + ACKNOWLEDGED + said("add") + NEWS + answer)
    dialogue(cassette, BEGINS + ACKNOWLEDGED + STAMPED + said("add") + NEWS + answer, options=Options(http=True))
    dialogue(cassette, BEGINS + ACKNOWLEDGED + STAMPED + said("add") + answer)


def test_an_owner_that_is_a_subscription_names_the_stream_only() -> None:
    """Ours (DESIGN 3): two clients may both listen under one id; the cause follows from the rules all the same."""
    cassette = recorded(
        f"- {{client: {LISTENS}, label: first}}\n- {{server: {HEARD}, in: first}}\n"
        f"- {{client: {LISTENS}, label: second}}\n- {{server: {HEARD}, in: second}}\n"
        + said("add")
        + f"- {{server: {CHANGED}, in: first}}\n< {{id: 1, result: {{resultType: complete}}}}"
    )
    talk = BEGINS + ACKNOWLEDGED + said("add") + NEWS + "< {id: 1, result: {resultType: complete}}"
    dialogue(cassette, talk, options=Options(http=True))
