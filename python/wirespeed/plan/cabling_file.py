"""Host cables from a cabling file."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.cluster import CableRow, Cluster
from wirespeed.errors import Problem, did_you_mean
from wirespeed.plan.affinity import Chassis
from wirespeed.plan.fabric import Box, HostCable, host_cable
from wirespeed.plan.model import End
from wirespeed.plan.problems import Problems


def cables_of_file(
    cluster: Cluster, chassis: Mapping[str, Chassis], boxes: Mapping[str, Box], problems: Problems
) -> list[HostCable]:
    """Host cables of the cabling file, in the order of hosts and rails. Every NIC must have exactly one."""
    host_ports = {
        End(host, host_port.interface): host_port
        for host, host_chassis in chassis.items()
        for host_port in host_chassis.host_ports
    }
    used_ends: dict[End, CableRow] = {}
    cables: dict[End, HostCable] = {}
    for row in cluster.rows:
        ends = sorted((End(*row.a), End(*row.b)), key=lambda end: end.device in boxes)
        wrong = [problem for end in ends if (problem := _check_end(row, end, chassis, boxes)) is not None]
        for end in ends:
            if used_ends.setdefault(end, row) is not row:
                first = f"the first is at {used_ends[end].location}"
                wrong.append(
                    Problem(row.location, f"a second cable in {end.device} {end.port}", "one cable in a port", first)
                )
        if all(end.device in chassis for end in ends):
            wrong.append(Problem(row.location, "a cable between two hosts", "a cable from a host to a switch"))
        problems.refusals.update(dict.fromkeys(wrong))
        if not wrong and ends[0] in host_ports:
            cables[ends[0]] = host_cable(ends[0].device, host_ports[ends[0]], ends[1], boxes, row.length, row.cable)
    uncabled = [end for end in host_ports if end not in cables]
    if uncabled and not problems.refusals:
        remainder = f" and {len(uncabled) - 1} more" if len(uncabled) > 1 else ""
        problems.refuse(
            ("cabling",), f"no cable for {uncabled[0].device} {uncabled[0].port}{remainder}", "a cable for every NIC"
        )
    return [cables[end] for end in host_ports if end in cables]


def _check_end(row: CableRow, end: End, chassis: Mapping[str, Chassis], boxes: Mapping[str, Box]) -> Problem | None:
    """The problem of one end of a cable, None if it exists."""
    if end.device in chassis:
        ports = [host_port.interface for host_port in chassis[end.device].host_ports]
    elif end.device in boxes:
        ports = list(boxes[end.device].ports)
    else:
        devices = [*chassis, *boxes]
        return Problem(
            row.location,
            f"the device {end.device!r}",
            "a device of the cluster file",
            did_you_mean(end.device, devices),
        )
    if end.port in ports:
        return None
    return Problem(
        row.location,
        f"the port {end.port!r} of {end.device}",
        f"one of {ports[0]} to {ports[-1]}",
        did_you_mean(end.port, ports),
    )
