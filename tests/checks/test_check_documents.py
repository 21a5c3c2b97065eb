"""Host states that the source documents call right are no findings; proves the judgement, not the reading."""

from __future__ import annotations

import pytest
import small_cluster as small
from small_cluster import sysctl

from wirespeed.settings import Ect

ROWS = [
    # Broadcom 957608-AN210, 2.3: amd_iommu=on beside iommu=pt; the kernel ignores it
    (
        "host.kernel-parameters",
        {(small.HOST, "host.kernel.command_line"): ("amd_iommu=on", "intel_iommu=on", "iommu=pt")},
    ),
    # 2.3: the IOMMU may be off in the BIOS instead
    (
        "host.kernel-parameters",
        {(small.HOST, "host.kernel.command_line"): ("ro",), (small.HOST, "host.kernel.iommu"): "off"},
    ),
    # 2.4: arp_announce 1, arp_ignore 2
    (
        "address.arp",
        {
            (sysctl("net.ipv4.conf.all.arp_announce"), "sysctl.value"): "1",
            (sysctl("net.ipv4.conf.all.arp_ignore"), "sysctl.value"): "2",
        },
    ),
    # 2.4.1: hosts of 9000 bytes behind Junos irb interfaces with "family inet mtu 9000"
    ("port.vlan-mtu", {(small.LEAF.child("vlan", "11"), "vlan.mtu"): 9000}),
    # RFC 3168, section 5: switches mark ECT(0) and ECT(1) equally
    ("nic.ecn-marking", {(small.NIC, "nic.qos.ect"): Ect.ECT0}),
    # bnxt_en of an out-of-box release: the version of its source archive
    ("software.nic-driver", {(small.NIC, "nic.driver.version"): "1.10.3-25.10-1.7.1"}),
]


@pytest.mark.parametrize(("identifier", "changes"), ROWS)
def test_a_right_state_is_no_finding(identifier: str, changes: small.Changes) -> None:
    assert {finding.check for finding in small.bad(small.facts(changes))} & {identifier} == set()


def test_parameters_of_the_iommu_are_missed_while_it_translates() -> None:
    changes = {(small.HOST, "host.kernel.command_line"): ("ro",), (small.HOST, "host.kernel.iommu"): "translated"}
    assert "host.kernel-parameters" in {finding.check for finding in small.bad(small.facts(changes))}


def test_a_vlan_mtu_below_that_of_a_host_fails() -> None:
    changes = {
        (small.LEAF.child("vlan", "11"), "vlan.mtu"): 9000,
        (small.NIC, "nic.link.mtu"): 9050,
    }
    (finding,) = small.by_id("port.vlan-mtu", small.facts(changes))
    assert (finding.status, finding.expected) == (
        "fail",
        "at least 9050 bytes, the largest MTU of the hosts (planned 9100)",
    )
