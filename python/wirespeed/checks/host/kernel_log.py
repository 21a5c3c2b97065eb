"""Errors of NICs and GPUs in the kernel log

None of these errors is in the kernel log. Each is a separate finding: an error of a planned NIC or GPU, or of the PCIe
bridges above it; device memory (BAR) without an address; a link that stayed down or flapped; a DMA access that the
IOMMU refused; an uncorrected memory or CPU error; a process that crashed or that the kernel killed. The level of the
message does not matter. Corrected errors are a warning. Not reported: messages that name only other PCIe devices, such
as an on-board port without a cable.

Impact:
    A firmware crash, a bus fault or a refused setting is often reported in the kernel log only.

Fix:
    After "Out of memory" give the job more memory; after "segfault" change the version of the library that crashed.
    "disagrees about version of symbol" means that another RDMA stack replaced modules: see
    software.conflicting-stacks.
    "Fail to setets" means that the NIC firmware controls QoS (see nic.nvm-dcbx). "failed to assign" means that device
    memory does not fit: enable above-4G decoding in the BIOS; of borrowed devices, enlarge the prefetchable memory of
    the PCIe bridge (lending.prefetch). A link that flaps needs another cable, transceiver or
    port. A refused DMA access needs the IOMMU in passthrough mode, or another driver. Uncorrected memory errors need
    another memory module. A bus or firmware error needs a reset, an update, or another card.

Example:
    $ dmesg --level=err,warn,info
    infiniband bnxt_re2: Fail to setets rc:-22

Source:
    Broadcom 957608-AN210, 2.6 item 16, 5.1 questions 5 and 7; Johansen, Fast Multi-GPU communication over PCI Express,
    section 3.2.6 and appendix A.3.10 (BARs: the bridge's 512 MB are too few for two GPUs); Linux mm/oom_kill.c and
    arch/x86/mm/fault.c for killed processes, drivers/pci/setup-res.c for BARs,
    drivers/net/ethernet/broadcom/bnxt/bnxt.c (bnxt_report_link reports a port without a cable as an error),
    drivers/iommu/intel/dmar.c, drivers/iommu/amd/iommu.c, arch/x86/kernel/cpu/mce/core.c, drivers/edac/edac_mc.c
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from wirespeed.checks.kernel_messages import concerns_planned_device
from wirespeed.checks.model import CheckContext, Outcome, UnreadError, failure, success, warning
from wirespeed.checks.wording import format_remote_place
from wirespeed.errors import format_first
from wirespeed.plan import End
from wirespeed.results.findings import Fix
from wirespeed.settings import Host, KernelMessage, MessageKind, Place

subject = Host
needs = ("host.kernel.errors", "host.pcie")
failures = ("NIC-16", "GPU-02", "NIC-01", "OS-08", "OS-19", "PCI-06", "CAB-01")

_MAX_LINES = 3


def check(context: CheckContext) -> Outcome | tuple[Outcome, ...]:
    """Errors are never planned, so this needs no intent. Each cause is an outcome; warnings only without an error."""
    every_message: tuple[KernelMessage, ...] = context.get_found_value("host.kernel.errors")
    messages = _list_messages_of_planned_devices(context, every_message)
    limited_links = [message for message in messages if message.kind is MessageKind.LIMITED_LINK]
    corrected_errors = [message for message in messages if message.is_corrected]
    errors = [message for message in messages if message not in limited_links and message not in corrected_errors]
    if errors:
        return _report_errors(context, errors)
    if limited_links:
        outcome = warning(
            "the kernel found a NIC on a slow PCIe link",
            "the planned rate and width",
            _join(limited_links),
            Fix("compare the present link (nic.pcie-width, nic.pcie-speed, pcie.link); reseat the card or riser"),
            reason="the link may have changed since the kernel found the NIC",
        )
        return replace(outcome, causes=("nic.pcie-width", "nic.pcie-speed", "pcie.link"))
    if corrected_errors:
        return warning(
            "the kernel log contains corrected hardware errors",
            "no corrected errors",
            _join(corrected_errors),
            Fix(
                "count these errors again after a day; reseat or replace the part whose count grows: PCIe card, riser,"
                " memory module, CPU, or switch between GPUs"
            ),
            reason="corrected errors lose no data",
        )
    other_errors = [message for message in every_message if message.kind is not MessageKind.LIMITED_LINK]
    return success("no errors of NICs or GPUs", f"of other devices: {_join(other_errors)}" if other_errors else "none")


def _report_errors(context: CheckContext, messages: Sequence[KernelMessage]) -> tuple[Outcome, ...]:
    """An outcome for each cause, in the order of the log."""
    by_report: dict[_Report, list[KernelMessage]] = {}
    for message in messages:
        by_report.setdefault(_REPORTS[message.kind], []).append(message)
    return tuple(report(context, reported) for report, reported in by_report.items())


def _report_processes(context: CheckContext, messages: Sequence[KernelMessage]) -> Outcome:
    return failure(
        "the kernel killed a process, or a process crashed",
        "no process killed or crashed",
        _join(messages),
        Fix(
            "if these processes belong to a job: after Out of memory give it more memory, after segfault change"
            " the version of the library"
        ),
    )


def _report_machine(context: CheckContext, messages: Sequence[KernelMessage]) -> Outcome:
    return failure(
        "the kernel log contains uncorrected memory or CPU errors",
        "no uncorrected memory or CPU errors",
        _join(messages),
        Fix("take the host out of service; replace the memory module or CPU that these lines name"),
    )


def _report_bars(context: CheckContext, messages: Sequence[KernelMessage]) -> Outcome:
    bios = Fix("enable above-4G decoding in the BIOS, and enlarge its window for device memory if it has that option")
    bridge = Fix(
        "if these are borrowed devices: write a larger `ntb: {prefetch: ...}`, render, and run ntb-prefetch.sh",
        consequence="reboot",
    )
    has_bridge = bool(context.plan.hosts[context.place.device].ntbs)
    outcome = failure(
        "device memory (BAR) has no address",
        "an address for every BAR of NICs and GPUs",
        _join(messages),
        *((bios, bridge) if has_bridge else (bios,)),
    )
    return replace(outcome, causes=("lending.prefetch",) if has_bridge else ())


def _report_refused_dma(context: CheckContext, messages: Sequence[KernelMessage]) -> Outcome:
    return failure(
        "the IOMMU refused memory accesses of a device",
        "no refused memory accesses",
        _join(messages),
        Fix("set the IOMMU as planned (host.iommu); if it is as planned, install another release of the driver"),
    )


def _report_links(context: CheckContext, messages: Sequence[KernelMessage]) -> Outcome:
    ends = list(dict.fromkeys(_format_link(context, message) for message in messages))
    return failure(
        "the link of a NIC port went down",
        "no link that stayed down or flapped",
        _join(messages),
        Fix(f"check cable, transceivers and both ports of {format_first(ends, _MAX_LINES)}"),
    )


def _format_link(context: CheckContext, message: KernelMessage) -> str:
    """The NIC port of a message and the port at the other end of its cable: ``node1:eth1 and leaf1:Eth1/1``."""
    device = context.place.device
    address = next(iter(message.devices), None)
    name = next((name for name, nic in context.plan.hosts[device].nics.items() if nic.pcie == address), None)
    if address is None or name is None:
        return "this NIC" if address is None else f"{device} {address}"
    near = format_remote_place(Place(device).child("nic", name))
    cable = context.cables.get(End(device, name))
    return near if cable is None else f"{near} and {cable.other_end(device).device}:{cable.other_end(device).port}"


def _report_refused_qos(context: CheckContext, messages: Sequence[KernelMessage]) -> Outcome:
    outcome = failure(
        "the NIC refused QoS settings of its driver",
        "no refused QoS settings",
        _join(messages),
        Fix("the NIC firmware controls QoS: set its NVRAM as planned (nic.nvm-dcbx, nic.nvm-lldp)"),
    )
    return replace(outcome, causes=("nic.nvm-dcbx", "nic.nvm-lldp"))


def _report_modules(context: CheckContext, messages: Sequence[KernelMessage]) -> Outcome:
    outcome = failure(
        "modules of NIC or GPU drivers do not fit the loaded modules",
        "no unknown symbols, and none of another version",
        _join(messages),
        Fix("remove other packages with the same modules; install the driver again", consequence="reboot"),
    )
    return replace(outcome, causes=("software.conflicting-stacks",))


def _report_bus(context: CheckContext, messages: Sequence[KernelMessage]) -> Outcome:
    return failure(
        "the kernel log contains PCIe errors",
        "no PCIe errors of NICs, GPUs or the bridges above them",
        _join(messages),
        Fix("reseat the card and its riser; replace the card if the errors return"),
    )


def _report_gpus(context: CheckContext, messages: Sequence[KernelMessage]) -> Outcome:
    return failure(
        "the kernel log contains errors of GPUs",
        "no errors of GPUs or of the switches between them",
        _join(messages),
        Fix("reset the GPUs or reboot the host; replace the GPU or switch that these lines name if the errors return"),
    )


def _report_drivers(context: CheckContext, messages: Sequence[KernelMessage]) -> Outcome:
    return failure(
        "the kernel log contains errors of NIC or GPU drivers",
        "no errors of NIC or GPU drivers",
        _join(messages),
        Fix("read these lines and the lines around them in the kernel log; look them up at the vendor of the driver"),
    )


_Report = Callable[[CheckContext, Sequence[KernelMessage]], Outcome]
_REPORTS: dict[MessageKind, _Report] = {
    MessageKind.BUS_ERROR: _report_bus,
    MessageKind.LOST_DEVICE: _report_bus,
    MessageKind.UNASSIGNED_BAR: _report_bars,
    MessageKind.REFUSED_DMA: _report_refused_dma,
    MessageKind.LINK_DOWN: _report_links,
    MessageKind.REFUSED_QOS: _report_refused_qos,
    MessageKind.MISMATCHED_MODULE: _report_modules,
    MessageKind.GPU_ERROR: _report_gpus,
    MessageKind.GPU_SWITCH_ERROR: _report_gpus,
    MessageKind.MACHINE_ERROR: _report_machine,
    MessageKind.ENDED_PROCESS: _report_processes,
    MessageKind.DRIVER_ERROR: _report_drivers,
}
"""The finding of each kind of error; messages with the same cause share one."""


def _join(messages: Sequence[KernelMessage]) -> str:
    """The first messages, one on each line."""
    remaining = len(messages) - _MAX_LINES
    lines = [message.text for message in messages[:_MAX_LINES]]
    if remaining > 0:
        lines.append(f"and {remaining} more {'line' if remaining == 1 else 'lines'}")
    return "\n".join(lines)


def _list_messages_of_planned_devices(context: CheckContext, messages: Sequence[KernelMessage]) -> list[KernelMessage]:
    try:
        functions = context.list_members("host.pcie")
    except UnreadError:
        functions = {}
    planned = context.plan.hosts[context.place.device]
    return [message for message in messages if concerns_planned_device(message, planned, functions)]
