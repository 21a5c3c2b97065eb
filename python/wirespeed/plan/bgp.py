"""Routes between switches: eBGP on every cable, so that each hop is a separate autonomous system (RFC 7938).

Each cable has a session, between the addresses of its two ports, or unnumbered between their IPv6 link-local
addresses (RFC 8950 carries IPv4 prefixes over it). A switch announces its loopback and the subnets of its hosts.
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
from wirespeed.plan.tiers import Tiers, tiers_of
from wirespeed.settings import Bgp, BgpPeer

LEAVES_AFTER = 10_000
"""Offset of the first leaf's AS number from the base, so that further spines renumber no leaf."""

_PRIVATE = (range(64_512, 65_535), range(4_200_000_000, 4_294_967_295))  # RFC 6996, section 5


@dataclass(frozen=True, slots=True)
class Routing:
    """Routing settings of one switch. Empty where it has no cable to another switch."""

    bgp: Bgp = field(default_factory=Bgp)
    peers: Mapping[str, BgpPeer] = field(default_factory=dict)
    loopbacks: tuple[str, ...] | None = None
    unnumbered: bool | None = None  # of its ports to other switches


def underlay_of(cluster: Cluster) -> Underlay:
    """Numbered where the file has addresses for the cables between switches, else unnumbered."""
    given = cluster.routing.underlay
    if given is not None:
        return given
    return Underlay.BGP_UNNUMBERED if cluster.addresses.fabric is None else Underlay.BGP_NUMBERED


def routing_of(
    cluster: Cluster,
    boxes: Mapping[str, Box],
    cables: Sequence[HostCable],
    between: Sequence[Cable],
    nics: Mapping[tuple[str, str], NicAddress],
    fabric: Mapping[End, str],
    problems: Problems,
) -> dict[str, Routing]:
    """Routing by switch."""
    no_routing = dict.fromkeys(boxes, Routing())
    if not between:
        if cluster.routing.model_fields_set:
            problems.refuse(("routing",), "routing, and no cables between switches", "`links` to route over")
        return no_routing
    underlay = underlay_of(cluster)
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
    tiers = tiers_of({name: box.spec.role for name, box in boxes.items()}, between)
    numbers = _numbers(cluster, tiers, problems)
    loopbacks = _loopbacks(cluster, tuple(numbers), problems)
    if problems.refusals:
        return no_routing
    peers = _peers(cluster, between, fabric, numbers, underlay)
    ipv4 = _exchanges_ipv4(cluster, underlay)
    networks = _networks(cables, nics, numbers, loopbacks if ipv4 else {})
    paths = _paths(tiers, between)
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
    """Sessions between IPv6 addresses carry IPv6 alone; unnumbered ones carry the loopbacks too (RFC 8950)."""
    return underlay is Underlay.BGP_UNNUMBERED or cluster.addresses.scheme.version == 4


def _numbers(cluster: Cluster, tiers: Tiers, problems: Problems) -> dict[str, int]:
    """Autonomous system numbers by switch, in the order of the cluster file."""
    part = cluster.routing.asn
    leaves = part.base + LEAVES_AFTER if part.leaves is None else part.leaves
    found: dict[str, int] = {}
    groups: dict[object, int] = {}
    leaf = 0
    for name in tiers.height:
        if tiers.height[name] == 0:
            found[name] = leaves + leaf
            leaf += 1
        else:
            group = name if part.per is AsnPer.SWITCH else tiers.group[name]
            found[name] = part.base + groups.setdefault(group, len(groups))
    above, below = range(part.base, part.base + len(groups)), range(leaves, leaves + leaf)
    if above and below and above.start < below.stop and below.start < above.stop:
        problems.refuse(
            ("routing", "asn"),
            f"{above[0]} to {above[-1]} above the leaves, and {below[0]} to {below[-1]} for them",
            "numbers apart",
        )
    public = next(
        (number for number in sorted(found.values()) if not any(number in private for private in _PRIVATE)), None
    )
    if public is not None:
        problems.refuse(
            ("routing", "asn"),
            f"the autonomous system number {public}",
            "private numbers, 64512 to 65534 or 4200000000 to 4294967294 (RFC 6996)",
        )
    return found


def _loopbacks(cluster: Cluster, names: Sequence[str], problems: Problems) -> dict[str, str]:
    """The n-th switch has the n-th address of the pool; the 0th is left out."""
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


def _peers(
    cluster: Cluster,
    between: Sequence[Cable],
    fabric: Mapping[End, str],
    numbers: Mapping[str, int],
    underlay: Underlay,
) -> dict[str, dict[str, BgpPeer]]:
    """Sessions by switch: by port where unnumbered, else by the neighbour's address."""
    found: dict[str, dict[str, BgpPeer]] = {name: {} for name in numbers}
    unnumbered = underlay is Underlay.BGP_UNNUMBERED
    for cable in between:
        for end, other in ((cable.a, cable.b), (cable.b, cable.a)):
            key = end.port if unnumbered else str(ip_interface(fabric[other]).ip)
            found[end.device][key] = BgpPeer(
                asn=numbers[other.device],
                description=f"{other.device} {other.port}",
                unnumbered=True if unnumbered else None,
                ipv4=True if _exchanges_ipv4(cluster, underlay) else None,
                ipv6=True if cluster.addresses.scheme.version == 6 else None,
                bfd=cluster.routing.bfd,
                state="Established",
            )
    return found


def _networks(
    cables: Sequence[HostCable],
    nics: Mapping[tuple[str, str], NicAddress],
    names: Iterable[str],
    loopbacks: Mapping[str, str],
) -> dict[str, tuple[str, ...]]:
    """What each switch announces: its loopback, and the subnets of its hosts in address order."""
    announced: dict[str, set[str]] = {name: set() for name in names}
    for cable in cables:
        if cable.switch in announced:
            announced[cable.switch].add(nics[cable.host, cable.host_port.interface].network)
    return {
        name: (*([f"{loopbacks[name]}/32"] if name in loopbacks else []), *sorted(subnets, key=_order))
        for name, subnets in announced.items()
    }


def _order(network: str) -> int:
    return int(ip_network(network).network_address)


def _paths(tiers: Tiers, between: Sequence[Cable]) -> dict[str, int]:
    """Most equal paths a switch can have: its cables to one group of neighbours, which lead to the same places."""
    counts: dict[str, dict[object, int]] = {}
    for cable in between:
        for name, other in ((cable.a.device, cable.b.device), (cable.b.device, cable.a.device)):
            peer_counts = counts.setdefault(name, {})
            peer_counts[tiers.group[other]] = peer_counts.get(tiers.group[other], 0) + 1
    return {name: max(peer_counts.values()) for name, peer_counts in counts.items()}


def _check_paths(cluster: Cluster, paths: Mapping[str, int], problems: Problems) -> None:
    requested = cluster.routing.ecmp
    name = max(paths, key=lambda name: paths[name])
    if requested is not None and requested < paths[name]:
        problems.warn(
            ("routing", "ecmp"),
            f"{requested} equal-cost paths, where {name} has {paths[name]}",
            f"at least {paths[name]}",
            "the cables beyond stay idle",
        )
