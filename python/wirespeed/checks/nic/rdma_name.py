"""RDMA device name of the NIC

The NIC has an RDMA device with the planned name.

Impact:
    Jobs list RDMA devices by name and in rail order. With another name a rail is left out, or used for another rail.
    Without an RDMA device the port is plain Ethernet.

Fix:
    If udev has renamed the device (rocep29s0), install the udev rule that names RDMA devices (software.rdma-naming) and
    reboot. If the device has the kernel's name with another number, state that name in the cluster file: the kernel
    counts the ports of all cards, in the order in which the driver found them. If there is no device, check the driver
    (software.kernel-modules) and the NVRAM option of the NIC (nic.nvm-rdma).

Example:
    $ rdma link show
    link rocep29s0/1 state ACTIVE physical_state LINK_UP netdev enp29s0np0

Source:
    Broadcom 957608-AN210, 2.6 item 6 and 5.1 question 1
"""

from dataclasses import replace
from string import digits

from wirespeed.checks.model import CheckContext, Outcome, UnreadError, failure, success
from wirespeed.checks.wording import format_list
from wirespeed.results.findings import Fix
from wirespeed.settings import Nic, Place

subject = Nic
needs = ("nic.rdma_device", "host.rdma_devices")
failures = ("OS-17", "NIC-03", "NCCL-01")

causes = ("nic.nvm-rdma",)


def check(context: CheckContext) -> Outcome:
    """A NIC without a device in the facts has none if the host's list lacks the planned name."""
    intended = context.get_intended_value("nic.rdma_device")
    try:
        found = context.get_found_value("nic.rdma_device")
    except UnreadError:
        if intended in context.get_found_value("host.rdma_devices", Place(context.place.device)):
            raise
        found = ""
    if found == intended:
        return success(intended, found)
    if found:
        return failure("the RDMA device has another name", intended, found, _name_device(context, found))
    fix = Fix("load the RDMA driver, and check that RDMA is on in the NIC's NVRAM")
    absence = failure("the NIC has no RDMA device", intended, _describe_other_devices(context), fix)
    module = _find_missing_module(context)
    return replace(absence, causes=("software.kernel-modules",), cause_place=module) if module else absence


def _name_device(context: CheckContext, found: str) -> Fix:
    """The fix of another name: udev's is replaced by the kernel's, and a number of the kernel's is not wrong."""
    planned = context.get_intended_value("nic.rdma_device")
    if found.rstrip(digits) != planned.rstrip(digits):
        return Fix("install the udev rule that keeps the kernel's names", consequence="reboot")
    interface = context.place.name
    return Fix(
        f"the kernel has numbered the device: write nic: {{{interface}: {{rdma_device: {found}}}}} in the cluster "
        "file, unless a card is missing or in another slot"
    )


def _describe_other_devices(context: CheckContext) -> str:
    try:
        every = context.get_found_value("host.rdma_devices", Place(context.place.device))
    except UnreadError:
        return "absent"
    return f"absent; the host has {format_list(every)}" if every else "absent; the host has no RDMA device"


def _find_missing_module(context: CheckContext) -> Place | None:
    """A planned kernel module of the card that the host has not loaded."""
    host = Place(context.place.device)
    hardware = context.plan.hardware.nics.get(context.entity.model)
    planned = context.plan.hosts[host.device].modules
    places = [host.child("module", name) for name in (hardware.modules if hardware else ()) if name in planned]
    try:
        return next((place for place in places if not context.is_present(place)), None)
    except UnreadError:
        return None
