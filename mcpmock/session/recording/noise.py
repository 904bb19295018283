"""What on a pipe, or over HTTP, is no message, and what a person should be told about it: each cause once."""

from __future__ import annotations

from typing import Final

from mcpmock.wire.message import Message, Side

_SHOWN: Final = 80
_WHO: Final[dict[Side, str]] = {"client": "the client", "server": "the server"}


class NoiseWatch:
    """Collects warnings. The first line that is no message is shown; a known cause is named, whenever it shows.

    Over HTTP there are no lines, and equal ids do no harm: each request has an exchange of its own.
    """

    def __init__(self, *, is_http: bool = False) -> None:
        self._is_http = is_http
        self._warnings: list[str] = []
        self._told: set[tuple[str, str]] = set()

    def take(self) -> list[str]:
        """The warnings since the last call."""
        taken, self._warnings = self._warnings, []
        return taken

    def line(self, side: Side, line: str | bytes) -> None:
        """A line is no message; it is shown, so it must not hold secrets."""
        cause = "" if self._is_http else _cause(line)
        if cause:
            self._tell(side, cause, f"{_WHO[side]} {cause}; MCP wants one message per line, so nobody understands it")
        elif not any(who == side for who, _ in self._told):
            what = "sent what is no message" if self._is_http else "wrote a line that is no message"
            self._tell(side, "noise", f"{_WHO[side]} {what}: {_shown(line)}")

    def oversize(self, side: Side, size: int) -> None:
        """A line was too long to keep."""
        what = "sent a message" if self._is_http else "wrote a line"
        told = f"{_WHO[side]} {what} of {size:,} bytes: passed on, but not kept (see --max-message)"
        self._tell(side, "oversize", told)

    def equal_ids(self, message: Message) -> None:
        """Two requests wait for answers under one id."""
        if not self._is_http:
            told = f"the client uses the id {repr(message.id)[:_SHOWN]} twice at once: answers are taken in order"
            self._tell("client", "ids", told)

    def unanswered(self, message: Message, status: int) -> None:
        """A request was answered with a status that says that nothing more will come on its exchange."""
        told = f"the server accepted {message.method} with status {status} and no answer: its client may wait for ever"
        self._tell("server", "unanswered", told)

    def in_a_circle(self, method: str) -> None:
        """The pages of a list lead back to where they came from (case SC-01)."""
        from mcpmock.session.pages import IN_A_CIRCLE

        self._tell("server", method, f"the pages of {method} {IN_A_CIRCLE}")

    def _tell(self, side: Side, cause: str, text: str) -> None:
        if (side, cause) not in self._told:
            self._told.add((side, cause))
            self._warnings.append(text)


def _cause(line: str | bytes) -> str:
    if isinstance(line, bytes):
        return ""
    line = line.removeprefix("\ufeff").strip()
    if line[:15].lower() == "content-length:":
        return "frames its messages with Content-Length headers, as language servers do"
    if line in ("{", "[", "[{"):
        return "spreads its JSON over several lines (pretty-printed)"
    return ""


def _shown(line: str | bytes) -> str:
    start = line[: _SHOWN + 1]
    text = start if isinstance(start, str) else start.decode(errors="backslashreplace")
    return ascii(text) if len(text) <= _SHOWN else ascii(text[:_SHOWN]) + "…"
