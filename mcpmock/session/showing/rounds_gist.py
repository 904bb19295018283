"""Rounds of input (2026-07-28) in a few words, as questions that are requests of their own are told."""

from __future__ import annotations

from typing import Final

from mcpmock.matching.shown import harmless, spelt
from mcpmock.session.rounds import questions_in
from mcpmock.session.showing.gist import gist_of, gist_of_answer
from mcpmock.wire.message import Json, Message, Object, message_from

__all__ = ["gist_of_reply", "gist_of_round"]

_LISTED: Final = 8
_TELLING: Final = (("action", "elicitation/create"), ("role", "sampling/createMessage"), ("roots", "roots/list"))
"""Members that show what a response answers: only the question before it tells its method."""


def gist_of_round(message: Message) -> str:
    """What a request is about, and with what answers it comes again."""
    params = message.params
    responses = params.get("inputResponses") if isinstance(params, dict) else None
    if not isinstance(params, dict) or not isinstance(responses, dict):
        return gist_of(message)
    rest: Object = {key: value for key, value in params.items() if key not in ("inputResponses", "requestState")}
    first = gist_of(message._replace(body={**message.body, "params": rest}, text=None))
    return f"{first} {_listed('with', [_response(one) for one in responses.values()])}".strip()


def gist_of_reply(answer: Message, method: str) -> str:
    """What came of a request of this method, or what it is asked first."""
    questions = questions_in(answer)
    if questions is None:
        return gist_of_answer(answer, method)
    return _listed("asks", [_question(one) for one in questions.values()]) or "asks to come again"


def _listed(verb: str, told: list[str]) -> str:
    more = "; …" if len(told) > _LISTED else ""
    return f"{verb} {'; '.join(told[:_LISTED])}{more}" if told else ""


def _question(question: Json) -> str:
    asked = message_from({**question, "id": 0}) if isinstance(question, dict) else None
    if not isinstance(asked, Message) or asked.kind != "request":
        return spelt(question)
    return f"{harmless(asked.method)} {gist_of(asked)}".rstrip()


def _response(response: Json) -> str:
    members = response if isinstance(response, dict) else {}
    method = next((method for member, method in _TELLING if member in members), "")
    answer = message_from({"id": 0, "result": response})
    return gist_of_answer(answer, method) if isinstance(answer, Message) else spelt(response)
