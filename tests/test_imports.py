"""What the import contract cannot say: who imports the Rust core."""

import ast
from pathlib import Path

import wirespeed

ROOT = Path(wirespeed.__file__).parent


def test_only_wire_imports_the_core():
    importers = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.ImportFrom) and any(alias.name == "_core" for alias in node.names))
        or (isinstance(node, ast.Import | ast.ImportFrom) and "_core" in ast.dump(node))
    }
    assert importers == {"wire.py"}
