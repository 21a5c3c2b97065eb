"""Find NICs of the plan by name, device or address, and their speed and PCIe slots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_interface

from wirespeed.errors import did_you_mean, format_first, refuse
from wirespeed.limits import pcie, tcp
from wirespeed.limits.bound import tightest
from wirespeed.limits.impact import gpu_function, nic_function
from wirespeed.limits.nic import build_path, build_slot, catalogue_speed, list_ip_driver_terms
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Run
from wirespeed.results.nccl import Communicator
from wirespeed.results.verdicts import Bound
from wirespeed.settings import Host, Nic
from wirespeed.units import Bandwidth


@dataclass(frozen=True, slots=True)
class NicPlace:
    """One NIC of the plan."""

    host: str
    interface: str
    nic: Nic

    @property
    def port(self) -> str:
        """``node1:enp29s0np0``, as users name it."""
        return f"{self.host}:{self.interface}"

    def __str__(self) -> str:
        return f"{self.host}:{self.nic.rdma_device or self.interface}"


def list_nics(plan: Plan) -> Iterator[NicPlace]:
    """All NICs of the plan."""
    for host, settings in plan.hosts.items():
        for interface, nic in settings.nics.items():
            yield NicPlace(host, interface, nic)


def find_planned_host(plan: Plan, name: str) -> str | None:
    """The host of the plan that a log names, with or without its domain."""
    return next((host for host in (name, name.partition(".")[0]) if host in plan.hosts), None)


def find_ends(plan: Plan, source: str | None, target: str | None) -> list[NicPlace]:
    """The NICs that the user names with --from and --to, if any.

    Raises:
        Refusal: one is named in another form, or the plan has no such host or NIC.
    """
    return [find_nic(plan, option, name) for option, name in (("--from", source), ("--to", target)) if name is not None]


def find_nic(plan: Plan, option: str, name: str) -> NicPlace:
    """The NIC that a user names as HOST:NIC, by its interface or its RDMA device.

    Raises:
        Refusal: the name has another form, or the plan has no such host or NIC.
    """
    host, _, device = name.partition(":")
    if not host or not device:
        raise refuse(option, repr(name), _EXPECTED, _suggest_spelling(plan, name.strip(":")))
    if host in plan.switches:
        raise refuse(option, f"{host}, a switch", _EXPECTED)
    if host not in plan.hosts:
        raise refuse(option, f"host {host!r}", f"a host of {plan.name}", did_you_mean(host, list(plan.hosts)))
    for nic in list_nics(plan):
        if nic.host == host and device in (nic.interface, nic.nic.rdma_device):
            return nic
    nics_of_host = [nic for nic in list_nics(plan) if nic.host == host]
    names = [name for nic in nics_of_host for name in (nic.interface, nic.nic.rdma_device) if name]
    hint = did_you_mean(device, names) or _format_nics(plan, host)
    raise refuse(option, f"NIC {device!r}", f"a NIC of {host}", hint)


_EXPECTED = "HOST:NIC, such as node1:enp29s0np0"


def _suggest_spelling(plan: Plan, name: str) -> str | None:
    """A hint for a name without colon: of a host, of a NIC, or of both with a slash between them."""
    if name in plan.hosts:
        return _format_nics(plan, name)
    host, slash, device = name.partition("/")
    if slash and host in plan.hosts:
        return f"did you mean '{host}:{device}'?"
    hosts = [nic.host for nic in list_nics(plan) if name in (nic.interface, nic.nic.rdma_device)]
    return f"name its host: {format_first([f'{host}:{name}' for host in hosts], 2)}" if hosts else None


def _format_nics(plan: Plan, host: str) -> str:
    nics = [nic for nic in list_nics(plan) if nic.host == host]
    names = (f"{nic.interface} ({nic.nic.rdma_device})" if nic.nic.rdma_device else nic.interface for nic in nics)
    return f"its NICs are {', '.join(names)}"


def nic_with_device(plan: Plan, device: str) -> NicPlace | None:
    """The first NIC with an RDMA device or interface of this name."""
    return next((nic for nic in list_nics(plan) if device in (nic.nic.rdma_device, nic.interface)), None)


def nic_with_address(plan: Plan, address: str) -> NicPlace | None:
    """The NIC with this IP address."""
    for place in list_nics(plan):
        if any(nic_address.partition("/")[0] == address for nic_address in place.nic.addresses or ()):
            return place
    return None


def list_nics_of_subnet(plan: Plan, address: str) -> list[NicPlace]:
    """The NICs of the plan in whose subnet an address is."""
    return [
        nic
        for nic in list_nics(plan)
        if any(_contains(ip_interface(text).network, address) for text in nic.nic.addresses or ())
    ]


def _contains(network: IPv4Network | IPv6Network, address: str) -> bool:
    try:
        return ip_address(address) in network
    except ValueError:  # a name
        return False


def list_used_nics(host: Host, assumptions: list[str]) -> list[Nic]:
    """NICs that a job uses and that are up: those in its launch environment, else all with a rail, else all."""
    active_nics = [nic for nic in host.nics.values() if nic.link.up is not False]
    devices = host.launch.rdma_devices
    if devices:
        return [nic for nic in active_nics if nic.rdma_device in devices]
    assumptions.append("the job uses every NIC with a rail")
    return [nic for nic in active_nics if nic.rail is not None] or active_nics


def find_ends_by_gid(run: Run, plan: Plan) -> tuple[str, str] | None:
    """Client and server NIC as HOST:NIC, where the GIDs of a perftest log name both; else None."""
    if run.tool != "perftest":
        return None
    local, remote = (find_nic_by_gid(gid, plan) for gid in (run.parameters.local_gid, run.parameters.remote_gid))
    device = run.parameters.rdma_device
    if local is None or remote is None or (device is not None and nic_with_device(plan, device) is None):
        return None
    return (str(remote), str(local)) if run.parameters.side == "server" else (str(local), str(remote))


def find_logged_ends(run: Run, plan: Plan) -> list[NicPlace]:
    """The NICs of the plan, one for each end, that have the GIDs or addresses of a log; empty where it has none.

    A log whose RDMA device the plan does not contain is of other hosts: many clusters use the same private addresses.
    """
    parameters = run.parameters
    device = parameters.rdma_device
    if device is not None and nic_with_device(plan, device) is None:
        return []
    gids = [find_nic_by_gid(gid, plan) for gid in (parameters.local_gid, parameters.remote_gid)]
    remote = parameters.remote_address or parameters.server_address
    addressed = [nic_with_address(plan, address) if address else None for address in (parameters.local_address, remote)]
    return [nic for nic in (gids if any(gids) else addressed) if nic is not None]


def list_other_addresses(run: Run, plan: Plan) -> list[str]:
    """The IP addresses of NICs in a log, of which no NIC of the plan has one or has it in its subnet.

    None where hosts of the plan have no addresses, and none of a loopback interface or a name.
    """
    if not any(nic.nic.addresses for nic in list_nics(plan)):
        return []
    parameters = run.parameters
    gids = [parse_gid(gid) for gid in (parameters.local_gid, parameters.remote_gid)]
    mapped = [".".join(map(str, gid[-4:])) for gid in gids if gid is not None and gid.startswith(MAPPED_PREFIX)]
    stated = [parameters.local_address, parameters.remote_address or parameters.server_address]
    addresses = dict.fromkeys((*mapped, *(address for address in stated if address and _is_of_nic(address))))
    return [] if any(list_nics_of_subnet(plan, address) for address in addresses) else list(addresses)


def _is_of_nic(address: str) -> bool:
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:  # a name
        return False
    return not (parsed.is_loopback or parsed.is_link_local or parsed.is_unspecified)


def find_nic_by_gid(printed: str | None, plan: Plan) -> NicPlace | None:
    """The NIC whose IPv4 address a GID contains."""
    gid = parse_gid(printed)
    if gid is None or not gid.startswith(MAPPED_PREFIX):
        return None
    return nic_with_address(plan, ".".join(map(str, gid[-4:])))


def parse_gid(printed: str | None) -> bytes | None:
    """A GID of the log; perftest prints its bytes in decimal."""
    octets = (printed or "").split(":")
    if len(octets) != 16 or not all(octet.isdecimal() and int(octet) < 256 for octet in octets):
        return None
    return bytes(map(int, octets))


def is_link_local(gid: bytes) -> bool:
    """Whether a GID is a link-local IPv6 address, which every port has without configuration."""
    return gid.startswith(_LINK_LOCAL)


_LINK_LOCAL = bytes([0xFE, 0x80])

MAPPED_PREFIX = bytes([*[0] * 10, 255, 255])
"""First bytes of the GID of an IPv4 address (RFC 4291, 2.5.5.2)."""


def is_loopback(ends: Sequence[NicPlace]) -> bool:
    """Whether both ends are the same NIC."""
    return len(ends) > 1 and (ends[0].host, ends[0].interface) == (ends[1].host, ends[1].interface)


def nic_speed(plan: Plan, place: NicPlace) -> Bandwidth | None:
    """The speed of a NIC: as planned, else by the catalogue."""
    return catalogue_speed(plan, place.nic) if place.nic.link.speed is None else place.nic.link.speed


def nic_slot(plan: Plan, place: NicPlace, assumptions: list[str]) -> pcie.Slot | None:
    """The PCIe slot of a NIC, None where neither plan nor catalogue know it."""
    return build_slot(nic_function(plan, place.host, place.nic), assumptions)


def gpu_slot(plan: Plan, host: str, gpu: str | None, assumptions: list[str]) -> pcie.Slot | None:
    """The PCIe slot of a GPU, None where neither plan nor catalogue know it."""
    return build_slot(gpu_function(plan, host, gpu), assumptions) if gpu else None


def find_path_mtu(plan: Plan, place: NicPlace) -> int | None:
    """The RDMA path MTU a NIC is planned to have, bytes."""
    path = build_path(place.nic, [], speed=nic_speed(plan, place))
    return path.path_mtu if path else None


def has_rdma(plan: Plan, host: str) -> bool:
    """Whether the traffic of jobs is planned over RDMA devices of this host."""
    return any(nic.rdma_device for nic in list_used_nics(plan.hosts[host], []))


DEFAULT_MTU = 1500
"""Bytes: the MTU of an Ethernet interface without a setting (RFC 894; `ether_setup` of Linux)."""


@dataclass(frozen=True, slots=True)
class SocketLimits:
    """The limits of TCP over one interface in one direction, Gb/s: without TCP options, and with Linux' timestamps."""

    physical: Bound
    reachable: Bound
    speed: Bandwidth


