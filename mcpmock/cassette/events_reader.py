"""The tree of a file through YAML events: any YAML, every error with its line and a way out."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

from yaml.error import MarkedYAMLError, YAMLError

from mcpmock.cassette.tree import Branch
from mcpmock.cassette.values import read_tree
from mcpmock.cassette.yaml_events import TOO_DEEP, TOO_DEEP_HINT, Document, best_parser
from mcpmock.errors import CassetteError

Meaning = TypeVar("Meaning")


def read_events(
    data: bytes, meaning: Callable[[Branch], Meaning], *, path: str = "", parser: Callable[[bytes], Any] | None = None
) -> Meaning:
    """What `meaning` makes of the tree of a file; `parser` is libyaml's unless another one is given.

    Raises CassetteError, its own or that of `meaning`, with `path`.
    """
    try:
        return meaning(read_tree(Document(data, parser or best_parser())))
    except CassetteError as error:
        is_torn = _may_be_torn(data, error.line)
        raise CassetteError(error.problem, path=path, line=error.line, hint=error.hint, is_torn=is_torn) from None
    except YAMLError as error:
        problem, line, hint = _explain(data, error)
        is_torn = problem.startswith(_NO_YAML) and _is_at_the_end(data, line, problem)
        raise CassetteError(problem, path=path, line=line, hint=hint, is_torn=is_torn) from None
    except RecursionError:
        raise CassetteError(TOO_DEEP, path=path, hint=TOO_DEEP_HINT) from None


def _may_be_torn(data: bytes, line: int) -> bool:
    """Whether the file breaks off in the middle of a line, and of the entry at `line`."""
    if data.endswith(b"\n") or b"\n" not in data:
        return False
    rest = data.split(b"\n", line)[-1]
    return line > 0 and _another_entry(rest) is None


_another_entry = re.compile(rb"(?:^|\n) *- ").search


def _is_at_the_end(data: bytes, line: int, problem: str) -> bool:
    return "end of stream" in problem or not b"".join(data.split(b"\n")[line - 1 :]).strip()


def _explain(data: bytes, error: YAMLError) -> tuple[str, int, str]:
    """Problem, line and hint for what is no YAML."""
    mark = (error.problem_mark or error.context_mark) if isinstance(error, MarkedYAMLError) else None
    if mark is None or not isinstance(error, MarkedYAMLError):
        return _explain_bytes(data, error)
    problem = ", ".join(part for part in (error.context, error.problem) if part)
    if "nesting depth" in problem:
        return TOO_DEEP, mark.line + 1, TOO_DEEP_HINT
    lines = data.split(b"\n")
    here = lines[mark.line] if mark.line < len(lines) else b""
    if b"\t" in here[: len(here) - len(here.lstrip())]:
        return "a tab in the indentation", mark.line + 1, "YAML is indented with spaces only"
    hint = next((hint for words, hint in _HINTS if words in problem), "")
    return f"{_NO_YAML}: {problem}", mark.line + 1, hint


_NO_YAML: Final = "no YAML"


# What a parser says, and what people have mostly done then; the first that fits.
_HINTS: Final = (
    (
        "mapping values are not allowed",
        "a text that holds a colon and a blank goes in quotes; else the indentation is off",
    ),
    ("not allowed in this context", "a text that begins with - or ? goes in quotes; else the indentation is off"),
    ("cannot start any token", "a text that begins with @, % or ` goes in quotes"),
    (
        "expected ',' or",
        "within {...} and [...] commas stand between members; a text with one, a colon or a bracket goes in quotes",
    ),
    ("end of stream", "a quote that was opened is not closed"),
    ("escape", "in double quotes a backslash is written \\\\, in single quotes it stands for itself"),
    ("scanning an a", "a text that begins with * or & goes in quotes"),
    ("a block scalar", "the text of a block begins on the line below"),
    ("expected key", "the indentation is off here, or a quote or a bracket is closed too early"),
    ("expected <block end>", "the indentation is off here, or a quote or a bracket is closed too early"),
    ("expected ':'", "a key ends with a colon and a blank; a text of several lines is a block, behind |"),
)


_find_control = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]").search


def _explain_bytes(data: bytes, error: YAMLError) -> tuple[str, int, str]:
    """The same for bytes that no YAML file may hold."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        return "the file is not UTF-8", data.count(b"\n", 0, fault.start) + 1, "save it as UTF-8"
    found = _find_control(text)
    if found is None:
        return f"no YAML: {error}", 0, ""
    hint = f'within double quotes it is written "\\u{ord(found[0]):04x}"'
    return f"the character U+{ord(found[0]):04X}", text.count("\n", 0, found.start()) + 1, hint
