"""Places that belong to a NIC port."""

from __future__ import annotations

from ipaddress import ip_interface

from wirespeed.checks.model import CheckContext
from wirespeed.settings import Place, is_address


def pcie_function(context: CheckContext) -> Place:
    """The NIC's PCIe function on its host.

    Raises:
        NoIntentError: the plan has no PCIe function for the NIC.
        UnreadError: the address of the NIC was not read.
    """
    name = context.get_intended_value("nic.pcie")
    if not is_address(name):
        raise context.build_unread_error(context.place, "nic.pcie")
    return Place(context.place.device).child("pcie", name)


def gid_table(context: CheckContext, nic: Place) -> dict[str, str]:
    """A NIC's GID table as text: ``10.1.0.1, RoCE v2`` by index, in the order of the index.

    Raises:
        UnreadError: the table or a row was not read.
    """
    rows: dict[str, str] = {}
    for index in sorted(context.list_members("nic.gids", nic), key=int):
        row = nic.child("gid", index)
        rows[index] = f"{context.get_found_value('gid.address', row)}, {context.get_found_value('gid.type', row)}"
    return rows


def find_planned_gid(context: CheckContext) -> str:
    """The GID of the NIC's first planned address, as `gid_table` formats it.

    Raises:
        NoIntentError: the plan gives the NIC no address.
    """
    return f"{ip_interface(context.get_intended_value('nic.addresses')[0]).ip}, RoCE v2"
