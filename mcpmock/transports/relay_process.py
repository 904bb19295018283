"""What a fixture hands to a client as the command of a server: it copies bytes between the client and the test process.

    python -I -S relay_process.py PORT TOKEN [env]

With `env` it also tells in what folder and environment it was started, for a real server that is started in its stead.

Started for every session, so it imports next to nothing; everything that can be decided is decided in the test process
(`relay.py`). What comes from there is in frames: one byte that says what it is, three bytes for the length, the bytes.
"""

import sys
from _socket import IPPROTO_TCP, SHUT_WR, TCP_NODELAY, socket
from _thread import start_new_thread

try:
    import posix as system
except ImportError:
    import nt as system  # type: ignore[import-not-found, no-redef, unused-ignore]  # Windows

STDOUT = 1
STDERR = 2
WAIT = 3
"""The client must have read what it was sent before anything else is: see `draining`."""
END = 4
"""The session is over; the bytes are the exit status, as text; a signal is below zero."""

HEADER = 4
CHUNK = 1 << 16
GONE = 1
"""The exit status when the test process has gone without a word."""


def main() -> int:
    """Copies until one side has gone. Returns the exit status."""
    link = socket()
    try:
        link.connect(("127.0.0.1", int(sys.argv[1])))
        link.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        link.sendall(hello(sys.argv[2], *sys.argv[3:]))
    except OSError:
        write_all(2, b"mcpmock: the test that this server belongs to is over\n")
        return GONE
    start_new_thread(copy_input, (link,))
    try:
        return copy_output(link)
    except OSError:
        return GONE


def hello(token: str, *wants: str) -> bytes:
    """The first line: the token, and the size of what follows it: the working folder, and the environment."""
    if not wants:
        return token.encode() + b" 0\n"
    pairs = [name + b"=" + value for name, value in system.environ.items()]
    content = b"\0".join([system.getcwdb(), *pairs])
    return b"%s %d\n" % (token.encode(), len(content)) + content


def copy_input(link: socket) -> None:
    """From the client to the test process; the client's end is passed on."""
    try:
        while chunk := system.read(0, CHUNK):
            link.sendall(chunk)
    except OSError:
        pass  # whichever side has gone: the other one is told in the same way
    try:  # noqa: SIM105  contextlib takes longer to import than all the rest
        link.shutdown(SHUT_WR)
    except OSError:
        pass


def copy_output(link: socket) -> int:
    """From the test process to the client, until the end. Returns the exit status."""
    waiting = b""
    while chunk := link.recv(CHUNK):
        waiting = waiting + chunk if waiting else chunk
        at = 0
        while len(waiting) >= at + HEADER:
            end = at + HEADER + int.from_bytes(waiting[at + 1 : at + HEADER], "big")
            if len(waiting) < end:
                break
            kind, content = waiting[at], waiting[at + HEADER : end]
            if kind == END:
                return leave(int(content))
            if kind == WAIT:
                wait_until_read()
            else:
                write_all(kind, content)
            at = end
        waiting = waiting[at:]
    return GONE


def write_all(descriptor: int, data: bytes) -> None:
    """Writes all of it, to a descriptor that may have been handed over as one that does not block."""
    while data:
        try:
            data = data[system.write(descriptor, data) :]
        except BlockingIOError:
            system.set_blocking(descriptor, True)


def wait_until_read() -> None:
    """Waits until the client has read what it was sent. Imports the package, which is there but not on the path."""
    sys.path.append(__file__.replace("\\", "/").rsplit("/", 3)[0])
    from mcpmock.transports.draining import wait_until_read

    wait_until_read(1)
    sys.path.pop()


def leave(status: int) -> int:
    """The recorded end of the server: a status to return, or a signal, by which this process ends."""
    if status >= 0:
        return status
    from _signal import SIG_DFL, signal  # type: ignore[import-not-found, unused-ignore]  # old typeshed lacks it

    try:  # noqa: SIM105  see above
        signal(-status, SIG_DFL)
    except OSError:
        pass  # SIGKILL asks nobody
    system.kill(system.getpid(), -status)
    return 128 - status


if __name__ == "__main__":
    try:
        code = main()
    except KeyboardInterrupt:
        code = 130
    system._exit(code)  # at once: a thread that still waits for the client is no reason to stay
