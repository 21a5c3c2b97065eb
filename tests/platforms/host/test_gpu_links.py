"""Working links between GPUs, in the forms of public outputs: an MI250 host (rocm-smi), H100 and H200 hosts (nvidia-smi
nvlink --status). The numbers of links are those of the outputs; one was cut to two GPUs."""

from __future__ import annotations

import pytest

from wirespeed.facts import Source, assemble_facts
from wirespeed.platforms import Output, Outputs
from wirespeed.platforms.host.linux import parse_gpu_links
from wirespeed.settings import Place

PARTIAL = """

============================ ROCm System Management Interface ============================
=============================== Link Type between two GPUs ===============================
       GPU0         GPU1         GPU2         GPU3         GPU4
GPU0   0            XGMI         XGMI         XGMI         PCIE
GPU1   XGMI         0            XGMI         XGMI         PCIE
GPU4   PCIE         PCIE         PCIE         PCIE         0
================================== End of ROCm SMI Log ===================================
"""
PAIR = """========================== Link Type between two GPUs ==========================
GPU0 GPU1
GPU0 0 PCIE
GPU1 PCIE 0
"""
NVLINK = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-9b1446e2-8a89-4cf6-b68c-a98d99e958d3)\n" + "".join(
    f"\t Link {link}: {'<inactive>' if link > 15 else '26.562 GB/s'}\n" for link in range(18)
)
NVLINK += "GPU 1: NVIDIA H200 (UUID: GPU-9e8682f0-0d01-e118-3a86-008e972bfe2a)\n" + "".join(
    f"         Link {link}: 26.562 GB/s\n" for link in range(18)
)


@pytest.mark.parametrize(
    ("command", "text", "links"),
    [
        ("rocm-topology", PARTIAL, {"GPU0": 3, "GPU1": 3, "GPU4": 0}),
        ("rocm-topology", PAIR, {"GPU0": 0, "GPU1": 0}),
        ("nvlink", NVLINK, {"GPU0": 16, "GPU1": 18}),
        ("nvlink", "GPU 0: NVIDIA L40S (UUID: GPU-9b1446e2-8a89-4cf6-b68c-a98d99e958d3)\n", {}),
    ],
)
def test_working_links(command: str, text: str, links: dict[str, int]) -> None:
    output = Output(command, text, Source("node1", command, f"{command}.out"))
    observed = parse_gpu_links.parse(Outputs("node1", {command: output}))
    facts = assemble_facts(observed, devices=["node1"])
    gpus = facts.devices["node1"].gpus
    assert {name: facts.value(Place("node1").child("gpu", name), "gpu.links") for name in gpus} == links
