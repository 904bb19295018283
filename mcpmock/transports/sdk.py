"""The message objects of the official Python SDK, whichever version is installed; nothing of it is imported before."""

from __future__ import annotations

import importlib
from typing import Any

from mcpmock.errors import UsageError
from mcpmock.transports.memory import Codec

__all__ = ["sdk_codec"]


def sdk_codec() -> Codec:
    """Encodes and decodes `SessionMessage`s just as the SDK's own stdio client does. Raises UsageError without it."""
    try:
        wrap = importlib.import_module("mcp.shared.message").SessionMessage
    except ImportError as error:
        raise UsageError(
            f"streams() gives messages of the official SDK, which is not installed ({error}); pip install mcp"
        ) from error
    try:
        validate = importlib.import_module("mcp_types").jsonrpc_message_adapter.validate_json
    except ImportError:
        return _codec_of_1(wrap)

    def decode(text: str) -> Any:
        try:
            return wrap(validate(text, by_name=False))
        except ValueError as error:
            return error

    def encode(item: Any) -> bytes:
        return str(item.message.model_dump_json(by_alias=True, exclude_unset=True)).encode()

    return Codec(encode, decode)


def _codec_of_1(wrap: Any) -> Codec:
    validate = importlib.import_module("mcp.types").JSONRPCMessage.model_validate_json

    def decode(text: str) -> Any:
        try:
            return wrap(validate(text))
        except ValueError as error:
            return error

    def encode(item: Any) -> bytes:
        return str(item.message.model_dump_json(by_alias=True, exclude_none=True)).encode()

    return Codec(encode, decode)
