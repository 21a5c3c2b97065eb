"""Host states that the source documents call right are no findings; proves the judgement, not the reading."""

from __future__ import annotations

from dataclasses import replace

import pytest
import small_cluster as small
from small_cluster import sysctl

from wirespeed.settings import Ect, NicTrafficClass, Place, Priority, Route

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
    # 2.3: ACS may be off in the BIOS instead, and the kernel enables it only together with the IOMMU
    (
        "host.acs-service",
        {(small.HOST, "host.acs_service"): False, (small.HOST, "host.kernel.iommu"): "off"},
    ),
    # ... or no function has the capability
    (
        "host.acs-service",
        {
            (small.HOST, "host.acs_service"): False,
            **{
                (small.HOST.child("pcie", address), "pcie.acs_capable"): False
                for address in small.PLAN.hosts["node1"].pcie
            },
        },
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
    # AN210, 2.2.2.1: dkms status prints a prefix before the release; the module prints it with a hyphen
    (
        "software.packages",
        {
            (small.HOST.child("package", "netxtreme-peer-mem"), "package.version"): "1.10.3.234.0.154.0",
            (small.HOST.child("module", "bnxt_en"), "module.version"): "1.10.3-234.0.154.0",
            (small.HOST.child("module", "bnxt_re"), "module.version"): "234.0.154.0",
        },
    ),
]


MAIN = small.HOST.child("route", "254 10.1.0.0/26")
SECOND = small.HOST.child("route", "254 10.1.0.0/26 metric 2002")
WIDE = small.HOST.child("route", "254 10.1.0.0/16")
ROUTED = {
    "254 10.1.0.0/26": Route("eth1", "10.1.0.0", "10.1.0.1"),
    "254 10.1.0.0/26 metric 2002": Route("eth2", "10.1.0.2", "10.1.0.3", 2002),
}
FIRST_RAIL = {(MAIN, "route.device"): "eth1", (MAIN, "route.gateway"): "10.1.0.0"}
SECOND_RAIL = {(SECOND, "route.device"): "eth2", (SECOND, "route.gateway"): "10.1.0.2", (SECOND, "route.metric"): 2002}


@pytest.mark.parametrize(
    ("readings", "statuses"),
    [
        ({**FIRST_RAIL, **SECOND_RAIL}, ("pass", "pass")),
        (FIRST_RAIL, ("pass", "warn")),
        # Without the first route the second one has the better metric, and its name.
        ({(MAIN, "route.device"): "eth2", (MAIN, "route.gateway"): "10.1.0.2"}, ("warn", "pass")),
        # 2.4.2: a rule for all packets to the network of the NICs, by the table of the first rail
        ({(small.HOST.child("rule", "from all to 10.1.0.0/16"), "rule.table"): 101}, ("pass", "warn")),
        # A wide route replaces that of the rail whose next hop it has.
        ({(WIDE, "route.device"): "eth2", (WIDE, "route.gateway"): "10.1.0.2"}, ("warn", "pass")),
        ({(WIDE, "route.device"): "eth2"}, ("warn", "warn")),
        ({(small.HOST.child("route", "254 10.0.0.0/8"), "route.device"): "mgmt"}, ("warn", "warn")),
        ({}, ("warn", "warn")),
    ],
)
def test_packets_without_a_source_have_a_route_by_each_rail(readings: small.Changes, statuses: tuple[str, str]) -> None:
    host = small.PLAN.hosts["node1"]
    plan = replace(small.PLAN, hosts={"node1": replace(host, routes={**host.routes, **ROUTED})})
    findings = {finding.place: finding.status for finding in small.by_id("address.route", small.facts(readings), plan)}
    assert (
        findings["route 10.1.0.0/26 of table 254"],
        findings["route 10.1.0.0/26 metric 2002 of table 254"],
    ) == statuses


@pytest.mark.parametrize(("identifier", "changes"), ROWS)
def test_a_right_state_is_no_finding(identifier: str, changes: small.Changes) -> None:
    assert {finding.check for finding in small.bad(small.facts(changes))} & {identifier} == set()


@pytest.mark.parametrize(
    ("arp_ignore", "summary"),
    [
        ("3", "the interface answers ARP for addresses of other interfaces"),
        ("8", "the interface answers no ARP request"),
    ],
)
def test_larger_values_of_arp_ignore_fail(arp_ignore: str, summary: str) -> None:
    """Linux Documentation/networking/ip-sysctl.rst: 3 replies for global addresses, 8 for no address."""
    changes = {(sysctl("net.ipv4.conf.all.arp_ignore"), "sysctl.value"): arp_ignore}
    findings = small.by_id("address.arp", small.facts(changes))
    assert {(finding.status, finding.summary) for finding in findings} == {("fail", summary)}


