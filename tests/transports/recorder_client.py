"""A client that talks to a server through `mcpmock record`, byte by byte if need be; all its waits are bounded."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from mcpmock.cassette.load import load_file
from mcpmock.cassette.model import Cassette, Entry
from tests.program import ENVIRONMENT, MCPMOCK

SERVER: Final = str(Path(__file__).with_name("small_server.py"))
SMALL: Final = shlex.join([sys.executable, SERVER])
"""How to start it, as one would type it; a word that says how it behaves follows."""

SECONDS: Final = 60.0
"""How long anything may take before a test fails."""


IMPATIENT: Final = """
import sys
from mcpmock.keeping import Keeping
from mcpmock.recording import RecordRequest, record
from mcpmock.transports.ladder import Patience
patience = Patience(after_client=0.3, for_answers=60.0, after_term=0.3, for_first_word=0.3)
record(RecordRequest(Keeping(sys.argv[1]), sys.argv[2:]), patience=patience)
"""
"""A recorder that waits for tenths of seconds; behind it the cassette and the server's command."""


@contextlib.contextmanager
def _heeding_signals() -> Iterator[None]:
    """What is started in here ignores no signal; a shell has what it starts with `&` ignore some, these tests, too."""
    numbers = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
    ignored = [number for number in numbers if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)


def in_shell(command: str) -> str:
    """The command as the first of two in a shell, which then waits for it."""
    return shlex.join(["sh", "-c", f"{command}; true"])


