"""Names of firmware attributes in Redfish, and their location in the BMC.

Sources. Dell: attributes and values that PowerEdge R650, R6515 and R7525 print under
``/redfish/v1/Systems/System.Embedded.1/Bios``, public profiles of its EPYC servers for those of determinism, and Dell's
omsdk for the values of AcPwrRcvryDelay. Supermicro: SR_IOVSupport as NVIDIA's libredfish sets it on its servers; a
recorded answer has the name SMTControl; the others are names that public tools look for, and the values of all but the
first are from memory. Some versions put four hexadecimal digits behind a name. Gigabyte: those of Supermicro, both
having AMI's firmware on AMD's; other servers by AMI show numbered names (SETUP006, PCIS007): none is known for certain.
Supermicro on Intel's and NVIDIA DGX: recorded answers of a SYS-821GE-TNHR (BIOS 1.4) and a DGX H100 (BIOS 1.1.3),
with the registries of their attributes: NVIDIA/libredfish c094c9e6, tests/mockups/supermicro and nvidia_viking. Above
4G decoding: bios.json of public Dell servers has MmioAbove4Gb; public tools look for Above4GDecoding on Supermicro's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from wirespeed.settings import BiosAttribute, Host

_SWITCH = {"Enabled": "enabled", "Disabled": "disabled"}
_SWITCH_OF_INTEL = {"Enable": "enabled", "Disable": "disabled"}
_SUFFIX = re.compile(r"_[0-9A-F]{4}$")
_NOT_KEPT = ("", "WriteOnly", "NotAvailable")
"""Placeholder of a value that the firmware does not store."""


@dataclass(frozen=True, slots=True)
class Name:
    """A firmware's name of an attribute, its keywords for plannable values, its names in other generations."""

    name: str
    keywords: Mapping[str, str]
    verified: bool = True
    other_names: tuple[str, ...] = ()


_DELL = {
    "smt": Name("LogicalProc", _SWITCH),
    "virtualization": Name("ProcVirtualization", _SWITCH),
    "sub-numa": Name("SubNumaCluster", _SWITCH),
    "nps": Name("NumaNodesPerSocket", {"0": "0", "1": "1", "2": "2", "4": "4"}),
    "core-enumeration": Name("MadtCoreEnumeration", {"Linear": "linear", "RoundRobin": "round-robin"}),
    "sr-iov": Name("SriovGlobalEnable", _SWITCH),
    "above-4g-decoding": Name("MmioAbove4Gb", _SWITCH),
    "iommu": Name("IommuSupport", _SWITCH),
    "x2apic": Name("ProcX2Apic", _SWITCH),
    "system-profile": Name(
        "SysProfile", {"PerfOptimized": "performance", "PerfPerWattOptimizedOs": "balanced", "Custom": "custom"}
    ),
    "workload-profile": Name("WorkloadProfile", {"NotConfigured": "not-configured"}, verified=False),
    "c-states": Name("ProcCStates", _SWITCH),
    "determinism": Name("DeterminismSlider", {"PerformanceDeterminism": "performance", "PowerDeterminism": "power"}),
    "fixed-p-state": Name("ApbDis", _SWITCH),
    "power-on-delay": Name("AcPwrRcvryDelay", {"Immediate": "immediate", "Random": "random", "User": "user"}),
}
_SUPERMICRO = {
    "smt": Name("SMTControl", _SWITCH, verified=False),
    "nps": Name("NUMANodesPerSocket", {f"NPS{nodes}": str(nodes) for nodes in (0, 1, 2, 4)}, verified=False),
    "sr-iov": Name("SR_IOVSupport", _SWITCH),
    "above-4g-decoding": Name("Above4GDecoding", _SWITCH, verified=False),
    "iommu": Name("IOMMU", _SWITCH, verified=False),
    "x2apic": Name("LocalAPICMode", {"x2APIC": "enabled", "xAPIC": "disabled"}, verified=False),
    "determinism": Name(
        "DeterminismSlider", {"Performance": "performance", "Power": "power"}, False, other_names=("DeterminismEnable",)
    ),
    "power-limit-control": Name("PackagePowerLimitControl", {"Auto": "disabled", "Manual": "enabled"}, verified=False),
    "fixed-p-state": Name("APBDIS", {"1": "enabled", "0": "disabled"}, verified=False),
    "c-states": Name("GlobalC_stateControl", _SWITCH, verified=False),
}
_SUPERMICRO_INTEL = {
    "smt": Name("Hyper_Threading_ALL_", _SWITCH_OF_INTEL),
    "virtualization": Name("IntelVirtualizationTechnology", _SWITCH_OF_INTEL),
    "sub-numa": Name("SNC", {"Enable SNC2": "enabled", "Disable": "disabled"}),
    "sr-iov": Name("SR_IOVSupport", _SWITCH),
    "above-4g-decoding": Name("Above4GDecoding", _SWITCH, verified=False),
    "iommu": Name("IntelVTforDirectedI_O_VT_d_", _SWITCH_OF_INTEL),
    "x2apic": Name("ExtendedAPIC", _SWITCH_OF_INTEL),
}
_NVIDIA_INTEL = {
    "smt": Name("ProcessorHyperThreadingDisable", _SWITCH),  # displayed as Hyper-Threading
    "virtualization": Name("ProcessorVmxEnable", _SWITCH_OF_INTEL),
    "sr-iov": Name("SRIOVEnable", _SWITCH_OF_INTEL, verified=False),  # SriovSupport has the same displayed name
    "iommu": Name("VTdSupport", _SWITCH_OF_INTEL),
}
_GIGABYTE = {attribute: replace(bios_name, verified=False) for attribute, bios_name in _SUPERMICRO.items()}


