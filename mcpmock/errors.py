"""Every error that mcpmock raises on purpose.

One root, few classes. Each takes *fields* and words itself: what happened, where, and what to do next.
"""

from __future__ import annotations

_LONGEST_LINE = 2_000


def printable(text: str) -> str:
    """The text as a terminal may have it: control characters, which a cassette may hold, as escapes; lines of bounded
    length, the middle of a longer one left out."""
    if text.replace("\n", "").isprintable() and len(text) <= _LONGEST_LINE:
        return text
    return "\n".join(map(_printable_line, text.split("\n")))


def _printable_line(line: str) -> str:
    if len(line) > _LONGEST_LINE:
        line = f"{line[: _LONGEST_LINE // 2]}…{line[-_LONGEST_LINE // 2 :]}"
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in line)


class McpmockError(Exception):
    """The root. `exit_code` is the status with which the command line ends (1 unless a class says otherwise)."""

    exit_code = 1

    def __str__(self) -> str:
        return printable(super().__str__())


class UsageError(McpmockError):
    """The command line, or the arguments of a call, make no sense."""

    exit_code = 2


class CassetteError(McpmockError):
    """A cassette cannot be used: `problem`, at `path` and `line` (from 1; 0: the whole file), and the way out.

    Shown as `PATH:LINE: PROBLEM`, with `hint` on a line of its own. `is_torn` where the file seems to be cut off.
    """

    exit_code = 4

    def __init__(self, problem: str, *, path: str = "", line: int = 0, hint: str = "", is_torn: bool = False) -> None:
        super().__init__(problem, path, line, hint)
        self.problem = problem
        self.path = path
        self.line = line
        self.hint = hint
        self.is_torn = is_torn

    def __str__(self) -> str:
        place = f"{self.path or 'cassette'}:{self.line}" if self.line else self.path or "cassette"
        text = f"{place}: {self.problem}"
        return printable(f"{text}\n  {self.hint}" if self.hint else text)


class CassetteNotFoundError(CassetteError, FileNotFoundError):
    """There is no cassette at `path`."""

    def __init__(self, path: str, *, hint: str = "") -> None:
        CassetteError.__init__(self, "no such cassette", path=path, hint=hint)


class CommandError(McpmockError):
    """The server's command cannot be started: the command itself or its working folder is at fault."""


class MockFailure(McpmockError, AssertionError):
    """A client strayed from the recording: `text` explains it, with what to type next; `misses` is how many requests
    were never recorded (0: something recorded was not played)."""

    exit_code = 3

    def __init__(self, text: str, misses: int = 0) -> None:
        super().__init__(text, misses)
        self.text = text
        self.misses = misses

    def __str__(self) -> str:
        return self.text
