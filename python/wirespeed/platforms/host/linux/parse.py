"""Command output of Linux hosts to settings, by subject."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.facts import Observation
from wirespeed.platforms.host.linux import (
    parse_bios,
    parse_ethtool,
    parse_gpu_links,
    parse_ip,
    parse_kernel,
    parse_kernel_log,
    parse_lspci,
    parse_rdma,
    parse_resolver,
    parse_software,
    parse_system,
    parse_tuning,
)
from wirespeed.platforms.model import Outputs


def parse(outputs: Outputs) -> Iterator[Observation]:
    """Every setting the recorded outputs show."""
    yield from parse_kernel.parse(outputs)
    yield from parse_kernel_log.parse(outputs)
    yield from parse_system.parse(outputs)
    yield from parse_ip.parse(outputs)
    yield from parse_resolver.parse(outputs)
    yield from parse_ethtool.parse(outputs)
    yield from parse_rdma.parse(outputs)
    yield from parse_lspci.parse(outputs)
    yield from parse_gpu_links.parse(outputs)
    yield from parse_software.parse(outputs)
    yield from parse_tuning.parse(outputs)
    yield from parse_bios.parse(outputs)
