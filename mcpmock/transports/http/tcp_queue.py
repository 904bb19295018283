"""Whether the other end of a TCP connection has read what it was sent, as far as this machine can tell.

TCP itself only tells what has arrived. Where the other end is on this machine too, Linux tells what waits there.
"""

from __future__ import annotations

import ipaddress
import struct
from typing import Final, NamedTuple

__all__ = ["Link"]

_TABLES: Final = {4: "/proc/net/tcp", 6: "/proc/net/tcp6"}


class Link(NamedTuple):
    """The two ends of a connection, each an address and a port: the client's, and ours."""

    client: tuple[str, int]
    server: tuple[str, int]

    def unread(self) -> int | None:
        """How many bytes the client has not read yet; None where nobody knows."""
        try:
            theirs, ours = _spelt(*self.client), _spelt(*self.server)
            with open(_TABLES[ipaddress.ip_address(self.client[0]).version], encoding="ascii") as table:
                for line in table:
                    fields = line.split(None, 5)
                    if fields[1] == theirs and fields[2] == ours:
                        return int(fields[4].partition(":")[2], 16)
        except (OSError, ValueError):
            pass
        return None


def _spelt(host: str, port: int) -> str:
    """An address as these tables spell it: words of the machine's own byte order, in hexadecimal."""
    packed = ipaddress.ip_address(host).packed
    words = struct.unpack(f">{len(packed) // 4}I", packed)
    return struct.pack(f"={len(words)}I", *words).hex().upper() + f":{port:04X}"
