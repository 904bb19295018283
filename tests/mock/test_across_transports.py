"""What was recorded over one transport of HTTP, played over the other."""

from __future__ import annotations

from pathlib import Path

import mcpmock
from tests.transports.proxying import Client

REFUSED = """
version: 1
sessions:
- transport: streamable_http
  http: {answers: json, session: false}
  entries:
  - client: {id: 0, method: initialize, params: {protocolVersion: "2025-11-25"}}
  - server: {id: 0, result: {protocolVersion: "2025-11-25", capabilities: {}, serverInfo: {name: s, version: "1"}}}
  - client: {id: 1, method: tools/call, params: {name: t}}
  - http: {post: 400, type: text/html, body: "<html>"}
"""


def test_what_refused_a_post_is_an_error_on_the_stream_of_a_legacy_client(tmp_path: Path) -> None:
    """Issue 5, 6: it waits for its answer there, whatever the status of its POST."""
    path = tmp_path / "c.yaml"
    path.write_text(REFUSED)
    with mcpmock.replay(path) as server, Client(server.sse_url) as stream, Client(server.sse_url) as client:
        stream.get()
        stream.head()
        endpoint = stream.chunk().split(b"data: ")[1].split()[0].decode()
        client.call({"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}, path=endpoint)
        stream.until(b"\n\n")
        assert client.call({"id": 7, "method": "tools/call", "params": {"name": "t"}}, path=endpoint).status == 202
        told = stream.until(b"\n\n")
        assert b'"id":7' in told.replace(b" ", b"")
        assert b"HTTP status 400" in told
