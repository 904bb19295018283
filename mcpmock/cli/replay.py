"""`mcpmock replay`: its options are one small table, turned into a click command only for `--help` and errors.

A replay is started once per session, and click alone would cost as much time as all the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mcpmock.errors import UsageError
from mcpmock.replaying import ReplayRequest, folders_here, replay_stdio
from mcpmock.session.playing.live import ANSWER_TIMEOUT, Options
from mcpmock.session.playing.order import ORDERS

if TYPE_CHECKING:
    import click

__all__ = ["OPTIONS", "Option", "click_command", "main", "read_options"]


class Option(NamedTuple):
    """One row: the flag without its dashes, what it is for, and how its value is read.

    A `kind` of `bool` takes no value; any other raises ValueError, with what is wanted, for a value that is none.
    """

    name: str
    help: str
    kind: Callable[[str], Any] = str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    is_repeatable: bool = False


def _number(text: str) -> int:
    if text.isdecimal() and int(text) >= 1:
        return int(text)
    raise ValueError(f"{text!r} is not a whole number from 1.")


def _variable(text: str) -> tuple[str, str]:
    from mcpmock.folders import read_variable

    return read_variable(text)


def _folder(text: str) -> str:
    if not text:
        raise ValueError("this is empty; name a folder.")
    return text


def _factor(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if 0 <= value < _FOR_EVER:
        return value
    raise ValueError(f"{text!r} is not a number from 0.")


def _port(text: str) -> int:
    if text.isdecimal() and int(text) <= _LAST_PORT:
        return int(text)
    raise ValueError(f"{text!r} is no port: a whole number up to {_LAST_PORT}, 0 for a free one.")


_FOR_EVER: Final = 1e9
_LAST_PORT: Final = 65535

OPTIONS: Final = (
    Option("server", "Which of the cassette's servers to be; needed when it holds several.", metavar="NAME"),
    Option("session", "Play the N-th recorded session of the server, from 1.", _number, "N"),
    Option("state", "Folder in which replay processes of one test share what was played.", _folder, "DIR"),
    Option("order", "Which of several equal requests is played (default: stateful, reads as the writes before them "
           "left things; sequence: one after the other; strict: nothing but the recorded order; any: the likest, "
           "as often as it is asked for).", choices=ORDERS),
    Option("allow-playback-repeats", "Let everything repeat its last answer.", bool),
    Option("ignore", "JSON pointer into the params that does not count, as /arguments/at. Repeatable.",
           metavar="POINTER", is_repeatable=True),
    Option("var", "What the variable ~var.NAME~ stands for here; else it is what the client sends first in its place, "
           "or this machine's own folder. Repeatable.", _variable, "NAME=VALUE", is_repeatable=True),
    Option("delays", "Keep the recorded delays, times FACTOR (default: 0, none).", _factor, "FACTOR"),
    Option("answer-timeout", "Wait so many SECONDS for the client's answer to a question (default: 30; 0: for ever).",
           _factor, "SECONDS"),
    Option("echo-version", "Agree on the version that the client asks for; what that does not know is left out.", bool),
    Option("noise", "Play recorded noise on stdout and stderr too.", bool),
    Option("fail-unplayed", "Exit with 3 when something recorded was not played.", bool),
    Option("report", "Write calls, misses and what was left to FILE, as JSON.", metavar="FILE"),
    Option("port", "Serve over HTTP on this port, 0 for a free one; the URLs are printed once it can be reached.",
           _port, "N"),
    Option("host", "Listen at this address (default: 127.0.0.1). Needs --port.", metavar="ADDRESS"),
    Option("allow-origin", "Let web pages of this origin in, as https://app.example, or * for all. Repeatable. Needs "
           "--port.", metavar="ORIGIN", is_repeatable=True),
    Option("strict-http", "Refuse requests that are not as the specification wants them: Accept (406), Content-Type "
           "(415), another path than the recorded one (404). Needs --port.", bool),
)  # fmt: skip
"""All options of `mcpmock replay`."""

EPILOG: Final = """\
\b
Example, in a host's configuration:
  {"mcpServers": {"weather": {"command": "mcpmock", "args": ["replay", "weather.yaml"]}}}

