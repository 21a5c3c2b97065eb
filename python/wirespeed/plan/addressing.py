"""Addresses of NICs, switch ports and VLANs in both schemes.

link-31: every cable is a /31 of the pool (RFC 3021), in the order of hosts in the cluster file and then of rails; the
switch has the even address, the host the odd one. rail-24: rail r is the r-th /24 of the pool, host h of the file has
``.h``, the switch ``.254``, on VLAN 10 + r (VLAN 1 is the untagged default of most switches, so none is 1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from wirespeed.cluster import Cluster, Scheme, Underlay
from wirespeed.plan.fabric import HostCable
from wirespeed.plan.model import Cable, End
from wirespeed.plan.problems import Problems

VLAN_BASE = 10
_RAIL_POOL = IPv4Network("192.168.0.0/16")  # Broadcom 957608-AN210, section 2.4.1
_NO_HOSTS = tuple(  # RFC 6890, table 1 and RFC 5771: no interface can have an address of these
    IPv4Network(text) for text in ("0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/4", "240.0.0.0/4")
)


@dataclass(frozen=True, slots=True)
class NicAddress:
    """Addresses of one NIC and of the switch that is its next hop."""

    address: str
    gateway: str
    prefix: int
    network: str
    vlan: int | None

    @property
    def with_prefix(self) -> str:
        """The NIC's address with its prefix length."""
        return f"{self.address}/{self.prefix}"

    @property
    def gateway_with_prefix(self) -> str:
        """The switch's address with its prefix length."""
        return f"{self.gateway}/{self.prefix}"


def nic_addresses(
    cluster: Cluster, cables: Sequence[HostCable], problems: Problems
) -> Mapping[tuple[str, str], NicAddress]:
    """Addresses by (host, interface)."""
    _check_networks(cluster, problems)
    if cluster.addresses.scheme is Scheme.LINK_31:
        found = _link_31(cluster, cables, problems)
    else:
        found = _rail_24(cluster, cables, problems)
    return found if problems.refused else _overridden(cluster, found, problems)


def fabric_addresses(cluster: Cluster, between: Sequence[Cable], problems: Problems) -> dict[End, str]:
    """Addresses of the ports between switches: a /31 per cable, the even address at its first end."""
    pool = cluster.addresses.fabric
    if pool is None or not between or cluster.routing.underlay is Underlay.BGP_UNNUMBERED:
        return {}
    if 2 * len(between) > pool.num_addresses:
        problems.refuse(
            ("addresses", "fabric"),
            f"an address plan too small: {pool} with {pool.num_addresses} addresses",
            f"{2 * len(between)}, two for each cable between switches",
        )
        return {}
    base = int(pool.network_address)
    return {
        end: f"{IPv4Address(base + 2 * index + side)}/31"
        for index, cable in enumerate(between)
        for side, end in enumerate((cable.a, cable.b))
    }


def _link_31(cluster: Cluster, cables: Sequence[HostCable], problems: Problems) -> dict[tuple[str, str], NicAddress]:
    pool = cluster.addresses.pool
    if pool is None:
        problems.refuse(("addresses",), "no 'pool'", "a pool for the /31 of every cable, such as pool: 10.1.0.0/16")
        return {}
    if 2 * len(cables) > pool.num_addresses:
        _too_small(
            cluster, problems, f"{pool} with {pool.num_addresses} addresses", f"{2 * len(cables)}, two for each NIC"
        )
        return {}
    base = int(pool.network_address)
    found = {}
    for index, cable in enumerate(cables):
        even = str(IPv4Address(base + 2 * index))
        odd = str(IPv4Address(base + 2 * index + 1))
        found[cable.host, cable.seat.interface] = NicAddress(odd, even, 31, f"{even}/31", None)
    return found


def _rail_24(cluster: Cluster, cables: Sequence[HostCable], problems: Problems) -> dict[tuple[str, str], NicAddress]:
    rails = sorted({cable.seat.rail for cable in cables})
    subnets = _rail_subnets(cluster, rails, problems)
    homes: dict[int, set[str]] = {}
    for cable in cables:
        homes.setdefault(cable.seat.rail, set()).add(cable.switch)
    split = [rail for rail, switches in homes.items() if len(switches) > 1]
    if split:
        more = f" and {len(split) - 1} more rails" if len(split) > 1 else ""
        problems.refuse(
            ("addresses", "scheme"),
            f"rail {split[0]}{more} on several switches",
            "each rail on one switch with rail-24",
            "cable by-rail, or use link-31",
        )
    if problems.refused:
        return {}
    numbers = {host: number for number, host in enumerate(cluster.hosts, start=1)}
    found = {}
    for cable in cables:
        network = subnets[cable.seat.rail]
        last = network.num_addresses - 2  # the switch has this one: .254 of a /24, as AN210 2.4.1 has it
        number = numbers[cable.host]
        if number >= last:
            _too_small(cluster, problems, f"{network} for {len(numbers)} hosts", f"at most {last - 1} hosts in it")
            return {}
        base = int(network.network_address)
        found[cable.host, cable.seat.interface] = NicAddress(
            str(IPv4Address(base + number)),
            str(IPv4Address(base + last)),
            network.prefixlen,
            str(network),
            VLAN_BASE + cable.seat.rail,
        )
    return found


