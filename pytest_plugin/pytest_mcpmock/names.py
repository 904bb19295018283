"""Names of cassettes: safe on every file system, unique, and the same tomorrow (case TE-02).

A name that is safe stays as it is. Whatever is changed, or could meet another name on a file system that ignores case,
gets a hash of what it was.
"""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Final

import pytest

__all__ = ["cassette_path", "safe_name"]

LONGEST: Final = 120
"""Characters of a name, without its suffix. File systems take 255 bytes; the recorder's part files need some."""

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.,=+@\[\]-]+")
_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)", re.IGNORECASE)
_DIGITS: Final = 10


def cassette_path(item: pytest.Item, folder: Path, name: str | PurePath | None) -> Path:
    """The cassette of a test: the one that is named, from the folder on, or `{module}/{Class.}test[params].yaml`."""
    if name is not None:
        return folder / name
    classes = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
    return folder / module_folder(item, folder) / f"{safe_name('.'.join([*classes, item.name]))}.yaml"


def module_folder(item: pytest.Item, folder: Path) -> PurePath:
    """What tells the modules apart: the name, and the way to it where the folder is not the module's own neighbour."""
    root = item.config.rootpath
    if folder.is_relative_to(item.path.parent) or not item.path.is_relative_to(root):
        return PurePath(safe_name(item.path.stem))
    return PurePath(*map(safe_name, item.path.relative_to(root).with_suffix("").parts))


def safe_name(name: str) -> str:
    """A name for a file, made of the name of a test.

    Parameters are ids that may differ by case only, so capitals in them count as a change.
    """
    safe = _UNSAFE.sub("_", name).strip(".")
    parameters = name.partition("[")[2]
    is_changed = safe != name or len(safe) > LONGEST or _RESERVED.match(safe) or parameters != parameters.lower()
    if not is_changed:
        return safe
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return f"{safe[: LONGEST - _DIGITS - 1]}-{digest}"
