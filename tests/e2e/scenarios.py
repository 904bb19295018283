"""What the clients do, server by server: lists of steps, which every driver understands.

`["seen", METHOD, N]` waits until N such notifications have come, `["refuse"]` makes the model and the user say no from
there on, `["overlap", [TOOL, ARGUMENTS], …]` makes calls at once, `["cancel", TOOL, ARGUMENTS]` gives a call up at its
first progress; the others are what they are called.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

Steps = list[list[Any]]

_FEATURES: Final = "demo://resource/static/document/features.md"
_CHAT: Final = "notifications/message"
_LONG: Final = "trigger-long-running-operation"
_LISTS: Final[Steps] = [["list", "tools"], ["list", "resources"], ["list", "templates"], ["list", "prompts"]]

_ALIKE: Final[Steps] = [
    ["call", "add", {"a": 2, "b": 3}],
    ["call", "add", {"a": 2, "b": 3}],
    ["call", "add", {"a": "two", "b": 3}],
    ["call", "no_such_tool", {}],
    ["call", "fail", {}],
    ["call", "count", {"steps": 3}],
    ["call", "chat", {"lines": 3}],
    ["overlap", ["count", {"steps": 2}], ["count", {"steps": 4}], ["add", {"a": 1, "b": 1}]],
    ["call", "look", {}],
    ["call", "write", {"text": "something\nelse\n"}],
    ["call", "look", {}],
    ["read", "note://now"],
    ["read", "note://old/7"],
    ["read", "note://none"],
    ["prompt", "greet", {"name": "Ann"}],
    ["prompt", "greet", {}],
    ["complete", {"type": "ref/prompt", "name": "greet"}, "name", "An"],
]
"""What the small servers answer in both eras."""


def everything(folder: Path) -> Steps:
    """server-everything: all that stdio can carry."""
    return [
        # The server looks at the client's capabilities only after `initialized`: it then adds tools and asks for roots.
        ["seen", "notifications/tools/list_changed", 5],
        ["seen", _CHAT, 1],
        ["ping"],
        ["level", "debug"],
        *_LISTS,
        ["call", "echo", {"message": "hé 中 😀  "}],
        ["call", "get-sum", {"a": 2, "b": 3}],
        ["call", "get-sum", {"a": 2, "b": 3}],
        ["call", "get-sum", {"a": "two"}],
        ["call", "no-such-tool", {}],
        ["call", "get-structured-content", {"location": "Chicago"}],
        ["call", "get-tiny-image", {}],
        ["call", "get-annotated-message", {"messageType": "error", "includeImage": True}],
        ["call", "get-resource-links", {"count": 2}],
        ["call", _LONG, {"duration": 0.3, "steps": 3}],
        ["overlap", [_LONG, {"duration": 0.6, "steps": 2}], [_LONG, {"duration": 0.4, "steps": 4}],
         ["echo", {"message": "meanwhile"}]],
        ["call", "get-roots-list", {}],
        ["change_roots"],
        ["seen", _CHAT, 2],
        ["call", "get-roots-list", {}],
        ["call", "trigger-sampling-request", {"prompt": "say something", "maxTokens": 20}],
        ["call", "trigger-elicitation-request", {}],
        ["refuse"],
        ["call", "trigger-sampling-request", {"prompt": "and now?", "maxTokens": 20}],
        ["call", "trigger-elicitation-request", {}],
        ["read", _FEATURES],
        ["read", "demo://no/such"],
        ["prompt", "simple-prompt", {}],
        ["prompt", "args-prompt", {"city": "Oslo"}],
        ["prompt", "args-prompt", {}],
        ["prompt", "no-such-prompt", {}],
        ["complete", {"type": "ref/prompt", "name": "completable-prompt"}, "department", "E"],
        ["complete", {"type": "ref/resource", "uri": "demo://resource/dynamic/text/{resourceId}"}, "resourceId", "1"],
        ["subscribe", _FEATURES],
        ["call", "toggle-subscriber-updates", {}],
        ["seen", "notifications/resources/updated", 1],
        ["call", "toggle-subscriber-updates", {}],
        ["unsubscribe", _FEATURES],
        ["cancel", _LONG, {"duration": 0.6, "steps": 2}],
        ["call", _LONG, {"duration": 0.9, "steps": 3}],  # outlasts the one that was given up, which goes on
        ["call", "echo", {"message": "after the cancel"}],
        ["ping"],
    ]  # fmt: skip


def filesystem(folder: Path) -> Steps:
    """server-filesystem: paths in arguments and answers; the server asks for roots."""
    inside = folder / "files"
    return [
        ["list", "tools"],
        ["call", "list_directory", {"path": str(inside)}],
        ["call", "read_text_file", {"path": str(inside / "a.txt"), "head": 2}],
        ["call", "write_file", {"path": str(inside / "new.txt"), "content": "one\ntwo\n"}],
        ["call", "list_directory", {"path": str(inside)}],
        ["call", "edit_file", {"path": str(inside / "new.txt"), "edits": [{"oldText": "two", "newText": "2"}]}],
        ["call", "read_text_file", {"path": str(inside / "new.txt")}],
        ["call", "directory_tree", {"path": str(inside)}],
        ["call", "search_files", {"path": str(inside), "pattern": "**/*.json"}],
        ["call", "read_text_file", {"path": "/no/such/file"}],
        ["call", "move_file", {"source": str(inside / "new.txt"), "destination": str(inside / "sub" / "moved.txt")}],
        ["call", "list_directory", {"path": str(inside / "sub")}],
    ]


def memory(folder: Path) -> Steps:
    """server-memory: reads and writes of a state."""
    entities = [{"name": name, "entityType": "person", "observations": [f"{name} is here"]} for name in ("ann", "bob")]
    return [
        ["list", "tools"],
        ["call", "read_graph", {}],
        ["call", "create_entities", {"entities": entities}],
        ["call", "read_graph", {}],
        ["call", "create_relations", {"relations": [{"from": "ann", "to": "bob", "relationType": "knows"}]}],
        ["call", "read_graph", {}],
        ["call", "search_nodes", {"query": "ann"}],
        ["call", "open_nodes", {"names": ["bob"]}],
        ["call", "open_nodes", {"names": 7}],
        ["call", "delete_entities", {"entityNames": ["ann"]}],
        ["call", "read_graph", {}],
    ]


def time(folder: Path) -> Steps:
    """mcp-server-time: answers that differ from run to run, and errors."""
    return [
        ["list", "tools"],
        ["call", "get_current_time", {"timezone": "Asia/Tokyo"}],
        ["call", "convert_time", {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}],
        ["call", "convert_time", {"source_timezone": "No/Where", "time": "12:00", "target_timezone": "UTC"}],
        ["call", "no_such_tool", {}],
    ]


def git(folder: Path) -> Steps:
    """mcp-server-git: a state that is written."""
    repository = {"repo_path": str(folder / "repository")}
    return [
        ["list", "tools"],
        ["call", "git_status", repository],
        ["call", "git_log", repository],
        ["call", "git_diff_unstaged", repository],
        ["call", "git_add", {**repository, "files": ["a.txt"]}],
        ["call", "git_status", repository],
        ["call", "git_diff_staged", repository],
        ["call", "git_reset", repository],
        ["call", "git_status", repository],
        ["call", "git_show", {**repository, "revision": "no-such-revision"}],
        ["call", "git_create_branch", {**repository, "branch_name": "other"}],
        ["call", "git_branch", {**repository, "branch_type": "local"}],
    ]


def small(folder: Path, *more: list[Any]) -> Steps:
    """The small servers of this folder: what each SDK makes of everything that stdio can carry."""
    return [
        ["ping"],
        ["level", "debug"],
        *_LISTS,
        *_ALIKE,
        ["call", "folders", {}],
        ["change_roots"],
        ["call", "folders", {}],
        ["call", "ask_model", {"prompt": "say something"}],
        ["call", "ask_user", {"question": "who are you?"}],
        *more,
        ["refuse"],
        ["call", "ask_model", {"prompt": "and now?"}],
        ["call", "ask_user", {"question": "and now?"}],
        ["call", "grow", {}],
        ["list", "tools"],
        ["call", "grown", {}],
        ["cancel", "count", {"steps": 6}],
        ["call", "count", {"steps": 9}],  # outlasts the one that was given up, where that goes on
        ["call", "add", {"a": 7, "b": 8}],
        ["ping"],
    ]


def handshake(folder: Path) -> Steps:
    """Those that speak 2026-07-28 too, with a handshake: what their SDK makes of rounds then."""
    return small(folder, ["call", "interview", {"topic": "fish"}], ["call", "confirm", {"what": "really?"}])


def stateless(folder: Path) -> Steps:
    """The small servers of this folder that speak 2026-07-28 too: what that revision can carry."""
    return [
        *_LISTS,
        *_ALIKE,
        ["call", "interview", {"topic": "fish"}],
        ["call", "confirm", {"what": "really?"}],
        ["overlap", ["interview", {"topic": "birds"}], ["interview", {"topic": "trees"}], ["add", {"a": 3, "b": 1}]],
        ["overlap", ["interview", {"topic": "the same"}], ["interview", {"topic": "the same"}]],
        ["leave", "confirm", {"what": "never mind"}],
        ["leave", "interview", {"topic": "the weather"}],
        ["call", "add", {"a": 2, "b": 2}],
        ["call", "confirm", {"what": "never mind"}],
        ["listen", "note", {"resourceSubscriptions": ["note://now"]}],
        ["listen", "tools", {"toolsListChanged": True}],
        ["call", "touch", {}],
        ["seen", "notifications/resources/updated", 1],
        ["seen", "notifications/tools/list_changed", 1],
        ["hang_up", "note"],
        ["ping"],  # the Python SDK may tell that it hangs up a moment later; it has when this is answered
        ["call", "touch", {}],
        ["seen", "notifications/tools/list_changed", 2],
        ["listen", "both", {"resourceSubscriptions": ["note://now"], "toolsListChanged": True}],
        ["call", "touch", {}],
        ["seen", "notifications/resources/updated", 2],
        ["seen", "notifications/tools/list_changed", 4],
        ["hang_up", "both"],
        ["ping"],
        ["refuse"],
        ["call", "confirm", {"what": "and now?"}],
        ["call", "interview", {"topic": "nothing"}],  # the model refuses: the client never comes back
        ["cancel", "count", {"steps": 6}],
        ["call", "count", {"steps": 9}],
        ["call", "add", {"a": 7, "b": 8}],
        ["call", "over", {}],
        ["ended", "tools"],
    ]


def fastmcp(folder: Path) -> Steps:
    """The same without what the small server on fastmcp has not got."""
    missing = ("interview", "touch", "listen", "hang_up", "seen", "complete", 'over"', "ended")
    return [step for step in stateless(folder) if not any(f'"{name}' in json.dumps(step) for name in missing)]


def by_itself(steps: Steps) -> Steps:
    """Those that make sense in a process of their own: the first eight of what asks a server for something."""
    return [step for step in steps if step[0] in ("call", "read", "prompt")][:8]


SCENARIOS: Final[Mapping[str, Callable[[Path], Steps]]] = {
    scenario.__name__: scenario
    for scenario in (everything, filesystem, memory, time, git, small, handshake, stateless, fastmcp)
}
