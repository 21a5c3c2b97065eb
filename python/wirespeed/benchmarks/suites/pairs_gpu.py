"""RDMA writes between GPU memory, each NIC with the GPU beside it: the pairs are those of the suite pairs.

A pair that is slow here and fast with host memory (suite pairs) points to the path between GPU and NIC: ACS, IOMMU, the
peer-memory client, or a NIC at another PCIe switch than its GPU.
"""

from __future__ import annotations

from wirespeed.benchmarks.steps.coverage import add_matching
from wirespeed.benchmarks.steps.pairing import Pair
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.steps import BANDWIDTH, add_perftest
from wirespeed.errors import refuse

TITLE = "pairs of the suite `pairs`, from GPU memory, each NIC with its nearest GPU"
_QUEUE_PAIRS = 4  # Broadcom 957608-AN210, section 2.8: ib_write_bw --use_rocm ... -q 4
NARROWS = (f"{BANDWIDTH} from GPU memory",)


def make(request: Request) -> Steps:
    """Add the bandwidth of all pairs."""
    lacking = [
        endpoint.name
        for endpoint in request.fabric.endpoints
        if endpoint.gpu is None or not request.commands.gpu_memory(endpoint.host, endpoint.gpu)
    ]
    if lacking:
        raise refuse(
            request.plan.name, f"no GPU beside {lacking[0]}", "NICs with a GPU each", "the suite pairs needs none"
        )
    steps = Steps()

    def add_pair(pair: Pair, flows: int) -> None:
        add_perftest(request, steps, pair, queue_pairs=max(flows, _QUEUE_PAIRS), gpu=True)

    add_matching(request, steps, add_pair)
    return steps


def follow_pair(request: Request, steps: Steps, pair: Pair) -> None:
    """Add the bandwidth of one more pair."""
    add_perftest(request, steps, pair, queue_pairs=_QUEUE_PAIRS, gpu=True)
