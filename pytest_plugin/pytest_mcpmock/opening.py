"""Opens the mock of a test, and closes it with the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mcpmock.names import cassette_path
from pytest_mcpmock.options import check_config, mode_of, read_marker
from pytest_mcpmock.state import state_of
from pytest_mcpmock.verdict import OpenMock

if TYPE_CHECKING:
    from mcpmock import MockServer, Settings

__all__ = ["open_for_test", "open_mock"]


def open_for_test(request: pytest.FixtureRequest, config: Settings, cassette_dir: str | Path) -> Iterator[MockServer]:
    """The body of the fixture `mcp_mock`."""
    from mcpmock.errors import McpmockError

    item = request.node
    try:
        marked = read_marker(item)
        settings: Settings = {**check_config(config), **marked.settings}
        folder = item.path.parent / (marked.cassette_dir or cassette_dir)
        mock = open_mock(request.config, cassette_path(item, folder, marked.cassette), settings, item)
    except McpmockError as error:
        pytest.fail(str(error), pytrace=False)
    try:
        yield mock.server
    finally:
        mock.server.close()
    state_of(request.config).verdict.closed(mock)


def open_mock(config: pytest.Config, cassette: Path, settings: Settings, item: pytest.Item | None) -> OpenMock:
    """Opens a mock and puts it before the judge. Raises McpmockError."""
    from mcpmock.mock.opening import use_cassette

    state = state_of(config)
    state.used.add(str(cassette))
    chosen: Settings = {**settings, "mode": mode_of(config, settings)}
    server = use_cassette(cassette, **chosen)
    counts_unplayed = not settings.get("allow_unplayed", item is None)
    mock = OpenMock(server, item, counts_unplayed=counts_unplayed)
    state.verdict.opened(mock)
    return mock
