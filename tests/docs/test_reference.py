"""The reference pages are fresh, pages show the output of their commands, and pictures are those that scripts make."""

import re
import subprocess
import sys

import pytest
from pages import DOCS, PAGES


def test_reference_pages_are_fresh():
    result = subprocess.run(
        [sys.executable, DOCS / "generate.py", "--check"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


WITH_COMMANDS = [
    page
    for page, text in PAGES.items()
    if "```console\n" in text and page != "docs/guides/lab.md"  # needs root: tests/lab/test_page.py
]


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_a_page_shows_what_its_commands_print(page):
    result = subprocess.run(
        [sys.executable, DOCS / "command_output.py", "--check", page], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


def test_pictures_of_pages_exist_and_are_small():
    """Those of the guides are the ones that docs/pictures.py draws."""
    pictures = {
        (DOCS.parent / page).parent.joinpath(name).resolve()
        for page, text in PAGES.items()
        for name in re.findall(r"!\[[^\]]*\]\(([^)]+\.png)\)", text)
    }
    matches = re.findall(r'^    "([^"]+)": \(', (DOCS / "pictures.py").read_text(encoding="utf-8"), re.MULTILINE)
    assert {path.stem for path in pictures} == {*matches, "report"}  # docs/screenshot.sh makes the report
    assert {path.stem for path in (DOCS / "img").glob("*.png")} == {path.stem for path in pictures}
    for path in pictures:
        assert path.read_bytes().startswith(b"\x89PNG"), path
        assert path.stat().st_size < 300_000, path
