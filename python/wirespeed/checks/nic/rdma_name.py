"""RDMA device name of the NIC

The NIC has an RDMA device with the planned name.

Impact:
    Jobs list RDMA devices by name and in rail order. With another name a rail is left out, or used for another rail.
    Without an RDMA device the port is plain Ethernet.

Fix:
    Install the udev rule that names RDMA devices (software.rdma-naming) and reboot. If there is no device, check the
    driver (software.kernel-modules) and the NVRAM option of the NIC (nic.nvm-rdma).

Example:
    $ rdma link show
    link rocep29s0/1 state ACTIVE physical_state LINK_UP netdev enp29s0np0

Source:
    Broadcom 957608-AN210, 2.6 item 6 and 5.1 question 1
"""

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
        every = context.get_found_value("host.rdma_devices", Place(context.place.device))
        if intended in every:
            raise
        fix = Fix("load the RDMA driver, and check that RDMA is on in the NIC's NVRAM")
        return failure("the NIC has no RDMA device", intended, f"none; the host has {format_list(every)}", fix)
    if found == intended:
        return success(intended, found)
    fix = Fix("install the udev rule that keeps the kernel's names", consequence="reboot")
    return failure("the RDMA device has another name", intended, found, fix)
