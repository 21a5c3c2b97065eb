"""Places that belong to a NIC port."""

from __future__ import annotations

from ipaddress import ip_interface

from wirespeed.checks.model import Here
from wirespeed.settings import Place


def pcie_function(here: Here) -> Place:
    """The NIC's PCIe function on its host.

    Raises:
        NoIntentError: the plan has no PCIe function for the NIC.
    """
    return Place(here.place.device).thing("pcie", here.intended("nic.pcie"))


def gid_table(here: Here, nic: Place) -> dict[str, str]:
    """A NIC's GID table as text: ``10.1.0.1, RoCE v2`` by index, in the order of the index.

    Raises:
        UnreadError: the table or a row was not read.
    """
    rows: dict[str, str] = {}
    for index in sorted(here.members("nic.gids", nic), key=int):
        row = nic.thing("gid", index)
        rows[index] = f"{here.found('gid.address', row)}, {here.found('gid.type', row)}"
    return rows


def wanted_gid(here: Here) -> str:
    """The GID of the NIC's first planned address, as `gid_table` formats it.

    Raises:
        NoIntentError: the plan gives the NIC no address.
    """
    return f"{ip_interface(here.intended('nic.addresses')[0]).ip}, RoCE v2"
