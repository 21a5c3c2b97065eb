"""Which driver packages a host needs and in which order, as rows: kernel and packages named, what comes of it."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from wirespeed.cluster import read_text
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build

FILE = """version: 1
name: small
hosts:
  node1:
    model: dell-xe9680-mi300x
    os: {os}
    nics: 8 x {nic}
    software: {{{software}}}
switches:
  leaf1: {{model: dell-z9664f, os: dell-sonic, role: leaf}}
cabling: {{pattern: by-host, length: 3 m}}
addresses: {{scheme: link-31, pool: 10.1.0.0/16}}
"""
BUILT_IN, NOT_BUILT_IN = "kernel: 5.15.0-102-generic", "kernel: 6.8.0-111-generic"
PLAIN = "nic_packages: {bnxt_en: 234.0.154.0, bnxt_re: 234.0.154.0, libbnxt_re: 234.0.154.0}"
TWO_PACKAGES = "nic_packages: {netxtreme-peer-mem: 234.0.154.0, bnxt_re: 234.0.154.0}"

REFUSED = [
    (
        f"{NOT_BUILT_IN}, {PLAIN}",
        "small.yaml:8: found bnxt_en and bnxt_re on the kernel 6.8.0-111-generic, which has no peer-memory client; "
        "expected netxtreme-peer-mem or netxtreme-peer-mem-source, which brings one\n"
        "  hint: without one the NIC does not reach GPU memory",
    ),
    (
        f"{BUILT_IN}, {TWO_PACKAGES}",
        "small.yaml:8: found bnxt_re beside netxtreme-peer-mem, which brings the same modules; "
        "expected netxtreme-peer-mem alone\n"
        "  hint: leave bnxt_re out; where they are installed, software-install.sh removes them",
    ),
    (
        "nic_packages: {netxtreme-peermem: 234.0.154.0}",
        "small.yaml:8: found the package 'netxtreme-peermem'; "
        "expected one of netxtreme-peer-mem, bnxt_en, bnxt_re, netxtreme-bnxt_en, netxtreme-peer-mem-source, "
        "libbnxt_re, bnxt_re_conf, niccli, bnxtqos\n"
        "  hint: did you mean 'netxtreme-peer-mem'?",
    ),
    (
        "nic_packages: {firmware: 234.0.154.0}",
        "small.yaml:8: found the package 'firmware'; "
        "expected one of netxtreme-peer-mem, bnxt_en, bnxt_re, netxtreme-bnxt_en, netxtreme-peer-mem-source, "
        "libbnxt_re, bnxt_re_conf, niccli, bnxtqos\n"
        "  hint: packages of kernel modules have the names that DKMS lists",
    ),
    (
        f"{NOT_BUILT_IN}, nic_packages: {{MLNX_OFED: 24.10-0.7.0.0}}",
        "small.yaml:8: found MLNX_OFED on a host whose NICs have the Broadcom bnxt driver release; "
        "expected one of netxtreme-peer-mem, bnxt_en, bnxt_re, netxtreme-bnxt_en, netxtreme-peer-mem-source, "
        "libbnxt_re, bnxt_re_conf, niccli, bnxtqos\n"
        "  hint: it is made for the NVIDIA mlx5 driver of the kernel, replaces the kernel's RDMA core, and these "
        "drivers do not load with it",
    ),
]
ARCHIVE = "netxtreme-bnxt_en: 1.10.2-227.0.130.0"
REFUSED += [
    (
        f"{NOT_BUILT_IN}, nic_packages: {{{ARCHIVE}, libbnxt_re: 227.0.130.0}}",
        "small.yaml:8: found netxtreme-bnxt_en on the kernel 6.8.0-111-generic, which has no peer-memory client; "
        "expected netxtreme-peer-mem or netxtreme-peer-mem-source, which brings one\n"
        "  hint: without one the NIC does not reach GPU memory",
    ),
    (
        f"{BUILT_IN}, nic_packages: {{{ARCHIVE}, bnxt_re: 227.0.130.0}}",
        "small.yaml:8: found bnxt_re beside netxtreme-bnxt_en, which brings the same modules; "
        "expected netxtreme-bnxt_en alone\n"
        "  hint: leave bnxt_re out; where they are installed, software-install.sh removes them",
    ),
]
WITH_CLIENT = "netxtreme-peer-mem-source: 234.0.154.0"
REFUSED += [
    (
        f"{BUILT_IN}, nic_packages: {{netxtreme-peer-mem: 234.0.154.0, {WITH_CLIENT}}}",
        "small.yaml:8: found netxtreme-peer-mem beside netxtreme-peer-mem-source, which brings the same modules; "
        "expected netxtreme-peer-mem-source alone\n"
        "  hint: leave netxtreme-peer-mem out; where they are installed, software-install.sh removes them",
    ),
    (
        f"{BUILT_IN}, nic_packages: {{netxtreme-bnxt_en: 234.0.154.0, {WITH_CLIENT}}}",
        "small.yaml:8: found netxtreme-peer-mem-source beside netxtreme-bnxt_en, which brings the same modules; "
        "expected netxtreme-bnxt_en alone\n"
        "  hint: leave netxtreme-peer-mem-source out",
    ),
]
WARNED = [
    (
        "kernel: 6.8.0-1059-azure",
        "small.yaml:8: found the kernel 6.8.0-1059-azure of ubuntu-22.04, of which it is not known whether it has a "
        "peer-memory client; expected peer_memory: true or false\n"
        "  hint: true if `grep ib_register_peer_memory_client /proc/kallsyms` prints a line on the host before "
        "anything is installed, else false",
    ),
    (
        f"{NOT_BUILT_IN}, nic_packages: {{netxtreme-peer-mem: 234.0.154.0, libbnxt_re: 232.0.155.5}}",
        "small.yaml:8: found packages of different releases: 232.0.155.5, 234.0.154.0; expected one release",
    ),
]


def build_plan(software: str, os: str = "ubuntu-22.04", nic: str = "broadcom-bcm957608-p1400gd") -> Plan:
    return build(read_text(FILE.format(software=software, os=os, nic=nic), "small.yaml"))


@pytest.mark.parametrize(("software", "message"), REFUSED)
def test_what_cannot_work_is_refused(software: str, message: str) -> None:
    with pytest.raises(Refusal) as refusal:
        build_plan(software)
    assert [str(problem) for problem in refusal.value.problems] == [message]


@pytest.mark.parametrize(("software", "message"), WARNED)
def test_an_uncertain_stack_warns(software: str, message: str) -> None:
    assert [str(problem) for problem in build_plan(software).warnings] == [message]


def test_a_package_has_its_release_with_and_without_the_prefix_of_its_version() -> None:
    """Broadcom 957608-AN210, section 2.2.2.1: dkms status prints bnxt_en/1.10.3.234.0.171.0, bnxt_re/234.0.171.0."""
    plan = build_plan(f"{BUILT_IN}, nic_packages: {{bnxt_en: 1.10.3.234.0.171.0, bnxt_re: 234.0.171.0}}")
    assert plan.warnings == ()


def steps(plan: Plan) -> list[str]:
    steps = plan.hosts["node1"].steps.values()
    return [f"{step.action}: {step.subject}{' ' + step.version if step.version else ''}" for step in steps]


def test_the_whole_installation_in_order() -> None:
    assert steps(build_plan(f"{NOT_BUILT_IN}, rocm: 7.1.0")) == [
        "uninstall stack: MLNX_OFED or doca-ofed",
        "ROCm: ROCm, with RCCL and the GPU driver 7.1.0",
        "remove: bnxt_en",
        "remove: bnxt_re",
        "prerequisites: compiler, kernel headers, RDMA user space",
        "install: netxtreme-peer-mem",
        "build: libbnxt_re",
        "rename the inbox library: libbnxt_re-rdmav*.so",
        "install: bnxt_re_conf",
        "boot image: initramfs",
        "reboot: host",
    ]


def test_the_drivers_of_a_source_archive_in_order() -> None:
    plan = build_plan(f"{BUILT_IN}, nic_packages: {{{ARCHIVE}, libbnxt_re: 227.0.130.0}}")
    assert plan.warnings == ()
    assert steps(plan) == [
        "uninstall stack: MLNX_OFED or doca-ofed",
        "remove: bnxt_en",
        "remove: bnxt_re",
        "remove: netxtreme-peer-mem",
        "prerequisites: compiler, kernel headers, RDMA user space",
        "build drivers: netxtreme-bnxt_en 1.10.2-227.0.130.0",
        "build: libbnxt_re 227.0.130.0",
        "rename the inbox library: libbnxt_re-rdmav*.so",
        "install: bnxtqos",
        "boot image: initramfs",
        "reboot: host",
    ]
    assert {nic.driver.version for nic in plan.hosts["node1"].nics.values()} == {"1.10.2-227.0.130.0"}
    assert plan.hosts["node1"].packages == {}


def test_the_source_archive_with_a_peer_memory_client() -> None:
    """Broadcom 957608-AN210, section 2.2.3: netxtreme-peer-mem-a.b.c.d.tar.gz and libbnxt_re-a.b.c.d.tar.gz."""
    plan = build_plan(f"{NOT_BUILT_IN}, nic_packages: {{{WITH_CLIENT}, libbnxt_re: 234.0.154.0}}")
    assert plan.warnings == ()
    build_steps = [step for step in plan.hosts["node1"].steps.values() if step.action.startswith(("build", "remove"))]
    assert [(step.subject, step.version, step.files) for step in build_steps] == [
        ("bnxt_en", None, None),
        ("bnxt_re", None, None),
        ("netxtreme-peer-mem", None, None),
        (
            "netxtreme-peer-mem-source",
            "234.0.154.0",
            {"source": "netxtreme-peer-mem-*.tar.gz", "modules": "bnxt_en bnxt_re ib_peer_mem"},
        ),
        ("libbnxt_re", "234.0.154.0", {"source": "libbnxt_re-*.tar.gz"}),
    ]
    assert "ib_peer_mem" in plan.hosts["node1"].modules
    assert {nic.driver.version for nic in plan.hosts["node1"].nics.values()} == {"234.0.154.0"}


def test_the_kernels_own_driver_needs_the_user_space_alone() -> None:
    plan = build_plan(BUILT_IN, nic="nvidia-mcx75310aas-neat")
    assert plan.warnings == ()
    assert steps(plan) == ["prerequisites: RDMA user space"]
    assert plan.hosts["node1"].packages == {}


def test_the_kernels_own_driver_brings_no_peer_memory_client() -> None:
    (warning,) = build_plan(NOT_BUILT_IN, nic="nvidia-mcx75310aas-neat").warnings
    assert str(warning) == (
        "small.yaml:8: found the kernel 6.8.0-111-generic, which has no peer-memory client, with NVIDIA mlx5 driver of "
        "the kernel, which brings none; expected DMA-BUF: Linux 5.12 or later; NVIDIA: open kernel modules, CUDA 11.7 "
        "or later, Turing or newer\n  hint: or a stack that brings a peer-memory client, in nic_packages: "
        "doca-ofed, MLNX_OFED"
    )


def test_packages_beside_the_kernels_own_driver_are_refused() -> None:
    with pytest.raises(Refusal) as refusal:
        build_plan(f"{BUILT_IN}, nic_packages: {{irdma: 1.9.30}}", nic="intel-e810-cqda2")
    assert (
        "small.yaml:8: found packages beside Intel ice driver of the kernel; expected none: the driver comes with the "
        "kernel\n  hint: another stack is installed by its own installer"
        in [str(problem) for problem in refusal.value.problems]
    )


def test_firmware_is_flashed_before_the_reboot() -> None:
    plan = build_plan(f"{BUILT_IN}, nic_firmware: 236.1.173.0")
    assert steps(plan)[-3:] == ["firmware: of each NIC 236.1.173.0", "boot image: initramfs", "reboot: host"]
    (step,) = (step for step in plan.hosts["node1"].steps.values() if step.action == "firmware")
    pattern = step.files["firmware"]
    # Broadcom 957608-AN210, section 2.2.3.2; Lossless Network for AI/ML/Storage/HPC with RDMA, firmware update
    assert fnmatchcase("BCM957608-P1400GDF00.pkg", pattern) and not fnmatchcase("BCM957608-P1400GF00.pkg", pattern)
    older = build_plan(f"{BUILT_IN}, nic_firmware: 227.0.131.0", nic="broadcom-bcm957508-n1200g")
    (step,) = (step for step in older.hosts["node1"].steps.values() if step.action == "firmware")
    assert fnmatchcase("BCM957508-N1200G.pkg", step.files["firmware"])
    assert not fnmatchcase("BCM957508-N1200GD.pkg", step.files["firmware"])
    assert {nic.driver.firmware for nic in plan.hosts["node1"].nics.values()} == {"236.1.173.0"}


def test_firmware_of_a_card_whose_files_are_not_known_is_checked_but_not_flashed() -> None:
    """ESnet, 400G Testbed Configuration, names firmware 20.33.1048; no download of that card's firmware was found."""
    plan = build_plan(f"{BUILT_IN}, nic_firmware: 22.39.1002", nic="nvidia-mcx623105an-vdat")
    assert [str(problem) for problem in plan.warnings] == [
        "small.yaml:8: found a firmware for NVIDIA ConnectX-6 Dx MCX623105AN-VDAT, 1 x 200G PCIe card, of which no "
        "file name is known: it is checked, but not flashed; "
        "expected a NIC whose firmware files are known: bnxt_en, nvidia-mcx623106an-cdat, nvidia-mcx75310aas-neat\n"
        "  hint: flash it with the vendor's tool"
    ]
    assert {nic.driver.firmware for nic in plan.hosts["node1"].nics.values()} == {"22.39.1002"}
    assert steps(plan) == ["prerequisites: RDMA user space"]


