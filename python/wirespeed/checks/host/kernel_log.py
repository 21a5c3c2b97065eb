"""Errors of NICs and GPUs in the kernel log

The kernel log contains no error of a planned NIC or GPU and of the PCIe bridges above it, no memory BAR without an
address, no link that went down and stayed down or flapped, no DMA access that the IOMMU refused, no error of memory,
and no process that the kernel killed. Several of these are messages of level info. Messages that name only other PCIe
devices, such as an on-board port without a cable, are no findings. Corrected errors are a warning.

Impact:
    A firmware crash, a bus fault or a refused setting is often reported in the kernel log only.

Fix:
    Read the lines. After "Out of memory" give the job more memory; after "segfault" change the version of the library
    that crashed. "Fail to setets" means that the NIC firmware controls QoS (see nic.nvm-dcbx). "failed to assign"
    means that device memory does not fit: enable above-4G decoding in the BIOS. A refused DMA access needs the IOMMU in
    passthrough mode, or another driver. Uncorrected memory errors need another memory module. A bus or firmware error
    needs a reset, an update, or another card.

Example:
    $ dmesg --level=err,warn,info
    infiniband bnxt_re2: Fail to setets rc:-22

Source:
    Broadcom 957608-AN210, 2.6 item 16 and 5.1 question 5; Johansen, Fast Multi-GPU communication over PCI Express,
    section 3.2.6 (BARs); Linux mm/oom_kill.c and arch/x86/mm/fault.c for killed processes, drivers/pci/setup-res.c for
    BARs, drivers/net/ethernet/broadcom/bnxt/bnxt.c (bnxt_report_link reports a port without a cable as an error),
    drivers/iommu/intel/dmar.c, drivers/iommu/amd/iommu.c, arch/x86/kernel/cpu/mce/core.c, drivers/edac/edac_mc.c
"""

from collections.abc import Sequence
from dataclasses import replace

from wirespeed.checks.kernel_messages import concerns_planned_device
from wirespeed.checks.model import CheckContext, Outcome, UnreadError, failure, success, warning
from wirespeed.results.findings import Fix
from wirespeed.settings import Host, KernelMessage, MessageKind

subject = Host
needs = ("host.kernel.errors", "host.pcie")
failures = ("NIC-16", "GPU-02", "NIC-01", "OS-19", "PCI-06", "CAB-01")

_MAX_LINES = 3


def check(context: CheckContext) -> Outcome:
    """Errors are never planned, so this needs no intent."""
    every_message: tuple[KernelMessage, ...] = context.get_found_value("host.kernel.errors")
    messages = _list_messages_of_planned_devices(context, every_message)
    limited_links = [message for message in messages if message.kind is MessageKind.LIMITED_LINK]
    corrected_errors = [message for message in messages if message.is_corrected]
    errors = [message for message in messages if message not in limited_links and message not in corrected_errors]
    if errors:
        return _report_errors(errors)
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


def _report_errors(messages: Sequence[KernelMessage]) -> Outcome:
    ended_processes = sum(message.kind is MessageKind.ENDED_PROCESS for message in messages)
    if ended_processes == len(messages):
        return failure(
            "the kernel killed a process, or a process crashed",
            "no process killed or crashed",
            _join(messages),
            Fix(
                "if these processes belong to a job: after Out of memory give it more memory, after segfault change"
                " the version of the library"
            ),
        )
    if any(message.kind is MessageKind.MACHINE_ERROR for message in messages):
        return failure(
            "the kernel log contains uncorrected errors of memory or CPUs",
            "no errors of memory, CPUs, NICs or GPUs",
            _join(messages),
            Fix("take the host out of service; replace the memory module or CPU that these lines name"),
        )
    errors = "errors of NICs or GPUs" + (", and killed or crashed processes" if ended_processes else "")
    outcome = failure(
        f"the kernel log contains {errors}",
        "no errors of NICs or GPUs",
        _join(messages),
        Fix("read these lines and the lines around them in the kernel log"),
    )
    if all(message.kind is MessageKind.REFUSED_QOS for message in messages):
        return replace(outcome, causes=("nic.nvm-dcbx", "nic.nvm-lldp"))
    return outcome


def _join(messages: Sequence[KernelMessage]) -> str:
    remainder = f" | and {len(messages) - _MAX_LINES} more" if len(messages) > _MAX_LINES else ""
    return " | ".join(message.text for message in messages[:_MAX_LINES]) + remainder


def _list_messages_of_planned_devices(context: CheckContext, messages: Sequence[KernelMessage]) -> list[KernelMessage]:
    try:
        functions = context.list_members("host.pcie")
    except UnreadError:
        functions = {}
    planned = context.plan.hosts[context.place.device]
    return [message for message in messages if concerns_planned_device(message, planned, functions)]
