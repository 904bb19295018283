"""Ways to get a mock: from a cassette that is there, or from a real server that is recorded first."""

from __future__ import annotations

import os
from typing import Unpack

from mcpmock.errors import UsageError
from mcpmock.mock.engine import Engine
from mcpmock.mock.server import MockServer
from mcpmock.mock.settings import Playing, Settings, check_settings, read_mode

__all__ = ["replay", "use_cassette"]


def replay(cassette: str | os.PathLike[str], **settings: Unpack[Playing]) -> MockServer:
    """The servers of a cassette, played in this process; `Playing` tells the settings.

        with mcpmock.replay("weather.yaml") as server:
            agent = Agent(server.config)

    Raises CassetteNotFoundError, CassetteError, and UsageError for a setting that makes no sense. Call `close` where it
    is not used as a context manager, with or without `async`.
    """
    check_settings(settings, Playing, "replay()")
    engine = Engine(os.fspath(cassette), settings)
    return MockServer(engine, tuple(engine.parts))


def use_cassette(cassette: str | os.PathLike[str], **settings: Unpack[Settings]) -> MockServer:
    """A cassette by record mode: played as by `replay`, or recorded first; `Settings` tells the modes.

    Raises what `replay` raises, and UsageError where a mode needs a `command` and there is none.
    """
    check_settings(settings, Settings, "use_cassette()")
    mode = read_mode(settings.get("mode", "none"), "use_cassette()")
    if mode != "none":
        raise UsageError(f"mode {mode!r} is planned, not there yet: record with `mcpmock record`")
    engine = Engine(os.fspath(cassette), settings)
    return MockServer(engine, tuple(engine.parts))
