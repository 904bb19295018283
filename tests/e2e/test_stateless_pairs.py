"""Real servers and clients that speak 2026-07-28, or find out what to speak (issue 6).

`python -m tests.e2e --stateless` plays all pairs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.e2e import stateless
from tests.e2e.stateless import CLIENTS, SERVERS, Transport
from tests.real.conftest import require

pytestmark = [pytest.mark.real]

PAIRS: Final[list[tuple[str, str, Transport]]] = [
    ("small-python2", "typescript2-auto", "http"),
    ("small-typescript2", "python2-auto", "stdio"),
    ("small-python1", "python2-auto", "http"),
]


@pytest.mark.parametrize(("server", "client", "transport"), PAIRS)
def test_a_client_can_tell_neither_the_recorder_nor_the_replay_on_either_transport(
    server: str, client: str, transport: Transport, tmp_path: Path
) -> None:
    """Ours (issue 6, 5): results, callbacks and their order; exit code 0; `check` finds nothing."""
    require(SERVERS[server].on_pipes.part)
    require(CLIENTS[client].part)
    seen = stateless.play(server, client, transport, tmp_path)
    assert seen.faults == []
    assert seen.played.counted("step") >= 24
