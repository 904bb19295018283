"""What a strict server asks of its clients over HTTP, and a replay only where it is told to (cases HT-08 and HT-12)."""

from __future__ import annotations

from mcpmock.transports.http.messages import Request, Response, refusal
from mcpmock.wire.http import EVENT_STREAM, JSON_TYPE, accepts, media_type

__all__ = ["objection"]


def objection(request: Request, path: str, wanted: str) -> Response | None:
    """The refusal of a request for Streamable HTTP that is not as the specification wants it; None where it is.

    404 for another path than `wanted`, below which a mock of several servers may stand; 415 for a body that is not told
    to be JSON; 406 for a client that does not take both kinds of answers, or for a GET no event stream.
    """
    if not path.rstrip("/").endswith(wanted.rstrip("/")):
        return refusal(404, f"Not Found: the server was recorded at {wanted}")
    if request.method == "POST" and media_type(request.header(b"content-type")) != JSON_TYPE:
        return refusal(415, f"Unsupported Media Type: Content-Type must be {JSON_TYPE}")
    needed = {"POST": (JSON_TYPE, EVENT_STREAM), "GET": (EVENT_STREAM,)}.get(request.method, ())
    accept = request.header(b"accept")
    if needed and not (accept and all(accepts(accept, media) for media in needed)):
        return refusal(406, f"Not Acceptable: Accept must allow {' and '.join(needed)}")
    return None
