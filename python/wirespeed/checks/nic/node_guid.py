"""Node GUID of the RDMA device

The RDMA device has a node GUID, and no device of another host has the same.

Impact:
    Without a GUID RDMA is not configured on the port. Connection managers recognize a peer by GUID and queue pair
    number: with one GUID on two hosts the kernel rejects requests of the second as stale, now and then.

Fix:
    Ethernet NICs derive the GUID from the MAC address: give every card another MAC address, or undo the
    firmware configuration that was copied from another card.

Example:
    $ ibv_devices
    bnxt_re0            0000000000000000

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, Confirming the GUID for the RoCE Interface;
    Linux drivers/infiniband/core/cm.c, cm_insert_remote_qpn
"""

from wirespeed.checks.model import CheckContext, Outcome, failure, success
from wirespeed.errors import format_first
from wirespeed.results.findings import Fix
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.node_guid",)
failures = ("NIC-19",)
causes = ("nic.nvm-rdma",)
_EXPECTED = "a node GUID that no other host has"


def check(context: CheckContext) -> Outcome:
    """Ports of one host may share a GUID: a bond is one RDMA device."""
    context.get_intended_value("nic.rdma_device")
    guid: str = context.get_found_value("nic.node_guid")
    if not guid.strip("0:"):
        fix = Fix("enable RDMA on the port and load its RDMA driver")
        return failure("the RDMA device has no node GUID", _EXPECTED, guid, fix)
    places = context.facts.node_guids[guid]
    sharing_places = sorted(str(place) for place in places if place.device != context.place.device)
    if not sharing_places:
        return success(_EXPECTED, guid)
    return failure(
        "another host has the same node GUID",
        _EXPECTED,
        f"{guid}, which {format_first(sharing_places, 3)} has too",
        Fix("give every card another MAC address, or undo a copied firmware configuration"),
    )
