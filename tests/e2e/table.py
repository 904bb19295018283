"""The result of all pairs as a page for people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.e2e.crossed import Crossing
from tests.e2e.over_http import PlayedAcross
from tests.e2e.pair import Played
from tests.e2e.software import CLIENTS, SERVERS
from tests.e2e.stateless import Pair

HTTP: Final = "# Pairs over HTTP"
STATELESS: Final = "# Pairs that speak 2026-07-28"
"""Where the other parts of the page begin; each command writes its own."""

_HTTP_HEAD: Final = f"""\
{HTTP}

    python -m tests.e2e --http [--out FOLDER]

does the same over Streamable HTTP and HTTP+SSE, with the servers that can be reached so (the TypeScript SDK 2.x serves
no HTTP+SSE): directly, through the recording proxy, and replayed on all three transports, one cassette for all. What a
client sees of the three replays is the same to the letter, in the recorded order (over Streamable HTTP the end of a
call that was given up counts apart). Which of two live streams a client reads first is chance; so where what was
recorded over Streamable HTTP is compared with the direct run and with the replay, what comes by itself counts apart,
and of server-everything, which says it at random there, only the steps.

"""

_STATELESS_HEAD: Final = f"""\
{STATELESS}

    python -m tests.e2e --stateless [--out FOLDER]

plays servers that speak both eras, and one that knows the handshake only, with the official SDKs in version 2: finding
out what to speak (`auto`), with the revision pinned, or with the handshake at once (`legacy`). Each pair over stdio and
over Streamable HTTP; directly, through the recorder, against the replay, against the replay on the other transport, and
through the pytest fixture: its command, its URL and, for the Python SDK, in process (`streams()` and
`httpx2_transport()`), in a test that the plugin would fail for a miss or for what was never played. In brackets as
above. Recorded over stdio, all of it is the same to the letter, in its order, but that two runs of a server may differ
in which of two calls made at once they ask about first (a replay asks about the first; where the recorded server did
not, that does not count either); so may replays over HTTP, in which each call has a stream, and in when a call ends
that was given up. Where a pair speaks HTTP, which of two streams is read first differs between two direct runs, too; so
there what came on a subscription, and with a handshake what is told of lists, counts apart from the rest when the
recording is compared with these and with its replay, and not when the replays are compared with one another; the log
lines of a call always have their place in it.

The scenario of the two SDKs' own servers: tools, progress, logs, pages, completion, errors, a cancel; questions to the
user and to the model, and for roots, in rounds; equal calls in flight with rounds; rounds that the client never comes
back from; two subscriptions at once with other filters, one that the client ends and one that the server does. With a
handshake the server asks by itself, is told of roots, and tells of tools.

"""

_CROSSED_HEAD: Final = """
What a client recorded, in its column, is also played to the client of the other SDK, over both transports, and must be
what that one saw of the server itself: in the same mode; of the two SDKs' own servers also in the other mode that the
recording can serve (`auto` for `pinned`, the reverse, and `auto`, which falls back, for `legacy`). The Python SDK asks
no server what it is if the revision is pinned; so what such a recording says of that is made up, and does not count. In
brackets: to how many clients it was played.

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

All sessions are of the legacy era, over stdio. The TypeScript SDK takes in at once what shares a read, by chance, so
that progress before an answer is dropped; its driver gives it one message after the other. `typescript2-probing` first
starts a second process, to ask it what it speaks; with servers that speak the modern era, that is another test.
`python1-each` starts a process for every step; the scenario of server-everything makes no sense then.

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


def stateless_text(
    results: Mapping[tuple[str, str, str], PlayedAcross], crossings: Mapping[Crossing, list[str]]
) -> str:
    """The third part of the page."""
    return _STATELESS_HEAD + _text(results) + _CROSSED_HEAD + _crossed_text(crossings)


def _crossed_text(crossings: Mapping[Crossing, list[str]]) -> str:
    """A row for every server and transport, a column for every client that recorded."""
    faults: dict[Pair, list[list[str]]] = {}
    for crossing, told in crossings.items():
        faults.setdefault(crossing.recorded, []).append(told)
    cells = {pair: f"{'differs' if any(told) else 'equal'} ({len(told)})" for pair, told in faults.items()}
    told = [
        f"* {' '.join(crossing.recorded)} played to {crossing.client} {fault}"
        for crossing, all_told in crossings.items()
        for fault in all_told
    ]
    return _rows(cells) + _differing(told)


def _text(results: Mapping[tuple[str, str, str], PlayedAcross]) -> str:
    """A row for every server and transport, a column for every client."""
    cells = {names: _cell(one.played, is_equal=not one.faults) for names, one in results.items()}
    told = [f"* {' '.join(names)}: {fault}" for names, one in results.items() for fault in one.faults]
    return _rows(cells) + _differing(told)


def _rows(cells: Mapping[tuple[str, str, str], str]) -> str:
    """The cells by server, client and transport, as a table."""
    clients = list(dict.fromkeys(client for _, client, _ in cells))
    rows = [["server", "transport", *clients], ["---"] * (len(clients) + 2)]
    for server, transport in dict.fromkeys((server, transport) for server, _, transport in cells):
        rows.append([server, transport, *(cells.get((server, client, transport), "-") for client in clients)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _differing(told: list[str]) -> str:
    return "\n".join(["", "What differs:", "", *told]) + "\n" if told else ""


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
