"""Forms of messages in the kernel log, and the kind of each."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wirespeed.settings import KernelMessage, MessageKind, PcieLink, bdf


@dataclass(frozen=True, slots=True)
class _Form:
    """Messages of one kind; ``source`` is a file of Linux unless it names another work.

    ``at_any_level``: the message is an error although its level is info, or although it contains no driver's name.
    """

    kind: MessageKind
    pattern: str
    source: str
    at_any_level: bool = True


_FORMS = (
    _Form(
        MessageKind.ENDED_PROCESS,
        r"\b(?:Out of memory|Memory cgroup out of memory): Kill(?:ed)? process \d+",
        "mm/oom_kill.c, __oom_kill_process; before Linux 5.1 oom_kill_process",
    ),
    _Form(  # a crash inside a benchmark, or inside a library that jobs use
        MessageKind.ENDED_PROCESS,
        r"\bsegfault at \S+ ip .* in (?:\S+_perf\b"
        r"|lib(?:nccl|rccl|mpi|open-pal|uc[pstm]|ibverbs|mlx5|bnxt_re|fabric|cuda|amdhip))",
        "arch/x86/mm/fault.c, show_signal_msg",
    ),
    _Form(
        MessageKind.ENDED_PROCESS,
        r"\bKilled process \d+|\bsegfault at ",
        "mm/oom_kill.c; arch/x86/mm/fault.c",
        at_any_level=False,
    ),
    _Form(
        MessageKind.LOST_DEVICE,
        r"\bpciehp: Slot\(\S+\): (?:Link Down|Card not present)",
        "drivers/pci/hotplug/pciehp_ctrl.c",
    ),
    _Form(
        MessageKind.LOST_DEVICE,
        r": Unable to change power state from \S+ to D0, device inaccessible",
        "drivers/pci/pci.c, pci_power_up",
    ),
    _Form(
        MessageKind.LIMITED_LINK,
        r"\b[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7].*: [\d.]+ Gb/s available PCIe bandwidth, limited by "
        r"(?P<rate>[\d.]+) GT/s PCIe x(?P<width>\d+) link",
        "drivers/pci/pci.c, __pcie_print_link_status; its rates, drivers/pci/probe.c, pci_speed_string",
    ),
    _Form(  # the kernel could not read the rate: "limited by Unknown x0 link"
        MessageKind.BUS_ERROR,
        r"\bavailable PCIe bandwidth, limited by",
        "drivers/pci/pci.c, __pcie_print_link_status; drivers/pci/probe.c, pci_speed_string",
    ),
    _Form(
        MessageKind.BUS_ERROR,
        r": broken device, retraining non-functional downstream link at",
        "drivers/pci/quirks.c, pcie_failed_link_retrain",
    ),
    _Form(
        MessageKind.BUS_ERROR,
        r"\bAER: (?:Multiple )?Uncorrect\w+ \([\w-]+\) error (?:message )?received",
        "drivers/pci/pcie/aer.c",
    ),
    _Form(
        MessageKind.BUS_ERROR,
        r"\bAER\b|\bBus Error: severity=",
        "drivers/pci/pcie/aer.c, aer_print_error",
        at_any_level=False,
    ),
    _Form(
        MessageKind.REFUSED_DMA,
        r"\bDMAR: \[(?:DMA (?:Read|Write)|INTR-REMAP)\b.*\] Request device",
        "drivers/iommu/intel/dmar.c, dmar_fault_do_one",
    ),
    _Form(
        MessageKind.REFUSED_DMA,
        r"\bAMD-Vi: Event logged \[\w+(?:FAULT|ERROR|ENTRY|TIMEOUT|REQUEST)\b",
        "drivers/iommu/amd/iommu.c, iommu_print_event",
    ),
    _Form(
        MessageKind.MACHINE_ERROR,
        r"\[Hardware Error\]: (?:CPU \d+: Machine Check|Machine check events logged|event severity: (?!info\b)"
        r"|Corrected error|Deferred error|Uncorrected, software|System Fatal error)",
        "arch/x86/kernel/cpu/mce/core.c; drivers/edac/mce_amd.c; drivers/acpi/apei/ghes.c",
    ),
    _Form(MessageKind.MACHINE_ERROR, r"\bEDAC \S+: \d+ [CU]E ", "drivers/edac/edac_mc.c"),
    _Form(MessageKind.MACHINE_ERROR, r"\bMemory failure: 0x[0-9a-f]+: recovery action", "mm/memory-failure.c"),
    _Form(
        MessageKind.MACHINE_ERROR,
        r"\[Hardware Error\]: |\bEDAC |\bMemory failure: ",
        "include/linux/printk.h, HW_ERR; drivers/edac/edac_mc.h; mm/memory-failure.c",
        at_any_level=False,
    ),
    _Form(MessageKind.GPU_ERROR, r"\bamdgpu: GPU reset begin", "drivers/gpu/drm/amd/amdgpu/amdgpu_device.c"),
    _Form(MessageKind.GPU_ERROR, r"\bNVRM: Xid\b", "NVIDIA, Xid Errors"),
    _Form(
        MessageKind.GPU_SWITCH_ERROR,
        r"\bSXid \([^)]*\): \d+, (?:Non-f|F)atal\b",
        "NVIDIA Fabric Manager user guide, NVSwitch SXid errors",
    ),
    _Form(
        MessageKind.GPU_SWITCH_ERROR,
        r"\bSXid\b",
        "NVIDIA Fabric Manager user guide, NVSwitch SXid errors",
        at_any_level=False,
    ),
    _Form(
        MessageKind.REFUSED_QOS,
        r"Fail to setets|Fail to initialize Flow control",
        "Broadcom's driver bnxt_re: 957608-AN210, 5.1 question 5",
        at_any_level=False,
    ),
    _Form(
        MessageKind.MISMATCHED_MODULE,
        r": (?:disagrees about version of symbol|Unknown symbol) \S+",
        "kernel/module/version.c, check_version; kernel/module/main.c, simplify_symbols",
        at_any_level=False,
    ),
)
_PATTERNS = tuple((form.kind, re.compile(form.pattern)) for form in _FORMS)
_AT_ANY_LEVEL = re.compile("|".join(re.sub(r"\?P<\w+>", "?:", form.pattern) for form in _FORMS if form.at_any_level))

# drivers/pci/setup-res.c: "BAR 1: failed to assign [mem size ...]" up to Linux 6.7, "BAR 1 [mem size ...]: failed to
# assign" since 6.8. The kernel tries more than once: a later "assigned" counts. I/O ports, ROMs, bridge windows and
# BARs of virtual functions lack space on healthy hosts too, so only the memory of BAR 0 to 5 matters.
BAR = re.compile(
    r"(?P<device>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): BAR (?P<bar>[0-5])"
    r"(?:: (?P<state>failed to assign|assigned) \[mem\b[^\]]*\]"
    r"| \[mem\b[^\]]*\]: (?P<new_state>failed to assign|assigned))$"
)
"""Device memory that gets an address, or none."""
# drivers/net/ethernet: broadcom/bnxt/bnxt.c and intel/ice/ice_main.c print "NIC Link is Down",
# mellanox/mlx5/core/en_main.c and pensando/ionic/ionic_lif.c "Link down".
PORT_LINK = re.compile(
    r"\b(?:bnxt_en|mlx5_core|ionic|ice) (?P<device>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\b.*: "
    r"(?:NIC )?Link (?:is )?(?P<state>up|down)\b",
    re.I,
)
"""Link state of a NIC port."""

_ADDRESS = re.compile(r"(?<![0-9a-f:])((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])(?![0-9a-f])")
# arch/x86/kernel/cpu/mce/core.c ("events logged" includes corrected ones); drivers/edac/mce_amd.c;
# drivers/acpi/apei/ghes.c; drivers/edac/edac_mc.c; NVIDIA Fabric Manager user guide, non-fatal NVSwitch SXid errors;
# drivers/pci/pcie/aer.c, aer_error_severity_string: "Corrected", "Correctable" in newer kernels.
_CORRECTED = re.compile(
    r"\[Hardware Error\]: (?:Corrected error|Machine check events logged|event severity: corrected)"
    r"|\bEDAC \S+: \d+ CE |\bSXid \([^)]*\): \d+, Non-fatal\b"
    r"|\bBus Error: severity=Correct|\bAER: (?:Multiple )?Correct\w+ error (?:message )?received"
)
# arch/x86/kernel/cpu/mce/core.c, __print_mce
_MACHINE_CHECK = re.compile(r"\[Hardware Error\]: CPU \d+: Machine Check.* Bank \d+: (?P<status>[0-9a-f]{16})\b")
_UNCORRECTED = 1 << 61
"""UC in the status of a machine check: Intel SDM volume 3, 17.3.2.2; AMD64 manual volume 2, 9.3.2.3."""


def is_error_at_any_level(message: str) -> bool:
    """Whether a message is an error, whatever its level, and also without the name of a driver."""
    return _AT_ANY_LEVEL.search(message) is not None


def read_error(message: str) -> KernelMessage:
    """What an error in the kernel log reports."""
    devices = tuple(map(bdf, _ADDRESS.findall(message)))
    if BAR.search(message):
        return KernelMessage(message, MessageKind.UNASSIGNED_BAR, devices)
    if PORT_LINK.search(message):
        return KernelMessage(message, MessageKind.LINK_DOWN, devices)
    for kind, pattern in _PATTERNS:
        if match := pattern.search(message):
            link = PcieLink(round(float(match["rate"]) * 1000), int(match["width"])) if match.groupdict() else None
            return KernelMessage(message, kind, devices, _is_corrected(message), link)
    return KernelMessage(message, MessageKind.DRIVER_ERROR, devices)


def _is_corrected(message: str) -> bool:
    if match := _MACHINE_CHECK.search(message):
        return not int(match["status"], 16) & _UNCORRECTED
    return _CORRECTED.search(message) is not None
