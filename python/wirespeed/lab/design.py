"""Design of a lab: its devices, cables, names and settings. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from wirespeed.errors import refuse
from wirespeed.lab import fabric, networkd, readiness
from wirespeed.lab.host import File, HostFiles, sort_files
from wirespeed.lab.kernel import Setup
from wirespeed.lab.names import interfaces, mac, namespace
from wirespeed.lab.switch import setup as switch_setup
from wirespeed.plan import Plan
from wirespeed.results.lab import LabDevice, LabEnd, LabLink, Role
from wirespeed.settings import Switch

Speaker = Callable[[str, Switch], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Design:
    """A lab before it is built: its devices and cables, and the settings of each device."""

    name: str
    cluster: str
    devices: tuple[LabDevice, ...]
    links: tuple[LabLink, ...]
    files: Mapping[str, HostFiles]  # by host
    setups: Mapping[str, Setup]
    speakers: Mapping[str, Mapping[str, str]]  # by switch: its routing daemons, each with its configuration
    names: str  # /etc/hosts of every device


def design(
    plan: Plan,
    name: str,
    hosts: Sequence[str],
    files: Iterable[File],
    speaker: Speaker | None,
) -> Design:
    """Design a lab of hosts and the switches that they need.

    Args:
        plan: plan of the cluster.
        name: name of the lab.
        hosts: see `select_hosts`.
        files: the rendered files, host by host.
        speaker: the routing daemons of a switch with their configuration; None: the kernels have static routes
            instead.

    Raises:
        Refusal: the network of a host needs a service that does not run in a namespace.
    """
    host_files = sort_files(files)
    names = select_switches(plan, hosts)
    links = list_links(plan, [*hosts, *names])
    switches = {device: fabric.build_switch(plan, device, links) for device in names}
    speakers = {device: {} if speaker is None else speaker(device, switch) for device, switch in switches.items()}
    next_hops = fabric.list_expected_routes(switches, links)
    devices = list_devices(plan, name, hosts, switches, links, speakers, next_hops)
    ends: dict[str, list[LabEnd]] = {device.name: [] for device in devices}
    for link in links:
        for end in (link.a, link.b):
            ends[end.device].append(end)
    setups = {device: host_files[device].setup([end.interface for end in ends[device]]) for device in hosts}
    for device, switch in switches.items():
        routes = {} if speaker is not None else fabric.gateways(switches, next_hops.get(device, {}))
        setups[device] = switch_setup(
            plan.name, device, switch, {end.interface: end.port for end in ends[device]}, routes
        )
    return Design(name, plan.name, devices, links, host_files, setups, speakers, hosts_file(plan, hosts, links))


def select_hosts(plan: Plan, count: int | None) -> tuple[str, ...]:
    """The first hosts of the cluster file. None: all.

    Raises:
        Refusal: the cluster has fewer hosts.
    """
    hosts = tuple(plan.hosts)
    if count is not None and count > len(hosts):
        raise refuse("--hosts", f"{count} hosts", f"at most {len(hosts)}, the hosts of {plan.name}")
    if count == 0 or not hosts:
        raise refuse("--hosts", "no hosts", "at least one")
    return hosts[:count]


def select_switches(plan: Plan, hosts: Sequence[str]) -> tuple[str, ...]:
    """The switches that these hosts need: their leaves, and all switches on a shortest path between two leaves."""
    leaves: dict[str, None] = {}
    neighbours: dict[str, dict[str, None]] = {}
    for cable in plan.cables:
        for end, other_end in ((cable.a, cable.b), (cable.b, cable.a)):
            if end.device in plan.switches and other_end.device in plan.switches:
                neighbours.setdefault(end.device, {})[other_end.device] = None
    host_names = set(hosts)
    for cable in plan.cables:
        for end, other_end in ((cable.a, cable.b), (cable.b, cable.a)):
            if end.device in host_names and other_end.device in plan.switches:
                leaves[other_end.device] = None
    far = {leaf: _measure_distances(neighbours, leaf) for leaf in leaves}
    needed_switches = set(leaves)
    for leaf, other_leaf in combinations(leaves, 2):
        whole = far[leaf].get(other_leaf)
        if whole is None:
            continue
        needed_switches |= {
            switch for switch, steps in far[leaf].items() if steps + far[other_leaf].get(switch, whole + 1) == whole
        }
    return tuple(switch for switch in plan.switches if switch in needed_switches)


def list_devices(
    plan: Plan,
    lab: str,
    hosts: Sequence[str],
    switches: Mapping[str, Switch],
    links: Sequence[LabLink],
    speakers: Mapping[str, Iterable[str]],
    next_hops: Mapping[str, Mapping[str, Sequence[fabric.Hop]]],
) -> tuple[LabDevice, ...]:
    """The devices with their namespaces, hosts first. ``switches`` are those of the lab, as they are in it."""
    interfaces_by_device: dict[str, list[str]] = {}
    for link in links:
        for end in (link.a, link.b):
            interfaces_by_device.setdefault(end.device, []).append(end.interface)
    lab_devices = []
    for name in hosts:
        has = readiness.list_host_lines(plan.hosts[name], interfaces_by_device.get(name, ()))
        lab_devices.append(LabDevice(name, Role.HOST, namespace(lab, name), (networkd.DAEMON,), has))
    for name, switch in switches.items():
        has = readiness.list_switch_lines(switch, next_hops.get(name, {}))
        lab_devices.append(LabDevice(name, Role.SWITCH, namespace(lab, name), tuple(speakers[name]), has))
    return tuple(lab_devices)


def list_links(plan: Plan, devices: Sequence[str]) -> tuple[LabLink, ...]:
    """The cables that have both ends on these devices."""
    device_names = set(devices)
    cables = [cable for cable in plan.cables if {cable.a.device, cable.b.device} <= device_names]
    ports: dict[str, dict[str, None]] = {}
    for cable in cables:
        for end in (cable.a, cable.b):
            ports.setdefault(end.device, {})[end.port] = None
    names = {device: interfaces(port_names) for device, port_names in ports.items()}

    def build_end(device: str, port: str) -> LabEnd:
        return LabEnd(device, port, names[device][port], _find_mac(plan, device, port))

    return tuple(
        LabLink(build_end(cable.a.device, cable.a.port), build_end(cable.b.device, cable.b.port), cable.rail)
        for cable in cables
    )


def hosts_file(plan: Plan, hosts: Sequence[str], links: Sequence[LabLink]) -> str:
    """Names of the hosts' addresses: the name of a host is its first NIC; HOST-NIC is each NIC."""
    lines = ["127.0.0.1 localhost", "::1 localhost"]
    cabled_ends = {(end.device, end.port) for link in links for end in (link.a, link.b)}
    for host in hosts:
        aliases = [host]
        for nic, planned_nic in plan.hosts[host].nics.items():
            if (host, nic) in cabled_ends and planned_nic.addresses:
                lines.append(" ".join((planned_nic.addresses[0].partition("/")[0], *aliases, f"{host}-{nic}")))
                aliases = []
    return "".join(f"{line}\n" for line in lines)


def _find_mac(plan: Plan, device: str, port: str) -> str:
    host = plan.hosts.get(device)
    planned_mac = host.nics[port].mac if host is not None and port in host.nics else None
    return planned_mac or mac(plan.name, device, port)


def _measure_distances(neighbours: Mapping[str, Mapping[str, None]], start: str) -> dict[str, int]:
    """The number of cables to every reachable switch."""
    steps = {start: 0}
    queue = deque([start])
    while queue:
        device = queue.popleft()
        for neighbour in neighbours.get(device, ()):
            if neighbour not in steps:
                steps[neighbour] = steps[device] + 1
                queue.append(neighbour)
    return steps
