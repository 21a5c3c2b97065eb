"""Routing between switches: eBGP on every cable. Each hop is a separate autonomous system (RFC 7938).

Each cable has a session between the addresses of its two ports, or an unnumbered one between their IPv6 link-local
addresses, which also carries IPv4 prefixes (RFC 8950). A switch announces its loopback and the subnets of its hosts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, ip_interface, ip_network

from wirespeed.cluster import AsnPer, Cluster, Underlay
from wirespeed.plan.addresses import NicAddress
from wirespeed.plan.fabric import Box, HostCable
from wirespeed.plan.model import Cable, End
from wirespeed.plan.problems import Problems
from wirespeed.plan.tiers import Tiers, find_tiers
from wirespeed.settings import Bgp, BgpPeer

LEAVES_AFTER = 10_000
"""Offset of the first leaf's AS number from the base. Adding spines then does not renumber leaves."""

_PRIVATE = (range(64_512, 65_535), range(4_200_000_000, 4_294_967_295))  # RFC 6996, section 5


@dataclass(frozen=True, slots=True)
class Routing:
    """Routing settings of one switch. Empty if it has no cable to another switch."""

    bgp: Bgp = field(default_factory=Bgp)
    peers: Mapping[str, BgpPeer] = field(default_factory=dict)
    loopbacks: tuple[str, ...] | None = None
    unnumbered: bool | None = None  # whether its ports to other switches are unnumbered


def select_underlay(cluster: Cluster) -> Underlay:
    """The underlay of the cluster file. Default: numbered if `addresses.fabric` has a pool, else unnumbered."""
    configured = cluster.routing.underlay
    if configured is not None:
        return configured
    return Underlay.BGP_UNNUMBERED if cluster.addresses.fabric is None else Underlay.BGP_NUMBERED


def plan_routing(
    cluster: Cluster,
    boxes: Mapping[str, Box],
    cables: Sequence[HostCable],
    fabric_cables: Sequence[Cable],
    nics: Mapping[tuple[str, str], NicAddress],
    fabric: Mapping[End, str],
    problems: Problems,
) -> dict[str, Routing]:
    """The routing settings of every switch, by name."""
    no_routing = dict.fromkeys(boxes, Routing())
    if not fabric_cables:
        if cluster.routing.model_fields_set:
            problems.refuse(("routing",), "routing, and no cables between switches", "`links` to route over")
        return no_routing
    underlay = select_underlay(cluster)
    if underlay is Underlay.NONE:
        problems.warn(
            ("routing", "underlay"),
            "cables between switches, for which wirespeed plans no routing protocol",
            "routes between the switches, configured by other means",
        )
        return no_routing
    if underlay is Underlay.BGP_NUMBERED and cluster.addresses.fabric is None:
        problems.refuse(
            ("routing", "underlay"), "no 'fabric' in `addresses`", "a pool for the /31 of every cable between switches"
        )
    tiers = find_tiers({name: box.spec.role for name, box in boxes.items()}, fabric_cables)
    numbers = _assign_numbers(cluster, tiers, problems)
    loopbacks = _assign_loopbacks(cluster, tuple(numbers), problems)
    if problems.refusals:
        return no_routing
    peers = _list_peers(cluster, fabric_cables, fabric, numbers, underlay)
    ipv4 = _exchanges_ipv4(cluster, underlay)
    networks = _list_networks(cables, nics, numbers, loopbacks if ipv4 else {})
    paths = _count_paths(tiers, fabric_cables)
    _check_paths(cluster, paths, problems)
    return no_routing | {
        name: Routing(
            bgp=Bgp(
                asn=number,
                router_id=loopbacks[name],
                maximum_paths=cluster.routing.ecmp or paths[name],
                multipath_relax=True,
                networks=networks[name],
            ),
            peers=peers[name],
            loopbacks=(f"{loopbacks[name]}/32",),
            unnumbered=True if underlay is Underlay.BGP_UNNUMBERED else None,
        )
        for name, number in numbers.items()
    }


def _exchanges_ipv4(cluster: Cluster, underlay: Underlay) -> bool:
    """Whether sessions carry IPv4 prefixes: those of IPv4 addresses do, and unnumbered ones (RFC 8950)."""
    return underlay is Underlay.BGP_UNNUMBERED or cluster.addresses.scheme.version == 4


