"""Draw the pictures of the what-if guide from the results of its commands.

    .venv/bin/python docs/pictures.py

It needs the extra wirespeed[png].
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from command_output import ROOT, page_with_output, run

PAGE = "docs/guides/what-if.md"
PICTURES = {
    "guide-pfc-queue": ("pfc", "deepest-queues"),
    "guide-dcqcn-p": ("p", "deepest-queues"),
    "guide-dcqcn-d": ("d", "deepest-queues"),
    "guide-spine-down": ("spine-down", "busiest-links"),
    "pause-map": ("line-rate", "pause-map"),
}
"""By name of the picture: the result folder of the page, and the name of its chart."""


def main() -> None:
    """Write all pictures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        page_with_output(PAGE, folder)
        for picture, (result, chart) in PICTURES.items():
            completed = run(folder, f"wirespeed report out/{result} -o {result}.html --png {result}")
            if completed.returncode:
                sys.exit(completed.stdout)
            shutil.copyfile(folder / result / f"{chart}.png", ROOT / "docs" / "img" / f"{picture}.png")


if __name__ == "__main__":
    main()
