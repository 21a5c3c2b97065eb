"""The NICs and Ethernet interfaces of a plan as ends of measurements: rail, leaf and pod; the uplinks of each leaf."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_interface

from wirespeed.benchmarks.endpoints.nics import DEFAULT_MTU
from wirespeed.plan import Plan
from wirespeed.plan.disjoint_sets import DisjointSets
from wirespeed.plan.tiers import find_tiers
from wirespeed.units import Bandwidth


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A NIC or an Ethernet interface that benchmarks can use: it has an address."""

    host: str
    interface: str
    device: str | None  # RDMA device
    rail: int | None  # None: of sockets alone, as an Ethernet interface or a PCIe bridge
    address: str
    gpu: int | None  # the GPU beside it
    mtu: int | None
    speed: Bandwidth | None  # None: neither the cluster file nor a cable has it
    leaf: str | None  # None: cabled to another host, or in a network whose switches are not planned
    fabric: str  # endpoints of one fabric reach each other
    pod: str | None  # the group of spines above the leaf
    has_numa_node: bool = True  # Linux knows the PCIe function of the interface

    @property
    def name(self) -> str:
        """``node1:bnxt_re0``."""
        return f"{self.host}:{self.device or self.interface}"

    @property
    def is_ipv6(self) -> bool:
        """Whether its address is IPv6."""
        return ip_address(self.address).version == 6


@dataclass(frozen=True, slots=True)
class Fabric:
    """All endpoints of a plan in the order of hosts and rails, and the uplinks of each leaf."""

    endpoints: tuple[Endpoint, ...]
    uplinks: Mapping[str, int]  # leaf -> cables to switches above
    uplink_rate: Mapping[str, int]  # leaf -> b/s of all of them
    excluded_nics: tuple[str, ...]  # NICs that have no address or no cable, and why

    def limit_to_hosts(self, hosts: Iterable[str] | None) -> Fabric:
        """A copy that is limited to the endpoints of some hosts."""
        if hosts is None:
            return self
        wanted = set(hosts)
        endpoints = tuple(endpoint for endpoint in self.endpoints if endpoint.host in wanted)
        excluded_nics = tuple(reason for reason in self.excluded_nics if reason.partition(":")[0] in wanted)
        return Fabric(endpoints, self.uplinks, self.uplink_rate, excluded_nics)

    @property
    def hosts(self) -> dict[str, list[Endpoint]]:
        """The endpoints of each host in rail order."""
        endpoints_by_host: dict[str, list[Endpoint]] = {}
        for endpoint in self.endpoints:
            endpoints_by_host.setdefault(endpoint.host, []).append(endpoint)
        return endpoints_by_host


def build_fabric(plan: Plan, *, over_sockets: bool = False) -> Fabric:
    """Build the fabric of a plan: its endpoints and the uplinks of its leaves.

    With ``over_sockets`` hosts without a rail take part with their PCIe bridges and Ethernet interfaces.
    """
    root = find_connected(plan)
    uplink_cables = [
        cable for cable in plan.cables if cable.a.device in plan.switches and cable.b.device in plan.switches
    ]
    tiers = find_tiers(plan.roles, uplink_cables)
    pods = {cable.a.device: tiers.group.get(cable.b.device) for cable in uplink_cables}
    pods |= {cable.b.device: tiers.group.get(cable.a.device) for cable in uplink_cables if cable.b.device not in pods}
    ends = _find_cable_ends(plan)
    endpoints: list[Endpoint] = []
    excluded_nics: list[str] = []
    for host, settings in plan.hosts.items():
        for interface, nic in settings.nics.items():
            name = f"{host}:{nic.rdma_device or interface}"
            if nic.rail is None:
                continue  # not of the fabric: an interface for control
            if not nic.addresses or (host, interface) not in ends:
                excluded_nics.append(f"{name} has no {'cable' if nic.addresses else 'address'}")
                continue
            neighbor, speed = ends[host, interface]
            leaf = neighbor if neighbor in plan.switches else None
            endpoints.append(
                Endpoint(
                    host=host,
                    interface=interface,
                    device=nic.rdma_device,
                    rail=nic.rail,
                    address=nic.addresses[0].partition("/")[0],
                    gpu=int(nic.gpu.removeprefix("GPU")) if nic.gpu else None,
                    mtu=nic.link.mtu,
                    speed=nic.link.speed or speed,
                    leaf=leaf,
                    fabric=root[f"{host}\0{interface}"],
                    pod=pods.get(leaf) if leaf else None,
                )
            )
    endpoints.sort(key=rail_order)
    if over_sockets:
        railed_hosts = {endpoint.host for endpoint in endpoints}
        endpoints += [endpoint for endpoint in _list_socket_endpoints(plan, ends) if endpoint.host not in railed_hosts]
    order = {host: position for position, host in enumerate(plan.hosts)}
    endpoints.sort(key=lambda endpoint: order[endpoint.host])
    uplinks, rates = _count_uplinks(plan)
    return Fabric(tuple(endpoints), uplinks, rates, tuple(excluded_nics))


