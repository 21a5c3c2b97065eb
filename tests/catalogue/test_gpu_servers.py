"""GPU servers of the catalogue against what their vendors and public hosts print about NICs, GPUs and NUMA nodes."""

from __future__ import annotations

import pytest

from wirespeed.catalogue import load
from wirespeed.catalogue.model import PcieBranch, ServerModel

SERVERS = load().servers

# Port in InfiniBand mode, GPU that it serves, and CPU: NVIDIA DGX H100/H200 user guide, table of network modules.
DGX_H100_PORTS = [
    ("ibp220s0", 7, 1),
    ("ibp154s0", 4, 1),
    ("ibp206s0", 6, 1),
    ("ibp192s0", 5, 1),
    ("ibp79s0", 2, 0),
    ("ibp64s0", 1, 0),
    ("ibp94s0", 3, 0),
    ("ibp24s0", 0, 0),
]

# NUMA node of each GPU, as hosts print it.
GPU_NODES = {
    "nvidia-dgx-h100": [0, 0, 0, 0, 1, 1, 1, 1],  # MLPerf Inference, H100_SXM_80GBx8, numa_config
    "nvidia-dgx-h200": [0, 0, 0, 0, 1, 1, 1, 1],  # public description of two DGX H200: GPUs 0-3 on node 0
    "nvidia-dgx-b200": [0, 0, 0, 0, 1, 1, 1, 1],  # vllm issue 16336: GPU 0 to 3 near CPUs 0-55,112-167
    "nvidia-dgx-a100": [3, 3, 1, 1, 7, 7, 5, 5],  # dask-cuda issue 1358: 3; NCCL issue 1505: 7; 1 and 5 not confirmed
    "supermicro-as-8126gs-tnmr-mi325x": [0, 0, 0, 0, 1, 1, 1, 1],  # public system summary of the server
    "dell-xe9785l-mi355x": [0, 0, 0, 0, 1, 1, 1, 1],  # trees of two such servers: domain 0000 node 0, 0001 node 1
    "asrock-4u8g-rome2-l40s": [3, 2, 1, 0, 7, 6, 5, 4],  # MLPerf Inference v4.0, L40Sx8, numa_config
}


@pytest.mark.parametrize("model", ["nvidia-dgx-h100", "nvidia-dgx-h200"])
@pytest.mark.parametrize(("port", "gpu", "socket"), DGX_H100_PORTS)
def test_ports_of_a_dgx_h100_serve_the_gpus_of_its_guide(model: str, port: str, gpu: int, socket: int) -> None:
    """With Ethernet the kernel names the port of a bus ``enpBUSs0np0``."""
    server = SERVERS[model]
    (position,) = [index for index, slot in enumerate(server.nic_slots, 1) if slot.gpu == gpu]
    assert server.nic_slots[position - 1].interface == port.replace("ib", "en") + "np0"
    assert server.nic_numa_node(position) == socket == server.gpu_numa_node(gpu)


@pytest.mark.parametrize("model", GPU_NODES)
def test_gpus_are_on_the_nodes_that_hosts_print(model: str) -> None:
    server = SERVERS[model]
    assert [server.gpu_numa_node(gpu) for gpu in range(server.gpu_count)] == GPU_NODES[model]


@pytest.mark.parametrize("model", [model for model in GPU_NODES if model != "asrock-4u8g-rome2-l40s"])
def test_a_gpu_shares_a_switch_with_its_nic(model: str) -> None:
    """``nvidia-smi topo -m`` prints PXB or PIX for each pair, AMD's servers show the same in ``lspci -PP``."""
    server = SERVERS[model]
    for position, slot in enumerate(server.nic_slots, 1):
        assert slot.gpu is not None
        assert position in find_branch_of_gpu(server, slot.gpu).list_devices()[0]


def test_the_place_of_a_nic_among_eight_l40s_is_unknown() -> None:
    """The published system has no RDMA card: no GPU is near it, no NUMA node is assumed."""
    server = SERVERS["asrock-4u8g-rome2-l40s"]
    assert [slot.gpu for slot in server.nic_slots] == [None]
    assert server.nic_numa_node(1) is None
    assert all(find_branch_of_gpu(server, gpu).switch == [] for gpu in range(8))
    assert not server.slot_pcie.speed.verified
    assert not server.slot_pcie.width.verified


def find_branch_of_gpu(server: ServerModel, gpu: int) -> PcieBranch:
    """The root port above a GPU."""
    (branch,) = [branch for branch in server.pcie if gpu in branch.list_devices()[1]]
    return branch
