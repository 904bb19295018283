"""Hostile input: our own examples, spoilt in the ways in which editors, checkouts, disks and enemies spoil files."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Final

from hypothesis import strategies as st

from tests.architecture.source import ROOT

EXAMPLES: Final = {path.name: path.read_bytes() for path in sorted((ROOT / "cassettes").glob("*.yaml"))}
"""The cassettes of the repository by name."""

_WORDS: Final = (
    *(b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\t", b"\x1b[2J", b"\xc2\x85", b"\xe2\x80\xa8", b"\x7f"),
    *(b"&a ", b"*a", b"<<: *a", b"!!str ", b"!x ", b"? ", b"- ", b": ", b" #", b"|", b">", b"|+", b"|9", b"%", b"@"),
    *(b"{", b"}", b"[", b"]", b",", b"'", b'"', b"\\", b"---\n", b"...\n", b"~secret.a.1~", b"~var.home~", b"null"),
    *(
        b"\xed\xa0\x80",
        b"1e999",
        b"9" * 5_000,
        b"-0",
        b"0x1",
        b"[" * 300,
        b"{a: " * 300,
        b"true",
        b"version: 2",
        b"in: 7",
    ),
    *(
        b"label: x",
        b"times: 1000000000",
        b"delay: 99999999999999999999",
        b"exit: -1",
        b"id: 0",
        b"id: null",
        b"id: [1]",
    ),
    *(b"eof: server", b"eof: client", b"id: 1"),
)


def _lines(data: bytes) -> list[bytes]:
    return data.split(b"\n")


def _flip(data: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(data) + 1)
    return data[:at] + bytes([dice.randrange(256)]) + data[at + 1 :]


def _insert(data: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(data) + 1)
    return data[:at] + dice.choice(_WORDS) + data[at:]


def _cut(data: bytes, dice: random.Random) -> bytes:
    return data[: dice.randrange(len(data) + 1)]


def _without_a_piece(data: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(data) + 1)
    return data[:at] + data[at + dice.randrange(1, 40) :]


def _twice(data: bytes, dice: random.Random) -> bytes:
    lines = _lines(data)
    at = dice.randrange(len(lines))
    return b"\n".join([*lines[:at], *lines[at : at + dice.randrange(1, 6)] * 2, *lines[at + 1 :]])


def _swapped(data: bytes, dice: random.Random) -> bytes:
    lines = _lines(data)
    first, second = dice.randrange(len(lines)), dice.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return b"\n".join(lines)


def _reindented(data: bytes, dice: random.Random) -> bytes:
    lines = _lines(data)
    start, pad = dice.randrange(len(lines)), b" " * dice.randrange(1, 5)
    for at in range(start, min(len(lines), start + dice.randrange(1, 30))):
        lines[at] = pad + lines[at] if dice.random() < 0.7 else lines[at].removeprefix(pad)
    return b"\n".join(lines)


def _tabbed(data: bytes, dice: random.Random) -> bytes:
    return data.replace(b"  ", b"\t", dice.randrange(1, 9))


def _windows(data: bytes, _: random.Random) -> bytes:
    return data.replace(b"\n", b"\r\n")


def _stripped(data: bytes, _: random.Random) -> bytes:
    return b"\n".join(line.rstrip() for line in _lines(data)) + b"\n"


def _marked(data: bytes, _: random.Random) -> bytes:
    return b"\xef\xbb\xbf" + data


def _renumbered(data: bytes, dice: random.Random) -> bytes:
    number = str(dice.choice([-1, 0, 1, 7, 10**6, 10**30])).encode()
    return data.replace(str(dice.randrange(5)).encode(), number, dice.randrange(1, 4))


_WAYS: Final[tuple[Callable[[bytes, random.Random], bytes], ...]] = (
    *(_flip, _insert, _insert, _cut, _without_a_piece, _twice, _swapped, _reindented, _tabbed),
    *(_windows, _stripped, _marked, _renumbered),
)


def spoilt(data: bytes, seed: int, times: int) -> bytes:
    """The data after so many changes; the same seed gives the same."""
    dice = random.Random(seed)
    for _ in range(times):
        data = dice.choice(_WAYS)(data, dice)
    return data


spoilt_cassettes: Final = st.builds(
    spoilt, st.sampled_from(list(EXAMPLES.values())), st.integers(0, 2**32), st.integers(1, 4)
)
"""An example that somebody has spoilt."""

_METHODS: Final = (
    *("initialize", "notifications/initialized", "ping", "tools/list", "tools/call", "resources/read", "prompts/get"),
    *("notifications/cancelled", "notifications/progress", "server/discover", "logging/setLevel"),
    *(
        "resources/subscribe",
        "completion/complete",
        "tasks/get",
        "tasks/result",
        "tasks/cancel",
        "subscriptions/listen",
        "x/y",
        "",
    ),
    "\x1b[2J",
)
_KEYS: Final = ("name", "arguments", "uri", "_meta", "progressToken", "requestId", "taskId", "cursor", "level", "a", "")
_deep: Final = st.builds(lambda depth: json.loads("[" * depth + "]" * depth), st.sampled_from([50, 200, 400]))
_values: Final = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-3, 3), st.floats(), st.sampled_from([10**400, "1", "add", "x" * 5_000]),
        st.text(max_size=5), _deep,
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(_KEYS), inner, max_size=4)),
    max_leaves=8,
)  # fmt: skip
_messages: Final = st.builds(
    lambda members, version: {**({"jsonrpc": version} if version else {}), **members},
    st.fixed_dictionaries(
        {},
        optional={
            "id": st.one_of(st.integers(-1, 4), _values),
            "method": st.one_of(st.sampled_from(_METHODS), _values),
            "params": _values,
            "result": _values,
            "error": _values,
        },
    ),
    st.sampled_from(["2.0", "2.0", "2.0", "1.0", ""]),
)


def _frame(value: object) -> bytes:
    return json.dumps(value).encode()


frames: Final = st.one_of(
    st.builds(_frame, _messages),
    st.builds(_frame, st.lists(_messages, max_size=3)),
    st.builds(spoilt, st.builds(_frame, _messages), st.integers(0, 2**32), st.integers(1, 2)),
    st.binary(max_size=30),
    st.sampled_from([b"[" * 2_000, b"{}", b"[]", b'"', b"-0", b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}']),
)
"""What a client may send in a line."""

MIB: Final = 1024**2
_HEAD: Final = b"version: 1\nsessions:\n- entries:\n  - client: {method: x, params: {a: "
_BOMB: Final = b"".join(b"  l%d: &l%d [%s]\n" % (at, at, b", ".join([b"*l%d" % (at - 1)] * 9)) for at in range(1, 10))
HOSTILE: Final[dict[str, bytes]] = {
    "an alias bomb": _HEAD + b"1}}\nmatch: &l0 [x]\nx:\n" + _BOMB,
    "an alias bomb in a message": b"version: 1\nsessions:\n- entries:\n  - client:\n      method: x\n      params:\n"
    b"        l0: &l0 [x]\n" + _BOMB.replace(b"  l", b"        l"),
    "aliases of a large text": _HEAD + b"&a " + b"y" * 100_000 + b", b: [" + b"*a, " * 5_000 + b"]}}\n",
    "100,000 brackets": _HEAD + b"[" * 100_000,
    "100,000 braces": _HEAD + b"{a: " * 100_000,
    "100,000 dashes": b"version: 1\nsessions:\n" + b"- " * 100_000,
    "100,000 anchors": _HEAD + b"[" + b"".join(b"&a%d x, " % at for at in range(100_000)) + b"]}}\n",
    "100,000 equal keys": _HEAD + b"{" + b"k: 1, " * 100_000 + b"}}}\n",
    "100,000 tags": _HEAD + b"[" + b"!!python/object:os.system x, " * 100_000 + b"]}}\n",
    "a scalar of 8 MiB": _HEAD + b"y" * (8 * MIB) + b"}}\n",
    "a number of 1 MiB": _HEAD + b"9" * MIB + b"}}\n",
    "a quoted text of 8 MiB that never ends": _HEAD + b'"' + b"y" * (8 * MIB),
    "a key of 1 MiB": _HEAD + b"{? " + b"y" * MIB + b" : 1}}}\n",
    "a block of 1 MiB of empty lines": _HEAD.replace(b"{a: ", b"\n        a: |\n") + b"\n" * MIB,
    "exact text that is nested": b"version: 1\nsessions:\n- entries:\n  - client: '" + b"[" * 200_000 + b"'\n",
    "a version without end": b"version: " + b"1" * MIB,
    "1 MiB of nothing": b"\0" * MIB,
    "1 MiB of carriage returns": _HEAD + b"\r" * MIB,
}
"""Files that cost much where nobody has thought of them, by name."""
