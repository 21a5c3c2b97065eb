"""Pairs whose NICs share a PCIe link that cannot carry both are measured one after the other.

Authority: ESnet's 400G testbed, where the two ports of 200 Gb/s of each card share one slot of PCIe 4.0 x16, which
carries 252 Gb/s before packets (PCI Express Base Specification 4.0: 16 GT/s, 128b/130b).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.benchmarks.endpoints.fabric import build_fabric
from wirespeed.benchmarks.run.queue import Queue
from wirespeed.benchmarks.steps.request import Request
from wirespeed.benchmarks.suites import suites
from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.plan import build
from wirespeed.render import Jobs

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.parametrize(
    ("suite", "example", "at_once"),
    [
        ("tcp", "esnet-400g", 1),  # both ports of a card share its slot
        ("udp", "esnet-400g", 1),
        ("pairs", "esnet-400g", 1),
        ("rails", "mi300x-4node", 16),  # the last stage: all rails at once, on purpose
        ("pairs", "mi300x-4node", 8),  # two NICs share the uplink of a PCIe switch to host memory: four a host
        ("pairs-gpu", "mi300x-4node", 16),  # GPU memory is behind the same switch
    ],
)
def test_pairs_at_the_same_time(suite: str, example: str, at_once: int) -> None:
    plan = build(read(EXAMPLES / example / "cluster.yaml"), load())
    steps = suites()[suite].make(Request(plan, build_fabric(plan), Jobs(plan)))
    stage = 0 if suite != "rails" else max(step.stage for step in steps.steps)
    queue = Queue([step for step in steps.steps if step.stage == stage], steps.holds, 100)
    running = 0
    while queue.take() is not None:
        running += 1
    assert running == at_once
