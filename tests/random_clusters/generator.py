"""Random cluster files: any server, NIC, operating system, switch, fabric and option of the catalogue, by a seed.

Every leaf and server of the catalogue occurs. The parts of a base fit (speeds, ports, addresses): a refusal of it
is a fault. Options are then added one by one; the program refuses those that this hardware or its operating system
lacks, and they are left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from wirespeed.catalogue import load
from wirespeed.cluster import read_text
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build
from wirespeed.render import check
from wirespeed.units import Bandwidth

T = TypeVar("T")
File = dict[str, Any]

SEEDS = range(100)

_HOST_SYSTEMS = (
    *("ubuntu-20.04", "ubuntu-22.04", "ubuntu-24.04", "ubuntu-26.04", "rhel-8.8", "rhel-9.6", "rhel-10.0"),
    *("rocky-9.4", "almalinux-9.4", "sles-15.6", "sles-16.0"),
)
_RENDERERS = ("netplan", "networkd", "networkmanager", "wicked")
_RELEASES = {
    "sonic": ("202211", "202305", "202311", "202405", "202411", "202505"),
    "dell-sonic": ("4.1.0", "4.2.0", "4.4.0", "4.5.0"),
    "eos": ("4.28.0F", "4.31.2F", "4.33.1F"),
    "junos": ("23.4R2", "24.4R1"),
    "nxos": ("10.3(3)", "10.4(2)"),
    "cumulus": ("5.3.0", "5.6.0", "5.9.1", "5.15.0"),
    "supermicro-sonic": ("4.4.0",),
}
_SCHEMES = {4: ("link-31", "rail-24", "leaf-26"), 6: ("link-127", "rail-64", "leaf-64")}
_SHAPES = ("leaf", "leaf", "leaf-spine", "leaf-spine", "two-leaves", "pods", "planes")
_JUNOS_SPEED = Bandwidth.parse("200 Gb/s")  # no statement for the FEC of slower ports is known
_PARENTS = {
    "fabric": "fabric",
    "routing": "fabric",
    "addresses.fabric": "fabric",
    "classes.roce": "classes.roce",
    "storage class": "classes.roce",
    "lossless storage class": "classes.roce",
    "switches.*.ecn": "classes.roce",
    "switches.*.watchdog": "classes.roce",
}
"""Options by the beginning of their path, and the part of the file that they are options of."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Choices of one seed. Each depends on the seed and its name alone, so a new one changes no other."""

    seed: int

    def number(self, name: str) -> int:
        """A large whole number."""
        return int.from_bytes(hashlib.sha256(f"{self.seed} {name}".encode()).digest()[:8])

    def choose(self, name: str, values: Sequence[T]) -> T:
        """One of the values."""
        return values[self.number(name) % len(values)]

    def happens(self, name: str, percent: int) -> bool:
        """Whether an option is tried."""
        return self.number(name) % 100 < percent


@dataclass(frozen=True, slots=True)
class RandomCluster:
    """A cluster file that the program accepts, its plan, and the options that were refused with the messages."""

    seed: int
    text: str
    plan: Plan
    refusals: tuple[tuple[str, str], ...] = field(default=(), repr=False)


@cache
def make_cluster(seed: int) -> RandomCluster:
    """The cluster of a seed. A refusal of its base is raised."""
    draw = Draw(seed)
    file = _make_base(draw)
    plan = _build_plan(file)
    refusals = []
    for name, changes in _list_options(draw, file):
        changed = _merge(file, changes)
        try:
            plan = _build_plan(changed)
        except Refusal as refusal:
            refusals.append((name, str(refusal)))
        else:
            file = changed
    return RandomCluster(seed, _format_file(file), plan, tuple(refusals))


def _build_plan(file: File) -> Plan:
    plan = build(read_text(_format_file(file), "cluster.yaml"))
    check(plan)
    return plan


def _format_file(file: File) -> str:
    return json.dumps(file, indent=1)  # JSON is YAML


