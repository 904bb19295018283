"""A server of both eras at one URL: what is asked in the envelope of 2026-07-28, and what is asked bare, without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.http.client import QUIET, call, mock_of, web
from tests.http.test_stateless_over_http import HEADERS, META, enveloped

pytestmark = [pytest.mark.anyio, QUIET]

BARE: Final = [{"client": call("add", 1, a=1)}, {"server": {"id": 1, "result": {"kind": "bare"}}}]
ENVELOPED: Final = [{"client": enveloped(a=1)}, {"server": {"id": 1, "result": {"kind": "enveloped"}}}]
LIST: Final = [{"client": {"id": 2, "method": "tools/list"}}, {"server": {"id": 2, "result": {"tools": []}}}]
MODERN_LIST: Final = [
    {"client": {"id": 2, "method": "tools/list", "params": {"_meta": META}}},
    {"server": {"id": 2, "result": {"tools": [], "ttlMs": 0}}},
]


def sessions(*entries: list[Any]) -> str:
    """A cassette of a server that gives out no ids."""
    found = [{"transport": "streamable_http", "http": {"session": False}, "entries": one} for one in entries]
    return json.dumps({"version": 1, "recorded_with": "mcpmock 0.1.0", "sessions": found})


@pytest.mark.parametrize(
    "cassette",
    [
        sessions(BARE, ENVELOPED),
        sessions(ENVELOPED, BARE),
        sessions([*ENVELOPED, *BARE]),
        sessions([*LIST, *BARE], [*MODERN_LIST, *ENVELOPED]),
    ],
)
async def test_each_gets_what_was_recorded_for_its_kind(tmp_path: Path, over: str, cassette: str) -> None:
    """Issue 6: such a server answers them otherwise; also where each session holds one call."""
    talk: list[tuple[Any, dict[str, str], str]] = [
        (call("add", 7, a=1), {}, "bare"),
        (enveloped(a=1), HEADERS, "enveloped"),
    ]
    for order in (talk, talk[::-1]):
        with mock_of(tmp_path, cassette) as mock:
            async with web(mock, over) as client:
                for asked, headers, kind in order:
                    assert (await client.answer(asked, **headers))["result"]["kind"] == kind


@pytest.mark.parametrize(("cassette", "kind"), [(sessions(BARE), "bare"), (sessions(ENVELOPED), "enveloped")])
async def test_where_one_kind_was_recorded_it_serves_both(tmp_path: Path, over: str, cassette: str, kind: str) -> None:
    """Ours (DESIGN 4: `_meta` is no part of the key): who writes by hand may leave the envelope out."""
    talk: list[tuple[Any, dict[str, str]]] = [(call("add", 7, a=1), {}), (enveloped(a=1), HEADERS)]
    for asked, headers in talk:
        with mock_of(tmp_path, cassette) as mock:
            async with web(mock, over) as client:
                assert (await client.answer(asked, **headers))["result"]["kind"] == kind
