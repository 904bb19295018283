"""Several recorded sessions, several live ones (DESIGN 4, "Sessions")."""

from __future__ import annotations

import pytest

from mcpmock.cassette.reader import load
from mcpmock.errors import UsageError
from mcpmock.session.playing.casting import Library
from mcpmock.session.playing.ledger import MemoryLedger
from mcpmock.session.playing.live import Options
from mcpmock.session.story import Story
from tests.session.dialogue import continue_dialogue, dialogue, library, playback, recorded

SHAKE = """
> {id: 0, method: initialize, params: {protocolVersion: "2025-06-18", capabilities: {}}}
< {id: 0, result: {protocolVersion: "2025-06-18", capabilities: {}, serverInfo: {name: s%s, version: "1"}}}
"""
READ = """
> {id: 1, method: resources/read, params: {uri: "a:%s"}}
< {id: 1, result: {said: %s}}
"""
CALL = """
> {id: 2, method: tools/call, params: {name: %s}}
< {id: 2, result: {said: %s}}
"""
PING = "\n> {id: 9, method: ping}\n< {id: 9, result: {}}\n"


def session(number: int, *more: str) -> str:
    """A session with its own handshake, two reads (so that no timeline is joined), and more."""
    return SHAKE % number + READ % ("x", number) + READ % ("y", number) + "".join(more)


# -- a cursor for each live session


def test_every_live_session_has_a_cursor_of_its_own() -> None:
    """Ours (DESIGN 4, "Sessions"): what one plays is not played for another."""
    stage = library(recorded(SHAKE % 1 + CALL % ("a", 1) + CALL % ("a", 2)))
    talk = SHAKE % 1 + CALL % ("a", 1)
    one = dialogue(stage, talk)
    other = dialogue(stage, talk)
    for machine in (other, one):
        continue_dialogue(machine, CALL % ("a", 2))
        continue_dialogue(machine, "> {id: 3, method: tools/call, params: {name: a}}\n< miss exhausted 3")


# -- which recorded session a live one takes

TWO = recorded(session(1), session(2))


def test_live_sessions_take_the_recorded_ones_in_their_order() -> None:
    """Ours (DESIGN 4, "Sessions")."""
    stage, ledger = library(TWO), MemoryLedger()
    dialogue(stage, session(1), ledger=ledger)
    dialogue(stage, session(2), ledger=ledger)


def test_a_session_whose_client_left_at_the_handshake_is_taken_only_where_there_is_no_other() -> None:
    """Ours (issue 6): a client that looks at the head of an answer alone leaves one behind, in which nobody is
    answered; who took that waited for ever."""
    left = SHAKE.splitlines()[1] + "\n- {http: {aborted: client}, in: 0}\n"
    dialogue(recorded(left, session(2)), session(2))
    assert library(recorded(left)).openings("initialize", "legacy").timelines == [0]


def test_one_whose_handshake_was_refused_is_taken_once_only() -> None:
    """Ours: whoever came after all others was refused as the last one had been."""
    refused = SHAKE.splitlines()[1] + "\n< {id: 0, error: {code: -32602, message: refused}}\n"
    stage, ledger = library(recorded(session(1), refused)), MemoryLedger()
    for talk in (session(1), refused, session(1), session(1)):
        dialogue(stage, talk, ledger=ledger)


def test_when_all_are_taken_the_last_is_taken_again() -> None:
    """Ours (DESIGN 4, "Sessions")."""
    stage, ledger = library(TWO), MemoryLedger()
    for number in (1, 2, 2, 2):
        dialogue(stage, session(number), ledger=ledger)


def test_live_sessions_that_share_nothing_each_take_the_first() -> None:
    """Ours (DESIGN 4, "Sessions"): "taken" is known within one fixture or server, else through `--state`."""
    stage = library(TWO)
    dialogue(stage, session(1))
    dialogue(stage, session(1))


def test_sessions_at_the_same_time_take_different_ones() -> None:
    """Ours (DESIGN 4, "Sessions"): a session is taken when it begins."""
    stage, ledger = library(TWO), MemoryLedger()
    one, other = playback(stage, ledger=ledger), playback(stage, ledger=ledger)
    continue_dialogue(other, SHAKE % 1)
    continue_dialogue(one, SHAKE % 2)
    continue_dialogue(other, READ % ("x", 1))
    continue_dialogue(one, READ % ("x", 2))


