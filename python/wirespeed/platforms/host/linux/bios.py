"""What firmware calls its attributes, as Redfish shows them, and where its BMC keeps them.

Sources: for Dell, attributes and values that PowerEdge R650 and R7525 print under
``/redfish/v1/Systems/System.Embedded.1/Bios``, and Dell's omsdk for the values of AcPwrRcvryDelay. For firmware by AMI,
names that public tools look for on Supermicro's servers, without the four hexadecimal digits that some versions put
behind them; which of them a model has is not known for certain, and the values are from memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from wirespeed.settings import BiosAttribute, Host

_SWITCH = {"Enabled": "enabled", "Disabled": "disabled"}
_SUFFIX = re.compile(r"_[0-9A-F]{4}$")
_NOT_KEPT = ("", "WriteOnly", "NotAvailable")
"""What stands in place of a value that the firmware does not keep."""


@dataclass(frozen=True, slots=True)
class Name:
    """A firmware's name of an attribute, and its words for the values a plan may ask."""

    name: str
    words: Mapping[str, str]
    verified: bool = True


_DELL = {
    "smt": Name("LogicalProc", _SWITCH),
    "virtualization": Name("ProcVirtualization", _SWITCH),
    "sub-numa": Name("SubNumaCluster", _SWITCH),
    "nps": Name("NumaNodesPerSocket", {"0": "0", "1": "1", "2": "2", "4": "4"}),
    "core-enumeration": Name("MadtCoreEnumeration", {"Linear": "linear", "RoundRobin": "round-robin"}),
    "sr-iov": Name("SriovGlobalEnable", _SWITCH),
    "iommu": Name("IommuSupport", _SWITCH),
    "x2apic": Name("ProcX2Apic", _SWITCH),
    "system-profile": Name(
        "SysProfile", {"PerfOptimized": "performance", "PerfPerWattOptimizedOs": "balanced", "Custom": "custom"}
    ),
    "workload-profile": Name("WorkloadProfile", {"NotConfigured": "not-configured"}, verified=False),
    "c-states": Name("ProcCStates", _SWITCH),
    "power-on-delay": Name("AcPwrRcvryDelay", {"Immediate": "immediate", "Random": "random", "User": "user"}),
}
_AMI = {
    "smt": Name("SMTControl", _SWITCH, verified=False),
    "nps": Name("NUMANodesPerSocket", {f"NPS{nodes}": str(nodes) for nodes in (0, 1, 2, 4)}, verified=False),
    "sr-iov": Name("SR_IOVSupport", _SWITCH, verified=False),
    "iommu": Name("IOMMU", _SWITCH, verified=False),
    "x2apic": Name("LocalAPICMode", {"x2APIC": "enabled", "xAPIC": "disabled"}, verified=False),
    "determinism": Name("DeterminismSlider", {"Performance": "performance", "Power": "power"}, verified=False),
    "power-limit-control": Name("PackagePowerLimitControl", {"Auto": "disabled", "Manual": "enabled"}, verified=False),
    "fixed-p-state": Name("APBDIS", {"1": "enabled", "0": "disabled"}, verified=False),
    "c-states": Name("GlobalC_stateControl", _SWITCH, verified=False),
}
_OF_VENDOR: Mapping[str, Mapping[str, Name]] = {"dell": _DELL, "supermicro": _AMI, "gigabyte": _AMI}
_READ = {one.name: (attribute, one) for names in (_DELL, _AMI) for attribute, one in names.items()}

MAKERS: Mapping[str, str] = {
    "Dell Inc.": "dell",
    "Supermicro": "supermicro",
    "GIGABYTE": "gigabyte",
    "Giga Computing": "gigabyte",
}
"""Vendors by the manufacturer that SMBIOS names."""

SYSTEMS: Mapping[str, str] = {"dell": "System.Embedded.1", "supermicro": "1", "gigabyte": "Self"}
"""What a vendor's BMC calls the server itself under /redfish/v1/Systems."""


def meaning(name: str, word: object) -> tuple[str, str, bool] | None:
    """An attribute of the firmware as a setting: its name, its value, and whether that is what the name means for
    certain. None for attributes nobody plans, and for values the firmware does not keep."""
    known = _READ.get(name) or _READ.get(_SUFFIX.sub("", name))
    if known is None or not isinstance(word, str | int) or isinstance(word, bool) or str(word) in _NOT_KEPT:
        return None
    attribute, one = known
    return attribute, one.words.get(str(word), str(word)), one.verified


def name_of(host: Host, attribute: str) -> tuple[str, str, bool] | None:
    """A planned attribute in the words of the host's firmware: name, value, whether that is known for certain."""
    one = _OF_VENDOR.get(host.vendor or "", {}).get(attribute)
    value = _value(host.bios, attribute)
    if one is None or value is None:
        return None
    return one.name, next((word for word, said in one.words.items() if said == value), value), one.verified


def said(host: Host) -> list[tuple[str, str]]:
    """The planned attributes as the BMC lists them."""
    return sorted(known[:2] for attribute in host.bios if (known := name_of(host, attribute)))


def nodes(host: Host, sockets: int) -> int | None:
    """How many NUMA nodes the planned attributes make of so many sockets; None where none says."""
    if (planned := _value(host.bios, "nps")) is not None:
        return max(1, sockets * int(planned))
    if (planned := _value(host.bios, "sub-numa")) is not None:
        return sockets * (2 if planned == "enabled" else 1)
    return None


def _value(bios: Mapping[str, BiosAttribute], name: str) -> str | None:
    return bios[name].value if name in bios else None
