"""The options of `mcpmock record` for a server that a URL names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import click

from mcpmock.cli.record_options import is_url
from mcpmock.keeping import Keeping
from mcpmock.recording_http import HttpRecordRequest, record_http
from mcpmock.transports.proxy.recorder import Address
from mcpmock.wire.relaying import ORIGIN_RULES

_Command = TypeVar("_Command", bound=Callable[..., object])

OPTIONS: Final = (
    click.option("--port", type=click.IntRange(0, 65535), default=0, help="Listen there.  [default: a free port]"),
    click.option(
        "--host", metavar="ADDRESS", default="127.0.0.1", help="Listen at this address.  [default: 127.0.0.1]"
    ),
    click.option(
        "-H",
        "--header",
        "headers",
        metavar="'NAME: VALUE'",
        multiple=True,
        help="Send this with every request; ${NAME} is a variable of the environment. Never stored.",
    ),
    click.option(
        "--origin",
        type=click.Choice(ORIGIN_RULES),
        default="pass",
        show_default=True,
        help="What becomes of a browser's Origin.",
    ),
    click.option(
        "--allow-origin",
        metavar="ORIGIN",
        multiple=True,
        help="Let web pages of this origin use it, * of all; may be repeated.",
    ),
    click.option(
        "--rewrite-auth",
        is_flag=True,
        help="Stand in for the server where OAuth names it, and for its authorization servers.",
    ),
    click.option("--insecure", is_flag=True, help="Do not verify the server's certificate."),
)
"""Those that make no sense for a command."""

DEFAULTS: Final[Mapping[str, Any]] = {
    "port": 0, "host": "127.0.0.1", "headers": (), "origin": "pass", "allow_origin": (), "rewrite_auth": False,
    "insecure": False,
}  # fmt: skip

_SPELLING: Final = {"headers": "-H", "env": "--env", "cwd": "--cwd"}


def http_options(command: _Command) -> _Command:
    """Add them to a command."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def record_url(keeping: Keeping, words: tuple[str, ...], values: Mapping[str, Any]) -> int:
    """Record the server whose URL is the only one of these words, as the values of our own options say.

    Returns the exit code. Raises UsageError.
    """
    if len(words) > 1:
        raise click.UsageError(f"{words[1]!r} behind the URL is no option; only one server is recorded")
    rest = {name: value for name, value in values.items() if name not in ("port", "host")}
    return record_http(HttpRecordRequest(keeping, words[0], Address(values["port"], values["host"]), **rest))


def refuse_for_url(env: Sequence[object], cwd: str | None) -> None:
    """See that nothing was given that only makes sense for a command. Raises UsageError."""
    if env or cwd:
        name = "--env" if env else "--cwd"
        raise click.UsageError(f"{name} is for servers that are started by a command; this one runs already")


def refuse_for_command(words: tuple[str, ...], values: Mapping[str, Any]) -> None:
    """See that none of our options was given for a server's command. Raises UsageError."""
    given = [name for name, value in values.items() if value != DEFAULTS[name]]
    if given and not is_url(words[0]):
        name = _SPELLING.get(given[0], "--" + given[0].replace("_", "-"))
        raise click.UsageError(f"{name} is for servers that a URL names; {words[0]!r} is the command of one")
