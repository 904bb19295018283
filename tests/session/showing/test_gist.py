"""One message in a few words, whatever it holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpmock.session.showing.gist import gist_of, gist_of_answer, is_tool_failure
from mcpmock.wire.message import Json, Message, Object, message_from
from mcpmock.wire.methods import CLIENT_METHODS, SERVER_QUESTIONS

METHODS = sorted({*CLIENT_METHODS, *SERVER_QUESTIONS, "notifications/message", "notifications/progress", "x/y"})
_KEYS = """
    name arguments uri content contents text type resource messages role ref argument value level data logger progress
    total message requestId reason tools resources resourceTemplates prompts roots tasks completion values nextCursor
    serverInfo clientInfo version protocolVersion capabilities isError structuredContent code action model taskId
"""
KEYS = _KEYS.split()

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | st.text(), inner, max_size=4),
    max_leaves=12,
)


def made(body: Object) -> Message:
    """The message that a body is."""
    message = message_from(body)
    assert isinstance(message, Message)
    return message


@given(st.sampled_from(METHODS), values)
def test_any_params_have_a_gist_on_one_printable_line(method: str, params: object) -> None:
    """Ours: a cassette may hold anything, and a terminal obeys what it is sent."""
    gist = gist_of(made({"id": 1, "method": method, "params": params}))  # type: ignore[dict-item]
    assert gist.isprintable()


@given(st.sampled_from(METHODS), st.sampled_from(["result", "error"]), values)
def test_any_answer_has_a_gist_on_one_printable_line(method: str, member: str, value: object) -> None:
    """Ours: also one that does not fit its request."""
    answer = made({"id": 1, member: value})  # type: ignore[dict-item]
    gist = gist_of_answer(answer, method)
    assert gist
    assert gist.isprintable()
    assert is_tool_failure(answer) in (True, False)


def test_a_text_of_megabytes_is_not_looked_through() -> None:
    """Ours: nobody has a screen that wide."""
    answer = made({"id": 1, "result": {"content": [{"type": "text", "text": "x" * 5_000_000}]}})
    assert len(gist_of_answer(answer, "tools/call")) < 3_000


@pytest.mark.parametrize(
    ("method", "result", "gist"),
    [
        ("tools/call", {"content": []}, '{"content": []}'),
        ("tools/call", {"content": [{"type": "image", "mimeType": "image/png", "data": "AA"}]}, "image image/png"),
        ("tools/call", {"content": [{"type": "resource", "resource": {"uri": "a:b"}}]}, "resource a:b"),
        ("tools/call", {"content": [{"type": "resource", "resource": 1}]}, "resource"),
        ("tools/call", {"content": [{"type": "text", "text": "a"}] * 12}, f'"a" (+ {", ".join(["text"] * 8)}, …)'),
        ("tools/call", {"content": ["odd"]}, '["odd"]'),
        ("tools/call", {"content": [], "structuredContent": None}, "null"),
        ("sampling/createMessage", {"model": "m", "content": {"type": "tool_use", "name": "f", "input": {"a": 1}}},
         'm: tool_use f {"a": 1}'),
        ("resources/read", {"contents": []}, '{"contents": []}'),
        ("prompts/get", {"messages": []}, '{"messages": []}'),
        ("tools/list", {"tools": "odd"}, '{"tools": "odd"}'),
        ("completion/complete", {}, "ok"),
        ("server/discover", {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                             "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "3"}}},
         "s 3, 2026-07-28, can tools"),
        ("server/discover", {"odd": 1}, '{"odd": 1}'),
        ("ping", [], "[]"),
    ],
)  # fmt: skip
def test_results_are_told_by_what_matters_in_them(method: str, result: Json, gist: str) -> None:
    """Ours (issue 2): and by all there is, where they are not as they should be."""
    assert gist_of_answer(made({"id": 1, "result": result}), method) == gist


@pytest.mark.parametrize(
    ("method", "params", "gist"),
    [
        ("initialize", {"clientInfo": 3, "protocolVersion": "1"}, "1"),
        ("completion/complete", {"ref": 1}, '{"ref": 1}'),
        ("completion/complete", {"ref": {"uri": "a:{x}"}, "argument": {"name": "x", "value": 1}}, "a:{x} x=1"),
        ("sampling/createMessage", {"messages": []}, "null"),
        ("sampling/createMessage", {"messages": ["odd"]}, '"odd"'),
        ("notifications/progress", {"progress": 1, "message": "half\nway"}, r"1 half\nway"),
        ("tasks/get", {"taskId": "t1"}, "t1"),
        ("vendor/x", [1], "[1]"),
        ("tools/list", {"_meta": {"a": 1}, "cursor": "2"}, '{"cursor": "2"}'),
    ],
)
def test_requests_are_told_by_what_they_are_about(method: str, params: Json, gist: str) -> None:
    """Ours (issue 2): the method is not repeated."""
    assert gist_of(made({"id": 1, "method": method, "params": params})) == gist


def test_an_error_that_is_no_object_is_told_as_it_is() -> None:
    """Ours."""
    assert gist_of_answer(made({"id": 1, "error": "no"}), "ping") == 'error "no"'
