"""How sessions end that are recorded: the server's end, the client's, and signals."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.transports.recorder_client import IMPATIENT, SERVER, Client, Studio, shape, wait_until


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    """A folder to record in."""
    return Studio(tmp_path)


def test_answers_in_flight_arrive_after_the_clients_end(studio: Studio) -> None:
    """Ours (DESIGN 5): half-close; PROTOCOL 5.32."""
    with studio.record("late") as client:
        client.send({"id": 1, "method": "tools/call"})
        client.send({"id": 2, "method": "tools/call"})
        client.close()
        assert [client.receive()["id"] for _ in range(2)] == [1, 2]
        assert client.read_rest() == b""
        assert client.wait() == 0
    shown = shape(studio.entries())
    assert shown == ["client tools/call", "client tools/call", "eof client", "server 1", "server 2", "exit 0"]


@pytest.mark.parametrize(("behaviour", "status"), [("one_answer", 0), ("unanswered", 7)])
def test_pr_05_the_servers_end_reaches_the_client_at_once(studio: Studio, behaviour: str, status: int) -> None:
    """PR-05, PR-08: end of stream while the client still holds its end, then the server's own code."""
    with studio.record(behaviour) as client:
        client.send({"id": 1, "method": "initialize"})
        client.receive()
        client.send({"id": 2, "method": "tools/call"})
        assert client.read_rest() == b""
        assert client.wait() == status
    shown = shape(studio.entries())
    assert shown[:2] == ["client initialize", "server 1"]
    assert "eof server" in shown
    assert shown[-1] == f"exit {status}"


def test_pr_05_a_server_that_crashes_at_start(studio: Studio) -> None:
    """PR-05: its own words, its own code, and a word of where the recording is."""
    with studio.record("crash") as client:
        client.send({"id": 1, "method": "initialize"})
        assert client.read_rest() == b""
        assert client.wait() == 3
        assert client.stderr().startswith("no key\n")
        assert "no answer was seen" in client.stderr()
    assert not studio.path.exists()
    assert len(studio.parts()) == 1


@pytest.mark.parametrize(("behaviour", "number"), [("dies", signal.SIGKILL), ("segfaults", signal.SIGSEGV)])
def test_a_server_that_dies_of_a_signal_takes_the_recorder_with_it(studio: Studio, behaviour: str, number: int) -> None:
    """Ours (DESIGN 4, The end): `record` ends as its child did."""
    with studio.record(behaviour) as client:
        client.send({"id": 1, "method": "initialize"})
        client.receive()
        assert client.read_rest() == b""
        assert client.wait() == -number
    assert shape(studio.entries())[-2:] == ["eof server", f"exit {signal.Signals(number).name}"]
    assert not list(studio.folder.glob("core*"))


@pytest.mark.parametrize("name", ["SIGINT", "SIGHUP", "SIGUSR1", "SIGQUIT"])
def test_signals_reach_the_server_and_the_session_goes_on(studio: Studio, name: str) -> None:
    """Ours (DESIGN 5): every signal that the recorder gets it passes on, once."""
    with studio.record("tells_signals") as client:
        assert client.receive()["method"] == "notifications/ready"
        client.kill(signal.Signals[name])
        assert client.receive()["params"] == {"name": name}
        assert client.ask(1)["id"] == 1
        client.kill(signal.SIGTERM)
        assert client.receive()["params"] == {"name": "SIGTERM"}
        assert client.read_rest() == b""
        assert client.wait() == 9
    assert shape(studio.entries())[-1] == "exit 9"
    assert "eof server" not in shape(studio.entries())


def test_a_term_before_anything_was_said_ends_it_as_it_ends_the_server(studio: Studio) -> None:
    """Ours: probes are killed within milliseconds."""
    with studio.record("silent") as client:
        client.send({"id": 1, "method": "initialize"})
        wait_until(studio.parts, "the part file")
        client.kill(signal.SIGTERM)
        assert client.wait() == -signal.SIGTERM
    assert not studio.path.exists()


EARLY = """
import os, signal, sys
from mcpmock.transports import stdio_recorder

class Environment(dict):
    def items(self):  # the server is being started
        os.kill(os.getpid(), signal.SIGTERM)
        return super().items()

launch = stdio_recorder.Launch(["sleep", "60"], Environment(os.environ))
stdio_recorder.record(launch, lambda: sys.exit("nothing to think about"))
"""


