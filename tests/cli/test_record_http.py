"""`mcpmock record URL` on the command line: from the first line to the end, and what goes wrong before."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from mcpmock.cassette.load import load_file
from tests.cases.http_cases import TOOL, result
from tests.program import ENVIRONMENT, MCPMOCK, SECONDS, run
from tests.transports.http_upstream import STREAM, Asked, Upstream
from tests.transports.proxying import Client, open_session

README: Final = (Path(__file__).parent.parent.parent / "README.md").read_text(encoding="utf-8")


class Running(NamedTuple):
    """A recorder that runs, and the URL that it has told."""

    process: subprocess.Popen[bytes]
    url: str

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """End it by a signal; returns its exit code and what it said on stderr."""
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, said.decode()


@contextmanager
def recorder(*arguments: str | Path) -> Iterator[Running]:
    """`mcpmock record` with these arguments, once it can be reached."""
    process = subprocess.Popen(
        [*MCPMOCK, "record", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **ENVIRONMENT, "MCPMOCK_TEST_TOKEN": "t0k3n"},
    )
    assert process.stdout is not None
    try:
        yield Running(process, process.stdout.readline().decode().strip())
    finally:
        process.kill()
        process.communicate(timeout=SECONDS)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_in_order(tmp_path: Path, number: int) -> None:
    """Issue 5: everything recorded is finished, the exit code is 0; options may stand behind the URL."""
    output = tmp_path / "c.yaml"
    with Upstream(result) as upstream:
        with recorder(
            "-o", output, f"{upstream.url}/mcp", "--port", "0", "-H", "X-T: ${MCPMOCK_TEST_TOKEN}"
        ) as running:
            assert running.url.startswith("http://127.0.0.1:")
            with Client(running.url) as client:
                open_session(client)
                code, said = running.end(number)
        assert upstream.next().all("x-t") == ["t0k3n"]
    assert code == 0
    assert f"recording {upstream.url}/mcp to {output}: point the client at {running.url}" in said
    [session] = load_file(str(output)).sessions
    assert session.server == "127.0.0.1"
    assert os.listdir(tmp_path) == ["c.yaml"]


def test_a_signal_that_comes_twice_is_one(tmp_path: Path) -> None:
    """Ours: `timeout` signals a process, and then its group; what was recorded is kept."""
    output = tmp_path / "c.yaml"
    with (
        Upstream(result) as upstream,
        recorder("-o", output, f"{upstream.url}/mcp") as running,
        Client(running.url) as client,
    ):
        open_session(client)
        running.process.send_signal(signal.SIGTERM)
        code, _ = running.end()
    assert code == 0
    assert len(load_file(str(output)).sessions) == 1


def test_a_stream_that_is_open_does_not_keep_it_from_ending(tmp_path: Path) -> None:
    """Issue 5: nor a client that never goes."""

    def serve(asked: Asked) -> None:
        asked.head(200, STREAM)

    with (
        Upstream(serve) as upstream,
        recorder("-o", tmp_path / "c.yaml", f"{upstream.url}/mcp") as running,
        Client(running.url) as client,
    ):
        client.get()
        client.head()
        assert running.end()[0] == 0


def test_what_is_recorded_survives_a_kill(tmp_path: Path) -> None:
    """Issue 5: a session that idles is on disk, in its part file, which salvage makes a cassette of."""
    output, saved = tmp_path / "c.yaml", tmp_path / "saved.yaml"
    with (
        Upstream(result) as upstream,
        recorder("-o", output, f"{upstream.url}/mcp") as running,
        Client(running.url) as client,
    ):
        open_session(client)
        client.call(TOOL)
        [part] = _parts(tmp_path, wanted="{id: 1, result: {}}")
        code, _ = running.end(signal.SIGKILL)
    assert code == -signal.SIGKILL
    assert run("salvage", part, "-o", saved).returncode == 0
    assert len(load_file(str(saved)).sessions[0].entries) == 4


def _parts(folder: Path, *, wanted: str) -> list[Path]:
    """The part files, once this text is in one of them; the recorder writes within moments."""
    while True:
        parts = list(folder.glob("*.part-*"))
        with contextlib.suppress(FileNotFoundError):
            if any(wanted in part.read_text() for part in parts):
                return parts


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (("http://127.0.0.1/mcp", "extra"), 2, "'extra' behind the URL"),
        (("--env", "A=b", "http://127.0.0.1/mcp"), 2, "--env is for servers that are started by a command"),
        (("--port", "1", "some-command"), 2, "--port is for servers that a URL names"),
        (("http://127.0.0.1/mcp", "-H", "X: ${MCPMOCK_NOT_SET}"), 2, "MCPMOCK_NOT_SET"),
        (("http://127.0.0.1/mcp", "-H", "X"), 2, "write 'Name: value'"),
        (("http:///mcp",), 2, "is no URL of a server"),
        (("htp://127.0.0.1/mcp",), 1, "; the URL of a server begins with http:// or https://"),
        (("example.com/mcp",), 1, "; the URL of a server begins with http:// or https://"),
        (("http://127.0.0.1/mcp", "--host", "192.0.2.1"), 2, "of 192.0.2.1 cannot be used"),
        (("http://127.0.0.1/mcp", "--host", "a..b"), 2, "of a..b cannot be used"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, arguments: tuple[str, ...], code: int, complaint: str) -> None:
    """Ours: exit code 2 (1 where it reads as a command), before anything listens."""
    done = run("record", "-o", tmp_path / "c.yaml", *arguments)
    assert done.returncode == code
    assert complaint in done.stderr.decode()
    assert done.stdout == b""


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """Issue 5: exit code 2, before anything listens."""
    (tmp_path / "file").write_text("")
    done = run("record", "-o", tmp_path / "file" / "c.yaml", "http://127.0.0.1/mcp")
    assert done.returncode == 2
    assert "is no folder" in done.stderr.decode()


def test_a_port_that_is_taken_is_told_of(tmp_path: Path) -> None:
    """Ours."""
    with Upstream(result) as upstream:
        port = upstream.authority.partition(":")[2]
        done = run("record", "-o", tmp_path / "c.yaml", "--port", port, f"{upstream.url}/mcp")
    assert done.returncode == 2
    assert f"port {port} of 127.0.0.1 cannot be used: it is taken; --port 0 takes a free one" in done.stderr.decode()


def test_when_nothing_was_seen_the_old_cassette_stays(tmp_path: Path) -> None:
    """CA-07."""
    output = tmp_path / "c.yaml"
    output.write_text("version: 1\nsessions: []\n")
    with Upstream(result) as upstream, recorder("-o", output, f"{upstream.url}/mcp") as running:
        code, said = running.end()
    assert (code, "no message was seen" in said) == (0, True)
    assert output.read_text() == "version: 1\nsessions: []\n"


def test_the_example_of_the_readme_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: word by word, but for the server's address and the port."""
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789")
    [line] = re.findall(r"^mcpmock (record .* https://api\.example\.com.*)$", README, re.MULTILINE)
    with Upstream(result) as upstream:
        _, *words = shlex.split(
            line.replace("https://api.example.com", upstream.url).replace("--port 8808", "--port 0")
        )
        words[words.index("-o") + 1] = str(tmp_path / "github.yaml")
        with recorder(*words) as running, Client(running.url) as client:
            open_session(client)
            assert upstream.next().all("authorization") == ["Bearer ghp_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"]
            assert running.end()[0] == 0
    assert len(load_file(str(tmp_path / "github.yaml")).sessions) == 1
