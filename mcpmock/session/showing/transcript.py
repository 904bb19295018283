"""A summary as lines of text for people: an arrow for each message, under it what belongs to it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator
from textwrap import wrap
from typing import Final, NamedTuple

from mcpmock.cassette.model import NORM
from mcpmock.cassette.variables import variables_in
from mcpmock.matching.shown import harmless, shorten
from mcpmock.session.showing.gist import gist_of_identity
from mcpmock.session.showing.http_gist import gist_of_norm
from mcpmock.session.showing.summary import Item, SessionSummary
from mcpmock.session.showing.totals import Totals

__all__ = ["ASCII", "UNICODE", "Line", "Marks", "head_of", "lines_of", "totals_of"]


class Marks(NamedTuple):
    """How the direction of a message is drawn, and the end of a line that is cut."""

    client: str
    server: str
    cut: str


_CUT: Final = "…"  # as `shorten` has it
UNICODE: Final = Marks("→", "←", _CUT)
ASCII: Final = Marks("->", "<-", "...")

_INDENT: Final = "  "
_JOINED: Final = "\xa0"  # a blank at which no line ends


class Line(NamedTuple):
    """One line; `is_trouble` where something failed, `is_aside` where it is no message."""

    text: str
    is_trouble: bool = False
    is_aside: bool = False


def head_of(summary: SessionSummary, width: int, marks: Marks = UNICODE) -> list[str]:
    """Who was recorded, and how; the session is counted as `--session` counts."""
    session = summary.session
    duration = _duration(summary.totals.duration) if summary.totals.duration else ""
    title = ", ".join(part for part in (session.server, session.transport, duration) if part)
    if not summary.is_alone:
        title = ", ".join(part for part in (session.transport, duration) if part)
        lines = [f"server {session.server or '(unnamed)'}, session {summary.number} of {summary.of}: {title}"]
    else:
        lines = [f"session {summary.number} of {summary.of}: {title}" if summary.of > 1 else f"session: {title}"]
    if session.command:
        lines.append(f"command: {shlex.join(session.command)}")
    if session.env:
        lines.append(f"environment: {' '.join(f'{name}={value}' for name, value in session.env)}")
    if session.url:
        lines.append(f"url: {session.url}")
    if summary.identity.era == "modern":
        lines.append(f"protocol: {gist_of_identity(summary.identity)}")
    if session.http != NORM:
        lines.append(f"http: {gist_of_norm(session.http)}")
    if variables := variables_in((session,)):
        lines.append(f"variables: {', '.join(variables)}")
    return [_cut(harmless(line), width, marks) for line in lines]


def lines_of(summary: SessionSummary, width: int, marks: Marks = UNICODE) -> Iterator[Line]:
    """What happened, a line for each item, none wider than `width` columns."""
    has_times = any(_times(summary.items))
    for item in summary.items:
        yield from _lines(item, 0, _Page(width, marks, has_times))


class _Page(NamedTuple):
    width: int
    marks: Marks
    has_times: bool


def _times(items: list[Item]) -> Iterator[bool]:
    for item in items:
        yield item.at is not None
        yield from _times(item.items)


def _lines(item: Item, depth: int, page: _Page) -> Iterator[Line]:
    text = f"{_time(item, page)}{_INDENT * depth}{_words(item, page.marks)}"
    took = f"  ({_duration(item.took)})" if item.took is not None else ""
    text = _cut(text.rstrip(), page.width - len(took), page.marks)
    yield Line(text + took, is_trouble=_is_trouble(item), is_aside=item.kind not in _MESSAGES)
    for inner in item.items:
        yield from _lines(inner, depth + 1, page)


_MESSAGES: Final = ("request", "notification", "answer", "error")


def _cut(text: str, width: int, marks: Marks) -> str:
    short = shorten(text, width)
    if short == text or marks.cut == _CUT:
        return short
    return shorten(text, width + len(_CUT) - len(marks.cut)).removesuffix(_CUT) + marks.cut


def _is_trouble(item: Item) -> bool:
    if item.kind == "note":
        return not item.items
    return item.kind == "error" or (item.kind == "answer" and item.gist.startswith("failed:"))


def _time(item: Item, page: _Page) -> str:
    if not page.has_times:
        return ""
    return f"{item.at:>7} ms  " if item.at is not None else " " * 12


def _words(item: Item, marks: Marks) -> str:
    if item.kind in ("note", "eof", "http"):
        return f"({item.gist})"
    if item.kind == "exit":
        return f"(the server ended: {item.gist})"
    if item.kind == "stderr":
        return f"stderr: {item.gist}"
    arrow = marks.client if item.side == "client" else marks.server
    if item.kind == "raw":
        return f"{arrow} no message: {item.gist}"
    if item.kind in ("answer", "error"):
        return f"{arrow} {item.gist}"
    asks = "asks " if item.kind == "request" and item.side == "server" else ""
    return f"{arrow} {asks}{harmless(item.method)} {item.gist}"


def totals_of(totals: Totals, sessions: int, width: int) -> Iterator[str]:
    """How much it was, in lines of words: numbers are not cut off."""
    for line in _totals_of(totals, sessions):
        for part in wrap(line, width, subsequent_indent=_INDENT, break_on_hyphens=False):
            yield part.replace(_JOINED, " ")


def _totals_of(totals: Totals, sessions: int) -> Iterator[str]:
    messages = totals.messages
    sizes = f"{_bytes(totals.bytes['client'])} and {_bytes(totals.bytes['server'])}"
    yield (
        f"{_plural(sessions, 'session')}, {_plural(messages.total(), 'message')}: "
        f"{messages['client']} from the client, {messages['server']} from the server ({sizes})"
    )
    for label, counter in (
        ("requests", totals.requests),
        ("questions", totals.questions),
        ("client notifications", totals.client_notifications),
        ("server notifications", totals.server_notifications),
        ("also", totals.events),
    ):
        if counter:
            yield f"{label}: {_counted(counter)}"


def _counted(counter: Counter[str]) -> str:
    return ", ".join(f"{harmless(name)}{_JOINED}{number}" for name, number in counter.most_common())


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _duration(milliseconds: int) -> str:
    if milliseconds < 1_000:
        return f"{milliseconds} ms"
    if milliseconds < 60_000:
        return f"{milliseconds / 1_000:.1f} s"
    minutes, seconds = divmod(milliseconds // 1_000, 60)
    return f"{minutes} min {seconds} s"


def _bytes(number: int) -> str:
    if number < 1_000:
        return f"{number} B"
    return f"{number / 1_000:.1f} kB" if number < 1_000_000 else f"{number / 1_000_000:.1f} MB"