def _rail_subnets(cluster: Cluster, rails: list[int], problems: Problems) -> dict[int, IPv4Network]:
    given = cluster.addresses.subnets
    if given is not None:
        if len(given) != len(rails):
            problems.refuse(("addresses", "subnets"), f"{len(given)} subnets", f"{len(rails)}, one for each rail")
            return {}
        return dict(zip(rails, given, strict=True))
    pool = cluster.addresses.pool or _RAIL_POOL
    fits = pool.num_addresses // 256
    # Rail r is the r-th /24, so that the rail can be read in the address; the 0th is not used.
    if rails and rails[-1] >= fits:
        _too_small(cluster, problems, f"{pool}", f"room for {rails[-1] + 1} /24 networks, one for each rail")
        return {}
    base = int(pool.network_address)
    return {rail: IPv4Network((base + 256 * rail, 24)) for rail in rails}


def _too_small(cluster: Cluster, problems: Problems, found: str, expected: str) -> None:
    key = "subnets" if cluster.addresses.subnets else "pool"
    problems.refuse(("addresses", key), f"an address plan too small: {found}", expected)


def _check_networks(cluster: Cluster, problems: Problems) -> None:
    """Networks must not overlap, and should be private (RFC 1918)."""
    part = cluster.addresses
    named: list[tuple[tuple[str | int, ...], IPv4Network]] = [
        (("addresses", name), network)
        for name, network in (
            ("pool", part.pool),
            ("fabric", part.fabric),
            ("loopbacks", part.loopbacks),
            ("management", part.management),
        )
        if network is not None and not (name == "pool" and part.subnets)
    ]
    named += [(("addresses", "subnets", index), network) for index, network in enumerate(part.subnets or ())]
    for index, (path, network) in enumerate(named):
        for earlier, other in named[:index]:
            if network.overlaps(other):
                problems.refuse(
                    path,
                    f"{network}, which overlaps {other}",
                    "networks apart",
                    f"the other is at {problems.origin.at(*earlier)}",
                )
        barred = next((other for other in _NO_HOSTS if network.overlaps(other)), None)
        if barred is not None:
            where = f"{network}, in {barred}" if network.subnet_of(barred) else f"{network}, which holds {barred}"
            problems.refuse(path, where, "addresses that an interface can have")
        elif path[1] != "management" and not network.is_private:
            problems.warn(path, f"{network}, public address space", "private address space (RFC 1918)")


def _overridden(
    cluster: Cluster, found: dict[tuple[str, str], NicAddress], problems: Problems
) -> dict[tuple[str, str], NicAddress]:
    """With the addresses that the cluster file gives to single NICs."""
    given: dict[str, tuple[str, str]] = {}
    _check_single(cluster, problems)
    if problems.refused:
        return found
    for host, spec in cluster.hosts.items():
        for interface, part in spec.part.nic.items():
            path = (*spec.path, "nic", interface)
            old = found[host, interface]
            if part.address is None and part.gateway is None:
                continue
            address = part.address or IPv4Interface(old.with_prefix)
            gateway = part.gateway or IPv4Interface(old.gateway_with_prefix)
            if gateway.ip not in address.network or gateway.network != address.network:
                where = (*path, "gateway" if part.gateway else "address")
                problems.refuse(
                    where, f"the gateway {gateway} outside {address.network}", "a gateway in the NIC's own subnet"
                )
            pool = IPv4Network(old.network) if old.vlan else cluster.addresses.pool
            if pool is not None and address.ip not in pool:
                problems.refuse((*path, "address"), f"{address}, outside {pool}", "an address in its subnet")
            first = given.setdefault(str(address.ip), (host, interface))
            if first != (host, interface):
                problems.refuse(
                    (*path, "address"), f"{address} again", "each address once", f"{' '.join(first)} has it"
                )
            found[host, interface] = NicAddress(
                str(address.ip), str(gateway.ip), address.network.prefixlen, str(address.network), old.vlan
            )
    if given:
        _check_unique(cluster, found, problems)
    return found


def _check_single(cluster: Cluster, problems: Problems) -> None:
    """An address is one host's, so it cannot stand where a range of hosts is described."""
    sharing: dict[int, list[str]] = {}
    for host, spec in cluster.hosts.items():
        sharing.setdefault(id(spec.part), []).append(host)
    for hosts in (hosts for hosts in sharing.values() if len(hosts) > 1):
        spec = cluster.hosts[hosts[0]]
        for interface, part in spec.part.nic.items():
            if part.address is not None:
                problems.refuse(
                    (*spec.path, "nic", interface, "address"),
                    f"{part.address} for {len(hosts)} hosts, {hosts[0]} to {hosts[-1]}",
                    "each address once",
                    f"write it under `except: {{{hosts[0]}: …}}` of the range",
                )


def _check_unique(cluster: Cluster, found: Mapping[tuple[str, str], NicAddress], problems: Problems) -> None:
    """No address twice, and no subnet of one NIC inside another's."""
    owners: dict[str, tuple[str, str]] = {}
    regular = {address.network for address in found.values()}
    for key, address in found.items():
        path = (*cluster.hosts[key[0]].path, "nic", key[1], "address")
        first = owners.setdefault(address.address, key)
        if first != key:
            problems.refuse(path, f"{address.address} on {' '.join(first)} and {' '.join(key)}", "each address once")
        if key[1] in cluster.hosts[key[0]].part.nic:
            own = IPv4Network(address.network)
            other = next(
                (name for name in sorted(regular) if name != address.network and own.overlaps(IPv4Network(name))), None
            )
            if other is not None:
                problems.refuse(path, f"{own}, which overlaps {other}", "networks apart")
