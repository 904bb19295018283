"""What a file says, before anybody asks whether it makes sense: members and their lines."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from mcpmock.errors import CassetteError


class Branch(NamedTuple):
    """A mapping of our own structure: its members by key, its line and theirs (from 1).

    Members are JSON values, but for those that a `Level` says are branches again, or lists of branches.
    """

    members: dict[str, Any]
    line: int
    lines: dict[str, int]

    def error(self, problem: str, key: str = "", *, hint: str = "") -> CassetteError:
        """The error to raise for `problem` with the member `key`, or with the whole."""
        return CassetteError(problem, line=self.lines.get(key, self.line), hint=hint)


class Level(NamedTuple):
    """One kind of mapping of our own: `what` it is for people, how one begins, and the levels below by key."""

    what: str
    example: str
    lists: dict[str, Level] = {}  # noqa: RUF012  # never changed
    mappings: dict[str, Level] = {}  # noqa: RUF012  # never changed


ENTRY: Final = Level(
    "an entry",
    "for example `- client: {method: ping}`",
    mappings={
        "match": Level("the `match:` of an entry", "for example `match: {ignore: [/arguments/at]}`"),
        "http": Level("the `http:` of an entry", "for example `http: {get: 405}`"),
    },
)
SESSION: Final = Level(
    "a session",
    "it begins with `- server: a name`",
    lists={"entries": ENTRY},
    mappings={"http": Level("the `http:` of a session", "for example `http: {answers: json}`")},
)
RULE: Final = Level("a rule of `match:`", "for example `- {method: tools/call, ignore: [/arguments/at]}`")
FILE: Final = Level("a cassette", "it begins with `version: 1`", lists={"sessions": SESSION, "match": RULE})
"""From the file down; what is below an entry's keys is JSON."""
