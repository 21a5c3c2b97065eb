"""NIC port present

Every planned NIC port exists on the host as a network interface with the planned name, and is in Ethernet mode.

Impact:
    A rail without its NIC carries no traffic. If this check fails, every other check of the port is skipped.

Fix:
    Check whether the card is visible on PCIe (lspci), then whether its driver is loaded, then the name of the
    interface: it follows from the slot. A card in InfiniBand mode, as many are delivered, has no Ethernet interface:
    set the link type in its NVRAM to Ethernet. A card without a link type in its NVRAM is not the planned one. A bond
    that is missing is created by the rendered network configuration.

Example:
    $ ip -j link show enp29s0np0
    Device "enp29s0np0" does not exist.

Source:
    Broadcom 957608-AN210, 2.6 item 6; NVIDIA, Ubuntu 22.04 driver documentation, Port Type Management
"""

from wirespeed.checks.impact import whole_rail
from wirespeed.checks.model import CheckContext, Outcome, failure, success
from wirespeed.results.findings import Fix
from wirespeed.settings import Nic, Place

subject = Nic
needs = ("host.nics", "host.infiniband_devices", "nic.rdma_device")
failures = ("NIC-03",)
presence = True


def check(context: CheckContext) -> Outcome:
    """The plan intends that the port exists."""
    is_present = context.is_present()
    if _is_in_infiniband_mode(context, is_present):
        fix = (
            Fix("install the planned card, whose ports are Ethernet only, or plan the card that is in this slot")
            if context.entity.nvm.link_type is None
            else context.build_change(
                "set the port of the card to Ethernet, then restart the host", "nic.nvm.link_type", "ethernet"
            )
        )
        summary, found = "the NIC port is in InfiniBand mode", "link layer InfiniBand"
        return failure(summary, "Ethernet", found, fix, impact=whole_rail(context, True, False))
    if is_present:
        return success("present", "present")
    if context.entity.bond.mode is not None and context.entity.pcie is None:
        return failure("the bond is missing", "present", "absent", *_create_bond(context))
    fix = Fix("check the card on PCIe (lspci), its driver, and the name of its interface")
    return failure("the NIC port is missing", "present", "absent", fix, impact=whole_rail(context, True, False))


def _create_bond(context: CheckContext) -> tuple[Fix, ...]:
    """The fixes that add each planned port to the bond, which create it."""
    sentence, host = "apply the rendered network configuration", Place(context.place.device)
    ports = [name for name, nic in context.plan.hosts[host.device].nics.items() if nic.controller == context.place.name]
    return tuple(
        context.build_change(sentence, "nic.controller", context.place.name, host.child("nic", port)) for port in ports
    ) or (Fix(sentence),)


def _is_in_infiniband_mode(context: CheckContext, is_present: bool) -> bool:
    """Whether ibv_devinfo shows the port's RDMA device with the link layer InfiniBand; an absent port's as planned."""
    path, host = "host.infiniband_devices", Place(context.place.device)
    device = context.facts.value(context.place, "nic.rdma_device") if is_present else context.entity.rdma_device
    if device is None or device not in (context.facts.value(host, path) or ()):
        return False
    context.get_found_value(path, host)
    return True
