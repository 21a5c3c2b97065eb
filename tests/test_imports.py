"""What the import contract cannot say: who imports the Rust core, and who starts a process without a module for it."""

import ast
import re
from pathlib import Path

import wirespeed

ROOT = Path(wirespeed.__file__).parent


def _imported_names(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Every dotted name that stands in an import."""
    module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
    return [module, *(alias.name for alias in node.names)]


def test_only_wire_simulation_and_the_reader_of_logs_import_the_core():
    importers = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        and "_core" in {part for name in _imported_names(node) for part in name.split(".")}
    }
    names = {name for name in importers if not name.startswith("simulation/")}
    assert names == {"wire.py", "benchmarks/logs/log.py", "benchmarks/logs/numbers.py"}


def test_only_reach_starts_a_process_through_os():
    starts = re.compile(r"system|popen|fork|forkpty|startfile|(?:exec|posix_spawn|spawn)[a-z]*")
    starters = {
        path.relative_to(ROOT).parts[0]
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
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
    assert starters <= {"reach"}