def test_a_kernel_with_a_client_may_have_the_plain_drivers() -> None:
    plan = build_plan(f"{BUILT_IN}, {PLAIN}")
    assert steps(plan)[1:4] == [
        "prerequisites: compiler, kernel headers, RDMA user space",
        "install: bnxt_en 234.0.154.0",
        "install: bnxt_re 234.0.154.0",
    ]
    assert list(plan.hosts["node1"].packages) == ["bnxt_en", "bnxt_re"]


@pytest.mark.parametrize(
    ("software", "loaded"),
    [(BUILT_IN, False), (NOT_BUILT_IN, True), ("", False), (f"{NOT_BUILT_IN}, peer_memory: true", False)],
)
def test_the_client_is_a_module_where_the_kernel_has_none(software: str, loaded: bool) -> None:
    host = build_plan(software).hosts["node1"]
    assert ("ib_peer_mem" in host.modules) == loaded
    assert host.peer_memory is True


def test_nothing_is_planned_for_a_host_that_names_nothing() -> None:
    host = build_plan("").hosts["node1"]
    assert (host.steps, host.packages, host.kernel.version) == ({}, {}, None)


OF_227 = f"nic_packages: {{{ARCHIVE}, libbnxt_re: 227.0.130.0}}"


@pytest.mark.parametrize(
    ("os", "software", "tools"),
    [
        ("ubuntu-20.04", "rocm: 7.1.0", {"niccli"}),
        ("ubuntu-22.04", "rocm: 7.1.0", {"dcb"}),
        ("sles-15.3", "rocm: 7.1.0", {"niccli"}),
        ("rhel-8.5", "rocm: 7.1.0", {"dcb"}),
        ("rhel-9", "rocm: 7.1.0", {"dcb"}),
        # Lossless Network for AI/ML/Storage/HPC with RDMA: release 227 has bnxtqos
        ("ubuntu-20.04", OF_227, {"bnxtqos"}),
        ("rhel-9", OF_227, {"bnxtqos"}),
        ("rhel-9", "nic_firmware: 223.1.25.0", {"bnxtqos"}),
        ("rhel-9", "nic_packages: {bnxtqos: 234.0.154.0}", {"bnxtqos"}),
        ("rhel-9", "nic_packages: {niccli: 237.1.145.0}", {"dcb"}),
        ("rhel-9", "nic_firmware: 22.31.13.70", {"dcb"}),  # a number of the server vendor's
    ],
)
def test_the_program_of_the_qos_package_is_one_that_release_and_system_have(
    os: str, software: str, tools: set[str]
) -> None:
    """iproute2 has dcb from 5.11 on; Ubuntu 20.04 has iproute2 5.5."""
    plan = build_plan(f"peer_memory: true, {software}", os=os)
    assert [str(problem) for problem in plan.warnings if "QoS package" in str(problem)] == []
    assert plan.hosts["node1"].qos_tools == tools


