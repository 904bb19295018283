"""The cassette as values: what the reader returns and the writer takes. `cassettes/README.md` defines the format."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from mcpmock.wire.message import MISSING, Json, Message, Missing, Side

FORMAT_VERSION: Final = 1

EntryKind: TypeAlias = Literal["client", "server", "raw", "stderr", "eof", "exit", "http"]
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


Answers: TypeAlias = Literal["", "json", "stream"]
"""How a POST was answered: by a JSON body, by an event stream; empty: as the norm says, or nobody knows."""


class HttpNorm(NamedTuple):
    """How a server answers over HTTP if an entry does not say otherwise: what its first answered request showed.

    answers   how requests are answered
    session   whether it gives out an `Mcp-Session-Id`
    accepted  the status for what is no request
    get       what a GET is answered: a status that refuses it, or "stream"; empty: as the entries show
    delete    the status for the DELETE of a session
    ids       whether events carry ids
    priming   whether a stream begins with an event that has an id and no data (2025-11-25)
    retry     what the streams ask for as the time before a reconnect, in milliseconds; None: nothing
    """

    answers: Answers = "stream"
    session: bool = True
    accepted: int = 202
    get: int | Literal["", "stream"] = ""
    delete: int = 200
    ids: bool = False
    priming: bool = False
    retry: int | None = None


NORM: Final = HttpNorm()


class HttpFact(NamedTuple):
    """What HTTP shows that is no message; or, beside the message of a `server:` entry, what differs from the norm.

    verb       the request's: GET, DELETE, POST (the one that `in:` names, or the client's message before it); empty
               for the end of a stream, and beside a message
    path       with the query, where that is not the endpoint's own; empty: the endpoint
    status     of the response; 0: 200, or as the norm says
    is_stream  a GET that was answered by an event stream
    resumes    such a GET that goes on with the stream of another request: its id, or the label of its entry
    answers    beside a message: how it came, if not as the norm says
    media      the media type of a body that is no message
    body       that body; a JSON value where it is JSON, else text, or bytes where it is no UTF-8
    headers    of the response, those that matter, names in lower case
    sent       of the request: the headers that were not as they must be (2026-07-28), or that were refused (406, 415);
               None: it was missing
    end        the stream that `in:` names was closed or aborted before it was complete, by `side`
    is_priming   that stream goes on, and an event with an id and no data has come on it (2025-11-25)
    """

    verb: str = ""
    path: str = ""
    status: int = 0
    is_stream: bool = False
    resumes: Json | Missing = MISSING
    answers: Answers = ""
    media: str = ""
    body: Json | bytes | Missing = MISSING
    headers: tuple[tuple[str, str], ...] = ()
    sent: tuple[tuple[str, str | None], ...] = ()
    end: Literal["", "closed", "aborted"] = ""
    side: Side = "server"
    is_priming: bool = False

    @property
    def is_alone(self) -> bool:
        """Whether it is an entry of its own, not beside a message."""
        return bool(self.verb or self.end or self.is_priming)


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
    label      client, http: a name for `in:` to use
    http       http: what was seen; server: what of the response differs from the norm
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
    http: HttpFact | None = None
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
    """One connection: who was recorded, how it was reached, what was said.

    `redacted`: how often which rule has masked something, by the name of the rule.
    """

    entries: tuple[Entry, ...] = ()
    server: str = ""
    transport: Transport = "stdio"
    command: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    url: str = ""
    http: HttpNorm = NORM
    line: int = 0
    redacted: tuple[tuple[str, int], ...] = ()


class Cassette(NamedTuple):
    """One file."""

    sessions: tuple[Session, ...] = ()
    match: tuple[MatchRule, ...] = ()
    recorded_with: str = ""
    version: int = FORMAT_VERSION
    path: str = ""
