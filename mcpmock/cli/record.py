"""`mcpmock record`: stand where a server's command stood, and write down what is said."""

from __future__ import annotations

from typing import Any, Final

import click

from mcpmock.cli.record_http import http_options, record_url, refuse_for_command, refuse_for_url
from mcpmock.cli.record_options import byte_size, is_url, names_url, variable
from mcpmock.folders import read_variable
from mcpmock.keeping import Keeping
from mcpmock.recording import RecordRequest, record
from mcpmock.wire.framing import DEFAULT_MAX_MESSAGE

EPILOG: Final = """\
\b
Examples:
  mcpmock record -o everything.yaml -- npx -y @modelcontextprotocol/server-everything stdio
  mcpmock record -o time.yaml --env TZ=UTC -- uvx mcp-server-time
  mcpmock record -o github.yaml --port 8808 https://api.example.com/mcp -H 'Authorization: Bearer ${TOKEN}'

\b
In a client's configuration, put it where the server's command stands:
  "command": "mcpmock",
  "args": ["record", "-o", "time.yaml", "--", "uvx", "mcp-server-time"]

\b
Recorded again, a cassette is replaced; what one client process (or --run) records
is kept together. It ends as the server ends, with its exit code or signal; 1, 2 and 4
are its own only if the server was not started.

\b
A server that a URL names (Streamable HTTP, or HTTP+SSE) is recorded by a proxy: stdout
tells the URL to point clients at, once it can be reached. Ctrl-C, or SIGTERM, ends it
and exits with 0; a second one ends it at once.
"""


def _size(text: str) -> int:
    try:
        return byte_size(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _variable(text: str) -> tuple[str, str]:
    try:
        return variable(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _folder(text: str) -> tuple[str, str]:
    try:
        return read_variable(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


class _Record(click.Command):
    """Says of a missing --output that it stands in the server's command, where it does."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = list(args)
        ctx.allow_interspersed_args = names_url(args)
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter as error:
            behind = next((word for word in words if word.partition("=")[0] in ("-o", "--output")), "")
            if error.param is None or error.param.name != "output" or not behind:
                raise
            raise click.UsageError(
                f"Missing option '-o' / '--output': the {behind!r} behind the server's command is the server's own; "
                "write it before the command: mcpmock record -o FILE -- COMMAND",
                ctx,
            ) from None


@click.command(
    "record",
    cls=_Record,
    epilog=EPILOG,
    context_settings={"allow_interspersed_args": False, "help_option_names": ["-h", "--help"]},
)
@click.option("-o", "--output", metavar="FILE", required=True, help="The cassette to write.")
@click.option("--server", metavar="NAME", default="", help="The server's name in it.  [default: as in the command]")
@click.option(
    "--env", metavar="KEY=VALUE", type=_variable, multiple=True, help="Add to the environment; may be given again."
)
@click.option("--cwd", metavar="FOLDER", help="The server's working folder.  [default: this one]")
@click.option("--run", metavar="ID", default="", help="What is recorded under one ID is kept together.")
@click.option("--append", is_flag=True, help="Keep what earlier runs have recorded.")
@click.option(
    "--redact",
    metavar="RULE",
    multiple=True,
    help="Mask this, too: key:NAME, pointer:/params/arguments/x, regex:PATTERN or env:NAME; may be given again.",
)
@click.option(
    "--var",
    "vars_",
    metavar="NAME=VALUE",
    type=_folder,
    multiple=True,
    help="Write ~var.NAME~ for VALUE, a folder as a rule, so that the recording fits other places; may be given again. "
    "Home, temporary and working folder are written so anyway: home, temp, work.",
)
@click.option("--no-vars", is_flag=True, help="Keep folders as they are, but for those of --var.")
@click.option("--no-redact", is_flag=True, help="Keep secrets as they are. Do not share such a cassette.")
@click.option(
    "--max-message",
    metavar="SIZE",
    type=_size,
    default=str(DEFAULT_MAX_MESSAGE // 1024**2) + "M",
    show_default=True,
    help="Longer messages are passed on, but not kept.",
)
@http_options
@click.argument("command", metavar="URL | [--] COMMAND [ARGUMENT]...", nargs=-1, required=True, type=click.UNPROCESSED)
def command(
    output: str,
    server: str,
    env: tuple[tuple[str, str], ...],
    cwd: str | None,
    run: str,
    append: bool,
    redact: tuple[str, ...],
    vars_: tuple[tuple[str, str], ...],
    no_vars: bool,
    no_redact: bool,
    max_message: int,
    command: tuple[str, ...],
    **http: Any,
) -> int:
    """Run a server, pass on what it and its client say, and write a cassette of it.

    Stands where the server's COMMAND stood. Everything behind `--`, or from the first word on that is no option of
    ours, is the server's command, untouched. A URL takes a server that runs already.
    """
    keeping = Keeping(
        output,
        server,
        run,
        appends=append,
        redacts=not no_redact,
        redact=redact,
        vars=dict(vars_),
        folders=not no_vars,
        max_message=max_message,
    )
    if is_url(command[0]):
        refuse_for_url(env, cwd)
        return record_url(keeping, command, http)
    refuse_for_command(command, http)
    return record(RecordRequest(keeping, command, dict(env), cwd))
