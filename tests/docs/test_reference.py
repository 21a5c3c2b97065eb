"""The reference pages say what the code says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def test_reference_pages_are_fresh():
    result = subprocess.run(
        [sys.executable, DOCS / "generate.py", "--check"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


PAGES = [
    path.relative_to(DOCS.parent).as_posix()
    for path in (DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md")))
    if "```console\n" in path.read_text(encoding="utf-8")
    and path.name != "lab.md"  # needs root; see tests/lab/test_page.py
]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_what_its_commands_print(page):
    result = subprocess.run(
        [sys.executable, DOCS / "command_output.py", "--check", page], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


def test_pictures_of_pages_are_there_and_small():
    """Those of the what-if guide are what its script names."""
    shown = {
        (page.parent / name).resolve()
        for page in (*DOCS.rglob("*.md"), DOCS.parent / "README.md")
        for name in re.findall(r"!\[[^\]]*\]\(([^)]+\.png)\)", page.read_text(encoding="utf-8"))
    }
    made = re.findall(r'"(guide-[^"]+)": \(', (DOCS / "pictures.py").read_text(encoding="utf-8"))
    assert made
    assert {path.stem for path in shown if path.stem.startswith("guide-")} == set(made)
    for path in shown:
        assert path.read_bytes().startswith(b"\x89PNG"), path
        assert path.stat().st_size < 300_000, path
