"""Lines of talks about calls and the questions that they ask."""

from __future__ import annotations

ASK = '{id: %s, method: sampling/createMessage, params: {messages: [{content: {type: text, text: "%s"}}]}}'
"""A message of a talk: a question with an id that holds a text."""


def call(live_id: int, name: str, words: str = "") -> str:
    """A line of a talk: a call of the tool `name`, with `words` as the members of its arguments."""
    return f"> {{id: {live_id}, method: tools/call, params: {{name: {name}, arguments: {{{words}}}}}}}\n"


def answer(live_id: int, name: str) -> str:
    """A line of a talk: the answer to that call."""
    return f"< {{id: {live_id}, result: {{{name}: 1}}}}\n"


def asked(question_id: int, text: str) -> str:
    """Two lines of a talk: a question that holds the text, and the client's answer."""
    return f"< {ASK % (question_id, text)}\n" + f"> {{id: {question_id}, result: {{}}}}\n"