def _assign_numbers(cluster: Cluster, tiers: Tiers, problems: Problems) -> dict[str, int]:
    """Assign an autonomous system number to every switch, in the order of the cluster file."""
    part = cluster.routing.asn
    leaves = part.base + LEAVES_AFTER if part.leaves is None else part.leaves
    numbers: dict[str, int] = {}
    groups: dict[object, int] = {}
    leaf = 0
    for name in tiers.height:
        if tiers.height[name] == 0:
            numbers[name] = leaves + leaf
            leaf += 1
        else:
            group = name if part.per is AsnPer.SWITCH else tiers.group[name]
            numbers[name] = part.base + groups.setdefault(group, len(groups))
    above, below = range(part.base, part.base + len(groups)), range(leaves, leaves + leaf)
    if above and below and above.start < below.stop and below.start < above.stop:
        problems.refuse(
            ("routing", "asn"),
            f"{above[0]} to {above[-1]} above the leaves, and {below[0]} to {below[-1]} for them",
            "ranges that do not overlap",
        )
    public = next(
        (number for number in sorted(numbers.values()) if not any(number in private for private in _PRIVATE)), None
    )
    if public is not None:
        problems.refuse(
            ("routing", "asn"),
            f"the autonomous system number {public}",
            "private numbers, 64512 to 65534 or 4200000000 to 4294967294 (RFC 6996)",
        )
    return numbers


def _assign_loopbacks(cluster: Cluster, names: Sequence[str], problems: Problems) -> dict[str, str]:
    """Assign the n-th address of the pool to the n-th switch. The 0th is not used."""
    pool = cluster.addresses.loopbacks
    if pool is None:
        problems.refuse(
            ("addresses",),
            "no 'loopbacks'",
            "a pool for the address of every switch, such as loopbacks: 10.255.0.0/24",
            "BGP uses the address of a switch as its router ID",
        )
        return {}
    if len(names) >= pool.num_addresses:
        problems.refuse(
            ("addresses", "loopbacks"),
            f"an address plan too small: {pool} with {pool.num_addresses} addresses",
            f"{len(names) + 1}, the first and one for each switch",
        )
        return {}
    base = int(pool.network_address)
    return {name: str(IPv4Address(base + index)) for index, name in enumerate(names, start=1)}


def _list_peers(
    cluster: Cluster,
    fabric_cables: Sequence[Cable],
    fabric: Mapping[End, str],
    numbers: Mapping[str, int],
    underlay: Underlay,
) -> dict[str, dict[str, BgpPeer]]:
    """BGP peers by switch, and there by port if unnumbered, else by the neighbour's address."""
    peers: dict[str, dict[str, BgpPeer]] = {name: {} for name in numbers}
    unnumbered = underlay is Underlay.BGP_UNNUMBERED
    for cable in fabric_cables:
        for end, neighbour in ((cable.a, cable.b), (cable.b, cable.a)):
            key = end.port if unnumbered else str(ip_interface(fabric[neighbour]).ip)
            peers[end.device][key] = BgpPeer(
                asn=numbers[neighbour.device],
                description=f"{neighbour.device} {neighbour.port}",
                unnumbered=True if unnumbered else None,
                ipv4=True if _exchanges_ipv4(cluster, underlay) else None,
                ipv6=True if cluster.addresses.scheme.version == 6 else None,
                bfd=cluster.routing.bfd,
                state="Established",
            )
    return peers


def _list_networks(
    cables: Sequence[HostCable],
    nics: Mapping[tuple[str, str], NicAddress],
    names: Iterable[str],
    loopbacks: Mapping[str, str],
) -> dict[str, tuple[str, ...]]:
    """The announced prefixes of each switch: its loopback, and the subnets of its hosts in address order."""
    subnets_by_switch: dict[str, set[str]] = {name: set() for name in names}
    for cable in cables:
        if cable.switch in subnets_by_switch:
            subnets_by_switch[cable.switch].add(nics[cable.host, cable.host_port.interface].network)
    return {
        name: (*([f"{loopbacks[name]}/32"] if name in loopbacks else []), *sorted(subnets, key=_order_network))
        for name, subnets in subnets_by_switch.items()
    }


def _order_network(network: str) -> int:
    return int(ip_network(network).network_address)


def _count_paths(tiers: Tiers, fabric_cables: Sequence[Cable]) -> dict[str, int]:
    """The number of equal-cost paths of each switch: the largest number of its cables to one group of switches."""
    counts: dict[str, dict[object, int]] = {}
    for cable in fabric_cables:
        for name, neighbour in ((cable.a.device, cable.b.device), (cable.b.device, cable.a.device)):
            peer_counts = counts.setdefault(name, {})
            peer_counts[tiers.group[neighbour]] = peer_counts.get(tiers.group[neighbour], 0) + 1
    return {name: max(peer_counts.values()) for name, peer_counts in counts.items()}


def _check_paths(cluster: Cluster, paths: Mapping[str, int], problems: Problems) -> None:
    configured = cluster.routing.ecmp
    name = max(paths, key=lambda name: paths[name])
    if configured is not None and configured < paths[name]:
        problems.warn(
            ("routing", "ecmp"),
            f"{configured} equal-cost paths, where {name} has {paths[name]}",
            f"at least {paths[name]}",
            "the other cables stay idle",
        )
