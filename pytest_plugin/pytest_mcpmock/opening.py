"""Opens the mock of a test, and closes it with the test."""

from __future__ import annotations

import difflib
import shlex
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
    from mcpmock.matching.ways import Ways

__all__ = ["close_mock", "open_for_test", "open_mock"]


def open_for_test(request: pytest.FixtureRequest, config: Settings, cassette_dir: str | Path) -> Iterator[MockServer]:
    """The body of the fixture `mcp_mock`."""
    from mcpmock.errors import McpmockError

    item = request.node
    problem = ""
    try:
        marked = read_marker(item)
        settings: Settings = {**check_config(config), **marked.settings}
        folder = item.path.parent / (marked.cassette_dir or cassette_dir)
        mock = open_mock(request.config, cassette_path(item, folder, marked.cassette), settings, item)
    except McpmockError as error:
        problem = str(error)
    if problem:
        pytest.fail(problem, pytrace=False)  # out here, because pytest would tell it twice
    try:
        yield mock.server
    finally:
        close_mock(request.config, mock, item.nodeid, marked.report)


def open_mock(config: pytest.Config, cassette: Path, settings: Settings, item: pytest.Item | None) -> OpenMock:
    """Opens a mock and puts it before the judge. Raises McpmockError."""
    from mcpmock.errors import CassetteNotFoundError
    from mcpmock.mock import opening

    state = state_of(config)
    state.used.add(str(cassette))
    has_command = "command" in settings or "url" in settings
    chosen: Settings = {**settings, "mode": mode_of(config, settings)}
    try:
        server = opening.open_mock(cassette, chosen, _ways(item, has_command=has_command), run=state.run)
    except CassetteNotFoundError as error:
        hint = _how_to_record(cassette, error, item, has_command=has_command)
        raise CassetteNotFoundError(error.path, hint=hint) from None
    mock = OpenMock(server, item, counts_unplayed=not settings.get("allow_unplayed", item is None))
    state.verdict.opened(mock)
    return mock


def close_mock(config: pytest.Config, mock: OpenMock, asker: str, report: str = "") -> None:
    """Closes a mock with who asked for it, and has it judged. Fails where something came up since the last time."""
    from pytest_mcpmock.options import option
    from pytest_mcpmock.run import report_of, write_json

    state = state_of(config)
    mock.close()
    if report or option(config, "report"):
        seen = report_of(mock.server, asker)
        state.reports.append(seen)
        if report:
            write_json(config.invocation_params.dir / report, seen)
    state.verdict.closed(mock)


def _ways(item: pytest.Item | None, *, has_command: bool) -> Ways:
    """What to type next: in the marker where there is one, else in the call of the factory."""
    from mcpmock.matching.ways import COMMAND_LINE, ways_in_python

    record = f"pytest --mcpmock-mode=all {_typed(item)}".rstrip() if has_command else COMMAND_LINE.record
    is_factory = item is None or "mcp_mock" not in getattr(item, "fixturenames", ())
    if is_factory:
        return ways_in_python("mcpmock_factory(…, {})", record)
    return ways_in_python("@pytest.mark.mcpmock({})", record, mock="mcp_mock")


def _how_to_record(cassette: Path, error: Exception, item: pytest.Item | None, *, has_command: bool) -> str:
    """How the cassette that is not there can be made, or which one may have been meant."""
    hint = str(getattr(error, "hint", ""))
    if "salvage" in hint:
        return hint
    once = f"pytest --mcpmock-mode=once {_typed(item)}".rstrip()
    if has_command:
        lines = [f"record it: {once}"]
    else:
        lines = [
            'record it: name the server, as in @pytest.mark.mcpmock(command=["npx", "-y", "some-server"]), then',
            f"           {once}",
            f"or:        mcpmock record -o {shlex.quote(str(getattr(error, 'path', cassette)))} -- COMMAND...",
        ]
    return "\n  ".join([*_meant(cassette, item), *lines])


def _meant(cassette: Path, item: pytest.Item | None) -> list[str]:
    """The cassette that may have been meant by a name that somebody wrote."""
    if item is not None and cassette.name == cassette_path(item, cassette.parent, None).name:
        return []  # named after the test: those of its neighbours are others
    beside = {
        path.stem: path.name for path in sorted(cassette.parent.glob("*.y*ml")) if path.suffixes[-2:-1] != [".failed"]
    }
    near = difflib.get_close_matches(cassette.stem, beside, 1)
    return [f"did you mean {beside[stem]}?" for stem in near]


def _typed(item: pytest.Item | None) -> str:
    return shlex.quote(item.nodeid) if item is not None else ""
