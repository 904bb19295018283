"""A probe that was answered too late for its client, or never: it has shaken hands, and will again (PROTOCOL 4.5)."""

from __future__ import annotations

import pytest

from mcpmock.cassette.reader import load
from mcpmock.session.playing.ledger import MemoryLedger
from mcpmock.session.showing.selfcheck import selfcheck
from mcpmock.wire.message import encode
from tests.session.dialogue import continue_dialogue, dialogue, library, playback, recorded

NOT_FOUND = "error: {code: -32601, message: Method not found}"
VERSION = "io.modelcontextprotocol/protocolVersion"
ENVELOPE = f'_meta: {{"{VERSION}": "2026-07-28"}}'
SHAKE = '> {id: 1, method: initialize, params: {protocolVersion: "2025-11-25", capabilities: {}}}\n'
SHAKEN = '< {id: 1, result: {protocolVersion: "2025-11-25", capabilities: {}}}\n'
CALLED = "> {id: 2, method: tools/call, params: {name: t}}\n< {id: 2, result: {}}\n"
PROBE = f"> {{id: 0, method: server/discover, params: {{{ENVELOPE}}}}}\n"
DISCOVERED = '< {id: 0, result: {supportedVersions: ["2026-07-28"], capabilities: {}}}\n'
GAVE_UP = "> {method: notifications/cancelled, params: {requestId: 0}}\n"
LATE = {
    "the handshake had begun": PROBE + SHAKE + DISCOVERED + SHAKEN,
    "it was over": PROBE + SHAKE + SHAKEN + DISCOVERED,
    "the client had cancelled its probe": PROBE + GAVE_UP + DISCOVERED + SHAKE + SHAKEN,
    "after a ping, and with a cancel": "> {id: p, method: ping}\n< {id: p, result: {}}\n"
    + PROBE
    + GAVE_UP
    + SHAKE
    + DISCOVERED
    + SHAKEN,
}
NEVER = {"it never came": PROBE + SHAKE + SHAKEN, "it was cancelled, and never came": PROBE + GAVE_UP + SHAKE + SHAKEN}


@pytest.mark.parametrize("case", LATE)
def test_a_probe_whose_answer_came_too_late_is_answered_so_that_clients_shake_hands_again(case: str) -> None:
    """PROTOCOL 4.5, issue 6.3: a server that started slowly was asked for a handshake on the same pipe; in time, its
    answer to the probe would promise what no recorded session can keep. Nothing of this is told by `mcpmock check`."""
    late = recorded(LATE[case] + CALLED)
    machine = dialogue(late, f"{PROBE}< {{id: 0, {NOT_FOUND}}}\n{SHAKE}{SHAKEN}{CALLED}")
    assert (machine.report.misses, machine.unplayed()) == ([], [])
    assert selfcheck(load(late.encode(), path="x.yaml")) == []


STATELESS = (
    f"> {{id: 1, method: tools/call, params: {{name: t, {ENVELOPE}}}}}\n< {{id: 1, result: {{resultType: complete}}}}\n"
)


@pytest.mark.parametrize("case", LATE | NEVER)
def test_beside_a_stateless_session_too_a_late_probe_is_late_when_its_session_is_next(case: str) -> None:
    """Issue 6.3: the client of that session shakes hands again; the next one is told what the server speaks."""
    stage, ledger = library(recorded((LATE | NEVER)[case] + CALLED, STATELESS)), MemoryLedger()
    falls_back = f"{PROBE}< {{id: 0, {NOT_FOUND}}}\n{SHAKE}{SHAKEN}{CALLED}"
    dialogue(stage, falls_back, ledger=ledger)
    for _ in range(2):  # when all are taken, the last one again
        machine = playback(stage, ledger=ledger)
        (action,) = machine.receive(
            encode({"id": 0, "method": "server/discover", "params": {"_meta": {VERSION: "2026-07-28"}}})
        )
        assert '"supportedVersions":["2026-07-28"]' in getattr(action, "text", "")
        continue_dialogue(machine, STATELESS)


def test_once_a_client_without_a_handshake_has_begun_its_probes_are_answered() -> None:
    """Issue 6.3: over HTTP all such clients of one path may share a live session, and one may ask twice."""
    stage = library(recorded(LATE["it was over"] + CALLED, STATELESS))
    dialogue(stage, STATELESS + PROBE + DISCOVERED)


@pytest.mark.parametrize(
    "others",
    [
        [STATELESS, LATE["it was over"]],
        [SHAKE + SHAKEN + PROBE + DISCOVERED],
        [PROBE + DISCOVERED + SHAKE + SHAKEN],
        [PROBE + DISCOVERED, SHAKE + SHAKEN + CALLED],
    ],
    ids=["the next session is stateless", "the probe came later", "the answer came in time", "by another connection"],
)
def test_a_discovery_that_was_waited_for_or_can_be_kept_is_played(others: list[str]) -> None:
    """Issue 6.3: a cassette with a probe serves both."""
    dialogue(recorded(*others), PROBE + DISCOVERED)
