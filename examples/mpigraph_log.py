"""Write a generated log of mpiGraph between twelve nodes, in which `wirespeed bench peers` finds outliers.

    python mpigraph_log.py OUT

One node has half the bandwidth of the others, as if its NIC were in an x8 slot, and one direction between two others is
slow.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

NODES = 12
BANDWIDTH = 46_500.0  # MiB/s: 400 Gb/s less framing at a path MTU of 4096
NOISE = 0.004
SLOW_NODE = 5
SLOW_PATH = (2, 9)


def main(target: Path) -> None:
    """Write the log."""
    random = Random(1)
    names = [f"node{number + 1}:{number}" for number in range(NODES)]
    bandwidths = {
        (a, b): _fraction(a, b) * BANDWIDTH * (1 - abs(random.gauss(0, NOISE))) if a != b else 0.0
        for a in range(1, NODES + 1)
        for b in range(1, NODES + 1)
    }
    values = [value for value in bandwidths.values() if value]
    lines = ["START mpiGraph v1.5", "MsgSize\t4194304", "Times\t100", "Window\t50", f"Procs\t{NODES}", ""]
    lines += [f"Send max\t{max(values):.6f}", f"Send avg\t{sum(values) / len(values):.6f}", ""]
    lines += ["\t".join(["Send", *names, ""])]
    for a, name in enumerate(names, start=1):
        lines.append("\t".join([f"{name} to", *(f"{bandwidths[a, b]:.3f}" for b in range(1, NODES + 1)), ""]))
    target.mkdir(parents=True, exist_ok=True)
    (target / "mpigraph.log").write_text("\n".join([*lines, "END mpiGraph", ""]), encoding="utf-8")


def _fraction(a: int, b: int) -> float:
    """Fraction of the full bandwidth between two nodes."""
    return 0.5 if SLOW_NODE in (a, b) else 0.8 if (a, b) == SLOW_PATH else 1.0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
