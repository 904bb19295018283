"""What was said in one live session, kept as it comes and put together only when somebody looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from mcpmock.session.correlation import id_key
from mcpmock.session.playing.report import Outcome
from mcpmock.wire.message import Message, parse

__all__ = ["NO_LOG", "Call", "Log"]


class Call(NamedTuple):
    """One request or notification that a client sent.

    order        its place among all calls of the mock, from 0
    server       the server that it went to
    session      the live session, from 1
    method       its method; `name` is that of the tool or prompt, `arguments` what that was given
    params       its params; None where there were none
    headers      over HTTP those of the request that brought it, names in lower case, without secrets; else empty
    answer       the result that it was answered with; None so far, for an error and for a notification
    error        the error that it was answered with, or None
    outcome      "played", "repeated" (what was played before), "missed", "made up" (pongs, handshakes), "ignored"
                 (notifications that nothing depends on), or "live" (the real server answered)
    line         where in the cassette what was played stands; 0 for nothing
    at           seconds from the start of the mock to the call
    answered_at  the same to its answer; None where there was none
    """

    order: int
    server: str
    session: int
    method: str
    params: Any
    answer: Any
    error: Any
    outcome: Outcome | str
    line: int
    at: float
    answered_at: float | None
    headers: Mapping[str, str] = {}

    @property
    def name(self) -> str:
        """The tool or prompt that it asks for; the empty string where it names none."""
        name = self.params.get("name") if isinstance(self.params, dict) else None
        return name if isinstance(name, str) else ""

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of a tool or prompt; empty where there are none."""
        arguments = self.params.get("arguments") if isinstance(self.params, dict) else None
        return arguments if isinstance(arguments, dict) else {}


class _Asked(NamedTuple):
    order: int
    message: Message
    outcome: str
    line: int
    at: float
    said: int  # how much the server had said before
    ticket: object  # the exchange that it came in, over HTTP


class Log:
    """One live session. `started_at` is the moment, on the shell's clock, from which times are told."""

    def __init__(self, server: str, session: int, started_at: float) -> None:
        self._server = server
        self._session = session
        self._started_at = started_at
        self._asked: list[_Asked] = []
        self._said: list[tuple[float, str | bytes, object]] = []

    def ask(self, message: Message, outcome: str, line: int, at: float, order: int, ticket: object = None) -> None:
        """The client sent a request or a notification, over HTTP in the exchange `ticket`."""
        self._asked.append(_Asked(order, message, outcome, line, at, len(self._said), ticket))

    def say(self, text: str | bytes, at: float, ticket: object = None) -> None:
        """The server sent the JSON text of a message or batch, over HTTP in the exchange `ticket`."""
        self._said.append((at, text, ticket))

    def __len__(self) -> int:
        return len(self._asked)

    def calls(self, method: str | None = None) -> list[Call]:
        """The calls of the client, in order, with their answers; only those of one method, if it is given."""
        answers = self._answers()
        return [self._call(asked, answers) for asked in list(self._asked) if method in (None, asked.message.method)]

    def _call(self, asked: _Asked, answers: dict[int, tuple[float, Message]]) -> Call:
        answered_at, answer = answers.get(asked.order, (None, None))
        body = answer.body if answer is not None else {}
        return Call(
            asked.order,
            self._server,
            self._session,
            asked.message.method,
            asked.message.params,
            body.get("result"),
            body.get("error"),
            asked.outcome,
            asked.line,
            asked.at - self._started_at,
            None if answered_at is None else answered_at - self._started_at,
            _headers_of(asked.ticket),
        )

    def _answers(self) -> dict[int, tuple[float, Message]]:
        """The answers by the order of what they answer: the oldest open request with their id, in their exchange."""
        found: dict[int, tuple[float, Message]] = {}
        waiting: dict[tuple[int, object], list[_Asked]] = {}
        asked = iter(list(self._asked))
        following = next(asked, None)
        for place, (at, text, ticket) in enumerate(list(self._said)):
            while following is not None and following.said <= place:
                if following.message.kind == "request":
                    waiting.setdefault((id(following.ticket), id_key(following.message.id)), []).append(following)
                following = next(asked, None)
            for message in _messages(text):
                if message.kind == "response" and (fitting := waiting.get((id(ticket), id_key(message.id)))):
                    found[fitting.pop(0).order] = (at, message)
        return found


def _headers_of(ticket: object) -> dict[str, str]:
    sent: Mapping[bytes, bytes] = getattr(ticket, "sent", {})  # an exchange; over pipes there is none
    if not sent:
        return {}
    from mcpmock.matching.veil import veiled

    told = veiled({name.decode("latin-1"): value.decode("latin-1") for name, value in sent.items()})
    return {name: str(value) for name, value in told.items()} if isinstance(told, dict) else {}


class _NoLog(Log):
    """Keeps nothing."""

    def ask(self, *_: object) -> None:
        """See `Log`."""

    def say(self, *_: object) -> None:
        """See `Log`."""


NO_LOG: Final = _NoLog("", 0, 0.0)
"""For sessions of which nobody wants to know what was said."""


def _messages(text: str | bytes) -> Iterator[Message]:
    parsed = parse(text.encode() if isinstance(text, str) else text)
    if isinstance(parsed, Message):
        yield parsed
    else:
        yield from getattr(parsed, "messages", ())
