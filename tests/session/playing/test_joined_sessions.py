"""One joined timeline: clients that start one process per call (DESIGN 4, "Sessions")."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mcpmock.session.playing.ledger import Ledger, MemoryLedger
from mcpmock.session.playing.live import Options
from mcpmock.transports.state_dir import FolderLedger
from tests.session.dialogue import continue_dialogue, dialogue, library, playback, recorded

SHAKE = """
> {id: 0, method: initialize, params: {protocolVersion: "2025-06-18", capabilities: {}}}
< {id: 0, result: {protocolVersion: "2025-06-18", capabilities: {}}}
> {method: notifications/initialized}
"""
LIST = "> {id: 1, method: resources/list}\n< {id: 1, result: {said: %s}}\n"
CALL = "> {id: 2, method: tools/call, params: {name: %s}}\n< {id: 2, result: {said: %s}}\n"
READ = "> {id: 2, method: resources/read, params: {uri: 'a:%s'}}\n< {id: 2, result: {said: %s}}\n"


@pytest.fixture(params=["in memory", "in a folder"])
def ledgers(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Ledger]:
    """What each live session shares with the others: one object in a process, one per process with `--state`."""
    if request.param == "in memory":
        shared = MemoryLedger()
        return lambda: shared
    return lambda: FolderLedger(str(tmp_path), "calls.yaml", "")


CALLS = recorded(
    SHAKE + LIST % 0 + CALL % ("a", 1),
    SHAKE + LIST % 1 + CALL % ("b", 1),
    SHAKE + LIST % 2 + CALL % ("a", 2),
)


def test_sessions_of_one_request_each_are_one_timeline(ledgers: Callable[[], Ledger]) -> None:
    """Ours (DESIGN 4, "Sessions"): whichever process comes first plays what it asks for; lists follow the state."""
    stage = library(CALLS)
    dialogue(stage, SHAKE + LIST % 0 + CALL % ("b", 1), ledger=ledgers())
    dialogue(stage, SHAKE + LIST % 2 + CALL % ("a", 1), ledger=ledgers())
    dialogue(stage, SHAKE + LIST % 2 + CALL % ("a", 2) + LIST % 2, ledger=ledgers())


def test_processes_at_the_same_time_share_what_was_played(ledgers: Callable[[], Ledger]) -> None:
    """Ours (DESIGN 4, "Sessions"): one played-set."""
    stage = library(CALLS)
    one, other = playback(stage, ledger=ledgers()), playback(stage, ledger=ledgers())
    continue_dialogue(one, SHAKE)
    continue_dialogue(other, SHAKE)
    continue_dialogue(one, CALL % ("a", 1))
    continue_dialogue(other, CALL % ("a", 2))
    continue_dialogue(one, "> {id: 3, method: tools/call, params: {name: a}}\n< miss exhausted 3")


class Rival(MemoryLedger):
    """Another process takes an interaction in the very moment in which we have chosen it."""

    is_quick = True

    def claim(self, interaction: int, times: int) -> bool:
        """Taken, but the first time by somebody else."""
        if self.is_quick:
            self.is_quick = False
            super().claim(interaction, times)
        return super().claim(interaction, times)


def test_what_another_process_takes_in_the_same_moment_is_not_played_twice() -> None:
    """Ours (DESIGN 4, "Sessions"): the next equal one is played instead, or there is none any more."""
    stage, ledger = library(CALLS), Rival()
    dialogue(stage, CALL % ("a", 2), ledger=ledger)
    strict = library(recorded(CALL % ("b", 1), CALL % ("c", 1)))
    lost = "> {id: 2, method: tools/call, params: {name: b}}\n< miss out of order 2"
    dialogue(strict, lost, ledger=Rival(), options=Options(order="strict"))


def test_processes_that_share_nothing_each_begin_anew() -> None:
    """Ours (DESIGN 4, "Sessions"): separate processes without `--state`."""
    stage = library(CALLS)
    for _ in range(2):
        dialogue(stage, SHAKE + CALL % ("a", 1))


def test_one_live_session_may_play_the_whole_timeline(ledgers: Callable[[], Ledger]) -> None:
    """Ours (DESIGN 4, "Sessions"): a client that has learned to keep its server."""
    dialogue(library(CALLS), SHAKE + CALL % ("a", 1) + CALL % ("b", 1) + CALL % ("a", 2), ledger=ledgers())


def test_used_up_it_starts_anew_with_the_next_process(ledgers: Callable[[], Ledger]) -> None:
    """Ours (DESIGN 4, "Sessions"): the tests run a second time."""
    stage = library(CALLS)
    for _ in range(3):
        for name, said in (("a", 1), ("b", 1), ("a", 2)):
            dialogue(stage, SHAKE + CALL % (name, said), ledger=ledgers())
    dialogue(stage, SHAKE + LIST % 0, ledger=ledgers())


def test_used_up_it_starts_anew_in_the_midst_of_a_session(ledgers: Callable[[], Ledger]) -> None:
    """Ours (DESIGN 4, "Sessions")."""
    calls = CALL % ("a", 1) + CALL % ("b", 1) + CALL % ("a", 2)
    dialogue(library(CALLS), SHAKE + calls + LIST % 2 + calls, ledger=ledgers())


def test_a_session_that_goes_on_while_another_starts_anew_moves_the_new_position(
    ledgers: Callable[[], Ledger],
) -> None:
    """Ours (DESIGN 4, "Sessions"): position and played-set are one for all."""
    stage = library(CALLS)
    one = dialogue(stage, SHAKE + CALL % ("a", 1) + CALL % ("b", 1) + CALL % ("a", 2) + LIST % 2, ledger=ledgers())
    other = dialogue(stage, SHAKE + LIST % 0, ledger=ledgers())
    continue_dialogue(one, CALL % ("a", 1) + LIST % 1)
    continue_dialogue(other, LIST % 1)


def test_it_is_used_up_only_when_all_has_been_played(ledgers: Callable[[], Ledger]) -> None:
    """Ours (DESIGN 4, "Sessions"): until then a change beyond the last is a miss."""
    stage = library(CALLS)
    dialogue(stage, SHAKE + CALL % ("a", 1) + CALL % ("a", 2), ledger=ledgers())
    dialogue(stage, SHAKE + "> {id: 3, method: tools/call, params: {name: a}}\n< miss exhausted 3", ledger=ledgers())
    dialogue(stage, SHAKE + CALL % ("b", 1), ledger=ledgers())
    dialogue(stage, SHAKE + CALL % ("a", 1), ledger=ledgers())


def test_what_may_be_played_several_times_is_used_up_after_that(ledgers: Callable[[], Ledger]) -> None:
    """Ours (DESIGN 3, `times`): counted over all processes."""
    twice = "- {client: {method: tools/call, params: {name: a}}, server: {result: {said: 1}}, times: 2}\n"
    stage = library(recorded(twice, SHAKE + CALL % ("b", 1)))
    dialogue(stage, CALL % ("a", 1), ledger=ledgers())
    dialogue(stage, CALL % ("a", 1), ledger=ledgers())
    dialogue(stage, "> {id: 2, method: tools/call, params: {name: a}}\n< miss exhausted 2", ledger=ledgers())


def test_reads_repeat_their_last_in_every_process(ledgers: Callable[[], Ledger]) -> None:
    """Ours (DESIGN 4, `stateful`): only what changes something is used up."""
    stage = library(recorded(SHAKE + READ % ("x", 1), SHAKE + READ % ("y", 1), SHAKE + READ % ("x", 2)))
    for said in (1, 2, 2):
        dialogue(stage, SHAKE + READ % ("x", said), ledger=ledgers())


@pytest.mark.parametrize(
    "two",
    [
        CALL % ("a", 1) + CALL % ("b", 1),
        CALL % ("a", 1) + READ % ("x", 1),
        READ % ("x", 1) + "> {id: 3, method: completion/complete}\n< {id: 3, result: {}}\n",
    ],
)
def test_one_session_with_two_requests_keeps_all_apart(two: str) -> None:
    """Ours (DESIGN 4, "Sessions"): every recorded session has at most one request, or nothing is joined."""
    stage, ledger = library(recorded(SHAKE + CALL % ("a", 7), SHAKE + two)), MemoryLedger()
    assert not stage.story.is_joined
    dialogue(stage, SHAKE + CALL % ("a", 7), ledger=ledger)
    dialogue(stage, SHAKE + two, ledger=ledger)


@pytest.mark.parametrize(
    "beside",
    [
        "".join(
            f"> {{id: 5, method: {method}}}\n< {{id: 5, result: {{}}}}\n"
            for method in ("tools/list", "prompts/list", "resources/list", "resources/templates/list", "ping")
        ),
        "> {id: 5, method: logging/setLevel, params: {level: info}}\n< {id: 5, result: {}}\n",
        "> {method: notifications/roots/list_changed}\n",
        "< {id: 0, method: roots/list}\n> {id: 0, result: {roots: []}}\n",
    ],
)
def test_lists_handshake_and_noise_are_beside_the_one_request(beside: str) -> None:
    """Ours (DESIGN 4, "Sessions"): "at most one request beside lists and handshake"."""
    assert library(recorded(SHAKE + beside + CALL % ("a", 1), SHAKE + CALL % ("a", 2), SHAKE)).story.is_joined


def test_a_probe_beside_one_session_makes_no_joined_timeline() -> None:
    """Ours (DESIGN 4, "Sessions"): a session of probes is data for `discover`; the other one is used up as ever."""
    probe = "> {id: 8, method: server/discover}\n< {id: 8, result: {supportedVersions: []}}\n"
    dialogue(
        recorded(probe, SHAKE + CALL % ("a", 1)),
        probe + SHAKE + CALL % ("a", 1) + "> {id: 3, method: tools/call, params: {name: a}}\n< miss exhausted 3",
    )


def test_sequence_order_in_a_joined_timeline_is_that_of_all_processes(ledgers: Callable[[], Ledger]) -> None:
    """Ours (DESIGN 4, `sequence`): the next unplayed one with that key, whoever played the one before."""
    stage = library(CALLS)
    for said in (0, 1, 2):
        dialogue(stage, SHAKE + LIST % said, ledger=ledgers(), options=Options(order="sequence"))


def test_what_a_joined_timeline_plays_again_it_asks_again(ledgers: Callable[[], Ledger]) -> None:
    """Ours (DESIGN 4): each process gets its own questions, under the recorded ids."""
    asking = """
    > {id: 2, method: tools/call, params: {name: a}}
    < {id: 0, method: sampling/createMessage, params: {}}
    > {id: 0, result: {}}
    < {id: 2, result: {said: 1}}
    """
    shake = SHAKE.replace("capabilities: {}", "capabilities: {sampling: {}}", 1)
    stage = library(recorded(shake + asking, shake + asking))
    for _ in range(4):
        dialogue(stage, shake + asking, ledger=ledgers())


def test_nothing_of_a_joined_timeline_counts_as_unplayed() -> None:
    """Ours (DESIGN 4): other processes play the rest."""
    assert dialogue(library(CALLS), SHAKE + CALL % ("a", 1)).unplayed() == []
