"""The key, as a client meets it: which live requests count as equal to a recorded one (DESIGN 4, "Key")."""

from __future__ import annotations

import pytest

from tests.session.dialogue import dialogue


def recorded(params: str, *, method: str = "completion/complete") -> str:
    """A cassette that holds one request with these params; the result is `{ok: 1}`."""
    told = f", params: {params}" if params else ""
    return f"""
version: 1
sessions:
- entries:
  - client: {{method: {method}{told}}}
    server: {{result: {{ok: 1}}}}
"""


def is_equal(one: str, other: str, *, method: str = "completion/complete") -> None:
    """Asserts that a live request with the params `other` is answered by a recorded one with the params `one`."""
    told = f", params: {other}" if other else ""
    talk = f"> {{id: 1, method: {method}{told}}}\n< {{id: 1, result: {{ok: 1}}}}"
    dialogue(recorded(one, method=method), talk)


def differs(one: str, other: str, *, method: str = "completion/complete", kind: str = "near miss") -> None:
    """Asserts the opposite."""
    told = f", params: {other}" if other else ""
    dialogue(recorded(one, method=method), f"> {{id: 1, method: {method}{told}}}\n< miss {kind} 1")


# -- what is part of it


def test_the_method_is_part_of_the_key() -> None:
    """Ours (DESIGN 4): the same params to another method are another request."""
    dialogue(
        recorded("{uri: 'a:1'}", method="resources/read"),
        "> {id: 1, method: resources/subscribe, params: {uri: 'a:1'}}\n< miss unknown 1",
    )


def test_object_order_never_matters_at_any_depth() -> None:
    """Ours (DESIGN 4)."""
    is_equal("{a: {x: 1, y: [{p: 1, q: 2}]}, b: 2}", "{b: 2, a: {y: [{q: 2, p: 1}], x: 1}}")


def test_array_order_does_matter() -> None:
    """Ours (DESIGN 4)."""
    differs("{a: [1, 2]}", "{a: [2, 1]}")


@pytest.mark.parametrize(("one", "other"), [("true", "1"), ("1", "true"), ("false", "0"), ("0", "false")])
def test_true_is_not_one(one: str, other: str) -> None:
    """Ours (DESIGN 4); PROTOCOL 5, trap 4."""
    differs(f"{{a: {one}}}", f"{{a: {other}}}")


@pytest.mark.parametrize(("one", "other"), [("1", "1.0"), ("1.0", "1"), ("-0.0", "0"), ("100", "1.0e+2")])
def test_one_equals_one_point_zero(one: str, other: str) -> None:
    """Ours (DESIGN 4): numbers are equal by value."""
    is_equal(f"{{a: {one}}}", f"{{a: {other}}}")


@pytest.mark.parametrize(("one", "other"), [("1", "'1'"), ("1", "1.5"), ("9007199254740993", "9007199254740992")])
def test_other_values_differ(one: str, other: str) -> None:
    """Ours (DESIGN 4): a number is no string, and large integers are compared exactly."""
    differs(f"{{a: {one}}}", f"{{a: {other}}}")


@pytest.mark.parametrize("method", ["tools/call", "prompts/get"])
@pytest.mark.parametrize(("one", "other"), [("{name: t}", "{name: t, arguments: {}}")])
def test_absent_arguments_equal_empty_ones(method: str, one: str, other: str) -> None:
    """Ours (DESIGN 4); PROTOCOL 5, trap 6."""
    is_equal(one, other, method=method)
    is_equal(other, one, method=method)


def test_absent_params_equal_empty_ones() -> None:
    """Ours (DESIGN 4)."""
    is_equal("", "{}", method="resources/templates/list")
    is_equal("{}", "", method="resources/templates/list")


def test_null_is_not_absent() -> None:
    """Ours (DESIGN 4)."""
    differs("{a: null}", "{}")
    differs("{}", "{a: null}")
    differs("{name: t}", "{name: t, arguments: null}", method="tools/call")
    differs("{name: t, arguments: {a: null}}", "{name: t}", method="tools/call")


@pytest.mark.parametrize(("one", "other"), [("{cursor: ''}", "{}"), ("{cursor: ''}", "{cursor: null}")])
def test_an_empty_cursor_is_a_cursor(one: str, other: str) -> None:
    """PROTOCOL 5, trap 44."""
    differs(one, other, method="tools/list")


def test_a_member_that_the_recording_lacks_makes_a_difference() -> None:
    """Ours (DESIGN 4): the key is all of the params, not the recorded part of them."""
    differs("{a: 1}", "{a: 1, b: 2}")


# -- what is not


def test_meta_is_not_part_of_the_key() -> None:
    """Ours (DESIGN 4): progress tokens, trace ids and whatever else stands in `_meta`."""
    is_equal("{a: 1, _meta: {progressToken: 1, traceparent: x}}", "{a: 1}")
    is_equal("{a: 1}", "{a: 1, _meta: {progressToken: t, traceparent: y}}")


def test_meta_inside_the_arguments_is_part_of_it() -> None:
    """Ours (DESIGN 4): `_meta` is a member of params; an argument of that name is the user's."""
    differs("{name: t, arguments: {_meta: 1}}", "{name: t, arguments: {_meta: 2}}", method="tools/call")


def test_who_the_client_is_is_not_part_of_the_key() -> None:
    """Ours (DESIGN 4): a client upgrade does not miss."""
    one = "{protocolVersion: '2025-06-18', capabilities: {roots: {}}, clientInfo: {name: a, version: '1'}}"
    other = "{protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {name: b, version: '2'}}"
    is_equal(one, other, method="initialize")


def test_an_argument_called_client_info_is_part_of_it() -> None:
    """Ours (DESIGN 4): these names are left out of `initialize`, where they say who the client is."""
    differs("{capabilities: 1, clientInfo: 1, protocolVersion: 1}", "{}", method="x/own")


def test_ids_are_not_part_of_the_key() -> None:
    """Ours (DESIGN 4)."""
    dialogue(
        """
version: 1
sessions:
- entries:
  - client: {id: 1, method: resources/read, params: {uri: a}}
  - server: {id: 1, result: {ok: a}}
  - client: {id: 2, method: resources/read, params: {uri: b}}
  - server: {id: 2, result: {ok: b}}
""",
        """
    > {id: 2, method: resources/read, params: {uri: a}}
    < {id: 2, result: {ok: a}}
    > {id: 1, method: resources/read, params: {uri: b}}
    < {id: 1, result: {ok: b}}
    """,
    )


PAGES = """
version: 1
sessions:
- entries:
  - client: {method: tools/list}
    server: {result: {tools: [], nextCursor: "eyJ4Ijox"}}
  - client: {method: tools/list, params: {cursor: "eyJ4Ijox"}}
    server: {result: {tools: []}}
"""


def test_what_the_server_minted_is_handed_out_as_recorded_and_compared_like_any_other() -> None:
    """Ours (DESIGN 4): a cursor comes back and finds its page; one that nobody was given does not."""
    dialogue(
        PAGES,
        """
    > {id: 1, method: tools/list}
    < {id: 1, result: {tools: [], nextCursor: "eyJ4Ijox"}}
    > {id: 2, method: tools/list, params: {cursor: "eyJ4Ijox"}}
    < {id: 2, result: {tools: []}}
    > {id: 3, method: tools/list, params: {cursor: "another"}}
    < miss near miss 3
    """,
    )
