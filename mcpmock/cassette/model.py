"""The cassette as values: what the reader returns and the writer takes. `cassettes/README.md` defines the format."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from mcpmock.wire.message import MISSING, Json, Message, Missing, Side

FORMAT_VERSION: Final = 1

EntryKind: TypeAlias = Literal["client", "server", "raw", "stderr", "eof", "exit"]
Transport: TypeAlias = Literal["stdio", "streamable_http", "sse", "memory"]
TRANSPORTS: Final = ("stdio", "streamable_http", "sse", "memory")


class Rules(NamedTuple):
    """How an interaction is played, written on its `client:` entry.

    `times`: how often in a row it may be played before it counts as used up. `optional`: never reported as
    unplayed. `delay`: milliseconds before its first message. `ignore`: JSON pointers (RFC 6901, `*` for any
    segment) into the params that do not count.
    """

    times: int = 1
    optional: bool = False
    delay: int = 0
    ignore: tuple[str, ...] = ()


NO_RULES: Final = Rules()


class Entry(NamedTuple):
    """One event of a session.

    kind       what it is; `client` and `server` hold messages, the rest is what is no message
    messages   client, server: the message, or the members of a batch (`is_batch`)
    answer     short form: the answer to the request beside it; neither has an id
    text       raw: a line without its end (bytes where it is no UTF-8); stderr: the text with its line ends
    side       raw: who sent it; eof: who closed first
    size       raw: length in bytes of a line that was too long to keep (then `text` is empty)
    status     exit: the child's exit code, or the name of the signal that ended it ("SIGKILL")
    rules      client: how it is played
    owner      `in:`, the id of the open request or the label of the entry that it belongs to
    label      a name for `in:` to use
    line       where it stands in its file, from 1; 0 when it comes from no file
    at         milliseconds from the start of the session; None when nobody knows
    """

    kind: EntryKind
    messages: tuple[Message, ...] = ()
    is_batch: bool = False
    answer: Message | None = None
    text: str | bytes = ""
    side: Side = "server"
    size: int = 0
    status: int | str = 0
    rules: Rules = NO_RULES
    owner: Json | Missing = MISSING
    label: str = ""
    line: int = 0
    at: int | None = None


class MatchRule(NamedTuple):
    """A file-wide rule: for requests of `method` (and `name`, where given) these pointers do not count.

    An empty `method` stands for all methods.
    """

    method: str = ""
    name: str = ""
    ignore: tuple[str, ...] = ()


class Session(NamedTuple):
    """One connection: who was recorded, how it was reached, what was said."""

    entries: tuple[Entry, ...] = ()
    server: str = ""
    transport: Transport = "stdio"
    command: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    url: str = ""
    line: int = 0


class Cassette(NamedTuple):
    """One file."""

    sessions: tuple[Session, ...] = ()
    match: tuple[MatchRule, ...] = ()
    recorded_with: str = ""
    version: int = FORMAT_VERSION
    path: str = ""
