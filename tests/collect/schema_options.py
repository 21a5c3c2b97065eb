"""Every option of the cluster file, with values: names, flags and choices come from the model of the file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from types import UnionType
from typing import Any, Union, get_args, get_origin

from wirespeed.cluster.host import HostPart
from wirespeed.cluster.launch import LaunchPart
from wirespeed.cluster.model import ClassPart
from wirespeed.cluster.part import Part
from wirespeed.cluster.switch import SwitchPart

INTERFACE, CONTROL = "eth1", "eno1"

FIXED = {
    *("HostPart.model", "HostPart.os", "HostPart.nics", "HostPart.interfaces"),
    *("SwitchPart.model", "SwitchPart.os", "SwitchPart.role"),
    *("LaunchPart.library", "LaunchPart.launcher"),
    *("ClassPart.dscp", "ClassPart.priority", "ClassPart.lossless", "ClassPart.strict", "ClassPart.share"),
}
"""Keys that every file of this test has."""

ELSEWHERE = {
    "HostPart.ethernet",  # hosts without switches: example pcie-lending
    "HostPart.ntb",  # hosts with bridges: example pcie-lending
    "HostPart.exceptions",  # the same keys again, for some hosts
    "SwitchPart.exceptions",
}

VALUES: Mapping[str, Sequence[Any]] = {
    "HostPart.bios": [{"sr-iov": "enabled"}, {"smt": "disabled"}],
    "HostPart.control_interface": [CONTROL],
    "HostPart.cpu": ["amd", "intel"],
    "HostPart.kernel_parameters": [["net.ifnames=0", "pci=realloc=off"]],
    "HostPart.memory": ["2048 GiB"],
    "HostPart.mtu": [1500, 9000],
    "HostPart.ports_per_card": [1],
    "HostPart.renderer": ["netplan", "networkd", "networkmanager", "wicked"],
    "HostPart.tuning": ["esnet-dtn"],
    "NvmPart.outstanding_reads": [44],
    "NicPart.address": ["10.1.77.1/31"],
    "NicPart.gateway": ["10.1.78.0/31"],
    "NicPart.max_payload": [256, 512],
    "NicPart.max_read_request": [512, 4096],
    "NicPart.mtu": [4200],
    "NicPart.pcie": ["0000:99:00.0"],
    "NicPart.rail": [1],
    "NicPart.rdma_device": ["rdma_1"],
    "NicPart.slot": ["gen5 x16"],
    "NicPart.speed": ["200 Gb/s"],
    "SoftwarePart.kernel": ["5.15.0-91-generic"],
    "SoftwarePart.nic_packages": [
        {"netxtreme-peer-mem": "236.1.155.0"},
        {"doca-ofed": "3.2.1"},
        {"doca-ofed": "2.9.2"},
    ],
    "SoftwarePart.nic_firmware": ["28.39.1002", "236.1.173.0"],
    "SoftwarePart.gpu_driver": ["470.182.03"],
    "SoftwarePart.rocm": ["7.1.0"],
    "SoftwarePart.cuda": ["11.4"],
    "SoftwarePart.nvhpc": ["21.9"],
    "SoftwarePart.gcc": ["9"],
    "SoftwarePart.nccl": ["2.18.3"],
    "SoftwarePart.nvcc_gencode": ["-gencode=arch=compute_35,code=sm_35"],
    "SoftwarePart.nccl_tests": ["v2.13.6"],
    "SoftwarePart.rccl": ["2.27.7"],
    "SoftwarePart.perftest": ["25.07.0-0.104"],
    "SoftwarePart.ucx": ["1.19.0"],
    "SoftwarePart.openmpi": ["5.0.8"],
    "SoftwarePart.rccl_tests": ["77ae744"],
    "SoftwarePart.osu": ["7.5.1"],
    "SoftwarePart.iperf3": ["3.16"],
    "SwitchPart.mtu": [1500, 9000],
    "SwitchPart.breakout": [2],
    "SwitchPart.os_version": ["202505"],
    "SwitchPart.latency": ["800 ns"],
    "SwitchPart.credit_latency": ["1 us"],
    "QueuePart.traffic_class": [3],
    "QueuePart.queue": [3],
    "QueuePart.priority_group": [3],
    "EcnPart.minimum": ["700 kB"],
    "EcnPart.maximum": ["1900 kB"],
    "EcnPart.probability": ["33%"],
    "EcnPart.minimum_fill": ["30%"],
    "EcnPart.maximum_fill": ["70%"],
    "WatchdogPart.detect": ["200 ms", "600 ms"],
    "WatchdogPart.restore": ["400 ms", "1200 ms"],
    "WatchdogPart.poll": ["100 ms", "200 ms"],
    "BuffersPart.lossless_share": ["50%"],
    "BuffersPart.headroom_share": ["30%"],
    "BuffersPart.lossy_share": ["20%"],
    "BuffersPart.shared_headroom": ["4 MB"],
    "BuffersPart.egress_lossless_share": ["50%"],
    "BuffersPart.egress_lossy_share": ["50%"],
    "BuffersPart.dedicated_ingress": ["20%"],
    "BuffersPart.dedicated_egress": ["20%"],
    "BuffersPart.dynamic_threshold": [7],
    "LoadBalancingPart.flowlet_gap": ["200 us"],
    "LoadBalancingPart.flowlet_table": [256],
    "PortPart.mtu": [9100],
    "PortPart.speed": ["200 Gb/s"],
    "PortPart.fec": ["rs", "fc", "none"],
    "PortPart.description": ["to the first host"],
    "NicClassPart.dscp": [26],
    "NicClassPart.traffic_class": [1],
    "NicClassPart.cos_queue": [4],
    "NicClassPart.congestion_parameters": [{"g": 8}, {"rpg_gd": 8}],
    "NicClassPart.buffer": [1],
    "NicClassPart.buffer_size": ["100 KiB"],
    "LaunchPart.ranks": [1, 2],
    "LaunchPart.threads": [2],
    "LaunchPart.gid_index": [3, 5],
    "LaunchPart.priority": [3],
    "LaunchPart.hybrid_from": [512],
    "LaunchPart.rc_connections": [32],
    "LaunchPart.rc_from_messages": [100],
    "LaunchPart.queue_pairs": [4],
    "LaunchPart.coalescing_from": [4],
    "LaunchPart.eager_sgl_limit": ["8 KiB"],
    "LaunchPart.channels": [4],
    "LaunchPart.environment": [{"X": "y"}],
}
"""Values of the keys whose type has no list of them."""

NEEDS: Mapping[str, Mapping[str, Any]] = {
    "NicPart.address": {"gateway": "10.1.77.0/31"},
    "NicPart.gateway": {"address": "10.1.78.1/31"},
    "SoftwarePart.cuda": {"gpu_driver": "470.182.03"},
    "SoftwarePart.nvhpc": {"gpu_driver": "470.182.03", "cuda": "11.4"},
    "SoftwarePart.gcc": {"gpu_driver": "470.182.03", "cuda": "11.4"},
    "SoftwarePart.nccl": {"gpu_driver": "470.182.03", "cuda": "11.4"},
    "SoftwarePart.nvcc_gencode": {"gpu_driver": "470.182.03", "cuda": "11.4", "nccl": "2.18.3"},
    "SoftwarePart.nccl_tests": {"gpu_driver": "470.182.03", "cuda": "11.4", "nccl": "2.18.3"},
    "SoftwarePart.rccl_tests": {"openmpi": "5.0.8"},
    "SoftwarePart.osu": {"openmpi": "5.0.8"},
    "SwitchPart.credit_latency": {"model": "arista-7280dr3-24", "os": "eos", "latency": "5 us"},
    "EcnPart.minimum": {"maximum": "1900 kB", "probability": "33%"},
    "EcnPart.maximum": {"minimum": "700 kB", "probability": "33%"},
    "EcnPart.minimum_fill": {"maximum_fill": "70%"},
    "EcnPart.maximum_fill": {"minimum_fill": "30%"},
    "LoadBalancingPart.flowlet_gap": {"mode": "flowlet"},
    "LoadBalancingPart.flowlet_table": {"mode": "flowlet", "flowlet_gap": "200 us"},
    "BuffersPart.lossless_share": {"headroom_share": "30%", "lossy_share": "20%"},
    "BuffersPart.headroom_share": {"lossless_share": "50%", "lossy_share": "20%"},
    "BuffersPart.lossy_share": {"lossless_share": "50%", "headroom_share": "30%"},
    "BuffersPart.egress_lossless_share": {"egress_lossy_share": "50%"},
    "BuffersPart.egress_lossy_share": {"egress_lossless_share": "50%"},
    "WatchdogPart.restore": {"detect": "200 ms"},
    "WatchdogPart.poll": {"detect": "600 ms", "restore": "1200 ms"},
    "NicClassPart.buffer_size": {"buffer": 1},
    "LaunchPart.hybrid_from": {"transport": "hybrid"},
    "LaunchPart.rc_connections": {"transport": "hybrid"},
    "LaunchPart.rc_from_messages": {"transport": "hybrid"},
    "LaunchPart.coalescing_from": {"coalescing": True},
    "LaunchPart.eager_sgl_limit": {"eager_sgl": True},
    "LaunchPart.gpu_direct_reads": {"gpu_direct": "PXB"},
    "LaunchPart.threads": {"binding": "spread"},
}
"""Other keys, or another model, that a key is refused without."""

ONE_HOST = {"NicPart.address", "NicPart.gateway"}
"""Keys that no two hosts of a range can share."""


def options(part: type[Part], keys: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each key below a part, with the part that has only this key. ``keys`` names the entries of its mappings."""
    for name, field in part.model_fields.items():
        path = f"{part.__name__}.{name}"
        if path in FIXED | ELSEWHERE:
            continue
        key, kind = field.alias or name, _kind(field.annotation)
        entries = get_args(kind)[1] if get_origin(kind) is dict else None
        if isinstance(entries, type) and issubclass(entries, Part):
            for inner, value in options(entries, keys):
                yield inner, {key: {keys[path]: value}}
        elif isinstance(kind, type) and issubclass(kind, Part):
            for inner, value in options(kind, keys):
                yield inner, {key: value}
        else:
            for value in _values(path, kind):
                yield path, {key: value, **NEEDS.get(path, {})}


