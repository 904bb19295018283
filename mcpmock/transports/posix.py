"""What a recorder needs of a POSIX system: file descriptors, a process group, signals, the end."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Final, NoReturn

from mcpmock.errors import CommandError, UsageError
from mcpmock.transports.processes import has_members

try:
    import fcntl
    import resource
except ImportError as error:  # Windows
    raise UsageError("recording a stdio server needs process groups and signals, which Windows lacks") from error

FORWARDED: Final = tuple(
    getattr(signal, name)
    for name in ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGWINCH", "SIGCONT")
)
"""The signals that a recorder passes on to its child."""

ENDING: Final = frozenset({signal.SIGHUP, signal.SIGINT, signal.SIGTERM})
"""Those by which a client ends a server in good order."""

STDERR: Final = 2

_MOST_DESCRIPTORS: Final = 65536

CHUNK: Final = 64 * 1024
"""How many bytes are read at once: as many as a pipe holds."""

# Waits for the end of its input. If that comes before a line does, the recorder was killed.
_GUARDIAN: Final = """
trap '' HUP INT QUIT TERM
read -r line && exit
kill -s TERM -- "-$1" || exit
for i in 1 2 3 4 5 6 7 8; do sleep 0.25; kill -s 0 -- "-$1" || exit; done
kill -s KILL -- "-$1"
"""


def close_for_good(descriptor: int) -> None:
    """Close a pipe's end, but keep its number taken: another thread may still use it."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, descriptor)
    os.close(null)


def read(descriptor: int) -> bytes:
    """What can be read, waiting for it; nothing at the end of the stream, or when the other end has broken."""
    while True:
        try:
            return os.read(descriptor, CHUNK)
        except BlockingIOError:  # somebody else who shares the pipe wants it so
            _wait_for(descriptor, select.POLLIN)
        except OSError:
            return b""


def write(descriptor: int, data: bytes) -> bool:
    """Write all of it; False if the other end has gone."""
    while True:
        try:
            written = os.write(descriptor, data)
        except BlockingIOError:
            _wait_for(descriptor, select.POLLOUT)
        except OSError:
            return False
        else:
            if written == len(data):
                return True
            data = data[written:]


def has_reader(descriptor: int) -> bool:
    """Whether anybody can read what is written there."""
    return not _wait_for(descriptor, select.POLLOUT, 0) & (select.POLLERR | select.POLLHUP | select.POLLNVAL)


def write_some(descriptor: int, data: bytes) -> int:
    """Write what fits without waiting, and return how much that was; -1 if the other end has gone."""
    ready = _wait_for(descriptor, select.POLLOUT, 0)
    if ready & (select.POLLERR | select.POLLHUP | select.POLLNVAL):
        return -1
    try:
        return os.write(descriptor, data[: select.PIPE_BUF]) if ready else 0
    except BlockingIOError:
        return 0
    except OSError:
        return -1


def _wait_for(descriptor: int, events: int, milliseconds: int | None = None) -> int:
    poller = select.poll()
    poller.register(descriptor, events)
    ready = poller.poll(milliseconds)
    return ready[0][1] if ready else 0


