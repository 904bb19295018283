"""Ways to get a mock: from a cassette that is there, or from a real server that is recorded first."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Unpack

from mcpmock.errors import UsageError
from mcpmock.matching.ways import Ways, ways_in_python
from mcpmock.mock.engine import Engine, absolute
from mcpmock.mock.part import Clock, Part
from mcpmock.mock.played import PlayedPart
from mcpmock.mock.server import MockServer
from mcpmock.mock.settings import (
    Mode,
    Playing,
    Settings,
    check_settings,
    headers_in,
    options_from,
    pointers_in,
    read_mode,
    rules_in,
    variables_in,
)
from mcpmock.mock.shelf import SHELF, Want, mistyped, shown_path
from mcpmock.session.recording.naming import name_from_command
from mcpmock.session.story import listed_servers

if TYPE_CHECKING:
    from mcpmock.keeping import Keeping
    from mcpmock.mock.takes import Take
    from mcpmock.transports.http.asgi import ASGIApp

__all__ = ["asgi_app", "open_mock", "record", "replay", "use_cassette"]

WAYS: Final = ways_in_python("replay(…, {})")
"""What to type next, for who calls these functions."""


def replay(cassette: str | os.PathLike[str], **settings: Unpack[Playing]) -> MockServer:
    """The servers of a cassette, played in this process; `Playing` tells the settings.

        with mcpmock.replay("weather.yaml") as server:
            agent = Agent(server.config)

    Raises CassetteNotFoundError, CassetteError, and UsageError for a setting that makes no sense. Call `close` where it
    is not used as a context manager, with or without `async`.
    """
    check_settings(settings, Playing, "replay()")
    return open_mock(cassette, {**settings, "mode": "none"}, WAYS)  # type: ignore[typeddict-item]  # mypy sees no base


def asgi_app(cassette: str | os.PathLike[str], **settings: Unpack[Playing]) -> ASGIApp:
    """A server of a cassette as an ASGI application, over Streamable HTTP and HTTP+SSE; raises like `replay`.

        app.mount("/weather", mcpmock.asgi_app("weather.yaml"))

    Streams are held open: uvicorn waits for them when it is to stop, unless `timeout_graceful_shutdown` bounds that.
    `GET …/__mcpmock/report` tells what its clients have missed. In tests `replay(…).asgi` is the better way: it fails.
    """
    check_settings(settings, Playing, "asgi_app()")
    return open_mock(cassette, {**settings, "mode": "none"}, WAYS).asgi  # type: ignore[typeddict-item]  # as above


def record(
    cassette: str | os.PathLike[str],
    command: Sequence[str] | str,
    *,
    server: str = "",
    headers: Mapping[str, str] = {},
    redact: str | Sequence[str] = (),
    before_record: Callable[[dict[str, Any]], dict[str, Any] | None] | None = None,
) -> MockServer:
    """A real server, which `command` starts for each client, recorded; `server` is its name in the cassette.

        with mcpmock.record("weather.yaml", ["uvx", "weather-server"]) as server:
            agent = Agent(server.config)

    Instead of the command it may be the URL of a server that runs already: then clients are given `server.url`, and
    `headers` are sent with every request and never stored.

    At the end of the block the recording takes the place of the cassette; after an exception it is kept beside it as
    `weather.failed.yaml`. Where it is not used as a context manager, call `close`. `redact` and `before_record` say
    what else is not to be kept, see `Settings`. Raises UsageError.
    """
    settings: Settings = {"mode": "all", "server": server, "redact": redact}
    if isinstance(command, str) and len(command.split()) < 2:  # a URL has no blanks; a whole command line is refused
        settings = {**settings, "url": command, "headers": headers}
    else:
        settings["command"] = command
    if before_record is not None:
        settings["before_record"] = before_record
    check_settings(settings, Settings, "record()")
    return open_mock(cassette, settings, WAYS)


def use_cassette(cassette: str | os.PathLike[str], **settings: Unpack[Settings]) -> MockServer:
    """A cassette by record mode: played as by `replay`, or recorded as by `record`; `Settings` tells the modes.

    Raises what those raise, and UsageError where a mode needs a `command` and there is none.
    """
    check_settings(settings, Settings, "use_cassette()")
    return open_mock(cassette, settings, WAYS)


def open_mock(cassette: str | os.PathLike[str], settings: Settings, ways: Ways, *, run: str = "") -> MockServer:
    """The mock for settings that have been checked; `ways` says in whose words it fails, `run` names the run of tests
    whose recordings belong together."""
    path = absolute(cassette)
    mode = read_mode(settings.get("mode", "none"), "mode")
    clock = Clock()
    if mode == "none" or (mode == "once" and os.path.exists(path)):
        parts = _played_parts(path, settings, ways, clock)
        return MockServer(Engine(path, settings, ways, parts, clock), tuple(parts))
    return _open_real(path, settings, ways, mode, run)


def _open_real(path: str, settings: Settings, ways: Ways, mode: Mode, run: str) -> MockServer:
    from mcpmock.mock.takes import Take

    if mode == "new_episodes":
        raise UsageError("mode 'new_episodes' is planned, not there yet; 'all' records everything anew")
    command, url = settings.get("command", ()), settings.get("url", "")
    if not command and not url:
        wanted = "the server's command, as command=['npx', '-y', …], or its URL, as url='https://…'"
        raise UsageError(f"{shown_path(path)}: mode {mode!r} needs {wanted}{mistyped(path, mode)}")
    if command and url:
        raise UsageError(
            f"{shown_path(path)}: command= starts a server, url= names one that runs; leave one of them out"
        )
    clock = Clock()
    take = None if mode == "passthrough" else Take(path, run)
    try:
        part = _real_part(take, settings, clock)
    except BaseException:  # whatever ends us: nothing half recorded stays behind, and the error goes on
        if take is not None:
            take.discard()
        raise
    engine = Engine(path, settings, ways, {part.name: part}, clock)
    engine.take = take
    return MockServer(engine, (part.name,))


def _real_part(take: Take | None, settings: Settings, clock: Clock) -> Part:
    from mcpmock.mock.real import RealPart

    if settings.get("url"):
        return _url_part(take, settings, clock)
    if take is None:
        return RealPart(_name(settings), settings["command"], clock)
    return _recorded_part(take, _name(settings), settings, clock)


def _name(settings: Settings) -> str:
    """What the recording of a command will call the server."""
    return settings.get("server") or name_from_command(settings["command"])


def _url_part(take: Take | None, settings: Settings, clock: Clock) -> Part:
    from mcpmock.mock.real_url import UrlPart
    from mcpmock.recording_http import HttpRecordRequest, relaying_for

    keeping = _keeping(take, settings.get("server", ""), settings)
    before_record = settings.get("before_record")
    request = HttpRecordRequest(keeping, settings["url"], headers=headers_in(settings), before_record=before_record)
    name = keeping.server or relaying_for(request).changes.upstream.host
    return UrlPart(name, request, clock, records=take is not None)


def _recorded_part(take: Take, name: str, settings: Settings, clock: Clock) -> Part:
    from mcpmock.mock.real import RealPart, recorder_command

    keeping, command = _keeping(take, name, settings), settings["command"]
    keeping.check_rules()
    before_record = settings.get("before_record")
    if before_record is None:
        return RealPart(name, recorder_command(keeping, command), clock)
    from mcpmock.mock.own_recording import OwnRecording, OwnRecordingPart

    return OwnRecordingPart(name, command, clock, OwnRecording(keeping, before_record))


def _keeping(take: Take | None, server: str, settings: Settings) -> Keeping:
    """How such a server is recorded; without a take, it is not."""
    from mcpmock.keeping import Keeping

    path, run = (take.path, take.run) if take else ("", "")
    return Keeping(path, server, run, redact=rules_in(settings), vars=variables_in(settings))


def _played_parts(path: str, settings: Settings, ways: Ways, clock: Clock) -> dict[str, Part]:
    options = options_from(settings)._replace(ways=ways)
    session, ignore = settings.get("session", 0), pointers_in(settings)
    raises = settings.get("raise_on_miss", False)
    return {
        name: PlayedPart(name, SHELF.library(path, Want(name, session, ignore)), options, clock, raises=raises)
        for name in _choose_servers(path, settings.get("server"))
    }


def _choose_servers(path: str, wanted: str | None) -> list[str]:
    names = SHELF.servers(path)
    if wanted is None:
        return names or [""]
    if wanted not in names:
        raise UsageError(f"{shown_path(path)}: no server {wanted!r} here; it holds {listed_servers(names)}")
    return [wanted]
