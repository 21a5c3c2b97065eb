"""Distances of a NUMA node

The node is nearer to itself than to any other, and no node of another socket is nearer than one of its socket. Between
two nodes the distance is the same in both directions. Where the catalogue has the distance between the sockets of the
server, it is compared, too; elsewhere distances in a right order are not judged.

Impact:
    The kernel and MPI libraries select memory and cores by these distances: with wrong ones, those of another socket.

Fix:
    Set nodes per socket as planned and update the BIOS, which gives the kernel the distances.

Example:
    $ numactl -H | tail -3
    node   0   1
      0:  10  32
      1:  32  10

Source:
    Linux Documentation/ABI/stable/sysfs-devices-node (distance) and drivers/acpi/numa/srat.c (slit_valid: 10 to itself,
    more to others); ACPI specification 6.5, section 5.2.17, allows another distance in each direction; ESnet, 400G
    Testbed Configuration, numactl -H: 10 to itself, 32 to the other socket
"""

from wirespeed.checks.model import (
    CheckContext,
    InapplicableError,
    NoIntentError,
    Outcome,
    failure,
    success,
    warning,
)
from wirespeed.checks.numa import count_sockets
from wirespeed.results.findings import Fix
from wirespeed.settings import NumaNode, Place

subject = NumaNode
needs = ("numa.distances", "host.numa")
failures = ("PCI-11",)

_LOCAL_DISTANCE = 10
_REASON = "the order of the nodes is right, by which the kernel selects memory"


def check(context: CheckContext) -> Outcome:
    """Equal distances to other nodes are in order: without a table of the BIOS, the kernel gives all the same.

    Distances in order that are not as planned, or differ by direction, are a warning: what selects memory compares
    them with each other only.
    """
    distances = context.get_found_value("numa.distances")
    host = context.place.device
    nodes = context.list_members("host.numa", Place(host))
    names = sorted(nodes, key=int)
    if len(names) != len(distances) or context.place.name not in names:
        raise InapplicableError(f"{len(distances)} distances for {len(names)} NUMA nodes")
    position = names.index(context.place.name)
    size = max(1, len(names) // count_sockets(context))
    socket = position // size
    near_distances = [
        distance for node, distance in enumerate(distances) if node != position and node // size == socket
    ]
    far_distances = [distance for node, distance in enumerate(distances) if node // size != socket]
    expected = "the smallest distance to itself, then to the nodes of its socket"
    found = " ".join(map(str, distances))
    fix = Fix("set nodes per socket in the BIOS as planned; update the BIOS")
    if any(distance <= distances[position] for distance in (*near_distances, *far_distances)):
        return failure("the NUMA node is as near to another as to itself", expected, found, fix)
    if distances[position] != _LOCAL_DISTANCE:
        return failure("the distance of the NUMA node to itself is not 10", f"{_LOCAL_DISTANCE} to itself", found, fix)
    if near_distances and far_distances and max(near_distances) > min(far_distances):
        return failure("a NUMA node of another socket is nearer than one of the same", expected, found, fix)
    planned = context.entity.distances
    if planned is not None and len(planned) == len(distances):
        planned_text = " ".join(map(str, planned))
        if distances == planned:
            return success(planned_text, found)
        return warning("the distances of the NUMA node are not as planned", planned_text, found, fix, reason=_REASON)
    reverse = [_get_distance(nodes[name], position) for name in names]
    if any(value not in (None, distance) for value, distance in zip(reverse, distances, strict=True)):
        reverse_text = " ".join("?" if value is None else str(value) for value in reverse)
        summary = "the distances of the NUMA node differ by direction"
        return warning(summary, f"{reverse_text}, those to this node", found, fix, reason=_REASON)
    raise NoIntentError(f"not planned: numa.distances; {found} are in a right order")


def _get_distance(node: NumaNode, position: int) -> int | None:
    """The distance from a node to the node of a position. None: not read."""
    return node.distances[position] if node.distances and position < len(node.distances) else None
