"""The logs of tests/samples that are benchmark output; ``expected.json`` beside them has what must be read from each.

Real runs, on virtual machines with soft-RoCE (perftest 4.5) and network namespaces (iperf3 3.12): ``ib_*``, ``uml-*``,
``err-*``, ``real-*`` (perftest 6.06 without a device; iperf3 3.12), ``tcp*``, ``udp.json``, ``bidir.json``,
``error.json``; on one machine or in network namespaces, with performance of no meaning, all of osu, gpcnet, netpipe,
qperf, sockperf and ucx_perftest, some cut by hand (``*cut.txt``). Rows of public runs: ``sisci`` (Dolphin's SISCI API
slides, 2014), ``sisci_json`` (github.com/multiib/beegfs-thesis). The others are made in the tools' form; all
of cp2k, gromacs, openfoam and wrf, whose numbers are of no machine.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from difflib import unified_diff
from functools import cache
from pathlib import Path
from typing import Any

from wirespeed.benchmarks import Reading, read
from wirespeed.benchmarks.tools.reader import tools
from wirespeed.results.json import plain

SAMPLES = Path(__file__).parents[2] / "samples"
EXPECTED = "expected.json"
"""File of a folder of logs: the name of each log, and what must be read from it."""
LOGS = sorted(
    path
    for tool in tools()
    if (SAMPLES / tool.name).is_dir()
    for path in (SAMPLES / tool.name).iterdir()
    if path.name != EXPECTED
)


def load_expected(log: Path) -> Any:
    """What must be read from a log."""
    return _load(log.with_name(EXPECTED))[log.name]


@cache
def _load(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def compare_expected(folder: Path, texts: Mapping[str, str]) -> list[str]:
    """Differences of the expected file of a folder from JSON texts by name of the log; WIRESPEED_ACCEPT=1 writes it."""
    path = folder / EXPECTED
    found = "{" + ",\n\n".join(f"{json.dumps(name)}: {text.rstrip()}" for name, text in texts.items()) + "}\n"
    if os.environ.get("WIRESPEED_ACCEPT"):
        path.write_text(found, encoding="utf-8")
    return list(unified_diff(path.read_text(encoding="utf-8").splitlines(), found.splitlines(), path.name, "read now"))


def readable(reading: Reading) -> str:
    """Runs and notices as JSON, one measurement on a line."""
    runs = []
    for run in reading.runs:
        body = plain(run)
        measurements = [
            json.dumps(list(measurement.values()), ensure_ascii=False) for measurement in body.pop("measurements")
        ]
        text = json.dumps(body, indent=1, ensure_ascii=False)[:-2]
        runs.append(f'{text},\n "measurements": [{_lines(measurements)}]\n}}')
    notices = [json.dumps(str(notice), ensure_ascii=False) for notice in reading.notices]
    return f'{{"runs": [{", ".join(runs)}],\n"notices": [{_lines(notices)}]}}\n'


def reading(log: Path) -> Reading:
    """What is read from a log, named after its file."""
    return read(log.read_text(), log.name)


def _lines(items: list[str]) -> str:
    return "\n  " + ",\n  ".join(items) + "\n" if items else ""