def make_roomy(pipe: int, size: int) -> None:
    """Let a pipe hold so many bytes, where the system can."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, size)


def ignore_signals() -> None:
    """For a process that works for another one, and ends with it: nothing that is meant for that one ends us."""
    os.setsid()
    for number in FORWARDED:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)


def close_all_but(*kept: int) -> None:
    """Close all descriptors but a few; others of the first three lead nowhere from now on."""
    for descriptor in {0, 1, 2} - set(kept):
        close_for_good(descriptor)
    at = 3
    for descriptor in sorted(kept):
        os.closerange(at, descriptor)
        at = max(at, descriptor + 1)
    os.closerange(at, min(os.sysconf("SC_OPEN_MAX"), _MOST_DESCRIPTORS))


def give_back_memory() -> None:
    """Let the system have memory that we need no longer; the C library would keep it, where it knows how."""
    import ctypes  # only after a flood

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


class Child:
    """A server's process, the leader of a session and a process group of its own.

    `stdin`, `stdout` and `stderr` are our ends of its pipes. A guardian, a small process beside it, ends the whole
    group should we be killed (a parent-death signal would not reach the children of `npx` or `sh -c`).
    """

    def __init__(self, command: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: str | None = None) -> None:
        """Start it. Raises CommandError, which tells whether the command or the folder is at fault."""
        if cwd is not None and not os.path.isdir(cwd):
            raise CommandError(f"the working folder {cwd!r} is no folder (--cwd)")
        try:
            self._process = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=env,
                cwd=cwd,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise CommandError(_reason(command[0], error, env, cwd)) from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self.stdin: Final = self._process.stdin.fileno()
        self.stdout: Final = self._process.stdout.fileno()
        self.stderr: Final = self._process.stderr.fileno()
        self._guardian: subprocess.Popen[bytes] | None = None

    def wait(self) -> None:
        """Wait for its end. It stays a zombie until `end_group`, so that its number stays taken."""
        os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)

    def signal_group(self, number: int) -> None:
        """Send a signal to it and all its children; nothing happens if they have gone."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def has_left_a_group(self) -> bool:
        """Whether anybody is left of the group."""
        return has_members(self._process.pid)

    def start_guardian(self) -> None:
        """Have the group ended should we be killed."""
        self._guardian = _start_guardian(self._process.pid)

    def end_group(self) -> int:
        """End what is left of the group after its leader has ended; waits for it half a second at most.

        Returns the leader's exit code, or minus the number of the signal that ended it.
        """
        self.signal_group(signal.SIGTERM)
        status = self._process.wait()
        for _ in range(50):
            if not has_members(self._process.pid):
                break
            select.select([], [], [], 0.01)
        else:
            self.signal_group(signal.SIGKILL)
        if self._guardian is not None and self._guardian.stdin is not None:
            self._guardian.communicate(b"\n")
        return status


def _start_guardian(group: int) -> subprocess.Popen[bytes] | None:
    try:
        return subprocess.Popen(
            ["/bin/sh", "-c", _GUARDIAN, "mcpmock-guardian", str(group)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:  # a system without a shell: the child still gets the end of its input
        return None


def _reason(program: str, error: Exception, env: Mapping[str, str] | None, cwd: str | None) -> str:
    if isinstance(error, ValueError):
        return f"the command cannot be started: {error}"
    if isinstance(error, FileNotFoundError):
        if os.sep in program:
            if os.path.exists(os.path.join(cwd or ".", program)):
                return f"the command {program!r} cannot be started: the interpreter in its first line is missing"
            return f"there is no command {program!r}{_unquoted(program, env)}{_with_scheme(program)}"
        return f"there is no command {program!r} in the PATH{_unquoted(program, env)}{_with_scheme(program)}"
    if isinstance(error, PermissionError):
        return f"the command {program!r} may not be executed"
    return f"the command {program!r} cannot be started: {error.strerror if isinstance(error, OSError) else error}"


def _unquoted(program: str, env: Mapping[str, str] | None) -> str:
    """The way out where a whole command line was given as one word."""
    first, *rest = program.split() or [""]
    path = (env if env is not None else os.environ).get("PATH")
    return f"; write it without the quotes: {program}" if rest and shutil.which(first, path=path) else ""


def _with_scheme(program: str) -> str:
    """The way out where a URL was given without its beginning, or where a command is expected."""
    if program.startswith(("http://", "https://")):
        return "; a URL stands in place of the command, without -- before it"
    first, slash, _ = program.partition("/")
    host, _, port = first.rpartition(":")
    if host and port.isdecimal():
        return f"; did you mean http://{program}?"
    is_url = "://" in program or (slash and "." in first.strip(".") and not os.path.exists(first))
    return "; the URL of a server begins with http:// or https://" if is_url else ""


def on_signals(handle: Callable[[int], None]) -> None:
    """Call `handle` with the number of every signal to pass on. What is ignored (`nohup`) stays ignored."""

    def handler(number: int, _frame: FrameType | None) -> None:
        handle(number)

    for number in FORWARDED:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def end_as(status: int) -> NoReturn:
    """End this process, at once, as a child with that status (see `Child.end_group`) has ended."""
    if status < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the core that matters is the child's
        if -status not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-status, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [-status])
        os.kill(os.getpid(), -status)
    os._exit(status if status >= 0 else 128 - status)
