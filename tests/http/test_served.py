"""`mcpmock replay --port`: what it prints, whom it serves, how it ends (issue 5, 3)."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.http.client import BOTH, call, message_text, session
from tests.program import ENVIRONMENT, MCPMOCK, SECONDS, run
from tests.transports.recorder_client import wait_until

ADD = "> {id: 1, method: tools/call, params: {name: add, arguments: {a: 1}}}\n< {id: 1, result: {sum: 1}}"
INITIALIZE = {"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}}}


@contextmanager
def served(cassette: str, folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The program at work, and the first URL that it has printed; the other one is read, too."""
    path = folder / "served.yaml"
    path.write_text(cassette)
    command = [*MCPMOCK, "replay", str(path), "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT or None) as process:
        assert process.stdout is not None
        url, other = (process.stdout.readline().decode().strip() for _ in range(2))
        assert other == url.removesuffix("mcp") + "sse"
        yield process, url
        process.kill()


def stopped(process: subprocess.Popen[bytes], number: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
    """How it ends after a signal, and what it has said."""
    process.send_signal(number)
    out, errors = process.communicate(timeout=SECONDS)
    return process.returncode, out.decode(), errors.decode()


def post(url: str, message: object, **headers: str) -> httpx.Response:
    """One POST on a connection of its own."""
    head = {**BOTH, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return httpx.post(url, content=message_text(message), headers=head, timeout=SECONDS)


def opened(url: str) -> str:
    """The id of a new session."""
    return str(post(url, INITIALIZE).headers["mcp-session-id"])


@pytest.mark.parametrize("status", [304, 520, 600, 999])
def test_a_status_that_has_no_name_is_answered(tmp_path: Path, status: int) -> None:
    """Ours: beyond 599 the connection was dropped with a traceback; clients take such statuses for errors."""
    refused = session(ADD + f"\n> {{id: 2, method: tools/call, params: {{name: b}}}}\n- http: {{post: {status}}}\n")
    with served(refused, tmp_path) as (process, url):
        header = {"mcp-session-id": opened(url)}
        assert post(url, call("b", 2), **header).status_code == status
        assert '"result":{"sum":1}' in post(url, call("add", 3, a=1), **header).text
        assert stopped(process)[2] == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_it_prints_both_urls_and_ends_with_any_signal(tmp_path: Path, number: signal.Signals) -> None:
    """Issue 5, 3: readiness is printed only when it accepts connections; the stop is graceful."""
    with served(session(ADD), tmp_path) as (process, url):
        assert url.endswith("/mcp")
        assert b'"sum":1' in post(url, call("add", a=1), mcp_session_id=opened(url)).content
        code, out, errors = stopped(process, number)
    assert (code, out, errors) == (0, "", "")


def test_a_signal_that_comes_twice_is_one(tmp_path: Path) -> None:
    """Ours: `timeout` signals a process, and then its group."""
    with served(session(ADD), tmp_path) as (process, url):
        assert post(url, call("sub"), mcp_session_id=opened(url)).status_code == 200
        process.send_signal(signal.SIGTERM)
        assert stopped(process)[0] == 3


def test_a_client_that_stays_where_the_recorded_one_left_is_explained(tmp_path: Path) -> None:
    """Ours (DESIGN 4): a cancel is a step; what waits for it is told in the report, and at the end."""
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    asked = {"id": 1, "method": "tools/call", "params": {"name": "slow", "_meta": meta}}
    entries = f"- client: {json.dumps(asked)}\n- http: {{aborted: client}}\n  in: 1\n"
    cassette = f"version: 1\nsessions:\n- transport: streamable_http\n  entries:\n{textwrap.indent(entries, '  ')}"
    with served(cassette, tmp_path) as (process, url), socket.socket() as client:
        address = httpx.URL(url)
        client.connect((address.host, address.port))
        head = f"POST /mcp HTTP/1.1\r\nhost: {address.netloc.decode()}\r\nmcp-protocol-version: 2026-07-28\r\n"
        head += "mcp-method: tools/call\r\nmcp-name: slow\r\ncontent-type: application/json\r\n"
        body = message_text(asked)
        head += f"accept: {BOTH['accept']}\r\ncontent-length: {len(body)}\r\n\r\n"
        client.sendall(head.encode() + body)
        report = url.replace("/mcp", "/__mcpmock/report")
        wait_until(lambda: bool(httpx.get(report, timeout=SECONDS).json()["notes"]), "a note in the report")
        code, _, errors = stopped(process)
    told = "was cancelled when it was recorded, and so got no answer (mcpmock check)"
    assert (code, errors) == (0, f"mcpmock: the request at {tmp_path / 'served.yaml'}:5 {told}\n")


def test_a_signal_that_comes_while_all_is_done_changes_no_exit_code(tmp_path: Path) -> None:
    """Ours: the interpreter lets signals kill it again while it ends, which takes a tenth of a second."""
    report = tmp_path / "report.json"
    with served(session(ADD), tmp_path, "--report", str(report)) as (process, url):
        assert post(url, call("sub"), mcp_session_id=opened(url)).status_code == 200
        process.send_signal(signal.SIGTERM)
        wait_until(report.exists, "the report, which is the last of its work")
        while process.poll() is None:
            process.send_signal(signal.SIGTERM)
        assert process.returncode == 3


def test_open_streams_end_with_it(tmp_path: Path) -> None:
    """Issue 5, 3: in good order, for the client to see."""
    with served(session(ADD), tmp_path) as (process, url):
        with httpx.stream("GET", url.removesuffix("mcp") + "sse", timeout=SECONDS) as response:
            pieces = response.iter_bytes()
            assert next(pieces).startswith(b"event: endpoint\n")
            process.send_signal(signal.SIGTERM)
            assert list(pieces) == []
        assert process.wait(SECONDS) == 0


def test_a_client_that_does_not_read_holds_up_no_end(tmp_path: Path) -> None:
    """Issue 5, 3: the stop is graceful, bounded, and says nothing of clients that hang; it printed tracebacks."""
    answer = "< {id: 1, result: {text: " + "x" * 8_000_000 + "}}"
    with served(session(f"> {{id: 1, method: tools/list}}\n{answer}"), tmp_path) as (process, url):
        head = {**BOTH, "mcp-session-id": opened(url)}
        body = message_text({"id": 1, "method": "tools/list"})
        with httpx.stream("POST", url, content=body, headers=head, timeout=SECONDS) as response:
            assert response.status_code == 200
            assert stopped(process) == (0, "", "")


def test_a_miss_is_told_at_once_and_is_the_exit_code(tmp_path: Path) -> None:
    """Issue 5, 3: pages on stderr, 3 at the end, as over stdio."""
    report = tmp_path / "report.json"
    with served(session(ADD), tmp_path, "--report", str(report)) as (process, url):
        answer = post(url, call("add", a=2), mcp_session_id=opened(url))
        assert b"no recorded" in answer.content
        assert process.stderr is not None
        assert b"near miss" in process.stderr.readline()
        code, _, errors = stopped(process)
    assert code == 3
    assert "1 miss" in errors
    written = json.loads(report.read_text())
    assert [one["method"] for one in written["misses"]] == ["tools/call"]


def test_what_was_left_can_be_a_failure(tmp_path: Path) -> None:
    """Issue 5, 3: `--fail-unplayed`, over all its clients."""
    with served(session(ADD), tmp_path, "--fail-unplayed") as (process, url):
        opened(url)
        code, _, errors = stopped(process)
    assert (code, "1 of 1" in errors) == (3, True)


def test_a_client_that_asks_for_http_2_is_served_and_nothing_is_said(tmp_path: Path) -> None:
    """Ours: Java and `curl --http2` offer an upgrade; uvicorn told users to install something for it."""
    upgrade = {"connection": "Upgrade, HTTP2-Settings", "upgrade": "h2c", "http2_settings": "AAMAAABkAAQAAP__"}
    with served(session(ADD), tmp_path) as (process, url):
        assert b'"sum":1' in post(url, call("add", a=1), mcp_session_id=opened(url), **upgrade).content
        _, _, errors = stopped(process)
    assert errors == ""


def test_clients_in_other_languages_ask_it(tmp_path: Path) -> None:
    """Issue 5, 3: calls, misses and what was left; then everything anew; a session by its path."""
    with served(session(ADD), tmp_path) as (_, url):
        root = url.removesuffix("/mcp")

        def report() -> Any:
            return httpx.get(f"{root}/__mcpmock/report").json()

        assert [one["method"] for one in report()["unplayed"]] == ["tools/call"]
        for name in ("one", "two"):
            assert post(f"{url}/s/{name}", INITIALIZE).status_code == 200
            assert b'"sum":1' in post(f"{url}/s/{name}", call("add", a=1)).content
            assert b"no more" in post(f"{url}/s/{name}", call("add", a=1)).content or report()["misses"]
        assert len(report()["misses"]) == 2
        assert report()["unplayed"] == []
        assert httpx.post(f"{root}/__mcpmock/reset").status_code == 204
        assert (report()["calls"], report()["misses"]) == ([], [])
        assert b'"sum":1' in post(f"{url}/s/one", call("add", a=1)).content
        assert httpx.get(f"{root}/__mcpmock/else").status_code == 404


def test_a_report_of_very_much_is_bounded(tmp_path: Path) -> None:
    """Ours: it is put together while all clients wait."""
    with served(session(ADD), tmp_path) as (_, url):
        for number in range(4):
            post(f"{url}/s/one", call("add", a="word " * 200_000, number=number))
        report = httpx.get(f"{url.removesuffix('/mcp')}/__mcpmock/report")
    assert len(report.content) < 1_500_000
    assert [one["params"]["arguments"]["number"] for one in report.json()["calls"]] == [0, 1, 2, 3]
    assert report.json()["missed"] == 4


@pytest.mark.parametrize(
    ("url", "shown"),
    [("https://a.example/mcp?x=1", "'https://a.example/mcp?x=1'"), ("https://a.example/~secret.key.1~", "URL")],
)
def test_what_was_recorded_by_a_url_is_recorded_anew_by_it(tmp_path: Path, url: str, shown: str) -> None:
    """Ours (STYLE 7): what to type next is what was typed; a URL with a placeholder cannot be."""
    cassette = session(ADD).replace("entries:", f'url: "{url}"\n  entries:', 1)
    with served(cassette, tmp_path) as (process, served_at):
        answer = post(served_at, call("add", a=2), mcp_session_id=opened(served_at)).text
        _, _, errors = stopped(process)
    over_stdio = run("replay", tmp_path / "served.yaml", stdin=message_text(call("add", a=2)) + b"\n")
    for told in (answer, over_stdio.stdout.decode(), errors, over_stdio.stderr.decode()):
        assert f"mcpmock record -o {tmp_path}/served.yaml {shown}" in " ".join(told.split())


def test_a_reset_forgives_no_miss(tmp_path: Path) -> None:
    """Issue 5, 3: the report begins anew, but every miss is told, and the exit code knows of it."""
    with served(session(ADD), tmp_path) as (process, url):
        for a in (2, 3):
            assert b"error" in post(f"{url}/s/one", call("add", a=a)).content
            assert httpx.post(f"{url.removesuffix('/mcp')}/__mcpmock/reset").status_code == 204
        code, _, errors = stopped(process)
    assert code == 3
    assert errors.count("near miss: no recorded") == 2
    assert "2 missed before the last reset" in errors


def test_a_page_of_an_origin_is_let_in(tmp_path: Path) -> None:
    """Case HT-09, PROTOCOL 5, 50: with what browsers need to hear."""
    origin = "https://app.example"
    with served(session(ADD), tmp_path, "--allow-origin", origin) as (_, url):
        assert post(url, b"", origin="https://other.example").status_code == 403
        asked = {"origin": origin, "access-control-request-headers": "mcp-session-id"}
        preflight = httpx.options(url, headers=asked)
        assert preflight.status_code == 204
        assert preflight.headers["access-control-allow-origin"] == origin
        assert preflight.headers["access-control-allow-headers"] == "mcp-session-id"
        exposed = post(url, INITIALIZE, origin=origin).headers["access-control-expose-headers"]
        assert "mcp-session-id" in exposed


def test_a_server_for_everybody_lets_in_all_pages_under_all_names(tmp_path: Path) -> None:
    """Ours: an address for all and `--allow-origin '*'`; a recorder takes both so, too."""
    with served(session(ADD), tmp_path, "--host", "0.0.0.0", "--allow-origin", "*") as (_, url):
        foreign = {"host": "evil.example", "origin": "https://evil.example"}
        response = post(url, INITIALIZE, **foreign)
        assert (response.status_code, response.headers["access-control-allow-origin"]) == (200, foreign["origin"])


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--host", "127.0.0.1"], "--host needs --port"),
        (["--allow-origin", "*"], "--allow-origin needs --port"),
        (["--port", "0", "--host", "192.0.2.1"], "port 0 of 192.0.2.1 cannot be used"),
    ],
)
def test_what_cannot_be_is_said(tmp_path: Path, options: list[str], told: str) -> None:
    """Ours (DESIGN 4): usage errors end with 2."""
    (tmp_path / "a.yaml").write_text(session(ADD))
    done = run("replay", str(tmp_path / "a.yaml"), *options)
    assert (done.returncode, told in done.stderr.decode()) == (2, True)


def test_a_server_that_died_breaks_the_connections_of_its_session(tmp_path: Path) -> None:
    """Issue 5, 3: the answer before it still arrives; another session is not touched."""
    entries = ADD + "\n> {id: 2, method: tools/call, params: {name: die}}\n- eof: server\n- exit: 1"
    with served(session(entries), tmp_path) as (_, url):
        key, other = opened(url), opened(url)
        with pytest.raises(httpx.RemoteProtocolError):
            post(url, call("die"), mcp_session_id=key)
        assert post(url, call("add", a=1), mcp_session_id=key).status_code == 404
        assert b'"sum":1' in post(url, call("add", a=1), mcp_session_id=other).content
