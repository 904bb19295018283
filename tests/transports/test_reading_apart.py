"""Progress and its answer never reach the client in one read (DESIGN 4): the TypeScript SDK would lose the progress."""

from __future__ import annotations

import fcntl
import json
import os
import select
import subprocess
import termios
import time
from pathlib import Path

import pytest

from mcpmock.transports.draining import LIMIT
from tests.program import ENVIRONMENT, MCPMOCK, SECONDS
from tests.session.dialogue import recorded
from tests.transports.client import Client, line, replay, until

ROUNDS = 12
PAUSE = 0.02
"""Seconds for which the slow reader does not read what is there: long for a write, short for the shell's limit."""

SLOW = recorded("""
> {id: 1, method: resources/read, params: {uri: a, _meta: {progressToken: 1}}}
< {method: notifications/progress, params: {progressToken: 1, progress: 1}}
< {method: notifications/progress, params: {progressToken: 1, progress: 2}}
< {id: 1, result: {}}
""")

ALL = (
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}\n'
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2}}\n'
    b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
)


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    """A request with progress, which is no change and can be asked again."""
    path = tmp_path / "slow.yaml"
    path.write_text(SLOW, encoding="utf-8")
    return path


def read(id_: int, *, token: object = None) -> dict[str, object]:
    meta = {"_meta": {"progressToken": token}} if token is not None else {}
    return {"id": id_, "method": "resources/read", "params": {"uri": "a", **meta}}


def slowly(client: Client) -> bytes:
    """What one read brings to a client that comes to it late."""
    select.select([client.stdout], [], [], 60)
    select.select([], [], [], PAUSE)
    return client.read_chunk()


@pytest.mark.parametrize("stdout", ["pipe", "socket"])
def test_a_slow_reader_gets_the_answer_in_a_read_of_its_own(cassette: Path, stdout: str) -> None:
    """Ours (DESIGN 4): the shell waits until the peer has read; both messages of progress may come together."""
    rounds = 0
    with replay(cassette, stdout=stdout) as client:
        for at in range(10 * ROUNDS):
            begun, told = time.monotonic(), b""
            client.send(read(at, token=at))
            while told.count(b"\n") < 2:
                told += slowly(client)
            if time.monotonic() - begun >= LIMIT:  # on a busy machine the shell may have given up waiting: no round
                while told.count(b"\n") < 3:
                    told += client.read_chunk()
                continue
            assert [json.loads(one)["params"]["progress"] for one in told.splitlines()] == [1, 2]
            assert json.loads(slowly(client)) == {"jsonrpc": "2.0", "id": at, "result": {}}
            rounds += 1
            if rounds == ROUNDS:
                return
    assert rounds, "the machine was too busy for a single round"


@pytest.mark.parametrize("stdout", ["pipe", "socket"])
def test_a_client_that_does_not_read_gets_the_answer_all_the_same(cassette: Path, stdout: str) -> None:
    """Ours (DESIGN 4): at most 250 ms are waited for; nobody is kept for ever."""
    with replay(cassette, stdout=stdout) as client:
        client.send(read(1, token=1))
        until(lambda: _unread(client) >= len(ALL), "the answer is there, though the progress is unread")
        assert client.read_chunk() == ALL


@pytest.mark.parametrize("stdout", ["pipe", "socket"])
def test_what_follows_no_progress_is_not_waited_with(cassette: Path, stdout: str) -> None:
    """Ours (DESIGN 4): a client that asked for no progress, or reads nothing between its requests, loses no time."""
    with replay(cassette, stdout=stdout) as client:
        client.send(*(read(at) for at in range(50)))
        code, told = client.finish()
    assert [json.loads(one)["id"] for one in told.splitlines()] == list(range(50))
    assert code == 0


def test_a_file_as_stdout_is_waited_for_no_longer_than_a_moment(cassette: Path, tmp_path: Path) -> None:
    """Ours (DESIGN 4): 5 ms where nobody tells what has been read; so fifty answers take no 250 ms each."""
    asked = b"".join(line(read(at, token=at)) for at in range(50))
    target = tmp_path / "stdout.jsonl"
    begun = time.monotonic()
    with target.open("wb") as file:
        subprocess.run(
            [*MCPMOCK, "replay", str(cassette)],
            input=asked,
            stdout=file,
            env={**os.environ, **ENVIRONMENT},
            timeout=SECONDS,
            check=True,
        )
    assert time.monotonic() - begun < 50 * LIMIT
    assert target.read_bytes().count(b"\n") == 150


def _unread(client: Client) -> int:
    return int.from_bytes(fcntl.ioctl(client.stdout, termios.FIONREAD, b"\0\0\0\0"), "little")