MIXED = recorded(
    READ % ("x", 1) + READ % ("y", 1),
    session(2),
    READ % ("x", 3) + READ % ("y", 3),
    SHAKE % 4 + READ % ("x", 4) + READ % ("y", 4),
)


def test_a_live_session_takes_one_that_begins_with_the_same_method() -> None:
    """Ours (DESIGN 4, "Sessions"): also where the next one begins with another."""
    stage, ledger = library(MIXED), MemoryLedger()
    for number in (1, 3, 3):
        dialogue(stage, READ % ("x", number), ledger=ledger)


def test_a_session_without_a_handshake_begins_with_the_one_that_it_gets() -> None:
    """Ours (DESIGN 3, "Short form for people"): so `initialize` opens it as well."""
    stage, ledger = library(MIXED), MemoryLedger()
    for number in (1, 2, 3, 4, 4):
        machine = playback(stage, ledger=ledger)
        assert machine.receive(b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}')
        continue_dialogue(machine, READ % ("x", number))


def test_where_none_begins_with_the_same_method_the_next_one_is_taken() -> None:
    """Ours (DESIGN 4, "Sessions"): a raw client that leaves out the handshake."""
    stage, ledger = library(TWO), MemoryLedger()
    for number in (1, 2, 2):
        dialogue(stage, READ % ("x", number), ledger=ledger)