\b
With --port, stdout tells two URLs, one in a line: that of Streamable HTTP, and that of HTTP+SSE (2024-11-05).
Ctrl-C or SIGTERM ends it. For clients in other languages:
  GET  /__mcpmock/report   the last calls (a thousand at least), misses and what was left, as JSON
  POST /__mcpmock/reset    everything is played as at first
  /mcp/s/NAME              a session of its own, without a session id

\b
Exit codes:
  0 good   1 error   2 usage   3 a request missed (or, with --fail-unplayed, something was left)
  4 broken cassette; where the recorded server left before its client, its own code or signal
"""


def main(arguments: Sequence[str]) -> int:
    """Runs the command and returns its exit code; McpmockError passes to the caller."""
    values = read_options(arguments)
    if values is None:
        return _run_click(arguments)
    return _replay(**values)


def read_options(arguments: Sequence[str]) -> dict[str, Any] | None:
    """The options by name, with `cassette`; None for all that click explains better than we: help, and errors."""
    table = {f"--{option.name}": option for option in OPTIONS}
    values: dict[str, Any] = {}
    words = list(arguments)
    while words:
        word = words.pop(0)
        name, has_value, value = word.partition("=")
        option = table.get(name)
        if option is None:
            if word.startswith("-") or "cassette" in values:
                return None
            values["cassette"] = word
            continue
        if option.kind is bool:
            if has_value:
                return None
            values[option.name] = True
            continue
        if not has_value:
            if not words:
                return None
            value = words.pop(0)
        if not _keep(values, option, value):
            return None
    return {key.replace("-", "_"): value for key, value in values.items()} if "cassette" in values else None


def _keep(values: dict[str, Any], option: Option, text: str) -> bool:
    try:
        value = option.kind(text)
    except ValueError:
        return False
    if option.choices and value not in option.choices:
        return False
    if option.is_repeatable:
        value = (*values.get(option.name, ()), value)
    values[option.name] = value
    return True


def _replay(cassette: str, **values: Any) -> int:
    options = Options(
        order=values.get("order") or "stateful",
        repeats=bool(values.get("allow_playback_repeats")),
        delays=values.get("delays") or 0.0,
        noise=bool(values.get("noise")),
        echo=bool(values.get("echo_version")),
        strict_http=bool(values.get("strict_http")),
        patience=ANSWER_TIMEOUT if values.get("answer_timeout") is None else values["answer_timeout"],
        vars=dict(values.get("var") or ()),
        folders=folders_here,
    )
    request = ReplayRequest(
        cassette,
        server=values.get("server") or "",
        session=values.get("session") or 0,
        state=values.get("state") or "",
        ignore=tuple(values.get("ignore") or ()),
        options=options,
        fail_unplayed=bool(values.get("fail_unplayed")),
        report=values.get("report") or "",
    )
    port, host, origins = (values.get(name) for name in ("port", "host", "allow_origin"))
    if port is None:
        given = {"--host": host, "--allow-origin": origins, "--strict-http": options.strict_http}
        for name in (name for name, value in given.items() if value):
            raise UsageError(f"{name} needs --port: without it nothing is served")
        return replay_stdio(request)
    from mcpmock.replaying_http import LOCAL, Address, replay_http

    return replay_http(request, Address(port, host or LOCAL, tuple(origins or ())))


def click_command() -> click.Command:
    """The same command for click, made from the table."""
    import click

    def kind(option: Option) -> Any:
        def read(text: str) -> Any:
            try:
                return option.kind(text)
            except ValueError as error:
                raise click.BadParameter(str(error)) from None

        return click.Choice(option.choices) if option.choices else read

    params: list[click.Parameter] = [click.Argument(["cassette"], type=click.Path())]
    for option in OPTIONS:
        if option.kind is bool:
            params.append(click.Option([f"--{option.name}"], is_flag=True, help=option.help))
        else:
            params.append(
                click.Option(
                    [f"--{option.name}"],
                    type=kind(option),
                    metavar=option.metavar or None,
                    multiple=option.is_repeatable,
                    help=option.help,
                )
            )
    return click.Command(
        "replay",
        params=params,
        callback=_replay,
        epilog=EPILOG,
        help="Stand where a server's command stood, and answer from CASSETTE, without the server, without a network: "
        "over stdin and stdout, or with --port over HTTP. A request that was not recorded gets an error that names the "
        "nearest one, a page on stderr, and exit code 3.",
    )


def _run_click(arguments: Sequence[str]) -> int:
    from mcpmock.cli.group import run

    return run(["replay", *arguments])
