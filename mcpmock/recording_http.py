"""Records a server that is reached over HTTP: what stands between the command line and the proxy."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from mcpmock.errors import UsageError
from mcpmock.transports.destination import Destination, check_destination, run_named
from mcpmock.transports.http_recorder import Address, HttpRecorder
from mcpmock.transports.proxy_relay import Relaying
from mcpmock.transports.stdio_recorder import say
from mcpmock.wire.framing import DEFAULT_MAX_MESSAGE
from mcpmock.wire.relaying import Changes, OriginRule, Upstream, check_header, parse_upstream

if TYPE_CHECKING:
    from mcpmock.cassette.model import Session
    from mcpmock.cassette.redaction import Redactor
    from mcpmock.transports.http_minds import Mind
    from mcpmock.transports.keeper import CassetteKeeper

_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class HttpRecordRequest(NamedTuple):
    """What to record over HTTP, and where.

    output        the cassette's file
    url           the server's URL
    address       where clients reach the proxy
    headers       `Name: value`, sent with every request; `${NAME}` in a value is a variable of our environment
    origin        what becomes of the header `Origin`: pass, drop, rewrite
    rewrite_auth  OAuth metadata and challenges that name the server name the proxy instead
    allow_origin  pages of other machines that may use the proxy
    insecure      the server's certificate is not verified
    server        its name in the cassette; empty: its host
    run           the name of the run; empty: our parent process is the run
    appends       what earlier runs have recorded stays in the cassette
    redacts       secrets are replaced before anything reaches the disk
    redact        the user's own rules for what is one
    vars          what is recorded as a variable, by name
    folders       so are the home, the temporary and the working folder
    max_message   the longest message, in bytes, that is kept
    """

    output: str
    url: str
    address: Address = Address()
    headers: Sequence[str] = ()
    origin: OriginRule = "pass"
    rewrite_auth: bool = False
    allow_origin: Sequence[str] = ()
    insecure: bool = False
    server: str = ""
    run: str = ""
    appends: bool = False
    redacts: bool = True
    redact: Sequence[str] = ()
    vars: Mapping[str, str] = {}
    folders: bool = True
    max_message: int = DEFAULT_MAX_MESSAGE


def record_http(request: HttpRecordRequest) -> int:
    """Stand between clients and a server until a signal ends it; returns the exit code.

    Raises UsageError and CassetteError before anything is moved.
    """
    check_destination(request.output)
    recorder = open_recorder(request)
    is_sound = recorder.run(request.address, partial(_announce, request))
    return 0 if is_sound else 1


def open_recorder(request: HttpRecordRequest) -> HttpRecorder:
    """A recorder for it, which does not run yet. Raises UsageError."""
    relaying = relaying_for(request)
    if request.redact:
        from mcpmock.cassette.redaction_rules import read_rules

        _ = read_rules(request.redact)
    return HttpRecorder(relaying, partial(recording_mind, request, relaying.changes), say)


def relaying_for(request: HttpRecordRequest) -> Relaying:
    """What its proxy does. Raises UsageError."""
    changes = Changes(
        parse_upstream(request.url),
        tuple(header_from(text, os.environ) for text in request.headers),
        request.origin,
    )
    return Relaying(
        changes,
        rewrites_auth=request.rewrite_auth,
        origins=request.allow_origin,
        any_host=request.address.host not in ("127.0.0.1", "::1", "localhost"),
        verifies=not request.insecure,
    )


def header_from(text: str, environment: Mapping[str, str]) -> tuple[bytes, bytes]:
    """The field that `Name: value` means, with the values of variables for `${NAME}`. Raises UsageError."""
    name, colon, value = text.partition(":")
    if not colon:
        raise UsageError(f"{name.split()[0] if name.split() else name!r} … is no header; write 'Name: value'")
    missing = [variable for variable in _VARIABLE.findall(value) if variable not in environment]
    if missing:
        raise UsageError(f"the header {name} wants the variable {missing[0]}, which the environment does not have")
    return check_header(name.strip(), _VARIABLE.sub(lambda found: environment[found[1]], value))


def recording_mind(request: HttpRecordRequest, changes: Changes) -> Mind:
    """What keeps the sessions of such a recorder."""
    from mcpmock.cassette.variables import MaskChain
    from mcpmock.folders import variable_mask
    from mcpmock.session.http_recording import HttpRecording
    from mcpmock.transports.http_minds import RecordingMind

    redactor = _redactor(request, changes) if request.redacts else None
    endpoint = changes.upstream.path.decode()
    mask = variable_mask(request.vars, os.environ, folders=request.folders)
    both = mask if redactor is None else MaskChain(redactor, mask)
    recording = HttpRecording(endpoint, max_message=request.max_message, redactor=both)
    return RecordingMind(recording, partial(_begin, request, redactor), say)


def _redactor(request: HttpRecordRequest, changes: Changes) -> Redactor:
    from mcpmock.cassette.redaction import Redactor
    from mcpmock.cassette.redaction_rules import read_rules

    fields = (*changes.added, (b"Authorization", changes.upstream.credentials))
    sent = {f"header {name.decode()} {number}": value.decode() for number, (name, value) in enumerate(fields)}
    redactor = Redactor(environment={**os.environ, **sent}, rules=read_rules(request.redact))
    for name, value in fields:
        redactor.header(name.decode(), value.decode())
    redactor.url(request.url)
    return redactor


def _begin(request: HttpRecordRequest, redactor: Redactor | None, head: Session) -> CassetteKeeper:
    from mcpmock.transports.keeper import CassetteKeeper

    url = request.url if redactor is None else redactor.url(request.url)
    session = head._replace(server=request.server or parse_upstream(request.url).host, url=url)
    destination = Destination(os.path.abspath(request.output), run_named(request.run), adds=request.appends)
    return CassetteKeeper(destination, session, say)


def _announce(request: HttpRecordRequest, url: str) -> None:
    upstream: Upstream = parse_upstream(request.url)
    sys.stdout.write(f"recording {upstream.url} to {request.output}; point the client at\n{url}\n")
    sys.stdout.flush()
