"""The kernel log of a host: messages of planned devices fail, those of other devices are information.

Messages in the format of public logs, with the addresses of the small cluster; an on-board port as in bnxt_report_link
of drivers/net/ethernet/broadcom/bnxt/bnxt.c, Linux 6.18, which reports a port without a cable at level err.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import small_cluster as small

from wirespeed.checks import run
from wirespeed.cluster import read
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import build
from wirespeed.plan.locate import locate
from wirespeed.results.findings import Finding, Status

ON_BOARD = "0000:04:00.1"
ON_BOARD_DOWN = f"bnxt_en {ON_BOARD} eno2np1: NIC Link is Down"
SLOW_LINK = (
    "bnxt_en 0000:1d:00.0: 126.016 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x16 link at 0000:14:00.0"
    " (capable of 504.112 Gb/s with 32.0 GT/s PCIe x16 link)"
)


def check(*lines: str) -> Finding:
    on_board = small.HOST.child("pcie", ON_BOARD)
    changes = {
        (small.HOST, "host.kernel.errors"): small.kernel_errors(*lines),
        (on_board, "pcie.device_class"): "0200",
    }
    (finding,) = small.by_id("host.kernel-log", small.facts(changes))
    return finding


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (ON_BOARD_DOWN, Status.PASS),
        (ON_BOARD_DOWN.replace(ON_BOARD, "0000:1d:00.0"), Status.FAIL),
        (ON_BOARD_DOWN.replace(ON_BOARD, "0000:77:00.0"), Status.FAIL),  # lspci does not list it: it may have gone
        ("DMAR: [DMA Read] Request device [04:00.1] PASID 2 fault addr 7f81c968d000 [fault reason 113]", Status.PASS),
        ("DMAR: [DMA Read] Request device [1d:00.0] PASID 2 fault addr 7f81c968d000 [fault reason 113]", Status.FAIL),
        (f"mlx5_core {ON_BOARD}: poll_health:471:(pid 0): device's health compromised", Status.PASS),
        ("mce: [Hardware Error]: Machine check events logged", Status.WARN),
        ("EDAC MC0: 2 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (xxx xxx)", Status.WARN),
        ("EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (xxx xxx)", Status.FAIL),
        ("Memory failure: 0x7740c0: recovery action for dirty page: Recovered", Status.FAIL),
        ("nvidia-nvswitch3: SXid (PCI:0000:04:00.0): 22013, Non-fatal, Link 44 Minion Link DLREQ", Status.WARN),
        ("nvidia-nvswitch1: SXid (PCI:0000:84:00.0): 12028, Fatal, Link 32 egress nonposted PRIV error", Status.FAIL),
        (
            "bnxt_en 0000:1d:00.0: PCIe Bus Error: severity=Correctable, type=Data Link Layer, (Receiver ID)",
            Status.WARN,
        ),
        ("bnxt_en 0000:1d:00.0: PCIe Bus Error: severity=Uncorrectable (Fatal), type=Inaccessible", Status.FAIL),
        ("pci 0000:00:1f.5: BAR 0 [mem size 0x00001000]: failed to assign", Status.PASS),  # not listed, and not planned
        ("pci 0000:1d:00.0: BAR 0 [mem size 0x00001000]: failed to assign", Status.FAIL),
        (f"[Hardware Error]: event severity: corrected: {ON_BOARD} (2 times)", Status.PASS),
        ("[Hardware Error]: event severity: corrected: 0000:1d:00.0", Status.WARN),
        (f"[Hardware Error]: event severity: fatal: {ON_BOARD}", Status.FAIL),
        (SLOW_LINK, Status.WARN),
        (SLOW_LINK.replace("8.0 GT/s PCIe x16 link at", "32.0 GT/s PCIe x16 link at"), Status.PASS),
        (SLOW_LINK.replace("0000:1d:00.0", ON_BOARD), Status.PASS),
    ],
)
def test_messages_count_by_device_and_severity(line: str, status: Status) -> None:
    assert check(line).status is status


def test_a_message_of_another_device_is_shown() -> None:
    assert check(ON_BOARD_DOWN).found == f"of other devices: {ON_BOARD_DOWN}"


def test_errors_come_before_warnings() -> None:
    corrected = "EDAC MC0: 2 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (xxx xxx)"
    finding = check(corrected, SLOW_LINK, "NVRM: Xid 79")
    assert (finding.status, finding.found) == (Status.FAIL, "NVRM: Xid 79")
    assert check(corrected, SLOW_LINK).found == SLOW_LINK


def test_a_slow_link_follows_from_its_present_width() -> None:
    link = small.HOST.child("pcie", "0000:1d:00.0")
    changes = {(small.HOST, "host.kernel.errors"): small.kernel_errors(SLOW_LINK), (link, "pcie.link.width"): 8}
    causes = {finding.check: finding.cause for finding in small.bad(small.facts(changes))}
    assert causes == {"nic.pcie-width": None, "host.kernel-log": "nic.pcie-width"}


LENDING = Path(__file__).parents[2] / "examples/pcie-lending/cluster.yaml"
BIOS = "enable above-4G decoding in the BIOS, and enlarge its window for device memory if it has that option"
BRIDGE = "if these are borrowed devices: write a larger `ntb: {prefetch: ...}`, render, and run ntb-prefetch.sh"


@pytest.mark.parametrize(
    ("prefetch", "cause", "fixes"),
    [(512, "lending.prefetch", ["fix lending.prefetch first, then check again"]), (4096, None, [BIOS, BRIDGE])],
)
def test_memory_of_a_borrowed_device_is_that_of_the_bridge(
    prefetch: int, cause: str | None, fixes: list[str], tmp_path: Path
) -> None:
    """The line and both sizes are those of Johansen, Fast Multi-GPU communication over PCI Express, A.3.10."""
    plan = build(read(LENDING))
    write_planned_bundle(plan, tmp_path / "bundle")
    outputs = tmp_path / "bundle/abel1"
    with (outputs / "dmesg.out").open("a") as log:
        log.write(
            "kern  :warn  : [    9.1] pci 0000:03:04.0: BAR 1: failed to assign [mem size 0x10000000 64bit pref]\n"
        )
    (outputs / "ntb-prefetch.out").write_text(f"Card 1 - Prefetch memory space size: {prefetch}\n")
    facts = read_facts(tmp_path / "bundle")
    (finding,) = (
        finding
        for finding in run(locate(plan, facts), facts)
        if finding.device == "abel1"
        if finding.check == "host.kernel-log"
    )
    assert (finding.cause, [fix.sentence for fix in finding.fix]) == (cause, fixes)
