"""Other processes: which is our client, who is in a group, how one ended. Linux tells by /proc; others tell less."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from typing import Final

_LAUNCHERS: Final = frozenset(("uv", "uvx", "pipx", "pdm", "hatch", "conda", "sudo", "timeout", "time", "nice"))
_COERCED: Final = ("C.UTF-8", "C.utf8", "UTF-8")
_SHELLS: Final = frozenset(("sh", "bash", "dash", "zsh", "ksh", "ash"))


def client_process() -> str:
    """What tells the process that has started us from all others: its number, and when it has started.

    Launchers in between (`uvx`, `sh -c`) are new for every session, so they do not count.
    """
    process = os.getppid()
    while process > 1 and _is_launcher(process):
        process = int(_stat_fields(process)[1])
    return f"{process} {_start_time(process)}"


def inherited_environment() -> dict[str, str]:
    """The environment that we were started with.

    In the C locale Python adds LC_CTYPE to its own (PEP 538); a server that is started without us does not see that.
    """
    environment = dict(os.environ)
    if environment.get("LC_CTYPE") in _COERCED:
        with contextlib.suppress(OSError), open("/proc/self/environ", "rb") as file:
            if not any(variable.startswith(b"LC_CTYPE=") for variable in file.read().split(b"\0")):
                del environment["LC_CTYPE"]
    return environment


def name_status(status: int) -> int | str:
    """The status of a child that has ended as a cassette spells it: an exit code, or the name of a signal."""
    if status >= 0:
        return status
    try:
        return signal.Signals(-status).name
    except ValueError:  # a real-time signal
        return 128 - status


def has_members(group: int) -> bool:
    """Whether a process group has a member that is no zombie."""
    try:
        os.killpg(group, 0)
        processes = [name for name in os.listdir("/proc") if name.isdecimal()]
    except OSError as error:
        return not isinstance(error, ProcessLookupError)  # a system without /proc: what the signal tells
    return any(_is_member(process, group) for process in processes)


def _is_member(process: str, group: int) -> bool:
    try:
        state, _, its_group, *_ = _stat_fields(process)
    except (OSError, ValueError):
        return False
    return int(its_group) == group and state not in (b"Z", b"X")


def _is_launcher(process: int) -> bool:
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            words = os.fsdecode(file.read()).split("\0")
    except OSError:
        return False
    name = os.path.basename(words[0])
    return name in _LAUNCHERS or (name in _SHELLS and any(word[:1] == "-" and word[-1] == "c" for word in words[1:3]))


def _start_time(process: int) -> str:
    """When a process has started, as the system tells it; empty if it does not."""
    try:
        return _stat_fields(process)[19].decode()
    except (OSError, IndexError):
        shown = subprocess.run(["ps", "-o", "lstart=", "-p", str(process)], capture_output=True, text=True, check=False)
        return shown.stdout.strip()


def _stat_fields(process: int | str) -> list[bytes]:
    """What stands behind the name in `/proc/PID/stat`: its state, its parent, its group, …"""
    with open(f"/proc/{process}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()