def test_a_release_of_unknown_programs_has_a_warning() -> None:
    plan = build_plan(f"{BUILT_IN}, nic_packages: {{bnxt_en: 1.10.3.231.0.162.0, bnxt_re: 231.0.162.0}}")
    assert [str(problem) for problem in plan.warnings] == [
        "small.yaml:8: found release 231.0.162.0, of which it is not known whether its QoS package calls dcb; "
        "expected 233.2.77.9 or later\n"
        "  hint: the option -h of the package's script lists its programs"
    ]
    assert plan.hosts["node1"].qos_tools == {"dcb"}


@pytest.mark.parametrize(
    ("os", "software", "expected"),
    [
        ("ubuntu-22.04", "nic_packages: {netxtreme-peer-mem: 234.0.154.0}", []),  # iproute2 contains dcb
        ("ubuntu-22.04", "nic_packages: {niccli: 237.1.145.0}", ["install: niccli 237.1.145.0"]),
        ("ubuntu-20.04", "nic_packages: {netxtreme-peer-mem: 234.0.154.0}", ["install: niccli"]),
        ("rhel-8.5", OF_227, ["install: bnxtqos"]),
        ("rhel-8.5", "nic_packages: {bnxtqos: 227.0.130.0}", ["install: bnxtqos 227.0.130.0"]),
    ],
)
def test_the_program_of_the_qos_package_is_installed(os: str, software: str, expected: list[str]) -> None:
    plan = build_plan(f"peer_memory: true, {software}", os=os)
    assert [step for step in steps(plan) if "niccli" in step or "bnxtqos" in step] == expected


def test_the_version_of_the_loaded_driver_is_planned() -> None:
    plan = build_plan(f"{NOT_BUILT_IN}, nic_packages: {{netxtreme-peer-mem: 234.0.154.0}}")
    assert {nic.driver.version for nic in plan.hosts["node1"].nics.values()} == {"234.0.154.0"}
