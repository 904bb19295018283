"""HTTP seen from the playback machine: on whose stream a message goes, and what ends an exchange without an answer.

The exchanges (tickets) of these talks are named by the ids of the live requests, `n` stands for a notification's.
"""

from __future__ import annotations

from typing import Any

import pytest

from mcpmock.session.playing.actions import Action, Close, Prime, Respond, Send
from mcpmock.session.playing.live import Options
from mcpmock.session.playing.playback import Playback
from mcpmock.wire.message import encode
from tests.session.dialogue import HANDSHAKE, dialogue, playback, recorded

HTTP = Options(http=True)


def session(entries: str) -> str:
    """A cassette with one session over HTTP."""
    return recorded(HANDSHAKE + entries).replace("-\n  entries:", "- transport: streamable_http\n  entries:", 1)


def send(machine: Playback, ticket: str, **body: Any) -> list[Action]:
    """The client sends a message in an exchange."""
    return machine.receive(encode({"jsonrpc": "2.0", **body}), ticket=ticket)


def introduced(entries: str, options: Options = HTTP) -> Playback:
    """A live session after its handshake."""
    machine = playback(session(entries), options)
    capabilities = {"sampling": {}, "roots": {}}
    params = {"protocolVersion": "2025-06-18", "capabilities": capabilities}
    (answer,) = send(machine, "i", id=0, method="initialize", params=params)
    assert isinstance(answer, Send)
    assert answer.ticket == "i"
    assert answer.is_answer
    assert not send(machine, "n", method="notifications/initialized")
    return machine


def told(actions: list[Action]) -> list[tuple[object, str]]:
    """The exchange of each action, and the end of the method it sends, or what else it does."""
    found: list[tuple[object, str]] = []
    for action in actions:
        if isinstance(action, Send):
            kind = "answer" if action.is_answer else action.text.partition('"method":"')[2].partition('"')[0]
            found.append((action.ticket, kind.rpartition("/")[2]))
        elif isinstance(action, Close):
            found.append((action.ticket, "pause" if action.is_pause else "abort" if action.is_abort else "close"))
        elif isinstance(action, Prime):
            found.append((action.ticket, "prime"))
        elif isinstance(action, Respond):
            found.append((action.ticket, str(action.fact.status)))
    return found


CALL = {"method": "tools/call", "params": {"name": "a", "_meta": {"progressToken": 5}}}
PRIMED = (
    "< {method: notifications/progress, params: {progressToken: 1, progress: 1}}\n- {http: {priming: server}, in: 1}\n"
)
A_CALL = "> {id: 1, method: tools/call, params: {name: a, _meta: {progressToken: 1}}}\n"


def test_what_belongs_to_a_request_goes_on_its_stream() -> None:
    """Spec (2025-06-18, Streamable HTTP): questions and notifications that relate to the request come before its
    answer, on its stream; the client's answer to a question arrives in an exchange of its own."""
    machine = introduced(
        A_CALL
        + """
        < {method: notifications/progress, params: {progressToken: 1, progress: 1}}
        < {id: 0, method: sampling/createMessage, params: {}}
        > {id: 0, result: {}}
        < {method: notifications/message, params: {level: info, data: x}}
        < {id: 1, result: {}}
        """
    )
    assert told(send(machine, "7", id=7, **CALL)) == [("7", "progress"), ("7", "createMessage")]
    assert told(send(machine, "x", id=0, result={})) == [("7", "message"), ("7", "answer")]


def test_what_came_while_nothing_was_open_goes_on_the_standing_stream() -> None:
    """Spec (2025-06-18): unrelated messages come on the stream of a GET."""
    entries = A_CALL + "< {id: 1, result: {}}\n< {method: notifications/message, params: {level: info, data: later}}\n"
    machine = introduced(entries)
    assert told(send(machine, "7", id=7, **CALL)) == [("7", "answer"), (None, "message")]


