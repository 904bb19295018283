"""mcpmock: record a real session of the Model Context Protocol once, replay it for ever.

    with mcpmock.replay("weather.yaml") as server:
        agent = Agent(server.config)
        ...
        server.assert_called("forecast", city="Oslo")

With pytest, ask for the fixture `mcp_mock`. The public names are listed below, each with the module that it comes from;
that is imported when the name is first used.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpmock.errors import CassetteError as CassetteError
    from mcpmock.errors import CassetteNotFoundError as CassetteNotFoundError
    from mcpmock.errors import CommandError as CommandError
    from mcpmock.errors import McpmockError as McpmockError
    from mcpmock.errors import MockFailure as MockFailure
    from mcpmock.errors import UsageError as UsageError
    from mcpmock.mock.engine import Config as Config
    from mcpmock.mock.engine import StdioParameters as StdioParameters
    from mcpmock.mock.failing import Missed as Missed
    from mcpmock.mock.http import HttpConfig as HttpConfig
    from mcpmock.mock.http import HttpParameters as HttpParameters
    from mcpmock.mock.log import Call as Call
    from mcpmock.mock.looking import SeenSession as SeenSession
    from mcpmock.mock.opening import asgi_app as asgi_app
    from mcpmock.mock.opening import record as record
    from mcpmock.mock.opening import replay as replay
    from mcpmock.mock.opening import use_cassette as use_cassette
    from mcpmock.mock.part import Recorded as Recorded
    from mcpmock.mock.server import MockServer as MockServer
    from mcpmock.mock.settings import Mode as Mode
    from mcpmock.mock.settings import Playing as Playing
    from mcpmock.mock.settings import Settings as Settings

__version__ = "0.1.0"

_HOMES = {
    "Call": "mcpmock.mock.log",
    "CassetteError": "mcpmock.errors",
    "CassetteNotFoundError": "mcpmock.errors",
    "CommandError": "mcpmock.errors",
    "Config": "mcpmock.mock.engine",
    "HttpConfig": "mcpmock.mock.http",
    "HttpParameters": "mcpmock.mock.http",
    "McpmockError": "mcpmock.errors",
    "Missed": "mcpmock.mock.failing",
    "MockFailure": "mcpmock.errors",
    "MockServer": "mcpmock.mock.server",
    "Mode": "mcpmock.mock.settings",
    "Playing": "mcpmock.mock.settings",
    "Recorded": "mcpmock.mock.part",
    "SeenSession": "mcpmock.mock.looking",
    "Settings": "mcpmock.mock.settings",
    "StdioParameters": "mcpmock.mock.engine",
    "UsageError": "mcpmock.errors",
    "asgi_app": "mcpmock.mock.opening",
    "record": "mcpmock.mock.opening",
    "replay": "mcpmock.mock.opening",
    "use_cassette": "mcpmock.mock.opening",
}

__all__ = [
    "Call",
    "CassetteError",
    "CassetteNotFoundError",
    "CommandError",
    "Config",
    "HttpConfig",
    "HttpParameters",
    "McpmockError",
    "Missed",
    "MockFailure",
    "MockServer",
    "Mode",
    "Playing",
    "Recorded",
    "SeenSession",
    "Settings",
    "StdioParameters",
    "UsageError",
    "__version__",
    "asgi_app",
    "record",
    "replay",
    "use_cassette",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value: object = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
