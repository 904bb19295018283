"""Rounds of input (2026-07-28): a request, the questions that answer it, the request again with the answers."""

from __future__ import annotations

from tests.session.dialogue import continue_dialogue, dialogue, playback, recorded

VERSION = "io.modelcontextprotocol/protocolVersion: '2026-07-28'"
META = f"_meta: {{{VERSION}, io.modelcontextprotocol/clientCapabilities: {{elicitation: {{}}, roots: {{}}}}}}"
BARE = f"_meta: {{{VERSION}, io.modelcontextprotocol/clientCapabilities: {{}}}}"
ASKS = "resultType: input_required, inputRequests: {who: {method: elicitation/create, params: {message: 'Who?'}}}"


def call(number: int, name: str, more: str = "", meta: str = META) -> str:
    """A live or recorded call."""
    beside = f", {more}" if more else ""
    return f"> {{id: {number}, method: tools/call, params: {{name: {name}{beside}, {meta}}}}}\n"


def answers(who: str, state: str = "") -> str:
    """What a retry adds to its params."""
    return f"inputResponses: {{who: {{action: accept, content: {{n: {who}}}}}}}" + (
        f", requestState: {state}" if state else ""
    )


def asks(number: int, state: str = "") -> str:
    """A first answer."""
    return f"< {{id: {number}, result: {{{ASKS}{f', requestState: {state}' if state else ''}}}}}\n"


def done(number: int, text: str) -> str:
    """A last answer."""
    return f"< {{id: {number}, result: {{resultType: complete, content: {text}}}}}\n"


BOOKED = recorded(call(1, "book") + asks(1, "s1") + call(2, "book", answers("Ida", "s1")) + done(2, "for Ida"))
NO_STATE = recorded(call(1, "book") + asks(1) + call(2, "book", answers("Ida")) + done(2, "for Ida"))


def test_pv_03_a_retry_goes_by_its_state() -> None:
    """PV-03, issue 6.2: the state as it was handed out; what the live user says is the live user's."""
    talk = call(7, "book") + asks(7, "s1") + call(8, "book", answers("Bo", "s1")) + done(8, "for Ida")
    assert dialogue(BOOKED, talk).unplayed() == []


def test_pv_03_without_a_state_it_goes_by_the_names_of_the_answers() -> None:
    """Issue 6.2: else by method, params and the names in `inputResponses`."""
    talk = call(7, "book") + asks(7) + call(8, "book", answers("Bo")) + done(8, "for Ida")
    assert dialogue(NO_STATE, talk).unplayed() == []
    other = "inputResponses: {when: {action: accept}}"
    dialogue(NO_STATE, call(7, "book") + asks(7) + call(8, "book", other) + "< miss near miss 8\n")


def test_pv_03_a_client_that_never_retries_is_no_failure() -> None:
    """PROTOCOL 2.4: a client that cannot fulfil an input simply never retries; all rounds are one interaction."""
    assert dialogue(BOOKED, call(7, "book") + asks(7, "s1")).unplayed() == []
    assert dialogue(NO_STATE, call(7, "book") + asks(7)).unplayed() == []


def test_a_change_counts_from_the_last_answer() -> None:
    """DESIGN 4, `stateful`: a change counts from its answer on, and a question is none."""

    def listed(number: int, tool: str) -> str:
        result = f"{{resultType: complete, tools: [{tool}], ttlMs: 0, cacheScope: private}}"
        return f"> {{id: {number}, method: tools/list, params: {{{META}}}}}\n< {{id: {number}, result: {result}}}\n"

    rounds = call(1, "book") + asks(1, "s") + listed(2, "old") + call(3, "book", answers("Ida", "s")) + done(3, "x")
    cassette = recorded(listed(0, "old") + rounds + listed(4, "new"))
    live = call(1, "book") + asks(1, "s") + listed(2, "old") + listed(5, "old")
    live += call(3, "book", answers("Ida", "s")) + done(3, "x") + listed(4, "new")
    dialogue(cassette, live)


def test_several_rounds_are_one_interaction() -> None:
    """PROTOCOL 2.4: several rounds are allowed; the retry repeats the original params."""
    talk = call(1, "book") + asks(1, "a") + call(2, "book", answers("Ida", "a")) + asks(2, "b")
    talk += call(3, "book", answers("Ida", "b")) + done(3, "end")
    assert dialogue(recorded(talk), talk).unplayed() == []


