"""Run every command of the pages and put its real output beneath it; ``--check`` fails when one differs instead.

In a ``console`` block, ``$ `` starts a command and ``> `` goes on with it; what follows is its output. ``make docs``
runs this, a test its check. Pages named as arguments are the only ones; PYTHONPATH chooses another checkout's code.
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
LAB_GUIDE = "docs/guides/lab.md"  # needs root: docs/lab_output.py fills it
PAGES = (
    "README.md",
    *(
        name
        for path in sorted((ROOT / "docs").rglob("*.md"))
        if (name := path.relative_to(ROOT).as_posix()) != LAB_GUIDE and "```console\n" in path.read_text(encoding="utf-8")
    ),
)
WIDTH = "100"
SETTING = {
    "COLUMNS": WIDTH,
    "NO_COLOR": "1",
    "LC_ALL": "C.UTF-8",
    "WIRESPEED_SIM_RUN_THREADS": "1",  # how many there are, and what is said of them, depends on the machine
}
USED = ("examples",)  # what the commands read


def main() -> None:
    """Rewrite or check."""
    stale = []
    wanted = [one for one in sys.argv[1:] if one != "--check"]
    if unknown := set(wanted) - set(PAGES):
        sys.exit(f"no such page: {', '.join(sorted(unknown))}; there are {', '.join(PAGES)}")
    for page in wanted or PAGES:
        path = ROOT / page
        old = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            new = typed(page, Path(folder))
        if "--check" not in sys.argv[1:]:
            path.write_text(new, encoding="utf-8")
        elif new != old:
            stale.append(page)
    if stale:
        sys.exit(f"stale: {', '.join(stale)}\n  hint: run `make docs` and read the difference")


def typed(page: str, folder: Path) -> str:
    """A page with what its commands print in a folder, in which they leave what they write."""
    for name in USED:
        (folder / name).symlink_to(ROOT / name)
    return filled((ROOT / page).read_text(encoding="utf-8"), partial(_output, page, folder))


def run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """A command as a reader of the pages types it."""
    binaries = Path(sys.executable).parent
    kept = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    return subprocess.run(
        [shutil.which("bash") or "/bin/sh", "-c", command],
        cwd=folder,
        env={"PATH": f"{binaries}:{os.environ['PATH']}", **SETTING, **kept},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


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
    done = run(folder, command)
    if done.returncode not in (0, 1):
        sys.exit(f"{page}: {command}: exit code {done.returncode}\n{done.stdout}")
    return [line.rstrip() for line in done.stdout.strip("\n").splitlines()]


if __name__ == "__main__":
    main()
