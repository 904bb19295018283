"""Relays: real processes that a client starts, and the process that they belong to (DESIGN 5, "stdio fixtures")."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Final

import pytest

from mcpmock.transports import relay_process
from mcpmock.transports.relay import RelayHost, RelayWire
from tests.program import SECONDS
from tests.transports.relaying import echo, hosting, started

FEW: Final = 12
"""Modules that a relay may import beyond those of an interpreter that imports no `site`."""


def test_what_comes_goes_back_and_the_last_answer_is_not_lost() -> None:
    """Ours (issue 3, 2): bytes both ways, the client's end, and what is said after it."""
    with hosting(echo) as host, started(host.command("a")) as client:
        client.write(b"one\n")
        assert client.read_line() == b"one"
        client.write(b"two\n")
        assert client.finish() == (0, b"two\nbye\n")


@pytest.mark.parametrize("size", [1, 65_535, 65_536, 65_537, 3_000_000])
def test_any_number_of_bytes_goes_through(size: int) -> None:
    """Ours (issue 3, 2): whatever the sizes of chunks, frames and buffers."""

    def tell(key: str, wire: RelayWire) -> int:
        left = size
        while left and (chunk := wire.read(None)):
            left -= len(chunk)
        wire.write(b"x" * size)
        return 0

    with hosting(tell) as host, started(host.command("a")) as client:
        client.write(b"x" * size)
        assert client.finish() == (0, b"x" * size)


def test_a_client_may_send_everything_before_it_reads_anything() -> None:
    """Case FR-01: neither side waits for the other for ever once all buffers are full."""
    size = 8_000_000
    with hosting(echo) as host, started(host.command("a")) as client:
        client.write(b"y" * size)
        code, told = client.finish()
        assert (code, len(told)) == (0, size + len(b"bye\n"))


def test_each_process_is_served_by_itself_under_the_key_of_its_command() -> None:
    """Ours (DESIGN 4, "Sessions"): one live session for each process, at once or one after another."""

    def name(key: str, wire: RelayWire) -> int:
        wire.read(None)
        wire.write(key.encode() + b"\n")
        return 0

    with hosting(name) as host:
        commands = [host.command("first"), host.command("second")]
        with started(commands[0]) as one, started(commands[1]) as two, started(commands[0]) as three:
            for client in (three, two, one):
                client.write(b"?\n")
            assert [client.finish()[1] for client in (one, two, three)] == [b"first\n", b"second\n", b"first\n"]


@pytest.mark.parametrize(("status", "code"), [(0, 0), (3, 3), (255, 255), (-9, -9), (-15, -15), (-2, -2)])
def test_the_relay_ends_as_it_is_told(status: int, code: int) -> None:
    """Ours (DESIGN 4, "The end"): by the status or the signal of the recorded server, though the client goes on."""
    with hosting(lambda key, wire: status) as host, started(host.command("a")) as client:
        assert client.process.wait(SECONDS) == code


def test_answers_that_were_sent_before_the_server_left_arrive_although_the_client_goes_on_sending() -> None:
    """Ours (DESIGN 4, "The end"): what is on the way when the server leaves is not taken back."""

    def leave(key: str, wire: RelayWire) -> int:
        wire.read(None)
        wire.write(b"z" * 200_000)
        return 7

    with hosting(leave) as host, started(host.command("a")) as client:
        client.write(b"more\n" * 10_000)
        code, told = client.finish()
        assert (code, len(told)) == (7, 200_000)


def test_stderr_comes_out_as_stderr() -> None:
    """Ours (DESIGN 4): a recorded server's stderr is its own stream."""

    def complain(key: str, wire: RelayWire) -> int:
        wire.write_stderr(b"careful\n")
        wire.write(b"fine\n")
        return 0

    with hosting(complain) as host, started(host.command("a")) as client:
        assert client.finish() == (0, b"fine\n")
        assert client.process.stderr is not None
        assert client.process.stderr.read() == b"careful\n"


def test_progress_and_its_answer_never_come_in_one_read() -> None:
    """Ours (DESIGN 4): the relay waits until its client has read, because only it can see that."""

    def answer(key: str, wire: RelayWire) -> int:
        wire.read(None)
        wire.write(b"progress\n")
        wire.wait_until_read()
        wire.write(b"answer\n")
        return 0

    with hosting(answer) as host, started(host.command("a")) as client:
        client.write(b"?\n")
        assert client.read_chunk() == b"progress\n"
        assert client.read_chunk() == b"answer\n"


def test_a_relay_tells_where_it_was_started_only_if_it_is_asked(tmp_path: Path) -> None:
    """Ours (DESIGN 5): a real server is started as the client wanted; nothing is needed for a recorded one."""
    seen: list[tuple[str, str | None]] = []

    def look(key: str, wire: RelayWire) -> int:
        seen.append((wire.folder, wire.environment.get("MINE")))
        return 0

    env = {"MINE": "a=b\nc", "PATH": os.environ["PATH"]}
    with hosting(look) as host:
        for tells in (True, False):
            with started(host.command("a", tells_environment=tells), env, tmp_path) as client:
                assert client.process.wait(SECONDS) == 0
    assert seen == [(str(tmp_path), "a=b\nc"), ("", None)]


