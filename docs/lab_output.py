"""Repeat the session of docs/guides/lab.md in a lab of this machine, and write the output below each command.

It needs root and takes minutes. ``--quick`` skips the section with virtual machines, ``--slow`` runs only that section.
``--check`` compares all other sections except the benchmarks, without numbers, which depend on time and machine; a test
marked `lab` runs it. Labs of this machine are not visible to the session: it has a separate /run/netns and
/run/wirespeed.
"""

from __future__ import annotations

import difflib
import os
import re
import signal
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from command_output import LAB_GUIDE, ROOT, WIDTH, fill

PAGE = ROOT / LAB_GUIDE
_SECTION = "\n## "
_SLOW = "With RDMA"  # takes minutes
_UNCHECKED = ("Benchmarks", _SLOW)
_RANDOM = (
    "lab fault one-subnet",
    "lab fault one-subnet --mitigate",
    "lab ping | head -n 3",
)  # output depends on chance
_INPUTS = ("examples", "tests")  # folders that the commands read
_IN_NAMESPACE = "--in-namespace"
_SEPARATE_RUN = """
for folder in /run/netns /run/wirespeed; do mkdir -p "$folder"; mount -t tmpfs tmpfs "$folder"; done
exec "$@"
"""
_SUDO = '#!/bin/sh\nexec "$@"\n'
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def main() -> None:
    """Write or check the page, in a separate mount namespace."""
    if _IN_NAMESPACE not in sys.argv:
        unshare = ("unshare", "--mount", "--propagation", "private", "sh", "-ec", _SEPARATE_RUN, "sh")
        os.execvp("unshare", [*unshare, sys.executable, *sys.argv, _IN_NAMESPACE])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    check = "--check" in sys.argv
    old = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _prepare_folder(folder)
        output = partial(_run_command, folder)
        try:
            new = _SECTION.join(
                fill(section, output).rstrip("\n") + "\n" * _trailing_newlines(section)
                if _is_selected(section, check)
                else section
                for section in old.split(_SECTION)
            )
        finally:
            output("wirespeed lab down --all")
    if not check:
        PAGE.write_text(new, encoding="utf-8")
    elif _normalize_lines(new) != _normalize_lines(old):
        sys.exit(f"stale: {PAGE.relative_to(ROOT)}\n{_format_difference(old, new)}")


def _is_selected(section: str, check: bool) -> bool:
    title = section.partition("\n")[0]
    if check or "--quick" in sys.argv:
        return title not in (_UNCHECKED if check else (_SLOW,))
    return title == _SLOW or "--slow" not in sys.argv


def _trailing_newlines(section: str) -> int:
    return len(section) - len(section.rstrip("\n"))


def _prepare_folder(folder: Path) -> None:
    for name in _INPUTS:
        (folder / name).symlink_to(ROOT / name)
    sudo = folder / "bin" / "sudo"
    sudo.parent.mkdir()
    sudo.write_text(_SUDO, encoding="utf-8")
    sudo.chmod(0o755)


def _run_command(folder: Path, command: str) -> list[str]:
    path = f"{folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}:/usr/sbin:/sbin"
    sys.stderr.write(f"$ {command}\n")
    completed = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={
            **{name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ},
            "PATH": path,
            "COLUMNS": WIDTH,
            "NO_COLOR": "1",
            "LC_ALL": "C.UTF-8",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return [line.rstrip().replace(f"{folder}/", "") for line in completed.stdout.strip("\n").splitlines()]


def _normalize_lines(text: str) -> list[str]:
    """Lines without random output, numbers, and the blanks and rules of tables, whose width depends on the numbers."""
    lines: list[str] = []
    is_random = False
    for line in text.splitlines():
        if line.startswith(("$ ", "```")):
            is_random = line.endswith(_RANDOM)
        elif is_random:
            continue
        lines.append(" ".join(_NUMBER.sub("0", line).replace("─", "").split()))
    return lines


def _format_difference(old: str, new: str) -> str:
    return "\n".join(
        difflib.unified_diff(
            _normalize_lines(old), _normalize_lines(new), "the page", "current output", lineterm="", n=0
        )
    )


if __name__ == "__main__":
    main()
