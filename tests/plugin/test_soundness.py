"""Nothing is left behind, whatever happens to tests, clients and pytest (issue 3, 6; case TE-03)."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugin.conftest import PLUGIN, Project
from tests.program import SECONDS
from tests.transports.client import until

RELAY = b"relay_process.py"


def relays(port: str) -> list[int]:
    """The relays of a host that run on this machine."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if any(word.endswith(RELAY) for word in words) and port.encode() in words:
                found.append(int(folder.name))
    return found


def test_forty_tests_on_eight_workers(project: Project) -> None:
    """Ours (issue 3, "How we shall look at it"): -n 8, warnings are errors, half of the clients start their server
    for each call and swallow every exception."""
    project.tests("""
@pytest.mark.parametrize("number", range(40))
@pytest.mark.mcpmock("add.yaml", allow_playback_repeats=True)
def test_it(mcp_mock, number):
    for _ in range(2 if number % 2 else 1):
        assert ask(mcp_mock.command, add(1, 2))[-1] == 0
""")
    project.run_apart("-n8", "-q", "-W", "error").assert_outcomes(passed=40)


def test_te_03_threads_of_a_plain_test_share_a_mock(project: Project) -> None:
    """Case TE-03: no event loop is needed, none is in the way; all threads are gone at the end."""
    project.tests("""
import threading

@pytest.mark.mcpmock("add.yaml", allow_playback_repeats=True)
def test_it(mcp_mock):
    codes = []
    threads = [threading.Thread(target=lambda: codes.append(ask(mcp_mock.command, add(1, 2))[-1])) for _ in range(8)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert codes == [0] * 8

def test_after():
    assert [thread.name for thread in threading.enumerate() if "mcpmock" in thread.name] == []
""")
    project.run_apart("-W", "error", "-p", "no:xdist").assert_outcomes(passed=2)


def test_te_03_a_client_that_was_never_closed_is_ended_with_the_test(project: Project) -> None:
    """Case TE-03: its server goes, and nothing of ours warns."""
    project.tests("""
import subprocess
left = []

@pytest.mark.mcpmock("add.yaml", allow_unplayed=True)
def test_leaves(mcp_mock):
    process = subprocess.Popen(mcp_mock.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\\n')
    process.stdin.flush()
    process.stdout.readline()
    left.append(process)

def test_after():
    assert left[0].wait(30) == 0
    left[0].communicate()
""")
    project.run_apart("-W", "error").assert_outcomes(passed=2)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_ended_in_the_middle_of_a_test_leaves_no_process(
    project: Project, number: signal.Signals
) -> None:
    """Ours (issue 3, 2 and 6): Ctrl-C, and worse."""
    project.tests("""
import subprocess, sys

@pytest.mark.mcpmock("add.yaml")
def test_hangs(mcp_mock):
    with subprocess.Popen(mcp_mock.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\\n')
        process.stdin.flush()
        process.stdout.readline()
        print("PORT", mcp_mock.command[-2], file=sys.stderr, flush=True)
        process.stdout.readline()
""")
    command = [sys.executable, "-m", "pytest", *PLUGIN, "-p", "no:cacheprovider", "-s", "-q"]
    with subprocess.Popen(command, cwd=project.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        port = re.findall(rb"PORT (\d+)", process.stderr.readline())[0].decode()
        assert relays(port)
        os.kill(process.pid, number)
        output = process.communicate(timeout=SECONDS)
        until(lambda: not relays(port), "all relays have ended")
    if number == signal.SIGINT:
        assert process.returncode == pytest.ExitCode.INTERRUPTED
        assert b"KeyboardInterrupt" in output[0]
        assert b"never played" not in output[0]


def test_a_test_that_runs_out_of_time_leaves_no_process(project: Project) -> None:
    """Ours (issue 3, 6): pytest-timeout fails it by a signal, or ends the whole process."""
    project.tests("""
import subprocess, sys

@pytest.mark.timeout(1.5, func_only=True)
@pytest.mark.mcpmock("add.yaml")
def test_hangs(mcp_mock):
    print("PORT", mcp_mock.command[-2], file=sys.stderr, flush=True)
    with subprocess.Popen(mcp_mock.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
""")
    for method in ("signal", "thread"):
        result = project.run_apart("-s", f"--timeout-method={method}", "-p", "no:xdist")
        port = re.findall(r"PORT (\d+)", result.stderr.str())[0]
        until(lambda port=port: not relays(port), "all relays have ended")
        if method == "signal":
            result.assert_outcomes(failed=1)
            result.stdout.no_fnmatch_line("*never played*")


def test_a_worker_that_crashes_takes_its_relays_along(project: Project) -> None:
    """Ours (issue 3, 2): and the report of the others is still written."""
    project.tests("""
import os, subprocess

@pytest.mark.mcpmock("add.yaml")
def test_crashes(mcp_mock):
    subprocess.Popen(mcp_mock.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    os._exit(3)

@pytest.mark.parametrize("number", range(4))
@pytest.mark.mcpmock("add.yaml")
def test_it(mcp_mock, number): assert ask(mcp_mock.command, add(1, 2))[-1] == 0
""")
    result = project.run_apart("-n2", "--mcpmock-report=all.json", "--mcpmock-orphans")
    result.assert_outcomes(passed=4, failed=1)
    assert '"test": "test_it.py::test_it[' in (project.path / "all.json").read_text()


def test_the_plugin_costs_next_to_nothing_when_it_is_not_used(project: Project) -> None:
    """Ours (DESIGN 6): at most 8 modules over bare pytest; no autouse, nothing done."""
    project.write("test_plain.py", "def test_plain(): pass\n")
    project.write(
        "conftest.py",
        """
import json, sys
def pytest_sessionfinish():
    with open("modules.json", "w") as file:
        json.dump(sorted(sys.modules), file)
""",
    )
    told = []
    for options in (PLUGIN, ["-p", "no:mcpmock"]):
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, "-p", "no:cacheprovider", "-q", "test_plain.py"],
            cwd=project.path,
            capture_output=True,
            timeout=SECONDS,
        )
        assert done.returncode == 0, done.stdout
        told.append(set(json.loads((project.path / "modules.json").read_text())))
    used, bare = told
    assert "pytest_mcpmock.plugin" in used
    assert len(used - bare) <= 8, sorted(used - bare)
    assert not {name for name in used - bare if name.split(".")[0] in ("mcpmock", "anyio", "yaml")}


def test_no_test_that_does_not_ask_for_it_has_a_fixture_of_ours(project: Project) -> None:
    """Ours (STYLE, habit 11): no autouse."""
    project.write("test_plain.py", "def test_plain(request): assert request.fixturenames == ['request']\n")
    project.run("-p", "no:anyio").assert_outcomes(passed=1)
