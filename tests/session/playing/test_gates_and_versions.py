"""Gates, version negotiation, and clients of the other era (DESIGN 4, "Answering"; PROTOCOL 4.5, legacy rows)."""

from __future__ import annotations

import pytest

from mcpmock.matching.miss import hints
from mcpmock.wire.message import encode
from tests.session.dialogue import continue_dialogue, dialogue, playback, recorded

NOT_FOUND = "error: {code: -32601, message: Method not found}"
VERSION = "io.modelcontextprotocol/protocolVersion"
ENVELOPE = f'_meta: {{"{VERSION}": "2026-07-28"}}'

# -- gates

QUESTIONS = {
    "roots": "method: roots/list",
    "sampling": "method: sampling/createMessage, params: {maxTokens: 1}",
    "elicitation": "method: elicitation/create, params: {message: m, requestedSchema: {}}",
    "url": "method: elicitation/create, params: {mode: url, message: m, url: u}",
}


def asking(question: str) -> str:
    """A recorded call in which the server asks this, and is answered."""
    return recorded(f"""
> {{id: 0, method: initialize, params: {{capabilities: {{}}}}}}
< {{id: 0, result: {{protocolVersion: "2025-06-18", capabilities: {{}}}}}}
> {{id: 1, method: tools/call, params: {{name: ask}}}}
< {{id: 5, {question}}}
> {{id: 5, result: {{}}}}
< {{method: notifications/message, params: {{data: went on}}}}
< {{id: 1, result: done}}
""")


def begin(capabilities: str) -> str:
    return f"""
> {{id: 0, method: initialize, params: {{capabilities: {capabilities}}}}}
< {{id: 0, result: {{protocolVersion: "2025-06-18", capabilities: {{}}}}}}
> {{id: 1, method: tools/call, params: {{name: ask}}}}
"""


END = """
< {method: notifications/message, params: {data: went on}}
< {id: 1, result: done}
"""


@pytest.mark.parametrize(
    ("asked", "capabilities"),
    [
        ("roots", "{}"),
        ("roots", "{sampling: {}, elicitation: {}}"),
        ("sampling", "{roots: {}}"),
        ("elicitation", "{roots: {}}"),
        ("url", "{elicitation: {}}"),
        ("url", "{elicitation: {form: {}}}"),
    ],
)
def test_a_client_that_lacks_the_capability_is_not_asked_and_the_script_goes_on(asked: str, capabilities: str) -> None:
    """Ours (DESIGN 4, Gates); PROTOCOL 4.4: `elicitation: {}` means forms only. Noted in the report, and no miss."""
    machine = dialogue(asking(QUESTIONS[asked]), begin(capabilities) + END)
    (gate,) = machine.report.gates
    assert QUESTIONS[asked].startswith(f"method: {gate['method']}")
    assert gate["line"] == 9
    assert machine.report.misses == []
    assert machine.unplayed() == [], "what could not be asked was not forgotten"


@pytest.mark.parametrize(
    ("asked", "capabilities"),
    [
        ("roots", "{roots: {}}"),
        ("roots", "{roots: {listChanged: true}}"),
        ("sampling", "{sampling: {}}"),
        ("elicitation", "{elicitation: {}}"),
        ("elicitation", "{elicitation: {form: {}, url: {}}}"),
        ("url", "{elicitation: {url: {}}}"),
    ],
)
def test_a_client_that_has_the_capability_is_asked(asked: str, capabilities: str) -> None:
    """Ours (DESIGN 4, Gates)."""
    question = f"< {{id: 5, {QUESTIONS[asked]}}}\n> {{id: 5, result: {{}}}}"
    machine = dialogue(asking(QUESTIONS[asked]), begin(capabilities) + question + END)
    assert machine.report.gates == []


