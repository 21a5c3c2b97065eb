"""The RDMA stack of a ConnectX's vendor and what reaches GPU memory, as rows: what is named, what comes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wirespeed.catalogue import Catalogue, load
from wirespeed.cluster import read_text
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build

FILE = """version: 1
name: small
hosts:
  node1:
    model: dell-xe9680-mi300x
    os: {os}
    nics: 8 x nvidia-mcx75310aas-neat
    software: {{{software}}}
switches:
  leaf1: {{model: dell-z9664f, os: dell-sonic, role: leaf}}
cabling: {{pattern: by-host, length: 3 m}}
addresses: {{scheme: link-31, pool: 10.1.0.0/16}}
"""
DOCA = "nic_packages: {doca-ofed: 3.2.1}"
NOBLE, JAMMY, RHEL, SLES = "ubuntu-24.04", "ubuntu-22.04", "rhel-9.6", "sles-15.6"


def nvidia(capability: str) -> Catalogue:
    """The catalogue with another GPU in the server: NVIDIA's, of a compute capability (NVIDIA's list of CUDA GPUs)."""
    catalogue = load()
    k20x = catalogue.gpus["k20x"]
    assert k20x.compute_capability is not None
    number = k20x.compute_capability.model_copy(update={"value": capability})
    title = {"9.0": "NVIDIA H100", "3.5": k20x.title}[capability]
    gpu = k20x.model_copy(update={"title": title, "compute_capability": number})
    servers = dict(catalogue.servers)
    servers["dell-xe9680-mi300x"] = servers["dell-xe9680-mi300x"].model_copy(update={"gpu": "it"})
    return replace(catalogue, gpus={**catalogue.gpus, "it": gpu}, servers=servers)


def build_plan(os: str, software: str, gpu: str | None = None) -> Plan:
    return build(read_text(FILE.format(os=os, software=software), "small.yaml"), nvidia(gpu) if gpu else load())


def steps(plan: Plan) -> list[str]:
    steps = plan.hosts["node1"].steps.values()
    return [f"{step.action}: {step.subject}{' ' + step.version if step.version else ''}" for step in steps]


REFUSED: list[tuple[str, str, str | None, str]] = [
    (
        NOBLE,
        "nic_packages: {doca-ofed: 3.x}",
        None,
        "small.yaml:8: found NVIDIA DOCA-OFED 3.x; expected a release of the catalogue: 2.5.0, 2.9.2, 3.0.0, "
        "3.2.0, 3.2.1\n  hint: leave `nic_packages` out and install it by hand; then it is "
        "neither planned nor checked",
    ),
    (
        SLES,
        DOCA,
        None,
        "small.yaml:8: found NVIDIA DOCA-OFED 3.2.1 on sles-15.6; expected a system that this release is known to "
        "support: ubuntu-22.04, ubuntu-24.04\n"
        "  hint: write nic_packages: {doca-ofed: 3.0.0}, known to support sles-15.6",
    ),
    (
        "sles-16.0",
        DOCA,
        None,
        "small.yaml:8: found NVIDIA DOCA-OFED 3.2.1 on sles-16.0; expected a system that this release is known to "
        "support: ubuntu-22.04, ubuntu-24.04\n"
        "  hint: leave `nic_packages` out and install it by hand; then it is neither planned nor checked",
    ),
    (
        NOBLE,
        "nic_packages: {doca_ofed: 3.2.1}",
        None,
        "small.yaml:8: found the package 'doca_ofed' for a NIC with the NVIDIA mlx5 driver of the kernel; "
        "expected one of doca-ofed, MLNX_OFED; without `nic_packages` the driver of the kernel is used\n"
        "  hint: did you mean 'doca-ofed'?",
    ),
    (
        NOBLE,
        "nic_packages: {doca-ofed: 3.2.1, MLNX_OFED: 24.10-0.7.0.0}",
        None,
        "small.yaml:8: found doca-ofed beside MLNX_OFED; expected one of them: each replaces what the other installs",
    ),
    (  # modules made for the kernels of SLES 15 SP6
        SLES,
        "kernel: 6.4.0-150700.53-default, nic_packages: {doca-ofed: 3.0.0}",
        None,
        "small.yaml:8: found the kernel 6.4.0-150700.53-default under NVIDIA DOCA-OFED 3.0.0, whose modules are "
        "made for others; expected a kernel of 6.4.0-150600\n  hint: or a release whose modules are compiled on "
        "the host",
    ),
    (
        NOBLE,
        "kernel: 6.14.0-37-generic, nic_packages: {MLNX_OFED: 24.10-0.7.0.0}",
        None,
        "small.yaml:8: found the kernel 6.14.0-37-generic under NVIDIA MLNX_OFED 24.10-0.7.0.0, whose modules do not "
        "compile for 6.14 and newer ones; expected a kernel it is known to work with: 5.15, 6.8\n"
        "  hint: or a newer release; Lambda, Public Cloud troubleshooting: mlnx-ofed-kernel "
        "24.10.OFED.24.10.3.2.5.1 does not compile for 6.14.0-1013-nvidia",
    ),
    (  # the driver before nvidia-peermem
        NOBLE,
        f"{DOCA}, gpu_driver: 450.80.02",
        "3.5",
        "small.yaml:8: found the driver 450.80.02, which has no nvidia-peermem; expected branch 470, the first "
        "that has it, or a newer one\n  hint: without it the NIC does not reach GPU memory",
    ),
    (  # neither a client nor DMA-BUF
        NOBLE,
        "kernel: 6.8.0-111-generic, gpu_driver: 470.182.03, cuda: 11.4",
        "3.5",
        "small.yaml:8: found the kernel 6.8.0-111-generic, which has no peer-memory client, with NVIDIA mlx5 "
        "driver of the kernel; DMA-BUF is not possible either: an NVIDIA Tesla K20X is older than Turing; CUDA 11.4 is "
        "older than 11.7; the driver 470.182.03 has no open kernel modules; expected DMA-BUF: Linux 5.12 or "
        "later; NVIDIA: open kernel modules, CUDA 11.7 or later, Turing or newer\n"
        "  hint: or a stack that brings a peer-memory client, in nic_packages: doca-ofed, MLNX_OFED",
    ),
    (
        "ubuntu-20.04",
        "kernel: 5.4.0-200-generic, peer_memory: false",
        None,
        "small.yaml:8: found the kernel 5.4.0-200-generic, which has no peer-memory client, with NVIDIA mlx5 "
        "driver of the kernel; DMA-BUF is not possible either: it is older than Linux 5.12; expected DMA-BUF: Linux "
        "5.12 or later; NVIDIA: open kernel modules, CUDA 11.7 or later, Turing or newer\n"
        "  hint: or a stack that brings a peer-memory client, in nic_packages: doca-ofed, MLNX_OFED",
    ),
]

WARNED = [
    (  # ESnet, 400G Testbed Configuration: MLNX_OFED 5.9-0.5.5, kernel 5.15.0-70
        JAMMY,
        "kernel: 5.15.0-70-generic, nic_packages: {MLNX_OFED: 5.9-0.5.5}",
        "small.yaml:8: found NVIDIA MLNX_OFED 5.9-0.5.5, an unknown release: its systems and kernels are not checked; "
        "expected a release of the catalogue: 5.9-0.5.6.0, 23.10-3.2.2.0, 24.10-0.7.0.0, 24.10-3.2.5.0",
    ),
    (
        NOBLE,
        "kernel: 6.8.0-111-generic, nic_packages: {doca-ofed: 3.9.0}",
        "small.yaml:8: found NVIDIA DOCA-OFED 3.9.0, an unknown release: its systems and kernels are not checked; "
        "expected a release of the catalogue: 2.5.0, 2.9.2, 3.0.0, 3.2.0, 3.2.1",
    ),
    (
        NOBLE,
        f"kernel: 6.11.0-29-generic, {DOCA}",
        "small.yaml:8: found the kernel 6.11.0-29-generic under NVIDIA DOCA-OFED 3.2.1, of which it is not "
        "known whether it compiles for it; expected 5.15, 6.8",
    ),
    (
        SLES,
        "nic_packages: {doca-ofed: 3.0.0}",
        "small.yaml:8: found NVIDIA DOCA-OFED 3.0.0, whose modules are made for kernels 6.4.0-150600, and no kernel "
        "named; expected kernel: the release that uname -r prints",
    ),
]


@pytest.mark.parametrize(("os", "software", "gpu", "message"), REFUSED)
def test_what_cannot_work_is_refused(os: str, software: str, gpu: str | None, message: str) -> None:
    with pytest.raises(Refusal) as refusal:
        build_plan(os, software, gpu)
    assert [str(problem) for problem in refusal.value.problems] == [message]


@pytest.mark.parametrize(("os", "software", "message"), WARNED)
def test_an_uncertain_stack_warns(os: str, software: str, message: str) -> None:
    assert [str(problem) for problem in build_plan(os, software).warnings] == [message]


# System, the requested stack, the stack's description, its drivers, and the pattern of its file.
STACKS = [
    (
        NOBLE,
        f"kernel: 6.8.0-111-generic, {DOCA}",
        "OFED-internal-25.10-1.7.1",
        "25.10-1.7.1",
        {"repository": "doca-host_3.2.1-*-25.10-ubuntu2404_amd64.deb"},
    ),
    (
        RHEL,
        "kernel: 5.14.0-570.12.1.el9_6.x86_64, nic_packages: {doca-ofed: 3.2.0}",
        "OFED-internal-25.10-1.2.8",
        "25.10-1.2.8",
        {"repository": "doca-host-3.2.0-*_25.10_rhel9.x86_64.rpm"},
    ),
    (
        SLES,
        "kernel: 6.4.0-150600.23.25-default, nic_packages: {doca-ofed: 3.0.0}",
        "OFED-internal-25.04",
        "25.04",
        {"repository": "doca-host*-3.0.0-*sles15sp6*.x86_64.rpm"},
    ),
    (
        JAMMY,
        "kernel: 5.15.0-70-generic, nic_packages: {MLNX_OFED: 5.9-0.5.6.0}",
        "MLNX_OFED_LINUX-5.9-0.5.6.0",
        "5.9-0.5.6",
        {"installer": "MLNX_OFED_LINUX-5.9-0.5.6.0-ubuntu22.04-x86_64.tgz"},
    ),
]


@pytest.mark.parametrize(("os", "software", "stack", "drivers", "files"), STACKS)
def test_a_release_for_a_system(os: str, software: str, stack: str, drivers: str, files: dict[str, str]) -> None:
    plan = build_plan(os, software)
    host = plan.hosts["node1"]
    assert plan.warnings == ()
    assert host.software.rdma_stack == stack
    assert {nic.driver.version for nic in host.nics.values()} == {drivers}
    assert [step.files for step in host.steps.values() if step.action == "RDMA stack"] == [files]
    assert host.peer_memory is True  # the stack brings it


@pytest.mark.parametrize(
    ("os", "package", "file", "reported_version"),
    [
        (
            JAMMY,
            "MLNX_OFED: 5.9-0.5.5",
            "MLNX_OFED_LINUX-5.9-0.5.5*-ubuntu22.04-x86_64.tgz",
            "MLNX_OFED_LINUX-5.9-0.5.5",
        ),
        (NOBLE, "doca-ofed: 3.9.0", "doca-host_3.9.0-*ubuntu2404_amd64.deb", None),
    ],
)
def test_an_unknown_release_is_planned(os: str, package: str, file: str, reported_version: str | None) -> None:
    """What a DOCA release reports contains the number of its drivers, which is not known."""
    host = build_plan(os, f"nic_packages: {{{package}}}").hosts["node1"]
    assert host.software.rdma_stack == reported_version
    assert [list(step.files.values()) for step in host.steps.values() if step.action == "RDMA stack"] == [[file]]


def test_the_stack_comes_before_what_is_compiled_against_it() -> None:
    plan = build_plan(
        NOBLE, f"kernel: 6.8.0-111-generic, {DOCA}, gpu_driver: 580.95.05, nic_firmware: 28.39.3004", "9.0"
    )
    assert steps(plan) == [
        "uninstall stack: any other release",
        "build tools: compiler, kernel headers",
        "RDMA stack: doca-ofed 3.2.1",
        "GPU driver: NVIDIA driver 580.95.05",
        "peer memory: nvidia-peermem",
        "firmware: of each NIC 28.39.3004",
        "boot image: initramfs",
        "reboot: host",
    ]
    assert plan.hosts["node1"].modules["nvidia_peermem"].loaded


def test_modules_that_come_ready_need_no_compiler() -> None:
    plan = build_plan(SLES, "kernel: 6.4.0-150600.23.25-default, nic_packages: {doca-ofed: 3.0.0}")
    assert steps(plan) == [
        "uninstall stack: any other release",
        "RDMA stack: doca-ofed 3.0.0",
        "boot image: initramfs",
        "reboot: host",
    ]
    assert "nvidia_peermem" not in plan.hosts["node1"].modules  # amdgpu registers itself


def test_dma_buf_needs_the_open_modules_and_no_client() -> None:
    plan = build_plan(NOBLE, "kernel: 6.8.0-111-generic, gpu_driver: 580.95.05, cuda: 12.8", "9.0")
    assert steps(plan)[0] == "GPU driver: NVIDIA driver, open kernel modules 580.95.05"
    assert plan.hosts["node1"].peer_memory is None
    assert len(plan.warnings) == 1


def test_a_kernel_with_the_api_needs_the_client_too() -> None:
    host = build_plan(JAMMY, "kernel: 5.15.0-102-generic", "9.0").hosts["node1"]
    assert (host.modules["nvidia_peermem"].loaded, host.peer_memory) == (True, True)


def test_only_firmware_requires_a_reboot() -> None:
    plan = build_plan(JAMMY, "kernel: 5.15.0-102-generic, nic_firmware: 28.39.3004")
    assert steps(plan) == [
        "prerequisites: RDMA user space",
        "firmware: of each NIC 28.39.3004",
        "reboot: host",
    ]
    (step,) = (step for step in plan.hosts["node1"].steps.values() if step.action == "firmware")
    assert step.files == {"firmware": "fw-ConnectX7-rel-28_39_3004-MCX75310AAS-NEA_Ax-*.bin"}
