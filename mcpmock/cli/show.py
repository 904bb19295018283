"""`mcpmock show`: print a cassette so that a person can follow the conversation."""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import Final

import click

from mcpmock.cassette.load import load_file, unfinished_parts
from mcpmock.cassette.model import Cassette
from mcpmock.cassette.redaction.mending import redacted_cassette
from mcpmock.errors import UsageError
from mcpmock.session.showing.summary import SessionSummary, summarize
from mcpmock.session.showing.totals import add_up
from mcpmock.session.showing.transcript import ASCII, UNICODE, Line, Marks, head_of, lines_of, totals_of
from mcpmock.session.story import listed_servers

EPILOG: Final = """\
\b
Examples:
  mcpmock show everything.yaml
  mcpmock show everything.yaml --session 2 --json

\b
An arrow to the right is the client's message, to the left the server's. Progress, questions and logs stand under
the request that they belong to, as `mcpmock replay` will play them.
"""

_WIDTH_OF_A_FILE: Final = 120


@click.command("show", epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("cassette")
@click.option("--server", metavar="NAME", help="Only the sessions of this server.")
@click.option("--session", metavar="N", type=click.IntRange(min=1), help="Only this one of its server's, from 1.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for programs.")
def command(cassette: str, server: str | None, session: int | None, as_json: bool) -> None:
    """Print what happened in CASSETTE, message by message, and how much it was."""
    loaded, _ = redacted_cassette(load_file(cassette))  # what is shown is copied about
    chosen = choose(loaded, server, session)
    if as_json:
        click.echo(as_json_text(loaded, chosen))
        return
    click.echo(writable("\n".join(map(styled, page(chosen, width(), marks())))))
    for part in unfinished_parts(cassette):
        click.echo(f"there is an unfinished recording beside it: {part} (see `mcpmock salvage --help`)", err=True)


def choose(cassette: Cassette, server: str | None, session: int | None) -> list[SessionSummary]:
    """The sessions of `server`, or all; of each server's the `session`th, or all. Raises UsageError for none."""
    summaries = summarize(cassette)
    if server is not None:
        known = dict.fromkeys(summary.session.server for summary in summaries)
        summaries = [summary for summary in summaries if summary.session.server == server]
        if not summaries:
            raise UsageError(f"{cassette.path}: no server {server!r} here; it holds {listed_servers(list(known))}")
    if session is None:
        return summaries
    chosen = [summary for summary in summaries if summary.number == session]
    if not chosen:
        last = max((summary.of for summary in summaries), default=0)
        raise UsageError(f"{cassette.path}: there is no session {session}; the last one is {last}")
    return chosen


def page(summaries: list[SessionSummary], width: int, marks: Marks) -> list[Line]:
    """The whole page: a part for each session, then the totals."""
    lines: list[Line] = []
    for summary in summaries:
        lines += [Line(text, is_aside=True) for text in head_of(summary, width, marks)]
        lines += [Line(""), *lines_of(summary, width, marks), Line("")]
    totals = add_up(summary.totals for summary in summaries)
    return [*lines, *map(Line, totals_of(totals, len(summaries), width))]


def as_json_text(cassette: Cassette, summaries: list[SessionSummary]) -> str:
    """The same as JSON: head, items and totals of each session, and the totals of all."""
    sessions = [
        {
            "number": summary.number,
            "server": summary.session.server,
            "transport": summary.session.transport,
            "command": list(summary.session.command),
            "url": summary.session.url,
            "era": summary.identity.era,
            "revision": summary.identity.revision,
            "serverInfo": summary.identity.server,
            "capabilities": summary.identity.capabilities,
            "items": [item.to_json() for item in summary.items],
            "totals": summary.totals.to_json(),
        }
        for summary in summaries
    ]
    totals = add_up(summary.totals for summary in summaries).to_json()
    document = {"path": cassette.path, "recorded_with": cassette.recorded_with, "sessions": sessions, "totals": totals}
    return json.dumps(document, indent=2)


def styled(line: Line) -> str:
    """The line in its colour; click leaves colours out where nobody would see them."""
    if line.is_trouble:
        return click.style(line.text, fg="red")
    return click.style(line.text, dim=True) if line.is_aside else line.text


def width() -> int:
    """How wide a line may be: as the terminal, or as COLUMNS says, or as a file is well read."""
    if (sys.stdout is not None and sys.stdout.isatty()) or os.environ.get("COLUMNS"):
        return max(shutil.get_terminal_size().columns, 40)
    return _WIDTH_OF_A_FILE


def marks() -> Marks:
    """Arrows, where the output can hold them."""
    return UNICODE if writable("".join(UNICODE)) == "".join(UNICODE) else ASCII


def writable(text: str) -> str:
    """The text with what the output's encoding lacks spelt as escapes."""
    encoding = (sys.stdout is not None and sys.stdout.encoding) or "utf-8"  # None: it was closed by who started us
    return text.encode(encoding, "backslashreplace").decode(encoding)
