"""Ways to get a mock: from a cassette that is there, or from a real server that is recorded first."""

from __future__ import annotations

import os
from typing import Unpack

from mcpmock.mock.engine import Engine
from mcpmock.mock.server import MockServer
from mcpmock.mock.settings import Playing, check_settings

__all__ = ["replay"]


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
