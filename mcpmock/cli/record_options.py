"""The options of `mcpmock record`, read without click: a recorder is started for every session, and click alone would
take longer than all else that comes before the server is started.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from mcpmock.folders import read_variable
from mcpmock.keeping import Keeping
from mcpmock.recording import RecordRequest

VALUED: Final = {
    "-o": "output",
    "--output": "output",
    "--server": "server",
    "--env": "env",
    "--cwd": "cwd",
    "--run": "run",
    "--max-message": "max_message",
    "--redact": "redact",
    "--var": "vars",
}
"""The options that take a value, and what they set."""

FLAGS: Final = {"--append": ("appends", True), "--no-redact": ("redacts", False), "--no-vars": ("folders", False)}
"""Those that take none."""

FOR_COMMANDS: Final = ("env", "cwd")
"""What some of them set is about the server, not about how it is kept."""

FOR_URLS: Final = frozenset(("-H", "--header", "--port", "--host", "--origin", "--allow-origin"))
"""Those that take a value and are for a server which a URL names; click reads them."""

_UNITS: Final = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3}


def read_request(arguments: Sequence[str]) -> RecordRequest | None:
    """What the arguments ask for; None for all that click explains better than we: help, and errors."""
    values: dict[str, Any] = {"env": {}, "vars": {}}
    words = list(arguments)
    while words and words[0] != "--" and words[0].startswith("-"):
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if word in FLAGS:
            values.update([FLAGS[word]])
            continue
        if name not in VALUED or not (words or equals) or (equals and not name.startswith("--")):
            return None
        if not _keep(values, VALUED[name], value if equals else words.pop(0)):
            return None
    if words and is_url(words[0]):
        return None
    command = words[1:] if words[:1] == ["--"] else words
    if not command or "output" not in values:
        return None
    server = {name: values.pop(name) for name in FOR_COMMANDS if name in values}
    return RecordRequest(Keeping(**values), command, **server)


def is_url(word: str) -> bool:
    """Whether this is no command of a server, but its URL."""
    return word.lower().startswith(("http://", "https://"))


def names_url(arguments: Sequence[str]) -> bool:
    """Whether the first word that is no option of ours, nor its value, is a URL."""
    words = iter(arguments)
    for word in words:
        if word in VALUED or word in FOR_URLS:
            next(words, None)
        elif not word.startswith("-"):
            return is_url(word)
        elif word == "--":
            return False
    return False


def _keep(values: dict[str, Any], key: str, text: str) -> bool:
    try:
        if key == "env":
            values["env"].update([variable(text)])
        elif key == "redact":
            values["redact"] = (*values.get("redact", ()), text)
        elif key == "vars":
            values["vars"].update([read_variable(text)])
        else:
            values[key] = byte_size(text) if key == "max_message" else text
    except ValueError:
        return False
    return True


def byte_size(text: str) -> int:
    """A number of bytes, as `500000`, `64K`, `20M` or `1G`. Raises ValueError, with what is wanted."""
    found = re.fullmatch(r"(\d+)\s*([kmg]?)(?:i?b)?", text.strip().lower(), re.ASCII)
    if not found or not int(found[1]):
        raise ValueError(f"{text!r} is no size; write 500000, 64K, 20M or 1G")
    return int(found[1]) * _UNITS[found[2]]


def variable(text: str) -> tuple[str, str]:
    """The name and the value of a variable of the environment, as `KEY=VALUE`. Raises ValueError for anything else."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        what = "there is no name before '='" if equals else "there is no '=' in it"
        raise ValueError(f"{what}; write KEY=VALUE")  # without what was given: it may be a secret
    return key, value
