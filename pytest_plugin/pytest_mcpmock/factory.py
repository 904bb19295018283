"""Mocks on demand, for fixtures of any scope and for several in one test."""

from __future__ import annotations

import inspect
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import pytest

from pytest_mcpmock.opening import close_mock, open_mock
from pytest_mcpmock.options import cassette_dir, check_config
from pytest_mcpmock.plugin import ASKING, Asker

if TYPE_CHECKING:
    from mcpmock import MockServer, Settings

__all__ = ["MockFactory"]

_WIDE = ("package", "session")


class MockFactory:
    """Opens mocks: `mcpmock_factory("x.yaml", server="github", order="sequence")`.

    The settings are those of the marker. A mock is closed with the fixture that asked for it, or with the test. One
    that serves several tests fails for what was never played only with `allow_unplayed=False`: nobody knows which
    of the tests are run.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def __call__(self, cassette: str | PathLike[str], **settings: Unpack[Settings]) -> MockServer:
        """Raises CassetteNotFoundError, CassetteError and UsageError. A relative path begins at the folder of the
        cassettes: that of the test module, or of the file in which a session's fixture stands."""
        asker = ASKING[-1]
        config: Settings = check_config(_fixture(asker, "mcpmock_config"))
        mock = open_mock(self._config, self._folder(asker) / cassette, {**config, **settings}, _test_of(asker))

        def close() -> None:
            close_mock(self._config, mock, asker.request.node.nodeid)

        (asker.item or asker.request).addfinalizer(close)
        return mock.server

    def _folder(self, asker: Asker) -> Path:
        if asker.request.scope not in _WIDE:
            return asker.request.path.parent / Path(_fixture(asker, "mcpmock_cassette_dir"))
        assert asker.function is not None
        return cassette_dir(self._config, Path(inspect.unwrap(asker.function).__code__.co_filename))


def _fixture(asker: Asker, name: str) -> Any:
    return asker.request.getfixturevalue(name)


def _test_of(asker: Asker) -> pytest.Item | None:
    """The test that asks, or for which a fixture of function scope does; None for fixtures of several tests."""
    return asker.request.node if asker.request.scope == "function" else None
