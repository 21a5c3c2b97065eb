"""Write the benchmark logs of thirteen nights, made up, to show what `wirespeed bench history` finds in such logs.

    python nightly_logs.py OUT

Each night five runs of ib_write_bw -b. From the eleventh on they are 6 % slower, as if a NIC had lost a setting.
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


def main(out: Path) -> None:
    """Write a folder for each night."""
    chance = Random(1)
    example = LOG.read_text(encoding="utf-8").partition("\n")[2]  # without the note where its numbers come from
    for night in range(1, NIGHTS + 1):
        folder = out / f"2026-11-{night:02}"
        folder.mkdir(parents=True)
        for run in range(1, RUNS + 1):
            factor = (0.94 if night >= SLOW_FROM else 1.0) * (1 - abs(chance.gauss(0, NOISE)))
            text = _ROW.sub(lambda row, factor=factor: _scaled(row, factor), example)
            (folder / f"{run}.log").write_text(text, encoding="utf-8")


def _scaled(row: re.Match[str], factor: float) -> str:
    """A row of the table whose rates are scaled."""
    size, gap, count, gap2, peak, gap3, average, gap4, rate = row.groups()
    rates = (f"{float(text) * factor:.{len(text.partition('.')[2])}f}" for text in (peak, average, rate))
    peak, average, rate = rates
    return f" {size}{gap}{count}{gap2}{peak}{gap3}{average}{gap4}{rate}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