def test_outputs_that_contradict_each_other_warn_of_an_rdma_port() -> None:
    states = "ACTIVE by rdma link, DOWN by ibv_devinfo"
    findings = small.by_id("nic.rdma-port", small.facts({(small.NIC, "nic.rdma_state"): states}))
    assert [(finding.status, finding.found, finding.summary) for finding in findings if finding.status != "pass"] == [
        ("warn", states, "two outputs show different states of the RDMA port")
    ]


def test_parameters_of_the_iommu_are_missed_while_it_translates() -> None:
    changes = {(small.HOST, "host.kernel.command_line"): ("ro",), (small.HOST, "host.kernel.iommu"): "translated"}
    assert "host.kernel-parameters" in {finding.check for finding in small.bad(small.facts(changes))}


@pytest.mark.parametrize(
    ("parameters", "iommu", "fault"),
    [
        ("intel_iommu=on iommu=pt iommu=off", "translated", "iommu=off"),
        ("iommu=off intel_iommu=on iommu=pt", "passthrough", "iommu=off"),  # what stands later resets nothing
        ("intel_iommu=on iommu=noforce,off iommu=pt", "passthrough", "iommu=noforce,off"),
        ("intel_iommu=on iommu=pt intel_iommu=off", "passthrough", "intel_iommu=off"),
        ("intel_iommu=off intel_iommu=on iommu=pt", "passthrough", None),  # the last one counts
        ("intel_iommu=on,sm_off iommu=pt amd_iommu=off intel_iommu=on", "passthrough", None),
        ("intel_iommu=on iommu=pt iommu=off", "off", None),  # a translating IOMMU is the fault, and it is off
        ("intel_iommu=on iommu=pt iommu=off", None, None),  # not read: the command line shows it
        ("intel_iommu=on iommu=off", "passthrough", "without iommu=pt, and with iommu=off"),
    ],
)
def test_parameters_that_switch_off_the_planned_iommu(parameters: str, iommu: str | None, fault: str | None) -> None:
    """Linux, arch/x86/kernel/pci-dma.c, iommu_setup; drivers/iommu/intel/iommu.c, intel_iommu_setup."""
    command_line = {(small.HOST, "host.kernel.command_line"): tuple(parameters.split())}
    findings = small.by_id(
        "host.kernel-parameters", small.facts({**command_line, (small.HOST, "host.kernel.iommu"): iommu})
    )
    status = "pass" if fault is None else "fail"
    assert [finding.status for finding in findings] == [status]
    assert fault is None or [finding.found for finding in findings] == [fault]


@pytest.mark.parametrize(
    ("identifier", "changes", "summary"),
    [
        (
            "software.nic-driver",
            {(small.NIC, "nic.driver.version"): "6.8.0-111-generic"},
            "the installed driver of the NIC is not loaded",
        ),
        ("software.nic-driver", {(small.NIC, "nic.driver.version"): "1.10.3-234.0.154.0"}, None),
        ("software.nic-driver", {(small.NIC, "nic.driver.version"): None}, None),  # not read, and not planned
        (
            "software.packages",
            {(small.HOST.child("module", "bnxt_re"), "module.version"): "232.0.155.5"},
            "modules of the driver package are loaded in another version",
        ),
    ],
)
def test_an_installed_driver_of_no_planned_version_must_be_loaded(
    identifier: str, changes: small.Changes, summary: str | None
) -> None:
    """957608-AN210, 2.2.1.2: the versions of dkms and of the loaded modules are compared."""
    host = small.PLAN.hosts["node1"]
    packages = {name: replace(package, version=None) for name, package in host.packages.items()}
    nic = host.nics[small.NIC.name]
    nic = replace(nic, driver=replace(nic.driver, name="bnxt_en", version=None))
    plan = replace(small.PLAN, hosts={"node1": replace(host, packages=packages, nics={small.NIC.name: nic})})
    findings = [finding for finding in small.by_id(identifier, small.facts(changes), plan) if finding.status == "fail"]
    assert [finding.summary for finding in findings] == ([] if summary is None else [summary])


