"""Servers that speak the stateless revision (2026-07-28) or both eras, and clients in all modes: pairs of them.

Over stdio and over Streamable HTTP: directly, through the recorder, against the replay, against the replay on the
other transport, and through the pytest fixture.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from mcpmock.cassette.reader import load
from mcpmock.session.interaction import Interaction
from mcpmock.session.story import Story
from mcpmock.wire.envelope import asks_for_input
from tests.e2e import by_fixture
from tests.e2e.over_http import Across, PlayedAcross, Way, given_up_apart, mcpmock, replay_over, running
from tests.e2e.pair import Log, Played, drive, exactly, replay_to
from tests.e2e.scenarios import SCENARIOS, Steps
from tests.e2e.software import HERE, NPM, Client, Server, fresh
from tests.e2e.software import SERVERS as WITH_HANDSHAKE
from tests.program import MCPMOCK, run
from tests.real.software import node, python_of

REVISION: Final = "2026-07-28"

Transport: TypeAlias = Literal["stdio", "http"]
TRANSPORTS: Final[tuple[Transport, ...]] = ("stdio", "http")


class Subject(NamedTuple):
    """A server: how it starts on pipes, and at a port; the scenario for clients that shake hands, if it is another."""

    on_pipes: Server
    at_port: Callable[[Way, int], list[str]] | None = None
    with_handshake: str | None = None
    is_stateless: bool = True


class Pair(NamedTuple):
    """A server and a client, by their names, over one transport."""

    server: str
    client: str
    transport: Transport

    @property
    def is_stateless(self) -> bool:
        """Whether they speak without a handshake."""
        return SERVERS[self.server].is_stateless and not self.client.endswith("legacy")

    def steps(self, work: Path) -> Steps:
        """What is done in a working folder."""
        subject = SERVERS[self.server]
        scenario = subject.on_pipes.scenario if self.is_stateless else subject.with_handshake
        return SCENARIOS[scenario or subject.on_pipes.scenario](work)


def _script(
    program: Callable[[], list[str]],
    part: str,
    scenario: str,
    with_handshake: str | None = None,
    *,
    is_stateless: bool = True,
) -> Subject:
    server = Server(part, scenario, lambda folder: program())
    return Subject(
        server, lambda way, port: [*program(), "streamable-http", str(port)], with_handshake, is_stateless=is_stateless
    )


def _python(part: str, name: str) -> Callable[[], list[str]]:
    return lambda: [str(python_of(part)), str(HERE / "small" / name)]


def _typescript2() -> list[str]:
    return [str(node()), str(HERE / "small" / "stateless_typescript2.mjs"), str(NPM)]


def python2_client(mode: str) -> Client:
    """The Python SDK 2.x, which is told how to find out what to speak."""
    return Client("sdk2", lambda: [str(python_of("sdk2")), str(HERE / "drivers" / "python2.py"), "--mode", mode])


def _typescript2_client(mode: str) -> Client:
    return Client("npm", lambda: [str(node()), str(HERE / "drivers" / "typescript.mjs"), str(NPM), "2", mode])


SERVERS: Final[Mapping[str, Subject]] = {
    "small-python2": _script(_python("sdk2", "stateless_python2.py"), "sdk2", "stateless", "handshake"),
    "small-typescript2": _script(_typescript2, "npm", "stateless", "handshake"),
    "time": Subject(WITH_HANDSHAKE["time"]),
    "git": Subject(WITH_HANDSHAKE["git"]),
    "small-fastmcp4": _script(_python("fastmcp", "stateless_fastmcp4.py"), "fastmcp", "fastmcp"),
    "small-python1": _script(_python("client", "python1.py"), "client", "small", is_stateless=False),
}

MODES: Final[Mapping[str, str]] = {"auto": "auto", "pinned": REVISION, "legacy": "legacy"}
"""How a client knows what to speak: it asks, it is told the revision, or it always shakes hands."""

CLIENTS: Final[Mapping[str, Client]] = {
    f"{language}-{name}": make(mode)
    for language, make in {"python2": python2_client, "typescript2": _typescript2_client}.items()
    for name, mode in MODES.items()
}


def combinations() -> list[Pair]:
    """All that tell something: some servers know pipes only, and one does not know the revision that is pinned."""
    return [
        Pair(server, client, transport)
        for server, subject in SERVERS.items()
        for client in CLIENTS
        for transport in TRANSPORTS
        if (subject.is_stateless or not client.endswith("pinned")) and (transport == "stdio" or subject.at_port)
    ]


def play(pair: Pair, folder: Path) -> PlayedAcross:
    """Play a pair in a folder of its own, which keeps the cassette and what the client saw."""
    subject, cassette = SERVERS[pair.server], folder / "session.yaml"
    see = Seeing(CLIENTS[pair.client], pair.steps(folder / "work"), folder)
    direct, recorded = (_on_pipes if pair.transport == "stdio" else _at_port)(subject, see, cassette)
    replays = {transport: replay_on(transport, see, cassette) for transport in TRANSPORTS}
    language, mode = pair.client.split("-")
    by = by_fixture.see(see.client, MODES[mode] if language == "python2" else None, cassette, folder)
    logs: dict[str, Log] = {name: log for name, (log, _) in replays.items()}
    logs |= {f"fixture's {name}": log for name, log in by.items()}
    for name, log in {"direct": direct, "recorded": recorded, **logs}.items():
        (folder / f"{name}.json").write_text(json.dumps(log, indent=1))
    checked = run("check", str(cassette))
    said = (checked.stdout + checked.stderr).decode() if checked.returncode else ""
    counted = counting(pair, pair.transport)
    replayed, exit_codes = replays[pair.transport]
    is_exact = pair.transport == "stdio" and asks_in_turn(cassette)
    of_replay = exactly if is_exact else counted
    return PlayedAcross(Played(direct, recorded, replayed, exit_codes, said, counted, of_replay), _across(logs))


def _across(replays: Mapping[str, Log]) -> dict[str, Across]:
    """What was seen of each other replay of the cassette: to the letter where both had one stream."""
    on_pipes, at_port = replays["stdio"], replays["http"]
    across = {"http": Across(calls_apart(on_pipes), calls_apart(at_port))}
    for name, log in replays.items():
        if name.endswith(by_fixture.ON_ONE_STREAM):
            across[name] = Across(on_pipes, log)
        elif name.startswith("fixture"):
            across[name] = Across(calls_apart(at_port), calls_apart(log))
    return across


def replay_on(transport: Transport, see: Seeing, cassette: Path) -> tuple[Log, list[int]]:
    """What is seen of the replay of a cassette, and its exit codes."""
    if transport == "http":
        return replay_over(see, cassette, "mcp")
    return replay_to(see.client, see.steps, cassette, see.folder)


class Seeing:
    """What a client sees of a URL, or of a command."""

    def __init__(self, client: Client, steps: Steps, folder: Path) -> None:
        self.client = client
        self.steps = steps
        self.folder = folder

    def __call__(self, *target: str, environment: Mapping[str, str] | None = None) -> Log:
        return drive(self.client, self.steps, target, self.folder, dict(environment or {}))


def _on_pipes(subject: Subject, see: Seeing, cassette: Path) -> tuple[Log, Log]:
    server, work = subject.on_pipes, see.folder / "work"
    command, logs = server.command(work), []
    for started in (command, [*MCPMOCK, "record", "-o", str(cassette), "--", *command]):
        server.prepare(fresh(work))
        logs.append(see(*started, environment=server.environment(work)))
    return logs[0], logs[1]


def _at_port(subject: Subject, see: Seeing, cassette: Path) -> tuple[Log, Log]:
    assert subject.at_port is not None
    with running(subject.at_port, lambda port: {}, "mcp") as url:
        direct = see(url)
    with running(subject.at_port, lambda port: {}, "mcp") as url, mcpmock("record", "-o", str(cassette), url) as proxy:
        return direct, see(proxy[0])


def counting(recorded: Pair, transport: Transport) -> Callable[[Log], Log]:
    """What counts of a pair's sessions when they are compared with what a client saw on a transport.

    On pipes all of it does, in its order, but for which of two calls that are made at once a server asks about first.
    Over HTTP which of two streams is read first is chance: two sessions with the server itself differ in it.
    """
    if recorded.transport == "http":
        return streams_apart
    return overlapping_apart if transport == "stdio" else calls_apart


def asks_in_turn(cassette: Path) -> bool:
    """Whether the recorded server asked first about what it was sent first, as a replay does. A server may be quicker
    with the second of two calls that are made at once: that is chance."""
    timelines = Story(load(cassette.read_bytes())).timelines
    turns = [sorted(turn for one in timeline.interactions for turn in _questions(one)) for timeline in timelines]
    return all(asked == sorted(asked) for asked in ([at for _, at in one] for one in turns))


def _questions(interaction: Interaction) -> Iterator[tuple[int, int]]:
    """The line of what the server could ask upon, and that of its question."""
    since = interaction.entry.line
    for step in interaction.steps:
        if step.kind == "await":
            since = step.entry.line
        elif step.kind == "ask" or (step.message is not None and asks_for_input(step.message)):
            yield since, step.entry.line


def overlapping_apart(log: Log) -> Log:
    """The log without what is chance among calls that are made at once: what of which was asked first."""
    told: Log = []
    for entry in log:
        if entry[0] == "step" and entry[1][0] == "overlap":
            meanwhile = list(takewhile(lambda one: one[0] == "event", reversed(told)))
            told[len(told) - len(meanwhile) :] = sorted(meanwhile, key=json.dumps)
        told.append(entry)
    return told


def calls_apart(log: Log) -> Log:
    """The same where each call has a stream: nor does it count when the end of one came that was given up."""
    return given_up_apart(overlapping_apart(log))


def streams_apart(log: Log) -> Log:
    """The same, where a client had other streams beside them, and no order but that within each was recorded.

    What came on the stream of a subscription, or on the one that a client opens with a handshake, counts apart from the
    rest, each subscription by itself.
    """
    news = [entry for entry in log if _is_news(entry)]
    return calls_apart([entry for entry in log if entry not in news]) + sorted(news, key=_subscription)


def _is_news(entry: list[Any]) -> bool:
    """Whether an entry came on another stream than the call before it; log lines come on that of their call."""
    return entry[:2] == ["event", "notification"] and entry[2]["method"] != "notifications/message"


def _subscription(entry: list[Any]) -> str:
    """The id of the subscription that a notification came on; nothing if it came on none."""
    meta = (entry[2].get("params") or {}).get("_meta") or {} if entry[1] == "notification" else {}
    return str(meta.get("io.modelcontextprotocol/subscriptionId", ""))
