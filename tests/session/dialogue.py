"""Tests as dialogue: a cassette, what the client says, and what the recorded server must answer to it.

    dialogue(CASSETTE, '''
    > {id: 1, method: tools/call, params: {name: add}}
    < {id: 1, result: {sum: 3}}
    ''')

`>` is the client, `<` the server: messages as in a cassette, without `jsonrpc`. After each line of the client all that
the machine answers is taken down, and the whole talk is compared with the one that is written here, so that a failure
shows both as a diff. More lines: `.. 1.5` (so many seconds pass), `> raw: text` (the client sends that very line),
`> eof` (the client closes), `< end 3` (the server leaves with a status or signal), `< noise: text`, `< stderr: text`.
A miss is written `< miss KIND id`; so it is in the talk.

`recorded` writes cassettes in the same manner.
"""

from __future__ import annotations

import json
from difflib import ndiff
from typing import Any

import yaml

from mcpmock.cassette.reader import load
from mcpmock.matching.miss import MISS_CODE
from mcpmock.session.playing.actions import Action, End, Send, SendNoise
from mcpmock.session.playing.casting import Library
from mcpmock.session.playing.ledger import Ledger
from mcpmock.session.playing.live import Options
from mcpmock.session.playing.playback import Playback
from mcpmock.session.playing.report import Report
from mcpmock.session.story import Story

HANDSHAKE = """
> {id: 0, method: initialize, params: {protocolVersion: "2025-06-18", capabilities: {sampling: {}, roots: {}}}}
< {id: 0, result: {protocolVersion: "2025-06-18", capabilities: {}}}
> {method: notifications/initialized}
"""
"""The beginning of a recorded session, and of a live one."""


def recorded(*sessions: str, head: str = "", server: str = "") -> str:
    """A cassette with these sessions: `>` and `<` lines as in a talk; other lines are YAML, an entry in a line."""
    lines = ["version: 1", head, "sessions:"]
    for session in sessions:
        lines += [f"- server: {server}" if server else "-", "  entries:"]
        for line in session.strip().splitlines():
            said = line.strip()
            kind = {">": "- client: ", "<": "- server: "}.get(said[:1])
            lines.append("  " + (kind + said[1:].strip() if kind else said))
    return "\n".join(lines) + "\n"


def library(cassette: str, *, server: str = "", ignore: tuple[str, ...] = ()) -> Library:
    """The library of a cassette that is written as text."""
    return Library(Story(load(cassette.encode(), path="test.yaml"), server=server), ignore)


def playback(
    cassette: str | Library, options: Options | None = None, ledger: Ledger | None = None, ignore: tuple[str, ...] = ()
) -> Playback:
    """A fresh live session with a cassette."""
    stage = library(cassette, ignore=ignore) if isinstance(cassette, str) else cassette
    return Playback(stage, options or Options(), ledger, Report(keep_calls=True))


def dialogue(
    cassette: str | Library,
    talk: str,
    *,
    options: Options | None = None,
    ledger: Ledger | None = None,
    ignore: tuple[str, ...] = (),
) -> Playback:
    """Holds the talk with a fresh live session, and asserts that it went as written. Returns the machine."""
    machine = playback(cassette, options, ledger, ignore)
    continue_dialogue(machine, talk)
    return machine


def continue_dialogue(machine: Playback, talk: str) -> None:
    """Goes on with a session that has begun."""
    written = [line.strip() for line in talk.strip().splitlines() if line.strip() and not line.strip().startswith("#")]
    assert any(line.startswith("<") for line in written), "a dialogue in which the server says nothing asserts nothing"
    heard: list[str] = []
    now = 0.0
    for line in written:
        if line.startswith("<"):
            continue
        if line.startswith(".."):
            now += float(line[2:])
        heard.append(_spelt(line))
        heard += [_told(action) for action in _take(machine, line, now)]
    wanted = [_spelt(line) for line in written]
    if heard != wanted:
        raise AssertionError(
            "the talk went otherwise (- as written, + as it went):\n" + "\n".join(ndiff(wanted, heard))
        )


def _take(machine: Playback, line: str, now: float) -> list[Action]:
    if line.startswith(".."):
        return machine.wake(now)
    said = line[1:].strip()
    if said == "eof":
        return machine.end_of_input(now)
    if said.startswith("raw:"):
        return machine.receive(said[4:].strip().encode(), now)
    value = yaml.safe_load(said)
    messages = [{"jsonrpc": "2.0", **one} for one in value] if isinstance(value, list) else {"jsonrpc": "2.0", **value}
    return machine.receive(json.dumps(messages).encode(), now)


def _told(action: Action) -> str:
    if isinstance(action, Send):
        return "< " + json.dumps(_without_version(json.loads(action.text)), sort_keys=True)
    if isinstance(action, End):
        return f"< end {action.status}"
    if isinstance(action, SendNoise):
        return f"< noise: {action.line.decode()}"
    return f"< stderr: {action.text.strip()}"


def _without_version(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_version(one) for one in value]
    assert value.pop("jsonrpc") == "2.0"
    error = value.get("error")
    if isinstance(error, dict) and error.get("code") == MISS_CODE:
        return ["miss", error["data"]["mcpmock"]["miss"], value["id"]]
    return value


def _spelt(line: str) -> str:
    """A line in one spelling, whatever style it was written in."""
    side, said = line[:1], line[1:].strip()
    if side == "<" and said.startswith("miss "):
        kind, live_id = said.removeprefix("miss ").rsplit(" ", 1)
        return "< " + json.dumps(["miss", kind, yaml.safe_load(live_id)])
    if said.startswith(("{", "[")):
        return f"{side} {json.dumps(yaml.safe_load(said), sort_keys=True)}"
    return line
