"""JSON values and requests for the tests of matching."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from mcpmock.wire.message import Json, Message, message_from

# Text with lone surrogates, but no pairs of them: those are one character once they have been JSON.
text: st.SearchStrategy[str] = st.text(st.characters(), max_size=6) | st.sampled_from(
    ["", "1", "1.0", "true", "null", "\ud800", "~", "/", "*", "0", "127.0.0.1", "1e400", "a.0,b", "é", "name"]
)

numbers: st.SearchStrategy[int | float] = (
    st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0, -0.0, 1, 1.0, 100, 1e2, 2**53 + 1, float(2**53), 1e22, 10**22, 1e23, 10**23, 10**400])
)

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | numbers | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)

json_objects: st.SearchStrategy[Any] = st.dictionaries(text, json_values, max_size=4)


def request(method: str, params: Json = None, **members: Json) -> Message:
    """A request with the id 1; params that are None are left out."""
    body: dict[str, Json] = {"id": 1, "method": method, **members}
    if params is not None:
        body["params"] = params
    message = message_from(body)
    assert isinstance(message, Message)
    return message


def call(name: str, arguments: Json = None) -> Message:
    """A `tools/call`; arguments that are None are left out."""
    return request("tools/call", {"name": name} if arguments is None else {"name": name, "arguments": arguments})
