"""A new recording over HTTP in the words of the old one."""

from __future__ import annotations

from mcpmock.cassette.reader import load
from tests.session.recording.test_aligning import as_recorded, changed, realigned

OVER_HTTP = """\
version: 1

sessions:
- server: s
  transport: streamable_http
  entries:
  - http: {get: stream}
    label: get
  - client: {id: 1, method: tools/call, params: {name: a}}
  - client: {id: 2, method: tools/call, params: {name: b}}
  # what a said
  - server: {method: notifications/message, params: {data: x}}
    in: 1
  - server: {method: notifications/message, params: {data: x}}
    in: get
  - http: {closed: server}
    in: 1
  - http: {get: stream, resumes: 1}
  - server: {id: 1, result: {}}
    http: {answers: json}
  - http: {post: 502, body: down}
    in: 2
"""


def test_what_names_a_request_follows_it() -> None:
    """Ours (issue 5): `in:` and `resumes:` under other ids are the same; the head with its norm, too."""
    new = as_recorded(OVER_HTTP)
    for key in ("id", "in", "resumes"):
        for number in (1, 2):
            new = new.replace(f"{key}: {number}", f"{key}: 1{number}")
    assert "resumes: 11" in new
    assert realigned(OVER_HTTP, new) == OVER_HTTP


def test_what_is_new_over_http_names_the_requests_that_were_copied() -> None:
    """Ours (issue 5): under the ids of the old recording."""
    new = as_recorded(OVER_HTTP)
    for key in ("id", "in", "resumes"):
        for number in (1, 2):
            new = new.replace(f"{key}: {number}", f"{key}: 1{number}")
    new = new.replace("{closed: server}", "{aborted: server}").replace(
        "{get: stream, resumes: 11}", "{get: stream, resumes: 12}"
    )
    assert changed(OVER_HTTP, realigned(OVER_HTTP, new)) == [
        "-  - http: {closed: server}",
        "+  - http: {aborted: server}",
        "-  - http: {get: stream, resumes: 1}",
        "+  - http: {get: stream, resumes: 2}",
    ]


def test_a_stream_another_status_or_another_norm_is_another_thing() -> None:
    """Ours (issue 5): nothing that was otherwise is hidden behind what was copied."""
    for old, new in (
        ("in: get", "in: 1"),
        ("{answers: json}", "{status: 400}"),
        ("    in: 2\n", ""),
        ("  entries:", "  http: {answers: json}\n  entries:"),
    ):
        wanted = OVER_HTTP.replace(old, new)
        assert load(realigned(OVER_HTTP, as_recorded(wanted)).encode()).sessions[0].entries
        assert as_recorded(realigned(OVER_HTTP, as_recorded(wanted))) == as_recorded(wanted)
