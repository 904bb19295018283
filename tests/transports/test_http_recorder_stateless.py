"""The recorder of HTTP between clients and servers of the stateless revision (2026-07-28; issue 6, 1)."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from tests.cases.http_cases import until_left
from tests.transports.http_upstream import Asked
from tests.transports.proxying import Client, proxied

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
MIRRORS = [
    "MCP-Protocol-Version: 2026-07-28",
    "Mcp-Method: tools/call",
    "Mcp-Name: =?base64?cMO8bmt0bGljaA==?=",
    "Mcp-Param-Region: eu-north",
    "mcp-param-Region: again",
]


def call(number: int) -> dict[str, Any]:
    """A call with what each request of this revision carries."""
    params = {"name": "pünktlich", "arguments": {"region": "eu-north"}, "_meta": META}
    return {"id": number, "method": "tools/call", "params": params}


def test_headers_that_mirror_a_request_pass_as_they_are(tmp_path: Path) -> None:
    """Spec: whether they fit is for the server to say; spelling, order and repetition are kept."""
    with proxied(tmp_path, Asked.result) as (upstream, proxy, client):
        client.call(call(1), *MIRRORS)
        fields = [f"{name}: {value}" for name, value in upstream.next().fields]
        assert [field for field in fields if field.lower().startswith("mcp-")] == MIRRORS
    assert "Mcp-" not in proxy.text, "headers that follow from the body are not kept"


def test_a_client_that_leaves_cancels_upstream_and_the_rest_goes_on(tmp_path: Path) -> None:
    """Spec: in this revision the disconnect is the cancel; it is recorded as what it was."""
    left = threading.Event()
    with proxied(tmp_path, until_left(left)) as (_, proxy, one), Client(proxy.url) as two:
        two.call(call(0), *MIRRORS)
        one.post(call(1), *MIRRORS)
        one.head()
        one.leave()
        assert left.wait(20)
        assert two.call(call(2), *MIRRORS).status == 200
    proxy.holds("""
        - http: {aborted: client}
          in: 1
    """)
    (session,) = proxy.sessions
    assert session.http.session is False


def test_a_client_that_only_subscribes_is_recorded(tmp_path: Path) -> None:
    """Ours: nothing was kept, as if the server had not been heard."""
    left, about = threading.Event(), {"_meta": {"io.modelcontextprotocol/subscriptionId": 1}}
    acknowledged = {"method": "notifications/subscriptions/acknowledged", "params": {**about, "notifications": {}}}
    with proxied(tmp_path, until_left(left, acknowledged)) as (_, proxy, client):
        client.post({"id": 1, "method": "subscriptions/listen", "params": {"notifications": {}, "_meta": META}})
        client.head()
        client.chunk()
        client.leave()
        assert left.wait(20)
    assert [entry.kind for entry in proxy.sessions[0].entries] == ["client", "server", "http"]
