"""How a cassette is used by a test: one table of settings for functions, for the marker and for the factory."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypedDict, get_args

from mcpmock.errors import UsageError
from mcpmock.folders import folders_here, variable
from mcpmock.session.playing.live import ANSWER_TIMEOUT, Options
from mcpmock.session.playing.order import ORDERS, Order

__all__ = [
    "MODES",
    "Mode",
    "Playing",
    "Settings",
    "check_settings",
    "options_from",
    "pointers_in",
    "read_mode",
    "rules_in",
    "variables_in",
]

Mode: TypeAlias = Literal["none", "once", "new_episodes", "all", "passthrough"]

MODES: Final[tuple[Mode, ...]] = get_args(Mode)
"""The record modes, by the field's names."""

PLANNED: Final[tuple[Mode, ...]] = ("new_episodes",)
"""Those that are refused so far."""

ALIASES: Final[Mapping[str, Mode]] = {"rewrite": "all"}


class Playing(TypedDict, total=False):
    """How a cassette is played.

    server                  which of the cassette's servers; all of them if not given
    session                 only its N-th recorded session, from 1
    order                   which of several equal requests is played: stateful, sequence, strict, any
    allow_playback_repeats  everything repeats its last answer
    allow_unplayed          what was recorded and not played is no failure
    ignore                  JSON pointers into the params that do not count, as `/arguments/at`
    delays                  the recorded delays are kept, times this factor
    answer_timeout          seconds that a question to the client waits for its answer (30; 0: for ever)
    vars                    what the variables of the cassette stand for, as `{"work": "/srv/project"}`
    echo_version            the version that a client asks for is agreed on; what that does not know is left out
    strict_http             over HTTP clients are asked for all that the specification wants of them: Accept (406),
                            Content-Type (415), the recorded path (404)
    noise                   recorded noise on stdout and stderr is played too
    raise_on_miss           a miss fails at once, not only at the end: in process it is raised where the client sends;
                            over stdio the server leaves, with exit code 3, and stays away
    """

    server: str
    session: int
    order: Order
    allow_playback_repeats: bool
    allow_unplayed: bool
    ignore: str | Sequence[str]
    delays: float
    answer_timeout: float
    vars: Mapping[str, str | os.PathLike[str]]
    echo_version: bool
    strict_http: bool
    noise: bool
    raise_on_miss: bool


class Settings(Playing, total=False):
    """How a cassette is used: played, or recorded first.

    mode     none: only played; once: recorded if it is not there; all: recorded anew; passthrough: the real server,
             nothing recorded and nothing played
    command  what starts the real server; it or `url` is needed wherever it is recorded or passed through
    url      where a real server is that runs already; its clients are given the mock's `url`
    headers  what is sent with every request to it, and never stored: a dict, or a list of "Name: value"; ${NAME} in a
             value is a variable of the environment
    redact   rules for what else is a secret: "key:NAME", "pointer:/params/arguments/x", "regex:PATTERN", "env:NAME"
    before_record  a function that is asked for every message before it is kept: it takes the message as a cassette has
             it, and gives it back, changed or not, or None where neither it nor its answer is to be kept
    """

    mode: Mode
    command: Sequence[str]
    url: str
    headers: Mapping[str, str] | Sequence[str]
    redact: str | Sequence[str]
    before_record: Callable[[dict[str, Any]], dict[str, Any] | None]


def read_mode(text: str, source: str) -> Mode:
    """The mode of this name. Raises UsageError, which lists them, for any other; `source` tells where it was given."""
    mode = ALIASES.get(text, text)
    for known in MODES:
        if mode == known:
            return known
    there = [known for known in (*MODES, *ALIASES) if known not in PLANNED]
    listed = f"{', '.join(there)} ({', '.join(PLANNED)} is planned)"
    raise UsageError(f"{source}: there is no mode {text!r}; the modes are {listed}{_meant(text, there)}")


