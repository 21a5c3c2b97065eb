"""Addresses of NICs, switch ports and VLANs.

link-31, link-127: every cable is a /31 (RFC 3021) or /127 (RFC 6164) of the pool, in the order of hosts in the cluster
file and then of rails; the switch has the even address, the host the odd one. rail-24, rail-64: rail r is the r-th
subnet of the pool, and host h of the file is ``.h``. leaf-26, leaf-64: each rail on each leaf has a subnet, in the
order of leaves and then of rails; hosts count from 1 in it. The switch has the last address of an IPv4 subnet, ``.254``
in a /24, and ``::ffff`` in an IPv6 one, on VLAN 10 + r (VLAN 1 is the untagged default of most switches),
or on those from ``first_vlan`` on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_interface, ip_network

from wirespeed.cluster import Cluster, Underlay
from wirespeed.plan.fabric import HostCable
from wirespeed.plan.model import Cable, End
from wirespeed.plan.problems import Problems

_FIRST_VLAN = 11
_LAST_VLAN = 4094  # IEEE 802.1Q: 4095 is reserved
_RAIL_POOL = IPv4Network("192.168.0.0/16")  # Broadcom 957608-AN210, section 2.4.1
_NO_HOSTS = tuple(  # RFC 6890, table 1, RFC 5771 and RFC 4291: not valid for routed interfaces
    ip_network(text)
    for text in ("0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/4", "240.0.0.0/4", "::/8", "fe80::/10", "ff00::/8")
)
_SWITCH_6 = 0xFFFF  # the switch's address in an IPv6 subnet; hosts count from 1 below it

Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class NicAddress:
    """Addresses of one NIC and of its next hop, the switch."""

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
    def host_prefix(self) -> int:
        """Prefix length of one address of its IP version."""
        return 128 if ":" in self.address else 32

    @property
    def gateway_with_prefix(self) -> str:
        """The switch's address with its prefix length."""
        return f"{self.gateway}/{self.prefix}"


def nic_addresses(
    cluster: Cluster, cables: Sequence[HostCable], problems: Problems
) -> Mapping[tuple[str, str], NicAddress]:
    """Addresses by (host, interface)."""
    _check_networks(cluster, problems)
    _check_vlans(cluster, cables, problems)
    if problems.refusals:
        return {}
    shapes = {"link": _assign_per_link, "rail": _assign_per_rail, "leaf": _assign_per_leaf}
    addresses = shapes[cluster.addresses.scheme.shape](cluster, cables, problems)
    return addresses if problems.refusals else _override_addresses(cluster, addresses, problems)


def fabric_addresses(cluster: Cluster, fabric_cables: Sequence[Cable], problems: Problems) -> dict[End, str]:
    """Addresses of the ports between switches: a /31 per cable, the even address at its first end."""
    pool = cluster.addresses.fabric
    if pool is None or not fabric_cables or cluster.routing.underlay is Underlay.BGP_UNNUMBERED:
        return {}
    if 2 * len(fabric_cables) > pool.num_addresses:
        problems.refuse(
            ("addresses", "fabric"),
            f"an address pool too small: {pool} with {pool.num_addresses} addresses",
            f"{2 * len(fabric_cables)}, two for each cable between switches",
        )
        return {}
    return {
        end: f"{pool[2 * index + side]}/{pool.max_prefixlen - 1}"
        for index, cable in enumerate(fabric_cables)
        for side, end in enumerate((cable.a, cable.b))
    }


def _assign_per_link(
    cluster: Cluster, cables: Sequence[HostCable], problems: Problems
) -> dict[tuple[str, str], NicAddress]:
    pool, prefix = cluster.addresses.pool, cluster.addresses.scheme.prefix
    if pool is None:
        example = "10.1.0.0/16" if prefix == 31 else "fd00:0:0:1::/64"
        problems.refuse(
            ("addresses",), "no 'pool'", f"a pool for the /{prefix} of every cable, such as pool: {example}"
        )
        return {}
    if 2 * len(cables) > pool.num_addresses:
        _refuse_pool(
            cluster, problems, f"{pool} with {pool.num_addresses} addresses", f"{2 * len(cables)}, two for each NIC"
        )
        return {}
    addresses = {}
    for index, cable in enumerate(cables):
        even, odd = str(pool[2 * index]), str(pool[2 * index + 1])
        addresses[cable.host, cable.host_port.interface] = NicAddress(odd, even, prefix, f"{even}/{prefix}", None)
    return addresses


