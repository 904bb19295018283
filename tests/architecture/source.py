"""The source of the package and of its tests, as something to ask about."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

ROOT: Final = Path(__file__).parent.parent.parent
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class Module(NamedTuple):
    """One file of source: its dotted name, its path from the root of the checkout, its text and its tree."""

    name: str
    path: str
    text: str
    tree: ast.Module

    @property
    def layer(self) -> str:
        """The package below `mcpmock` that it belongs to, or its own name where it stands beside them."""
        return self.name.split(".")[1] if "." in self.name else ""

    def imports(self, *, for_types: bool = True) -> Iterator[tuple[int, str]]:
        """Every module that it imports, at whatever depth: (line, dotted name).

        `for_types`: also what only the type checker imports.
        """
        skipped = set() if for_types else {id(node) for node in self._only_for_types()}
        for node in ast.walk(self.tree):
            if id(node) in skipped:
                continue
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{self.path}:{node.lineno}: imports are absolute"
                names = (f"{node.module}.{alias.name}" for alias in node.names)
                yield from ((node.lineno, name if name in MODULE_NAMES else str(node.module)) for name in names)

    def _only_for_types(self) -> Iterator[ast.AST]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                for statement in node.body:
                    yield from ast.walk(statement)

    def functions(self) -> Iterator[Function]:
        """Every function, methods and inner ones included."""
        return (node for node in ast.walk(self.tree) if isinstance(node, Function))

    def public(self) -> Iterator[tuple[str, ast.AST]]:
        """The functions and classes that others may use, methods of public classes included: (name, node)."""
        yield from _public(self.tree.body, "")


def _public(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.AST]]:
    for node in body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from _public(node.body, f"{node.name}.")


def _read(path: Path) -> Module:
    relative = path.relative_to(ROOT)
    name = ".".join(relative.with_suffix("").parts).removesuffix(".__init__")
    text = path.read_text(encoding="utf-8")
    return Module(name, str(relative), text, ast.parse(text))


def _files(folder: str) -> list[Path]:
    return sorted(path for path in (ROOT / folder).rglob("*.py") if "__pycache__" not in path.parts)


MODULE_NAMES: Final = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in _files("mcpmock")
}
PACKAGE: Final = [_read(path) for path in _files("mcpmock")]
PLUGIN: Final = [_read(path) for path in _files("pytest_plugin")]
TESTS: Final = [_read(path) for path in _files("tests")]
BENCHMARKS: Final = [_read(path) for path in _files("benchmarks")]


def complaint(rule: str, found: list[str]) -> str:
    """The sentence of a broken rule, with the places that break it."""
    return "\n  ".join([rule, *found])
