"""Rounds of input (2026-07-28): a request that is answered by questions comes again with the answers (PROTOCOL 2.4).

All rounds are one interaction to the user: the first is looked up as any request, the others go on with it, and only
the last answer completes what it changes.
"""

from __future__ import annotations

from typing import Final

from mcpmock.matching.keys import canonical_json
from mcpmock.session.interaction import Interaction
from mcpmock.wire.envelope import asks_for_input
from mcpmock.wire.message import Json, Message, Object
from mcpmock.wire.values import value_at

__all__ = ["Rounds", "questions_in"]

_OF_A_ROUND: Final = ("inputResponses", "requestState")


def questions_in(answer: Message) -> Object | None:
    """The questions of an answer that asks for input, by their names; None where it does not ask."""
    if not asks_for_input(answer):
        return None
    questions = value_at(answer.body, ("result", "inputRequests"))
    return questions if isinstance(questions, dict) else {}


class Rounds:
    """The recorded requests that wait for their next round, while a session is grouped."""

    def __init__(self) -> None:
        self._by_state: dict[str, Interaction] = {}
        self._without_state: dict[str, list[Interaction]] = {}

    def first_of(self, message: Message) -> Interaction | None:
        """The first round of the request that a message goes on with; None where it is a first one itself.

        By `requestState`, where there is one; else by method, params and the names of the answers.
        """
        params = message.params
        if not isinstance(params, dict) or not any(key in params for key in _OF_A_ROUND):
            return None
        state, responses = params.get("requestState"), params.get("inputResponses")
        if isinstance(state, str):
            return self._by_state.get(state)
        waiting = self._without_state.get(_key(message, list(responses) if isinstance(responses, dict) else []))
        return waiting.pop(0) if waiting else None

    def answered(self, interaction: Interaction, answer: Message) -> None:
        """A request was answered: by questions, so that it has no effect yet, or for good."""
        first = interaction.first or interaction
        questions = questions_in(answer)
        if questions is None:
            interaction.effect = first.change
            return
        interaction.effect = 0
        assert interaction.request is not None
        if interaction.minted:
            self._by_state[interaction.minted[-1]] = first
        else:
            self._without_state.setdefault(_key(interaction.request, list(questions)), []).append(first)


def _key(request: Message, names: list[str]) -> str:
    params = request.params if isinstance(request.params, dict) else {}
    rest: Object = {key: value for key, value in params.items() if key not in (*_OF_A_ROUND, "_meta")}
    answered: Json = [*sorted(names)]
    return canonical_json([request.method, rest, answered])
