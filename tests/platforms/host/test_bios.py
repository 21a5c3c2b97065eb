"""Firmware attributes: what a BMC's saved answer and the kernel show, and the checklist a person works through."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from platforms.round_trip import find_losses
from wirespeed import render
from wirespeed.checks import checks, run
from wirespeed.cluster import read, read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.facts import Facts, Source, State, assemble_facts
from wirespeed.plan import build
from wirespeed.platforms import Output, Outputs, platform
from wirespeed.platforms.host.linux.bios import find_name, find_system
from wirespeed.settings import BiosAttribute, Host, Place
from wirespeed.settings.bios import BIOS_VALUES

EXAMPLES = Path(__file__).parents[3] / "examples"
SAMPLES = Path(__file__).parents[2] / "samples" / "ubuntu"
HOST = Place("h")
DELL, SUPERMICRO, GIGABYTE, DGX = (
    {"@odata.id": f"/redfish/v1/Systems/{name}/Bios"} for name in ("System.Embedded.1", "1", "Self", "DGX")
)
BIOS = {**DELL, "@odata.type": "#Bios.v1_1_1.Bios", "Id": "Bios"}
AMD = "Vendor ID: AuthenticAMD\n"
ONLINE = "On-line CPU(s) list: 0-15\n"
INTEL = "Vendor ID: GenuineIntel\n"


def facts(**outputs: str) -> Facts:
    named = {key.replace("_", "-"): text for key, text in outputs.items()}
    recorded = Outputs("h", {key: Output(key, text, Source("h", key, key)) for key, text in named.items()})
    return assemble_facts(platform("host", "ubuntu").parse(recorded), devices=["h"])


def read_attributes(host_facts: Facts) -> dict[str, str]:
    """Every attribute that was read, with the value a check believes."""
    return {place.name: host_facts.value(place, path) for place, path in host_facts.readings if path == "bios.value"}


def bios_answer(attributes: Any, **fields: Any) -> str:
    return json.dumps({**BIOS, "Attributes": attributes, **fields}, indent=4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (bios_answer({"LogicalProc": "Enabled", "Proc1NumCores": 28}), {"smt": "enabled"}),
        (bios_answer({"SysProfile": "PerfPerWattOptimizedDapc"}), {"system-profile": "PerfPerWattOptimizedDapc"}),
        (
            bios_answer({"DeterminismSlider": "PowerDeterminism", "ApbDis": "Enabled"}),
            {"determinism": "power", "fixed-p-state": "enabled"},
        ),
        (bios_answer({"NumaNodesPerSocket": 2}), {"nps": "2"}),
        (bios_answer({"SMTControl_0037": "Disabled"}, **SUPERMICRO), {"smt": "disabled"}),
        (bios_answer({"SMTControl_003": "Disabled"}, **SUPERMICRO), {}),
        (
            bios_answer({"NUMANodesPerSocket": "NPS4", "IOMMU_0196": "Auto"}, **SUPERMICRO),
            {"nps": "4", "iommu": "Auto"},
        ),
        (bios_answer({"DeterminismEnable": "Power"}, **SUPERMICRO), {"determinism": "power"}),
        (bios_answer({"DeterminismSlider_00AB": "Performance"}, **SUPERMICRO), {"determinism": "performance"}),
        (bios_answer({"DeterminismEnable": "Power", "DeterminismSlider": "Power"}, **SUPERMICRO), {}),
        (
            bios_answer({"IOMMU_0196": "Enabled", "IOMMU_0197": "Disabled"}, **SUPERMICRO),
            {},
        ),  # which one counts is not known
        # NVIDIA/libredfish c094c9e6, tests/mockups: supermicro (SYS-821GE-TNHR) and nvidia_viking (DGX H100)
        (
            bios_answer(
                {
                    "ExtendedAPIC_F281": "Enable",
                    "Hyper_Threading_ALL__F27F": "Enable",
                    "IntelVTforDirectedI_O_VT_d__1E32": "Enable",
                    "IntelVirtualizationTechnology_3C6F": "Enable",
                    "NUMA_003B": "Enabled",
                    "PCIeACSCTL_1E3C": "Disable",
                    "SNC_F300": "Auto",
                    "SR_IOVSupport_0047": "Enabled",
                    "UMA_BasedClustering_F301": "Quadrant   (4-clusters)",
                },
                **SUPERMICRO,
            ),
            {
                "x2apic": "enabled",
                "smt": "enabled",
                "iommu": "enabled",
                "virtualization": "enabled",
                "sub-numa": "Auto",
                "sr-iov": "enabled",
            },
        ),
        (
            bios_answer({"SNC_F300": "Enable SNC4"}, **SUPERMICRO),
            {"sub-numa": "Enable SNC4"},
        ),  # four nodes: not planned
        (bios_answer({"SNC_F300": "Enable SNC2"}, **SUPERMICRO), {"sub-numa": "enabled"}),
        (
            bios_answer(
                {
                    "ControlIommu": "Disable",  # displayed as Pre-boot DMA Protection
                    "NumaEn": "Enable",
                    "ProcessorHyperThreadingDisable": "Enabled",
                    "ProcessorVmxEnable": "Enable",
                    "SRIOVEnable": "Enable",
                    "SriovSupport": "Enabled",
                    "VTdSupport": "Enable",
                },
                **DGX,
            ),
            {"smt": "enabled", "virtualization": "enabled", "sr-iov": "enabled", "iommu": "enabled"},
        ),
        (bios_answer({"SMTControl": "Disabled"}), {}),  # of another vendor
        (bios_answer({"LogicalProc": "Disabled"}, **SUPERMICRO), {}),
        (bios_answer({"LogicalProc": "Disabled"}, **{"@odata.id": "/redfish/v1/Systems/Bluefield/Bios"}), {}),
        (bios_answer({"WorkloadProfile": "WriteOnly", "LogicalProc": None, "ProcX2Apic": True, "SysProfile": ""}), {}),
        (bios_answer({"LogicalProc": "Enabled"})[:-3], {}),
        (bios_answer(None), {}),
        ("[]", {}),
        ('{"Attributes": {"LogicalProc": "Enabled"}}', {}),  # the vendor of the attributes is not stated
        (
            bios_answer({"LogicalProc": "Enabled"}, **{"@odata.id": f"{BIOS['@odata.id']}/Settings"}),
            {},
        ),  # not in effect yet
        (bios_answer({"LogicalProc": "Enabled"}, **{"@odata.id": "/redfish/v1/Systems/Self/Bios/SD"}), {}),
    ],
)
def test_what_the_bmc_reports(text: str, expected: dict[str, str]) -> None:
    assert read_attributes(facts(redfish_bios=text)) == expected


@pytest.mark.parametrize(
    ("address", "attributes", "expected"),
    [
        (
            DELL,
            {"LogicalProc": "Enabled", "WorkloadProfile": "NotConfigured"},
            {"smt": True, "workload-profile": False},
        ),
        (SUPERMICRO, {"SR_IOVSupport_002B": "Enabled", "APBDIS_00A1": "1"}, {"sr-iov": True, "fixed-p-state": False}),
        (GIGABYTE, {"SR_IOVSupport": "Enabled"}, {"sr-iov": False}),
        (SUPERMICRO, {"IntelVTforDirectedI_O_VT_d__1E32": "Disable"}, {"iommu": True}),
        (DGX, {"VTdSupport": "Disable", "SRIOVEnable": "Enable"}, {"iommu": True, "sr-iov": False}),
    ],
)
def test_a_name_that_is_not_certain_is_marked(
    address: dict[str, str], attributes: dict[str, str], expected: dict[str, bool]
) -> None:
    bios_facts = facts(redfish_bios=bios_answer(attributes, **address))
    assert {
        name: bios_facts.value(HOST.child("bios", name), "bios.verified") for name in read_attributes(bios_facts)
    } == expected
    reading = bios_facts.reading(HOST.child("bios", next(iter(expected))), "bios.value")
    assert reading is not None
    assert (reading.source.line, reading.state) == (6, State.CONFIGURED)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Thread(s) per core:  2\n", {"smt": "enabled"}),
        (f"{ONLINE}Thread(s) per core:  1\n", {}),  # a kernel parameter may have switched the other off
        (f"{AMD}Socket(s): 2\nNUMA node(s): 2\n", {"nps": "1"}),
        (f"{AMD}Socket(s): 2\nL3 cache: 256 MiB (16 instances)\nNUMA node(s): 4\n", {"nps": "2"}),
        (f"{AMD}Socket(s): 2\nL3 cache: 256 MiB (16 instances)\nNUMA node(s): 16\n", {}),  # each cache a node
        (f"{AMD}Socket(s): 2\nL3 cache: 256 MiB\nNUMA node(s): 4\n", {}),
        (f"{AMD}Socket(s): 2\nNUMA node(s): 1\n", {}),  # NPS0, or numa=off
        (f"{AMD}Socket(s): 1\nNUMA node(s): 1\n", {}),
        (f"{INTEL}Socket(s): 2\nNUMA node(s): 2\n", {"sub-numa": "disabled"}),
        (f"{INTEL}Socket(s): 2\nNUMA node(s): 4\n", {"sub-numa": "enabled"}),
        (f"{INTEL}Socket(s): 2\nNUMA node(s): 3\n", {}),
        ("Socket(s): 2\nNUMA node(s): 2\n", {}),
        ("Socket(s): -\nNUMA node(s): 2\n", {}),
    ],
)
def test_what_the_kernel_proves(text: str, expected: dict[str, str]) -> None:
    assert read_attributes(facts(lscpu=text)) == expected


@pytest.mark.parametrize(
    ("lscpu", "cmdline", "expected"),
    [
        (f"{ONLINE}Thread(s) per core: 1\n", "root=/dev/sda1 ro quiet", {"smt": "disabled"}),
        ("Thread(s) per core: 1\n", "ro", {}),  # without sysfs lscpu does not know which CPUs are off-line
        (f"{ONLINE}Off-line CPU(s) list: 16-31\nThread(s) per core: 1\n", "ro", {}),  # echo off > smt/control
        (f"{ONLINE}Thread(s) per core: 1\n", "ro nosmt=force", {}),
        (f"{ONLINE}Thread(s) per core: 1\n", "ro nosmt", {}),
        (f"{ONLINE}Thread(s) per core: 1\n", "nr_cpus=16 ro", {}),
        (f"{ONLINE}Thread(s) per core: 1\n", "ro nolapic", {}),
        (f"{ONLINE}Thread(s) per core: 1\n", "ro acpi=off", {}),
        (f"{ONLINE}Hypervisor vendor: KVM\nThread(s) per core: 1\n", "ro", {}),
        (f"{ONLINE}Hypervisor vendor: KVM\nThread(s) per core: 2\n", "ro", {}),
        (f"{ONLINE}Thread(s) per core: 2\n", "ro nr_cpus=16", {"smt": "enabled"}),
    ],
)
def test_one_thread_per_core_proves_smt_off_if_the_kernel_starts_every_cpu(
    lscpu: str, cmdline: str, expected: dict[str, str]
) -> None:
    assert read_attributes(facts(lscpu=lscpu, cmdline=cmdline)) == expected


def test_iommu_groups_prove_an_iommu_and_none_prove_nothing() -> None:
    assert read_attributes(facts(iommu_groups="/sys/kernel/iommu_groups/0/type:identity\n")) == {"iommu": "enabled"}
    assert read_attributes(facts(iommu_groups="")) == {}


def test_what_runs_goes_before_what_was_saved() -> None:
    host_facts = facts(redfish_bios=bios_answer({"LogicalProc": "Disabled"}), lscpu="Thread(s) per core: 2\n")
    assert read_attributes(host_facts) == {"smt": "enabled"}


def test_smbios_names_maker_and_version() -> None:
    host_facts = facts(
        dmidecode="# dmidecode 3.3\nHandle 0x0000, DMI type 0, 26 bytes\nBIOS Information\n\tVendor: Dell Inc.\n"
        "\tVersion: 2.1.3\n\nHandle 0x0100, DMI type 1, 27 bytes\nSystem Information\n\tManufacturer: Dell Inc.\n"
        "\tVersion: Not Specified\n"
    )
    assert (host_facts.value(HOST, "host.vendor"), host_facts.value(HOST, "host.bios_version")) == ("dell", "2.1.3")


RECORDED = {
    "dell-epyc": {
        "smt": "enabled",
        "virtualization": "enabled",
        "nps": "2",
        "core-enumeration": "linear",
        "sr-iov": "enabled",
        "iommu": "enabled",
        "x2apic": "enabled",
        "system-profile": "performance",
        "c-states": "disabled",
        "determinism": "power",
        "fixed-p-state": "disabled",
        "power-on-delay": "immediate",
    },
    "dell-xeon": {
        "smt": "enabled",
        "virtualization": "enabled",
        "sub-numa": "disabled",
        "core-enumeration": "round-robin",
        "sr-iov": "disabled",
        "x2apic": "disabled",
        "system-profile": "balanced",
        "c-states": "enabled",
        "power-on-delay": "random",
    },
    "supermicro-epyc": {
        "smt": "disabled",
        "nps": "4",
        "sr-iov": "enabled",
        "above-4g-decoding": "enabled",
        "iommu": "Auto",
        "x2apic": "enabled",
        "determinism": "power",
        "power-limit-control": "disabled",
        "fixed-p-state": "enabled",
        "c-states": "disabled",
    },
}


def read_case(case: str) -> dict[str, str]:
    return {file.stem: file.read_text() for file in (SAMPLES / case).glob("*.txt")}


@pytest.mark.parametrize(
    ("case", "vendor", "version"),
    [
        ("dell-epyc", "dell", "2.6.6"),
        ("dell-xeon", "dell", None),
        ("supermicro-epyc", "supermicro", "1.6"),
    ],
)
def test_recorded_answers(case: str, vendor: str, version: str | None) -> None:
    host_facts = facts(**read_case(case))
    assert read_attributes(host_facts) == RECORDED[case]
    assert (host_facts.value(HOST, "host.vendor"), host_facts.value(HOST, "host.bios_version")) == (vendor, version)


@pytest.mark.parametrize("case", RECORDED)
def test_a_line_less_of_a_recorded_answer_shows_less(case: str) -> None:
    """JSON without one of its lines is an answer without an attribute, or none at all."""
    texts = read_case(case)
    wrong: list[str] = []
    for command, text in texts.items():
        rows = text.split("\n")
        settings_of_command = list_values(facts(**{command: text}))
        for index, row in enumerate(rows):
            for remaining_rows in (rows[:index] + rows[index + 1 :], rows[:index]):
                read = list_values(facts(**{command: "\n".join(remaining_rows)}))
                wrong += [
                    f"{command} without {row!r}: {attribute}"
                    for attribute in read.items() - settings_of_command.items()
                ]
    assert wrong == []


def list_values(host_facts: Facts) -> dict[str, Any]:
    """Everything that was read, by place and path."""
    return {f"{place} {path}": reading[0].value for (place, path), reading in host_facts.readings.items()}


@pytest.mark.parametrize("example", ["mi300x-4node", "esnet-400g"])
@pytest.mark.parametrize("name", ["ubuntu", "rhel", "sles"])
def test_attributes_come_back(example: str, name: str) -> None:
    hosts = build(read(EXAMPLES / example / "cluster.yaml")).hosts
    assert all(host.bios for host in hosts.values())
    assert [loss for key, host in hosts.items() for loss in find_losses(platform("host", name), key, host)] == []


@pytest.mark.parametrize(
    ("vendor", "cpu_vendor", "names"),
    [
        ("dell", "intel", BIOS_VALUES.keys() - {"power-limit-control", "memory-interleaving"}),
        (
            "supermicro",
            "amd",
            BIOS_VALUES.keys()
            - {
                "virtualization",
                "sub-numa",
                "core-enumeration",
                "memory-interleaving",
                "system-profile",
                "workload-profile",
                "power-on-delay",
            },
        ),
        ("supermicro", "intel", {"smt", "virtualization", "sub-numa", "sr-iov", "iommu", "x2apic"}),
        ("nvidia", "intel", {"smt", "virtualization", "sr-iov", "iommu"}),
    ],
)
def test_every_value_a_plan_may_contain_is_read_back(vendor: str, cpu_vendor: str, names: set[str]) -> None:
    host = replace(build(read(EXAMPLES / "mi300x-4node" / "cluster.yaml")).hosts["node1"], cpu_vendor=cpu_vendor)
    for name in sorted(names):
        for value in BIOS_VALUES[name]:
            if (name, value) != ("iommu", "disabled"):  # the example's kernel has made groups
                changed_host = replace(host, vendor=vendor, bios={name: BiosAttribute(value)})
                if name not in ("nps", "smt", "sub-numa"):
                    assert find_losses(platform("host", "ubuntu"), "node1", changed_host) == [], (name, value)


def test_the_checklist_states_what_where_and_why() -> None:
    files = render.files(build(read(EXAMPLES / "mi300x-4node" / "cluster.yaml")), ["node1"])
    text = next(file.text for file in files if file.path == "bios-checklist.txt")
    assert "    where   BIOS > Processor Settings > Logical Processor\n    set     Disable\n" in text
    assert "    Redfish LogicalProc = Disabled\n" in text
    assert "    Redfish WorkloadProfile = NotConfigured (name not checked in any document)\n" in text
    assert "/redfish/v1/Systems/System.Embedded.1/Bios >" in text
    assert text.count("[ ] ") == 8


def test_the_checklist_asks_a_person_for_an_attribute_without_a_redfish_name(tmp_path: Path) -> None:
    """Broadcom 957608-AN210, 5.1, question 8, names memory interleaving for some hosts, and no server's menu."""
    text = (EXAMPLES / "mi300x-4node" / "cluster.yaml").read_text(encoding="utf-8")
    bios = "os: ubuntu-22.04, bios: {memory-interleaving: auto}"
    plan = build(read_text(text.replace("os: ubuntu-22.04", bios, 1), "cluster.yaml"))
    checklist = next(file.text for file in render.files(plan, ["node1"]) if file.path == "bios-checklist.txt")
    assert (
        "[ ] memory-interleaving = auto\n"
        "    where   menu not known (the source below does not name it)\n"
        "    set     auto\n"
        "    Redfish name not known: check the value in the BIOS menu\n"
        "    why     set in the cluster file\n"
    ) in checklist
    write_planned_bundle(plan, tmp_path / "bundle")
    observed = read_facts(tmp_path / "bundle")
    unknown = {
        finding.place
        for finding in run(plan, observed, [checks()["host.bios"]])
        if finding.device == "node1" and finding.status.value != "pass"
    }
    assert unknown == {"bios memory-interleaving"}


@pytest.mark.parametrize(
    ("vendor", "cpu_vendor", "system", "names"),
    [
        ("dell", "amd", "System.Embedded.1", {"iommu": "IommuSupport"}),
        ("supermicro", "amd", "1", {"iommu": "IOMMU"}),
        ("supermicro", "intel", "1", {"iommu": "IntelVTforDirectedI_O_VT_d_"}),
        ("nvidia", "intel", "DGX", {"iommu": "VTdSupport"}),
        ("nvidia", "amd", None, {}),  # a DGX A100: no recorded answer
        (None, "intel", None, {}),
    ],
)
def test_names_depend_on_the_vendors_of_server_and_processor(
    vendor: str | None, cpu_vendor: str, system: str | None, names: dict[str, str]
) -> None:
    host = Host(vendor=vendor, cpu_vendor=cpu_vendor, bios={"iommu": BiosAttribute("disabled")})
    attribute = find_name(host, "iommu")
    assert find_system(host) == system
    assert ({"iommu": attribute[0]} if attribute else {}) == names
