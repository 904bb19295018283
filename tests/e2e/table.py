"""The result of all pairs as a page for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.e2e.pair import Played
from tests.e2e.software import CLIENTS, SERVERS

_HEAD: Final = """\
# All pairs

    python -m tests.e2e [--out FOLDER]

plays every server of `tests/real` and of `small/` with every client in `drivers/`: directly, through `mcpmock record`,
and against `mcpmock replay` of what was recorded. It wrote this page.

**Equal** means: what the client saw through the recorder is what it saw directly, and what it saw of the replay is
what it saw through the recorder, to the letter: results, errors, callbacks, notifications, progress, and their order
(between the first two but for the time of day). Also, each replay ended with exit code 0, and `mcpmock check` found
nothing in the cassette. In brackets: the steps that the client did, and what came to it by itself in between.

All sessions are of the legacy era, over stdio. The TypeScript SDK drops progress that shares a read with the answer, by
chance; so with it the last progress of a call does not count. `typescript2-probing` first starts a second process, to
ask it what it speaks; with servers that speak the modern era, that is another test. `python1-each` starts a process for
every step; the scenario of server-everything makes no sense then.

`python -m tests.e2e --http` does the same over Streamable HTTP and HTTP+SSE, with the servers that have both: directly,
through the recording proxy, and replayed on all three transports, one cassette for all.

"""


def text(results: Mapping[tuple[str, str], Played]) -> str:
    """The page: a row for every server, a column for every client."""
    rows = [["server", *CLIENTS], ["---"] * (len(CLIENTS) + 1)]
    rows += [[server, *(_cell(results.get((server, client))) for client in CLIENTS)] for server in SERVERS]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    faults = [
        f"* {server} with {client}: {fault}" for (server, client), played in results.items() for fault in played.faults
    ]
    told = "\n".join(["", "What differs:", "", *faults, ""]) if faults else ""
    return _HEAD + "\n".join(lines) + "\n" + told


def _cell(played: Played | None) -> str:
    if played is None:
        return "-"
    return f"{'differs' if played.faults else 'equal'} ({played.counted('step')}, {played.counted('event')})"
