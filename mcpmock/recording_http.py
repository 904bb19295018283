"""Records a server that is reached over HTTP: what stands between the command line and the proxy."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from mcpmock.errors import UsageError
from mcpmock.keeping import Keeping, masks_for
from mcpmock.transports import posix
from mcpmock.transports.destination import check_destination
from mcpmock.transports.ending import end_undisturbed
from mcpmock.transports.proxy.recorder import Address, HttpRecorder, most_part_files
from mcpmock.transports.proxy.relay import Relaying
from mcpmock.transports.pumps import STDOUT
from mcpmock.transports.stdio_recorder import say
from mcpmock.wire.relaying import Changes, OriginRule, check_header, parse_upstream

if TYPE_CHECKING:
    from mcpmock.cassette.model import HttpNorm, Transport
    from mcpmock.session.recording.filtering import BeforeRecord
    from mcpmock.transports.proxy.minds import Mind

_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class HttpRecordRequest(NamedTuple):
    """What to record over HTTP.

    keeping       how it is kept
    url           the server's URL
    address       where clients reach the proxy
    headers       `Name: value`, sent with every request; `${NAME}` in a value is a variable of our environment
    origin        what becomes of the header `Origin`: pass, drop, rewrite
    rewrite_auth  OAuth metadata and challenges that name the server name the proxy instead, and authorization servers
                  are stood in for
    allow_origin  pages of other machines that may use the proxy
    insecure      the server's certificate is not verified
    before_record  the user's function that is asked for every message before it is kept
    """

    keeping: Keeping
    url: str
    address: Address = Address()
    headers: Sequence[str] = ()
    origin: OriginRule = "pass"
    rewrite_auth: bool = False
    allow_origin: Sequence[str] = ()
    insecure: bool = False
    before_record: BeforeRecord | None = None


def record_http(request: HttpRecordRequest) -> int:
    """Stand between clients and a server until a signal ends it; returns the exit code.

    Raises UsageError and CassetteError before anything is moved.
    """
    check_destination(request.keeping.output)
    recorder = open_recorder(request)
    is_sound = recorder.run(request.address, partial(_announce, request))
    end_undisturbed()
    return 0 if is_sound else 1


def open_recorder(request: HttpRecordRequest) -> HttpRecorder:
    """A recorder for it, which does not run yet. Raises UsageError."""
    relaying = relaying_for(request)
    request.keeping.check_rules()
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
        raise UsageError("a header has a colon; write 'Name: value'")  # without what was given: it may be a secret
    missing = [variable for variable in _VARIABLE.findall(value) if variable not in environment]
    if missing:
        raise UsageError(f"the header {name} wants the variable {missing[0]}, which the environment does not have")
    return check_header(name.strip(), _VARIABLE.sub(lambda found: environment[found[1]], value))


def recording_mind(request: HttpRecordRequest, changes: Changes) -> Mind:
    """What keeps the sessions of such a recorder."""
    from mcpmock.cassette.model import Session
    from mcpmock.session.recording.filtering import RecordFilter
    from mcpmock.session.recording.http.recording import HttpRecording
    from mcpmock.transports.joiner import Joiner
    from mcpmock.transports.keeper import CassetteKeeper, KeptSession
    from mcpmock.transports.proxy.recording_mind import RecordingMind

    keeping, upstream = request.keeping, changes.upstream
    session = Session(server=keeping.server or upstream.host, url=request.url)
    masks = masks_for(keeping, os.environ)
    if masks.redactor:
        session = session._replace(url=masks.redactor.url(request.url))
        for name, value in (*changes.added, (b"Authorization", upstream.credentials)):  # sent with every request
            masks.redactor.header(name.decode(), value.decode())
    joiner = Joiner(keeping.destination, session.server, say, most_open=most_part_files())

    def begin(transport: Transport, norm: HttpNorm) -> KeptSession:
        head = masks.variables.head(session._replace(transport=transport, http=norm))
        choose = RecordFilter(request.before_record).entries if request.before_record else list
        return KeptSession(CassetteKeeper(joiner, head, say, masks.counts), choose)

    recording = HttpRecording(upstream.path.decode(), max_message=keeping.max_message, redactor=masks.mask)
    return RecordingMind(recording, begin, joiner, say)


def _announce(request: HttpRecordRequest, url: str) -> None:
    say(f"recording {parse_upstream(request.url).url} to {request.keeping.output}: point the client at {url}")
    posix.write(STDOUT, f"{url}\n".encode())