class Client:
    """A client and the recorder that it has started."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.process: Final = process
        self._stdin: Final = process.stdin
        self._stdout: Final = process.stdout.fileno()
        self._stderr: Final = process.stderr.fileno()
        self._unread = b""
        self._complaints = b""

    def send(self, message: Mapping[str, Any] | list[Any] | bytes) -> None:
        """Send a message, a batch, or bytes as they are."""
        if isinstance(message, bytes):
            self._write(message)
        elif isinstance(message, list):
            self._write(json.dumps([{"jsonrpc": "2.0", **member} for member in message]).encode() + b"\n")
        else:
            self._write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def ask(self, number: Any, **params: Any) -> Any:
        """Send a request and return the answer to it."""
        self.send({"id": number, "method": "tools/call", "params": params})
        while True:
            message = self.receive()
            if isinstance(message, dict) and message.get("id") == number:
                return message

    def receive(self) -> Any:
        """The next message; fails at the end of the stream."""
        line = self.read_line()
        assert line, f"the stream has ended; stderr: {self.stderr()!r}"
        return json.loads(line)

    def read_line(self) -> bytes:
        """The next line with its end; what is left, or nothing, at the end of the stream."""
        end = time.monotonic() + SECONDS
        parts = []
        while b"\n" not in self._unread:
            parts.append(self._unread)
            self._unread = self._read(self._stdout, end)
            if not self._unread:
                return b"".join(parts)
        last, self._unread = self._unread.split(b"\n", 1)
        return b"".join([*parts, last, b"\n"])

    def read_rest(self) -> bytes:
        """Everything up to the end of the stream."""
        end = time.monotonic() + SECONDS
        while data := self._read(self._stdout, end):
            self._unread += data
        data, self._unread = self._unread, b""
        return data

    def close(self) -> None:
        """Close the recorder's input."""
        with contextlib.suppress(BrokenPipeError):
            self._stdin.close()

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send the recorder, and nobody else, a signal."""
        self.process.send_signal(number)

    def wait(self) -> int:
        """The recorder's exit status, when it has ended; minus a signal's number if one has ended it."""
        end = time.monotonic() + SECONDS
        while self.process.poll() is None:
            assert time.monotonic() < end, "the recorder does not end"
            self._drain_stderr(0.005)
        self._drain_stderr(0)
        return self.process.returncode

    def finish(self) -> int:
        """Close the input, read what is left, wait for the end."""
        self.close()
        self.read_rest()
        return self.wait()

    def stderr(self) -> str:
        """What was written to stderr by now."""
        self._drain_stderr(0)
        return self._complaints.decode(errors="replace")

    def wait_for_stderr(self, text: str) -> str:
        """All of stderr, when it holds a text."""
        end = time.monotonic() + SECONDS
        while text not in (found := self.stderr()):
            assert time.monotonic() < end, f"{text!r} does not come: {found!r}"
            self._drain_stderr(0.05)
        return found

    def _write(self, data: bytes) -> None:
        """Write, while reading what comes, as a client with an event loop does."""
        end = time.monotonic() + SECONDS
        descriptor = self._stdin.fileno()
        os.set_blocking(descriptor, False)
        left = memoryview(data)
        while left:
            readable, writable, _ = select.select([self._stdout], [descriptor], [], max(0, end - time.monotonic()))
            assert readable or writable, "nobody reads"
            if readable:
                self._unread += os.read(self._stdout, 65536)
            if writable:
                left = left[os.write(descriptor, left) :]

    def _read(self, descriptor: int, end: float) -> bytes:
        while True:
            ready = select.select([descriptor, self._stderr], [], [], max(0.0, end - time.monotonic()))[0]
            assert ready, f"nothing comes; stderr: {self._complaints!r}"
            if descriptor in ready:
                return os.read(descriptor, 65536)
            if not self._drain_stderr(0):
                return os.read(descriptor, 65536) if select.select([descriptor], [], [], SECONDS)[0] else b""

    def _drain_stderr(self, seconds: float) -> bool:
        """Read the stderr that is there; False at its end."""
        while select.select([self._stderr], [], [], seconds)[0]:
            data = os.read(self._stderr, 65536)
            if not data:
                return False
            self._complaints += data
            seconds = 0
        return True


class Studio:
    """A folder in which recordings are made, with a temporary folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder
        self.path: Final = folder / "cassette.yaml"
        self._temporary: Final = folder / "tmp"
        self._temporary.mkdir()

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a recorder: what it remembers stays in this folder."""
        return {**os.environ, **ENVIRONMENT, "TMPDIR": str(self._temporary)}

    @contextlib.contextmanager
    def record(self, *behaviour: str, options: Sequence[str] = (), **others: Any) -> Iterator[Client]:
        """Record the small server with a behaviour; whatever happens, nothing is left running."""
        with self.run(sys.executable, SERVER, *behaviour, options=options, **others) as client:
            yield client

    @contextlib.contextmanager
    def run(self, *command: str, options: Sequence[str] = (), **others: Any) -> Iterator[Client]:
        """Record any command."""
        with self.start([*self.recorder(*options), "--", *command], **others) as client:
            yield client

    def recorder(self, *options: str) -> list[str]:
        """The command line of a recorder, up to the server's command."""
        return [*MCPMOCK, "record", "-o", str(self.path), *options]

    def words(self, command: str) -> list[str]:
        """The command line that records a command as one would type it."""
        return [*self.recorder(), "--", *shlex.split(command)]

    @contextlib.contextmanager
    def impatient(self, behaviour: str) -> Iterator[Client]:
        """Record the small server with tenths of seconds where a recorder waits for seconds."""
        words = [sys.executable, "-c", IMPATIENT, str(self.path), sys.executable, SERVER, behaviour]
        with self.start(words) as client:
            yield client

    @contextlib.contextmanager
    def start(self, words: Sequence[str], **others: Any) -> Iterator[Client]:
        """Start any command line as a client does."""
        pipe = subprocess.PIPE
        environment = others.pop("env", self.environment)
        with _heeding_signals():
            process = subprocess.Popen(
                words, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, **others
            )
        with process:
            try:
                yield Client(process)
            finally:
                process.kill()

    def cassette(self) -> Cassette:
        """What has been recorded."""
        return load_file(str(self.path))

    def entries(self) -> list[Entry]:
        """The entries of the only session, without lines and times."""
        (session,) = self.cassette().sessions
        return [entry._replace(line=0, at=None) for entry in session.entries]

    def parts(self) -> list[Path]:
        """The part files that are there."""
        return sorted(self.folder.glob("cassette.yaml.part-*"))


def shape(entries: Sequence[Entry]) -> list[str]:
    """Entries in short: what kind, and what it is about."""
    return [_shape(entry) for entry in entries]


def _shape(entry: Entry) -> str:
    if entry.messages:
        return f"{entry.kind} {entry.messages[0].method or entry.messages[0].id}"
    if entry.kind in ("eof", "exit"):
        return f"{entry.kind} {entry.side if entry.kind == 'eof' else entry.status}"
    return f"{entry.kind} {str(entry.text).strip()}"


def is_alive(process: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        state = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != b"Z"


def wait_until(condition: Any, what: str) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + SECONDS
    reader, writer = os.pipe()
    try:
        while not condition():
            assert time.monotonic() < end, f"in vain: {what}"
            select.select([reader], [], [], 0.01)
    finally:
        os.close(reader)
        os.close(writer)
