"""What is seen on the pipes of a server, and the entries that it becomes: words for tests of recording."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from mcpmock.cassette.model import Entry
from mcpmock.session.recording.stdio import Recording
from mcpmock.wire.message import Message, Object, Side, message_from

Seen = tuple[str, bytes]


PING: Object = {"id": 1, "method": "ping"}


PONG: Object = {"id": 1, "result": {}}


def line(body: Object | list[Any]) -> bytes:
    """A message or a batch, as it travels."""
    members = body if isinstance(body, list) else [body]
    whole = [{"jsonrpc": "2.0", **member} for member in members]
    return json.dumps(whole if isinstance(body, list) else whole[0]).encode() + b"\n"


def see(recording: Recording, seen: Sequence[Seen], at: int = 0) -> None:
    """Tell a recording what was seen: bytes of `client`, `server` or `stderr`; no bytes, the end."""
    for source, data in seen:
        if source == "stderr":
            recording.received_stderr(data, at)
        elif not data:
            recording.ended("client" if source == "client" else "server", at)
        else:
            recording.received("client" if source == "client" else "server", data, at)


def recorded(*seen: Seen, recording: Recording | None = None, status: int | str | None = None) -> list[Entry]:
    """The entries of what was seen, without times; with a status, the server has exited at the end."""
    recording = recording or Recording()
    see(recording, seen)
    if status is not None:
        recording.exited(status, 0)
    growing = [recording.open_entry] if recording.open_entry else []
    return [entry._replace(at=None) for entry in [*recording.take_entries(), *growing]]


def entry(side: Side, *bodies: Object) -> Entry:
    """A message, or several as a batch."""
    messages = tuple(message for body in bodies if isinstance(message := message_from(body), Message))
    return Entry(side, messages=messages, is_batch=len(bodies) > 1)


def warnings_of(*seen: Seen, **options: Any) -> list[str]:
    """What a person is told."""
    recording = Recording(**options)
    see(recording, seen)
    return recording.take_warnings()
