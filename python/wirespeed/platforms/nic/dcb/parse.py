"""Output of iproute2's dcb and devlink to settings."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.facts import Observation
from wirespeed.platforms.model import Outputs
from wirespeed.platforms.nic import dcb_output, devlink, rdma_cm


def parse(outputs: Outputs) -> Iterator[Observation]:
    """Settings of every port with an output."""
    yield from dcb_output.parse(outputs)
    yield from rdma_cm.parse(outputs)
    yield from rdma_cm.parse_marks(outputs, "nic.qos.roce_dscp")
    yield from devlink.parse(outputs)
