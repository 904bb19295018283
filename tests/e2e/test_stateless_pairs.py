"""Real servers and clients that speak 2026-07-28, or find out what to speak (issue 6).

`python -m tests.e2e --stateless` plays all pairs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e import crossed, stateless
from tests.e2e.over_http import mcpmock, running
from tests.e2e.stateless import CLIENTS, MODES, SERVERS, TRANSPORTS, Pair, Seeing, counting, python2_client
from tests.program import MCPMOCK
from tests.real.conftest import require

pytestmark = [pytest.mark.real]

PAIRS: Final = [
    Pair("small-python2", "typescript2-auto", "http"),
    Pair("small-typescript2", "python2-auto", "stdio"),
    Pair("small-python1", "python2-auto", "http"),
]

STEPS: Final[list[list[Any]]] = [
    ["list", "tools"],
    ["call", "add", {"a": 2, "b": 3}],
    ["call", "write", {"text": "something"}],
    ["read", "note://now"],
]


@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_a_client_can_tell_neither_the_recorder_nor_the_replay_nor_the_fixture(pair: Pair, tmp_path: Path) -> None:
    """Ours (issue 6, 5): results, callbacks and their order; exit code 0; `check` finds nothing."""
    for part in (SERVERS[pair.server].on_pipes.part, CLIENTS[pair.client].part, "sdk2"):
        require(part)
    seen = stateless.play(pair, tmp_path)
    assert seen.faults == []
    assert seen.played.counted("step") >= 24


def test_nothing_changes_its_place_unseen_but_what_comes_on_another_stream() -> None:
    """Ours (issue 6, 5: equal order): the comparison itself."""
    call: list[Any] = ["step", ["call", "count", {}], {"result": {}}]
    progress: list[Any] = ["event", "progress", 1, 2, None]
    news: list[Any] = [
        "event",
        "notification",
        {"method": "m", "params": {"_meta": {"io.modelcontextprotocol/subscriptionId": 7}}},
    ]
    line: list[Any] = ["event", "notification", {"method": "notifications/message", "params": {"data": "line 0"}}]
    told: list[Any] = ["event", "notification", {"method": "notifications/tools/list_changed"}]
    for client in ("python2-auto", "python2-legacy"):
        on_pipes, at_port = (Pair("small-python2", client, one) for one in TRANSPORTS)
        ways = [counting(on_pipes, "stdio"), counting(on_pipes, "http"), counting(at_port, "http")]
        for log, other, *seen in (
            ([progress, call], [call, progress], True, True, True),
            ([line, call], [call, line], True, True, True),
            ([news, call], [call, news], True, True, False),
            ([told, call], [call, told], True, True, False),
            ([news, progress], [progress, news], True, True, False),
        ):
            assert [way(log) != way(other) for way in ways] == seen


@pytest.mark.parametrize("mode", MODES)
def test_each_sdk_is_served_in_every_mode_with_what_the_other_has_recorded(mode: str, tmp_path: Path) -> None:
    """Ours (issue 6): what the other's recording shows a client is what the server itself shows it."""
    require("sdk2")
    require("npm")
    server, languages = SERVERS["small-typescript2"].on_pipes.command(tmp_path), ("python2", "typescript2")
    sees = [Seeing(CLIENTS[f"{one}-{mode}"], STEPS, tmp_path) for one in languages]
    cassettes = [tmp_path / f"{one}.yaml" for one in languages]
    recorded = [
        see(*MCPMOCK, "record", "-o", str(cassette), "--", *server)
        for see, cassette in zip(sees, cassettes, strict=True)
    ]
    for see, expected, cassette in zip(sees, recorded, reversed(cassettes), strict=True):
        begin = 0 if crossed.tells_who_it_is(cassette) else 1
        assert see(*MCPMOCK, "replay", str(cassette))[begin:] == expected[begin:]
        assert len(expected) == len(STEPS) + 1


def test_one_cassette_serves_clients_of_both_eras(tmp_path: Path) -> None:
    """Ours (issue 6, 3): with a handshake and without one, recorded by one proxy, replayed on both transports."""
    require("sdk2")
    cassette, at_port = tmp_path / "session.yaml", SERVERS["small-python2"].at_port
    assert at_port is not None
    sees = [Seeing(python2_client(mode), STEPS, tmp_path) for mode in ("legacy", "auto")]
    with running(at_port, lambda port: {}, "mcp") as url, mcpmock("record", "-o", str(cassette), url) as proxy:
        recorded = [see(proxy[0]) for see in sees]
    assert [log[0][2]["protocolVersion"] for log in recorded] == ["2025-11-25", "2026-07-28"]
    assert [see(*MCPMOCK, "replay", str(cassette)) for see in sees] == recorded
    with mcpmock("replay", str(cassette), "--port", "0") as (url, _):
        assert [see(url) for see in sees] == recorded
