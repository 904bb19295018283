"""Cassettes, a real server, and the least of a client: what the tests of mocks have in common."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tests.program import SECONDS

GOLDEN: Final = Path(__file__).parent / "golden"

ADD: Final = """\
version: 1
sessions:
- entries:
  - client: {method: tools/call, params: {name: add, arguments: {a: 1, b: 2}}}
    server: {result: {content: [{type: text, text: "3"}]}}
  - client: {method: prompts/get, params: {name: greet, arguments: {who: Ann}}}
    server: {result: {messages: []}}
    optional: true
  - client: {method: resources/read, params: {uri: "a://b"}}
    server: {result: {contents: []}}
    optional: true
"""
TWO: Final = """\
version: 1
sessions:
- server: github
  entries:
  - client: {method: tools/call, params: {name: issues}}
    server: {result: {from: github}}
- server: weather
  entries:
  - client: {method: tools/call, params: {name: forecast}}
    server: {result: {from: weather}}
"""
SERVER: Final = """\
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = {"asked": message["method"], "folder": os.getcwd(), "mine": os.environ.get("MINE")}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def call(name: str = "add", **arguments: object) -> dict[str, Any]:
    return {"method": "tools/call", "params": {"name": name, **({"arguments": arguments} if arguments else {})}}


def ask(command: Sequence[str], *messages: dict[str, Any], **options: Any) -> list[Any]:
    """One process of a server: what it answers to these requests, and how it ends (the last element)."""
    lines = [json.dumps({"jsonrpc": "2.0", "id": number, **one}) for number, one in enumerate(messages, 1)]
    done = subprocess.run(
        command, input="\n".join([*lines, ""]).encode(), capture_output=True, timeout=SECONDS, **options
    )
    return [*map(json.loads, done.stdout.splitlines()), done.returncode]
