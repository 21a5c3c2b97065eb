"""How fast a large directory of logs becomes stored measurements: ``python tests/bench/logs.py [MEGABYTES]``.

Writes the logs of ``make_logs.py`` into a temporary folder, reads them once so that the page cache is warm, and times
``wirespeed bench parse --store`` as a command, from start to exit: with a process on each core, then with one. Both
stores must hold the same. The goal is 100 MB/s on two cores.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from make_logs import main as make_logs

RUNS = 3


def main(megabytes: int) -> None:
    """Measure, the best of three; one run on one process."""
    with tempfile.TemporaryDirectory() as folder:
        logs = Path(folder) / "logs"
        make_logs(logs, megabytes)
        size = sum(len(path.read_bytes()) for path in logs.rglob("*.log")) / 1e6
        cores = len(os.sched_getaffinity(0))
        several, one = Path(folder) / "several.db", Path(folder) / "one.db"
        best = min(_seconds(logs, several) for _ in range(RUNS))
        sys.stdout.write(f"{size:.0f} MB on {cores} cores: {best:.1f} s, {size / best:.0f} MB/s\n")
        alone = _seconds(logs, one, "--jobs", "1")
        sys.stdout.write(f"{size:.0f} MB with one reader: {alone:.1f} s, {size / alone:.0f} MB/s\n")
        if _content(several) != _content(one):
            sys.exit("the two stores differ")
        sys.stdout.write("both stores hold the same\n")


def _seconds(logs: Path, store: Path, *more: str) -> float:
    for part in ("", "-wal", "-shm"):
        store.with_name(store.name + part).unlink(missing_ok=True)
    command = [
        sys.executable,
        "-m",
        "wirespeed",
        "bench",
        "parse",
        str(logs),
        "--store",
        str(store),
        "--label",
        "bench",
    ]
    started = time.perf_counter()
    subprocess.run([*command, *more], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def _content(store: Path) -> str:
    """A hash of every row of every table."""
    digest = hashlib.sha256()
    with sqlite3.connect(store) as connection:
        for line in connection.iterdump():
            digest.update(line.encode())
    return digest.hexdigest()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1040)
