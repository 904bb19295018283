"""What of the head of a request makes servers refuse it before they look at what it asks: of a live one, and for a
recording.

By which name and for whose pages it is asked (DNS rebinding), the kinds of bodies, the revision, the session. The ids
of sessions are never kept: `unknown` stands for one that the server does not know, `known` for one that has begun, of
an `initialize` that names it.
"""

from __future__ import annotations

from typing import Final

from mcpmock.session.guards import NAMES, SESSION, VERSION, Minded
from mcpmock.session.headers.kept import odd_media
from mcpmock.wire.envelope import MODERN_REVISION
from mcpmock.wire.http import EVENT_STREAM, Headers, accepts, header_value, header_values
from mcpmock.wire.methods import LEGACY_REVISIONS
from mcpmock.wire.relaying import is_local, is_local_origin

__all__ = ["all_of", "foreign_names", "kept_minded", "minded"]

UNKNOWN: Final = "unknown"
KNOWN: Final = "known"

_LENGTH: Final = "content-length"
_TOO_LARGE: Final = 413
_NO_SUCH_VERB: Final = 405
_MEDIA: Final = ("accept", "content-type")
_MINDS: Final = {406: "accept", 415: "content-type"}
_OF_THE_HEAD: Final = (400, 404, 406, 415)
"""The statuses that may be about any of these headers."""


def foreign_names(headers: Headers) -> Minded:
    """`Host` and `Origin`, as far as they name no server, and no page, of this machine."""
    host, origin = (next(iter(header_values(headers, name.encode())), "") for name in NAMES)
    found = [("host", host)] if host and not is_local(host.encode("latin-1", "replace")) else []
    if origin and not is_local_origin(origin.encode("latin-1", "replace")):
        found.append(("origin", origin))
    return tuple(found)


def minded(verb: str, headers: Headers, *, opens: bool = False, is_known: bool = True) -> Minded:
    """All of it that is odd. `opens`: it begins a session; `is_known`: the server knows the session that it names."""
    found: list[tuple[str, str | None]] = [*foreign_names(headers)]
    found += [(name, _sent(headers, name)) for name in _odd_media(verb, headers)]
    version, session = _sent(headers, VERSION), _sent(headers, SESSION)
    if version is not None and version not in LEGACY_REVISIONS:
        found.append((VERSION, version))
    if not session and not opens and version != MODERN_REVISION:
        found.append((SESSION, session))  # it is missing, or empty, which servers tell apart
    elif session and (opens or not is_known):
        found.append((SESSION, KNOWN if is_known else UNKNOWN))
    return tuple(found)


def all_of(verb: str, headers: Headers, odd: Minded) -> Minded:
    """That, and the kinds of bodies where nothing is odd about them: a server may mind them all the same."""
    told = {name for name, _ in odd}
    media = (_sent(headers, name) for name in _MEDIA) if verb in ("POST", "GET") else ()
    return (*odd, *((name, value) for name, value in zip(_MEDIA, media, strict=False) if name not in told))


def kept_minded(everything: Minded, odd: Minded, status: int, *, length: int) -> Minded:
    """What of that a recording keeps of a request that was answered with this status; `length` is that of its body."""
    is_of_the_version = status == _NO_SUCH_VERB and any(name == VERSION for name, _ in odd)
    if status in _OF_THE_HEAD or is_of_the_version:
        minds = _MINDS.get(status)
        return tuple(one for one in everything if one in odd or one[0] == minds)
    told = tuple(one for one in everything if one[0] in NAMES or (one[0] == VERSION and one[1] == MODERN_REVISION))
    return (*told, (_LENGTH, str(length))) if status == _TOO_LARGE and length else told


def _odd_media(verb: str, headers: Headers) -> list[str]:
    if verb == "POST":
        return odd_media(headers, with_charset=True)
    accept = header_value(headers, b"accept")
    return ["accept"] if verb == "GET" and not (accept and accepts(accept, EVENT_STREAM)) else []


def _sent(headers: Headers, name: str) -> str | None:
    values = header_values(headers, name.encode())
    return ", ".join(values) if values else None
