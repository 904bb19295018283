"""One server and one client over HTTP: directly, through the recorder, and against the replay of what it wrote."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from tests.e2e.pair import Log, Played, clean_environment, difference, drive, exactly, replay
from tests.e2e.scenarios import SCENARIOS, Steps
from tests.e2e.software import CLIENTS, HERE, NPM
from tests.program import ENVIRONMENT, MCPMOCK, run
from tests.real.software import node, npm_server, python_of

SECONDS: Final = 60

Way: TypeAlias = Literal["mcp", "sse"]
"""Streamable HTTP or HTTP+SSE, by the last part of the URL."""

WAYS: Final[tuple[Way, ...]] = ("mcp", "sse")


class HttpServer(NamedTuple):
    """A server over HTTP: what must be installed for it, its scenario, its command for a way and a port, its ways.

    Which of two streams is read first is chance, so over Streamable HTTP what comes by itself counts apart. One
    that `says_at_random` tells of changes, and asks for roots, by itself, on a stream that the client may not have
    opened yet, and resumes streams with `{}` and with the events of others: of that one only the steps count. Over
    HTTP+SSE only its questions for roots are by chance: whether they or the status of what they follow come first.
    """

    part: str
    scenario: str
    command: Callable[[Way, int], list[str]]
    environment: Callable[[int], dict[str, str]] = lambda port: {}
    says_at_random: bool = False
    ways: Sequence[Way] = WAYS


def _everything(way: Way, port: int) -> list[str]:
    return [*npm_server("server-everything"), "streamableHttp" if way == "mcp" else "sse"]


def _small(part: str, name: str) -> Callable[[Way, int], list[str]]:
    names = {"mcp": "streamable-http", "sse": "sse"}
    script = str(HERE / "small" / name)
    if name.endswith(".py"):
        return lambda way, port: [str(python_of(part)), script, names[way], str(port)]
    return lambda way, port: [str(node()), script, str(NPM), names[way], str(port)]


SERVERS: Final[Mapping[str, HttpServer]] = {
    "everything": HttpServer("npm", "everything", _everything, lambda port: {"PORT": str(port)}, says_at_random=True),
    "small-python1": HttpServer("client", "small", _small("client", "python1.py")),
    "small-python2": HttpServer("sdk2", "small", _small("sdk2", "python2.py")),
    "small-typescript1": HttpServer("npm", "small", _small("npm", "typescript1.mjs")),
    "small-typescript2": HttpServer("npm", "small", _small("npm", "typescript2.mjs"), ways=("mcp",)),
}


class Across(NamedTuple):
    """What the client saw of the replay, and of another one of the same cassette, both as they count there."""

    expected: Log
    seen: Log


class PlayedAcross(NamedTuple):
    """What the client saw, and what it saw of the other replays of the same cassette."""

    played: Played
    across: dict[str, Across]

    @property
    def faults(self) -> list[str]:
        """What is not as it must be, in words."""
        found = [
            f"replayed over {name}: {difference(one.expected, one.seen)}"
            for name, one in self.across.items()
            if one.expected != one.seen
        ]
        return [*self.played.faults, *found]


def play(server_name: str, client_name: str, way: Way, folder: Path) -> PlayedAcross:
    """Play a pair in a folder of its own, which keeps the cassette and what the client saw."""
    server, cassette = SERVERS[server_name], folder / "session.yaml"
    steps = SCENARIOS[server.scenario](folder)
    if server.says_at_random and way == "mcp":
        steps = [step for step in steps if step[0] not in ("seen", "cancel", "change_roots")]

    def see(url: str) -> Log:
        return drive(CLIENTS[client_name], steps, [url], folder, {})

    with running(server.command, server.environment, way) as url:
        direct = see(url)
    with (
        running(server.command, server.environment, way) as url,
        mcpmock("record", "-o", str(cassette), url) as (proxy, _),
    ):
        recorded = see(proxy)
    replayed, codes = replay_over(see, cassette, way)
    other: Way = "sse" if way == "mcp" else "mcp"
    across = {other: replay_over(see, cassette, other)[0], "stdio": replay(client_name, steps, cassette, folder)[0]}
    for name, log in {"direct": direct, "recorded": recorded, "replayed": replayed, **across}.items():
        (folder / f"{name}.json").write_text(json.dumps(log, indent=1))
    checked = run("check", str(cassette))
    said = (checked.stdout + checked.stderr).decode() if checked.returncode else ""

    counted = partial(_counted, server=server, way=way)
    counted_replayed = counted if way == "mcp" else exactly
    played = Played(direct, recorded, replayed, codes, said, counted, counted_replayed)
    return PlayedAcross(
        played, {name: compared(replayed, log, has_streams="mcp" in (way, name)) for name, log in across.items()}
    )


def compared(replayed: Log, other: Log, *, has_streams: bool) -> Across:
    """Two replays of one cassette, which are the same to the letter; only that calls which are open at once may be
    answered in any order where each has a stream, so that the end of what the client has given up counts apart."""
    counted = given_up_apart if has_streams else exactly
    return Across(counted(replayed), counted(other))


def given_up_apart(log: Log) -> Log:
    """The log with the ends of what the client has given up behind all the rest."""
    ends = [entry for entry in log if entry[:2] == ["event", "exception"]]
    return [entry for entry in log if entry not in ends] + ends


def _counted(log: Log, server: HttpServer, way: Way) -> Log:
    """The log without what is chance on this transport, or behind the rest; see `HttpServer`."""
    if way == "sse":
        asked = [entry for entry in log if server.says_at_random and entry == ["event", "roots"]]
        return [entry for entry in log if entry not in asked] + asked
    if server.says_at_random:
        return [entry for entry in log if entry[0] == "step"]
    by_itself = [entry for entry in log if _comes_by_itself(entry)]
    return [entry for entry in log if not _comes_by_itself(entry)] + by_itself


def _comes_by_itself(entry: Any) -> bool:
    """Whether an entry is a notification, or the end of what the client has given up."""
    return bool(entry[0] == "event" and entry[1] in ("notification", "exception"))


def replay_over(see: Callable[[str], Log], cassette: Path, way: Way) -> tuple[Log, list[int]]:
    """What is seen of the replay of a cassette, and its exit code."""
    with mcpmock("replay", str(cassette), "--port", "0") as (url, process):
        log = see(url.rpartition("/")[0] + f"/{way}")
        process.send_signal(signal.SIGTERM)
        return log, [process.wait(SECONDS)]


@contextmanager
def running(
    command: Callable[[Way, int], list[str]], environment: Callable[[int], dict[str, str]], way: Way
) -> Iterator[str]:
    """The URL of a server that can be reached."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with _process(command(way, port), {**ENVIRONMENT, **environment(port)}) as process:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), SECONDS).close()
            except ConnectionRefusedError:
                continue
            break
        yield f"http://127.0.0.1:{port}/{way}"


@contextmanager
def mcpmock(*words: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The first URL that it tells; ended in order."""
    with _process([*MCPMOCK, *words], dict(ENVIRONMENT)) as process:
        assert process.stdout is not None
        yield process.stdout.readline().decode().strip(), process
        process.send_signal(signal.SIGTERM)
        process.wait(SECONDS)


@contextmanager
def _process(command: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    env = {**clean_environment(), **environment}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def steps_of(log: Log) -> Steps:
    """The steps that the client did."""
    return [entry[1] for entry in log if entry[0] == "step"]
