"""What the stateless revision (2026-07-28) asks of a server beside its recorded answers (PROTOCOL 2.4, 2.6 and 4.5).

Imported only where a client or a recording speaks it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcpmock.session.identity import server_told
from mcpmock.session.interaction import Interaction
from mcpmock.session.playing.answers import NOT_CACHED, completed, result_text
from mcpmock.session.playing.made_up import LISTS, list_result, method_not_found
from mcpmock.session.rounds import questions_in
from mcpmock.session.story import Story, capabilities_shown
from mcpmock.wire.envelope import (
    CAPABILITIES_KEY,
    SERVER_KEY,
    capabilities_of,
    meta_of,
    version_of,
)
from mcpmock.wire.message import INVALID_PARAMS, Json, Message, Object
from mcpmock.wire.methods import LEGACY_REVISIONS, SERVER_QUESTIONS, method_row
from mcpmock.wire.values import repeatable

__all__ = [
    "MISSING_CAPABILITY",
    "UNSUPPORTED_VERSION",
    "capability_error",
    "discover_result",
    "make_up_stateless",
    "missing_capabilities",
    "refuses_version",
    "unsupported_version",
    "version_error",
]

UNSUPPORTED_VERSION: Final = -32022
MISSING_CAPABILITY: Final = -32021


def unsupported_version(asked: Json, story: Story) -> Object:
    """The error for a version that is not among them, which names those that are."""
    supported = story.versions.supported
    message = f"Unsupported protocol version; supported: {', '.join(supported)}"
    return {
        "code": UNSUPPORTED_VERSION,
        "message": message,
        "data": {"supported": [*supported], "requested": repeatable(asked)},
    }


def version_error(message: Message, story: Story) -> Object | None:
    """The error for a request whose version, or whose handshake, cannot be served; None where it can."""
    version = version_of(message)
    if message.method == "initialize" and version is None:
        asked = message.params.get("protocolVersion") if isinstance(message.params, dict) else None
        return None if story.holds_era("legacy") else unsupported_version(asked, story)
    if version is None:
        return None
    if not isinstance(version, str):
        return {"code": INVALID_PARAMS, "message": "Invalid params: the protocol version in _meta is no string"}
    is_spoken = version in story.versions.supported or version in story.versions.served
    return None if is_spoken else unsupported_version(version, story)


def refuses_version(interaction: Interaction) -> bool:
    """Whether a recorded request was refused for its version."""
    answer = interaction.answer_message
    error = answer.body.get("error") if answer is not None else None
    return isinstance(error, dict) and error.get("code") == UNSUPPORTED_VERSION


def capability_error(message: Message, interaction: Interaction) -> Object | None:
    """The error for a client that cannot be asked what the recorded answer asks; None where it can, or need not be.

    Some servers ask clients, too, that have declared nothing: what the recorded client said that it lacks, and was
    asked all the same, no other needs to have.
    """
    answer, recorded = interaction.answer_message, interaction.request
    needed = missing_capabilities(message, answer) if answer is not None else {}
    if needed and answer is not None and recorded is not None and CAPABILITIES_KEY in meta_of(recorded):
        lacked = missing_capabilities(recorded, answer)
        needed = {name: modes for name, modes in needed.items() if name not in lacked}
    if not needed:
        return None
    listed = ", ".join(needed)
    message_text = f"the recorded server asks for {listed}, which this client has not declared"
    return {"code": MISSING_CAPABILITY, "message": message_text, "data": {"requiredCapabilities": needed}}


def missing_capabilities(message: Message, answer: Message) -> Object:
    """The capabilities that a client would need to be asked what this answer asks, and has not declared."""
    declared = capabilities_of(message)
    needed: Object = {}
    for question in (questions_in(answer) or {}).values() if declared is not None else ():
        method = question.get("method") if isinstance(question, dict) else None
        row = SERVER_QUESTIONS.get(method) if isinstance(method, str) else None
        if row is None or not row.capability or declared is None:
            continue
        mode = _mode_of(question) if row.capability == "elicitation" else ""
        if not _is_declared(declared.get(row.capability), mode):
            needed[row.capability] = {mode: {}} if mode else {}
    return needed


def _mode_of(question: Json) -> str:
    params = question.get("params") if isinstance(question, dict) else None
    return "url" if isinstance(params, dict) and params.get("mode") == "url" else "form"


def _is_declared(declared: Json, mode: str) -> bool:
    """Whether a capability was declared; for elicitation `{}` means forms only."""
    if not isinstance(declared, dict):
        return False
    return mode != "url" or "url" in declared


def discover_result(story: Story) -> Object:
    """What `server/discover` is answered where that was not recorded; a handshake is spoken of where it is answered.

    The server has the name that it gave itself in other results, if it did.
    """
    is_of_either = story.timelines and not any(one.era for one in story.timelines)
    handshakes = LEGACY_REVISIONS[::-1] if is_of_either else ()
    return {
        "resultType": "complete",
        "supportedVersions": [*story.versions.supported, *handshakes],
        "capabilities": capabilities_shown(story.interactions()),
        **NOT_CACHED,
        "_meta": {SERVER_KEY: server_told(story.interactions()) or {"name": story.server or "mcpmock", "version": "0"}},
    }


def make_up_stateless(message: Message, story: Story, own: Sequence[Interaction]) -> str | None:
    """The text of an answer that was not recorded and need not be; None where a recording is needed."""
    method = message.method
    if method == "server/discover":
        return result_text(message.id, discover_result(story))
    if method_row(method).noise:
        return method_not_found(message)  # ping and setLevel are gone
    if method not in LISTS or any(one.method == method for one in own):
        return None
    return result_text(message.id, completed(method, list_result(method, own)))
