"""The text of recorded messages as a live client has to see them: its own ids, tokens and values in their places."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mcpmock.cassette.placeholders import fill, has_placeholder
from mcpmock.session.interaction import Interaction
from mcpmock.wire.message import Json, Message, Missing, Object, dumps, splice

__all__ = ["answer_text", "error_text", "message_text", "result_text"]

_HEAD: Final = '{"jsonrpc":"2.0","id":'


def answer_text(interaction: Interaction, live_id: Json | Missing, variables: Mapping[str, str]) -> str:
    """The recorded answer of an interaction, with the live id in its own JSON type and spelling."""
    answer = interaction.answer_message
    assert answer is not None
    if answer.text is not None and "id" not in answer.body:  # the short form
        text = f'{{"id":{_id_text(live_id)},{answer.text[1:]}'
    elif answer.text is not None:
        text = splice(answer.text, {("id",): None if isinstance(live_id, Missing) else live_id})
    else:
        tail = interaction.tail
        if not tail:
            tail = interaction.tail = _tail(answer.body)
            interaction.is_filled_in = has_placeholder(tail)
        if interaction.is_filled_in:
            tail = fill(tail, variables)
        return f"{_HEAD}{live_id if type(live_id) is int else _id_text(live_id)}{tail}"
    return fill(text, variables) if has_placeholder(text) else text


def message_text(
    message: Message, variables: Mapping[str, str], changes: Mapping[tuple[str, ...], Json] | None = None
) -> str:
    """A recorded question or notification with the values at some paths replaced."""
    if message.text is not None:
        text = splice(message.text, dict(changes or {}))
    else:
        body = message.body
        for path, value in (changes or {}).items():
            body = _with(body, path, value)
        text = '{"jsonrpc":"2.0",' + dumps(body)[1:]
    return fill(text, variables) if has_placeholder(text) else text


def result_text(live_id: Json | Missing, result: Json) -> str:
    """An answer that was made up."""
    return f'{_HEAD}{_id_text(live_id)},"result":{dumps(result)}}}'


def error_text(live_id: Json | Missing, error: Object) -> str:
    """An error; without an id where `live_id` is MISSING."""
    if isinstance(live_id, Missing):
        return f'{{"jsonrpc":"2.0","error":{dumps(error)}}}'
    return f'{_HEAD}{_id_text(live_id)},"error":{dumps(error)}}}'


def _id_text(live_id: Json | Missing) -> str:
    return "null" if isinstance(live_id, Missing) else dumps(live_id)


def _tail(body: Object) -> str:
    rest = {key: value for key, value in body.items() if key != "id"}
    return "," + dumps(rest)[1:]


def _with(body: Object, path: tuple[str, ...], value: Json) -> Object:
    """A copy of the body with the value at a path that it has replaced."""
    key, *rest = path
    inner = body[key]
    return {**body, key: _with(inner, tuple(rest), value) if rest and isinstance(inner, dict) else value}