def check_settings(values: Mapping[str, Any], known: type, source: str) -> None:
    """Raises UsageError for a setting that is not there, or has a value of the wrong kind."""
    names = list(known.__annotations__)
    for base in known.__orig_bases__ if hasattr(known, "__orig_bases__") else ():
        names += getattr(base, "__annotations__", {})
    for name, value in values.items():
        if name not in names:
            raise UsageError(f"{source}: there is no setting {name!r}{_meant(name, names)}")
        if name in _KINDS and not _KINDS[name].fits(value):
            raise UsageError(f"{source}: {name}={value!r}, but it takes {_KINDS[name].told}")


def options_from(values: Playing) -> Options:
    """The part of the settings that the playback machine knows."""
    return Options(
        order=values.get("order", "stateful"),
        repeats=values.get("allow_playback_repeats", False),
        delays=values.get("delays", 0.0),
        noise=values.get("noise", False),
        echo=values.get("echo_version", False),
        strict_http=values.get("strict_http", False),
        vars=variables_in(values),
        folders=folders_here,
        patience=values.get("answer_timeout", ANSWER_TIMEOUT),
    )


def pointers_in(values: Playing) -> tuple[str, ...]:
    """The pointers of `ignore`; one may be given without a list around it."""
    ignore = values.get("ignore", ())
    return (ignore,) if isinstance(ignore, str) else tuple(ignore)


def rules_in(values: Settings) -> tuple[str, ...]:
    """The rules of `redact`; one may be given without a list around it."""
    redact = values.get("redact", ())
    return (redact,) if isinstance(redact, str) else tuple(redact)


def headers_in(values: Settings) -> tuple[str, ...]:
    """The headers of `headers`, each as `Name: value`."""
    headers = values.get("headers", ())
    return (
        tuple(f"{name}: {value}" for name, value in headers.items()) if isinstance(headers, Mapping) else tuple(headers)
    )


def variables_in(values: Playing) -> dict[str, str]:
    """The variables of `vars`, as they are looked for. Raises UsageError for one that is none."""
    try:
        return dict(variable(name, os.fspath(text)) for name, text in values.get("vars", {}).items())
    except ValueError as error:
        raise UsageError(f"vars: {error}") from None


def _is_list_of_text(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(one, str) for one in value)


def _is_variables(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(name, str) and isinstance(text, str | os.PathLike) for name, text in value.items()
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and value >= 0


class _Kind(NamedTuple):
    fits: Callable[[Any], bool]
    told: str


_BOOLEAN: Final = _Kind(lambda value: isinstance(value, bool), "True or False")
_KINDS: Final = {
    "server": _Kind(lambda value: isinstance(value, str), "the name of a server"),
    "session": _Kind(lambda value: type(value) is int and value > 0, "a number from 1"),
    "order": _Kind(lambda value: value in ORDERS, "one of " + ", ".join(ORDERS)),
    "allow_playback_repeats": _BOOLEAN,
    "allow_unplayed": _BOOLEAN,
    "ignore": _Kind(
        lambda value: isinstance(value, str) or _is_list_of_text(value), "a JSON pointer or a list of them"
    ),
    "delays": _Kind(_is_number, "a factor, as 1.0"),
    "answer_timeout": _Kind(_is_number, "seconds, as 30.0"),
    "vars": _Kind(_is_variables, "a dict of texts or paths, as {'work': '/srv/project'}"),
    "echo_version": _BOOLEAN,
    "strict_http": _BOOLEAN,
    "noise": _BOOLEAN,
    "raise_on_miss": _BOOLEAN,
    "redact": _Kind(lambda value: isinstance(value, str) or _is_list_of_text(value), "a rule or a list of them"),
    "before_record": _Kind(callable, "a function"),
    "url": _Kind(lambda value: isinstance(value, str), "the URL of a server"),
    "headers": _Kind(
        lambda value: _is_variables(value) or _is_list_of_text(value), "a dict of texts, or a list of 'Name: value'"
    ),
    "command": _Kind(_is_list_of_text, "a list of words, as ['npx', '-y', 'some-server']"),
}


def _meant(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {close[0]!r}?" if close else ""
