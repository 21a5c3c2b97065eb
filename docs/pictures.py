"""Make the pictures of the what-if guide: run its commands, and draw what they wrote.

    .venv/bin/python docs/pictures.py

Needs the extra wirespeed[png].
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from command_output import ROOT, run, typed

PAGE = "docs/guides/what-if.md"
PICTURES = {
    "guide-pfc-queue": ("pfc", "deepest-queues"),
    "guide-dcqcn-p": ("p", "deepest-queues"),
    "guide-dcqcn-d": ("d", "deepest-queues"),
    "guide-spine-down": ("spine-down", "busiest-links"),
}
"""By name: which result of the page, and which of its pictures."""


def main() -> None:
    """Write them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        typed(PAGE, folder)
        for picture, (result, part) in PICTURES.items():
            done = run(folder, f"wirespeed report out/{result} -o {result}.html --png {result}")
            if done.returncode:
                sys.exit(done.stdout)
            shutil.copyfile(folder / result / f"{part}.png", ROOT / "docs" / "img" / f"{picture}.png")


if __name__ == "__main__":
    main()
