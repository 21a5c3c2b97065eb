"""Design of a lab of machines: each host is connected to its namespace, which holds its cables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wirespeed.lab.design import Design
from wirespeed.lab.kernel import Setup
from wirespeed.lab.names import mac
from wirespeed.lab.rdma.machine import Machine, Nic
from wirespeed.plan import Plan
from wirespeed.results.lab import LabEnd, Role

MANAGEMENT_HERE = "169.254.77.254"
"""This side of the network that ssh uses. Addresses of one link alone, and outside of every plan (RFC 3927)."""

_SUBNET, _LENGTH = "169.254.77", 24
MAX_MACHINES = 64  # machines; each takes a GiB of memory
_MANAGEMENT, _TAP = "mgmt0", "tap0"


def address(number: int) -> str:
    """The management address of the n-th machine, counted from 0."""
    return f"{_SUBNET}.{number + 1}"


def list_machines(plan: Plan, design: Design) -> tuple[Machine, ...]:
    """The hosts as machines, each NIC on its planned address, MTU and RDMA device."""
    hosts = [device.name for device in design.devices if device.role is Role.HOST]
    return tuple(
        Machine(host, _list_nics(plan, design, host), f"{address(number)}/{_LENGTH}")
        for number, host in enumerate(hosts)
    )


def _list_nics(plan: Plan, design: Design, host: str) -> tuple[Nic, ...]:
    nics = []
    for number, end in enumerate(_list_ends(design, host), start=1):
        planned_nic = plan.hosts[host].nics[end.port]
        row = min((int(index) for index in planned_nic.gids or ()), default=1)
        mtu = planned_nic.link.mtu or 1500  # what Ethernet has where nothing is planned (IEEE 802.3, 3.2.7)
        nics.append(Nic(end.interface, end.mac, mtu, f"tap{number}", planned_nic.rdma_device, row))
    return (*nics, Nic(_MANAGEMENT, mac(plan.name, host, _MANAGEMENT), 1500, _TAP))


def use_machines(plan: Plan, design: Design) -> Design:
    """The design with hosts that are machines: nothing runs in their namespaces but an emulator, behind bridges."""
    devices = tuple(
        replace(device, daemons=(), expects=(), machine=True) if device.role is Role.HOST else device
        for device in design.devices
    )
    hosts = [device.name for device in devices if device.machine]
    setups = {
        name: _build_setup(plan, design, name) if name in hosts else setup for name, setup in design.setups.items()
    }
    return replace(design, devices=devices, files={}, setups=setups)


def _list_ends(design: Design, host: str) -> list[LabEnd]:
    return [end for link in design.links for end in (link.a, link.b) if end.device == host]


def _build_setup(plan: Plan, design: Design, host: str) -> Setup:
    lines = ["link set dev lo up"]
    for number, end in enumerate(_list_ends(design, host), start=1):
        mtu = plan.hosts[host].nics[end.port].link.mtu or 1500
        # The planned address is the machine's own; a bridge would keep what is for it.
        lines.append(f"link set dev {end.interface} address {mac(plan.name, host, f'cable {end.port}')}")
        lines += _format_bridge(f"bridge{number}", f"tap{number}", end.interface, mtu)
    lines += _format_bridge("bridge0", _TAP, None, 1500)
    # Bridges and what is plugged into them have no separate addresses.
    return Setup({"net/ipv6/conf/default/disable_ipv6": "1", "net/ipv6/conf/all/disable_ipv6": "1"}, tuple(lines))


def _format_bridge(bridge: str, tap: str, cable: str | None, mtu: int) -> Iterator[str]:
    yield f"link add name {bridge} type bridge mcast_snooping 0"
    yield f"tuntap add dev {tap} mode tap"
    for port in (tap, cable) if cable else (tap,):
        yield f"link set dev {port} mtu {mtu} master {bridge} up"
    yield f"link set dev {bridge} up"


def management(namespaces: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The network that ssh uses: by namespace, lines for `ip` that lead it to the first host's, and there to here."""
    first, *other_namespaces = namespaces
    bridge_commands = [f"address add {MANAGEMENT_HERE}/{_LENGTH} dev bridge0"]
    for number, namespace in enumerate(other_namespaces, start=2):
        cable = f"machine{number}"
        yield (
            namespace,
            (
                f"link add name machine1 type veth peer name {cable} netns {first}",
                "link set machine1 master bridge0 up",
            ),
        )
        bridge_commands.append(f"link set {cable} master bridge0 up")
    yield first, tuple(bridge_commands)
