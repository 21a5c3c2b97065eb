"""Files and running jobs of MVAPICH2 to settings."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.facts import Observation
from wirespeed.platforms.launcher.mvapich import parse_outputs
from wirespeed.platforms.launcher.variables import lines
from wirespeed.platforms.model import Outputs


def parse(outputs: Outputs) -> Iterator[Observation]:
    """The launch settings."""
    return parse_outputs(outputs, "mvapich2", "MV2", "conf", lines)