def _make_base(draw: Draw) -> File:
    """A file of required keys."""
    leaf, system = _list_switches()[draw.seed % len(_list_switches())]
    host, nics, nic = _make_host(draw, leaf, system)
    shape = draw.choose("shape", _SHAPES)
    if shape == "planes" and nics % 2:
        shape = "leaf-spine"
    leaves = 1 if shape == "leaf" else 4 if shape == "pods" else 2
    ports = leaves * load().switches[leaf].ports.value // 2  # half of them for uplinks
    hosts = max(leaves, min(draw.choose("hosts", (2, 2, 3, 4, 4, 6, 8)), ports // nics) // leaves * leaves)
    version = 6 if draw.happens("IPv6", 25) else 4
    scheme = draw.choose("scheme", _SCHEMES[version])
    if scheme.startswith("rail") and shape in ("leaf-spine", "pods", "planes"):
        scheme = _SCHEMES[version][0]
    if scheme.startswith("rail") and shape == "two-leaves" and nics == 1:
        scheme = _SCHEMES[version][0]
    pattern = "by-rail" if scheme.startswith("rail") else draw.choose("pattern", ("by-host", "by-rail"))
    switches = _make_switches(draw, shape, leaf, system)
    file: File = {
        "version": 1,
        "name": f"random-{draw.seed}",
        "hosts": {f"node[1-{hosts}]": host},
        "switches": switches,
        "cabling": {"pattern": pattern, "length": "3 m"},
        "addresses": {"scheme": scheme, "pool": "10.1.0.0/16" if version == 4 else "fd00:1::/48"},
        "classes": _make_classes(draw, switches, nic),
    }
    if shape in ("leaf-spine", "pods", "planes"):
        file["addresses"]["loopbacks"] = "10.255.0.0/24"
        tier = {"uplinks": 2, "length": draw.choose("uplink length", ("5 m", "30 m", "100 m"))}
        file["fabric"] = {"leaf_spine": tier}
        if shape == "pods":
            file["fabric"] |= {"pods": 2, "spine_core": dict(tier)}
        if shape == "planes":
            file["fabric"] |= {"planes": 2}
    return file


def _list_switches() -> list[tuple[str, str]]:
    return [(name, system) for name, model in load().switches.items() for system in model.systems]


_MOST_SPEEDS = 16
"""NICs as slow as this fraction of a switch port are not drawn: the off-chip buffer of a 7804R3 drains for 4 s at
25 Gb/s, which is longer than a pause that its watchdog allows, and such a plan is refused."""


def _make_host(draw: Draw, switch: str, system: str) -> tuple[File, int, str]:
    """A host whose NICs fit the switch; the number of its NIC ports, and their model."""
    name = sorted(load().servers)[draw.seed % len(load().servers)]
    server = load().servers[name]
    speeds = {
        nic: model.speed.value
        for nic, model in load().nics.items()
        if model.driver is not None
        and model.speed.value <= load().switches[switch].speed.value < _MOST_SPEEDS * model.speed.value
    }
    nic = draw.choose("NIC", sorted(nic for nic in speeds if system != "junos" or speeds[nic] >= _JUNOS_SPEED))
    slots = len(server.nic_slots)
    count = draw.choose("NICs", sorted({1, slots, max(1, slots // 2)}))
    host: File = {"model": name, "os": draw.choose("host system", _HOST_SYSTEMS), "nics": f"{count} x {nic}"}
    if any(slot.interface is None for slot in server.nic_slots[:count]):
        host["interfaces"] = [f"ens{number + 1}np0" for number in range(count)]
    return host, count, nic


def _make_switches(draw: Draw, shape: str, leaf: str, system: str) -> File:
    part = {"model": leaf, "os": system}
    if shape == "leaf":
        return {"leaf1": {**part, "role": "leaf"}}
    if shape == "two-leaves":
        return {"leaf[1-2]": {**part, "role": "leaf"}}
    spine, spine_system = (leaf, system) if draw.happens("same spine", 60) else draw.choose("spine", _list_switches())
    spine_part = {"model": spine, "os": spine_system}
    if shape == "pods":
        return {
            "leaf[1-4]": {**part, "role": "leaf"},
            "spine[1-4]": {**spine_part, "role": "spine"},
            "core[1-2]": {**spine_part, "role": "core"},
        }
    return {"leaf[1-2]": {**part, "role": "leaf"}, "spine[1-2]": {**spine_part, "role": "spine"}}


def _make_classes(draw: Draw, switches: File, nic: str) -> File:
    """The traffic classes; on a switch whose queues have the numbers of priorities, the queue too."""
    if any(switch["os"] not in load().switches[switch["model"]].lossless_systems for switch in switches.values()):
        return {}
    priority = draw.choose("priority", (3, 3, 3, 4, 5))
    roce: File = {
        "dscp": draw.choose("DSCP", (26, 26, 24, 32, 34, 40)),
        "priority": priority,
        "lossless": True,
        "share": draw.choose("share", ("50%", "50%", "40%", "70%")),
    }
    for switch in switches.values():
        if priority != 3 and switch["os"] in ("eos", "cumulus"):
            switch["classes"] = {"roce": {"traffic_class": priority, "queue": priority}}
    if load().nics[nic].driver == "ice":
        return {"roce": roce}
    cnp = {"dscp": draw.choose("CNP DSCP", (48, 48, 46, 36)), "priority": draw.choose("CNP priority", (6, 7))}
    return {"roce": {**roce, "congestion": "dcqcn-p"}, "cnp": {**cnp, "strict": True}}


def _list_options(draw: Draw, file: File) -> Iterator[tuple[str, File]]:
    """Options that are tried, by name, each as the keys that it adds."""
    for name, percent, path, values in _OPTIONS:
        parents = [parent for start, parent in _PARENTS.items() if (path or name).startswith(start)]
        if draw.happens(name, percent) and all(_has(file, parent) for parent in parents):
            yield name, _expand(_nest(path, draw.choose(f"{name} value", values)), file)
    for name, switch in file["switches"].items():
        if draw.happens("release", 60):
            yield "release", {"switches": {name: {"os_version": draw.choose(name, _RELEASES[switch["os"]])}}}


def _has(file: File, path: str) -> bool:
    """Whether the file has an entry at a path."""
    first, _, lower_path = path.partition(".")
    return first in file and (not lower_path or _has(file[first], lower_path))


def _nest(path: str, value: Any) -> File:
    """A value below a path."""
    for name in reversed(path.split(".") if path else []):
        value = {name: value}
    return value  # type: ignore[no-any-return]


def _expand(changes: Any, file: Any) -> Any:
    """Changes with the names of the file's entries instead of ``*``."""
    if not isinstance(changes, dict):
        return changes
    named = dict.fromkeys(file, changes["*"]) if "*" in changes else changes
    return {name: _expand(value, file.get(name, {}) if isinstance(file, dict) else {}) for name, value in named.items()}


def _merge(file: File, changes: File) -> File:
    """A file with other keys, on every level."""
    merged = dict(file)
    for key, value in changes.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _make_storage_class(number: int, is_lossless: bool, keys: Sequence[str]) -> File:
    """A class with its queue on switches, by the keys of some systems, and its traffic class on NICs."""
    nic = {"traffic_class": 4}
    queue = dict.fromkeys(keys, number)
    part = {"dscp": 18, "priority": number, "share": "20%", "nic": nic, **({"lossless": True} if is_lossless else {})}
    return {"classes": {"storage": part}, "switches": {"*": {"classes": {"storage": queue}}}}


_QUEUE_KEYS = (("traffic_class", "queue"), ("traffic_class", "queue", "priority_group"))

_OPTIONS: tuple[tuple[str, int, str, Sequence[Any]], ...] = (
    ("NIC cable", 30, "cabling.cable", ("dac-400g", "fibre-400g")),
    ("NIC cable length", 40, "cabling.length", ("1 m", "2 m", "3 m", "5 m", "30 m")),
    ("uplink cable", 40, "fabric.leaf_spine.cable", ("fibre-400g",)),
    ("uplinks", 40, "fabric.leaf_spine.uplinks", (2, 4, 8)),
    ("breakout", 40, "switches.*.breakout", (2, 4)),
    ("renderer", 50, "hosts.*.renderer", _RENDERERS),
    ("MTU of hosts", 30, "hosts.*.mtu", (1500, 4200, 9000)),
    ("ports per card", 20, "hosts.*.ports_per_card", (1, 2)),
    ("tuning", 15, "hosts.*.tuning", ("esnet-dtn",)),
    ("CPU", 5, "hosts.*.cpu", ("amd", "intel")),
    ("memory", 15, "hosts.*.memory", ("512 GiB", "2048 GiB")),
    ("control interface", 25, "hosts.*.control_interface", ("eno1",)),
    ("ethernet", 15, "hosts.*.ethernet", ({"eno2": {"address": "192.0.2.1/24", "speed": "10 Gb/s"}},)),
    ("BIOS", 15, "hosts.*.bios", ({"smt": "disabled"}, {"sr-iov": "enabled"})),
    ("NUMA nodes of a socket", 15, "hosts.*.bios", ({"nps": "1"}, {"nps": "2"}, {"sub-numa": "enabled"})),
    ("NVRAM", 20, "hosts.*.nvm", ({"relaxed_ordering": True}, {"sriov": True}, {"outstanding_reads": 44})),
    ("kernel", 15, "hosts.*.software.kernel", ("5.15.0-91-generic",)),
    ("ROCm", 25, "hosts.*.software.rocm", ("6.2.4", "7.1.0")),
    ("peer memory", 10, "hosts.*.software.peer_memory", (True, False)),
    (
        "NIC packages",
        20,
        "hosts.*.software.nic_packages",
        ({"doca-ofed": "3.2.1"}, {"doca-ofed": "2.9.2"}, {"netxtreme-peer-mem": "236.1.155.0"}),
    ),
    ("GPU driver", 20, "hosts.*.software.gpu_driver", ("470.182.03", "535.104.05", "550.54.15")),
    ("CUDA", 20, "hosts.*.software.cuda", ("11.4", "12.2", "12.4")),
    ("nccl-tests", 15, "hosts.*.software.nccl_tests", ("v2.13.6",)),
    ("MTU of switches", 15, "switches.*.mtu", (9000, 9100)),
    (
        "watchdog action",
        25,
        "switches.*.watchdog",
        tuple({"action": action} for action in ("drop", "forward", "alert")),
    ),
    (
        "watchdog times",
        25,
        "switches.*.watchdog",
        ({"detect": "200 ms", "restore": "400 ms"}, {"detect": "600 ms", "restore": "1200 ms", "poll": "300 ms"}),
    ),
    (
        "ECN",
        30,
        "switches.*.ecn",
        (
            {"minimum": "700 kB", "maximum": "1900 kB", "probability": "33%"},
            {"minimum_fill": "30%", "maximum_fill": "70%"},
            {"probability": "5%"},
        ),
    ),
    (
        "buffers",
        30,
        "switches.*.buffers",
        (
            {"lossless_share": "50%", "headroom_share": "30%", "lossy_share": "20%"},
            {"shared_headroom": "4 MB"},
            {"dynamic_threshold": 7},
            {"egress_lossless_share": "50%", "egress_lossy_share": "50%"},
        ),
    ),
    (
        "load balancing",
        30,
        "switches.*.load_balancing",
        (
            {"mode": "static"},
            {"mode": "flowlet", "flowlet_gap": "200 us", "flowlet_table": 256},
            {"mode": "per-packet"},
            {"mode": "assigned-flow"},
        ),
    ),
    ("latency", 10, "switches.*.latency", ("800 ns",)),
    (
        "queues",
        20,
        "switches.*.classes",
        (
            {"roce": {"traffic_class": 4, "queue": 4}},
            {"roce": {"traffic_class": 4, "queue": 4, "priority_group": 4}},
            {"cnp": {"traffic_class": 5, "queue": 5}},
        ),
    ),
    ("IPv4 between switches", 50, "addresses.fabric", ("10.2.0.0/23",)),
    ("IPv6 between switches", 50, "addresses.fabric", ("fd00:2::/64",)),
    ("underlay", 15, "routing.underlay", ("bgp-unnumbered", "bgp-numbered", "none")),
    ("BFD", 30, "routing.bfd", (True, False)),
    ("ECMP", 20, "routing.ecmp", (2, 16)),
    ("AS numbers", 20, "routing.asn", ({"per": "switch"}, {"base": 64512, "leaves": 64600})),
    ("management", 20, "addresses.management", ("172.16.0.0/24",)),
    ("ARP", 10, "addresses.arp_ignore", (1, 2)),
    ("DCQCN-D", 25, "classes.roce.congestion", ("dcqcn-d",)),
    ("one NIC", 10, "hosts.*.except", ({"node2": {"mtu": 4200}}, {"node2": {"os": "ubuntu-22.04"}})),
    ("several DSCPs", 15, "classes.roce.dscp", ([26, 27], "24-31")),
    ("storage class", 50, "", [_make_storage_class(2, False, keys) for keys in _QUEUE_KEYS]),
    ("lossless storage class", 20, "", [_make_storage_class(4, True, keys) for keys in _QUEUE_KEYS]),
    ("ECT", 10, "classes.roce.nic.ect", ("ect0", "ect1")),
    ("congestion parameters", 20, "classes.roce.nic.congestion_parameters", ({"g": 8}, {"rpg_gd": 8})),
    ("receive buffer", 10, "classes.roce.nic", ({"buffer": 1, "buffer_size": "100 KiB"},)),
    ("library", 50, "launch.library", tuple(load().libraries)),
    ("launcher", 40, "launch.launcher", ("mpirun", "mpirun-rsh", "hydra", "slurm")),
    ("ranks", 25, "launch.ranks", (1, 2, 8)),
    ("binding", 25, "launch.binding", ("bunch", "scatter", "linear", "compact", "numa")),
    ("GID index", 15, "launch.gid_index", (3, 5)),
    ("queue pairs", 15, "launch.queue_pairs", (4,)),
    ("environment", 15, "launch.environment", ({"NCCL_DEBUG": "INFO"},)),
    ("rdma", 10, "launch.rdma", (True, False)),
)
"""Name, how often it is tried in percent, path in the cluster file, values."""
