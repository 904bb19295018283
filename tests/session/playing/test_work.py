"""No request goes through the whole recording: what is done for one does not grow with what else was recorded."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from tests.session.dialogue import HANDSHAKE, playback, recorded

ENVELOPE = (
    "{io.modelcontextprotocol/protocolVersion: '2026-07-28',"
    " io.modelcontextprotocol/clientCapabilities: {elicitation: {}}}"
)
SUB = "io.modelcontextprotocol/subscriptionId"
FEW, MANY = 20, 400

Talk = Callable[[int, str], str]


def request(number: int, method: str, params: str, meta: str) -> str:
    """What the client asks."""
    told = f"{params}, _meta: {meta}" if meta else params
    return f"> {{id: {number}, method: {method}, params: {{{told}}}}}\n"


def different_calls(number: int, meta: str) -> str:
    """Each call is equal to no other."""
    asked = request(number, "tools/call", f"name: t, arguments: {{n: {number}}}", meta)
    return asked + f"< {{id: {number}, result: {{content: []}}}}\n"


def equal_calls(number: int, meta: str) -> str:
    """All calls are equal, and change something."""
    return request(number, "tools/call", "name: t", meta) + f"< {{id: {number}, result: {{n: {number}}}}}\n"


def equal_lists(number: int, meta: str) -> str:
    """All of them read the same, in one state."""
    return request(number, "tools/list", "a: 1", meta) + f"< {{id: {number}, result: {{tools: []}}}}\n"


def probes(number: int, meta: str) -> str:
    """All of them are noise."""
    return request(number, "server/discover", "a: 1", meta) + f"< {{id: {number}, result: {{capabilities: {{}}}}}}\n"


def rounds(number: int, meta: str) -> str:
    """A call that is answered by a question, and comes again."""
    asks = "inputRequests: {q: {method: elicitation/create, params: {message: m}}}"
    state = f"requestState: s{number}"
    return (
        request(number, "tools/call", "name: t", meta)
        + f"< {{id: {number}, result: {{resultType: input_required, {state}, {asks}}}}}\n"
        + request(-number, "tools/call", f"name: t, {state}, inputResponses: {{q: {{action: decline}}}}", meta)
        + f"< {{id: {-number}, result: {{content: []}}}}\n"
    )


def subscriptions(number: int, meta: str) -> str:
    """All of them are equal, and the server ends each."""
    told = f"_meta: {{{SUB}: {number}}}"
    return (
        request(number, "subscriptions/listen", "notifications: {toolsListChanged: true}", meta)
        + f"< {{method: notifications/subscriptions/acknowledged, params: {{notifications: {{}}, {told}}}}}\n"
        + f"< {{id: {number}, result: {{{told}}}}}\n"
    )


def work(talk: Talk, size: int, meta: str) -> list[int]:
    """How many functions are called for each of the client's messages in one talk, in a recording of so many."""
    head = "" if meta else HANDSHAKE
    machine = playback(recorded(head + "".join(talk(number, meta) for number in range(1, size))))
    for said in _said(head + talk(1, meta) + talk(2, meta)):  # what is made once is made now
        machine.receive(said)
    return [_calls(lambda said=said: machine.receive(said)) for said in _said(talk(3, meta))]


def _said(text: str) -> list[bytes]:
    """What the client says in a talk."""
    lines = [line.strip()[1:] for line in text.splitlines() if line.strip().startswith(">")]
    return [json.dumps({"jsonrpc": "2.0", **yaml.safe_load(line)}).encode() for line in lines]


def _calls(action: Callable[[], object]) -> int:
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("talk", [different_calls, equal_calls, equal_lists, probes])
def test_of_a_session_with_a_handshake(talk: Talk) -> None:
    """Ours: what is looked up is looked up in a dict."""
    assert work(talk, FEW, "") == work(talk, MANY, "")


@pytest.mark.parametrize("talk", [different_calls, equal_calls, equal_lists, probes, rounds, subscriptions])
def test_of_a_session_without(talk: Talk) -> None:
    """Ours: each request was compared with the versions of all that were recorded."""
    assert work(talk, FEW, ENVELOPE) == work(talk, MANY, ENVELOPE)
