"""The logs of tests/samples that are benchmark output, and what must be read from each in the file beside it.

Real runs, on virtual machines with soft-RoCE (perftest 4.5) and network namespaces (iperf3 3.12): ``ib_*``, ``uml-*``,
``err-*``, ``real-*`` (perftest 6.06 without a device; iperf3 3.12), ``tcp*``, ``udp.json``, ``bidir.json``,
``error.json``; on one machine or in network namespaces, with performance of no meaning, all of osu, gpcnet, netpipe,
qperf, sockperf and ucx_perftest, some cut by hand (``*cut.txt``). Rows of public runs: ``sisci`` (Dolphin's SISCI API
slides, 2014), ``sisci_json`` (github.com/multiib/beegfs-thesis). The others are made in the tools' form.
"""

from __future__ import annotations

import json
from pathlib import Path

from wirespeed.benchmarks import Reading, read
from wirespeed.benchmarks.tools.reader import tools
from wirespeed.results.json import plain

SAMPLES = Path(__file__).parents[2] / "samples"
LOGS = sorted(
    path
    for tool in tools()
    if (SAMPLES / tool.name).is_dir()
    for path in (SAMPLES / tool.name).iterdir()
    if not path.name.endswith(".expected.json")
)


def expected_path(log: Path) -> Path:
    """Where what a log must give stands."""
    return log.with_name(f"{log.name}.expected.json")


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
