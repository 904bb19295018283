"""The options of a replay over stdio, by their effect on a client (issue 2)."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.program import run
from tests.session.dialogue import recorded
from tests.transports.client import call, replay

ONE = "> {id: 1, method: tools/call, params: {name: t}}\n< {id: 1, result: one}\n"
MORE = "> {id: 2, method: prompts/get, params: {name: p}}\n< {id: 2, result: p}\n"


def written(tmp_path: Path, text: str) -> Path:
    """A cassette with this text."""
    path = tmp_path / "written.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), ["one", "two", "missed"]),
        (("--order", "any"), ["one", "one", "one"]),
        (("--order=sequence",), ["one", "two", "missed"]),
        (("--allow-playback-repeats",), ["one", "two", "two"]),
        (("--order", "strict", "--ignore", "/arguments/x"), ["one", "two", "missed"]),
    ],
)
def test_the_order_is_chosen_on_the_command_line(tmp_path: Path, options: tuple[str, ...], told: list[str]) -> None:
    """Issue 2: `--order`, `--allow-playback-repeats`."""
    path = written(tmp_path, recorded(ONE + ONE.replace("one", "two")))
    with replay(path, *options) as client:
        answers = [client.ask(call("t", at)) for at in range(3)]
    assert [one.get("result", "missed") for one in answers] == told


def test_pointers_are_ignored(tmp_path: Path) -> None:
    """Issue 2: `--ignore POINTER`, as often as needed."""
    path = written(tmp_path, recorded(ONE))
    with replay(path, "--ignore", "/arguments/at", "--ignore=/arguments/by/*") as client:
        assert client.ask(call("t", at=5, by={})).get("error")
        assert client.ask(call("t", at=5)) == {"id": 1, "result": "one"}


def test_a_session_is_chosen(tmp_path: Path) -> None:
    """Issue 2: `--session N`, from 1 among those of the server."""
    path = written(tmp_path, recorded(ONE + MORE, ONE.replace("one", "two") + MORE))
    for number, result in (("1", "one"), ("2", "two")):
        with replay(path, "--session", number) as client:
            assert client.ask(call("t"))["result"] == result
    with replay(path, "--session", "3") as client:
        assert client.finish()[0] == 2
        assert "2" in client.stderr()


def test_a_server_is_chosen_among_several(tmp_path: Path) -> None:
    """Case MA-05: `--server NAME`; without it the choice is named."""
    first, second = recorded(ONE, server="a"), recorded(ONE.replace("one", "two"), server="b")
    path = written(tmp_path, first + second[second.index("- server") :])
    for name, result in (("a", "one"), ("b", "two")):
        with replay(path, "--server", name) as client:
            assert client.ask(call("t"))["result"] == result
    for options in ((), ("--server", "c")):
        with replay(path, *options) as client:
            assert client.finish() == (2, b"")
            assert "a, b" in client.stderr()


NOISY = recorded("""
- raw: "Server v1.2 ready"
- stderr: "starting\\n"
> {id: 1, method: tools/call, params: {name: t}}
- {raw: {base64: "//4="}}
< {id: 1, result: one}
""")


def test_recorded_noise_is_left_out(tmp_path: Path) -> None:
    """Case FR-06: replay is clean by default."""
    with replay(written(tmp_path, NOISY)) as client:
        client.send(call("t"))
        assert client.finish() == (0, b'{"jsonrpc":"2.0","id":1,"result":"one"}\n')
        assert client.stderr() == ""


def test_recorded_noise_is_played_in_its_place_where_it_is_asked_for(tmp_path: Path) -> None:
    """Case FR-06: `--noise`, on stdout byte for byte and on stderr."""
    with replay(written(tmp_path, NOISY), "--noise") as client:
        client.send(call("t"))
        assert client.finish() == (0, b'Server v1.2 ready\n\xff\xfe\n{"jsonrpc":"2.0","id":1,"result":"one"}\n')
        assert client.stderr() == "starting\n"


def test_recorded_delays_are_kept_and_hold_up_nothing_else(tmp_path: Path) -> None:
    """Issue 2: `--delays FACTOR`; a ping in the meantime is answered at once."""
    path = written(tmp_path, recorded(ONE) + "  timing: [0, 2000]\n")
    with replay(path, "--delays", "0.1") as client:
        begun = time.monotonic()
        client.send(call("t"), {"id": 9, "method": "ping"})
        assert client.read()["id"] == 9
        assert client.read() == {"id": 1, "result": "one"}
        assert time.monotonic() - begun >= 0.2


def test_what_is_delayed_comes_at_once_after_the_clients_eof(tmp_path: Path) -> None:
    """Ours (DESIGN 4): in flight is flushed; ten minutes are not waited for."""
    path = written(tmp_path, recorded(ONE) + "  timing: [0, 600000]\n")
    with replay(path, "--delays", "1") as client:
        client.send(call("t"))
        assert client.finish() == (0, b'{"jsonrpc":"2.0","id":1,"result":"one"}\n')


def test_without_a_factor_recorded_delays_are_none(tmp_path: Path) -> None:
    """Issue 2: 0, the default, none."""
    path = written(tmp_path, recorded(ONE) + "  timing: [0, 600000]\n")
    with replay(path) as client:
        assert client.ask(call("t"))["result"] == "one"


def test_several_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    """Issue 2: four processes of one cassette, their calls interleaved, each from the beginning."""
    path = written(tmp_path, recorded(ONE + ONE.replace("one", "two")))
    with ExitStack() as stack:
        clients = [stack.enter_context(replay(path)) for _ in range(4)]
        for result in ("one", "two"):
            for at, client in enumerate(clients):
                assert client.ask(call("t", at)) == {"id": at, "result": result}
        assert [client.finish() for client in clients] == [(0, b"")] * 4


def test_processes_that_share_a_folder_take_one_session_each(tmp_path: Path) -> None:
    """Ours (DESIGN 4, Sessions): `--state DIR`; when all are taken, the last again."""
    path = written(tmp_path, recorded(ONE + MORE, ONE.replace("one", "two") + MORE))
    state = ("--state", str(tmp_path / "state"))
    with ExitStack() as stack:
        clients = [stack.enter_context(replay(path, *state)) for _ in range(3)]
        assert [client.ask(call("t"))["result"] for client in clients] == ["one", "two", "two"]
    with replay(path) as client:
        assert client.ask(call("t"))["result"] == "one"


@pytest.mark.parametrize(("state", "told"), [("", "name a folder"), ("written.yaml", "but a file; name a folder")])
@pytest.mark.parametrize("is_one_word", [True, False])
def test_a_state_that_is_no_folder_is_told(tmp_path: Path, state: str, told: str, *, is_one_word: bool) -> None:
    """Ours: an empty one (a variable that is not set) was no state at all, and nobody was told."""
    written(tmp_path, recorded(ONE))
    words = [f"--state={state}"] if is_one_word else ["--state", state]
    done = run("replay", "written.yaml", *words, cwd=tmp_path)
    assert (done.returncode, told in done.stderr.decode()) == (2, True), done.stderr


def test_processes_that_share_a_folder_play_a_joined_timeline_together(tmp_path: Path) -> None:
    """Ours (DESIGN 4, Sessions): clients that start one process per call."""
    path = written(tmp_path, recorded(*(ONE.replace("one", word) for word in ("one", "two", "three"))))
    told = []
    for _ in range(4):
        with replay(path, "--state", str(tmp_path / "state")) as client:
            told.append(client.ask(call("t"))["result"])
    assert told == ["one", "two", "three", "one"], "used up, it starts anew"


def test_an_unfinished_recording_beside_the_cassette_is_mentioned(tmp_path: Path) -> None:
    """Ours (DESIGN 3, Crash-safe): with the command that takes it in."""
    path = written(tmp_path, recorded(ONE))
    (tmp_path / "written.yaml.part-123-1").write_text("version: 1\nsessions:\n", encoding="utf-8")
    with replay(path) as client:
        assert client.ask(call("t"))["result"] == "one"
        assert "mcpmock salvage" in client.stderr()


def test_a_report_holds_the_placeholders_of_secrets_not_their_values(tmp_path: Path) -> None:
    """Ours (DESIGN 3, No secrets): reports are published by CI."""
    path = written(
        tmp_path,
        recorded(
            "> {id: 1, method: tools/call, params: {name: t, arguments: {key: ~secret.api_key.1~}}}\n"
            "< {id: 1, result: one}\n"
        ),
    )
    report = tmp_path / "report.json"
    with replay(path, "--report", str(report)) as client:
        asked = {"id": 1, "method": "tools/call", "params": {"name": "t", "arguments": {"key": 'se"cret'}}}
        assert client.ask(asked)["result"] == "one"
        assert client.finish()[0] == 0
    text = report.read_text(encoding="utf-8")
    assert "cret" not in text.replace("~secret.", "")
    assert json.loads(text)["calls"][0]["params"]["arguments"] == {"key": "~secret.api_key.1~"}


def test_a_report_does_not_hold_the_secret_of_a_request_that_missed(tmp_path: Path) -> None:
    """Issue 4: it stands where a placeholder was recorded, but is bound to nothing."""
    path = written(
        tmp_path,
        recorded(
            "> {id: 1, method: tools/call, params: {name: t, arguments: {say: to ~secret.service_key.1~}}}\n"
            "< {id: 1, result: one}\n"
        ),
    )
    report = tmp_path / "report.json"
    with replay(path, "--report", str(report)) as client:
        arguments = {"say": "to dcgKZO60Tz5d8nFBFUkt", "more": "x"}
        assert "error" in client.ask({"id": 1, "method": "tools/call", "params": {"name": "t", "arguments": arguments}})
        assert client.finish()[0] == 3
    assert "dcgKZO60Tz5d8nFBFUkt" not in report.read_text(encoding="utf-8")
