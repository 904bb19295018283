"""Each other's recordings: what a client of one SDK recorded, played to a client of the other, over both transports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, NamedTuple

from tests.e2e.pair import Log, steady_difference
from tests.e2e.stateless import CLIENTS, SERVERS, TRANSPORTS, Pair, Seeing, combinations, counting, replay_on

_OTHERS: Final = {"auto": "pinned", "pinned": "auto", "legacy": "auto"}
"""In which other mode a client can be served by what was recorded in this one."""


class Crossing(NamedTuple):
    """A pair that was recorded, and the client to which it is played."""

    recorded: Pair
    client: str

    @property
    def model(self) -> Pair:
        """Who saw the same of the server itself: the client, with a handshake if one was recorded."""
        is_stateless = self.recorded.is_stateless or not SERVERS[self.recorded.server].is_stateless
        client = self.client if is_stateless else f"{self.client.partition('-')[0]}-legacy"
        return self.recorded._replace(client=client)


def crossings() -> list[Crossing]:
    """All in the same mode; of the two SDKs' own servers, also those in another mode that the recording can serve."""
    return [
        Crossing(pair, f"{language}-{mode}")
        for pair in combinations()
        for language in _languages() - {pair.client.partition("-")[0]}
        for mode in _modes(pair)
    ]


def _languages() -> set[str]:
    return {client.partition("-")[0] for client in CLIENTS}


def _modes(pair: Pair) -> list[str]:
    mode = pair.client.partition("-")[2]
    is_of_the_sdks = SERVERS[pair.server].with_handshake is not None
    return [mode, _OTHERS[mode]] if is_of_the_sdks else [mode]


def play(crossing: Crossing, folder: Path, out: Path) -> list[str]:
    """Play it in a folder of its own, from what the pairs have left in theirs: what differs, in words."""
    home, model = out / ".".join(crossing.recorded), out / ".".join(crossing.model)
    text = (model / "direct.json").read_text().replace(str(model), str(home))
    expected: Log = json.loads(text)
    begin = 0 if tells_who_it_is(home / "session.yaml") else 1
    steps = crossing.recorded.steps(home / "work")
    see = Seeing(CLIENTS[crossing.client], steps, folder)
    faults = []
    for transport in TRANSPORTS:
        log, codes = replay_on(transport, see, home / "session.yaml")
        (folder / f"{transport}.json").write_text(json.dumps(log, indent=1))
        counted = counting(crossing.recorded, transport)
        told = steady_difference(counted(expected[begin:]), counted(log[begin:]))
        told = told or (f"exit codes {codes}" if any(codes) else "")
        faults += [f"over {transport}: {told}"] if told else []
    return faults


def tells_who_it_is(cassette: Path) -> bool:
    """Whether it holds a greeting; the Python SDK asks for none where it is pinned, so a replay makes one up."""
    recorded = cassette.read_text(encoding="utf-8")
    return "method: server/discover" in recorded or "method: initialize" in recorded
