"""`mcpmock redact`: take the secrets out of cassettes that exist."""

from __future__ import annotations

import os
from typing import Final

import click

from mcpmock.cassette.load import load_file
from mcpmock.cassette.redaction.mending import Mended
from mcpmock.cassette.redaction.remains import remains_in
from mcpmock.cassette.redaction.rewriting import rewrite
from mcpmock.cassette.redaction.rules import read_rules
from mcpmock.cli.check import cassettes_at
from mcpmock.errors import UsageError, printable

SECRET: Final = 5

EPILOG: Final = """\
\b
Examples:
  mcpmock redact old.yaml
  mcpmock redact old.yaml --redact key:pin --redact 'regex:customer (\\d+)' -o clean.yaml
  mcpmock redact cassettes/ --check

\b
Rules:
  key:NAME         what has this name: a member, a header, an option, a variable
  pointer:POINTER  what stands there in a message, as pointer:/params/arguments/pin
  regex:PATTERN    what the pattern matches, or its first group
  env:NAME         the value of that variable of the environment

\b
Exit codes:
  0 there is no secret left
  5 with --check: there is one
"""


@click.command("redact", epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="FILE", default="", help="Write to this file, and leave the cassette as it is.")
@click.option("--redact", metavar="RULE", multiple=True, help="Mask this, too; may be given again.")
@click.option("--check", "--dry-run", "only_looks", is_flag=True, help="Only tell what would be done.")
def command(paths: tuple[str, ...], output: str, redact: tuple[str, ...], only_looks: bool) -> int:
    """Take the secrets out of cassettes that exist.

    A PATH is a cassette or a folder, in which all cassettes are looked for. Placeholders are put where secrets stand,
    as `mcpmock record` does; the rest of the file stays as it is. What is masked still replays.
    """
    rules = read_rules(redact, os.environ)
    found = [path for path, is_there in dict.fromkeys(cassettes_at(paths)) if is_there]
    if output and len(found) != 1:
        raise UsageError(f"--output is for one cassette, and these are {len(found)}")
    changes = 0
    for path in found:
        mended = rewrite(path, output=output, rules=rules, writes=not only_looks)
        changes += bool(mended.changed)
        click.echo(printable(f"{output or path}: {_told(mended, only_looks=only_looks)}"))
        if only_looks and mended.changed:
            continue  # what would remain is seen in what would be written
        for line in remains_in(load_file(path if only_looks else output or path)):
            click.echo(f"  {line}; no rule of ours masks that place, --redact pointer:POINTER does")
    return SECRET if changes and only_looks else 0


def _told(mended: Mended, *, only_looks: bool) -> str:
    if not mended.changed:
        return "no secret in it"
    kinds = ", ".join(f"{rule} {number}" for rule, number in sorted(mended.counts.items()))
    places = "1 entry" if mended.changed == 1 else f"{mended.changed} entries"
    text = f"{'would mask' if only_looks else 'masked'} {sum(mended.counts.values())} in {places} ({kinds})"
    return text if mended.keeps_layout else f"{text}; all of it is written anew, without its comments"
