"""Interface counters during a mesh: whether the packets of every NIC's address used that NIC.

A reply to a ping does not show its path: without its routing rule a reply leaves through another NIC, and where hosts
reply to ARP for other NICs it arrives at another. Each ping with a reply moved one request and one reply of known size
through each of its two NICs, so a NIC that moved less than that was bypassed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from wirespeed.benchmarks.endpoints.fabric import Endpoint, Fabric
from wirespeed.benchmarks.run.mesh.causes import describe_bypass, map_nics_to_ports
from wirespeed.plan import Plan
from wirespeed.results.campaign import Grade
from wirespeed.results.mesh import Mesh, NicTraffic


@dataclass(frozen=True, slots=True)
class ByteCounters:
    """Bytes that an interface has sent and received."""

    sent_bytes: int
    received_bytes: int


Counters = Mapping[tuple[str, str], ByteCounters]
"""Counters by host and interface."""


def add_counters(plan: Plan, fabric: Fabric, mesh: Mesh, before: Counters, after: Counters, count: int = 1) -> Mesh:
    """Add the result of the counters to a mesh. ``count`` is the number of pings per pair.

    No other traffic of comparable size may have been sent at the same time: it would hide missing packets.
    """
    minimum = _minimum_bytes(fabric, mesh, count)
    moved = {endpoint.name: _count_bytes(endpoint, before, after) for endpoint in fabric.endpoints}
    traffic_of_nics = [_nic_traffic(endpoint, fabric, minimum, moved) for endpoint in fabric.endpoints]
    ports = map_nics_to_ports(plan, fabric)
    causes = [
        describe_bypass(
            traffic.nic, ports.get(traffic.nic), sends, _count_good_pings(mesh, traffic.nic), traffic.detail or ""
        )
        for traffic in traffic_of_nics
        if traffic.grade is Grade.BAD
        for sends in _list_bypassed_directions(traffic)
    ]
    return replace(mesh, carried=tuple(traffic_of_nics), causes=(*mesh.causes, *causes))


def _minimum_bytes(fabric: Fabric, mesh: Mesh, count: int) -> dict[str, int]:
    """Bytes that each NIC must have sent, and as many received: a ping has one packet in each direction."""
    mtu = {endpoint.name: endpoint.mtu or 0 for endpoint in fabric.endpoints}
    minimum = dict.fromkeys(mtu, 0)
    for (source, target), cell in mesh.cells.items():
        if cell.grades["ping"] is Grade.GOOD:
            for nic in (source, target):
                minimum[nic] += count * min(mtu[source], mtu[target])
    return minimum


def _count_bytes(endpoint: Endpoint, before: Counters, after: Counters) -> ByteCounters | None:
    key = endpoint.host, endpoint.interface
    if key not in before or key not in after:
        return None
    sent_bytes, received_bytes = (
        after[key].sent_bytes - before[key].sent_bytes,
        after[key].received_bytes - before[key].received_bytes,
    )
    return (
        ByteCounters(sent_bytes, received_bytes) if sent_bytes >= 0 and received_bytes >= 0 else None
    )  # the interface was recreated in between


def _nic_traffic(
    endpoint: Endpoint, fabric: Fabric, minimum: Mapping[str, int], moved: Mapping[str, ByteCounters | None]
) -> NicTraffic:
    counted, wanted = moved[endpoint.name], minimum[endpoint.name]
    if counted is None:
        return NicTraffic(endpoint.name, None, wanted, None, wanted, Grade.UNKNOWN, "its counters were not read")
    if not wanted:
        return NicTraffic(
            endpoint.name, counted.sent_bytes, 0, counted.received_bytes, 0, Grade.UNKNOWN, "no ping of it came back"
        )
    details = [
        f"{word} {got} of at least {wanted} bytes{_describe_excess(endpoint, fabric, minimum, moved, is_sender)}"
        for word, got, is_sender in (("sent", counted.sent_bytes, True), ("received", counted.received_bytes, False))
        if got < wanted
    ]
    grade = Grade.BAD if details else Grade.GOOD
    return NicTraffic(
        endpoint.name, counted.sent_bytes, wanted, counted.received_bytes, wanted, grade, "; ".join(details) or None
    )


def _describe_excess(
    endpoint: Endpoint,
    fabric: Fabric,
    minimum: Mapping[str, int],
    moved: Mapping[str, ByteCounters | None],
    is_sender: bool,
) -> str:
    """Describe the NIC of the same host that moved the most bytes above its minimum."""
    excesses = []
    for neighbor in fabric.endpoints:
        counted = moved[neighbor.name]
        if neighbor.host == endpoint.host and neighbor.name != endpoint.name and counted is not None:
            excess = (counted.sent_bytes if is_sender else counted.received_bytes) - minimum[neighbor.name]
            if excess > (endpoint.mtu or 0):
                excesses.append((excess, neighbor.name))
    excesses.sort(key=lambda excess: (-excess[0], excess[1]))
    return f", {excesses[0][1]} {excesses[0][0]} more than it had to" if excesses else ""


def _list_bypassed_directions(traffic: NicTraffic) -> list[bool]:
    assert traffic.sent is not None and traffic.received is not None
    return [
        sends
        for sends, short in (
            (True, traffic.sent < traffic.sent_least),
            (False, traffic.received < traffic.received_least),
        )
        if short
    ]


def _count_good_pings(mesh: Mesh, nic: str) -> int:
    return sum(nic in pair and cell.grades["ping"] is Grade.GOOD for pair, cell in mesh.cells.items())