def test_in_get_names_the_stream_and_not_the_cause() -> None:
    """Ours (cassettes/README.md, HTTP): what comes on the GET stream still waits for its own cause."""
    entries = (
        "- {http: {get: stream}, label: get}\n> {id: 1, method: tools/list}\n< {id: 1, result: {tools: []}}\n"
        + A_CALL
        + "- {server: {method: notifications/tools/list_changed}, in: get}\n< {id: 1, result: {}}\n"
    )
    machine = introduced(entries)
    assert machine.norm.get == "stream"
    assert told(send(machine, "2", id=2, method="tools/list")) == [("2", "answer")]
    assert told(send(machine, "7", id=7, **CALL)) == [(None, "list_changed"), ("7", "answer")]


@pytest.mark.parametrize(
    ("entry", "action", "error"),
    [
        ("{post: 502, type: text/html, body: down}", "502", "HTTP status 502 with text/html"),
        ("{aborted: server}", "abort", "broke before the answer"),
        ("{aborted: client}", "abort", "broke before the answer"),
        ("{closed: server}", "close", "was closed before the answer"),
    ],
)
def test_an_exchange_without_an_answer_ends_as_it_did(entry: str, action: str, error: str) -> None:
    """HT-13, RP-08: it is never served as if it were complete; over stdio an error tells of it."""
    entries = A_CALL + f"- {{http: {entry}, in: 1}}\n"
    assert told(send(introduced(entries), "7", id=7, **CALL)) == [("7", action)]
    machine = introduced(entries, Options())
    (told_so,) = send(machine, "7", id=7, **CALL)
    assert isinstance(told_so, Send)
    assert error in told_so.text
    assert '"id":7' in told_so.text
    assert not machine.report.left_waiting


def test_a_stream_that_was_closed_and_resumed_is_one_answer() -> None:
    """SS-06: pairs by id across streams; a client that can ask for the rest is left to do so, as it was."""
    entries = (
        A_CALL
        + "- {http: {closed: server}, in: 1}\n- {http: {get: stream, resumes: 1}, label: get}\n"
        + "< {method: notifications/progress, params: {progressToken: 1, progress: 1}}\n< {id: 1, result: {}}\n"
    )
    assert told(send(introduced(entries), "7", id=7, **CALL)) == [("7", "pause"), ("7", "progress"), ("7", "answer")]


def test_a_stream_that_was_primed_as_it_went_on_is_primed_again() -> None:
    """SS-06: where it was, between what was missed and what came later; on pipes it is nothing, and answers nothing."""
    entries = A_CALL + "- {http: {closed: server}, in: 1}\n- {http: {get: stream, resumes: 1}}\n" + PRIMED
    assert told(send(introduced(entries + "< {id: 1, result: {}}\n"), "7", id=7, **CALL)) == [
        ("7", "pause"),
        ("7", "progress"),
        ("7", "prime"),
        ("7", "answer"),
    ]
    machine = introduced(entries.replace("- {http: {closed: server}, in: 1}\n", ""), Options())
    assert told(send(machine, "7", id=7, **CALL)) == [("7", "progress")]


def test_a_status_of_an_accepted_notification_is_told() -> None:
    """HT-02: what differs from the norm stands in an entry behind it."""
    machine = introduced("> {method: notifications/roots/list_changed}\n- {http: {post: 204}}\n")
    assert told(send(machine, "r", method="notifications/roots/list_changed")) == [("r", "204")]


