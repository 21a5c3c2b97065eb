"""Measure how fast a large folder of logs is parsed and stored: ``python tests/bench/logs.py [MEGABYTES]``.

Writes the logs of ``generate_logs.py`` into a temporary folder, reads them once to fill the page cache, and measures
``wirespeed bench parse --store`` from start to exit: with one process on each core, then with one process. Both stores
must have the same content. The goal is 100 MB/s on two cores.
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

from generate_logs import main as generate_logs

RUNS = 3


def main(megabytes: int) -> None:
    """Measure several processes, best of three runs, and one process."""
    with tempfile.TemporaryDirectory() as folder:
        logs = Path(folder) / "logs"
        generate_logs(logs, megabytes)
        size = sum(len(path.read_bytes()) for path in logs.rglob("*.log")) / 1e6
        cores = len(os.sched_getaffinity(0))
        parallel, serial = Path(folder) / "parallel.db", Path(folder) / "serial.db"
        best = min(_seconds(logs, parallel) for _ in range(RUNS))
        sys.stdout.write(f"{size:.0f} MB on {cores} cores: {best:.1f} s, {size / best:.0f} MB/s\n")
        seconds = _seconds(logs, serial, "--jobs", "1")
        sys.stdout.write(f"{size:.0f} MB with one process: {seconds:.1f} s, {size / seconds:.0f} MB/s\n")
        if _content(parallel) != _content(serial):
            sys.exit("the two stores differ")
        sys.stdout.write("both stores have the same content\n")


def _seconds(logs: Path, store: Path, *options: str) -> float:
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
    start_time = time.perf_counter()
    subprocess.run([*command, *options], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start_time


def _content(store: Path) -> str:
    """A hash of every row of every table."""
    digest = hashlib.sha256()
    with sqlite3.connect(store) as connection:
        for line in connection.iterdump():
            digest.update(line.encode())
    return digest.hexdigest()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1040)
