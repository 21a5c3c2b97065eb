"""Firmware settings: from a saved reply of the BMC, and from the running kernel if it shows them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from wirespeed.facts import COMPLETE, Observation, State
from wirespeed.number_ranges import parse_ranges
from wirespeed.platforms.host.linux.bios import MAKERS, parse_attribute
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import number_lines, observe, parse_whole
from wirespeed.settings import Place, is_address
from wirespeed.units import Size

_GROUP = re.compile(r"/sys/kernel/iommu_groups/[0-9]+/type:\S+")
_INSTANCES = re.compile(r".*\(([0-9]{1,5}) instances?\)")
_NUMA_NODE = re.compile(r"NUMA node([0-9]{1,4}) CPU\(s\)")
_ONLINE, _OFFLINE = "On-line CPU(s) list", "Off-line CPU(s) list"
_CPU_ARGUMENTS = (
    *("nosmt", "nr_cpus", "possible_cpus", "maxcpus", "nosmp", "disable_cpu_apicid", "nolapic", "nox2apic", "acpi"),
)
"""Kernel parameters with which some CPUs may not be used."""
_HYPERVISOR = "Hypervisor vendor"
"""Printed in a virtual machine, whose CPUs and NUMA nodes its host chose (util-linux, sys-utils/lscpu-virt.c)."""
_NODE_FILE = re.compile(r"/sys/devices/system/node/node([0-9]{1,4})/(distance|meminfo):(.*)")
_NODE_MEMORY = re.compile(r"Node [0-9]{1,4} MemTotal:\s+([0-9]{1,15}) kB")
"""Of drivers/base/node.c, node_read_distance and node_read_meminfo, which numactl -H prints in its own form."""
_ADDRESS = re.compile(r"/redfish/v1/Systems/([^/]+)/Bios/?")
"""Of what is in effect. What becomes true at the next boot has another step behind: Settings, or SD on AMI's."""


def parse(outputs: Outputs) -> Iterator[Observation]:
    """Attributes of the firmware."""
    host = Place(outputs.device)
    if output := outputs.get("dmidecode"):
        yield from _read_dmi(host, output)
    if output := outputs.get("redfish-bios"):
        yield from _read_redfish(host, output)
    if output := outputs.get("lscpu"):
        yield from _read_cpus(host, output, outputs.get("cmdline"))
    if output := outputs.get("numa-nodes"):
        yield from _read_node_files(host, output)
    if output := outputs.get("iommu-groups"):
        for number, text in number_lines(output):
            if _GROUP.fullmatch(text):  # without one in the firmware's tables the kernel has no IOMMU to make groups of
                yield observe(host.child("bios", "iommu"), "bios.value", "enabled", output, number)
                break


def _read_dmi(host: Place, output: Output) -> Iterator[Observation]:
    block = ""
    for number, text in number_lines(output):
        if not text.startswith("\t"):
            block = text
        key, _, value = text.strip().partition(": ")
        if block == "BIOS Information" and key == "Version":
            yield observe(host, "host.bios_version", value, output, number)
        elif block == "System Information" and key == "Manufacturer" and value in MAKERS:
            yield observe(host, "host.vendor", MAKERS[value], output, number)
    yield from _read_slots(host, output)


def _read_slots(host: Place, output: Output) -> Iterator[Observation]:
    """Names of the slots in use; an address of two slots is left out, because either may be meant.

    DMTF DSP0134, 7.10 (System Slots, type 9); dmidecode prints no address for a slot of all ones
    (dmi_slot_segment_bus_func).
    """
    slots: dict[str, set[str]] = {}
    name, in_use, is_slot = "", False, False
    first_line: int | None = None
    for number, text in number_lines(output):
        if not text.startswith("\t"):
            name, in_use = "", False
            is_slot = text == "System Slot Information"
        key, _, value = text.strip().partition(": ")
        if not is_slot:
            continue
        if key == "Designation":
            name = value.strip()
        elif key == "Current Usage":
            in_use = value == "In Use"
        elif key == "Bus Address" and name and in_use and is_address(value):
            slots.setdefault(value, set()).add(name)
            first_line = first_line or number
    unique = {address: min(names) for address, names in slots.items() if len(names) == 1}
    if unique:
        yield observe(host, "host.slots", unique, output, first_line)


def _read_redfish(host: Place, output: Output) -> Iterator[Observation]:
    """The current attributes. A file of those that wait for the next boot, or cut short, shows nothing."""
    try:
        document = json.loads(output.text)
    except (ValueError, RecursionError):
        return
    if not isinstance(document, dict) or not str(document.get("@odata.type", "")).startswith("#Bios."):
        return
    address = _ADDRESS.fullmatch(str(document.get("@odata.id", "")))
    attributes = document.get("Attributes")
    if address is None or not isinstance(attributes, dict):
        return
    attributes_by_name = {
        name: attribute_value
        for name, word in attributes.items()
        if (attribute_value := parse_attribute(address[1], name, word))
    }
    # Two names for one attribute: which one counts is not known.
    counted_lines = [attribute for attribute, _, _ in attributes_by_name.values()]
    for name, (attribute, value, verified) in attributes_by_name.items():
        if counted_lines.count(attribute) == 1:
            place, line = host.child("bios", attribute), _find_line(output, name)
            yield observe(place, "bios.value", value, output, line, State.CONFIGURED)
            yield observe(place, "bios.verified", verified, output, line, State.CONFIGURED)


