"""A machine without a cluster file."""

from dataclasses import replace

import pytest
import small_cluster as small

from wirespeed.checks import run
from wirespeed.checks.baseline import baseline, describe_hosts
from wirespeed.facts import Facts, Gap
from wirespeed.results.findings import Status


def list_findings(facts: Facts) -> list[tuple[str, str, str | None]]:
    """What is neither passed nor skipped."""
    findings = run(baseline(facts), facts)
    return [
        (finding.check, finding.status.value, finding.found)
        for finding in findings
        if finding.status not in ("pass", "skip")
    ]


def plain(**changes: object) -> Facts:
    host = {"host.os": "debian-12", "host.kernel.version": "6.1", "host.kernel.errors": (), **changes}
    values = {(small.HOST, path): value for path, value in host.items()}
    return small.facts_only({(small.HOST, "host.conflicting_stacks"): (), **values})


def test_without_an_rdma_device_little_applies_and_that_is_reported() -> None:
    facts = plain(**{"host.rdma_devices": ()})
    assert describe_hosts(facts) == (
        "node1: debian-12, kernel 6.1; network interfaces: none seen; GPUs: none seen",
        "node1: no RDMA device",
        "node1: only checks of gpu, host and software apply: those of address, fabric, launch, lending, link, nic,"
        " pcie, port, qos need an RDMA port",
    )
    findings = run(baseline(facts), facts)
    assert [finding.check for finding in findings if finding.status is Status.PASS] == [
        "host.kernel-log",
        "software.conflicting-stacks",
    ]
    assert {finding.status for finding in findings} == {Status.PASS, Status.SKIP}


def test_an_unknown_rdma_device_is_reported_too() -> None:
    assert describe_hosts(plain())[1] == "node1: RDMA devices: not read"


def test_what_was_not_read_is_not_called_absent() -> None:
    gaps = {
        ("node1", "host.nics"): (Gap("ip-addr", "no answer within 3 s"),),
        ("node1", "host.gpus"): (
            Gap("rocm-smi", "rocm-smi is not installed", line="rocm-smi --showbus"),
            Gap("nvidia-gpus", "nvidia-smi is not installed", line="nvidia-smi --query-gpu=index"),
            Gap("nvlink", "nvidia-smi is not installed", line="nvidia-smi nvlink --status"),
        ),
    }
    assert describe_hosts(replace(plain(), gaps=gaps))[0] == (
        "node1: debian-12, kernel 6.1; network interfaces: not read (ip-addr: no answer within 3 s); "
        "GPUs: not read (rocm-smi is not installed; nvidia-smi is not installed)"
    )


def test_errors_in_the_kernel_log_count_on_any_machine() -> None:
    assert list_findings(plain(**{"host.kernel.errors": small.kernel_errors("pcieport: AER")})) == [
        ("host.kernel-log", "fail", "pcieport: AER")
    ]


OUT_OF_MEMORY = "Out of memory: Killed process 4711 (python3)"
SEGFAULT = "python3[9]: segfault at 8 ip 0 sp 0 error 4 in libnccl.so.2[0+1000]"
XID = "NVRM: Xid 79"
REFUSED = "infiniband bnxt_re2: Fail to setets rc:-22"
BAR = "pci 0000:09:00.0: BAR 1: failed to assign [mem size 0x4000000000 64bit pref]"
REFUSED_DMA = "DMAR: [DMA Read] Request device [1d:00.0] PASID 2 fault addr 7f81c968d000 [fault reason 113]"
MEMORY = "EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (xxx xxx)"
DOWN = "bnxt_en 0000:1d:00.0 eth1: NIC Link is Down (3 times, still down)"
AER = "pcieport 0000:14:00.0: AER: Uncorrected (Fatal) error received: 0000:1d:00.0"
PROCESS = "the kernel killed a process, or a process crashed"


