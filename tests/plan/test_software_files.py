"""Cluster files with K20X hosts: software that cannot work is refused where it stands, with what would."""

from __future__ import annotations

import re

import pytest

from wirespeed import render
from wirespeed.cluster import read_text
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build

KEPLER = """version: 1
name: kepler
hosts:
  left:
    model: supermicro-x9drg-hf-qpi
    os: {os}
    nics: 1 x dolphin-pxh810
    nic: {{dis0: {{address: 10.9.0.4/24}}}}
    ntb: {{node_id: 4}}
    software: {{{software}}}
  right:
    model: supermicro-x9drg-hf-p2p
    os: ubuntu-20.04
    nics: 1 x dolphin-pxh810
    nic: {{dis0: {{address: 10.9.0.8/24}}}}
    ntb: {{node_id: 8}}
switches: {{}}
cabling: {{pattern: back-to-back}}
addresses: {{scheme: link-31}}
"""
WITHOUT_GPUS = """version: 1
name: plain
hosts:
  node1:
    model: dell-r740-xeon-5218
    os: {os}
    nics: 1 x broadcom-bcm957508-p1200g
    software: {{{software}}}
switches:
  leaf1: {{model: dell-z9664f, os: dell-sonic, role: leaf}}
cabling: {{pattern: by-host}}
addresses: {{scheme: link-31, pool: 10.1.0.0/16}}
"""
WORKS = {"gpu_driver": "470.182.03", "cuda": "11.4", "gcc": "10", "nccl": "2.10.3", "nccl_tests": "8274cb4"}
K20X = "an NVIDIA Tesla K20X (compute capability 3.5, Kepler)"
HINT = "\n  hint: this works with the other versions unchanged: "
SM_35, SM_70 = "-gencode=arch=compute_35,code=sm_35", "-gencode=arch=compute_70,code=sm_70"

WRONG = [  # one error each
    (
        {"gpu_driver": "525.60.13"},
        [
            f"found the driver 525.60.13 for {K20X}; expected branch 470, the last that runs Kepler, or an older one"
            f"{HINT}gpu_driver: 470.42.01"
        ],
    ),
    (
        {"cuda": "12.0", "nccl": "2.19.3"},
        [
            f"found CUDA 12.0 for {K20X}; expected CUDA 11.8, the last that compiles for Kepler, or an older one"
            f"{HINT}cuda: 11.4",
            f"found CUDA 12.0 on the driver 470.182.03; expected the driver 525 or a newer one{HINT}cuda: 11.4",
            f"found NCCL 2.19.3 built for CUDA 12.0 on {K20X}, for which it has no code: "
            f"sm_50, sm_60, sm_61, sm_70, sm_80, sm_90, compute_90; expected a build with code for it{HINT}cuda: 11.4",
        ],
    ),
    ({"gcc": "11"}, [f"found GCC 11 under nvcc of CUDA 11.4; expected GCC 10 or an older one{HINT}gcc: 10"]),
    (
        {"nccl_tests": "365b92a"},
        [
            "found nccl-tests 365b92a, which needs 128-bit integers, with nvcc of CUDA 11.4; expected a revision that "
            f"does without, or CUDA 11.5 or newer{HINT}nccl_tests: 8274cb4"
        ],
    ),
    (
        {"nvcc_gencode": SM_70},
        [f"found {SM_70}, which compiles no code for {K20X}; expected {SM_35}{HINT}nvcc_gencode: {SM_35}"],
    ),
    (
        {"nvcc_gencode": "sm_35"},
        ["found nvcc_gencode: 'sm_35'; expected options of nvcc such as -gencode=arch=compute_35,code=sm_35"],
    ),
    (
        {"os": "ubuntu-22.04"},
        [
            "found CUDA 11.4 on ubuntu-22.04, whose stdio.h nvcc cannot read: attribute __malloc__ does not take "
            f"arguments; expected a newer toolkit or an older system{HINT}os: ubuntu-20.04"
        ],
    ),
]
IDLE = [  # what nothing on the host could use
    (KEPLER, "gcc: 10", "found gcc without a toolkit; expected cuda beside it, whose nvcc it is for"),
    (
        KEPLER,
        "nccl_tests: 8274cb4",
        "found nccl_tests without a toolkit; expected cuda beside it, whose nvcc it is for",
    ),
    *(
        (
            WITHOUT_GPUS,
            f"{key}: {value}",
            f"found {key} on dell-r740-xeon-5218, which has no GPUs; expected a server with GPUs\n"
            f"  hint: remove `{key}`",
        )
        for key, value in (("gpu_driver", "470.182.03"), ("rocm", "7.1.0"), ("peer_memory", "true"))
    ),
]