def test_a_stateless_client_is_not_sent_a_question_as_a_request() -> None:
    """PROTOCOL 2.4: it takes none, and would drop it; the script goes on without its answer."""
    talk = recorded(f"""
    > {{id: 0, method: server/discover, params: {{{ENVELOPE}}}}}
    < {{id: 0, result: {{supportedVersions: ["2026-07-28"], capabilities: {{}}}}}}
    > {{id: 1, method: tools/call, params: {{name: ask}}}}
    < {{id: 5, method: roots/list}}
    > {{id: 5, result: {{}}}}
    < {{id: 1, result: {{content: []}}}}
    """)
    call = f"{{id: 1, method: tools/call, params: {{name: ask, {ENVELOPE}}}}}"
    machine = dialogue(talk, f"> {call}\n< {{id: 1, result: {{content: [], resultType: complete}}}}\n")
    assert [gate["method"] for gate in machine.report.gates] == ["roots/list"]


def test_people_are_told_first_what_a_client_has_to_declare() -> None:
    """Ours: a recording made anew would be refused as well."""
    ask = f"id: 1, method: tools/call, params: {{name: ask, {ENVELOPE}}}"
    answer = f"resultType: input_required, requestState: s, inputRequests: {{r: {{{QUESTIONS['roots']}}}}}"
    machine = playback(recorded(f"> {{{ask}}}\n< {{id: 1, result: {{{answer}}}}}"))
    machine.receive(
        encode({"id": 1, "method": "tools/call", "params": {"name": "ask", "_meta": {VERSION: "2026-07-28"}}})
    )
    (miss,) = machine.report.misses
    assert hints(miss)[0] == ('"capabilities": {"roots":{}}', "for the client to declare")


def test_a_client_that_was_never_introduced_is_asked() -> None:
    """Ours: without an `initialize` nobody knows what it lacks."""
    talk = "> {id: 1, method: tools/call, params: {name: ask}}\n< {id: 5, method: roots/list}\n> {id: 5, result: {}}\n"
    dialogue(asking(QUESTIONS["roots"]), talk + END)


def test_a_question_of_no_known_method_is_asked() -> None:
    """Ours: what needs no capability that we know is not held back."""
    question = "method: x/own"
    dialogue(asking(question), begin("{}") + "< {id: 5, method: x/own}\n> {id: 5, result: {}}" + END)


# -- versions


def handshake(answered: str) -> str:
    return recorded(f"""
> {{id: 0, method: initialize, params: {{protocolVersion: "{answered}", capabilities: {{}}}}}}
< {{id: 0, result: {{protocolVersion: "{answered}", capabilities: {{tools: {{}}}}, instructions: hi}}}}
> {{method: notifications/initialized}}
> {{id: 1, method: tools/call, params: {{name: t}}}}
< {{id: 1, result: {{}}}}
""")


LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]


@pytest.mark.parametrize("revision", LEGACY)
@pytest.mark.parametrize("asked", [*LEGACY, "2026-07-28", "1999-01-01", ""])
def test_the_recorded_revision_is_answered_whatever_is_asked_for(revision: str, asked: str) -> None:
    """PROTOCOL 4.5: P = R gives R; P known or unknown, and 2026-07-28 in `initialize`, gives R."""
    dialogue(
        handshake(revision),
        f"""
    > {{id: 0, method: initialize, params: {{protocolVersion: "{asked}", capabilities: {{}}}}}}
    < {{id: 0, result: {{protocolVersion: "{revision}", capabilities: {{tools: {{}}}}, instructions: hi}}}}
    > {{method: notifications/initialized}}
    > {{id: 1, method: tools/call, params: {{name: t}}}}
    < {{id: 1, result: {{}}}}
    """,
    )


@pytest.mark.parametrize(
    ("asked", "answered"), [(one, one) for one in LEGACY] + [("2026-07-28", "2025-11-25"), ("", "2025-11-25")]
)
def test_a_session_without_a_handshake_is_given_one_with_the_version_as_asked(asked: str, answered: str) -> None:
    """Ours (DESIGN 3): capabilities from the methods that occur; a version that we do not know gets the latest."""
    written = recorded("""
    - client: {method: tools/call, params: {name: t}}
    """)
    machine = playback(written)
    request = f'{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{asked}"}}}}'
    (action,) = machine.receive(request.encode())
    assert f'"protocolVersion":"{answered}"' in getattr(action, "text", "")