def test_ht_02_a_status_of_an_answer_or_of_a_cancel_is_told() -> None:
    """HT-02: of what the client sends because of a request, as of a notification; others are accepted as usual."""
    machine = introduced(
        A_CALL
        + """< {id: 7, method: roots/list}
> {id: 7, result: {roots: []}}
- {http: {post: 204}}
< {id: 8, method: roots/list}
> {id: 8, result: {roots: []}}
> {method: notifications/cancelled, params: {requestId: 1}}
- {http: {post: 500, type: text/plain, body: oops}}
"""
    )
    assert told(send(machine, "1", id=1, **CALL)) == [("1", "list")]
    assert told(send(machine, "a", id=7, result={"roots": []})) == [("a", "204"), ("1", "list")]
    assert told(send(machine, "b", id=8, result={"roots": []})) == []
    assert told(send(machine, "c", method="notifications/cancelled", params={"requestId": 1}))[0] == ("c", "500")


def test_a_cancelled_request_without_an_answer_closes_its_stream() -> None:
    """Spec (2025-06-18, Cancellation): the receiver sends no answer; nothing else comes on that stream."""
    machine = introduced(A_CALL + "> {method: notifications/cancelled, params: {requestId: 1}}\n")
    assert told(send(machine, "7", id=7, **CALL)) == []
    cancel = {"method": "notifications/cancelled", "params": {"requestId": 7}}
    assert told(send(machine, "c", **cancel)) == [("7", "close")]


def test_the_recorded_status_of_an_answer_goes_with_it() -> None:
    """HTTP.1 of the format: the entry says the exception."""
    entries = A_CALL + "- {server: {id: 1, error: {code: -32602, message: no}}, http: {status: 400, answers: json}}\n"
    (action,) = send(introduced(entries), "7", id=7, **CALL)
    assert isinstance(action, Send)
    assert action.fact is not None
    assert (action.fact.status, action.fact.answers) == (400, "json")


def test_what_is_no_message_is_a_bad_request() -> None:
    """Spec (2025-06-18, Streamable HTTP): an HTTP error, whose body may be a JSON-RPC error without an id."""
    (action,) = introduced(A_CALL).receive(b"{nonsense", ticket="g")
    assert isinstance(action, Send)
    assert action.fact is not None
    assert (action.ticket, action.is_answer, action.fact.status) == ("g", True, 400)


def test_the_norm_is_that_of_the_session_that_was_taken() -> None:
    """Ours (DESIGN 3): the head says the norm; what it does not say of GET and DELETE the entries show."""
    cassette = session("- {http: {get: 405}}\n- {http: {delete: 405}}\n")
    norm = playback(cassette.replace("  entries:", "  http: {answers: json, session: false}\n  entries:", 1)).norm
    assert (norm.answers, norm.session, norm.get, norm.delete, norm.accepted) == ("json", False, 405, 405, 202)


def test_http_entries_make_no_difference_over_stdio() -> None:
    """Issue 5.6: every cassette plays on every transport."""
    entries = "- {http: {get: stream}, label: get}\n" + A_CALL + "< {id: 1, result: {}}\n- {http: {delete: 200}}\n"
    dialogue(session(entries), HANDSHAKE + "> {id: 4, method: tools/call, params: {name: a}}\n< {id: 4, result: {}}")


def test_au_01_what_was_refused_and_then_answered_is_answered() -> None:
    """AU-01: the replay needs no auth; the challenge is there only where nothing else was recorded."""
    refused = "> {id: 1, method: initialize}\n- {http: {post: 401, headers: {www-authenticate: Bearer}}, in: 1}\n"
    for options in (HTTP, Options()):
        machine = playback(session("").replace("  entries:\n", f"  entries:\n{_entries(refused)}"), options)
        (answer,) = send(machine, "i", id=0, method="initialize", params={})
        assert isinstance(answer, Send)
        assert "result" in answer.text
        assert machine.unplayed() == []
    alone = recorded(refused).replace("-\n  entries:", "- transport: streamable_http\n  entries:", 1)
    (challenge,) = send(playback(alone, HTTP), "i", id=0, method="initialize", params={})
    assert isinstance(challenge, Respond)
    assert (challenge.fact.status, challenge.fact.headers) == (401, (("www-authenticate", "Bearer"),))