def _assign_per_rail(
    cluster: Cluster, cables: Sequence[HostCable], problems: Problems
) -> dict[tuple[str, str], NicAddress]:
    rails = sorted({cable.host_port.rail for cable in cables})
    subnets = _rail_subnets(cluster, rails, problems)
    homes: dict[int, set[str]] = {}
    for cable in cables:
        homes.setdefault(cable.host_port.rail, set()).add(cable.switch)
    split = [rail for rail, switches in homes.items() if len(switches) > 1]
    if split:
        scheme = cluster.addresses.scheme
        other_rails = f" and {len(split) - 1} more rails" if len(split) > 1 else ""
        alternative = "leaf-26" if scheme.version == 4 else "leaf-64"
        problems.refuse(
            ("addresses", "scheme"),
            f"rail {split[0]}{other_rails} on several switches",
            f"each rail on one switch with {scheme}",
            f"cable by-rail, or use {alternative}, which has a subnet for each rail on each leaf",
        )
    if problems.refusals:
        return {}
    numbers = {host: number for number, host in enumerate(cluster.hosts, start=1)}
    return _assign_addresses(
        cluster,
        [(cable, subnets[cable.host_port.rail], numbers[cable.host]) for cable in cables],
        len(numbers),
        problems,
    )


def _assign_per_leaf(
    cluster: Cluster, cables: Sequence[HostCable], problems: Problems
) -> dict[tuple[str, str], NicAddress]:
    pool, prefix = cluster.addresses.pool, cluster.addresses.scheme.prefix
    if pool is None:
        example = "10.0.0.0/16" if prefix <= 32 else "fd00::/48"
        problems.refuse(
            ("addresses",), "no 'pool'", f"a pool for the /{prefix} of each rail on each leaf, such as pool: {example}"
        )
        return {}
    leaves = {name: index for index, name in enumerate(cluster.switches)}
    pairs = sorted({(leaves[cable.switch], cable.host_port.rail) for cable in cables})
    size = 1 << (pool.max_prefixlen - prefix)
    if len(pairs) * size > pool.num_addresses:
        _refuse_pool(
            cluster, problems, f"{pool}", f"room for {len(pairs)} /{prefix} networks, one for each rail on each leaf"
        )
        return {}
    subnets = {pair: ip_network((int(pool.network_address) + size * index, prefix)) for index, pair in enumerate(pairs)}
    counts = dict.fromkeys(pairs, 0)
    assignments = []
    for cable in cables:
        pair = leaves[cable.switch], cable.host_port.rail
        counts[pair] += 1
        assignments.append((cable, subnets[pair], counts[pair]))
    return _assign_addresses(cluster, assignments, max(counts.values(), default=0), problems)


def _assign_addresses(
    cluster: Cluster, assignments: Sequence[tuple[HostCable, Network, int]], limit: int, problems: Problems
) -> dict[tuple[str, str], NicAddress]:
    """Assign addresses to NICs by subnet and number. The switch has the last address."""
    addresses = {}
    first_vlan = cluster.addresses.first_vlan or _FIRST_VLAN
    for cable, network, number in assignments:
        last = network.num_addresses - 2 if network.version == 4 else _SWITCH_6
        if number >= last:
            _refuse_pool(cluster, problems, f"{network} for {limit} hosts", f"at most {last - 1} hosts in it")
            return {}
        addresses[cable.host, cable.host_port.interface] = NicAddress(
            str(network[number]),
            str(network[last]),
            network.prefixlen,
            str(network),
            first_vlan + cable.host_port.rail - 1,
        )
    return addresses


