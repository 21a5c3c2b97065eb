"""Run the commands of the pages and write their output below them; ``--check`` fails if a page is stale instead.

In a ``console`` block a line with ``$ `` starts a command and ``> `` continues it; its output follows. ``make docs``
runs this, a test runs the check. Arguments select pages; PYTHONPATH selects the code of another checkout.
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
LAB_GUIDE = "docs/guides/lab.md"  # its commands need root: lab_output.py
WIDTH = "100"
ENVIRONMENT = {
    "COLUMNS": WIDTH,
    "NO_COLOR": "1",
    "LC_ALL": "C.UTF-8",
    "WIRESPEED_SIM_RUN_THREADS": "1",  # the default, and the line about it, depend on the machine
}
INPUTS = ("examples",)  # folders that the commands read


def main() -> None:
    """Write or check the pages."""
    stale = []
    known_pages = pages()
    selected = [argument for argument in sys.argv[1:] if argument != "--check"]
    if unknown := set(selected) - set(known_pages):
        sys.exit(f"no page with commands: {', '.join(sorted(unknown))}\n  hint: pages are {', '.join(known_pages)}")
    for page in selected or known_pages:
        path = ROOT / page
        old = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            new = page_with_output(page, Path(folder))
        if "--check" not in sys.argv[1:]:
            path.write_text(new, encoding="utf-8")
        elif new != old:
            stale.append(page)
    if stale:
        sys.exit(f"stale: {', '.join(stale)}\n  hint: run `make docs` and read the difference")


def pages() -> list[str]:
    """README and every page of docs/ with commands that this script runs, relative to the root."""
    paths = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    names = (path.relative_to(ROOT).as_posix() for path in paths if "```console\n" in path.read_text(encoding="utf-8"))
    return [name for name in names if name != LAB_GUIDE]


def page_with_output(page: str, folder: Path) -> str:
    """A page with the current output of its commands. They run in a folder, which keeps the files that they write."""
    for name in INPUTS:
        (folder / name).symlink_to(ROOT / name)
    return fill((ROOT / page).read_text(encoding="utf-8"), partial(_run_command, page, folder))


def run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a reader of the page would."""
    binaries = Path(sys.executable).parent
    inherited = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    return subprocess.run(
        [shutil.which("bash") or "/bin/sh", "-c", command],
        cwd=folder,
        env={"PATH": f"{binaries}:{os.environ['PATH']}", **ENVIRONMENT, **inherited},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def fill(text: str, output: Callable[[str], list[str]]) -> str:
    """The text of a page with the output lines of each command below it."""
    filled: list[str] = []
    lines = text.splitlines()
    is_console = False
    for number, line in enumerate(lines):
        if line.startswith("```"):
            is_console = line == "```console"
            filled.append(line)
        elif not is_console:
            filled.append(line)
        elif line.startswith("$ "):
            command = [line, *takewhile(lambda next_line: next_line.startswith("> "), lines[number + 1 :])]
            filled.extend([*command, *output("\n".join(part[2:] for part in command))])
    return "\n".join(filled) + "\n"


def _run_command(page: str, folder: Path, command: str) -> list[str]:
    completed = run(folder, command)
    if completed.returncode not in (0, 1):
        sys.exit(f"{page}: {command}: exit code {completed.returncode}\n{completed.stdout}")
    return [line.rstrip() for line in completed.stdout.strip("\n").splitlines()]


if __name__ == "__main__":
    main()