def _find_line(output: Output, name: str) -> int | None:
    position = output.text.find(f'"{name}"')
    return output.text.count("\n", 0, position) + 1 if position >= 0 else None


def _read_cpus(host: Place, output: Output, arguments: Output | None) -> Iterator[Observation]:
    """Values that follow from these attributes alone: threads per core, and the number of nodes per socket.

    One thread per core shows that the firmware disabled SMT, or that the CPU has none, only if the kernel has not left
    out a CPU: lscpu lists those that were switched off at run time as off-line (util-linux, sys-utils/lscpu.c), and
    parameters of the kernel keep others from being enumerated (Documentation/admin-guide/kernel-parameters.txt).
    """
    shown_values = {
        key.strip(): (value.strip(), number)
        for number, text in number_lines(output)
        for key, _, value in [text.partition(":")]
    }
    yield from _read_nodes(host, shown_values, output)
    if _HYPERVISOR in shown_values:
        return
    threads, line = _parse_number(shown_values, "Thread(s) per core")
    if threads is not None and threads > 1:
        yield observe(host.child("bios", "smt"), "bios.value", "enabled", output, line)
    if threads == 1 and _ONLINE in shown_values and _OFFLINE not in shown_values and _starts_all_cpus(arguments):
        yield observe(host.child("bios", "smt"), "bios.value", "disabled", output, line)
    sockets, _ = _parse_number(shown_values, "Socket(s)")
    nodes, line = _parse_number(shown_values, "NUMA node(s)")
    if sockets is None or nodes is None or sockets < 2 or nodes < sockets or nodes % sockets:
        return  # numa=off on the kernel command line makes one node of everything
    vendor, _ = shown_values.get("Vendor ID", ("", 0))
    nodes_per_socket = nodes // sockets
    if vendor == "GenuineIntel":
        yield observe(
            host.child("bios", "sub-numa"),
            "bios.value",
            "disabled" if nodes_per_socket == 1 else "enabled",
            output,
            line,
        )
    elif vendor == "AuthenticAMD" and (nodes_per_socket == 1 or _parse_caches(shown_values) not in (None, nodes)):
        yield observe(host.child("bios", "nps"), "bios.value", str(nodes_per_socket), output, line)


def _starts_all_cpus(arguments: Output | None) -> bool:
    """Whether the kernel's command line is known and has no parameter that leaves CPUs out."""
    return arguments is not None and not any(
        argument.partition("=")[0] in _CPU_ARGUMENTS for argument in arguments.text.split()
    )


def _read_nodes(host: Place, shown_values: dict[str, tuple[str, int]], output: Output) -> Iterator[Observation]:
    """The CPUs of each NUMA node; complete if lscpu prints as many lists as nodes."""
    lists = [
        (match[1], cpus, line)
        for key, (value, line) in shown_values.items()
        if (match := _NUMA_NODE.fullmatch(key)) and (cpus := parse_ranges(value)) is not None
    ]
    for name, cpus, line in lists:
        yield observe(host.child("numa", name), "numa.cpus", cpus, output, line)
    if lists and len(lists) == _parse_number(shown_values, "NUMA node(s)")[0]:
        yield observe(host, "host.numa", COMPLETE, output)


def _read_node_files(host: Place, output: Output) -> Iterator[Observation]:
    """Memory and distances of each NUMA node."""
    for number, text in number_lines(output):
        match = _NODE_FILE.fullmatch(text)
        if match is None:
            continue
        place, value = host.child("numa", match[1]), match[3].strip()
        if match[2] == "meminfo" and (memory := _NODE_MEMORY.fullmatch(value)):
            yield observe(place, "numa.memory", Size(1024 * int(memory[1])), output, number)
        distances = [parse_whole(word) for word in value.split()]
        known_distances = tuple(distance for distance in distances if distance is not None)
        if match[2] == "distance" and known_distances and len(known_distances) == len(distances):
            yield observe(place, "numa.distances", known_distances, output, number)


def _parse_caches(shown_values: dict[str, tuple[str, int]]) -> int | None:
    """The number of third-level caches: firmware can make a NUMA node of each, which is not NPS."""
    match = _INSTANCES.fullmatch(shown_values.get("L3 cache", shown_values.get("L3", ("", 0)))[0])
    return int(match[1]) if match else None


def _parse_number(shown_values: dict[str, tuple[str, int]], key: str) -> tuple[int | None, int]:
    value, line = shown_values.get(key, ("", 0))
    return parse_whole(value), line
