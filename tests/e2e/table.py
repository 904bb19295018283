"""The result of all pairs as a page for people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.e2e.over_http import PlayedAcross
from tests.e2e.pair import Played
from tests.e2e.software import CLIENTS, SERVERS

HTTP: Final = "# Pairs over HTTP"
STATELESS: Final = "# Pairs that speak 2026-07-28"
"""Where the other parts of the page begin; each command writes its own."""

_HTTP_HEAD: Final = f"""\
{HTTP}

    python -m tests.e2e --http [--out FOLDER]

does the same over Streamable HTTP and HTTP+SSE, with the servers that can be reached so (the TypeScript SDK 2.x serves
no HTTP+SSE): directly, through the recording proxy, and replayed on all three transports, one cassette for all. Which
of two streams is read first is chance; so over Streamable HTTP what comes by itself counts apart, and of
server-everything, which says it at random there, only the steps.

"""

_STATELESS_HEAD: Final = f"""\
{STATELESS}

    python -m tests.e2e --stateless [--out FOLDER]

plays servers that speak both eras, and one that knows the handshake only, with the official SDKs in version 2: finding
out what to speak (`auto`), or with the revision pinned. Each pair over stdio and over Streamable HTTP; directly,
through the recorder, against the replay, and against the replay on the other transport. In brackets as above. Which of
two streams is read first is chance; so what came on a subscription counts apart from the rest.

"""

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

"""


def text(results: Mapping[tuple[str, str], Played]) -> str:
    """The page: a row for every server, a column for every client."""
    rows = [["server", *CLIENTS], ["---"] * (len(CLIENTS) + 1)]
    rows += [[server, *(_plain_cell(results.get((server, client))) for client in CLIENTS)] for server in SERVERS]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    faults = [
        f"* {server} with {client}: {fault}" for (server, client), played in results.items() for fault in played.faults
    ]
    told = "\n".join(["", "What differs:", "", *faults, ""]) if faults else ""
    return _HEAD + "\n".join(lines) + "\n" + told


def http_text(results: Mapping[tuple[str, str, str], PlayedAcross]) -> str:
    """The second part of the page."""
    names = {"mcp": "Streamable HTTP", "sse": "HTTP+SSE"}
    return _HTTP_HEAD + _text({(server, client, names[way]): one for (server, client, way), one in results.items()})


def stateless_text(results: Mapping[tuple[str, str, str], PlayedAcross]) -> str:
    """The third part of the page."""
    return _STATELESS_HEAD + _text(results)


def _text(results: Mapping[tuple[str, str, str], PlayedAcross]) -> str:
    """A row for every server and transport, a column for every client."""
    clients = list(dict.fromkeys(client for _, client, _ in results))
    rows = [["server", "transport", *clients], ["---"] * (len(clients) + 2)]
    for server, transport in dict.fromkeys((server, transport) for server, _, transport in results):
        found = [results.get((server, client, transport)) for client in clients]
        cells = [_cell(one.played if one else None, is_equal=not (one and one.faults)) for one in found]
        rows.append([server, transport, *cells])
    lines = [f"| {' | '.join(row)} |" for row in rows]
    told = [f"* {' '.join(names)}: {fault}" for names, one in results.items() for fault in one.faults]
    return "\n".join([*lines, *(["", "What differs:", "", *told] if told else [])]) + "\n"


def _cell(played: Played | None, *, is_equal: bool) -> str:
    if played is None:
        return "-"
    return f"{'equal' if is_equal else 'differs'} ({played.counted('step')}, {played.counted('event')})"


def _plain_cell(played: Played | None) -> str:
    return _cell(played, is_equal=not (played and played.faults))


def keep(page: Path, text: str) -> None:
    """Put one part of the page in its place, and leave the others as they are."""
    rest, parts = page.read_text(encoding="utf-8"), {}
    for heading in (STATELESS, HTTP):
        rest, mark, told = rest.partition(heading)
        parts[heading] = mark + told
    parts[""] = rest
    parts[next((heading for heading in (HTTP, STATELESS) if text.startswith(heading)), "")] = text
    kept = (parts[heading].strip() for heading in ("", HTTP, STATELESS))
    page.write_text("\n".join(part + "\n" for part in kept if part), encoding="utf-8")
