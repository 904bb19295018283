"""What a client of an older revision is not told (PROTOCOL 1.5), where a replay agrees on the client's own version.

Imported only where the live version is not the recorded one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from mcpmock.wire.message import Json, Message, Object

__all__ = ["downgraded"]


class _Kind(NamedTuple):
    """The members that one kind of object has gained, by the revision that brought them."""

    gained: Mapping[str, tuple[str, ...]]


_NAMED: Final = {"2025-06-18": ("title", "_meta"), "2025-11-25": ("icons",)}
_TOOL: Final = _Kind({
    "2025-03-26": ("annotations",),
    "2025-06-18": (*_NAMED["2025-06-18"], "outputSchema"),
    "2025-11-25": (*_NAMED["2025-11-25"], "execution"),
})  # fmt: skip
_ITEM: Final = _Kind(_NAMED)
_IMPLEMENTATION: Final = _Kind({"2025-06-18": ("title",), "2025-11-25": ("icons", "description", "websiteUrl")})
_CAPABILITIES: Final = _Kind({"2025-03-26": ("completions",), "2025-11-25": ("tasks",), "2026-07-28": ("extensions",)})
_CONTENT: Final = _Kind({"2025-06-18": ("_meta",)})
_NOTES: Final = _Kind({"2025-06-18": ("lastModified",)})
_RESULT: Final = _Kind({"2025-06-18": ("structuredContent",)})
_PROGRESS: Final = _Kind({"2025-03-26": ("message",)})

_LISTS: Final = {"tools": _TOOL, "prompts": _ITEM, "resources": _ITEM, "resourceTemplates": _ITEM, "contents": _CONTENT}
"""The members of results that list things of a kind."""

_CONTENT_TYPES: Final = {"audio": "2025-03-26", "resource_link": "2025-06-18"}
"""The types of content that came later; clients before that get a text in their place."""


def downgraded(message: Message, revision: str) -> Message:
    """A recorded message of the server as a client of this revision may see it; the same where nothing is too new."""
    body = message.body
    if isinstance(body.get("result"), dict):
        new: Object = {**body, "result": _result(body["result"], revision)}
    elif message.method == "notifications/progress" and isinstance(body.get("params"), dict):
        new = {**body, "params": _without(body["params"], _PROGRESS, revision)}
    else:
        return message
    return message if new == body else message._replace(body=new, text=None)


def _result(result: Json, revision: str) -> Json:
    found = _without(result, _RESULT, revision)
    if not isinstance(found, dict):
        return found
    if "protocolVersion" in found and "serverInfo" in found:
        found = {**found, "protocolVersion": revision}
    for key, value in found.items():
        if key in _LISTS and isinstance(value, list):
            found = {**found, key: [_without(item, _LISTS[key], revision) for item in value]}
        elif key == "content" and isinstance(value, list):
            found = {**found, key: [_content(item, revision) for item in value]}
        elif key == "messages" and isinstance(value, list):
            found = {**found, key: [_prompt_message(item, revision) for item in value]}
    for key, kind in (("serverInfo", _IMPLEMENTATION), ("capabilities", _CAPABILITIES)):
        if key in found:
            found = {**found, key: _without(found[key], kind, revision)}
    return found


def _prompt_message(message: Json, revision: str) -> Json:
    if not isinstance(message, dict) or "content" not in message:
        return message
    return {**message, "content": _content(message["content"], revision)}


def _content(item: Json, revision: str) -> Json:
    if not isinstance(item, dict):
        return item
    kind = item.get("type")
    if isinstance(kind, str) and revision < _CONTENT_TYPES.get(kind, ""):
        told = item.get("uri") or item.get("mimeType")
        return {"type": "text", "text": f"[{kind}{f': {told}' if isinstance(told, str) else ''}]"}
    found = _without(item, _CONTENT, revision)
    if isinstance(found, dict) and "annotations" in found:
        found = {**found, "annotations": _without(found["annotations"], _NOTES, revision)}
    return found


def _without(value: Json, kind: _Kind, revision: str) -> Json:
    """An object without what a revision does not know of its kind."""
    if not isinstance(value, dict):
        return value
    unknown = {name for since, names in kind.gained.items() if revision < since for name in names}
    return {key: member for key, member in value.items() if key not in unknown}
