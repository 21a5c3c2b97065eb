"""Run every command of the pages and put its real output beneath it; ``--check`` fails when one differs instead.

In a ``console`` block, ``$ `` starts a command and ``> `` goes on with it; what follows is its output. ``make docs``
runs this, a test its check.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from itertools import takewhile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "docs/simulator.md")
WIDTH = "100"
USED = ("examples",)  # what the commands read


def main() -> None:
    """Rewrite or check."""
    stale = []
    for page in PAGES:
        path = ROOT / page
        old = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            for name in USED:
                (Path(folder) / name).symlink_to(ROOT / name)
            new = filled(old, partial(_output, page, Path(folder)))
        if "--check" not in sys.argv[1:]:
            path.write_text(new, encoding="utf-8")
        elif new != old:
            stale.append(page)
    if stale:
        sys.exit(f"stale: {', '.join(stale)}\n  hint: run `make docs` and read the difference")


def filled(text: str, answer: Callable[[str], list[str]]) -> str:
    """A page with what each command prints beneath it."""
    filled: list[str] = []
    lines = text.splitlines()
    inside = False
    for number, line in enumerate(lines):
        if line.startswith("```"):
            inside = line == "```console"
            filled.append(line)
        elif not inside:
            filled.append(line)
        elif line.startswith("$ "):
            command = [line, *takewhile(lambda one: one.startswith("> "), lines[number + 1 :])]
            filled.extend([*command, *answer("\n".join(one[2:] for one in command))])
    return "\n".join(filled) + "\n"


def _output(page: str, folder: Path, command: str) -> list[str]:
    binaries = Path(sys.executable).parent
    shell = shutil.which("bash") or "/bin/sh"
    done = subprocess.run(
        [shell, "-c", command],
        cwd=folder,
        env={"PATH": f"{binaries}:{os.environ['PATH']}", "COLUMNS": WIDTH, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        sys.exit(f"{page}: {command}: exit code {done.returncode}\n{done.stdout}")
    return [line.rstrip() for line in done.stdout.strip("\n").splitlines()]


if __name__ == "__main__":
    main()
