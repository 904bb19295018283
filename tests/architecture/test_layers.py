"""Who may import whom (DESIGN 5): lower layers know nothing of upper ones, pure ones nothing of the world."""

from __future__ import annotations

import ast
import sys
from typing import Final

import pytest

from tests.architecture.source import PACKAGE, PLUGIN, Module, complaint

LAYERS: Final = ("errors", "wire", "cassette", "matching", "session", "transports", "wiring", "mock", "cli")
"""From the ground up; each may use itself and what stands before it."""

PARTS_OF_SESSION: Final = ("", "headers", "playing", "recording", "showing")
"""The folders in `session`, in the same way; before them the modules that stand in none."""

WIRING: Final = {"keeping", "recording", "recording_http", "replaying", "replaying_http", "mock", "folders"}
STANDS_ALONE: Final = {"demo"}
"""What ships with the package but is no part of it: only the command line starts it."""

PURE: Final = {"wire", "cassette", "matching", "session"}

TOUCHES_FILES: Final = {
    "mcpmock.cassette.files": "writes cassettes, finds part files",
    "mcpmock.cassette.finishing": "joins part files to their cassette",
    "mcpmock.cassette.leftovers": "finds the part files of recordings that have ended",
    "mcpmock.cassette.load": "reads cassettes",
    "mcpmock.cassette.locks": "locks files",
    "mcpmock.cassette.part_file": "writes part files",
    "mcpmock.cassette.redaction.rewriting": "rewrites a cassette without its secrets",
    "mcpmock.cassette.runs": "remembers in a private folder which run recorded what",
    "mcpmock.cassette.salvaging": "makes cassettes of part files",
}
"""The modules of a pure layer that are there to do I/O, by name, with what they do."""

IMPURE_MODULES: Final = """
    anyio asyncio concurrent contextvars ctypes datetime fcntl glob http io logging mmap msvcrt multiprocessing os
    pathlib queue random secrets select selectors shutil signal socket ssl subprocess sys tempfile threading time
    urllib.request uuid
"""
IMPURE: Final = frozenset(IMPURE_MODULES.split())
IMPURE_CALLS: Final = frozenset({"open", "print", "input", "breakpoint"})
DEPENDENCIES: Final = frozenset(
    {"yaml", "_yaml", "click", "anyio", "h11", "httpx", "jsonschema", "referencing", "respx", "uvicorn"}
)
OPTIONAL: Final = frozenset({"brotli", "zstandard"})
"""What `proxy.decoding` uses where somebody has installed it."""


def rank(module: Module) -> int:
    """How high a module stands."""
    if module.layer in WIRING:
        return LAYERS.index("wiring")
    if module.layer in ("__main__", "cli"):
        return LAYERS.index("cli")
    return LAYERS.index(module.layer)


def layer_of(name: str) -> int | None:
    """How high an imported module stands; None for one that is no part of a layer."""
    for module in PACKAGE:
        if module.name == name and module.layer and module.layer not in STANDS_ALONE:
            return rank(module)
    return None


def test_no_layer_imports_one_above_it() -> None:
    """Ours (DESIGN 5)."""
    found = [
        f"{module.path}:{line} imports {name}"
        for module in PACKAGE
        if module.layer and module.layer not in STANDS_ALONE
        for line, name in module.imports()
        if name.startswith("mcpmock.") and (layer_of(name) or 0) > rank(module)
    ]
    assert not found, complaint(f"A layer may use only itself and those before it: {' < '.join(LAYERS)}.", found)


def test_the_parts_of_session_know_only_what_stands_before_them() -> None:
    """Ours (DESIGN 5): what is derived from a recording knows nobody who plays, records or shows it."""
    places = {part: at for at, part in enumerate(PARTS_OF_SESSION)}
    found = [
        f"{module.path}:{line} imports {name}"
        for module in PACKAGE
        if module.layer == "session"
        for line, name in module.imports()
        if name.startswith("mcpmock.session.")
        and places.get(name.split(".")[2], 0) > places.get(module.name.split(".")[2], 0)
    ]
    assert not found, complaint(f"The parts of `session` are, from the ground up: {PARTS_OF_SESSION}.", found)


