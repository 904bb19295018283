"""The text of recorded messages as a live client has to see them: its own ids, tokens and values in their places."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mcpmock.cassette.placeholders import fill, has_placeholder
from mcpmock.session.interaction import Interaction
from mcpmock.wire.message import Json, Lexeme, Message, Missing, Object, dumps, splice
from mcpmock.wire.methods import CACHEABLE
from mcpmock.wire.values import with_value

__all__ = ["NOT_CACHED", "answer_text", "completed", "error_text", "message_text", "result_text", "stateless_text"]

NOT_CACHED: Final[Object] = {"ttlMs": 0, "cacheScope": "private"}
"""What a cacheable result says that is not to be kept."""

_HEAD: Final = '{"jsonrpc":"2.0","id":'


def answer_text(
    interaction: Interaction, live_id: Json | Missing, variables: Mapping[str, str], result: Object | None = None
) -> str:
    """The recorded answer of an interaction, with the live id in its own JSON type and spelling.

    `result` takes the place of the recorded result.
    """
    answer = interaction.answer_message
    assert answer is not None
    if result is not None:
        text = f"{_HEAD}{_id_text(live_id)}{_tail({**answer.body, 'result': result})}"
    elif answer.text is not None and "id" not in answer.body:  # the short form
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


def stateless_text(interaction: Interaction, live_id: Json | Missing, variables: Mapping[str, str]) -> str:
    """The recorded answer for a client of the stateless revision, which insists on members that no other one has.

    What a server said to such a client is said again as it was: one that misses them falls back to the handshake.
    """
    answer = interaction.answer_message
    recorded = answer.body.get("result") if answer is not None else None
    if interaction.is_stateless or not isinstance(recorded, dict):
        return answer_text(interaction, live_id, variables)
    full = completed(interaction.method, recorded)
    return answer_text(interaction, live_id, variables, None if full is recorded else full)


def completed(method: str, result: Object) -> Object:
    """A result with what strict clients insist on, where it was recorded without (PROTOCOL 4.2, 8)."""
    added: Object = {} if "resultType" in result else {"resultType": "complete"}
    if method in CACHEABLE and result.get("resultType", "complete") == "complete":
        added.update({key: value for key, value in NOT_CACHED.items() if key not in result})
    return {**added, **result} if added else result


def message_text(
    message: Message, variables: Mapping[str, str], changes: Mapping[tuple[str, ...], Json] | None = None
) -> str:
    """A recorded question or notification with the values at some paths replaced."""
    body = message.body
    if message.text is not None:
        text = splice(message.text, dict(changes or {}))
    elif changes and any(isinstance(value, Lexeme) for value in changes.values()):
        text = splice('{"jsonrpc":"2.0",' + dumps(body)[1:], dict(changes))
    else:
        for path, value in (changes or {}).items():
            body = with_value(body, path, value)
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
