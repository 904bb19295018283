"""A server of few lines, on the standard library alone, which behaves as its first argument says."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

sys.set_int_max_str_digits(0)


def lines() -> Iterator[bytes]:
    """What the client sends, line by line."""
    rest = b""
    while data := os.read(0, 65536):
        *whole, rest = (rest + data).split(b"\n")
        yield from whole
    if rest:
        yield rest


def send(body: dict[str, Any]) -> None:
    """Send a message."""
    write(json.dumps({"jsonrpc": "2.0", **body}).encode() + b"\n")


def write(data: bytes, descriptor: int = 1) -> None:
    """Write all of it."""
    while data:
        data = data[os.write(descriptor, data) :]


def answer(line: bytes) -> None:
    """Answer a request as its method says."""
    try:
        message = json.loads(line)
    except ValueError:
        send({"id": None, "error": {"code": -32700, "message": "Parse error"}})
        return
    if isinstance(message, list):
        write(
            json.dumps([{"jsonrpc": "2.0", "id": m["id"], "result": {}} for m in message if "id" in m]).encode() + b"\n"
        )
        return
    if "method" not in message or "id" not in message:
        return
    params = message.get("params") or {}
    write(params.get("stderr", "").encode(), 2)
    write(params.get("raw", "").encode("latin-1"))
    send({"id": message["id"], "result": {"text": "x" * params.get("size", 0), "size": len(line)}})


def echo() -> None:
    """Answer every request; end when the client does."""
    for line in lines():
        answer(line)


def says() -> None:
    """Say, for every request, exactly what it asks for: the messages in its `say`."""
    for line in lines():
        for body in (json.loads(line).get("params") or {}).get("say", ()):
            send(body)


def crash() -> None:
    """End at once, with a word of why."""
    write(b"no key\n", 2)
    sys.exit(3)


def one_answer() -> None:
    """Answer one request, then end in good order."""
    answer(next(lines()))


def unanswered() -> None:
    """Answer the first request, read the second and end without answering it."""
    source = lines()
    answer(next(source))
    next(source)
    sys.exit(7)


def dies() -> None:
    """Answer one request, then die of a signal."""
    answer(next(lines()))
    os.kill(os.getpid(), signal.SIGKILL)


def segfaults() -> None:
    """Answer one request, then die as of a fault in native code."""
    answer(next(lines()))
    os.kill(os.getpid(), signal.SIGSEGV)


def stubborn() -> None:
    """Answer, and end neither when the client does nor at a TERM."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    echo()
    forever()


def stays() -> None:
    """Answer, and do not end when the client does."""
    echo()
    forever()


def chatters() -> None:
    """Answer one request, then only talk, whether anybody is there or not."""
    answer(next(lines()))
    read, _ = os.pipe()
    while True:
        with contextlib.suppress(BrokenPipeError):
            send({"method": "notifications/message", "params": {"level": "info", "data": "still here"}})
        _wait(read, 0.02)


def mute() -> None:
    """Answer one request, read the second, close stdout and stay."""
    source = lines()
    answer(next(source))
    next(source)
    os.close(1)
    forever()


def late() -> None:
    """Answer everything when the client has ended, slowly."""
    waiting = list(lines())
    read, _ = os.pipe()
    _wait(read, 0.3)
    for line in waiting:
        answer(line)


def slow() -> None:
    """Answer the first request at once, each other after a while."""
    read, _ = os.pipe()
    for number, line in enumerate(lines()):
        if number:
            _wait(read, 1.0)
        answer(line)


def silent() -> None:
    """Read nothing, say nothing."""
    forever()


def deaf() -> None:
    """Close the input, tell so, and stay."""
    os.close(0)
    send({"method": "notifications/deaf"})
    forever()


def tells_signals() -> None:
    """Tell of every signal; end at a TERM with code 9."""

    def told(number: int, _frame: object) -> None:
        send({"method": "notifications/signal", "params": {"name": signal.Signals(number).name}})
        if number == signal.SIGTERM:
            os._exit(9)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGQUIT):
        signal.signal(number, told)
    send({"method": "notifications/ready"})
    echo()
    forever()


def family() -> None:
    """Start a child that shares the pipes and never ends by itself; tell its number; answer; end with the client."""
    child = subprocess.Popen([sys.executable, __file__, "silent"])
    send({"method": "notifications/child", "params": {"pid": child.pid}})
    echo()


def launcher() -> None:
    """Start the real server as a child on the same pipes, and end before it."""
    subprocess.Popen([sys.executable, __file__, "echo"])


def leaves_a_child() -> None:
    """Answer one request, read the second, end, and leave a child that holds the pipes."""
    source = lines()
    answer(next(source))
    next(source)
    child = subprocess.Popen([sys.executable, __file__, "silent"])
    send({"method": "notifications/child", "params": {"pid": child.pid}})


def leaves_a_daemon() -> None:
    """Start a child that holds the pipes in a session of its own, and answer until a signal ends it."""
    child = subprocess.Popen([sys.executable, __file__, "silent"], start_new_session=True)
    send({"method": "notifications/child", "params": {"pid": child.pid}})
    echo()


def floods_stderr() -> None:
    """Write far more to stderr than a pipe holds, then answer."""
    for number in range(20000):
        write(b"stderr line %d, which goes on and on and on\n" % number, 2)
    echo()


def tells() -> None:
    """Tell how it was started."""
    environment = {key: os.environ.get(key) for key in ("FOO", "PATH", "HOME")}
    send({"method": "notifications/start", "params": {"argv": sys.argv[2:], "cwd": os.getcwd(), "env": environment}})
    echo()


def forever() -> None:
    """Stay until somebody ends us."""
    read, _ = os.pipe()
    _wait(read, 120)


def _wait(descriptor: int, seconds: float) -> None:
    import select

    select.select([descriptor], [], [], seconds)


BEHAVIOURS: dict[str, Callable[[], None]] = {
    name: value
    for name, value in list(globals().items())
    if callable(value) and getattr(value, "__module__", "") == __name__
}

if __name__ == "__main__":
    BEHAVIOURS[sys.argv[1]]()