@pytest.mark.parametrize(
    ("lines", "findings"),
    [
        ((OUT_OF_MEMORY,), {PROCESS: (OUT_OF_MEMORY, "if these processes belong to a job: after Out of memory give")}),
        ((SEGFAULT,), {PROCESS: (SEGFAULT, "if these processes belong to a job: after Out of memory give")}),
        (
            (OUT_OF_MEMORY, XID, SEGFAULT),
            {
                PROCESS: (f"{OUT_OF_MEMORY}\n{SEGFAULT}", "if these processes belong to a job"),
                "the kernel log contains errors of GPUs": (XID, "reset the GPUs or reboot the host"),
            },
        ),
        (
            (BAR, REFUSED_DMA, MEMORY, AER),
            {
                "device memory (BAR) has no address": (BAR, "enable above-4G decoding in the BIOS"),
                "the IOMMU refused memory accesses of a device": (REFUSED_DMA, "set the IOMMU as planned (host.iommu)"),
                "the kernel log contains uncorrected memory or CPU errors": (MEMORY, "take the host out of service"),
                "the kernel log contains PCIe errors": (AER, "reseat the card and its riser"),
            },
        ),
        (
            (REFUSED, "bnxt_en: unknown trouble"),
            {
                "the NIC refused QoS settings of its driver": (REFUSED, "the NIC firmware controls QoS"),
                "the kernel log contains errors of NIC or GPU drivers": (
                    "bnxt_en: unknown trouble",
                    "read these lines",
                ),
            },
        ),
    ],
)
def test_each_cause_in_the_kernel_log_is_a_finding(
    lines: tuple[str, ...], findings: dict[str, tuple[str, str]]
) -> None:
    facts = plain(**{"host.kernel.errors": small.kernel_errors(*lines)})
    findings_by_summary = {
        finding.summary: finding for finding in run(baseline(facts), facts) if finding.check == "host.kernel-log"
    }
    assert {summary: finding.found for summary, finding in findings_by_summary.items()} == {
        summary: text for summary, (text, _) in findings.items()
    }
    for summary, (_, start) in findings.items():
        assert findings_by_summary[summary].fix[0].sentence.startswith(start)


def test_the_fix_of_a_link_names_both_ports() -> None:
    (finding,) = small.by_id(
        "host.kernel-log", small.facts({(small.HOST, "host.kernel.errors"): small.kernel_errors(DOWN)})
    )
    assert finding.fix[0].sentence == "check cable, transceivers and both ports of node1:eth1 and leaf1:Eth1/1"


def test_a_host_with_rdma_devices_is_held_against_what_any_such_host_must_be() -> None:
    sound = small.rdma_host()
    assert list_findings(sound) == []
    assert describe_hosts(sound)[1:] == (
        "node1: RDMA devices: bnxt_re0, bnxt_re1",
        "node1: addresses, priorities, cables and switches are not checked: that needs a cluster file",
    )


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("pcie.link.width", 8, ("nic.pcie-width", "fail", "x8")),
        ("pcie.acs", frozenset({"ReqRedir"}), ("pcie.acs", "fail", "ReqRedir")),
        ("nic.rdma_mtu", 1024, ("nic.rdma-mtu", "fail", "1024 bytes")),
        ("host.kernel.iommu", "translated", ("host.iommu", "fail", "translated")),
        ("host.memlock", "64", ("host.memlock", "fail", "64 KiB")),
        ("sysctl.value", "1", ("host.numa-balancing", "fail", "1")),
    ],
)
def test_what_holds_for_any_host_fails_without_a_cluster_file(
    path: str, value: object, expected: tuple[str, str, str]
) -> None:
    place = {
        "pcie": small.HOST.child("pcie", "0000:14:00.0" if path == "pcie.acs" else "0000:1d:00.0"),
        "nic": small.NIC,
        "host": small.HOST,
        "sysctl": small.sysctl("kernel.numa_balancing"),
    }[path.partition(".")[0]]
    assert list_findings(small.rdma_host({(place, path): value})) == [expected]


def test_a_port_in_infiniband_mode_is_named_and_not_checked() -> None:
    """Its IP interface is no port of a RoCE network."""
    interface = small.HOST.child("nic", "ibs1")
    facts = small.facts_only(
        {
            (small.HOST, "host.rdma_devices"): ("mlx5_0",),
            (small.HOST, "host.infiniband_devices"): ("mlx5_0",),
            (interface, "nic.rdma_device"): "mlx5_0",
            (interface, "nic.rdma_mtu"): 2048,
        }
    )
    assert "node1: mlx5_0: InfiniBand, which is not checked: see docs/concepts/scope.md" in describe_hosts(facts)
    assert not any("no RDMA device" in line for line in describe_hosts(facts))
    host = baseline(facts).hosts["node1"]
    assert host.nics == {}
    assert not [finding for finding in run(baseline(facts), facts) if finding.check.startswith("nic.")]
