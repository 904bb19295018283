"""The servers and the clients of the pairs: what they are called, what must be installed for them, how they start."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from tests.real.software import FOLDER, node, npm_server, python_of

HERE: Final = Path(__file__).resolve().parent
NPM: Final = FOLDER / "npm"


class Server(NamedTuple):
    """A server: what the tests install for it, the scenario that fits it, and its command in a working folder.

    `prepare` lays out what it works on; `environment` is what it needs beside what an SDK hands to every server.
    """

    part: str
    scenario: str
    command: Callable[[Path], list[str]]
    prepare: Callable[[Path], None] = lambda folder: None
    environment: Callable[[Path], dict[str, str]] = lambda folder: {}
    is_of_both_eras: bool = False


class Client(NamedTuple):
    """A client: what the tests install for it, and the command that plays a scenario with it.

    One that `probes` starts a second process first, to ask it what it speaks; one that `starts_each_time` has a process
    for every call.
    """

    part: str
    command: Callable[[], list[str]]
    probes: bool = False
    starts_each_time: bool = False


def _files(folder: Path) -> None:
    (folder / "files" / "sub").mkdir(parents=True)
    (folder / "files" / "a.txt").write_text("alpha\nbeta\ngamma\n")
    (folder / "files" / "sub" / "b.json").write_text('{"n": 1}\n')


def _repository(folder: Path) -> None:
    """One commit, the same in every run, and one change."""
    repository = folder / "repository"
    repository.mkdir(parents=True)
    (repository / "a.txt").write_text("one\n")
    moment = "2026-01-01T00:00:00Z"
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.invalid", "-c", "commit.gpgsign=false"]
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run(
            ["git", "-C", str(repository), *who, *arguments],
            check=True,
            env={**os.environ, "GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment},
        )
    (repository / "a.txt").write_text("one\ntwo\n")


def _small(part: str, name: str, *, is_of_both_eras: bool = False) -> Server:
    script = HERE / "small" / name
    if script.suffix == ".py":
        return Server(
            part, "small", lambda folder: [str(python_of(part)), str(script)], is_of_both_eras=is_of_both_eras
        )
    return Server(part, "small", lambda folder: [str(node()), str(script), str(NPM)], is_of_both_eras=is_of_both_eras)


def _typescript(*options: str) -> Callable[[], list[str]]:
    return lambda: [str(node()), str(HERE / "drivers" / "typescript.mjs"), str(NPM), *options]


def _python(part: str, name: str) -> Callable[[], list[str]]:
    return lambda: [str(python_of(part)), str(HERE / "drivers" / name)]


SERVERS: Final[Mapping[str, Server]] = {
    "everything": Server("npm", "everything", lambda folder: list(npm_server("server-everything"))),
    "filesystem": Server(
        "npm", "filesystem", lambda folder: [*npm_server("server-filesystem"), str(folder / "files")], _files
    ),
    "memory": Server(
        "npm",
        "memory",
        lambda folder: list(npm_server("server-memory")),
        environment=lambda folder: {"MEMORY_FILE_PATH": str(folder / "memory.jsonl")},
    ),
    "time": Server(
        "time",
        "time",
        lambda folder: [str(python_of("time")), "-m", "mcp_server_time", "--local-timezone", "UTC"],
        is_of_both_eras=True,
    ),
    "git": Server(
        "git",
        "git",
        lambda folder: [str(python_of("git")), "-m", "mcp_server_git", "--repository", str(folder / "repository")],
        _repository,
        is_of_both_eras=True,
    ),
    "small-python1": _small("client", "python1.py"),
    "small-python2": _small("sdk2", "python2.py", is_of_both_eras=True),
    "small-typescript1": _small("npm", "typescript1.mjs"),
    "small-typescript2": _small("npm", "typescript2.mjs"),
}

CLIENTS: Final[Mapping[str, Client]] = {
    "python1": Client("client", _python("client", "python1.py")),
    "python2": Client("sdk2", _python("sdk2", "python2.py")),
    "typescript1": Client("npm", _typescript("1", "legacy")),
    "typescript2": Client("npm", _typescript("2", "legacy")),
    "typescript2-probing": Client("npm", _typescript("2", "auto"), probes=True),
    "python1-each": Client("client", _python("client", "python1.py"), starts_each_time=True),
}


def pairs() -> list[tuple[str, str]]:
    """All pairs that there are.

    A client that probes is left out where the server speaks the modern era, which it then speaks too. One with a
    process for every call is left out of server-everything, whose scenario waits for what a session brings by and by.
    """
    return [
        (server, client)
        for server in SERVERS
        for client in CLIENTS
        if not (CLIENTS[client].probes and SERVERS[server].is_of_both_eras)
        and not (CLIENTS[client].starts_each_time and server == "everything")
    ]


def fresh(folder: Path) -> Path:
    """The folder, empty."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
