"""The reference pages say what the code says."""

import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_reference_pages_are_fresh():
    result = subprocess.run(
        [sys.executable, DOCS / "generate.py", "--check"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


def test_pages_show_what_their_commands_print():
    result = subprocess.run(
        [sys.executable, DOCS / "readme.py", "--check"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
