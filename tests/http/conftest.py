"""The ways in which a replay is reached over HTTP: in process under both event loops, and through a port."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["in process", "in process, trio", "url"])
def way(request: pytest.FixtureRequest) -> str:
    """How a client reaches the server, and in which event loop it runs."""
    return str(request.param)


@pytest.fixture
def anyio_backend(way: str) -> str:
    """The event loop of the client."""
    return "trio" if way.endswith("trio") else "asyncio"


@pytest.fixture
def over(way: str) -> str:
    """Without a socket, or through one."""
    return way.partition(",")[0]