def test_nobody_is_served_without_the_token() -> None:
    """Ours (DESIGN 5): other programs of the machine can connect too."""
    served: list[str] = []
    with hosting(lambda key, wire: served.append(key) or 0) as host:
        *_, port, _token = host.command("a")
        for hello in (b"0" * 32 + b" 0\n", b"GET / HTTP/1.1\r\n\r\n", b"\n", b"x" * 5000, b""):
            with socket.create_connection(("127.0.0.1", int(port)), SECONDS) as stranger:
                stranger.sendall(hello)
                stranger.shutdown(socket.SHUT_WR)
                assert stranger.recv(100) == b""
    assert served == []


def test_a_client_that_kills_its_server_ends_the_session() -> None:
    """Ours (issue 3, 4): a killed relay is an end like any other."""
    over = threading.Event()

    def wait(key: str, wire: RelayWire) -> int:
        wire.write(b"here\n")
        while wire.read(None):
            pass
        over.set()
        return 0

    with hosting(wait) as host, started(host.command("a")) as client:
        assert client.read_line() == b"here"
        client.process.kill()
        assert over.wait(SECONDS)


def test_closing_the_host_answers_what_was_sent_and_ends_the_relays() -> None:
    """Ours (issue 3, 6): nothing is left running, nothing is lost, though the client did not close anything."""
    here = threading.Event()

    def answer(key: str, wire: RelayWire) -> int:
        wire.write(b"here\n")
        here.wait(SECONDS)
        while wire.read(None):
            wire.write(b"answer\n")
        return 0

    host = RelayHost(answer)
    with started(host.command("a")) as client:
        assert client.read_line() == b"here"
        client.write(b"question\n")
        here.set()
        assert client.read_line() == b"answer"
        host.close()
        assert client.process.wait(SECONDS) == 0
    host.close()
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("mcpmock")] == []


def test_closing_the_host_does_not_wait_for_a_client_that_reads_nothing() -> None:
    """Ours (issue 3, 6): bounded, whatever the client does."""

    def flood(key: str, wire: RelayWire) -> int:
        wire.reads_on = False
        while True:
            wire.write(b"x" * 60_000)

    host = RelayHost(flood)
    with started(host.command("a")) as client:
        assert client.read_chunk()
        host.close()
        assert client.finish()[0] == relay_process.GONE


def test_a_relay_whose_test_process_is_gone_ends_at_once(tmp_path: Path) -> None:
    """Ours (issue 3, 2): nothing is left when pytest is killed."""
    program = (
        "from mcpmock.transports.relay import RelayHost\n"
        "import shlex\n"
        "def serve(key, wire):\n"
        "    wire.write(b'here\\n')\n"
        "    return len(wire.read(None))\n"
        "host = RelayHost(serve)\n"
        "print(shlex.join(host.command('a')), flush=True)\n"
        "input()\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with started([sys.executable, "-c", program], env) as test_process:
        command = shlex.split(test_process.read_line().decode())
        with started(command) as connected:
            assert connected.read_line() == b"here"
            test_process.process.kill()
            test_process.process.wait(SECONDS)
            assert connected.process.wait(SECONDS) == relay_process.GONE
        with started(command) as late:
            assert late.process.wait(SECONDS) == relay_process.GONE
            assert late.process.stderr is not None
            assert b"the test that this server belongs to is over" in late.process.stderr.read()


def test_ctrl_c_ends_a_relay_without_a_traceback() -> None:
    """Ours (issue 3, 6): a terminal sends it to all processes."""
    with hosting(echo) as host, started(host.command("a")) as client:
        client.write(b"here\n")
        assert client.read_line() == b"here"
        client.process.send_signal(signal.SIGINT)
        assert client.process.wait(SECONDS) == 130
        assert client.process.stderr is not None
        assert client.process.stderr.read() == b""


def test_a_relay_imports_next_to_nothing() -> None:
    """Ours (DESIGN 5, 6): it is started for every session."""

    def modules(*command: str) -> set[str]:
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-I", "-S", *command],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
        )
        lines = done.stderr.decode().splitlines()
        return {one.rsplit("|", 1)[1].strip() for one in lines if one.startswith("import time:")}

    with hosting(echo) as host:
        more = modules(*host.command("a")[3:]) - modules("-c", "pass")
    assert "_socket" in more, "the measurement is broken: a relay connects"
    assert len(more) <= FEW, sorted(more)
    assert not more & {"os", "site", "typing", "threading", "socket", "re", "signal", "mcpmock"}