def test_every_module_has_its_layer() -> None:
    """Ours (DESIGN 5): a new folder is given its place here, not wherever it fits."""
    known = {*LAYERS, *WIRING, *STANDS_ALONE, "__main__", ""}
    found = [module.path for module in PACKAGE if module.layer not in known]
    assert not found, complaint("These stand in no layer; name the layer in LAYERS or move them.", found)


@pytest.mark.parametrize("layer", sorted(PURE))
def test_a_pure_layer_touches_neither_files_nor_clock_nor_dice(layer: str) -> None:
    """Ours (DESIGN 2.2): time, ids and bytes come in as arguments."""
    found = [
        f"{module.path}:{line} imports {name}"
        for module in PACKAGE
        if module.layer == layer and module.name not in TOUCHES_FILES
        for line, name in module.imports(for_types=False)
        if name in IMPURE or name.split(".")[0] in IMPURE or name in TOUCHES_FILES
    ]
    assert not found, complaint(f"`{layer}` is pure: no I/O, no event loop, no clock, no randomness.", found)


@pytest.mark.parametrize("layer", sorted(PURE))
def test_a_pure_layer_opens_and_prints_nothing(layer: str) -> None:
    """Ours (DESIGN 2.2)."""
    found = [
        f"{module.path}:{node.lineno} calls {node.func.id}()"
        for module in PACKAGE
        if module.layer == layer and module.name not in TOUCHES_FILES
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS
    ]
    assert not found, complaint(f"`{layer}` is pure: what it has to say it returns.", found)


def test_the_files_that_may_do_input_and_output_exist() -> None:
    """Ours: an exception that nobody needs any more is taken back."""
    gone = sorted(set(TOUCHES_FILES) - {module.name for module in PACKAGE})
    assert not gone, complaint("TOUCHES_FILES names modules that do not exist.", gone)


def test_the_package_imports_nothing_but_itself_and_its_dependencies() -> None:
    """Ours (DESIGN 5, Dependencies): what pyproject.toml does not list is not there on a user's machine."""
    found = [
        f"{module.path}:{line} imports {name}"
        for module in PACKAGE
        for line, name in module.imports()
        if name.split(".")[0] not in sys.stdlib_module_names | DEPENDENCIES | OPTIONAL | {"mcpmock"}
    ]
    assert not found, complaint("The package may import the standard library and what pyproject.toml lists.", found)


def test_the_plugin_stands_on_the_package_and_on_pytest_alone() -> None:
    """Ours (DESIGN 5): and the package knows nothing of the plugin, nor of pytest."""
    allowed = sys.stdlib_module_names | {"mcpmock", "pytest_mcpmock", "pytest", "_pytest"}
    found = [
        f"{module.path}:{line} imports {name}"
        for module in PLUGIN
        for line, name in module.imports()
        if name.split(".")[0] not in allowed
    ]
    assert not found, complaint("The plugin may import the standard library, pytest and mcpmock.", found)


def test_only_the_command_line_imports_click() -> None:
    """Ours (DESIGN 5): everything else can be used, and started, without it."""
    found = [
        f"{module.path}:{line}"
        for module in PACKAGE
        if module.layer != "cli"
        for line, name in module.imports()
        if name.split(".")[0] == "click"
    ]
    assert not found, complaint("click belongs to `cli`.", found)


def test_the_demo_server_is_like_any_other_server() -> None:
    """Ours: it imports nothing of mcpmock, or recording it would prove less."""
    found = [
        f"{module.path}:{line} imports {name}"
        for module in PACKAGE
        if module.layer in STANDS_ALONE
        for line, name in module.imports()
        if name.split(".")[0] not in sys.stdlib_module_names and not name.startswith("mcpmock.demo")
    ]
    assert not found, complaint("The demo's server and client use the standard library alone.", found)