def test_a_notification_opens_a_session_too() -> None:
    """Ours (DESIGN 4, "Sessions"): "its first other message", be it no request."""
    stage, ledger = library(TWO), MemoryLedger()
    machine = playback(stage, ledger=ledger)
    machine.receive(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    dialogue(stage, session(2), ledger=ledger)
    continue_dialogue(machine, READ % ("x", 1))


# -- probes

DISCOVER = "\n> {id: 8, method: server/discover}\n< {id: 8, error: {code: -32601, message: Method not found}}\n"


@pytest.mark.parametrize("probe", [PING, DISCOVER])
def test_a_probe_takes_no_session(probe: str) -> None:
    """Ours (DESIGN 4, "Sessions"): `ping` and `server/discover` neither open nor bind."""
    stage, ledger = library(TWO), MemoryLedger()
    probing = dialogue(stage, probe + probe, ledger=ledger)
    dialogue(stage, session(1), ledger=ledger)
    continue_dialogue(probing, probe + session(2))


@pytest.mark.parametrize("probe", [PING, DISCOVER])
def test_a_recorded_session_begins_behind_its_probes(probe: str) -> None:
    """Ours (DESIGN 4, "Sessions"): "that begins (those two aside) with the same method"."""
    stage, ledger = library(recorded(probe + READ % ("x", 1) + READ % ("y", 1), probe + session(2))), MemoryLedger()
    dialogue(stage, READ % ("x", 1), ledger=ledger)
    dialogue(stage, session(2), ledger=ledger)


PROBE_ANSWER = "\n> {id: 8, method: server/discover}\n< {id: 8, result: {supportedVersions: ['2026-07-28']}}\n"


@pytest.mark.parametrize("is_first", [True, False])
def test_a_session_of_probes_only_is_data_for_discover(*, is_first: bool) -> None:
    """Ours (DESIGN 4, "Sessions"): some clients probe in a process of its own; nothing binds to that one."""
    sessions = [PROBE_ANSWER, session(1)] if is_first else [session(1), PROBE_ANSWER]
    stage, ledger = library(recorded(*sessions)), MemoryLedger()
    dialogue(stage, PROBE_ANSWER + PROBE_ANSWER, ledger=ledger)
    dialogue(stage, session(1) + PROBE_ANSWER, ledger=ledger)
    dialogue(stage, session(1), ledger=ledger)


def test_a_session_of_probes_only_gives_no_era() -> None:
    """Ours (DESIGN 4, "Sessions"): the sessions with a handshake do, though it was recorded after the probe."""
    stage = library(recorded(PROBE_ANSWER, session(1)))
    assert stage.story.revision == "2025-06-18"
    dialogue(
        stage,
        """
    > {id: 1, method: tools/list, params: {_meta: {io.modelcontextprotocol/protocolVersion: "2026-07-28"}}}
    < {id: 1, error: {code: -32601, message: Method not found}}
    """
        + session(1),
    )


def test_a_cassette_of_probes_only_has_nothing_to_play() -> None:
    """Ours (DESIGN 4, "Sessions")."""
    dialogue(
        recorded(PROBE_ANSWER),
        "> {id: 1, method: tools/call, params: {name: a}}\n< miss unknown 1\n" + PROBE_ANSWER,
    )


# -- sister sessions


def test_what_a_session_lacks_is_looked_for_in_those_after_it_then_before_it() -> None:
    """Ours (DESIGN 4, "Sessions"): the nearest first."""
    stage = library(
        recorded(
            session(1, CALL % ("a", 1), CALL % ("c", 1)),
            session(2, CALL % ("c", 2)),
            session(3),
            session(4, CALL % ("a", 4), CALL % ("b", 4)),
            session(5, CALL % ("a", 5), CALL % ("b", 5), CALL % ("d", 5)),
        )
    )
    ledger = MemoryLedger()
    for number in (1, 2):
        dialogue(stage, SHAKE % number, ledger=ledger)
    third = session(3, CALL % ("a", 4), CALL % ("b", 4), CALL % ("c", 2), CALL % ("d", 5))
    dialogue(stage, third, ledger=ledger)


def test_what_a_session_has_it_does_not_lack_though_it_is_used_up() -> None:
    """Ours (DESIGN 4, "Sessions"): the same call in a sister session is that session's."""
    stage = library(recorded(session(1, CALL % ("a", 1)), session(2, CALL % ("a", 2))))
    dialogue(
        stage, session(1, CALL % ("a", 1)) + "> {id: 3, method: tools/call, params: {name: a}}\n< miss exhausted 3"
    )


def test_what_a_sister_lends_is_used_up_in_this_live_session_only() -> None:
    """Ours (DESIGN 4, "Sessions")."""
    stage, ledger = library(recorded(session(1), session(2, CALL % ("a", 2)))), MemoryLedger()
    dialogue(
        stage,
        session(1, CALL % ("a", 2)) + "> {id: 3, method: tools/call, params: {name: a}}\n< miss exhausted 3",
        ledger=ledger,
    )
    dialogue(stage, session(2, CALL % ("a", 2)), ledger=ledger)


LEFT = "\n> {id: 7, method: tools/call, params: {name: a}}\n> {method: notifications/cancelled, params: {requestId: 7}}"
GONE = "\n> {id: 7, method: tools/call, params: {name: a}}\n- http: {post: 404}"


@pytest.mark.parametrize("unserved", [LEFT, GONE])
def test_what_a_sister_refused_or_never_answered_is_not_lent_where_another_has_an_answer(unserved: str) -> None:
    """Ours: a client waited for ever for what another had given up, and was told of a session that was gone."""
    served = session(3, CALL % ("a", 3))
    for between in (session(2) + unserved, session(2) + unserved + CALL % ("a", 3)):
        stage, ledger = library(recorded(session(1), between, served)), MemoryLedger()
        dialogue(stage, session(1, CALL % ("a", 3)), ledger=ledger)


# -- one recorded session of several


def test_a_session_may_be_chosen_by_its_number() -> None:
    """Ours (issue: `--session N`): counted from 1 among the sessions of that server; nothing is joined then."""
    cassette = load(TWO.encode())
    dialogue(Library(Story(cassette, session=2)), session(2))
    one_each = load(recorded(SHAKE % 1 + READ % ("x", 1), SHAKE % 2 + READ % ("x", 2)).encode())
    dialogue(Library(Story(one_each, session=2)), SHAKE % 2 + READ % ("x", 2))


@pytest.mark.parametrize("number", [3, -1])
def test_a_session_that_is_not_there_is_an_error_that_counts_them(number: int) -> None:
    """Ours (issue: `--session N`)."""
    with pytest.raises(UsageError, match=f"no session {number}: the server has 2"):
        Story(load(TWO.encode()), session=number)


def test_strict_order_is_that_of_the_session_taken() -> None:
    """Ours (DESIGN 4): the second live session follows the second recorded one."""
    stage, ledger = library(TWO), MemoryLedger()
    dialogue(stage, session(1), ledger=ledger, options=Options(order="strict"))
    dialogue(stage, session(2), ledger=ledger, options=Options(order="strict"))