def test_pr_04_a_signal_that_comes_while_the_server_is_started_ends_it() -> None:
    """PR-04, ours: the recorder ended with a traceback instead."""
    program = subprocess.run([sys.executable, "-c", EARLY], stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
    assert program.returncode == -signal.SIGTERM
    assert b"Traceback" not in program.stderr


def test_pr_04_a_server_that_ignores_everything_is_killed(studio: Studio) -> None:
    """PR-03, PR-04: the ladder, when the client has gone; the cassette is there before it begins."""
    with studio.impatient("stubborn") as client:
        assert client.ask(1)["id"] == 1
        client.close()
        wait_until(studio.path.exists, "the cassette, before the server has ended")
        assert client.wait() == -signal.SIGKILL
    assert shape(studio.entries())[-1] == "exit SIGKILL"


def test_pr_03_a_server_that_stays_is_ended_by_term(studio: Studio) -> None:
    """PR-03: no orphans."""
    with studio.impatient("stays") as client:
        client.ask(1)
        assert client.finish() == -signal.SIGTERM


def test_the_ladder_is_not_climbed_while_the_client_is_there(studio: Studio) -> None:
    """Ours (DESIGN 5): no time-outs of the recorder's own."""
    with studio.impatient("stays") as client:
        client.ask(1)
        client.wait_for_stderr("")
        with pytest.raises(subprocess.TimeoutExpired):
            client.process.wait(1.0)
        assert client.ask(2)["id"] == 2


def test_an_answer_that_is_awaited_gives_the_server_more_time(studio: Studio) -> None:
    """Ours: half-close with a slow answer is no hang."""
    with studio.impatient("slow") as client:
        assert client.ask(1)["id"] == 1
        client.send({"id": 2, "method": "tools/call"})
        client.close()
        assert client.receive()["id"] == 2
        assert client.wait() == 0


def test_pr_08_a_silent_server_is_remarked_upon(studio: Studio) -> None:
    """PR-08: no time-out, a hint."""
    with studio.impatient("silent") as client:
        client.send({"id": 1, "method": "initialize"})
        client.wait_for_stderr("has said nothing")
        assert client.process.poll() is None


def test_pr_08_what_a_server_no_longer_reads_is_not_delivered(studio: Studio) -> None:
    """PR-08: EPIPE is no crash; the client sees it as a pipe shows it."""
    with studio.record("deaf") as client:
        client.receive()
        client.send({"id": 1, "method": "tools/list"})
        client.wait_for_stderr("was not delivered")
        with pytest.raises(BrokenPipeError):
            _write_until_refused(client)
        client.kill(signal.SIGTERM)
        assert client.wait() == -signal.SIGTERM


def test_a_client_that_reads_no_more_has_gone(studio: Studio) -> None:
    """PR-03: a broken stdout is an end, even if stdin stays open; what the server then says is still recorded."""
    with studio.impatient("echo") as client:
        client.ask(1)
        assert client.process.stdout is not None
        client.process.stdout.close()
        client.process.stdin.write(b'{"jsonrpc":"2.0","id":2,"method":"tools/call"}\n')
        client.process.wait(60)
    shown = shape(studio.entries())
    assert shown[:2] == ["client tools/call", "server 1"]
    assert "server 2" in shown


@pytest.mark.parametrize("behaviour", ["chatters", "mute"])
def test_pr_03_an_answer_that_can_reach_nobody_is_not_awaited(studio: Studio, behaviour: str) -> None:
    """PR-03: a client was killed while it waited, or the server has closed its stdout; however much is still said."""
    with studio.impatient(behaviour) as client:
        assert client.ask(1)["id"] == 1
        client.send({"id": 2, "method": "tools/call"})
        if behaviour == "mute":
            client.read_rest()
        client.close()
        assert client.process.stdout is not None
        client.process.stdout.close()
        assert client.process.wait(20) == -signal.SIGTERM


_CLIENT = """
import subprocess, sys
pipe = subprocess.PIPE
recorder = subprocess.Popen(sys.argv[1:], stdin=pipe, stdout=pipe, bufsize=0)
for number in (1, 2):
    recorder.stdin.write(b'{"jsonrpc":"2.0","id":%d,"method":"tools/call"}\\n' % number)
recorder.stdout.read()
print("the server has closed its output", flush=True)
sys.stdin.read()
"""


def test_pr_03_a_client_that_was_killed_is_missed_though_the_server_had_closed_its_output(studio: Studio) -> None:
    """PR-03; issue 4.4: then no pipe tells that nobody is there, and a server that stays had five seconds, not one."""
    patient = IMPATIENT.replace("after_client=0.3", "after_client=600.0")
    recorder = [sys.executable, "-c", patient, str(studio.path), sys.executable, SERVER, "mute"]
    with studio.start([sys.executable, "-c", _CLIENT, *recorder]) as client:
        assert client.process.stdout is not None
        assert client.process.stdout.readline() == b"the server has closed its output\n"
        client.kill(signal.SIGKILL)
        client.wait()
    wait_until(lambda: studio.path.exists() and "exit: SIGTERM" in studio.path.read_text(), "its end")


def _write_until_refused(client: Client) -> None:
    for _ in range(10_000):
        client.process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/x"}\n' * 100)
