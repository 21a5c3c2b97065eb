"""The page of the lab shows what its commands print."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from labs import ROUTERS, TOOLS

from needs import needs

pytestmark = pytest.mark.lab

PAGE = Path(__file__).parents[2] / "docs" / "lab_output.py"


def test_the_page_shows_what_its_commands_print() -> None:
    needs(*TOOLS, *ROUTERS, "arping", "iperf3", "mpicc", "mpirun", root=True)
    process = subprocess.run([sys.executable, PAGE, "--check"], capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
