"""One message in a few words: what a person wants to know of it at a glance.

The words are one line of printable text, whatever the message holds; how much of it there is room for is for others to
say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mcpmock.matching.shown import harmless, spelt
from mcpmock.session.identity import Identity
from mcpmock.wire.envelope import SERVER_KEY
from mcpmock.wire.message import Json, Message, Object

__all__ = ["gist_of", "gist_of_answer", "gist_of_identity", "gist_of_text", "is_tool_failure"]

_LONGEST: Final = 2_000  # no screen is wider; a text of megabytes is not looked through
_LISTED: Final = 8


def gist_of(message: Message) -> str:
    """What a request or a notification is about: names, URIs, arguments; empty where the method says it all."""
    params = message.params
    if not isinstance(params, dict):
        return "" if params is None else spelt(params)
    say = _SAYINGS.get(message.method)
    return say(params) if say else _members(params)


def gist_of_answer(answer: Message, method: str) -> str:
    """What came of a request of this method: the error, or the gist of the result."""
    if answer.is_error:
        return _error(answer.body["error"])
    result = answer.body.get("result")
    if not isinstance(result, dict):
        return spelt(result)
    say = _RESULTS.get(method)
    return (say(result) if say else "") or _any_result(result)


def is_tool_failure(answer: Message) -> bool:
    """Whether an answer is no error of the protocol, but the tool says that it failed (`isError`)."""
    result = answer.body.get("result")
    return isinstance(result, dict) and result.get("isError") is True


def gist_of_text(text: str) -> str:
    """A text in quotes, on one line."""
    return spelt(text[:_LONGEST])


def _word(value: Json) -> str:
    """A name, a URI and the like: without quotes where it is a string."""
    return harmless(value[:_LONGEST]) if isinstance(value, str) else spelt(value)


def _join(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _arguments(value: Json) -> str:
    return spelt(value) if value else ""


def _members(params: Object) -> str:
    rest = {key: value for key, value in params.items() if key != "_meta"}
    return spelt(rest) if rest else ""


def _shown(*keys: str) -> Callable[[Object], str]:
    """The saying of params of which these members are worth telling."""
    return lambda params: _join(*(_word(params[key]) for key in keys if key in params))


def _named(params: Object) -> str:
    return _join(_word(params.get("name")), _arguments(params.get("arguments")))


def _implementation(value: Json) -> str:
    if not isinstance(value, dict):
        return ""
    return _join(*(_word(value[key]) for key in ("name", "version") if key in value))


def gist_of_identity(identity: Identity) -> str:
    """What a session without a handshake speaks, and who answers in it."""
    return _greeting(
        identity.server, {"protocolVersion": f"{identity.revision}, stateless", "capabilities": identity.capabilities}
    )


def _greeting(who: Json, told: Object) -> str:
    capabilities = told.get("capabilities")
    can = ", ".join(map(harmless, capabilities)) if isinstance(capabilities, dict) else ""
    parts = (_implementation(who), _word(told.get("protocolVersion")), f"can {can}" if can else "")
    return ", ".join(part for part in parts if part)


def _completion(params: Object) -> str:
    reference, argument = params.get("ref"), params.get("argument")
    if not isinstance(reference, dict) or not isinstance(argument, dict):
        return _members(params)
    about = _word(reference.get("name", reference.get("uri")))
    return f"{about} {_word(argument.get('name'))}={spelt(argument.get('value'))}"


def _progress(params: Object) -> str:
    share = _word(params.get("progress"))
    if "total" in params:
        share += f"/{_word(params['total'])}"
    return _join(share, _word(params.get("message", "")))


def _log(params: Object) -> str:
    logger = f"{_word(params['logger'])}:" if params.get("logger") else ""
    return _join(_word(params.get("level")), logger, _word(params.get("data")))


def _sampling(params: Object) -> str:
    messages = params.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else {}
    return _content(last.get("content")) if isinstance(last, dict) else spelt(last)


def _cancel(params: Object) -> str:
    return _join(f"request {_word(params.get('requestId'))}", _word(params.get("reason", "")))


_SAYINGS: Final[dict[str, Callable[[Object], str]]] = {
    "initialize": lambda params: _greeting(params.get("clientInfo"), params),
    "tools/call": _named,
    "prompts/get": _named,
    "resources/read": _shown("uri"),
    "resources/subscribe": _shown("uri"),
    "resources/unsubscribe": _shown("uri"),
    "notifications/resources/updated": _shown("uri"),
    "completion/complete": _completion,
    "logging/setLevel": _shown("level"),
    "tasks/get": _shown("taskId"),
    "tasks/result": _shown("taskId"),
    "tasks/cancel": _shown("taskId"),
    "notifications/tasks/status": _shown("taskId", "status", "statusMessage"),
    "notifications/progress": _progress,
    "notifications/message": _log,
    "notifications/cancelled": _cancel,
    "sampling/createMessage": _sampling,
    "elicitation/create": _shown("message", "url"),
}


def _error(error: Json) -> str:
    if not isinstance(error, dict):
        return f"error {spelt(error)}"
    return _join("error", _word(error.get("code")), _word(error.get("message", "")))


def _content(content: Json) -> str:
    """The first text among blocks of content, and what else there is."""
    blocks = content if isinstance(content, list) else [content]
    if not blocks or not all(isinstance(block, dict) for block in blocks):
        return spelt(content)
    first, *others = (block for block in blocks if isinstance(block, dict))
    kinds = [_word(block.get("type", "block")) for block in others]
    return _join(_block(first), f"(+ {', '.join(kinds[:_LISTED])}{', …' if kinds[_LISTED:] else ''})" if kinds else "")


def _block(block: Object) -> str:
    text, kind = block.get("text"), _word(block.get("type", "block"))
    if isinstance(text, str):
        return gist_of_text(text)
    if kind == "tool_use":
        return _join(kind, _word(block.get("name")), _arguments(block.get("input")))
    resource = block.get("resource", block)
    if isinstance(resource, dict):
        return _join(kind, *(_word(resource[key]) for key in ("uri", "mimeType") if key in resource))
    return kind


def _tool_result(result: Object) -> str:
    content = result.get("content")
    told = _content(content) if content else ""
    if not told and "structuredContent" in result:
        told = spelt(result["structuredContent"])
    return _join("failed:" if result.get("isError") is True else "", told)


def _listed(key: str, label: str) -> Callable[[Object], str]:
    """The saying of a result that lists things under `key`, each with a name under `label`."""

    def say(result: Object) -> str:
        things = result.get(key)
        if not isinstance(things, list):
            return ""
        names = [_word(thing.get(label)) if isinstance(thing, dict) else _word(thing) for thing in things[:_LISTED]]
        noun = key.removesuffix("s") if len(things) == 1 else key
        more = ", …" if len(things) > _LISTED else ""
        page = ", and more pages" if result.get("nextCursor") is not None else ""
        return f"{len(things)} {noun}{': ' if names else ''}{', '.join(names)}{more}{page}"

    return say


def _contents(result: Object) -> str:
    contents = result.get("contents")
    first = contents[0] if isinstance(contents, list) and contents else None
    if not isinstance(first, dict) or not isinstance(contents, list):
        return ""
    text = first.get("text")
    told = gist_of_text(text) if isinstance(text, str) else _join("a blob of", _word(first.get("mimeType", "")))
    return _join(told, f"(+ {len(contents) - 1} more)" if len(contents) > 1 else "")


def _prompt(result: Object) -> str:
    messages = result.get("messages")
    if not isinstance(messages, list) or not messages or not isinstance(messages[0], dict):
        return ""
    more = f"(+ {len(messages) - 1} more)" if len(messages) > 1 else ""
    return _join(f"{_word(messages[0].get('role'))}:", _content(messages[0].get("content")), more)


def _values(result: Object) -> str:
    completion = result.get("completion")
    return _listed("values", "")(completion) if isinstance(completion, dict) else ""


def _sampled(result: Object) -> str:
    return _join(f"{_word(result.get('model', result.get('role')))}:", _content(result.get("content")))


def _elicited(result: Object) -> str:
    return _join(_word(result.get("action")), _arguments(result.get("content")))


def _any_result(result: Object) -> str:
    return _members(result) or "ok"


def _discovery(result: Object) -> str:
    meta, versions = result.get("_meta"), result.get("supportedVersions")
    if not isinstance(versions, list):
        return _members(result)
    who = meta.get(SERVER_KEY) if isinstance(meta, dict) else None
    return _greeting(who, {**result, "protocolVersion": ", ".join(map(_word, versions))})


_RESULTS: Final[dict[str, Callable[[Object], str]]] = {
    "initialize": lambda result: _greeting(result.get("serverInfo"), result),
    "server/discover": _discovery,
    "tools/call": _tool_result,
    "tools/list": _listed("tools", "name"),
    "resources/list": _listed("resources", "name"),
    "resources/templates/list": _listed("resourceTemplates", "uriTemplate"),
    "prompts/list": _listed("prompts", "name"),
    "tasks/list": _listed("tasks", "taskId"),
    "resources/read": _contents,
    "prompts/get": _prompt,
    "completion/complete": _values,
    "sampling/createMessage": _sampled,
    "elicitation/create": _elicited,
    "roots/list": _listed("roots", "uri"),
}
