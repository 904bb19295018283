"""Whether the other end of a TCP connection has read what it was sent, as far as this machine can tell.

TCP itself only tells what has arrived. Where the other end is on this machine too, Linux tells what waits there: of one
connection by a question to the kernel (sock_diag(7)), and if that cannot be asked, in a table of all of them.
"""

from __future__ import annotations

import ipaddress
import socket
import struct
from typing import Final, NamedTuple

__all__ = ["Link"]

_TABLES: Final = {4: "/proc/net/tcp", 6: "/proc/net/tcp6"}
_ASK_ONE: Final = 20
"""SOCK_DIAG_BY_FAMILY: the type of the question, and of an answer that tells of a connection."""

_IS_QUESTION: Final = 1
_SOCK_DIAG: Final = 4
_ANY_COOKIE: Final = (0xFFFFFFFF, 0xFFFFFFFF)
_ANSWER: Final = 4096


class Link(NamedTuple):
    """The two ends of a connection, each an address and a port: the client's, and ours."""

    client: tuple[str, int]
    server: tuple[str, int]

    def unread(self) -> int | None:
        """How many bytes the client has not read yet; None where nobody knows."""
        try:
            return _asked(*self)
        except (OSError, ValueError, AttributeError):  # no Linux, or one that tells nobody
            return _looked_up(*self)


def _asked(client: tuple[str, int], server: tuple[str, int]) -> int | None:
    theirs, ours = ipaddress.ip_address(client[0]), ipaddress.ip_address(server[0])
    family = socket.AF_INET if theirs.version == 4 else socket.AF_INET6
    ends = struct.pack("!HH16s16s", client[1], server[1], theirs.packed, ours.packed)
    question = (
        struct.pack("=BBxxI", family, socket.IPPROTO_TCP, 0xFFFFFFFF) + ends + struct.pack("=III", 0, *_ANY_COOKIE)
    )
    head = struct.pack("=IHHII", 16 + len(question), _ASK_ONE, _IS_QUESTION, 0, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
        kernel.send(head + question)
        answer = kernel.recv(_ANSWER)
    if struct.unpack_from("=H", answer, 4)[0] != _ASK_ONE:
        return _looked_up(client, server)
    unread: int = struct.unpack_from("=I", answer, 16 + 56)[0]
    return unread


def _looked_up(client: tuple[str, int], server: tuple[str, int]) -> int | None:
    try:
        theirs, ours = _spelt(*client), _spelt(*server)
        with open(_TABLES[ipaddress.ip_address(client[0]).version], encoding="ascii") as table:
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
