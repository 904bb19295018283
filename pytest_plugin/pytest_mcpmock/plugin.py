"""Options, hooks and fixtures. What they do is in the modules beside this one, which are imported when it is done."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from mcpmock import MockServer, Settings
    from pytest_mcpmock.factory import MockFactory
    from pytest_mcpmock.state import State

STATE: pytest.StashKey[State] = pytest.StashKey()
"""What the plugin knows of this run; there from the first fixture on."""

ASKING: list[Asker] = []
"""Who may ask for a mock just now: the fixtures that are being set up, the innermost last, or the test that runs."""

MARKER = (
    "mcpmock(cassette, *, mode, command, server, order, ignore, allow_unplayed, ...): "
    "the cassette that the fixture mcp_mock plays, and how"
)


class Asker(NamedTuple):
    """A fixture that is being set up (`function` is its function), or a test that runs (`item`)."""

    request: pytest.FixtureRequest
    item: pytest.Item | None = None
    function: Callable[..., Any] | None = None


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, and the same as ini keys."""
    from pytest_mcpmock.options import add_options

    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """The marker is known to --strict-markers; nothing else happens here."""
    config.addinivalue_line("markers", MARKER)


# -- fixtures


@pytest.fixture
def mcp_mock(
    request: pytest.FixtureRequest, mcpmock_config: Settings, mcpmock_cassette_dir: str | Path
) -> Iterator[MockServer]:
    """A recorded MCP server, from the cassette that the marker `mcpmock` names, or that is named after the test."""
    from pytest_mcpmock.opening import open_for_test

    yield from open_for_test(request, mcpmock_config, mcpmock_cassette_dir)


@pytest.fixture(scope="session")
def mcpmock_config() -> Settings:
    """Settings for all tests that see this fixture; override it in a module or a conftest. A marker wins over it."""
    return {}


@pytest.fixture(scope="module")
def mcpmock_cassette_dir(request: pytest.FixtureRequest) -> str | Path:
    """The folder of the cassettes: `cassettes` beside the test module, or what --mcpmock-cassette-dir says."""
    from pytest_mcpmock.options import cassette_dir

    return cassette_dir(request.config, request.path)


@pytest.fixture(scope="session")
def mcpmock_factory(request: pytest.FixtureRequest) -> MockFactory:
    """Opens mocks: `mcpmock_factory("x.yaml", server="github")`. Each is closed with the fixture or test that asked."""
    from pytest_mcpmock.factory import MockFactory

    return MockFactory(request.config)


# -- a test fails by itself where its client strays from the recording


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    """What a client misses while its fixture is set up is told beside the error that this may lead to."""
    try:
        return (yield)
    except BaseException as error:
        if STATE in item.config.stash:
            item.config.stash[STATE].verdict.note_failure(item, error, "setup")
        raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Fails the test after its body, unless that has failed already; then what happened is told beside that."""
    if STATE in item.config.stash:
        item.config.stash[STATE].ran.add(item.nodeid)
    depth = len(ASKING)
    request = getattr(item, "_request", None)  # there is no public way to it; pytest-asyncio goes it too
    if request is not None:
        ASKING.append(Asker(request, item))
    try:
        result = yield
    except BaseException as error:
        if STATE in item.config.stash:
            item.config.stash[STATE].verdict.note_failure(item, error, "call")
        raise
    finally:
        del ASKING[depth:]
    if STATE in item.config.stash:
        item.config.stash[STATE].verdict.judge(item)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure of ours that came only with the teardown is marked, to be told as a failure and not as an error."""
    report = yield
    if report.when == "teardown" and report.failed and STATE in item.config.stash:
        item.config.stash[STATE].verdict.mark(call, report)
    return report


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """As a failure it counts."""
    return ("failed", "F", "FAILED") if getattr(report, "mcpmock_failure", False) else None


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, Any, Any]:
    """While a fixture is set up, it is the one that asks for mocks."""
    ASKING.append(Asker(request, function=fixturedef.func))
    try:
        return (yield)
    finally:
        ASKING.pop()


# -- the whole run


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Who looks for orphans must know all tests, those that will be deselected too."""
    if config.getoption("mcpmock_orphans") or config.getini("mcpmock_orphans"):
        from pytest_mcpmock.run import collect

        collect(config, items)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A worker of xdist has ended."""
    from pytest_mcpmock.run import hear_from_worker

    hear_from_worker(node.config, getattr(node, "workeroutput", None))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Writes the report, looks for orphans; a worker of xdist passes what it has seen on to who started it."""
    from pytest_mcpmock.options import option

    if STATE in session.config.stash or option(session.config, "orphans") or option(session.config, "report"):
        from pytest_mcpmock.run import finish

        finish(session)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Names the orphans."""
    if STATE in terminalreporter.config.stash:
        from pytest_mcpmock.run import summarize

        summarize(terminalreporter)
