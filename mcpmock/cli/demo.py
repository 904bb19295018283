"""`mcpmock demo`: record a real server process, replay it, and show what a miss looks like."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Final

import click

from mcpmock.demo.client import SCRIPT, Conversation, Request, call, converse
from mcpmock.errors import McpmockError

MCPMOCK: Final = (sys.executable, "-m", "mcpmock")
SERVER: Final = (sys.executable, "-m", "mcpmock.demo.server")
MISS_EXIT_CODE: Final = 3

EPILOG: Final = """\
\b
Example:
  mcpmock demo --output /tmp/my-first-cassette
"""


class DemoError(McpmockError):
    """The demo did not do what it promises: the problem, and what the process said on its stderr."""

    def __init__(self, problem: str, conversation: Conversation | None = None) -> None:
        super().__init__(f"{problem}\n{conversation.stderr if conversation else ''}".rstrip())


@click.command("demo", epilog=EPILOG)
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("mcpmock-demo"),
    show_default=True,
    help="Where the cassette goes; made if it is not there.",
)
def command(output: Path) -> None:
    """Record and replay a small server that ships with mcpmock.

    A client talks to the server through `mcpmock record`, then says the same to `mcpmock replay`, which has only
    the cassette. Both conversations must be equal, message by message. Then it asks for something that was never
    recorded. Takes a few seconds and needs no network.
    """
    _make_folder(output)
    cassette = output / "demo.yaml"
    recorded = _record(cassette)
    _replay(cassette, recorded)
    _miss(cassette)
    _show(cassette)


def _make_folder(output: Path) -> None:
    problem = "it may not be written to"
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = error.strerror or str(error)
    if not os.access(output, os.W_OK):
        raise DemoError(f"{output}: the cassette cannot be put here: {problem}; use --output FOLDER")


def _record(cassette: Path) -> Conversation:
    _title("1. Record", "a client talks to a server, and mcpmock stands between them")
    conversation = _run(["record", "-o", str(cassette), "--", *SERVER])
    if conversation.exit_code == 0 and not cassette.is_file():
        raise DemoError(f"{cassette} was not written; use --output FOLDER", conversation)
    if conversation.exit_code != 0:
        raise DemoError(f"the recorder ended with {conversation.exit_code}", conversation)
    click.echo(f"  {_summary(conversation)}")
    click.echo(f"  cassette: {cassette} ({cassette.stat().st_size:,} bytes)")
    return conversation


def _replay(cassette: Path, recorded: Conversation) -> None:
    _title("2. Replay", "the same client again; the server is gone, only the cassette is there")
    replayed = _run(["replay", str(cassette)])
    differences = list(_differences(recorded, replayed))
    if differences:
        raise DemoError("\n".join(["the replay differs from the recording:", *differences]), replayed)
    if replayed.exit_code != 0:
        raise DemoError(f"the replay ended with {replayed.exit_code}", replayed)
    click.echo(f"  {_summary(replayed)}")
    click.echo(f"  all {len(recorded.said)} messages are equal, in the same order")


def _miss(cassette: Path) -> None:
    _title("3. Miss", "the client asks for something that was never recorded: add(a=2, b=40)")
    missed = _run(["replay", str(cassette)], script=[call("add", a=2, b=40)])
    if len(missed.errors()) != 1 or missed.exit_code != MISS_EXIT_CODE:
        raise DemoError(f"a miss gave {len(missed.errors())} errors and exit code {missed.exit_code}, not 3", missed)
    click.echo(f"  the client is told:   {missed.errors()[0]['message'].splitlines()[0]}")
    click.echo("  a person is told, on stderr:")
    click.echo("".join(f"    {line}\n" for line in missed.stderr.strip().splitlines()), nl=False)
    click.echo(f"  and the exit code is {missed.exit_code}, so that no test can overlook it")


def _show(cassette: Path) -> None:
    _title("4. Show", "what is in the cassette")
    command = _spelled(["show", str(cassette)])
    shown = subprocess.run([*MCPMOCK, "show", str(cassette)], capture_output=True, text=True, encoding="utf-8")
    if shown.returncode:
        raise DemoError(f"`{command}` ended with {shown.returncode}:\n{shown.stderr}")
    click.echo(f"  $ {command}")
    click.echo("".join(f"  {line}\n" for line in shown.stdout.splitlines()))
    click.echo("It works. Now put it in front of a server of yours:")
    click.echo("  $ mcpmock record -o mine.yaml -- COMMAND OF THE SERVER")


def _run(arguments: Sequence[str], script: Sequence[Request] = SCRIPT) -> Conversation:
    click.echo(f"  $ {_spelled(arguments)}")
    return converse([*MCPMOCK, *arguments], script)


def _spelled(arguments: Sequence[str]) -> str:
    return shlex.join(["mcpmock", *arguments])


def _title(name: str, text: str) -> None:
    click.echo(f"{click.style(name, bold=True)}: {text}")


def _summary(conversation: Conversation) -> str:
    return (
        f"{conversation.count('<')} answers, {conversation.count('<', 'notifications/progress')} progress "
        f"notifications, {conversation.count('<', 'sampling/createMessage')} question to the client; "
        f"{conversation.seconds:.2f} s"
    )


def _differences(recorded: Conversation, replayed: Conversation) -> Iterator[str]:
    pairs = zip_longest(recorded.said, replayed.said, fillvalue=("", "nothing"))
    for number, (before, now) in enumerate(pairs, 1):
        if before != now:
            yield f"  message {number}: recorded {before[0]} {before[1]}"
            yield f"  message {number}: replayed {now[0]} {now[1]}"