def test_a_state_alone_means_try_again() -> None:
    """PROTOCOL 2.4: `requestState` only."""
    waits = "< {id: %d, result: {resultType: input_required, requestState: later}}\n"
    talk = call(1, "slow") + waits % 1 + call(2, "slow", "requestState: later") + done(2, "end")
    dialogue(recorded(talk), talk)


def test_two_equal_calls_in_flight_are_told_apart_by_their_states() -> None:
    """Trap 37: two parallel identical calls have two different states."""
    talk = call(1, "book") + call(2, "book") + asks(1, "a") + asks(2, "b")
    talk += (
        call(3, "book", answers("B", "b")) + done(3, "second") + call(4, "book", answers("A", "a")) + done(4, "first")
    )
    live = call(1, "book") + asks(1, "a") + call(2, "book") + asks(2, "b")
    for retries in (
        call(3, "book", answers("x", "b")) + done(3, "second") + call(4, "book", answers("x", "a")) + done(4, "first"),
        call(4, "book", answers("x", "a")) + done(4, "first") + call(3, "book", answers("x", "b")) + done(3, "second"),
    ):
        assert dialogue(recorded(talk), live + retries).unplayed() == []


def test_two_equal_calls_in_flight_without_states_are_answered_in_order() -> None:
    """Issue 6.2: by method, params and names; equal ones one after the other."""
    talk = call(1, "book") + asks(1) + call(2, "book") + asks(2)
    talk += call(3, "book", answers("A")) + done(3, "first") + call(4, "book", answers("B")) + done(4, "second")
    dialogue(recorded(talk), talk)


def test_a_state_that_is_handed_out_twice_is_minted_anew() -> None:
    """DESIGN 4, Key: fresh ones are minted, and translated back, only where one would be handed out twice."""
    from mcpmock.session.playing.live import Options

    again = call(9, "book") + asks(9, "s1-2") + call(10, "book", answers("Bo", "s1-2")) + done(10, "for Ida")
    first = call(7, "book") + asks(7, "s1") + call(8, "book", answers("Bo", "s1")) + done(8, "for Ida")
    dialogue(BOOKED, first + again, options=Options(repeats=True))


def test_a_retry_in_a_new_process_is_found() -> None:
    """PROTOCOL 2.5: process identity is not a session; the client may restart between any two requests."""
    machine = playback(BOOKED)
    continue_dialogue(machine, call(8, "book", answers("Bo", "s1")) + done(8, "for Ida"))


def test_a_client_that_cannot_be_asked_is_told_what_it_lacks() -> None:
    """Issue 6.3, PROTOCOL 4.4: -32021 with `requiredCapabilities`; a miss, because no answer could be given."""
    machine = playback(BOOKED)
    continue_dialogue(
        machine,
        call(7, "book", meta=BARE)
        + "< {id: 7, error: {code: -32021, message: 'the recorded server asks for elicitation, which this client has"
        " not declared', data: {requiredCapabilities: {elicitation: {form: {}}}}}}\n",
    )
    assert [gate["method"] for gate in machine.report.gates] == ["tools/call"]
    assert len(machine.report.misses) == 1


def test_a_client_that_declares_no_more_than_the_recorded_one_is_answered_as_that_was() -> None:
    """Issue 6.5: the official Python server asks whoever calls; its client, which agents' libraries hand no callback,
    then says so itself. And the recording plays to the client that made it (`check`)."""
    careless = recorded(call(1, "book", meta=BARE) + asks(1, "s1"))
    machine = dialogue(careless, call(7, "book", meta=BARE) + asks(7, "s1"))
    assert (machine.report.misses, machine.report.gates, machine.unplayed()) == ([], [], [])
    dialogue(careless, call(7, "book") + asks(7, "s1"))


def test_where_several_answers_were_recorded_what_followed_upon_the_same_is_played() -> None:
    """Ours: the names count, so both are candidates; a client that asks in another order gets what its answer got."""
    refused = "< {id: 4, error: {code: -32602, message: 'not she'}}\n"
    first = call(1, "book") + asks(1) + call(2, "book", answers("Ida")) + done(2, "for Ida")
    second = call(3, "book") + asks(3) + call(4, "book", answers("7")) + refused
    machine = dialogue(recorded(first + second), second + first)
    assert machine.unplayed() == []
    dialogue(recorded(first + second), call(1, "book") + asks(1) + call(2, "book", answers("Bo")) + done(2, "for Ida"))
