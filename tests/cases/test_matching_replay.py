"""Cases from public bug reports: matching, the replayer's side over stdio."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mcpmock.matching.miss import MISS_CODE
from tests.session.dialogue import recorded
from tests.transports.client import call, replay

ARGUMENTS = '{path: /tmp/pytest-of-u/pytest-17/x, at: "2026-11-30T07:00:00Z", id: 7d9f, q: a}'
RECORDED = recorded(f"""
> {{id: 1, method: tools/call, params: {{name: search, arguments: {ARGUMENTS}, _meta: {{traceparent: 00-aa}}}}}}
< {{id: 1, result: found}}
""")
LIVE = {"path": "/tmp/pytest-of-v/pytest-3/x", "at": "2027-01-01T00:00:00Z", "id": "11ee", "q": "a"}
VOLATILE = ("/arguments/path", "/arguments/at", "/arguments/id")


def written(tmp_path: Path, text: str) -> Path:
    """A cassette with this text."""
    path = tmp_path / "case.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def traced(**arguments: Any) -> dict[str, Any]:
    request = call("search", **arguments)
    request["params"]["_meta"] = {"traceparent": "00-bb"}
    return request


def test_ma_03_volatile_values_are_ignored_by_pointer(tmp_path: Path) -> None:
    """MA-03: `_meta` by default, the rest on the command line or in the cassette; what counts still counts."""
    by_option = [word for pointer in VOLATILE for word in ("--ignore", pointer)]
    rule = f"version: 1\nmatch: [{{method: tools/call, name: search, ignore: [{', '.join(VOLATILE)}]}}]"
    for text, options in ((RECORDED, by_option), (RECORDED.replace("version: 1", rule), [])):
        with replay(written(tmp_path, text), *options) as client:
            missed = client.ask(traced(**{**LIVE, "q": "b"}))
            assert missed["error"]["data"]["mcpmock"]["miss"] == "near miss"
            assert client.ask(traced(**LIVE)) == {"id": 1, "result": "found"}


def test_ma_03_a_miss_shows_the_nearest_exchange_and_the_paths_that_differ(tmp_path: Path) -> None:
    """MA-03: to the client, and on stderr with the options that would make it fit."""
    with replay(written(tmp_path, RECORDED)) as client:
        told = client.ask(traced(**LIVE))["error"]["data"]["mcpmock"]
        (nearest,) = told["nearest"]
        assert nearest["line"] == 6
        assert {difference["pointer"] for difference in nearest["differences"]} == set(VOLATILE)
        assert client.finish()[0] == 3
        for pointer in VOLATILE:
            assert f"--ignore {pointer}" in client.stderr()


def test_ma_04_a_miss_cannot_be_swallowed(tmp_path: Path) -> None:
    """MA-04: a stable code and data, exit status 3 though the client hides the error, and it never hangs."""
    path = written(
        tmp_path, recorded("> {id: 1, method: tools/call, params: {name: t, arguments: {a: 1}}}\n< {id: 1, result: {}}")
    )
    with replay(path) as client:
        with suppress(Exception):
            error = client.ask(call("t", a=2))["error"]
            raise ValueError(error["message"])
        assert error["code"] == MISS_CODE == -31404
        told = error["data"]["mcpmock"]
        assert (told["miss"], told["method"], told["name"]) == ("near miss", "tools/call", "t")
        assert told["nearest"][0]["differences"] == [{"pointer": "/arguments/a", "recorded": 1, "live": 2}]
        assert client.ask(call("t", 2, a=1)) == {"id": 2, "result": {}}
        assert client.finish() == (3, b"")


@pytest.mark.parametrize("kind", ["unknown", "exhausted"])
def test_ma_04_every_kind_of_miss_ends_with_3(tmp_path: Path, kind: str) -> None:
    """MA-04: one that nothing is near to, and one too many."""
    path = written(tmp_path, recorded("> {id: 1, method: tools/call, params: {name: t}}\n< {id: 1, result: {}}"))
    with replay(path) as client:
        client.ask(call("t"))
        missed = client.ask(call("t" if kind == "exhausted" else "other"))
        assert missed["error"]["data"]["mcpmock"]["miss"] == kind
        assert client.finish() == (3, b"")


def test_ma_05_one_cassette_with_several_servers(tmp_path: Path) -> None:
    """MA-05: one mock per server from one file, each with its own `search`, the calls in another order."""
    said = "> {{id: 1, method: tools/list}}\n< {{id: 1, result: {{tools: [{{name: search, description: {0}}}]}}}}\n"
    said += "> {{id: 2, method: tools/call, params: {{name: search}}}}\n< {{id: 2, result: {0}}}\n"
    first, second = (recorded(said.format(name), server=name) for name in ("books", "films"))
    path = written(tmp_path, first + second[second.index("- server") :])
    with replay(path, "--server", "films") as films, replay(path, "--server", "books") as books:
        assert films.ask(call("search", 2)) == {"id": 2, "result": "films"}
        assert books.ask({"id": 1, "method": "tools/list"})["result"]["tools"][0]["description"] == "books"
        assert books.ask(call("search", 2)) == {"id": 2, "result": "books"}
        assert films.ask({"id": 1, "method": "tools/list"})["result"]["tools"][0]["description"] == "films"
        assert [films.finish(), books.finish()] == [(0, b"")] * 2