PROBE = {"method": "server/discover", "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}}


def probed(*statuses: int) -> str:
    """A session in which probes were refused before the handshake."""
    probe = (
        "> {id: 0, method: server/discover, params: {_meta: {io.modelcontextprotocol/protocolVersion: '2026-07-28'}}}\n"
    )
    refused = "".join(f"{probe}- {{http: {{post: {status}, body: not initialized}}, in: 0}}\n" for status in statuses)
    return session("").replace("  entries:\n", f"  entries:\n{_entries(refused)}")


def test_a_probe_that_was_refused_is_refused_in_the_same_words() -> None:
    """Ours (issue 5, 7): some clients show them. On pipes servers know the method not, and clients the error."""
    machine = playback(probed(400), HTTP)
    for number in (0, 1):
        (refusal,) = send(machine, "p", id=number, **PROBE)
        assert isinstance(refusal, Respond)
        assert (refusal.fact.status, refusal.fact.body) == (400, "not initialized")
    (answer,) = send(machine, "i", id=2, method="initialize", params={})
    assert isinstance(answer, Send)
    assert machine.report.misses == machine.unplayed() == []
    (error,) = send(playback(probed(400), Options()), "p", id=0, **PROBE)
    assert isinstance(error, Send)
    assert "-32601" in error.text


def test_au_01_a_probe_without_a_token_is_not_sent_for_one() -> None:
    """AU-01: what was refused for want of a token is passed over, for the refusal that makes clients shake hands."""
    for statuses, body in (((401, 404), "not initialized"), ((401,), "Missing session ID")):
        (refusal,) = send(playback(probed(*statuses), HTTP), "p", id=0, **PROBE)
        told = str(refusal.fact.status) + str(refusal.fact.body) if isinstance(refusal, Respond) else str(refusal)
        assert body in told
        assert "401" not in told


def test_a_probe_that_was_answered_in_another_session_is_answered() -> None:
    """Ours: one cassette may hold sessions of both eras; the refusal of one client is not for all."""
    probe = (
        "> {id: 0, method: server/discover, params: {_meta: {io.modelcontextprotocol/protocolVersion: '2026-07-28'}}}\n"
    )
    modern = recorded(probe + "< {id: 0, result: {resultType: complete, supportedVersions: ['2026-07-28']}}\n")
    written = probed(400) + modern.partition("sessions:\n")[2]
    (answer,) = send(playback(written, HTTP), "p", id=0, **PROBE)
    assert isinstance(answer, Send)
    assert "supportedVersions" in answer.text


@pytest.mark.parametrize("status", [401, 404])
def test_ht_04_what_was_answered_and_then_refused_is_refused_in_its_turn(status: int) -> None:
    """Issue 5.2: a session that was lost: the call was answered before, and is refused until the client begins anew."""
    machine = introduced(_calls("< {id: 1, result: {}}", *[f"- {{http: {{post: {status}}}}}"] * 2))
    ended = [told(send(machine, "c", id=at, method="tools/call", params={"name": "a"})) for at in range(3)]
    assert ended == [[("c", "answer")], [("c", str(status))], [("c", str(status))]]
    assert not machine.report.misses


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_server_in_trouble_is_played_as_it_was(status: int) -> None:
    """Issue 5.2: a client that tries again is what such a recording is for; what a token would have changed is not."""
    machine = introduced(_calls(f"- {{http: {{post: {status}}}}}", "< {id: 1, result: {}}"))
    ended = [told(send(machine, "c", id=at, method="tools/call", params={"name": "a"})) for at in range(2)]
    assert ended == [[("c", str(status))], [("c", "answer")]]
    assert machine.unplayed() == []


def _calls(*ends: str) -> str:
    """The same call several times, and how each ended."""
    return "".join("> {id: 1, method: tools/call, params: {name: a}}\n" + end + "\n" for end in ends)


def _entries(talk: str) -> str:
    return recorded(talk).partition("  entries:\n")[2]
