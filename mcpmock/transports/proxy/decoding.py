"""Compressed bodies as they are without compression: for the record alone, what is passed on stays as it came."""

from __future__ import annotations

import zlib
from typing import Any, Final, Protocol

_GZIP: Final = 16 + zlib.MAX_WBITS


class Decoder(Protocol):
    """Takes a body piece by piece."""

    def feed(self, data: bytes) -> bytes:
        """What is known of the decoded body by now, and was not before. Raises UndecodableError."""


class UndecodableError(Exception):
    """A body is not in the coding that its header names, or in one that is not known here: `coding`."""

    def __init__(self, coding: str) -> None:
        super().__init__(coding)
        self.coding = coding

    def __str__(self) -> str:
        return f"answers in the coding {self.coding!r} are passed on, but cannot be read and so are not recorded"


class Plain:
    """No coding at all."""

    def feed(self, data: bytes) -> bytes:
        """See `Decoder`."""
        return data


class _Inflating:
    def __init__(self, coding: str) -> None:
        self._coding = coding
        self._inflate = zlib.decompressobj(_GZIP if "gzip" in coding else zlib.MAX_WBITS)
        self._is_first = coding == "deflate"

    def feed(self, data: bytes) -> bytes:
        """See `Decoder`."""
        out = b""
        while data:
            out += self._some(data)
            data = self._inflate.unused_data
            if data:  # one gzip file behind the other is one file
                self._inflate = zlib.decompressobj(_GZIP)
        return out

    def _some(self, data: bytes) -> bytes:
        try:
            out = self._inflate.decompress(data)
        except zlib.error:
            if not self._is_first:
                raise UndecodableError(self._coding) from None
            self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)  # "deflate" without its head: many servers do so
            self._is_first = False
            return self._some(data)
        self._is_first = False
        return out


class _Foreign:
    """A coding that another package can read, where it is installed."""

    def __init__(self, coding: str, decode: Any, error: type[Exception]) -> None:
        self._coding = coding
        self._decode = decode
        self._error = error

    def feed(self, data: bytes) -> bytes:
        """See `Decoder`."""
        try:
            return bytes(self._decode(data))
        except self._error as error:
            raise UndecodableError(self._coding) from error


class _Chain:
    def __init__(self, decoders: list[Decoder]) -> None:
        self._decoders = decoders

    def feed(self, data: bytes) -> bytes:
        """See `Decoder`."""
        for decoder in self._decoders:
            data = decoder.feed(data)
        return data


def decoder_for(content_encoding: str) -> Decoder:
    """What reads a body whose `Content-Encoding` is this; the last coding named is the outermost.

    Raises UndecodableError for one that nobody here can read.
    """
    codings = [coding.strip().lower() for coding in content_encoding.split(",")]
    decoders = [_decoder(coding) for coding in reversed(codings) if coding not in ("", "identity")]
    return _Chain(decoders) if decoders else Plain()


def _decoder(coding: str) -> Decoder:
    if coding in ("gzip", "x-gzip", "deflate"):
        return _Inflating(coding)
    try:
        # neither is among our requirements, so a checker may not find them; one that is there has no types
        if coding == "br":
            import brotli  # type: ignore[import-not-found, import-untyped, unused-ignore]

            return _Foreign(coding, brotli.Decompressor().process, brotli.error)
        if coding == "zstd":
            import zstandard  # type: ignore[import-not-found, unused-ignore]

            return _Foreign(coding, zstandard.ZstdDecompressor().decompressobj().decompress, zstandard.ZstdError)
    except ImportError:
        pass
    raise UndecodableError(coding)