def rail_order(endpoint: Endpoint) -> int:
    """A key that sorts endpoints by rail; those without a rail come first."""
    return -1 if endpoint.rail is None else endpoint.rail


def _list_socket_endpoints(plan: Plan, ends: Mapping[tuple[str, str], tuple[str, Bandwidth]]) -> list[Endpoint]:
    """Interfaces without a rail that reach another host: over their cable, or in the same subnet."""
    root = find_connected(plan)
    endpoints: list[Endpoint] = []
    for host, settings in plan.hosts.items():
        for interface, nic in settings.nics.items():
            if nic.rail is not None or not nic.addresses:
                continue
            address = ip_interface(nic.addresses[0])
            cabled = ends.get((host, interface))
            endpoints.append(
                Endpoint(
                    host=host,
                    interface=interface,
                    device=None,
                    rail=None,
                    address=str(address.ip),
                    gpu=None,
                    mtu=nic.link.mtu if cabled or nic.link.mtu else DEFAULT_MTU,
                    speed=nic.link.speed or (cabled[1] if cabled else None),
                    leaf=None,
                    fabric=root[f"{host}\0{interface}"] if cabled else f"subnet {address.network}",
                    pod=None,
                    has_numa_node=not cabled and nic.bond.mode is None,
                )
            )
    hosts_by_fabric: dict[str, set[str]] = {}
    for endpoint in endpoints:
        hosts_by_fabric.setdefault(endpoint.fabric, set()).add(endpoint.host)
    return [endpoint for endpoint in endpoints if len(hosts_by_fabric[endpoint.fabric]) > 1]


def _find_cable_ends(plan: Plan) -> dict[tuple[str, str], tuple[str, Bandwidth]]:
    """Map each NIC to the device at the other end of its cable and to the cable's speed."""
    far_ends: dict[tuple[str, str], tuple[str, Bandwidth]] = {}
    for cable in plan.cables:
        for near, far in ((cable.a, cable.b), (cable.b, cable.a)):
            if near.device in plan.hosts:
                far_ends[near.device, near.port] = far.device, cable.speed
    return far_ends


def _count_uplinks(plan: Plan) -> tuple[dict[str, int], dict[str, int]]:
    """For each leaf the number of cables to other switches and the sum of their rates."""
    count: dict[str, int] = {}
    rate: dict[str, int] = {}
    for cable in plan.cables:
        for near, far in ((cable.a.device, cable.b.device), (cable.b.device, cable.a.device)):
            if plan.roles.get(near) == "leaf" and far in plan.switches:
                count[near] = count.get(near, 0) + 1
                rate[near] = rate.get(near, 0) + cable.speed
    return count, rate


def find_connected(plan: Plan) -> dict[str, str]:
    """Map every switch and NIC to a name of the connected part of the network that it belongs to."""
    joined = DisjointSets()

    def node(device: str, port: str) -> str:
        return device if device in plan.switches else f"{device}\0{port}"

    for cable in plan.cables:
        joined.join(node(cable.a.device, cable.a.port), node(cable.b.device, cable.b.port))
    return joined.sets()


def group_by_fabric(endpoints: Sequence[Endpoint]) -> list[list[Endpoint]]:
    """Group endpoints that reach each other; groups are in the order of their first endpoint."""
    by_name: dict[str, list[Endpoint]] = {}
    for endpoint in endpoints:
        by_name.setdefault(endpoint.fabric, []).append(endpoint)
    return list(by_name.values())
