"""The least that can stand between a client and a server: two threads that move bytes. The bound for a recorder."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

process = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
assert process.stdin is not None
assert process.stdout is not None


def pump(source: int, target: int) -> None:
    """Move bytes until the source ends."""
    while chunk := os.read(source, 1 << 16):
        os.write(target, chunk)


def client_to_server() -> None:
    """Move the client's bytes, then close the server's input."""
    assert process.stdin is not None
    pump(0, process.stdin.fileno())
    process.stdin.close()


threading.Thread(target=client_to_server, daemon=True).start()
pump(process.stdout.fileno(), 1)
sys.exit(process.wait())
