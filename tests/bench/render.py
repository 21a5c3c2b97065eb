"""Measure how long a large cluster takes to plan, render and write: ``python tests/bench/render.py [CLUSTER.yaml]``.

Prints the seconds to read and plan, to render the text of all files, and to write them.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from wirespeed import render
from wirespeed.cluster import read
from wirespeed.plan import build

SCALE = Path(__file__).parents[2] / "examples" / "scale-1024" / "cluster.yaml"


def main(cluster: Path) -> None:
    """Measure once."""
    start_time = time.perf_counter()
    plan = build(read(cluster))
    planned = time.perf_counter()
    files = list(render.files(plan))
    rendered = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        summary = render.write(files, Path(folder) / "out", plan.name)
        end = time.perf_counter()
    sys.stdout.write(
        f"{len(plan.hosts)} hosts, {len(plan.switches)} switches: plan {planned - start_time:.2f} s, "
        f"{summary.files} files {rendered - planned:.2f} s, "
        f"{summary.bytes / 1e6:.1f} MB written {end - rendered:.2f} s\n"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SCALE)
