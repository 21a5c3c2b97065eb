"""The NUMA node of a PCIe function, planned and found."""

from __future__ import annotations

from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, UnreadError, failure, success
from wirespeed.results.findings import Fix
from wirespeed.settings import Place

NEEDS = ("pcie.numa_node", "host.numa")
_FIX = "compare the slot with the plan and move the card; if the plan is wrong, correct the server's numa_node"


def check_numa_node(context: CheckContext, function: Place, wrong: str) -> Outcome:
    """Compare the node of a function; its socket, if host and plan have different numbers of nodes.

    Raises:
        NoIntentError: the plan has neither node nor socket.
        UnreadError: the firmware does not give the node, or it was not read.
    """
    planned = context.plan.hosts[function.device].pcie.get(function.name)
    if planned is None or planned.socket is None:
        raise NoIntentError("not planned: pcie.numa_node")
    found = context.get_found_value("pcie.numa_node", function)
    if found < 0:
        raise UnreadError(
            "pcie.numa_node",
            "the firmware does not give it",
            advice=f"enable NUMA in the BIOS of {function.device}, or update the BIOS",  # the node is from ACPI _PXM
        )
    host = Place(function.device)
    planned_nodes = len(context.plan.hosts[function.device].numa)
    members = context.list_members("host.numa", host).values() if planned_nodes else ()
    found_nodes = sum(node.cpus is not None for node in members)
    if planned.numa_node is not None and found_nodes == planned_nodes:
        expected, got = f"NUMA node {planned.numa_node}", f"NUMA node {found}"
        is_as_planned = found == planned.numa_node
    else:
        socket = found // max(1, found_nodes // count_sockets(context))
        expected, got = f"a NUMA node of socket {planned.socket}", f"NUMA node {found} of socket {socket}"
        is_as_planned = socket == planned.socket
    return success(expected, got) if is_as_planned else failure(wrong, expected, got, Fix(_FIX))


def count_sockets(context: CheckContext) -> int:
    """The CPU sockets of the host's model; two if the catalogue does not contain them."""
    server = context.plan.hardware.servers.get(context.plan.hosts[context.place.device].model or "")
    return server.cpus.sockets.value if server and server.cpus else 2
