"""The command group: which commands there are, and their common manners."""

from __future__ import annotations

import difflib
import importlib
import sys
from collections.abc import Sequence
from typing import Final

import click

from mcpmock import __version__

COMMANDS: Final = {
    "record": "Stand where a server's command stood, and write down what is said.",
    "replay": "Stand where a server's command stood, and answer from a cassette.",
    "show": "Print a cassette so that a person can follow the conversation.",
    "check": "Tell whether cassettes are sound, replayable and free of secrets.",
    "redact": "Take the secrets out of cassettes that exist.",
    "salvage": "Make a cassette of what a recording that was killed has left.",
    "demo": "Record and replay a small server that ships with mcpmock.",
}
"""Every command, in the order of a newcomer's first hour, with its line in the overview."""

EPILOG: Final = """\
\b
Examples:
  mcpmock record -o everything.yaml -- npx -y @modelcontextprotocol/server-everything stdio
  mcpmock show everything.yaml
  mcpmock replay everything.yaml
  mcpmock check cassettes/
  mcpmock demo

\b
Exit codes:
  0 good   1 error   2 usage   3 miss   4 broken cassette   5 secret found
  `record` ends as the server that it recorded did.
"""


class LazyGroup(click.Group):
    """A group that imports a command's module when that command is called, and not before."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order of the overview."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, from its own module."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"mcpmock.cli.{cmd_name}")
        command = module.click_command() if cmd_name == "replay" else module.command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does; and for a word that is no command, the one that was probably meant."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else f" Commands: {', '.join(COMMANDS)}."
            raise click.UsageError(f"No such command '{args[0]}'.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The overview, from the table: asking the commands would import them all."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="mcpmock %(version)s")
def group() -> None:
    """Record a session of the Model Context Protocol once, replay it for ever.

    `mcpmock COMMAND --help` tells more about a command.
    """


def run(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name and return its exit code; usage errors are told, with code 2."""
    try:
        code = group.main(list(arguments), prog_name="mcpmock", standalone_mode=False)
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        error.show(sys.stderr)
        return error.exit_code
    return code if isinstance(code, int) else 0