def _rail_subnets(cluster: Cluster, rails: list[int], problems: Problems) -> dict[int, Network]:
    subnets, prefix = cluster.addresses.subnets, cluster.addresses.scheme.prefix
    if subnets is not None:
        if len(subnets) != len(rails):
            problems.refuse(("addresses", "subnets"), f"{len(subnets)} subnets", f"{len(rails)}, one for each rail")
            return {}
        return dict(zip(rails, subnets, strict=True))
    pool: Network | None = cluster.addresses.pool or (_RAIL_POOL if cluster.addresses.scheme.version == 4 else None)
    if pool is None:
        problems.refuse(("addresses",), "no 'pool'", f"a pool for the /{prefix} of each rail, such as pool: fd00::/48")
        return {}
    size = 1 << (pool.max_prefixlen - prefix)
    # Rail r is the r-th subnet, so that the rail can be read in the address; the 0th is not used.
    if rails and rails[-1] >= pool.num_addresses // size:
        _refuse_pool(cluster, problems, f"{pool}", f"room for {rails[-1] + 1} /{prefix} networks, one for each rail")
        return {}
    base = int(pool.network_address)
    return {rail: ip_network((base + size * rail, prefix)) for rail in rails}


def _refuse_pool(cluster: Cluster, problems: Problems, found: str, expected: str) -> None:
    key = "subnets" if cluster.addresses.subnets else "pool"
    problems.refuse(("addresses", key), f"an address pool too small: {found}", expected)


def _check_networks(cluster: Cluster, problems: Problems) -> None:
    """Networks must not overlap and should be private. Those of NICs and links have the IP version of the scheme."""
    part = cluster.addresses
    networks: list[tuple[tuple[str | int, ...], Network]] = [
        (("addresses", name), network)
        for name, network in (
            ("pool", part.pool),
            ("fabric", part.fabric),
            ("loopbacks", part.loopbacks),
            ("management", part.management),
        )
        if network is not None and not (name == "pool" and part.subnets)
    ]
    networks += [(("addresses", "subnets", index), network) for index, network in enumerate(part.subnets or ())]
    for index, (path, network) in enumerate(networks):
        for earlier, earlier_network in networks[:index]:
            if network.overlaps(earlier_network):
                second, first = problems.origin.locate(*path), problems.origin.locate(*earlier)
                line = "" if first == second else f" of line {first.rpartition(':')[2]}"
                problems.refuse(
                    path,
                    f"{_format_key(path)} {network}, which overlaps {_format_key(earlier)} {earlier_network}{line}",
                    "networks that do not overlap",
                )
        unusable = next(
            (
                candidate
                for candidate in _NO_HOSTS
                if candidate.version == network.version and network.overlaps(candidate)
            ),
            None,
        )
        if unusable is not None:
            is_contained = network.prefixlen >= unusable.prefixlen
            description = f"{network}, in {unusable}" if is_contained else f"{network}, which contains {unusable}"
            problems.refuse(path, description, "addresses that an interface can have")
        elif path[1] != "management" and not network.is_private:
            private = "RFC 1918" if network.version == 4 else "RFC 4193"
            problems.warn(path, f"{network}, public address space", f"private address space ({private})")
        if path[1] in ("pool", "subnets", "fabric") and network.version != part.scheme.version:
            problems.refuse(path, f"{network}", f"an IPv{part.scheme.version} network, as scheme {part.scheme} needs")


def _check_vlans(cluster: Cluster, cables: Sequence[HostCable], problems: Problems) -> None:
    first, scheme = cluster.addresses.first_vlan, cluster.addresses.scheme
    if first is None:
        return
    path = ("addresses", "first_vlan")
    last_rail = max((cable.host_port.rail for cable in cables), default=1)
    if scheme.shape == "link":
        problems.refuse(path, f"first_vlan with scheme {scheme}, which has no VLANs", "a scheme with a VLAN per rail")
    elif first + last_rail - 1 > _LAST_VLAN:
        problems.refuse(
            path,
            f"VLANs {first} to {first + last_rail - 1} for {last_rail} rails",
            f"at most {_LAST_VLAN}",
            f"first_vlan: {_LAST_VLAN - last_rail + 1} or less",
        )


