"""The `endpoint` event of legacy HTTP+SSE, on its way through a proxy: the client shall post to the proxy. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_BLOCK_END: Final = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)")
_LONGEST: Final = 64 * 1024


class EndpointFilter:
    """Passes a stream of events on, and puts another URI where its first event is an `endpoint`.

    `rename` gives the new URI for the one that the event holds. Only the first event with data is looked at, so only
    that one is held back until it is whole; comments before it pass at once.
    """

    def __init__(self, rename: Callable[[str], str]) -> None:
        self._rename = rename
        self._held = b""
        self.is_done = False
        """Whether the first event has passed, and nothing is looked at any more."""

    def feed(self, data: bytes) -> bytes:
        """Bytes of the stream; returns those that can be passed on."""
        if self.is_done:
            return data
        self._held += data
        passed = b""
        while not self.is_done and (end := _BLOCK_END.search(self._held)):
            block, self._held = self._held[: end.end()], self._held[end.end() :]
            passed += self._block(block)
        if self.is_done or len(self._held) > _LONGEST or self._begins_with_comment():
            passed += self.end()
        return passed

    def end(self) -> bytes:
        """What was held back: nothing of it is an `endpoint` any more."""
        held, self._held = self._held, b""
        return held

    def _begins_with_comment(self) -> bool:
        """Whether only comments, whole ones, are held: somebody may look at them to see that the line is alive."""
        return bool(re.fullmatch(rb"(?::[^\r\n]*\n)+", self._held))

    def _block(self, block: bytes) -> bytes:
        lines = _LINE_END.split(block.removeprefix(b"\xef\xbb\xbf"))
        fields = [line.partition(b":") for line in lines]
        data = [value.removeprefix(b" ") for name, _, value in fields if name == b"data"]
        names = [value.removeprefix(b" ") for name, _, value in fields if name == b"event"]
        if not data:
            return block
        self.is_done = True
        if names[-1:] != [b"endpoint"]:
            return block
        uri = b"\n".join(data).decode(errors="replace").strip()
        new = self._rename(uri)
        if new == uri:
            return block
        return _with_data(block, new.encode())


def _with_data(block: bytes, data: bytes) -> bytes:
    """The event with other data, on one line where its first data line was; all else stays byte for byte."""
    done = False
    out: list[bytes] = []
    for line in re.findall(rb"[^\r\n]*(?:\r\n|\n|\r|$)", block):
        if line.removeprefix(b"\xef\xbb\xbf").partition(b":")[0].rstrip(b"\r\n") != b"data":
            out.append(line)
        elif not done:
            done = True
            end = line[len(line.rstrip(b"\r\n")) :]
            out.append(b"data: " + data + end)
    return b"".join(out)
