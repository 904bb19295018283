"""`mcpmock check`: are cassettes sound, would they replay themselves, and is there a secret in them?"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import click

from mcpmock.cassette.load import PART_MARK, load_file, unfinished_parts
from mcpmock.cassette.model import Cassette
from mcpmock.cassette.redaction.remains import remains_in
from mcpmock.cassette.redaction.rules import NO_RULES, RedactionRules, read_rules
from mcpmock.cassette.redaction.secrets import find_secrets
from mcpmock.cassette.variables import variables_in
from mcpmock.cli.schemas import schema_doubts
from mcpmock.errors import CassetteError, McpmockError, UsageError, printable
from mcpmock.session.showing.doubts import doubts
from mcpmock.session.showing.selfcheck import selfcheck

GOOD: Final = 0
OTHERWISE: Final = 3
BROKEN: Final = 4
SECRET: Final = 5

SEVERITY: Final = (BROKEN, SECRET, OTHERWISE, GOOD)
"""The gravest comes first and is the exit code. What is broken could not be searched for secrets."""

WORDS: Final = {GOOD: "good", OTHERWISE: "would not replay itself", BROKEN: "broken", SECRET: "with a secret"}

EPILOG: Final = """\
\b
Examples:
  mcpmock check everything.yaml
  mcpmock check tests/cassettes --redact key:pin
  mcpmock check --schema > cassette.schema.json

\b
Exit codes (of several, the first that applies):
  4 a cassette is broken
  5 there is a secret in one
  3 one would not replay itself: a client that says what was recorded would be answered otherwise
  0 all are good; a warning is no fault
"""

_SHOWN: Final = 20
_SUFFIXES: Final = (".yaml", ".yml")
_PASSED_OVER: Final = frozenset({"node_modules", "__pycache__"})
_LOOKS_LIKE_CASSETTE: Final = re.compile(rb"""^(?:\{.*)?["']?sessions["']?\s*:""", re.MULTILINE)


class Verdict(NamedTuple):
    """What became of one file: its exit code, and the lines to print."""

    code: int
    lines: list[str]


def print_schema(context: click.Context, _: click.Parameter, value: object) -> None:
    """Print what editors check a cassette by, and end there."""
    if value:
        from mcpmock.cassette.json_schema import cassette_schema

        click.echo(json.dumps(cassette_schema(), indent=1, ensure_ascii=False))
        context.exit()


@click.command("check", epilog=EPILOG)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "--schema",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=print_schema,
    help="Print the JSON Schema of cassettes, for editors, and exit.",
)
@click.option("--redact", metavar="RULE", multiple=True, help="Look for this, too, as `mcpmock redact` does.")
def command(paths: tuple[str, ...], redact: tuple[str, ...]) -> int:
    """Tell whether cassettes are sound, replayable and free of secrets.

    A PATH is a cassette or a folder, in which all cassettes (*.yaml, *.yml) are looked for, also further down. What
    is wrong is told with file and line.
    """
    counts = dict.fromkeys(SEVERITY, 0)
    rules = read_rules(redact, os.environ)
    for path, is_there in dict.fromkeys(cassettes_at(paths)):
        lines = list(_unfinished(path))
        if is_there:
            verdict = check(path, rules)
            counts[verdict.code] += 1
            lines = [*verdict.lines, *lines]
        click.echo("\n".join(map(printable, lines)))
    if sum(counts.values()) > 1:
        told = (f"{counts[code]} {WORDS[code]}" for code in reversed(SEVERITY) if counts[code])
        click.echo(f"{sum(counts.values())} cassettes: {', '.join(told)}")
    return next((code for code in SEVERITY if counts[code]), GOOD)


def check(path: str, rules: RedactionRules = NO_RULES) -> Verdict:
    """Reads one cassette, replays it to itself, and searches it for secrets."""
    try:
        cassette = load_file(path)
        otherwise = [f"{path}:{problem.line}: {problem.text}" for problem in selfcheck(cassette)]
        doubtful = sorted([*doubts(cassette), *schema_doubts(cassette)], key=lambda problem: problem.line)
        warnings = _shortened([f"{path}:{doubt.line}: warning: {doubt.text}" for doubt in doubtful])
    except CassetteError as error:
        return Verdict(BROKEN, str(error).splitlines())
    except McpmockError as error:
        return Verdict(BROKEN, [f"{path}: {error}"])
    found = find_secrets(cassette, rules)
    secrets = [f"{path}:{secret.line}: a secret ({secret.what}) at {secret.pointer}" for secret in found]
    if not secrets:  # where the protocol has its own words nothing is masked
        warnings += [f"{path}: warning: {told}; no rule of ours masks that place" for told in remains_in(cassette)]
    if not otherwise and not secrets:
        return Verdict(GOOD, [f"{path}: good, {_contents(cassette)}", *warnings])
    lines = [*_shortened(otherwise), *warnings, *_shortened(secrets)]
    if secrets:
        lines.append(f"  to put placeholders in their place: mcpmock redact {shlex.quote(path)}")
    return Verdict(SECRET if secrets else OTHERWISE, lines)


def _contents(cassette: Cassette) -> str:
    requests = sum(
        message.kind == "request" or entry.answer is not None
        for session in cassette.sessions
        for entry in session.entries
        if entry.kind == "client"
        for message in entry.messages
    )
    variables = ", ".join(variables_in(cassette.sessions))
    told = f"{_counted(len(cassette.sessions), 'session')}, {_counted(requests, 'request')}"
    return f"{told}; variables: {variables}" if variables else told


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _shortened(lines: list[str]) -> list[str]:
    return lines if len(lines) <= _SHOWN else [*lines[:_SHOWN], f"  and {len(lines) - _SHOWN} more"]


def _unfinished(path: str) -> Iterator[str]:
    for part in unfinished_parts(path):
        yield f"{part}: an unfinished recording; if nothing records there now: mcpmock salvage {shlex.quote(path)}"


def cassettes_at(paths: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """The files that were named, and those in the folders that were; False for one that has only unfinished parts.

    Raises UsageError for a folder without any.
    """
    for path in paths:
        if not os.path.isdir(path):
            yield path, True
            continue
        found = list(_in_folder(path))
        if not found:
            raise UsageError(f"{path}: there is no cassette in this folder (*.yaml or *.yml, with `sessions:`)")
        yield from found


def _in_folder(folder: str) -> Iterator[tuple[str, bool]]:
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith(".") and each not in _PASSED_OVER)
        parts = {name.partition(PART_MARK)[0] for name in names if PART_MARK in name}
        for name in sorted({*names, *parts}):
            path = os.path.join(where, name)
            if name not in names:
                yield path, False
            elif name.endswith(_SUFFIXES) and _looks_like_cassette(path):
                yield path, True


def _looks_like_cassette(path: str) -> bool:
    if os.path.exists(path) and not os.path.isfile(path):
        return False  # a pipe would have to be waited for
    try:
        with open(path, "rb") as file:
            return _LOOKS_LIKE_CASSETTE.search(file.read()) is not None
    except OSError:
        return True  # then it is told why it cannot be read