@dataclass(frozen=True, slots=True)
class Firmware:
    """Attribute names of a vendor's servers, of those with one vendor's processors if the names depend on them."""

    vendor: str
    system: str  # identifier of the server under /redfish/v1/Systems of the BMC
    names: Mapping[str, Name]
    cpu_vendor: str | None = None


_FIRMWARES = (
    Firmware("dell", "System.Embedded.1", _DELL),
    Firmware("supermicro", "1", _SUPERMICRO, "amd"),
    Firmware("supermicro", "1", _SUPERMICRO_INTEL, "intel"),
    Firmware("gigabyte", "Self", _GIGABYTE),
    Firmware("nvidia", "DGX", _NVIDIA_INTEL, "intel"),
)

MAKERS: Mapping[str, str] = {
    "Dell Inc.": "dell",
    "Supermicro": "supermicro",
    "GIGABYTE": "gigabyte",
    "Giga Computing": "gigabyte",
    "NVIDIA": "nvidia",
}
"""Vendors by the manufacturer that SMBIOS names."""


def parse_attribute(system: str, name: str, word: object) -> tuple[str, str, bool] | None:
    """An attribute of a system's firmware as a setting: name, value, and whether the meaning of the name is certain.

    None for attributes that no plan has, and for values that the firmware does not keep.
    """
    names = {
        name: (attribute, bios_name)
        for firmware in _FIRMWARES
        if firmware.system == system
        for attribute, bios_name in firmware.names.items()
        for name in (bios_name.name, *bios_name.other_names)
    }
    known_values = names.get(name) or names.get(_SUFFIX.sub("", name))
    if known_values is None or not isinstance(word, str | int) or isinstance(word, bool) or str(word) in _NOT_KEPT:
        return None
    attribute, option = known_values
    return attribute, option.keywords.get(str(word), str(word)), option.verified


def find_name(host: Host, attribute: str) -> tuple[str, str, bool] | None:
    """A planned attribute in the firmware's terms: name, value, whether both are verified."""
    firmware = _find_firmware(host)
    option = firmware.names.get(attribute) if firmware else None
    value = _parse_value(host.bios, attribute)
    if option is None or value is None:
        return None
    return (
        option.name,
        next((keyword for keyword, meaning in option.keywords.items() if meaning == value), value),
        option.verified,
    )


def find_system(host: Host) -> str | None:
    """The identifier of the server under /redfish/v1/Systems of its BMC; None where it is not known."""
    firmware = _find_firmware(host)
    return firmware.system if firmware else None


def _find_firmware(host: Host) -> Firmware | None:
    return next(
        (
            firmware
            for firmware in _FIRMWARES
            if firmware.vendor == host.vendor
            and (host.cpu_vendor is None or firmware.cpu_vendor in (None, host.cpu_vendor))
        ),
        None,
    )


def firmware_attributes(host: Host) -> list[tuple[str, str]]:
    """The planned attributes as the BMC lists them."""
    return sorted(option[:2] for attribute in host.bios if (option := find_name(host, attribute)))


def nodes(host: Host, sockets: int) -> int | None:
    """Number of NUMA nodes that the planned attributes give for these sockets; None without such attributes."""
    if (planned := _parse_value(host.bios, "nps")) is not None:
        return max(1, sockets * int(planned))
    if (planned := _parse_value(host.bios, "sub-numa")) is not None:
        return sockets * (2 if planned == "enabled" else 1)
    return None


def _parse_value(bios: Mapping[str, BiosAttribute], name: str) -> str | None:
    return bios[name].value if name in bios else None
