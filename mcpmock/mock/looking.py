"""What tests can see of a mock: calls, sessions, misses, what was played; and assertions about it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from mcpmock.matching.veil import veiled
from mcpmock.mock.engine import Engine
from mcpmock.mock.failing import Missed, misses_of
from mcpmock.mock.log import Call
from mcpmock.mock.part import LiveSession, Recorded
from mcpmock.wire.message import Json

__all__ = ["SeenSession", "assert_called", "assert_not_called", "calls", "misses", "sessions", "unplayed"]

_LISTED = 20
_NAMED = ("tools/call", "prompts/get", "resources/read")


class SeenSession(NamedTuple):
    """A live session: one connection of a client.

    number     from 1, in the order in which the sessions of the mock were opened
    server     the server that it was with
    transport  "stdio" or "memory"
    is_open    whether the client is still connected
    missed     whether it asked for what was never recorded
    calls      what the client asked and told
    """

    number: int
    server: str
    transport: str
    is_open: bool
    missed: bool
    calls: list[Call]


def calls(engine: Engine, names: Sequence[str], method: str | None = None) -> list[Call]:
    """The calls to these servers, in order."""
    _catch_up(engine, names)
    with engine.clock.lock:
        found = [call for session in _sessions(engine, names) for call in session.log.calls(method)]
    return sorted(found)


def sessions(engine: Engine, names: Sequence[str]) -> list[SeenSession]:
    """The live sessions with these servers, in order."""
    _catch_up(engine, names)
    with engine.clock.lock:
        return [
            SeenSession(one.number, one.server, one.transport, one.is_open, one.missed, one.log.calls())
            for one in sorted(_sessions(engine, names), key=lambda session: session.number)
        ]


def misses(engine: Engine, names: Sequence[str]) -> list[Missed]:
    """The misses at these servers."""
    return [Missed.of(miss, engine.ways) for miss in misses_of(engine, names)]


def unplayed(engine: Engine, names: Sequence[str]) -> list[Recorded]:
    """What counts as unplayed of these servers."""
    candidates = [one for name in names for one in engine.parts[name].unplayed()]
    return [Recorded(one.request.method, one.request.params, one.path, one.line, one.played) for one in candidates]


def assert_called(made: Sequence[Call], name: str, arguments: Mapping[str, object]) -> list[Call]:
    """The calls of this name with these arguments among theirs; AssertionError where there are none."""
    found = [call for call in made if _is(call, name, arguments)]
    if not found:
        raise AssertionError(f"{_told(name, arguments)} was not called; {_listed(made)}")
    return found


def assert_not_called(made: Sequence[Call], name: str, arguments: Mapping[str, object]) -> None:
    """AssertionError where there is a call of this name with these arguments among its own."""
    found = [call for call in made if _is(call, name, arguments)]
    if found:
        times = "once" if len(found) == 1 else f"{len(found)} times"
        raise AssertionError(f"{_told(name, arguments)} was called {times}; {_listed(found)}")


def without_secrets(engine: Engine, names: Sequence[str], content: Any) -> Any:
    """What is told to others, without secrets."""
    content = veiled(content)
    for session in _sessions(engine, names):
        if session.secrets:
            content = veiled(content, session.secrets)
    return content


def _catch_up(engine: Engine, names: Sequence[str]) -> None:
    """To be called without the lock, which those who catch up may need."""
    for name in names:
        engine.parts[name].catch_up()


def _sessions(engine: Engine, names: Sequence[str]) -> list[LiveSession]:
    return [session for name in names for session in engine.parts[name].sessions]


def _is(call: Call, name: str, arguments: Mapping[str, object]) -> bool:
    if name not in (call.method, subject(call)):
        return False
    given = call.arguments if call.method in _NAMED[:2] else call.params
    return not arguments or (
        isinstance(given, dict) and all(key in given and given[key] == value for key, value in arguments.items())
    )


def subject(call: Call) -> str:
    """What a call is about: the tool, the prompt or the resource; else the empty string."""
    params: Any = call.params if isinstance(call.params, dict) else {}
    return str(params.get("uri" if call.method == "resources/read" else "name", "")) if call.method in _NAMED else ""


def _told(name: str, arguments: Mapping[str, object]) -> str:
    shown = veiled(cast("Json", dict(arguments)))
    if not isinstance(shown, dict):
        return f"{name}({shown})"
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in shown.items())})"


def _listed(made: Sequence[Call]) -> str:
    """The calls, one on a line; those about something first of all, if there are any."""
    about = [call for call in made if subject(call)] or list(made)
    if not about:
        return "nothing was called"
    lines = [f"  {_line(call)}" for call in about[:_LISTED]]
    if len(about) > _LISTED:
        lines.append(f"  and {len(about) - _LISTED} more")
    return "\n".join(["the calls were:", *lines])


def _line(call: Call) -> str:
    about = subject(call)
    words = [call.method, about] if about else [call.method]
    told = " ".join(str(veiled(word)) for word in words)
    if not about or call.method == "resources/read":
        return told
    return f"{told} {json.dumps(veiled(call.arguments), ensure_ascii=False)}"
