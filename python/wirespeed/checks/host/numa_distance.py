"""Distances of a NUMA node

The node is nearer to itself than to any other, and no node of another socket is nearer than one of its socket.

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
    Linux Documentation/ABI/stable/sysfs-devices-node (distance); ESnet, 400G Testbed Configuration, numactl -H: 10 to
    itself, 32 to the other socket
"""

from wirespeed.checks.model import CheckContext, InapplicableError, Outcome, failure, success
from wirespeed.checks.numa import count_sockets
from wirespeed.results.findings import Fix
from wirespeed.settings import NumaNode, Place

subject = NumaNode
needs = ("numa.distances", "host.numa")
failures = ("PCI-11",)


def check(context: CheckContext) -> Outcome:
    """Equal distances pass: without a table of the BIOS, the kernel gives every other node the same."""
    distances = context.get_found_value("numa.distances")
    host = context.place.device
    names = sorted(context.list_members("host.numa", Place(host)), key=int)
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
    if near_distances and far_distances and max(near_distances) > min(far_distances):
        return failure("a NUMA node of another socket is nearer than one of the same", expected, found, fix)
    return success(expected, found)
