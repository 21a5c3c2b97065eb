"""Write generated benchmark logs of thirteen nights, in which `wirespeed bench history` finds a change.

    python nightly_logs.py OUT

Each night has five runs of ib_write_bw -b. From the eleventh on they are 6 % slower, as if a NIC had lost a setting.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from random import Random

LOG = Path(__file__).parent / "mi300x-4node" / "bench" / "ib-write-bw-bidirectional.log"
NIGHTS = 13
RUNS = 5
SLOW_FROM = 11
NOISE = 0.004
_ROW = re.compile(r"^ (\d+)( +)(\d+)( +)([\d.]+)( +)([\d.]+)(\s+)([\d.]+)$", re.MULTILINE)


def main(target: Path) -> None:
    """Write a folder for each night."""
    random = Random(1)
    log = LOG.read_text(encoding="utf-8").partition("\n")[2]  # without the line that names its source
    for night in range(1, NIGHTS + 1):
        folder = target / f"2026-11-{night:02}"
        folder.mkdir(parents=True)
        for run in range(1, RUNS + 1):
            factor = (0.94 if night >= SLOW_FROM else 1.0) * (1 - abs(random.gauss(0, NOISE)))
            text = _ROW.sub(lambda row, factor=factor: _scale(row, factor), log)
            (folder / f"{run}.log").write_text(text, encoding="utf-8")


def _scale(row: re.Match[str], factor: float) -> str:
    """Multiply the rates in a row of the table."""
    size, gap, count, gap2, *rates_and_gaps = row.groups()
    peak, gap3, average, gap4, rate = rates_and_gaps
    peak, average, rate = (f"{float(text) * factor:.{len(text.partition('.')[2])}f}" for text in (peak, average, rate))
    return f" {size}{gap}{count}{gap2}{peak}{gap3}{average}{gap4}{rate}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
