"""Errors in the kernel log: of NICs, GPUs, PCIe and memory, and of processes that the kernel killed.

Messages of every PCIe device are read; the check knows which devices are planned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import number_lines, observe
from wirespeed.settings import Place

# `dmesg --decode` puts facility and level before the time, padded: "kern  :err   : [   12.3] bnxt_en ..."
_RECORD = re.compile(r"(?:[a-z0-9]+ *:([a-z]+) *: )?(?:\[[^\]]*\] )?(.*)")
_SUBJECT = re.compile(
    r"\b(?:bnxt_en|bnxt_re|mlx5_core|mlx5_ib|ionic|ice|irdma|infiniband|ib_core|ib_uverbs|ib_peer_mem|nvidia_peermem"
    r"|amdgpu|amdkfd|NVRM|nvidia|AER|pcieport)\b"
)
_TROUBLE = re.compile(
    r"\b(?:err(?:or)?s?|fail(?:ed|s|ure)?|tim(?:ed out|eout)|unknown symbol|disagrees|reset|fatal|s?xid|hang|hung"
    r"|compromised|high temperature)\b",
    re.I,
)
_SEVERE = ("emerg", "alert", "crit", "err")
_ORDINARY = ("notice", "info", "debug")

# Messages without a driver's name or of level info. A process that the kernel killed (mm/oom_kill.c) or a crash inside
# a library of a job (arch/x86/mm/fault.c); a device that left its slot (drivers/pci/hotplug/pciehp_ctrl.c), does not
# reply (pci_power_up in drivers/pci/pci.c) or whose link did not train (drivers/pci/quirks.c); a link narrower than its
# device (__pcie_print_link_status in drivers/pci/pci.c); an error that a root port received (drivers/pci/pcie/aer.c);
# a DMA access that the IOMMU refused (drivers/iommu/intel/dmar.c, drivers/iommu/amd/iommu.c); machine checks and errors
# of memory (arch/x86/kernel/cpu/mce/core.c, drivers/edac/mce_amd.c, drivers/edac/edac_mc.c, drivers/acpi/apei/ghes.c,
# mm/memory-failure.c); a GPU that is reset (drivers/gpu/drm/amd/amdgpu/amdgpu_device.c); an error of a GPU or NVSwitch
# (NVIDIA GPU driver; Fabric Manager user guide).
_EVENT = re.compile(
    r"\b(?:Out of memory|Memory cgroup out of memory): Killed process \d+"
    r"|\bsegfault at \S+ ip .* in (?:\S+_perf\b"
    r"|lib(?:nccl|rccl|mpi|open-pal|uc[pstm]|ibverbs|mlx5|bnxt_re|fabric|cuda|amdhip))"
    r"|\bpciehp: Slot\(\S+\): (?:Link Down|Card not present)"
    r"|: Unable to change power state from \S+ to D0, device inaccessible"
    r"|: broken device, retraining non-functional downstream link at"
    r"|\bavailable PCIe bandwidth, limited by"
    r"|\bAER: (?:Multiple )?Uncorrect\w+ \([\w-]+\) error (?:message )?received"
    r"|\bDMAR: \[(?:DMA (?:Read|Write)|INTR-REMAP)\b.*\] Request device"
    r"|\bAMD-Vi: Event logged \[\w+(?:FAULT|ERROR|ENTRY|TIMEOUT|REQUEST)\b"
    r"|\[Hardware Error\]: (?:CPU \d+: Machine Check|Machine check events logged|event severity: (?!info\b)"
    r"|Corrected error|Deferred error|Uncorrected, software|System Fatal error)"
    r"|\bEDAC \S+: \d+ [CU]E "
    r"|\bMemory failure: 0x[0-9a-f]+: recovery action"
    r"|\bamdgpu: GPU reset begin|\bNVRM: Xid\b"
    r"|\bSXid \([^)]*\): \d+, (?:Non-f|F)atal\b"
)
_REMAINDER = re.compile(r"\bSXid \([^)]*\): \d+, (?:Data|Severity)\b|\bprint_health_info:\d+:")
"""Further lines of an error that another line names."""
# drivers/pci/setup-res.c: "BAR 1: failed to assign [mem size ...]" up to Linux 6.7, "BAR 1 [mem size ...]: failed to
# assign" since 6.8. The kernel tries more than once: a later "assigned" counts. I/O ports, ROMs, bridge windows and
# BARs of virtual functions lack space on healthy hosts too, so only the memory of BAR 0 to 5 matters.
_BAR = re.compile(
    r"(?P<device>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): BAR (?P<bar>[0-5])"
    r"(?:: (?P<state>failed to assign|assigned) \[mem\b[^\]]*\]"
    r"| \[mem\b[^\]]*\]: (?P<new_state>failed to assign|assigned))$"
)
# Link state of a NIC port: bnxt_en, ice "NIC Link is Down", mlx5_core, ionic "Link down".
_LINK = re.compile(
    r"\b(?:bnxt_en|mlx5_core|ionic|ice) (?P<device>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\b.*: "
    r"(?:NIC )?Link (?:is )?(?P<state>up|down)\b",
    re.I,
)
# `lspci` names of the classes whose device memory a job uses; a bridge that is no PCI bridge is an NTB.
_DEVICE = re.compile(
    r"^((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) "
    r"(?:(?:3D|Display|Ethernet|Infiniband|InfiniBand|VGA compatible) controller|Processing accelerators|Bridge)\b",
    re.M,
)
_FUNCTION = re.compile(r"^((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) \S", re.M)


def parse(outputs: Outputs) -> Iterator[Observation]:
    """The errors in the log of the kernel, in its order and each once."""
    output = outputs.get("dmesg")
    if output is None:
        return
    log = _Log(_find_other_functions(outputs.get("lspci")))
    for number, text in number_lines(output):
        if match := _RECORD.fullmatch(text):
            log.read(number, match[1], match[2])
    errors = log.list_errors()
    yield observe(
        Place(outputs.device), "host.kernel.errors", tuple(errors), output, min(errors.values(), default=None)
    )


@dataclass(slots=True)
class _Port:
    """The link of a NIC port: the latest message that it is down, and how often it went down."""

    message: str = ""
    line: int = 0
    downs: int = 0
    was_up: bool = False
    is_down: bool = False


@dataclass(slots=True)
class _Log:
    """Errors so far: message and line."""

    other_functions: frozenset[str]  # neither NIC nor GPU
    errors: dict[str, int] = field(default_factory=dict)
    bars: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)  # not assigned: device and BAR
    ports: dict[str, _Port] = field(default_factory=dict)

    def read(self, line: int, level: str | None, message: str) -> None:
        """Take one record."""
        if match := _BAR.search(message):
            self._read_bar(line, message, match)
        elif match := _LINK.search(message):
            self._read_link(line, level, message, match)
        elif _REMAINDER.search(message):
            return
        elif _EVENT.search(message) or (
            level not in _ORDINARY and _SUBJECT.search(message) and (level in _SEVERE or _TROUBLE.search(message))
        ):
            self.errors.setdefault(message, line)

    def list_errors(self) -> dict[str, int]:
        """Every error with its line, in the order of lines."""
        errors = dict(self.errors)
        errors |= dict(self.bars.values())
        for port in self.ports.values():
            if port.downs > 1:
                errors[f"{port.message} ({port.downs} times)"] = port.line
            elif port.downs and port.is_down:
                errors[port.message] = port.line
        return dict(sorted(errors.items(), key=lambda entry: entry[1]))

    def _read_bar(self, line: int, message: str, match: re.Match[str]) -> None:
        key = match["device"], match["bar"]
        if match["device"] in self.other_functions:
            return
        if (match["state"] or match["new_state"]) == "assigned":
            self.bars.pop(key, None)
        else:
            self.bars[key] = message, line

    def _read_link(self, line: int, level: str | None, message: str, match: re.Match[str]) -> None:
        """A port that was never up is not connected; one that went down once and is up again had its peer restarted."""
        port = self.ports.setdefault(match["device"], _Port())
        port.is_down = match["state"].lower() == "down"
        if not port.is_down:
            port.was_up = True
        elif port.was_up or level in _SEVERE:
            port.downs += 1
            port.message, port.line = message, line


def _find_other_functions(lspci: Output | None) -> frozenset[str]:
    """PCIe functions that are neither NIC nor GPU nor NTB."""
    if lspci is None:
        return frozenset()
    functions = set(_FUNCTION.findall(lspci.text)) - set(_DEVICE.findall(lspci.text))
    return frozenset(address if address.count(":") == 2 else f"0000:{address}" for address in functions)
