"""Run every command of the README and put its real output beneath it; ``--check`` fails when one differs instead.

In a ``console`` block, ``$ `` starts a command; what follows is its output. ``make docs`` runs this, a test its check.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
WIDTH = "100"
USED = ("examples",)  # what the commands read


def main() -> None:
    """Rewrite or check."""
    old = README.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for name in USED:
            (Path(folder) / name).symlink_to(ROOT / name)
        new = _filled(old, Path(folder))
    if "--check" not in sys.argv[1:]:
        README.write_text(new, encoding="utf-8")
        return
    if new != old:
        sys.exit("stale: README.md\n  hint: run `make docs` and read the difference")


def _filled(text: str, folder: Path) -> str:
    lines: list[str] = []
    inside = False
    for line in text.splitlines():
        if line.startswith("```"):
            inside = line == "```console"
            lines.append(line)
        elif not inside:
            lines.append(line)
        elif line.startswith("$ "):
            lines.extend([line, *_output(line[2:], folder)])
    return "\n".join(lines) + "\n"


def _output(command: str, folder: Path) -> list[str]:
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
        sys.exit(f"README.md: {command}: exit code {done.returncode}\n{done.stdout}")
    return [line.rstrip() for line in done.stdout.strip("\n").splitlines()]


if __name__ == "__main__":
    main()
