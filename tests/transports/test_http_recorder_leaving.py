"""A client of the HTTP recorder that leaves while it is answered, in a revision in which that cancels nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from mcpmock.cassette.load import load_file
from mcpmock.keeping import Keeping
from mcpmock.recording_http import HttpRecordRequest, recording_mind, relaying_for
from mcpmock.transports.proxy.recorder import Address, HttpRecorder
from tests.transports.http_upstream import STREAM, Asked, Upstream
from tests.transports.proxying import SECONDS, Client

CALL: Final = {"id": 1, "method": "tools/call", "params": {"name": "t"}}


class Slow:
    """A server that sends the head of a response, and the answer once the client `has_left`; or none."""

    def __init__(self, *, answers: bool) -> None:
        self.has_left = threading.Event()
        self.was_left = threading.Event()
        self._answers = answers

    def serve(self, asked: Asked) -> None:
        """Answers one request."""
        if asked.message["id"] != 1:
            asked.result()
            return
        asked.head(200, STREAM)
        if self._answers and self.has_left.wait(SECONDS):
            asked.event({"id": 1, "result": {}})
            asked.end()
        if asked.is_left():
            self.was_left.set()


@contextmanager
def recorder(url: str, cassette: Path, moment: float) -> Iterator[str]:
    """A recorder of this server that hears responses out for so long; its URL."""
    request = HttpRecordRequest(Keeping(str(cassette), "s", "r"), url)
    relaying = relaying_for(request)._replace(moment=moment)
    recorder = HttpRecorder(relaying, partial(recording_mind, request, relaying.changes), print)
    try:
        yield recorder.start(Address())
    finally:
        recorder.stop()


@pytest.mark.parametrize("answers", [True, False])
def test_who_looks_at_the_head_alone_is_answered_in_the_recording(tmp_path: Path, *, answers: bool) -> None:
    """Spec (2025-11-25, Streamable HTTP): a disconnection is no cancellation. A handshake whose client left at the
    head was recorded without its answer, and hung who took that session in a replay."""
    server, cassette = Slow(answers=answers), tmp_path / "c.yaml"
    with Upstream(server.serve) as upstream, recorder(f"{upstream.url}/mcp", cassette, 20 if answers else 0.01) as url:
        with Client(url) as client:
            client.call({**CALL, "id": 0})
            client.post(CALL)
            client.head()
        server.has_left.set()
        assert server.was_left.wait(SECONDS)
    (session,) = load_file(str(cassette)).sessions
    answered = [entry for entry in session.entries if entry.kind == "server"]
    assert len(answered) == 1 + answers
    broken = [entry.http for entry in session.entries if entry.http is not None and entry.http.end]
    assert [(fact.end, fact.side) for fact in broken] == ([] if answers else [("aborted", "client")])