def find_socket_limits(
    plan: Plan, place: NicPlace, assumptions: list[str], *, ipv6: bool = False
) -> SocketLimits | None:
    """The limits of TCP over an interface: line rate times framing, and the PCIe slot; None without its speed.

    An interface over a PCIe bridge between two hosts sends no Ethernet frames: its slot is the physical limit, and what
    its driver was measured with the reachable one.
    """
    speed = nic_speed(plan, place)
    if speed is None:
        return None
    slot = nic_slot(plan, place, assumptions)
    slot_terms = [pcie.one_way(slot)] if slot is not None else []
    model = plan.hardware.nics.get(place.nic.model or "")
    if model is not None and model.ntb is not None and slot_terms:
        slot_term = replace(slot_terms[0], name=f"PCIe slot of {place.interface}")
        reached = tightest([*list_ip_driver_terms(plan, place.nic, place.interface), slot_term], assumptions)
        return SocketLimits(tightest([slot_term], assumptions), reached, speed)
    mtu = place.nic.link.mtu
    if mtu is None:
        mtu = DEFAULT_MTU
        assumptions.append(f"MTU {mtu} of {place.interface}, the default: none is planned")
    physical = tcp.tcp(speed, mtu, ipv6=ipv6)
    reachable = tcp.tcp(speed, mtu, ipv6=ipv6, timestamps=True)
    return SocketLimits(
        tightest([physical, *slot_terms], assumptions), tightest([reachable, *slot_terms], assumptions), speed
    )


def list_hosts_of_ranks(run: Run, ranks: int, communicator: Communicator | None) -> list[str]:
    """The host of each rank, in their order, as the tool or NCCL prints it; empty where it is not printed for all."""
    places = run.parameters.rank_places
    if len(places) == ranks and all(str(rank) in places for rank in range(ranks)):
        return [places[str(rank)].host for rank in range(ranks)]
    printed = {} if communicator is None else {place.rank: place.host for place in communicator.places or ()}
    hosts = [host for rank in range(ranks) if (host := printed.get(rank))]
    is_whole = len(hosts) == ranks and run.parameters.nodes in (None, len(set(hosts)))
    return hosts if is_whole else []
