"""A run with congestion that hits one who has no part in it, as a folder of results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from small_scenarios import FLOW, write_scenario

from wirespeed.simulation import Recording, prepare, run
from wirespeed.units import Duration

VICTIM: dict[str, Any] = {
    "name": "victim",
    "hosts": 6,
    "switches": 2,
    "buffer_bytes": 2 << 20,
    "link_gbps": 100,
    "link_delay_ns": 100,
    "links": [[0, 6], [1, 6], [2, 6], [3, 6], {"a": 6, "b": 7, "gbps": 400}, [4, 7], [5, 7]],
    "flows": [
        *({**FLOW, "src": host, "dst": 4} for host in range(3)),
        {**FLOW, "src": 3, "dst": 5, "bytes": 2 << 20},
    ],
    "parameters": {
        "congestion": {"algorithm": "line-rate"},
        "marking": {"reference_gbps": None, "kmin_bytes": 50_000, "kmax_bytes": 400_000},
    },
}
"""Hosts 0 to 2 write to host 4; host 3 shares only the uplink with them, which has room for all."""


def build_sample(
    folder: Path, scenario: dict[str, Any] = VICTIM, *series: str, interval: str = "2us", end_time: str | None = None
) -> Path:
    """The folder that a run of the scenario writes."""
    target = folder / "out"
    observe = Recording(series, Duration.parse(interval))
    ended = None if end_time is None else Duration.parse(end_time)
    with prepare(target) as result_folder:
        result_folder.write(run(write_scenario(folder, scenario), "roce", 1, observe, end_time=ended))
    return target
