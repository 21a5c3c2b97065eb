"""Defaults of rdma_cm for new connections. Its configfs is the same for every RDMA driver.

The folder of a device is there only between the ``mkdir`` and ``rmdir`` of a program that sets values; making it would
change the host, so nothing is read where it is absent.
"""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.facts import Observation
from wirespeed.platforms.model import Outputs
from wirespeed.platforms.output_values import number_lines, observe, parse_whole
from wirespeed.settings import Dscp, Place

VERSIONS = ("IB/RoCE v1", "RoCE v2")
"""Words of ``default_roce_mode``; source: cma_configfs.c and ib_cache_gid_type_str of the kernel."""


def parse(outputs: Outputs, command: str = "rdma-cm") -> Iterator[Observation]:
    """RoCE version of new connections, of every NIC with this output."""
    for interface, output in outputs.per_nic(command):
        for number, text in number_lines(output):
            path, colon, mode = text.partition(":")
            if colon and path.endswith("/default_roce_mode") and mode.strip() in VERSIONS:
                place = Place(outputs.device).child("nic", interface)
                yield observe(place, "nic.roce_version", mode.strip(), output, number)


def parse_marks(outputs: Outputs, path: str, command: str = "rdma-cm") -> Iterator[Observation]:
    """DSCP of new connections as this setting: that of RoCE data, where the driver has no other default."""
    for interface, output in outputs.per_nic(command):
        for number, text in number_lines(output):
            file, _, byte = text.partition(":")
            tos = parse_whole(byte.strip()) if file.endswith("/default_roce_tos") else None
            if tos is not None and tos < 256:
                place = Place(outputs.device).child("nic", interface)
                yield observe(place, path, Dscp(tos >> 2), output, number)