def build_plan(text: str = KEPLER, os: str = "ubuntu-20.04", **software: str) -> Plan:
    named = ", ".join(f"{key}: {value!r}" for key, value in software.items())
    return build(read_text(text.format(os=os, software=named), "file.yaml"))


def test_what_works_together_is_planned_and_rendered() -> None:
    plan = build_plan(**WORKS)
    assert [str(problem) for problem in plan.warnings] == []
    steps = plan.hosts["left"].steps.values()
    assert [f"{step.action}: {step.version}" for step in steps if step.version] == [
        "GPU driver: 470.182.03",
        "CUDA toolkit: 11.4",
        "NCCL: 2.10.3-1+cuda11.4",
    ]
    files = {file.path: file.text for file in render.files(plan, ["left"])}
    assert "install_pinned 2.10.3-1+cuda11.4 libnccl-dev libnccl2\n" in files["software-install.sh"]
    assert f"NVCC_GENCODE={SM_35}" in files["nccl-tests.sh"]
    assert "nccl.sh" not in files


H100 = """version: 1
name: hopper
hosts:
  node[1-2]: {{model: nvidia-dgx-h100, os: ubuntu-22.04, nics: 8 x nvidia-mcx75310aas-neat, software: {{{software}}}}}
switches: {{leaf1: {{model: dell-z9664f, os: dell-sonic, role: leaf}}}}
cabling: {{pattern: by-host}}
addresses: {{scheme: link-31, pool: 10.1.0.0/16}}
"""
SAMPLES = [  # cluster file, versions, the commands that build p2pBandwidthLatencyTest after `git checkout`
    (
        KEPLER,
        {"cuda": "11.4", "gcc": "10", "nccl": "2.10.3", "nvcc_gencode": f"{SM_35} {SM_70}"},
        [
            "make -C Samples/p2pBandwidthLatencyTest CUDA_PATH=/usr/local/cuda-11.4 HOST_COMPILER=g++-10 "
            "SMS='35 70' -j\"$(nproc)\""
        ],
    ),
    (
        H100,
        {"cuda": "12.4"},
        [
            "make -C Samples/5_Domain_Specific/p2pBandwidthLatencyTest CUDA_PATH=/usr/local/cuda-12.4 SMS=90 "
            '-j"$(nproc)"'
        ],
    ),
    (
        H100,
        {"cuda": "12.8", "gcc": "13"},
        [
            "cmake -S Samples/5_Domain_Specific/p2pBandwidthLatencyTest "
            "-B Samples/5_Domain_Specific/p2pBandwidthLatencyTest/build "
            "-DCMAKE_CUDA_COMPILER=/usr/local/cuda-12.8/bin/nvcc -DCMAKE_CUDA_HOST_COMPILER=g++-13",
            "cmake --build Samples/5_Domain_Specific/p2pBandwidthLatencyTest/build",
        ],
    ),
]


@pytest.mark.parametrize(("text", "software", "commands"), SAMPLES)
def test_the_cuda_samples_are_built_with_the_planned_compiler(
    text: str, software: dict[str, str], commands: list[str]
) -> None:
    plan = build_plan(text, **software)
    host = next(iter(plan.hosts))
    script = {file.path: file.text for file in render.files(plan, [host])}["cuda-samples.sh"]
    assert re.findall(r"^run (c?make .*)$", script, re.MULTILINE) == commands
    assert f"tag=v{software['cuda']}\n" in script


def test_code_of_ones_own_is_built_from_source() -> None:
    plan = build_plan(**WORKS, nvcc_gencode=f"{SM_35} {SM_70}")
    files = {file.path: file.text for file in render.files(plan, ["left"])}
    assert "NCCL" not in [step.action for step in plan.hosts["left"].steps.values()]
    make_command = f"make -j src.build CXX=g++-10 CUDA_HOME=/usr/local/cuda-11.4 NVCC_GENCODE='{SM_35} {SM_70}'"
    assert (
        f"run git checkout v2.10.3-1\nrun {make_command}\nrun make src.install PREFIX=/usr/local\n" in files["nccl.sh"]
    )


@pytest.mark.parametrize(("change", "messages"), WRONG)
def test_one_thing_wrong_is_refused_with_what_would_work(change: dict[str, str], messages: list[str]) -> None:
    with pytest.raises(Refusal) as refusal:
        build_plan(**{**WORKS, **change})
    assert [str(problem).partition(": ")[2] for problem in refusal.value.problems] == messages


@pytest.mark.parametrize(("text", "software", "message"), IDLE)
def test_what_nothing_could_use_is_refused(text: str, software: str, message: str) -> None:
    key, _, value = software.partition(": ")
    with pytest.raises(Refusal) as refusal:
        build(read_text(text.format(os="ubuntu-20.04", software=f"{key}: {value}"), "file.yaml"))
    assert message in [str(problem).partition(": ")[2] for problem in refusal.value.problems]
