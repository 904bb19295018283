"""Cassettes that no test used. What a part of the tests cannot tell is not told.

After a run of all tests every cassette in their folders is judged. After a run of some, only the folders that belong
to modules of which every test was found; a test that was found and not run counts as using the cassette that its
marker or its name says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_mcpmock.names import cassette_path, module_folder
from pytest_mcpmock.options import cassette_dir, read_marker

__all__ = ["Collected", "find_orphans"]

_FIXTURES = frozenset(("mcp_mock", "mcpmock_factory"))
_SUFFIXES = (".yaml", ".yml")


class Collected(NamedTuple):
    """What the tests say before they are run.

    expected  the cassettes that they would use
    folders   the folders of their cassettes
    modules   of each test module: the folder that is its own, and its tests that choose cassettes as they run
    kept      folders in which nothing is judged
    is_whole  whether all tests of the project were looked for
    """

    expected: set[str]
    folders: set[str]
    modules: dict[str, tuple[str, list[str]]]
    kept: set[str]
    is_whole: bool

    @classmethod
    def of(cls, config: pytest.Config, items: Sequence[pytest.Item]) -> Collected:
        """What these tests say."""
        found = cls(set(), set(), {}, set(), _looks_for_all(config))
        for item in items:
            if _FIXTURES & set(getattr(item, "fixturenames", ())):
                found.add(config, item)
        return found

    def add(self, config: pytest.Config, item: pytest.Item) -> None:
        """One test that uses a mock."""
        from mcpmock.errors import UsageError

        try:
            marked = read_marker(item)
        except UsageError:
            return  # the test will say so
        folder = item.path.parent / (marked.cassette_dir or cassette_dir(config, item.path))
        self.folders.add(str(folder))
        if marked.keeps_orphans:
            self.kept.add(str(folder / module_folder(item, folder)))
        _, dynamic = self.modules.setdefault(str(item.path), (str(folder / module_folder(item, folder)), []))
        if "mcpmock_factory" in getattr(item, "fixturenames", ()):
            dynamic.append(item.nodeid)
        if "mcp_mock" in getattr(item, "fixturenames", ()):
            self.expected.add(str(cassette_path(item, folder, marked.cassette)))

    def to_json(self) -> dict[str, Any]:
        """For the way from a worker."""
        return {
            "expected": sorted(self.expected),
            "folders": sorted(self.folders),
            "modules": self.modules,
            "kept": sorted(self.kept),
            "is_whole": self.is_whole,
        }


def find_orphans(session: pytest.Session, told: Sequence[dict[str, Any] | None]) -> list[str]:
    """The cassettes that no test used, as far as can be told; `told` is what each process knows."""
    collected = [part["collected"] for part in told if part and part["collected"]]
    if session.exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) or not collected:
        return []
    ran = {test for part in told if part for test in part["ran"]}
    used = {path for part in told if part for path in part["used"]}
    used |= {path for one in collected for path in one["expected"]}
    kept = {Path(folder) for one in collected for folder in one["kept"]}
    dynamic = {test for one in collected for _, tests in one["modules"].values() for test in tests}
    is_sure = None not in told and dynamic <= ran and not (dynamic and session.testsfailed)
    if is_sure and _is_whole(session, collected):
        folders = {folder for one in collected for folder in one["folders"]}
    else:
        folders = set(_own_folders(session.config, collected))
    found = {path for folder in folders for path in _cassettes(Path(folder))}
    orphans = {path for path in found if str(path) not in used and not kept & set(path.parents)}
    return sorted(_shown(session.config, path) for path in orphans)


def _is_whole(session: pytest.Session, collected: Sequence[dict[str, Any]]) -> bool:
    return all(one["is_whole"] for one in collected) and not session.shouldstop and not session.shouldfail


def _own_folders(config: pytest.Config, collected: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The folders of modules of which every test is known, and what it uses."""
    for one in collected:
        for module, (folder, dynamic) in one["modules"].items():
            if not dynamic and not _is_cut(config, module):
                yield folder


def _looks_for_all(config: pytest.Config) -> bool:
    """Whether the command line leaves nothing out before tests are collected."""
    narrowing = ("lf", "stepwise", "ignore", "ignore_glob")
    if any(config.getoption(name, None) for name in narrowing):
        return False
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        return True
    here = config.invocation_params.dir
    given = [here / argument for argument in config.args if "::" not in argument]
    wanted = [config.rootpath / path for path in config.getini("testpaths")] or [config.rootpath]
    return all(any(path.is_relative_to(one) for one in given) for path in wanted)


def _is_cut(config: pytest.Config, module: str) -> bool:
    """Whether the command line names single tests of a module."""
    here = config.invocation_params.dir
    return any("::" in one and str(here / one.split("::")[0]) == module for one in config.args)


def _cassettes(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.suffix in _SUFFIXES and not path.stem.endswith(".failed"):
            yield path


def _shown(config: pytest.Config, path: Path) -> str:
    return str(path.relative_to(config.rootpath) if path.is_relative_to(config.rootpath) else path)
