"""Type the session of docs/guides/lab.md in a lab of this machine, and put what is printed beneath each command.

It needs root and takes minutes; ``--quick`` leaves the machines with RDMA out, ``--slow`` types them alone. ``--check``
says whether all but these and benchmarks still prints the same but for numbers, which are of a time and a machine; a
test marked `lab` runs that.
Labs of this machine are out of sight meanwhile: it has a /run/netns and a /run/wirespeed of its own.
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

from command_output import ROOT, WIDTH, filled

PAGE = ROOT / "docs" / "guides" / "lab.md"
_SECTION = "\n## "
_SLOW = "With RDMA"  # takes minutes
_UNCHECKED = ("Benchmarks", _SLOW)
_VARIES = ("lab fault one-subnet", "lab fault one-subnet --cure", "lab ping | head -n 3")  # chance takes part
_USED = ("examples", "tests")  # what the commands read
_APART = "--apart"
_OWN = """
for one in /run/netns /run/wirespeed; do mkdir -p "$one"; mount -t tmpfs tmpfs "$one"; done
exec "$@"
"""
_SUDO = '#!/bin/sh\nexec "$@"\n'
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def main() -> None:
    """Rewrite or check, apart from this machine's labs."""
    if _APART not in sys.argv:
        own = ("unshare", "--mount", "--propagation", "private", "sh", "-ec", _OWN, "sh")
        os.execvp("unshare", [*own, sys.executable, *sys.argv, _APART])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    check = "--check" in sys.argv
    old = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        _prepare(folder)
        answer = partial(_answer, folder)
        try:
            new = _SECTION.join(
                filled(part, answer).rstrip("\n") + "\n" * _blanks(part) if _is_asked(part, check) else part
                for part in old.split(_SECTION)
            )
        finally:
            answer("wirespeed lab down --all")
    if not check:
        PAGE.write_text(new, encoding="utf-8")
    elif _plain(new) != _plain(old):
        sys.exit(f"stale: {PAGE.relative_to(ROOT)}\n{_difference(old, new)}")


def _is_asked(section: str, check: bool) -> bool:
    title = section.partition("\n")[0]
    if check or "--quick" in sys.argv:
        return title not in (_UNCHECKED if check else (_SLOW,))
    return title == _SLOW or "--slow" not in sys.argv


def _blanks(section: str) -> int:
    return len(section) - len(section.rstrip("\n"))


def _prepare(folder: Path) -> None:
    for name in _USED:
        (folder / name).symlink_to(ROOT / name)
    sudo = folder / "bin" / "sudo"
    sudo.parent.mkdir()
    sudo.write_text(_SUDO, encoding="utf-8")
    sudo.chmod(0o755)


def _answer(folder: Path, command: str) -> list[str]:
    path = f"{folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}:/usr/sbin:/sbin"
    sys.stderr.write(f"$ {command}\n")
    done = subprocess.run(
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
    return [line.rstrip().replace(f"{folder}/", "") for line in done.stdout.strip("\n").splitlines()]


def _plain(text: str) -> list[str]:
    """Its lines without what varies, numbers, and the blanks and rules of tables, which are as wide as those."""
    lines: list[str] = []
    varies = False
    for line in text.splitlines():
        if line.startswith(("$ ", "```")):
            varies = line.endswith(_VARIES)
        elif varies:
            continue
        lines.append(" ".join(_NUMBER.sub("0", line).replace("─", "").split()))
    return lines


def _difference(old: str, new: str) -> str:
    return "\n".join(
        difflib.unified_diff(_plain(old), _plain(new), "the page", "what is printed now", lineterm="", n=0)
    )


if __name__ == "__main__":
    main()