def _override_addresses(
    cluster: Cluster, addresses: dict[tuple[str, str], NicAddress], problems: Problems
) -> dict[tuple[str, str], NicAddress]:
    """Apply the addresses that the cluster file sets for single NICs."""
    owners: dict[str, tuple[str, str]] = {}
    _check_single(cluster, problems)
    if problems.refusals:
        return addresses
    for host, spec in cluster.hosts.items():
        for interface, part in spec.part.nic.items():
            path = (*spec.path, "nic", interface)
            old = addresses[host, interface]
            if part.address is None and part.gateway is None:
                continue
            address = part.address or ip_interface(old.with_prefix)
            gateway = part.gateway or ip_interface(old.gateway_with_prefix)
            if gateway.ip not in address.network or gateway.network != address.network:
                key = (*path, "gateway" if part.gateway else "address")
                problems.refuse(
                    key, f"the gateway {gateway} outside {address.network}", "a gateway in the NIC's own subnet"
                )
            pool = ip_network(old.network) if old.vlan else cluster.addresses.pool
            if pool is not None and address.ip not in pool:
                problems.refuse((*path, "address"), f"{address}, outside {pool}", "an address in its subnet")
            first = owners.setdefault(str(address.ip), (host, interface))
            if first != (host, interface):
                problems.refuse(
                    (*path, "address"), f"{address} used twice", "each address once", f"{' '.join(first)} has it"
                )
            addresses[host, interface] = NicAddress(
                str(address.ip), str(gateway.ip), address.network.prefixlen, str(address.network), old.vlan
            )
    if owners:
        _check_unique(cluster, addresses, problems)
    return addresses


def _check_single(cluster: Cluster, problems: Problems) -> None:
    """An address belongs to one host, so it cannot be set for a range of hosts."""
    hosts_by_path: dict[tuple[str | int, ...], list[str]] = {}
    for host, spec in cluster.hosts.items():
        hosts_by_path.setdefault(spec.path, []).append(host)
    for hosts in (hosts for hosts in hosts_by_path.values() if len(hosts) > 1):
        spec = cluster.hosts[hosts[0]]
        for interface, part in spec.part.nic.items():
            if part.address is not None:
                problems.refuse(
                    (*spec.path, "nic", interface, "address"),
                    f"{part.address} for {len(hosts)} hosts, {hosts[0]} to {hosts[-1]}",
                    "each address once",
                    f"write it under `except: {{{hosts[0]}: …}}` of the range",
                )


def _format_key(path: tuple[str | int, ...]) -> str:
    """The name of a network in the cluster file: ``loopbacks``, or ``subnets`` entry 2."""
    return str(path[1]) if len(path) == 2 else f"{path[1]} entry {int(path[2]) + 1}"


def _check_unique(cluster: Cluster, addresses: Mapping[tuple[str, str], NicAddress], problems: Problems) -> None:
    """Refuse an address that is used twice, and a NIC's subnet that overlaps another."""
    owners: dict[str, tuple[str, str]] = {}
    regular = {address.network for address in addresses.values()}
    for key, address in addresses.items():
        path = (*cluster.hosts[key[0]].path, "nic", key[1], "address")
        first = owners.setdefault(address.address, key)
        if first != key:
            problems.refuse(path, f"{address.address} on {' '.join(first)} and {' '.join(key)}", "each address once")
        if key[1] in cluster.hosts[key[0]].part.nic:
            network = ip_network(address.network)
            overlapped = next(
                (name for name in sorted(regular) if name != address.network and network.overlaps(ip_network(name))),
                None,
            )
            if overlapped is not None:
                problems.refuse(path, f"{network}, which overlaps {overlapped}", "networks that do not overlap")
