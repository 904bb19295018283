"""Option `echo_version`: the client's own version is agreed on; what it does not know is left out (PROTOCOL 4.5)."""

from __future__ import annotations

import pytest

from mcpmock.session.playing.downgrading import downgraded
from mcpmock.session.playing.live import Options
from mcpmock.wire.message import Json, Message
from tests.session.dialogue import dialogue, recorded

ECHO = Options(echo=True)
SHAKE = "> {id: 0, method: initialize, params: {protocolVersion: '%s', capabilities: {sampling: {}}}}\n"
SERVER = "serverInfo: {name: s, version: '1', title: S, websiteUrl: 'https://x'}"
AGREED = "< {id: 0, result: {protocolVersion: '%s', capabilities: {tools: {}, completions: {}}, %s}}\n"
TOOL = "{name: t, title: T, annotations: {readOnlyHint: true}, outputSchema: {}, icons: [], execution: {}}"
LIST = "> {id: 1, method: tools/list}\n< {id: 1, result: {tools: [%s]}}\n"
CALL = "> {id: 2, method: tools/call, params: {name: t, _meta: {progressToken: 1}}}\n"
LINK = "{type: resource_link, uri: 'a:b', name: n}"
SOUND = "{type: audio, data: '', mimeType: audio/wav}"
TEXT = "{type: text, text: x, annotations: {lastModified: y, priority: 1}}"
PROGRESS = "< {method: notifications/progress, params: {progressToken: 1, progress: 1%s}}\n"
CASSETTE = recorded(
    SHAKE % "2025-11-25"
    + AGREED % ("2025-11-25", SERVER)
    + LIST % TOOL
    + CALL
    + PROGRESS % ", message: half"
    + f"< {{id: 2, result: {{structuredContent: {{}}, content: [{TEXT}, {LINK}, {SOUND}]}}}}\n"
)


def talk(version: str, server: str, capabilities: str, tool: str, told: tuple[str, str, str]) -> str:
    """A talk in which less is said."""
    agreed = (
        f"< {{id: 0, result: {{protocolVersion: '{version}', capabilities: {capabilities}, serverInfo: {server}}}}}\n"
    )
    message, structured, content = told
    answer = f"< {{id: 2, result: {{{structured}content: [{content}]}}}}\n"
    return SHAKE % version + agreed + LIST % tool + CALL + PROGRESS % message + answer


PLAIN = "{type: text, text: x, annotations: {priority: 1}}"
NO_LINK = "{type: text, text: '[resource_link: a:b]'}"
NO_SOUND = "{type: text, text: '[audio: audio/wav]'}"


@pytest.mark.parametrize(
    "said",
    [
        talk(
            "2025-06-18", "{name: s, version: '1', title: S}", "{tools: {}, completions: {}}",
            "{name: t, title: T, annotations: {readOnlyHint: true}, outputSchema: {}}",
            (", message: half", "structuredContent: {}, ", f"{TEXT}, {LINK}, {SOUND}"),
        ),
        talk(
            "2025-03-26", "{name: s, version: '1'}", "{tools: {}, completions: {}}",
            "{name: t, annotations: {readOnlyHint: true}}", (", message: half", "", f"{PLAIN}, {NO_LINK}, {SOUND}"),
        ),
        talk(
            "2024-11-05", "{name: s, version: '1'}", "{tools: {}}", "{name: t}",
            ("", "", f"{PLAIN}, {NO_LINK}, {NO_SOUND}"),
        ),
    ],
)  # fmt: skip
def test_an_older_client_gets_its_own_version_and_nothing_newer(said: str) -> None:
    """PROTOCOL 1.5: what each revision brought."""
    dialogue(CASSETTE, said, options=ECHO)


def test_a_newer_client_gets_its_own_version_and_what_was_recorded() -> None:
    """PROTOCOL 4.5: P ≠ R, P known."""
    old = recorded(SHAKE % "2024-11-05" + AGREED % ("2024-11-05", SERVER) + LIST % TOOL)
    dialogue(old, SHAKE % "2025-11-25" + AGREED % ("2025-11-25", SERVER) + LIST % TOOL, options=ECHO)


@pytest.mark.parametrize("version", ["1.0.0", "2026-07-28"])
def test_a_version_that_has_no_handshake_is_answered_as_it_was_recorded(version: str) -> None:
    """PROTOCOL 4.5: P unknown."""
    dialogue(CASSETTE, SHAKE % version + AGREED % ("2025-11-25", SERVER) + LIST % TOOL, options=ECHO)


def test_without_the_option_the_recorded_version_is_answered() -> None:
    """PROTOCOL 4.5, the default: legal, and taken by all current clients."""
    dialogue(CASSETTE, SHAKE % "2024-11-05" + AGREED % ("2025-11-25", SERVER) + LIST % TOOL)


@pytest.mark.parametrize(
    "result",
    [
        {"protocolVersion": "9", "content": "a text", "tools": None, "messages": {"role": "user"}},
        {"serverInfo": "none", "capabilities": [], "content": ["a text"], "messages": [{"role": "user"}, 7]},
        {"items": [{"content": {"type": "audio", "data": ""}}]},
    ],
)
def test_what_only_resembles_a_result_of_the_protocol_stays(result: dict[str, Json]) -> None:
    """Ours (DESIGN 2, opaque): a recorded server may answer what it likes."""
    message = Message({"id": 1, "result": result}, "response")
    assert downgraded(message, "2024-11-05") is message


def test_the_messages_of_a_prompt_hold_content_too() -> None:
    """PROTOCOL 1.5: audio came with 2025-03-26."""
    said: Json = {"role": "user", "content": {"type": "audio", "data": "", "mimeType": "audio/wav"}}
    told = downgraded(Message({"id": 1, "result": {"messages": [said]}}, "response"), "2024-11-05")
    text = {"type": "text", "text": "[audio: audio/wav]"}
    assert told.body["result"] == {"messages": [{"role": "user", "content": text}]}