def test_a_probe_of_the_other_era_gets_the_quick_error_that_makes_clients_fall_back() -> None:
    """PROTOCOL 4.5: -32601 at once (silence costs a client 10 to 60 s), never -32020 to -32022; and no miss."""
    machine = dialogue(
        handshake("2025-06-18"),
        f"""
    > {{id: 0, method: server/discover, params: {{{ENVELOPE}}}}}
    < {{id: 0, {NOT_FOUND}}}
    > {{id: 1, method: initialize, params: {{protocolVersion: "2025-11-25"}}}}
    < {{id: 1, result: {{protocolVersion: "2025-06-18", capabilities: {{tools: {{}}}}, instructions: hi}}}}
    """,
    )
    assert machine.report.misses == []


@pytest.mark.parametrize("method", ["tools/list", "tools/call", "subscriptions/listen"])
def test_any_enveloped_request_before_the_handshake_is_refused_as_a_legacy_server_would(method: str) -> None:
    """PROTOCOL 4.5: -32601. The client asked for what was not recorded, so it is a miss as well."""
    machine = dialogue(
        handshake("2025-06-18"),
        f"""
    > {{id: 0, method: {method}, params: {{name: t, {ENVELOPE}}}}}
    < {{id: 0, {NOT_FOUND}}}
    > {{id: 1, method: initialize, params: {{protocolVersion: "2025-11-25"}}}}
    < {{id: 1, result: {{protocolVersion: "2025-06-18", capabilities: {{tools: {{}}}}, instructions: hi}}}}
    > {{id: 2, method: tools/call, params: {{name: t}}}}
    < {{id: 2, result: {{}}}}
    """,
    )
    assert [miss.request.method for miss in machine.report.misses] == [method]


@pytest.mark.parametrize("is_recorded", [False, True])
def test_a_client_that_knows_no_handshake_is_told_of_when_it_has_met_one(*, is_recorded: bool) -> None:
    """DESIGN 2.5: it leaves without another word, and nobody would know why; once it falls back nothing is told."""
    probe = f"> {{id: 0, method: server/discover, params: {{{ENVELOPE}}}}}\n< {{id: 0, {NOT_FOUND}}}\n"
    shake = "> {id: 1, method: initialize}\n< {id: 1, result: {protocolVersion: '2025-06-18'}}\n"
    machine = dialogue(recorded((probe if is_recorded else "") + shake), probe)
    (told,) = machine.report.all_notes()
    assert "begins with one, for 2025-06-18; let the client fall back" in str(told)
    assert machine.report.misses == []  # some clients probe in a process of its own
    continue_dialogue(machine, shake)
    assert machine.report.all_notes() == []


def test_an_enveloped_request_finds_what_was_written_by_hand() -> None:
    """Ours (DESIGN 3): a session without a handshake is of no era. PROTOCOL 4.2: strict clients insist on the type."""
    written = recorded("""
    > {id: 1, method: tools/call, params: {name: t}}
    < {id: 1, result: {}}
    """)
    call = f"> {{id: 1, method: tools/call, params: {{name: t, {ENVELOPE}}}}}\n"
    dialogue(written, call + "< {id: 1, result: {resultType: complete}}")


def test_a_probe_and_the_fallback_recorded_in_one_session_are_both_served() -> None:
    """PROTOCOL 4.5, mixed: either path, and the unused half is optional."""
    mixed = recorded(f"""
    > {{id: 0, method: server/discover, params: {{{ENVELOPE}}}}}
    < {{id: 0, error: {{code: -32601, message: unknown}}}}
    > {{id: 1, method: initialize, params: {{protocolVersion: "2025-11-25"}}}}
    < {{id: 1, result: {{protocolVersion: "2025-06-18"}}}}
    """)
    probe = "> {id: 7, method: server/discover}\n< {id: 7, error: {code: -32601, message: unknown}}\n"
    shake = "> {id: 8, method: initialize}\n< {id: 8, result: {protocolVersion: '2025-06-18'}}\n"
    for talk in (probe + shake, shake, shake + probe):
        machine = dialogue(mixed, talk)
        assert machine.unplayed() == []
