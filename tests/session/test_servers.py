"""Several servers in one cassette (case MA-05)."""

from __future__ import annotations

import json

import pytest

from mcpmock.errors import UsageError
from mcpmock.matching.miss import error_object
from mcpmock.matching.pages import page
from tests.session.dialogue import continue_dialogue, dialogue, library, playback

SERVERS = """
version: 1
sessions:
- server: one
  entries:
  - client: {method: tools/list}
    server: {result: {tools: [{name: search, annotations: {readOnlyHint: true}}]}}
  - client: {method: tools/call, params: {name: search}}
    server: {result: {of: one}}
- server: other
  entries:
  - client: {method: tools/list}
    server: {result: {tools: [{name: search}]}}
  - client: {method: tools/call, params: {name: search}}
    server: {result: {of: other}}
- server: one
  entries:
  - client: {method: tools/call, params: {name: find}}
    server: {result: {of: one}}
  - client: {method: tools/call, params: {name: find}}
    server: {result: {of: again}}
"""
SEARCH = "> {id: 1, method: tools/call, params: {name: search}}\n"


def test_a_cassette_may_hold_several_servers_and_each_answers_for_itself() -> None:
    """Case MA-05: calls to both, interleaved in another order."""
    other, one = (playback(library(SERVERS, server=name)) for name in ("other", "one"))
    continue_dialogue(other, SEARCH + "< {id: 1, result: {of: other}}")
    continue_dialogue(
        one,
        """
    > {id: 2, method: tools/list}
    < {id: 2, result: {tools: [{name: search, annotations: {readOnlyHint: true}}]}}
    """,
    )
    continue_dialogue(other, "> {id: 2, method: tools/list}\n< {id: 2, result: {tools: [{name: search}]}}")
    continue_dialogue(one, SEARCH + "< {id: 1, result: {of: one}}")


def test_what_one_server_says_of_its_tools_holds_for_that_server_only() -> None:
    """Case MA-05; ours (DESIGN 4, `stateful`): read-only is what a `tools/list` of that server says."""
    dialogue(library(SERVERS, server="one"), (SEARCH + "< {id: 1, result: {of: one}}\n") * 2)
    dialogue(
        library(SERVERS, server="other"), SEARCH + "< {id: 1, result: {of: other}}\n" + SEARCH + "< miss exhausted 1"
    )


def test_another_server_is_no_sister() -> None:
    """Case MA-05: what one lacks is not looked for in the other."""
    find = "> {id: 1, method: tools/call, params: {name: find}}\n"
    dialogue(library(SERVERS, server="one"), find + "< {id: 1, result: {of: one}}")
    dialogue(library(SERVERS, server="other"), find + "< miss unknown 1")


@pytest.mark.parametrize(("server", "problem"), [("", "several servers; choose one"), ("two", "no server 'two' here")])
def test_a_server_has_to_be_chosen_among_several(server: str, problem: str) -> None:
    """Case MA-05: nobody guesses which one was meant."""
    with pytest.raises(UsageError, match=problem) as caught:
        library(SERVERS, server=server)
    assert "one, other" in str(caught.value)


def test_a_miss_counts_sessions_as_they_are_chosen() -> None:
    """Ours: session 2 of the server is the third of the cassette, and `--session 2` plays it."""
    one = playback(library(SERVERS, server="one"))
    one.receive(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find","arguments":{"a":1}}}')
    (miss,) = one.report.misses
    assert "test.yaml:18, server one, session 2, not played" in page(miss)
    assert '"session": 2, "server": "one"' in json.dumps(error_object(miss))
