"""Cassettes of any size, as text."""

from __future__ import annotations

HEAD = """\
version: 1
recorded_with: mcpmock
sessions:
- server: bench
  transport: stdio
  command: [bench]
  entries:
  - client:
      id: 0
      method: initialize
      params: {protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {name: bench, version: 1.0.0}}
  - server:
      id: 0
      result:
        protocolVersion: "2025-11-25"
        capabilities: {tools: {}}
        serverInfo: {name: bench, version: 1.0.0}
  - client: {method: notifications/initialized}
"""
CALL = """\
  - client:
      id: {id}
      method: tools/call
      params:
        name: echo
        arguments: {{message: message {number}}}
  - server:
      id: {id}
      result:
        content:
        - type: text
          text: "Echo: message {number}"
"""


def with_calls(count: int) -> str:
    """A cassette with a handshake and that many different calls: three messages and two for each call."""
    return HEAD + "".join(CALL.format(id=number + 1, number=number) for number in range(count))
