"""RDMA writes between memory of GPUs, over the NIC beside each: the pairs are those of the suite pairs.

Low here and good with memory of the host (suite pairs) is the way between GPU and NIC: ACS, IOMMU, the peer-memory
client, or a NIC at another PCIe switch than its GPU.
"""

from __future__ import annotations

from wirespeed.benchmarks.steps.coverage import add_matching
from wirespeed.benchmarks.steps.pairing import Pair
from wirespeed.benchmarks.steps.request import Ask, Steps
from wirespeed.benchmarks.steps.steps import BANDWIDTH, add_perftest
from wirespeed.errors import refuse

TITLE = "the same pairs from GPU memory, each NIC with the GPU beside it"
NARROWS = (f"{BANDWIDTH} from GPU memory",)


def make(ask: Ask) -> Steps:
    """Bandwidth of all pairs."""
    lacking = [
        seat.name for seat in ask.fabric.seats if seat.gpu is None or not ask.words.gpu_memory(seat.host, seat.gpu)
    ]
    if lacking:
        raise refuse(ask.plan.name, f"no GPU beside {lacking[0]}", "NICs with a GPU each", "the suite pairs needs none")
    steps = Steps()
    add_matching(ask, steps, lambda pair, flows: add_perftest(ask, steps, pair, queue_pairs=flows, gpu=True))
    return steps


def follow_pair(ask: Ask, steps: Steps, pair: Pair) -> None:
    """The bandwidth of one more pair."""
    add_perftest(ask, steps, pair, gpu=True)
