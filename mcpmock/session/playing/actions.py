"""What a playback machine tells its shell to do, in the imperative."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from mcpmock.cassette.model import HttpFact

__all__ = ["Action", "Close", "End", "Prime", "Respond", "Send", "SendNoise", "WriteStderr"]


class Send(NamedTuple):
    """Send one frame: the JSON text of a message or batch, ASCII, without a line's end.

    is_after_progress  this answers a request whose progress was sent before; the peer must have read that first
    ticket             HTTP: the exchange (what the shell gave to `receive`) on whose stream it goes; None: the stream
                       that the client has opened by a GET. One whose exchange is complete goes there too.
    is_answer          it completes its exchange
    fact               HTTP: how the recorded response differed from the norm
    """

    text: str
    is_after_progress: bool = False
    ticket: object = None
    is_answer: bool = False
    fact: HttpFact | None = None


class Respond(NamedTuple):
    """HTTP: complete the exchange with what was no message: a status, a body, headers."""

    fact: HttpFact
    ticket: object


class Close(NamedTuple):
    """HTTP: no answer comes for this exchange; end its stream, or (`is_abort`) break the connection.

    `is_pause`: it does come, but the client shall ask for the rest of the stream, if it can (2025-11-25, polling).
    `has_begun`: where the answer is a stream, its head comes first: it was the client that had enough of it.
    """

    ticket: object
    is_abort: bool = False
    is_pause: bool = False
    has_begun: bool = False


class Prime(NamedTuple):
    """HTTP: the stream of this exchange goes on with an event that has an id and no data, if its client knows such."""

    ticket: object


class SendNoise(NamedTuple):
    """Write a recorded line that is no message to where messages go; without its line's end."""

    line: bytes


class WriteStderr(NamedTuple):
    """Write recorded text to stderr."""

    text: str


class End(NamedTuple):
    """Leave as the recorded server did: with an exit status, or by the signal of this name."""

    status: int | str


Action: TypeAlias = Send | SendNoise | WriteStderr | End | Respond | Close | Prime