def _values(path: str, kind: Any) -> Sequence[Any]:
    if path in VALUES:
        return VALUES[path]
    if kind is bool:
        return (True, False)
    assert isinstance(kind, type) and issubclass(kind, StrEnum), f"{path} is new: add values of it to VALUES"
    return [choice.value for choice in kind]


def _kind(annotation: Any) -> Any:
    if get_origin(annotation) in (UnionType, Union):
        annotation = next(kind for kind in get_args(annotation) if kind is not type(None))
    return annotation.__origin__ if hasattr(annotation, "__metadata__") else annotation


def host_options() -> Iterator[tuple[str, dict[str, Any]]]:
    """Parts of a host."""
    yield from options(HostPart, {"HostPart.nic": INTERFACE})


def switch_options(port: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Parts of a switch that has this port."""
    yield from options(SwitchPart, {"SwitchPart.ports": port, "SwitchPart.classes": "roce"})


def launch_options() -> Iterator[tuple[str, dict[str, Any]]]:
    """Parts of a launch."""
    yield from options(LaunchPart, {})


def class_options() -> Iterator[tuple[str, dict[str, Any]]]:
    """Parts of a lossless class."""
    yield from options(ClassPart, {})


def cluster(
    host: Mapping[str, Any], switch: Mapping[str, Any], roce: Mapping[str, Any], launch: Mapping[str, Any]
) -> str:
    """A cluster file of two hosts below two leaves and a spine; the parts replace or add keys."""
    base = {"model": switch["model"], "os": switch["os"]}
    switches = {"leaf[1-2]": {"role": "leaf", **switch}, "spine1": {"role": "spine", **base}}
    fabric = {"leaf_spine": {"uplinks": 2, "cable": "fibre-400g", "length": "10 m"}}
    return _write_file({"node[1-2]": host}, switches, fabric, roce, launch)


def host_cluster(
    hosts: Mapping[str, Mapping[str, Any]],
    switch: Mapping[str, Any],
    roce: Mapping[str, Any],
    launch: Mapping[str, Any],
) -> str:
    """A cluster file of hosts below one switch."""
    return _write_file(hosts, {"leaf1": {"role": "leaf", **switch}}, {}, roce, launch)


def _write_file(
    hosts: Mapping[str, Mapping[str, Any]],
    switches: Mapping[str, Mapping[str, Any]],
    fabric: Mapping[str, Any],
    roce: Mapping[str, Any],
    launch: Mapping[str, Any],
) -> str:
    file = {
        "version": 1,
        "name": "options",
        "hosts": {name: {"interfaces": [INTERFACE], **host} for name, host in hosts.items()},
        "switches": switches,
        "fabric": fabric,
        "cabling": {"pattern": "by-host", "length": "3 m"},
        "addresses": {"scheme": "link-31", "pool": "10.1.0.0/16", "loopbacks": "10.255.0.0/24"},
        "classes": {
            "roce": {"dscp": 26, "priority": 3, "lossless": True, "share": "50%", "congestion": "dcqcn-p", **roce},
            "cnp": {"dscp": 48, "priority": 7, "strict": True},
        },
        "launch": launch,
    }
    return json.dumps({key: value for key, value in file.items() if value}, indent=1)
