"""The thinker: whatever goes wrong with the recording, the session goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mcpmock.cassette.model import Entry
from mcpmock.session.recording.stdio import Recording
from mcpmock.transports.tape import Tape
from mcpmock.transports.thinker import Thinker, Thinking
from mcpmock.wire.message import Message
from tests.transports.recorder_client import wait_until

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
PONG = b'{"jsonrpc":"2.0","id":1,"result":{}}\n'


class Notebook:
    """Keeps entries in memory, up to a number."""

    kept_in = "/somewhere"

    def __init__(self, room: int = 1000) -> None:
        self.room = room
        self.kept: list[Entry] = []
        self.finished: list[tuple[list[int], int, bool]] = []

    def keep(self, finished: Sequence[Entry], growing: Entry | None) -> None:
        """Keep them, if there is room."""
        self.kept += finished
        if len(self.kept) > self.room:
            raise OSError(28, "No space left on device")

    def finish(self, times: Sequence[int], *, answers: int, is_last: bool) -> None:
        """Note that it was finished."""
        self.finished.append((list(times), answers, is_last))


class Faulty:
    """A redactor with a fault."""

    def message(self, message: Message) -> Message:
        """Fails."""
        raise RecursionError("a fault of ours")

    def text(self, text: str) -> str:
        """Does nothing."""
        return text

    def data(self, data: bytes) -> bytes:
        """Does nothing."""
        return data


def think(prepare: Callable[[], Thinking], *, calls: int = 1) -> tuple[Tape, list[str]]:
    """Let a thinker see some calls and their answers, and the end; returns what it said."""
    said: list[str] = []
    tape = Tape({"client": 5000, "server": 5000, "stderr": 5000})
    thinker = Thinker(tape, prepare, said.append)
    thinker.start()
    for _ in range(calls):
        tape.client.put(PING)
        tape.server.put(PONG)
    tape.put_end("client")
    thinker.finish_soon()
    wait_until(lambda: not tape, "the thinker to catch up")
    thinker.end(0)
    return tape, said


def test_what_was_seen_is_kept_and_finished_twice() -> None:
    """Ours (DESIGN 3): when the client has gone, and when the server has ended."""
    notebook = Notebook()
    _, said = think(lambda: Thinking(Recording(), notebook))
    assert [entry.kind for entry in notebook.kept] == ["client", "server", "exit"]
    assert [(len(times), answers, is_last) for times, answers, is_last in notebook.finished] == [
        (2, 1, False),
        (3, 1, True),
    ]
    assert said == []


def test_pr_07_when_nothing_more_can_be_kept_the_tape_still_runs() -> None:
    """PR-07: a full disk; it is told once, with the place of what there is, and nothing is finished."""
    notebook = Notebook(room=20)
    tape, said = think(lambda: Thinking(Recording(), notebook), calls=200)
    place = "what came before is kept beside the cassette: mcpmock salvage /somewhere -o OTHER.yaml"
    told = [text for text in said if "cannot keep up" not in text]
    assert told == [f"not recorded from here on: [Errno 28] No space left on device; {place}"]
    assert notebook.finished == []
    assert tape.waiting == 0


def test_a_fault_in_thinking_does_not_stop_the_session() -> None:
    """Ours (DESIGN 2.4): forward first; a fault of ours costs the recording, not the session."""
    tape, said = think(lambda: Thinking(Recording(redactor=Faulty()), Notebook()), calls=200)
    assert said[0].startswith("not recorded from here on: a fault of ours")
    assert tape.waiting == 0


def test_a_fault_in_preparing_does_not_stop_the_session() -> None:
    """Ours: an installation that is broken."""

    def broken() -> Thinking:
        raise ImportError("no module named yaml")

    tape, said = think(broken, calls=200)
    assert said[0] == "not recorded from here on: no module named yaml"
    assert tape.waiting == 0
