"""Rules beyond the import contract: who imports the Rust core, and who starts a process without a module for it."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import grimp
import pytest

import wirespeed

ROOT = Path(wirespeed.__file__).parent


def _read_sources(text: str) -> Iterator[tuple[str, str]]:
    """Name and source of each file that contains a text: only these are parsed."""
    for path in ROOT.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        if re.search(text, source, re.MULTILINE):
            yield path.relative_to(ROOT).as_posix(), source


def _imported_names(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Every dotted name of an import."""
    module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
    return [module, *(alias.name for alias in node.names)]


def test_only_wire_simulation_and_the_reader_of_logs_import_the_core():
    importers = {
        name
        for name, source in _read_sources("_core")
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        and "_core" in {part for name in _imported_names(node) for part in name.split(".")}
    }
    names = {name for name in importers if not name.startswith("simulation/")}
    assert names == {"wire.py", "benchmarks/logs/log.py", "benchmarks/logs/numbers.py"}


def test_only_reach_starts_a_process_through_os():
    starts = re.compile(r"system|popen|fork|forkpty|startfile|(?:exec|posix_spawn|spawn)[a-z]*")
    launchers = {
        name.partition("/")[0]
        for name, source in _read_sources(r"^\s*(?:import|from)\b.*\bos\b")
        for node in ast.walk(ast.parse(source))
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "os"
            and starts.fullmatch(node.attr)
        )
        or (
            isinstance(node, ast.ImportFrom)
            and node.module == "os"
            and any(starts.fullmatch(alias.name) for alias in node.names)
        )
    }
    assert launchers <= {"reach"}


def find_cycles(imports: Mapping[str, set[str]]) -> list[list[str]]:
    """Groups of modules that import each other, directly or through others; also for types, and inside functions."""
    reached = {module: find_reached(imports, module) for module in imports}
    groups = {
        frozenset({module} | {target for target in reached[module] if module in reached[target]}) for module in imports
    }
    return sorted(sorted(group) for group in groups if len(group) > 1)


def find_reached(imports: Mapping[str, set[str]], module: str) -> set[str]:
    """All modules that a module imports, directly or through others."""
    reached: set[str] = set()
    pending = set(imports[module])
    while pending:
        reached |= pending
        pending = {target for source in pending for target in imports[source]} - reached
    return reached


def test_modules_form_no_cycle():
    graph = grimp.build_graph("wirespeed", cache_dir=None)
    assert find_cycles({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}) == []


@pytest.mark.parametrize(
    ("imports", "cycles"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"a"}, "c": {"a"}}, [["a", "b"]]),
        ({"a": {"b"}, "b": {"c"}, "c": {"a"}}, [["a", "b", "c"]]),
    ],
)
def test_a_cycle_of_modules_is_found(imports: dict[str, set[str]], cycles: list[list[str]]) -> None:
    assert find_cycles(imports) == cycles
