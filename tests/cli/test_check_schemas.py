"""`mcpmock check` holds recorded results against the schemas of their tools (case SC-02)."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcpmock.cli.check import GOOD
from tests.cli.test_check import checked

HEAD = "version: 1\nsessions:\n- entries:\n"
NUMBER = "{type: object, required: [n], properties: {n: {type: number}}}"


def listed(schema: str, name: str = "t") -> str:
    """A list of tools with one, which has this output schema."""
    tool = f"{{name: {name}, inputSchema: {{type: object}}, outputSchema: {schema}}}"
    return f"  - client: {{method: tools/list}}\n    server: {{result: {{tools: [{tool}]}}}}\n"


def called(result: str, name: str = "t") -> str:
    """A call of the tool, and its result."""
    return f"  - client: {{method: tools/call, params: {{name: {name}}}}}\n    server: {{result: {result}}}\n"


def warned(tmp_path: Path, entries: str) -> list[str]:
    """The warnings about a cassette that is good."""
    code, lines = checked(tmp_path, HEAD + entries)
    assert code == GOOD
    return [line.removeprefix("X:") for line in lines[1:]]


BREAKS = (
    "warning: tools/call \"t\": structuredContent/n breaks the outputSchema: 'x' is not of type 'number'; "
    "clients that know the schema refuse that"
)


@pytest.mark.parametrize("order", ["list first", "call first"])
def test_sc_02_a_result_that_breaks_the_schema_is_told_and_is_no_fault(tmp_path: Path, order: str) -> None:
    """SC-02: the lint command reports schema violations; also where the client asked for the list after the call."""
    entries = [listed(NUMBER), called("{content: [], structuredContent: {n: x}}")]
    told = warned(tmp_path, "".join(entries if order == "list first" else entries[::-1]))
    assert told == [f"{6 if order == 'list first' else 4}: {BREAKS}"]


@pytest.mark.parametrize(
    "result",
    [
        "{content: [], structuredContent: {n: 1}}",
        "{content: [], isError: true}",
        "{content: [], isError: true, structuredContent: {n: x}}",
        "{resultType: input_required, inputRequests: {}}",
        "{resultType: task, taskId: T}",
        "{task: {taskId: T}}",
    ],
)
def test_sc_02_what_fits_or_failed_or_is_no_result_yet_is_good(tmp_path: Path, result: str) -> None:
    """SC-02, the twin: `isError` without structuredContent; rounds and tasks have their result later."""
    assert warned(tmp_path, listed(NUMBER) + called(result)) == []


def test_sc_02_a_result_without_structured_content_is_told(tmp_path: Path) -> None:
    """Spec (2025-06-18 and later): who declares a schema has to provide a result that fits; both SDKs refuse it."""
    (told,) = warned(tmp_path, listed(NUMBER) + called("{content: []}"))
    assert "no structuredContent, though the tool has an outputSchema" in told


def test_sc_02_null_is_a_value(tmp_path: Path) -> None:
    """SC-02, trap 7: `null` is not absent (2026-07-28 allows any value)."""
    assert warned(tmp_path, listed("{type: 'null'}") + called("{content: [], structuredContent: null}")) == []
    (told,) = warned(tmp_path, listed(NUMBER) + called("{content: [], structuredContent: null}"))
    assert "None is not of type 'object'" in told


def test_sc_02_the_schema_is_the_one_that_was_listed_last(tmp_path: Path) -> None:
    """Ours: a list may change in mid-session (SC-05); a tool without a schema may answer what it likes."""
    good, other = called("{content: [], structuredContent: {n: 1}}"), called("{content: [], structuredContent: [1]}")
    later = listed("{type: array}")
    assert warned(tmp_path, listed(NUMBER) + good + later + other) == []
    assert len(warned(tmp_path, listed(NUMBER) + good + later + good)) == 1
    assert warned(tmp_path, listed(NUMBER, "u") + called("{content: []}")) == []


def test_sc_02_the_list_may_be_in_another_session_of_that_server(tmp_path: Path) -> None:
    """Ours: clients that start a process for each call list in one of them."""
    broken = called("{content: [], structuredContent: {n: x}}")
    assert len(warned(tmp_path, listed(NUMBER) + "- entries:\n" + broken)) == 1
    assert warned(tmp_path, listed(NUMBER) + "- server: other\n  entries:\n" + broken) == []


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ("{type: nothing}", "its outputSchema is no JSON Schema"),
        ("{$ref: 'http://127.0.0.1:9/s'}", "its outputSchema refers to what is not in it: http://127.0.0.1:9/s"),
        ("{$ref: '#'}", "nested too deeply"),
        ("{properties: {n: {type: string, pattern: '\\p{L}'}}}", ""),
        ("{$schema: 'http://json-schema.org/draft-07/schema#', properties: {n: {type: number}}}", "is not of type"),
        ("{$defs: {n: {type: number}}, properties: {n: {$ref: '#/$defs/n'}}}", "is not of type"),
    ],
)
def test_sc_02_schemas_that_are_none_are_told_and_nothing_is_fetched(tmp_path: Path, schema: str, told: str) -> None:
    """Ours: a cassette from somewhere must not make the checker call anybody; patterns may be JavaScript's own."""
    lines = warned(tmp_path, listed(schema) + called("{content: [], structuredContent: {n: x}}"))
    assert [told in line for line in lines] == ([True] if told else [])
