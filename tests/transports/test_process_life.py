"""Whatever the server is and however its client ends: nothing is left soon after the client has gone."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.session.dialogue import recorded
from tests.transports.recorder_client import SECONDS, SMALL, Studio, in_shell, wait_until

SERVERS: Final = {
    "ends with its client": f"{SMALL} echo",
    "ignores everything": f"{SMALL} stubborn",
    "does not end by itself": f"{SMALL} stays",
    "says nothing": f"{SMALL} silent",
    "has a child on its pipes": f"{SMALL} family",
    "is wrapped in a shell": in_shell(f"{SMALL} family"),
    "is wrapped twice": in_shell(in_shell(f"{SMALL} stubborn")),
    "is started by a launcher that ends": f"{SMALL} launcher",
    "leaves a child behind": f"{SMALL} leaves_a_child",
    "floods stderr": f"{SMALL} floods_stderr",
    "crashes at the start": f"{SMALL} crash",
    "ends in mid-call": f"{SMALL} unanswered",
    "closes its stdout": f"{SMALL} mute",
}
MUTE: Final = ("silent", "crash")
LIMIT: Final = 20.0
"""Seconds: far more than the 3 that are promised (see the ladder), for busy machines; some stay for minutes."""

CASSETTE: Final = recorded("""
> {id: 1, method: tools/call}
< {id: 7, method: roots/list}
> {id: 7, result: {}}
< {id: 1, result: {}}
""")
ASK: Final = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call"}\n'


class Host:
    """A client of many servers at once; all processes below it carry its mark in their environment."""

    def __init__(self, studio: Studio) -> None:
        self._mark = f"MCPMOCK_TEST={uuid.uuid4()}".encode()
        name, value = self._mark.decode().split("=")
        self._environment = {**studio.environment, name: value}
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, words: Sequence[str]) -> None:
        """Start one and have two calls under way; nobody reads its stderr."""
        pipe = subprocess.PIPE
        process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, env=self._environment, bufsize=0)
        assert process.stdin is not None
        process.stdin.write(ASK % 1)
        process.stdin.write(ASK % 2)
        self.processes.append(process)

    def await_answers(self) -> None:
        """Until each server that answers at all has said something."""
        for process in self.processes:
            assert process.stdout is not None
            assert process.stderr is not None
            assert isinstance(process.args, list)
            if not process.args[-1].endswith(MUTE):
                assert select.select([process.stdout], [], [], SECONDS)[0], process.args
                assert os.read(process.stdout.fileno(), 1), (process.args, process.stderr.read())

    def close_inputs(self) -> None:
        """The servers see the end of their input."""
        for process in self.processes:
            assert process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()

    def signal(self, number: int) -> None:
        """To all that still run."""
        for process in self.processes:
            process.send_signal(number)

    def wait(self, seconds: float) -> None:
        """Until all have ended, or that long."""
        end = time.monotonic() + seconds
        for process in self.processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, end - time.monotonic()))

    def vanish(self) -> None:
        """All pipes break, as when a client is killed."""
        self.close_inputs()
        for process in self.processes:
            for stream in (process.stdout, process.stderr):
                assert stream is not None
                stream.close()

    def left(self) -> list[str]:
        """The command lines of the processes that are there."""
        found = []
        for folder in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if folder.name.isdecimal() and self._mark in (folder / "environ").read_bytes().split(b"\0"):
                    found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        return [words for words in found if words]  # a zombie has none


def closes(host: Host) -> None:
    """As the SDKs do it: the end of the input, two seconds later TERM, two seconds later KILL."""
    host.close_inputs()
    host.wait(2)
    host.signal(signal.SIGTERM)
    host.wait(2)
    host.signal(signal.SIGKILL)
    host.vanish()


def dies(host: Host) -> None:
    """Killed."""
    host.vanish()


def terminates(host: Host) -> None:
    """TERM, and away."""
    host.signal(signal.SIGTERM)
    host.vanish()


def kills(host: Host) -> None:
    """KILL, and away."""
    host.signal(signal.SIGKILL)
    host.vanish()


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    """A client with a recorder for each kind of server, and a replay that waits for an answer."""
    studio = Studio(tmp_path)
    host = Host(studio)
    cassette = tmp_path / "asks.yaml"
    cassette.write_text(CASSETTE)
    for command in SERVERS.values():
        host.start(studio.words(command))
    recorder = studio.recorder()
    host.start([*recorder[: recorder.index("record")], "replay", str(cassette)])
    host.await_answers()
    yield host
    host.signal(signal.SIGKILL)
    for process in host.processes:
        process.wait()


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="it takes /proc to see what is left")
@pytest.mark.parametrize("end", [closes, dies, terminates, kills])
def test_pr_03_nothing_is_left_soon_after_the_client_has_gone(host: Host, end: Callable[[Host], None]) -> None:
    """PR-03, PR-04, issue 4.4: servers, their children, what is in between, and what is ours."""
    assert len(host.left()) > len(SERVERS)
    end(host)
    begun = time.monotonic()
    wait_until(lambda: not host.left() or time.monotonic() - begun > LIMIT, "the last process ends")
    assert "\n".join(host.left()) == ""
