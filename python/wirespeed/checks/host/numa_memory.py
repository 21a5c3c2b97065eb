"""Memory of a NUMA node

Each node with CPUs has its share of the planned memory. Without planned memory, it has as much as the largest node.

Impact:
    A socket without a module, or with fewer channels, uses the memory of the other socket: its NICs and GPUs
    share the link between the sockets.

Fix:
    Compare the modules of both sockets, and read the log of the BMC. Reseat or replace the module.

Example:
    $ numactl -H | grep size
    node 0 size: 257810 MB
    node 1 size: 0 MB

Source:
    ESnet, 400G Testbed Configuration, numactl -H: two nodes of 257,810 and 257,970 MB; Linux drivers/base/node.c,
    node_read_meminfo
"""

from wirespeed.checks.model import CheckContext, InapplicableError, Outcome, failure, success, warning
from wirespeed.results.findings import Fix
from wirespeed.settings import NumaNode, Place
from wirespeed.units import Size

subject = NumaNode
needs = ("numa.memory", "host.numa")
failures = ("OS-20", "PCI-11")

_USABLE = 0.95
"""Share that the kernel can use of a node: 64 of 4096 bytes describe pages, the kernel and firmware have some of the
first node. One of 16 modules of a socket is 6.2 %."""


def check(context: CheckContext) -> Outcome:
    """Fails from one missing module of 16 on; other sizes that are not planned are a warning."""
    found = context.get_found_value("numa.memory")
    planned = context.entity.memory
    planned_nodes = context.plan.hosts[context.place.device].numa
    nodes = context.list_members("host.numa", Place(context.place.device))
    largest = max(node.memory or Size(0) for node in nodes.values())
    limit = largest if planned is None else planned
    unit = next((unit for unit in ("GiB", "MiB") if limit.is_whole(unit)), "MiB")
    expected = f"at least 95 % of {_format(limit, unit)}"
    found_text = _format(found, unit)
    fix = Fix("compare the output of dmidecode --type 17 for both sockets; reseat or replace the module")
    if not found:
        return failure("the NUMA node has no memory", expected, "none", fix)
    count = sum(node.cpus is not None for node in nodes.values())
    if planned is not None and count != len(planned_nodes):
        raise InapplicableError(f"{count} NUMA nodes with CPUs, {len(planned_nodes)} planned (host.numa-cpus)")
    if found >= _USABLE * limit:
        return success(expected, found_text)
    if planned is None:
        reason = "the cluster file has no memory: of the host, so the largest node is compared"
        return warning("the NUMA node has less memory than another", expected, found_text, fix, reason=reason)
    return failure("the NUMA node has less memory than planned", expected, found_text, fix)


def _format(size: Size, unit: str) -> str:
    """A size in this unit with at most one decimal, so that expected and found are in one unit."""
    return f"{round(size.in_unit(unit), 1):.10g} {unit}"
