"""The least that a Python server does to answer by what was asked: parse, look up in a dict, serialise."""

from __future__ import annotations

import json
import sys

CALLS = int(sys.argv[1])


def key(params: object) -> str:
    """Equal params, equal text."""
    return json.dumps(params, sort_keys=True)


answers = {
    key({"name": "echo", "arguments": {"message": f"message {number}"}}): {
        "content": [{"type": "text", "text": f"Echo: message {number}"}]
    }
    for number in range(CALLS)
}
handshake = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "bare", "version": "1"}}
for line in sys.stdin.buffer:
    message = json.loads(line)
    if "id" in message:
        result = answers.get(key(message["params"]), handshake)
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()
