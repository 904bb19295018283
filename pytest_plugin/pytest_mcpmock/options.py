"""What can be set, where, and which wins: command line, environment, ini file, marker, the fixture `mcpmock_config`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

if TYPE_CHECKING:
    from mcpmock import Mode, Settings

__all__ = ["Marked", "add_options", "cassette_dir", "mode_of", "option", "read_marker"]

_MODE: Final = (
    "how cassettes are used: none (only played; the default, and forced where CI is set), once, all, passthrough"
)
_FOLDER: Final = "folder of all cassettes, instead of `cassettes` beside each test module"
_ORPHANS: Final = "cassettes that no test used are told at the end, and fail the run"
_REPORT: Final = "write what every test called, missed and left unplayed to FILE, as JSON"


def add_options(parser: pytest.Parser) -> None:
    """Options, and the same as ini keys."""
    group = parser.getgroup("mcpmock", "recorded MCP servers")
    group.addoption("--mcpmock-mode", metavar="MODE", help=_MODE)
    group.addoption("--mcpmock-cassette-dir", metavar="FOLDER", help=_FOLDER)
    # Each spelling is a flag of its own: an option whose value may be left out would swallow a path that follows it.
    for spellings, value, told in (
        (("--mcpmock-orphans", "--mcpmock-orphans=fail"), "fail", _ORPHANS),
        (("--mcpmock-orphans=tell",), "tell", "they are only told"),
        (("--mcpmock-orphans=no",), "no", "nothing is told, whatever the ini file says"),
    ):
        group.addoption(*spellings, dest="mcpmock_orphans", action="store_const", const=value, help=told)
    group.addoption("--mcpmock-report", metavar="FILE", help=_REPORT)
    orphans = "cassettes that no test used: no, tell (at the end), or fail (the run)"
    for name, told in (("mode", _MODE), ("cassette_dir", _FOLDER), ("orphans", orphans), ("report", _REPORT)):
        parser.addini(f"mcpmock_{name}", told, default=None)


def option(config: pytest.Config, name: str) -> str:
    """An option, else the ini key of that name; the empty string for neither."""
    return config.getoption(f"mcpmock_{name}") or config.getini(f"mcpmock_{name}") or ""


class Marked(NamedTuple):
    """What the markers of a test say, the nearest first: the cassette, settings, and the plugin's own arguments."""

    cassette: str | None
    settings: Settings
    cassette_dir: str
    report: str
    keeps_orphans: bool


def read_marker(item: pytest.Item) -> Marked:
    """The markers of a test, merged: for each argument the nearest one that gives it wins. Raises UsageError."""
    from mcpmock.errors import UsageError

    names: list[str] = []
    values: dict[str, Any] = {}
    for marker in item.iter_markers("mcpmock"):
        if len(marker.args) > 1:
            raise UsageError(f"@pytest.mark.mcpmock takes one cassette, not {len(marker.args)}: {marker.args!r}")
        names += map(os.fspath, marker.args)
        values = {**marker.kwargs, **values}
    own = {name: str(values.pop(name, "")) for name in ("cassette_dir", "report", "orphans")}
    _check(values, "@pytest.mark.mcpmock")
    keeps_orphans = own["orphans"] in ("no", "False")
    return Marked(names[0] if names else None, values, own["cassette_dir"], own["report"], keeps_orphans)  # type: ignore[arg-type]  # checked


def check_config(values: Settings) -> Settings:
    """What the fixture `mcpmock_config` gives. Raises UsageError."""
    _check(values, "the fixture mcpmock_config")
    return values


def _check(values: Mapping[str, Any], source: str) -> None:
    from mcpmock.mock.settings import Settings, check_settings

    check_settings(values, Settings, source)


def cassette_dir(config: pytest.Config, module: Path) -> Path:
    """The folder of the cassettes of a test module.

    1. --mcpmock-cassette-dir, from the working folder on
    2. MCPMOCK_CASSETTE_DIR, from the working folder on
    3. the ini key mcpmock_cassette_dir, from the folder of the ini file on
    4. `cassettes` beside the module
    """
    if given := config.getoption("mcpmock_cassette_dir") or os.environ.get("MCPMOCK_CASSETTE_DIR"):
        return config.invocation_params.dir / str(given)
    if given := config.getini("mcpmock_cassette_dir"):
        return (config.inipath.parent if config.inipath else config.rootpath) / str(given)
    return module.parent / "cassettes"


def mode_of(config: pytest.Config, settings: Settings) -> Mode:
    """The record mode of a test. Raises UsageError for a mode that is not there.

    1. the marker (or `mcpmock_config`), but where CI is set
    2. --mcpmock-mode
    3. MCPMOCK_MODE
    4. the ini key mcpmock_mode, but where CI is set
    5. none
    """
    from mcpmock.mock.settings import read_mode

    is_ci = bool(os.environ.get("CI"))
    marked = settings.get("mode")
    if marked and (read_mode(marked, "mode") == "none" or not is_ci):
        return read_mode(marked, "mode")
    if given := config.getoption("mcpmock_mode"):
        return read_mode(given, "--mcpmock-mode")
    if given := os.environ.get("MCPMOCK_MODE"):
        return read_mode(given, "MCPMOCK_MODE")
    if given := config.getini("mcpmock_mode"):
        mode = read_mode(given, "mcpmock_mode in the ini file")
        return "none" if is_ci else mode
    return "none"
