"""Folders as URIs spell them (RFC 3986 section 2.1): percent-encoded, in both directions."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["decode", "encode", "path_in_uri", "path_of_uri"]

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


def _encoded(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass"))


def _decoded(found: re.Match[str]) -> str:
    try:
        return bytes.fromhex(found[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return found[0]
