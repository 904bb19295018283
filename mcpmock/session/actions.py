"""What a playback machine tells its shell to do, in the imperative."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

__all__ = ["Action", "End", "Send", "SendNoise", "WriteStderr"]


class Send(NamedTuple):
    """Send one frame: the JSON text of a message or batch, ASCII, without a line's end.

    `is_after_progress`: this answers a request whose progress was sent before; the peer must have read that first.
    """

    text: str
    is_after_progress: bool = False


class SendNoise(NamedTuple):
    """Write a recorded line that is no message to where messages go; without its line's end."""

    line: bytes


class WriteStderr(NamedTuple):
    """Write recorded text to stderr."""

    text: str


class End(NamedTuple):
    """Leave as the recorded server did: with an exit status, or by the signal of this name."""

    status: int | str


Action: TypeAlias = Send | SendNoise | WriteStderr | End
