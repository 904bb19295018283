"""A small MCP server over stdio: `python -m mcpmock.demo.server`.

It has what a recording must hold beside plain answers: progress, a question to the client, a state that a write
changes for the reads after it, a resource, errors. It speaks revisions 2024-11-05 to 2025-11-25 and knows nothing
of mcpmock, so that recording it is recording any server.
"""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Final

REVISIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
NOTES_URI: Final = "notes://all"
READ_ONLY: Final = {"readOnlyHint": True}

PARSE_ERROR: Final = -32700
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602


class Refusal(Exception):
    """What a request is answered with instead of a result: a JSON-RPC error."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(code, text)
        self.code = code
        self.text = text


class Server:
    """One connection, from its first line to the end of its input."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        self._reader = reader
        self._writer = writer
        self._waiting: deque[dict[str, Any]] = deque()
        self._asked = 0
        self._notes: list[str] = []
        self._methods: dict[str, Callable[[dict[str, Any]], Any]] = {
            "initialize": self._initialize,
            "ping": lambda params: {},
            "tools/list": lambda params: {"tools": TOOLS},
            "tools/call": self._call,
            "resources/list": lambda params: {"resources": [RESOURCE]},
            "resources/read": self._read,
        }
        self._tools: dict[str, Callable[[dict[str, Any], Any], dict[str, Any]]] = {
            "add": self._add,
            "brew": self._brew,
            "compose": self._compose,
            "list_notes": self._list_notes,
            "add_note": self._add_note,
        }

    def serve(self) -> None:
        """Answer until the client closes our input."""
        while self._waiting or self._receive():
            message = self._waiting.popleft()
            if "method" in message and "id" in message:
                self._send({"id": message["id"], **self._outcome(message)})

    def _outcome(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            method = self._methods.get(request["method"])
            if method is None:
                raise Refusal(METHOD_NOT_FOUND, f"Method not found: {request['method']}")
            return {"result": method(request.get("params") or {})}
        except Refusal as refusal:
            return {"error": {"code": refusal.code, "message": refusal.text}}

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        asked = params.get("protocolVersion")
        return {
            "protocolVersion": asked if asked in REVISIONS else REVISIONS[0],
            "capabilities": {"tools": {}, "resources": {}},
            "serverInfo": {"name": "mcpmock-demo", "version": "1.0.0"},
            "instructions": "A small server to try mcpmock on.",
        }

    def _call(self, params: dict[str, Any]) -> dict[str, Any]:
        tool = self._tools.get(params.get("name", ""))
        if tool is None:
            raise Refusal(INVALID_PARAMS, f"Unknown tool: {params.get('name')}")
        try:
            return tool(params.get("arguments") or {}, (params.get("_meta") or {}).get("progressToken"))
        except (KeyError, TypeError) as error:
            return {**_text(f"The arguments do not fit: {error}"), "isError": True}

    def _read(self, params: dict[str, Any]) -> dict[str, Any]:
        if params.get("uri") != NOTES_URI:
            raise Refusal(INVALID_PARAMS, f"Unknown resource: {params.get('uri')}")
        return {"contents": [{"uri": NOTES_URI, "mimeType": "text/plain", "text": "".join(self._lines())}]}

    def _add(self, arguments: dict[str, Any], token: Any) -> dict[str, Any]:
        total = arguments["a"] + arguments["b"]
        return {**_text(str(total)), "structuredContent": {"sum": total}}

    def _brew(self, arguments: dict[str, Any], token: Any) -> dict[str, Any]:
        cups = arguments["cups"]
        for cup in range(1, cups + 1):
            if token is not None:
                progress = {"progressToken": token, "progress": cup, "total": cups, "message": f"cup {cup} is ready"}
                self._send({"method": "notifications/progress", "params": progress})
        return _text(f"{cups} cups of tea")

    def _compose(self, arguments: dict[str, Any], token: Any) -> dict[str, Any]:
        prompt = f"Write one line about {arguments['topic']}."
        messages = [{"role": "user", "content": {"type": "text", "text": prompt}}]
        answer = self._ask("sampling/createMessage", {"messages": messages, "maxTokens": 100})
        if "error" in answer:
            return {**_text(f"The client's model refused: {answer['error']['message']}"), "isError": True}
        return _text(f"The client's model wrote: {answer['result']['content']['text']}")

    def _list_notes(self, arguments: dict[str, Any], token: Any) -> dict[str, Any]:
        return _text("".join(self._lines()) or "no notes\n")

    def _add_note(self, arguments: dict[str, Any], token: Any) -> dict[str, Any]:
        self._notes.append(arguments["text"])
        return _text(f"noted, {len(self._notes)} in all")

    def _lines(self) -> Iterator[str]:
        return (f"{number}. {note}\n" for number, note in enumerate(self._notes, 1))

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The client's answer to a question of ours; what else arrives until then waits for its turn."""
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        while self._receive():
            if "method" not in self._waiting[-1] and self._waiting[-1].get("id") == self._asked:
                return self._waiting.pop()
        raise SystemExit(0)

    def _receive(self) -> bool:
        """Put the next message at the end of those that wait; False at the end of the input."""
        for line in self._reader:
            try:
                message = json.loads(line)
            except ValueError:
                self._send({"id": None, "error": {"code": PARSE_ERROR, "message": "not JSON"}})
                continue
            if isinstance(message, dict):
                self._waiting.append(message)
                return True
        return False

    def _send(self, message: dict[str, Any]) -> None:
        self._writer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._writer.flush()


def _text(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def _tool(name: str, description: str, properties: dict[str, str], **more: Any) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {key: {"type": kind} for key, kind in properties.items()},
        "required": list(properties),
    }
    return {"name": name, "description": description, "inputSchema": schema, **more}


TOOLS: Final = [
    _tool("add", "Add two numbers.", {"a": "number", "b": "number"}, annotations=READ_ONLY),
    _tool("brew", "Brew tea, with progress for every cup.", {"cups": "integer"}, annotations=READ_ONLY),
    _tool("compose", "Ask the client's model to write a line.", {"topic": "string"}, annotations=READ_ONLY),
    _tool("list_notes", "List the notes.", {}, annotations=READ_ONLY),
    _tool("add_note", "Write a note down.", {"text": "string"}),
]
RESOURCE: Final = {"uri": NOTES_URI, "name": "notes", "mimeType": "text/plain"}


if __name__ == "__main__":
    print("The demo server is ready.", file=sys.stderr, flush=True)
    Server(sys.stdin.buffer, sys.stdout.buffer).serve()
