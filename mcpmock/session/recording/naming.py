"""A name for a server, out of the command that starts it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

_LAUNCHERS: Final = re.compile(
    r"(?:npx|npm|pnpm|pnpx|yarn|bunx?|deno|node|nodejs|tsx|ts-node|uvx?|pipx|python[\d.]*|pypy[\d.]*|ruby|java|dotnet|go"
    r"|docker|podman|env|sudo|nice|time|exec|run|dlx|x|tool|sh|bash|dash|zsh|cmd|mcpmock)(?:\.exe|\.cmd)?"
)
_GENERIC: Final = re.compile(
    "index|main|__main__|server|cli|app|run|start|dist|build|lib|src|bin|out|stdio|mcp|mcp-server|server-mcp",
    re.IGNORECASE,
)
_SUFFIX: Final = re.compile(r"(?:\.(?:m?js|cjs|m?ts|py|rb|jar|sh|exe|cmd|dll))$")
_VERSION: Final = re.compile(r"(?:@[^/@]*|[=<>~!]=.*|:[\w.-]+)$")
_AFFIX: Final = re.compile(r"^(?:mcp-server-|server-|mcp-)|(?:-mcp-server|-server-mcp|-mcp|-server)$")
_VALUED: Final = frozenset(
    ("-p", "--package", "--from", "--with", "-e", "--env", "-v", "--volume", "--name", "-C", "--directory", "--project")
)
_CODE: Final = frozenset(("-c", "-e", "--eval"))


def name_from_command(command: Sequence[str]) -> str:
    """What a person would call the server: `everything` for `npx -y @modelcontextprotocol/server-everything stdio`."""
    for word in _words(command):
        name = _name(word)
        if name:
            return name
    return "server"


def _words(command: Sequence[str]) -> Iterator[str]:
    """The words that may name a server: no launchers, no options, no values of theirs, no program text."""
    before = ""
    for word in _unwrapped(command):
        if before in _CODE and " " not in command[0] and _is_interpreter(command[0]):
            return
        if before == "-m":
            yield word.replace(".", "/")
        elif before not in _VALUED and not word.startswith("-") and ("=" not in word.split("/")[0] or "==" in word):
            yield word
        before = word


def _is_interpreter(program: str) -> bool:
    return re.match(r"python|pypy|node|deno|bun|ruby", re.split(r"[\\/]", program)[-1]) is not None


def _unwrapped(command: Sequence[str]) -> Iterator[str]:
    """The words of a command; those of a shell's `-c` one by one."""
    for before, word in zip(("", *command), command, strict=False):
        if before in ("-c", "-lc", "/c") and not _is_interpreter(command[0]):
            yield from word.replace(";", " ").replace("&", " ").split()
        else:
            yield word


def _name(word: str) -> str:
    """The name in one word: its last path segment that says anything."""
    parts = [part for part in re.split(r"[\\/]", _VERSION.sub("", word)) if part not in ("", ".", "..")]
    if not parts or _LAUNCHERS.fullmatch(parts[-1]):
        return ""
    return next((name for part in reversed(parts) if (name := _tidy(part))), "")


def _tidy(part: str) -> str:
    name = _SUFFIX.sub("", part.lstrip("@")).replace("_", "-")
    if _GENERIC.fullmatch(name):
        return ""
    name = _AFFIX.sub("", name)
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")
