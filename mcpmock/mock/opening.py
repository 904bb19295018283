"""Ways to get a mock: from a cassette that is there, or from a real server that is recorded first."""

from __future__ import annotations

import os
from typing import Unpack

from mcpmock.errors import UsageError
from mcpmock.matching.ways import Ways
from mcpmock.mock.engine import WAYS, Engine
from mcpmock.mock.server import MockServer
from mcpmock.mock.settings import Playing, Settings, check_settings, read_mode

__all__ = ["open_mock", "replay", "use_cassette"]


def replay(cassette: str | os.PathLike[str], **settings: Unpack[Playing]) -> MockServer:
    """The servers of a cassette, played in this process; `Playing` tells the settings.

        with mcpmock.replay("weather.yaml") as server:
            agent = Agent(server.config)

    Raises CassetteNotFoundError, CassetteError, and UsageError for a setting that makes no sense. Call `close` where it
    is not used as a context manager, with or without `async`.
    """
    check_settings(settings, Playing, "replay()")
    return use_cassette(cassette, **settings)


def use_cassette(cassette: str | os.PathLike[str], **settings: Unpack[Settings]) -> MockServer:
    """A cassette by record mode: played as by `replay`, or recorded first; `Settings` tells the modes.

    Raises what `replay` raises, and UsageError where a mode needs a `command` and there is none.
    """
    check_settings(settings, Settings, "use_cassette()")
    return open_mock(cassette, settings, WAYS)


def open_mock(cassette: str | os.PathLike[str], settings: Settings, ways: Ways) -> MockServer:
    """The mock for settings that have been checked; `ways` says in whose words it fails."""
    mode = read_mode(settings.get("mode", "none"), "mode")
    if mode != "none":
        raise UsageError(f"mode {mode!r} is planned, not there yet: record with `mcpmock record`")
    engine = Engine(os.fspath(cassette), settings, ways)
    return MockServer(engine, tuple(engine.parts))
