"""Recorded results against the schemas that their tools declare (`mcpmock check`, case SC-02).

Clients hold a result against the `outputSchema` that `tools/list` told, and refuse what breaks it. A recording keeps
both as they came, so that such a result is told and is no fault. The library for JSON Schema is imported here only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

from mcpmock.cassette.model import Cassette, Session
from mcpmock.matching.shown import harmless, shorten
from mcpmock.matching.words import describe
from mcpmock.session.events import pair_answers, unfold
from mcpmock.session.showing.selfcheck import Problem
from mcpmock.wire.message import Json, Message, Object
from mcpmock.wire.values import value_at

__all__ = ["schema_doubts"]

_SHOWN: Final = 160


class _Validator(Protocol):
    """What of jsonschema's validators is used here; the library brings no types."""

    def iter_errors(self, instance: Json) -> Iterator[Exception]: ...


class _Called(NamedTuple):
    """A tool's result: after which event it came, the line, the request, the result."""

    at: int
    line: int
    request: Message
    result: Object


class _Talk(NamedTuple):
    """What one session says of tools: the output schemas listed, with the event of the list, and the results."""

    server: str
    listed: list[tuple[int, str, Json]]
    called: list[_Called]


def schema_doubts(cassette: Cassette) -> list[Problem]:
    """Results that a client would refuse, and schemas that are none; in the order of the file."""
    talks = [_talk(session) for session in cassette.sessions]
    judge = _Judge()
    found = [problem for talk in talks for problem in _of_session(talk, talks, judge)]
    return sorted(found, key=lambda problem: problem.line)


def _of_session(talk: _Talk, talks: list[_Talk], judge: _Judge) -> Iterator[Problem]:
    others = [one for other in talks if other is not talk and other.server == talk.server for one in other.listed]
    for called in talk.called:
        name = value_at(called.request.body, ("params", "name"))
        schema = _schema_for(str(name), called.at, talk.listed, others)
        fault = judge.fault(schema, called.result) if isinstance(schema, dict) else ""
        if fault:
            yield Problem(called.line, f"{describe(called.request)}: {fault}; clients that know the schema refuse that")


def _schema_for(name: str, at: int, listed: list[tuple[int, str, Json]], others: list[tuple[int, str, Json]]) -> Json:
    """The schema that was listed last before a result; else the first after it; else one of another session."""
    own = [(place, schema) for place, tool, schema in listed if tool == name]
    before = [schema for place, schema in own if place < at]
    if own:
        return before[-1] if before else own[0][1]
    return next((schema for _, tool, schema in others if tool == name), None)


def _talk(session: Session) -> _Talk:
    talk = _Talk(session.server, [], [])
    events = list(unfold(session.entries))
    for answer, asked in pair_answers(events).items():
        request, response = events[asked].message, events[answer].message
        result = response.body.get("result") if response is not None else None
        if request is None or not isinstance(result, dict) or events[asked].side != "client":
            continue
        if request.method == "tools/list":
            talk.listed.extend((answer, name, schema) for name, schema in _schemas_in(result))
        elif request.method == "tools/call" and _is_final(result):
            talk.called.append(_Called(answer, events[answer].entry.line, request, result))
    return talk


def _is_final(result: Object) -> bool:
    """A round of questions, and a task, are no result yet."""
    return result.get("resultType", "complete") == "complete" and "task" not in result


def _schemas_in(result: Object) -> Iterator[tuple[str, Json]]:
    tools = result.get("tools")
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, dict) and isinstance(name := tool.get("name"), str):
            yield name, tool.get("outputSchema")


class _Judge:
    """Holds results against schemas; of each only the first fault is told."""

    def __init__(self) -> None:
        self._validators: dict[int, _Validator | str] = {}

    def fault(self, schema: Object, result: Object) -> str:
        """What is wrong with a result; empty where nothing is, or where it says that the tool failed."""
        if result.get("isError") is True:
            return ""
        if "structuredContent" not in result:
            return "no structuredContent, though the tool has an outputSchema"
        if id(schema) not in self._validators:
            self._validators[id(schema)] = _validator(schema)
        validator = self._validators[id(schema)]
        return validator if isinstance(validator, str) else _first_fault(validator, result["structuredContent"])


def _validator(schema: Object) -> _Validator | str:
    """What holds values against a schema; or in words why nothing can."""
    from jsonschema import Draft202012Validator, FormatChecker, SchemaError
    from jsonschema.validators import validator_for
    from referencing import Registry

    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema, format_checker=FormatChecker(()))  # patterns are those of JavaScript
        validator: _Validator = kind(schema, registry=Registry())  # an empty one: nothing is fetched
    except SchemaError as error:
        return f"its outputSchema is no JSON Schema: {_words(error.message)}"
    except RecursionError:
        return "its outputSchema is nested too deeply"
    return validator


def _first_fault(validator: _Validator, value: Json) -> str:
    from jsonschema.exceptions import best_match
    from referencing.exceptions import Unresolvable

    try:
        error = best_match(validator.iter_errors(value))
    except Unresolvable as missing:
        return f"its outputSchema refers to what is not in it: {_words(missing.ref)}"
    except re.error:
        return ""  # a pattern that only JavaScript understands: nobody knows
    except RecursionError:
        return "structuredContent is nested too deeply for its outputSchema, or that for itself"
    if error is None:
        return ""
    place = "".join(f"/{part}" for part in error.absolute_path)
    return f"structuredContent{shorten(harmless(place), 60)} breaks the outputSchema: {_words(error.message)}"


def _words(text: str) -> str:
    return shorten(harmless(text), _SHOWN)
