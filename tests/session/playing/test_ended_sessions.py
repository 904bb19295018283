"""HTTP: what a client asked when it had ended its session."""

from __future__ import annotations

from mcpmock.session.playing.actions import Action, Respond, Send
from mcpmock.session.playing.live import Options
from mcpmock.session.playing.playback import Playback
from mcpmock.wire.message import encode
from tests.session.dialogue import HANDSHAKE, playback, recorded

CALLS = "> {id: 8, method: tools/call, params: {name: a}}\n< {id: 8, result: {}}\n" * 2
ASKED = "> {id: 1, method: tools/list}\n"
REFUSED = ASKED + "- {http: {post: 404}}\n"
ANSWERED = ASKED + "< {id: 1, result: {tools: []}}\n"


def session(entries: str) -> str:
    """A recorded session over HTTP."""
    text = recorded(HANDSHAKE + CALLS + entries).replace("-\n  entries:", "- transport: streamable_http\n  entries:", 1)
    return text.partition("sessions:\n")[2]


def asked(*sessions: str) -> tuple[Playback, Action]:
    """A live session on a recording of these that asks for the tools, and what it hears."""
    machine = playback("version: 1\nsessions:\n" + "".join(sessions), Options(http=True))
    for number, method in enumerate(("initialize", "tools/list")):
        body = {"jsonrpc": "2.0", "id": number, "method": method, "params": {}}
        (heard,) = machine.receive(encode(body), ticket=method)
    return machine, heard


def test_what_was_refused_after_a_delete_answers_nobody_elses_request() -> None:
    """Ours (issue 6): a live session takes the next recorded one, and that may be the one which its client had ended: a
    list that was refused there was refused in the place of the one that a sister holds."""
    late = "- {http: {delete: 200}}\n" + REFUSED
    machine, heard = asked(session(late), session(ANSWERED))
    assert isinstance(heard, Send)
    assert '"tools":[]' in heard.text
    assert machine.report.misses == []


def test_what_was_refused_while_the_session_went_on_is_refused_in_its_turn() -> None:
    """RP-08: a server that knows the session no more is part of the talk, and one that does not let it be ended."""
    for entries in (REFUSED, "- {http: {delete: 405}}\n" + REFUSED):
        _, heard = asked(session(entries), session(ANSWERED))
        assert isinstance(heard, Respond)
        assert heard.fact.status == 404
