"""What the launch files need computed: environment variables, the host list, which NIC serves which GPU."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from wirespeed.errors import Problem, Refused
from wirespeed.settings import Device, Host, Launch

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Pair:
    """A NIC and the GPU it serves, as perftest names them."""

    rail: int
    rdma_device: str
    gpu: int | None
    interface: str
    address: str | None


def view(name: str, device: Device) -> Mapping[str, Any]:
    """Functions for the templates."""
    if not isinstance(device, Host):
        raise TypeError(f"{name} is no host")
    return {
        "rccl": lambda: rccl(name, device.launch),
        "ucx": lambda: ucx(device.launch),
        "hostfile": lambda: hostfile(device.launch.hosts or (), device.launch.ranks_per_host or 1),
        "pairing": lambda: list(pairing(device)),
    }


def rccl(name: str, launch: Launch) -> list[tuple[str, str]]:
    """RCCL's variables, the ones of the plan's settings first; the cluster file's own win.

    Raises:
        Refused: the cluster file names a variable that no shell takes, or a value of more than one line.
    """
    given = launch.environment or {}
    problems = [
        Problem(f"{name}: launch environment", repr(variable), "letters, digits and underscores, no digit first")
        for variable in given
        if not _VARIABLE.fullmatch(variable)
    ]
    problems += [
        Problem(
            f"{name}: launch environment",
            f"{variable} with {value!r}",
            "a value of one line, without control characters",
        )
        for variable, value in given.items()
        if not value.isprintable()
    ]
    if problems:
        raise Refused(problems)
    return list({**_derived(launch), **given}.items())


def _derived(launch: Launch) -> dict[str, str]:
    said: dict[str, str] = {}
    if launch.rdma_devices:
        # Without "=" a name is a prefix: bnxt_re1 would take bnxt_re10 too.
        said["NCCL_IB_HCA"] = "=" + ",".join(f"{device}:1" for device in launch.rdma_devices)
    if launch.gid_index is not None:
        said["NCCL_IB_GID_INDEX"] = str(launch.gid_index)
    if launch.dscp is not None:
        said["NCCL_IB_TC"] = str(launch.dscp.tos)
    if launch.control_interface is not None:
        said["NCCL_SOCKET_IFNAME"] = f"={launch.control_interface}"
    return said


def ucx(launch: Launch) -> list[tuple[str, str]]:
    """UCX's variables. Left alone it takes DSCP 26 and whichever row of the GID table it finds first."""
    said: list[tuple[str, str]] = []
    if launch.rdma_devices:
        said.append(("UCX_NET_DEVICES", ",".join(f"{device}:1" for device in launch.rdma_devices)))
    if launch.gid_index is not None:
        said.append(("UCX_IB_GID_INDEX", str(launch.gid_index)))
    if launch.dscp is not None:
        said.append(("UCX_IB_TRAFFIC_CLASS", str(launch.dscp.tos)))
    return said


@lru_cache(maxsize=8)
def hostfile(hosts: tuple[str, ...], slots: int) -> str:
    """Open MPI's host file. Every host of a cluster has the same, so it is written once."""
    return "\n".join(f"{host} slots={slots}" for host in hosts)


def pairing(host: Host) -> Iterator[Pair]:
    """NICs in rail order with the GPU each serves."""
    for interface, nic in sorted(host.nics.items(), key=lambda item: (item[1].rail or 0, item[0])):
        if nic.rail is None or nic.rdma_device is None:
            continue
        address = nic.addresses[0].partition("/")[0] if nic.addresses else None
        gpu = int(nic.gpu.removeprefix("GPU")) if nic.gpu else None
        yield Pair(nic.rail, nic.rdma_device, gpu, interface, address)
