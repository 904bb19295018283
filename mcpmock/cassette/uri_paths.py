"""Folders as URIs spell them (RFC 3986 section 2.1): percent-encoded, in both directions; and as JSON text does."""

from __future__ import annotations

import json
import re
from typing import Final

__all__ = ["decode", "encode", "path_in_json", "path_in_uri", "path_of_json", "path_of_uri", "spellings"]

_RESERVED: Final = re.compile(r"[^A-Za-z0-9._~-]")
_RESERVED_IN_PATHS: Final = re.compile(r"[^A-Za-z0-9._~/-]")
_ENCODED: Final = re.compile("(?:%[0-9A-Fa-f]{2})+")
_DRIVE: Final = re.compile(r"/[A-Za-z]:")


def encode(text: str) -> str:
    """The text with all but unreserved characters percent-encoded, slashes too: as the value of a parameter."""
    return _RESERVED.sub(_encoded, text)


def decode(text: str) -> str:
    """The reverse of `encode`. What stands for no UTF-8 stays as it is."""
    return _ENCODED.sub(_decoded, text)


def path_in_uri(path: str) -> str:
    """A folder as it stands behind `file://`; one with a drive gets a slash before it."""
    if path[1:2] == ":":
        return "/" + path[:2] + _RESERVED_IN_PATHS.sub(_encoded, path[2:])
    return _RESERVED_IN_PATHS.sub(_encoded, path)


def path_of_uri(text: str) -> str:
    """The reverse of `path_in_uri`."""
    path = decode(text)
    return path[1:] if _DRIVE.match(path) else path


def path_in_json(path: str) -> tuple[str, ...]:
    """A text within JSON text: some writers escape all but ASCII, some the slashes as well (RFC 8259 section 7)."""
    escaped = (json.dumps(path, ensure_ascii=False)[1:-1], json.dumps(path)[1:-1])
    return (*escaped, *(text.replace("/", "\\/") for text in escaped))


def path_of_json(text: str) -> str:
    """The reverse of `path_in_json`; the same text where it is none."""
    if "\\" not in text:
        return text
    try:
        path = json.loads(f'"{text}"')
    except ValueError:
        return text
    return path if isinstance(path, str) and path.startswith("/") and text in path_in_json(path) else text


def spellings(path: str) -> tuple[str, ...]:
    """How a folder may be written: as it is, within JSON text, in a URI, loosely so."""
    loosely = re.sub(r"[^\x21-\x7e]|[\"%<>\\^`{|}]", _encoded, path)
    return tuple(dict.fromkeys((path, *path_in_json(path), path_in_uri(path), loosely)))


def _encoded(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass"))


def _decoded(found: re.Match[str]) -> str:
    try:
        return bytes.fromhex(found[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return found[0]
