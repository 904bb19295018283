"""How the code is cut (STYLE): sizes, names, docstrings, broad excepts, and what tests must not do."""

from __future__ import annotations

import ast
import re
from typing import Final

from tests.architecture.source import BENCHMARKS, PACKAGE, PLUGIN, TESTS, Function, Module, complaint

SHIPPED: Final = [*PACKAGE, *PLUGIN]
MAX_FILE_LINES: Final = 300
MAX_FUNCTION_LINES: Final = 50
MAX_PARAMETERS: Final = 6
MAX_PUBLIC_NAMES: Final = 25
REASON_FOR_LENGTH: Final = re.compile(r"longer than 300 lines,? because", re.IGNORECASE)
VAGUE_WORDS: Final = re.compile(r"(^|_)(utils?|helpers?|managers?)(_|$)|^get_")

EDGES: Final = {
    "mcpmock.mock.engine": "a session in a thread of a test's process: `check` raises the fault again",
    "mcpmock.session.recording.filtering": "a function of the user: what it raises ends the recording, and is told",
    "mcpmock.transports.proxy.thinker": "clients and server go on whatever happens to the recording; stderr says so",
    "mcpmock.transports.thinker": "the recorded session goes on whatever happens to its recording; stderr says so",
}
"""The modules that may catch every exception, with the reason: the edges of a process, where it is reported."""


def test_no_file_is_longer_than_300_lines_without_a_reason() -> None:
    """Ours (STYLE)."""
    found = [
        f"{module.path}: {lines} lines"
        for module in [*SHIPPED, *TESTS, *BENCHMARKS]
        if (lines := len(module.text.splitlines())) > MAX_FILE_LINES
        and not REASON_FOR_LENGTH.search(ast.get_docstring(module.tree) or "")
    ]
    assert not found, complaint(
        "A file beyond 300 lines is split, or its docstring says `Longer than 300 lines, because …`.", found
    )


def test_no_function_is_longer_than_50_lines() -> None:
    """Ours (STYLE)."""
    found = [
        f"{module.path}:{function.lineno} {function.name}: {lines} lines"
        for module in [*SHIPPED, *BENCHMARKS]
        for function in module.functions()
        if (lines := (function.end_lineno or 0) - function.lineno + 1) > MAX_FUNCTION_LINES
    ]
    assert not found, complaint("A function beyond 50 lines does more than one thing.", found)


def test_no_function_takes_more_than_six_parameters() -> None:
    """Ours (STYLE)."""
    found = [
        f"{module.path}:{function.lineno} {function.name}: {count} parameters"
        for module in [*SHIPPED, *BENCHMARKS]
        for function in module.functions()
        if (count := len(_parameters(function))) > MAX_PARAMETERS and not _is_command(function)
    ]
    assert not found, complaint("More than six parameters: some of them are one value.", found)


def test_booleans_are_keyword_only() -> None:
    """Ours (STYLE): `f(True)` tells a reader nothing."""
    found = [
        f"{module.path}:{function.lineno} {function.name}({argument.arg})"
        for module in SHIPPED
        for function in module.functions()
        for argument in [*function.args.posonlyargs, *function.args.args]
        if isinstance(argument.annotation, ast.Name) and argument.annotation.id == "bool" and not _is_command(function)
    ]
    assert not found, complaint("A boolean parameter stands behind the `*`.", found)


def test_every_public_name_has_a_docstring() -> None:
    """Ours (STYLE): a sentence first."""
    found = [
        f"{module.path}:{node.lineno} {name}"
        for module in SHIPPED
        for name, node in module.public()
        if isinstance(node, Function | ast.ClassDef) and not ast.get_docstring(node)
    ]
    found += [module.path for module in [*SHIPPED, *TESTS, *BENCHMARKS] if not _is_documented(module)]
    assert not found, complaint("A public name says what it is; a private one begins with `_`.", found)


def test_every_test_says_whose_rule_it_is() -> None:
    """Ours (STYLE): a one-line docstring: the spec, ours, or the id of a case."""
    found = [
        f"{module.path}:{function.lineno} {function.name}"
        for module in TESTS
        for function in module.functions()
        if function.name.startswith("test_") and not ast.get_docstring(function)
    ]
    assert not found, complaint("A test's docstring tells whose rule it holds up.", found)


def test_no_module_exports_more_than_25_names() -> None:
    """Ours (STYLE)."""
    found = [
        f"{module.path}: {len(node.value.elts)} names"
        for module in SHIPPED
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets)
        and isinstance(node.value, ast.List | ast.Tuple)
        and len(node.value.elts) > MAX_PUBLIC_NAMES
    ]
    assert not found, complaint("A public surface beyond 25 names is learned by nobody.", found)


def test_nothing_is_called_helper_manager_utils_or_get() -> None:
    """Ours (STYLE): a name says what the thing does."""
    names = [(module.path, module.name.split(".")[-1]) for module in SHIPPED]
    names += [
        (f"{module.path}:{node.lineno}", node.name)
        for module in SHIPPED
        for node in ast.walk(module.tree)
        if isinstance(node, Function | ast.ClassDef)
    ]
    inherited = {"get_command"}  # click's word for it
    found = [f"{place} {name}" for place, name in names if VAGUE_WORDS.search(_snake(name)) and name not in inherited]
    assert not found, complaint("Vague words: helper, manager, utils, get_.", found)


def test_everything_is_caught_only_at_the_edge_of_a_process() -> None:
    """Ours (STYLE): elsewhere a broad except hides faults."""
    found = [
        f"{module.path}:{node.lineno}"
        for module in SHIPPED
        if module.name not in EDGES
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ExceptHandler) and _swallows_all(node)
    ]
    assert not found, complaint("`except Exception` stands only in the modules that EDGES names.", found)


def test_the_edges_are_still_edges() -> None:
    """Ours: an exception that nobody needs any more is taken back."""
    catching = {
        module.name
        for module in SHIPPED
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ExceptHandler) and _swallows_all(node)
    }
    assert not set(EDGES) - catching, complaint(
        "EDGES names modules that catch nothing.", sorted(set(EDGES) - catching)
    )


def test_tests_neither_mock_our_code_nor_sleep() -> None:
    """Ours (STYLE): real ends, and bounded waits for a condition."""
    found = [
        f"{module.path}:{line} imports {name}"
        for module in TESTS
        for line, name in module.imports()
        if name.startswith(("unittest.mock", "mock"))
    ]
    found += [
        f"{module.path}:{node.lineno} sleeps"
        for module in TESTS
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("time.sleep", "sleep")
    ]
    assert not found, complaint("No mocks of our own code, no sleep.", found)


def _parameters(function: Function) -> list[str]:
    arguments = function.args
    names = [argument.arg for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]]
    return [name for name in names if name not in ("self", "cls")]


def _is_command(function: Function) -> bool:
    """Whether click calls it, with one argument for each option."""
    return any("click." in ast.unparse(decorator) for decorator in function.decorator_list)


def _is_documented(module: Module) -> bool:
    return bool(ast.get_docstring(module.tree)) or not module.tree.body


def _swallows_all(handler: ast.ExceptHandler) -> bool:
    """Whether it catches everything and does not raise it again, once it has tidied up."""
    last = handler.body[-1]
    return _is_broad(handler.type) and not (isinstance(last, ast.Raise) and last.exc is None)


def _is_broad(type_: ast.expr | None) -> bool:
    if isinstance(type_, ast.Tuple):
        return any(_is_broad(element) for element in type_.elts)
    return type_ is None or (isinstance(type_, ast.Name) and type_.id in ("Exception", "BaseException"))


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