@pytest.mark.parametrize(
    ("cnp_class", "roce_tc", "summary"),
    [
        (False, 1, "the NIC's firmware supports no traffic class for CNPs"),
        (True, 1, "the NIC maps priorities to the wrong traffic classes"),
        (None, 1, "the NIC maps priorities to the wrong traffic classes"),  # not read
        (False, 0, "the NIC maps priorities to the wrong traffic classes"),  # the firmware explains CNPs only
    ],
)
def test_firmware_without_a_traffic_class_for_cnps_is_named(cnp_class: bool | None, roce_tc: int, summary: str) -> None:
    """bnxt_setupcc.sh gives CNPs traffic class 2 only where the driver reports fw_service_prof_type_sup 1."""
    classes = {Priority(n): NicTrafficClass({3: roce_tc}.get(n, 0)) for n in range(8)}
    changes = {(small.NIC, "nic.qos.priority_tc"): classes, (small.NIC, "nic.qos.cnp_class"): cnp_class}
    (finding,) = [
        finding for finding in small.by_id("nic.qos-priority-tc", small.facts(changes)) if finding.status == "fail"
    ]
    assert finding.summary == summary


def test_a_vlan_mtu_below_that_of_a_host_fails() -> None:
    changes = {
        (small.LEAF.child("vlan", "11"), "vlan.mtu"): 9000,
        (small.NIC, "nic.link.mtu"): 9050,
    }
    (finding,) = small.by_id("port.vlan-mtu", small.facts(changes))
    assert (finding.status, finding.expected) == (
        "fail",
        "9100 bytes (at least 9050, the largest MTU of the hosts)",
    )


@pytest.mark.parametrize(
    ("absent", "fix"),
    [
        ((), "set the access VLAN of the port"),
        (
            (small.LEAF.child("vlan", "11"),),
            "create VLAN 11 with its interface and address (port.vlan-address), then set the access VLAN of the port",
        ),
    ],
)
def test_the_fix_of_a_port_creates_a_vlan_that_the_switch_lacks(absent: tuple[Place, ...], fix: str) -> None:
    facts = small.facts({(small.PORT, "port.vlan"): 1}, absent)
    findings = [finding for finding in small.by_id("port.vlan", facts) if finding.status == "fail"]
    assert [[advice.sentence for advice in finding.fix] for finding in findings] == [[fix]]


def test_links_are_those_of_the_gpu_at_the_planned_address() -> None:
    """nvidia-smi numbers the GPUs that it lists: a missing one shifts the others."""
    shifted = small.HOST.child("gpu", "GPU3")
    changes = {(shifted, "gpu.pcie"): "0000:1c:00.0", (shifted, "gpu.links"): 7}
    findings = small.by_id("gpu.links", small.facts(changes, [small.HOST.child("gpu", "GPU0")]))
    assert [finding.status for finding in findings] == ["pass"]
    changes = {(shifted, "gpu.pcie"): "0000:9d:00.0", (shifted, "gpu.links"): 7}
    findings = small.by_id("gpu.links", small.facts(changes, [small.HOST.child("gpu", "GPU0")]))
    assert [finding.status for finding in findings] == ["skip"]


TOOLS, PROGRAM = (small.HOST, "host.qos_tools"), (small.HOST, "host.qos_program")


@pytest.mark.parametrize(
    ("tools", "program", "status", "summary", "fix"),
    [
        ({"dcb", "niccli"}, "niccli", "pass", "Program that sets the traffic classes of the NIC", None),
        ({"dcb"}, "dcb", "pass", "Program that sets the traffic classes of the NIC", None),
        (
            {"dcb"},
            "niccli",
            "fail",
            "the configuration file names a program that is missing",
            "install the planned configuration file, which names dcb, and reboot",
        ),
        (
            {"dcb"},
            "",  # the file lacks UTILITY
            "fail",
            "the configuration file names no program",
            "install the planned configuration file, which names dcb, and reboot",
        ),
        (
            {"niccli"},
            "niccli",
            "warn",
            "the program that sets the traffic classes of the NIC is missing",
            "install iproute2 5.11 or later, which contains dcb",
        ),
        (
            {"niccli"},
            "bnxtqos",
            "fail",
            "the configuration file names a program that is missing",
            "install bnxtqos of the NIC's driver release, or install iproute2 5.11 or later, which contains dcb",
        ),
    ],
)
def test_the_program_that_the_file_names_is_installed(
    tools: set[str], program: str, status: str, summary: str, fix: str | None
) -> None:
    """Broadcom, bnxt_setupcc.sh 236.1.155.0, ends if the program of UTILITY is missing."""
    findings = small.by_id("software.qos-tool", small.facts({TOOLS: frozenset(tools), PROGRAM: program}))
    (finding,) = findings
    fixes = [entry.sentence for entry in finding.fix]
    assert (finding.status, finding.summary, fixes) == (status, summary, [fix] if fix else [])
