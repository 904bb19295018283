"""Real servers and real clients over HTTP: recorded, and replayed on all transports (issue 5, 7)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.e2e import over_http
from tests.e2e.over_http import SERVERS, Way
from tests.e2e.software import CLIENTS
from tests.real.conftest import require

pytestmark = [pytest.mark.real]

PAIRS: Final[list[tuple[str, str, Way]]] = [
    ("everything", "typescript1", "mcp"),
    ("everything", "python1", "sse"),
    ("small-python1", "python2", "mcp"),
    ("small-python2", "typescript2", "mcp"),
    ("small-typescript1", "typescript1", "sse"),
    ("small-typescript2", "python1", "mcp"),
]


@pytest.mark.parametrize(("server", "client", "way"), PAIRS)
def test_a_client_can_tell_neither_the_recorder_nor_the_replay_on_any_transport(
    server: str, client: str, way: Way, tmp_path: Path
) -> None:
    """Ours (issue 5, 6 and 7): results, callbacks and their order; exit code 0; `check` finds nothing."""
    require(SERVERS[server].part)
    require(CLIENTS[client].part)
    seen = over_http.play(server, client, way, tmp_path)
    assert seen.faults == []
    assert len(over_http.steps_of(seen.played.replayed)) >= 24
