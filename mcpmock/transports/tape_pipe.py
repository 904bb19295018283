"""A tape's chunks on their way through a pipe to another process, and what that tells of them."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

from mcpmock.transports.tape import End, Source

Mark: TypeAlias = Literal["finish", "exit"]

Sent: TypeAlias = "tuple[Source | End | Mark, float, bytes]"
"""A chunk; or a mark between chunks: to finish a cassette of what came before it, or the server's end, its status."""

SOURCES: Final[tuple[Source | End | Mark, ...]] = ("client", "server", "stderr", "signal", "finish", "exit")

_HEAD: Final = struct.Struct("=BdI")  # the source's number, the moment, the size
_STATE: Final = struct.Struct("=Q?d")
_READ: Final = 256 * 1024


class State(NamedTuple):
    """How far the thinking is: how many chunks were thought about, and see `Thinker`."""

    thought: int = 0
    expects_answers: bool = False
    answered_at: float = 0.0


def write_chunks(descriptor: int, chunks: Iterable[Sent]) -> None:
    """Write chunks, waiting for room. Raises OSError if nobody reads them."""
    _write_all(descriptor, b"".join(_framed(chunks)))


def _framed(chunks: Iterable[Sent]) -> Iterator[bytes]:
    for source, moment, data in chunks:
        yield _HEAD.pack(SOURCES.index(source), moment, len(data))
        yield data


def read_chunks(descriptor: int) -> Iterator[Sent]:
    """The chunks as they come, to the end of the stream; one that is cut off there is none."""
    rest = b""
    while data := os.read(descriptor, _READ):
        rest += data
        at = 0
        while len(rest) - at >= _HEAD.size:
            source, moment, size = _HEAD.unpack_from(rest, at)
            end = at + _HEAD.size + size
            if end > len(rest):
                break
            yield SOURCES[source], moment, rest[at + _HEAD.size : end]
            at = end
        rest = rest[at:]


def write_state(descriptor: int, state: State) -> None:
    """Tell it. Raises OSError if nobody reads it."""
    _write_all(descriptor, _STATE.pack(*state))


def read_states(descriptor: int) -> Iterator[State]:
    """The states as they come, the last of those that are there; to the end of the stream."""
    rest = b""
    while data := os.read(descriptor, _READ):
        rest += data
        whole = len(rest) // _STATE.size * _STATE.size
        if whole:
            yield State(*_STATE.unpack_from(rest, whole - _STATE.size))
        rest = rest[whole:]


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
