"""The stateless revision (2026-07-28): what each request carries in `_meta` (PROTOCOL 2.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mcpmock.wire.message import Json, Message, Object

__all__ = [
    "ACKNOWLEDGED",
    "CAPABILITIES_KEY",
    "MODERN_REVISION",
    "SERVER_KEY",
    "SUBSCRIPTION_KEY",
    "VERSION_KEY",
    "asks_for_input",
    "broken_in",
    "capabilities_of",
    "is_at_level",
    "is_enveloped",
    "is_heard",
    "log_level_of",
    "meta_of",
    "version_of",
]

MODERN_REVISION: Final = "2026-07-28"

_PREFIX: Final = "io.modelcontextprotocol/"
VERSION_KEY: Final = f"{_PREFIX}protocolVersion"
CAPABILITIES_KEY: Final = f"{_PREFIX}clientCapabilities"
SUBSCRIPTION_KEY: Final = f"{_PREFIX}subscriptionId"
SERVER_KEY: Final = f"{_PREFIX}serverInfo"
_LEVEL_KEY: Final = f"{_PREFIX}logLevel"

ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"
"""The first message of every subscription."""

LEVELS: Final = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""The levels of log messages, the least urgent first (RFC 5424)."""


def _is_implementation(value: Json) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(key), str) for key in ("name", "version"))


_SOUND: Final[dict[str, Callable[[Json], bool]]] = {
    VERSION_KEY: lambda value: isinstance(value, str),
    CAPABILITIES_KEY: lambda value: isinstance(value, dict),
    f"{_PREFIX}clientInfo": _is_implementation,
    _LEVEL_KEY: lambda value: value in LEVELS,
}


def meta_of(message: Message) -> Object:
    """The `_meta` of the params; empty where there is none."""
    params = message.params
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta if isinstance(meta, dict) else {}


def is_enveloped(message: Message) -> bool:
    """Whether a message speaks the stateless revision: it carries its version in `_meta`."""
    return VERSION_KEY in meta_of(message)


def version_of(message: Message) -> Json:
    """The revision that an enveloped request asks for."""
    return meta_of(message).get(VERSION_KEY)


def capabilities_of(message: Message) -> Object | None:
    """What the client of an enveloped request can do; None where the request is not enveloped."""
    declared = meta_of(message).get(CAPABILITIES_KEY)
    if not is_enveloped(message):
        return None
    return declared if isinstance(declared, dict) else {}


def broken_in(message: Message) -> tuple[str, ...]:
    """The members of the envelope that are there, and cannot be what they must be."""
    meta = meta_of(message)
    return tuple(key for key, is_sound in _SOUND.items() if key in meta and not is_sound(meta[key]))


def log_level_of(message: Message) -> Json:
    """The level from which on an enveloped request wants log messages; None where it wants none."""
    return meta_of(message).get(_LEVEL_KEY)


def asks_for_input(answer: Message) -> bool:
    """Whether an answer is a round of questions, after which the request comes again."""
    result = answer.body.get("result")
    return isinstance(result, dict) and result.get("resultType") == "input_required"


def is_heard(said: Message) -> bool:
    """Whether a message of the server shows that it has heard its client: an answer does, and an acknowledgement."""
    return said.kind == "response" or said.method == ACKNOWLEDGED


def is_at_level(level: Json, wanted: Json) -> bool:
    """Whether a log message of this level is urgent enough; levels that nobody knows are."""
    if level not in LEVELS or wanted not in LEVELS:
        return True
    return LEVELS.index(level) >= LEVELS.index(wanted)
