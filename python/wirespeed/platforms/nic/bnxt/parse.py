"""What the commands of this platform say."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.facts import Observation
from wirespeed.platforms.model import Outputs


def parse(outputs: Outputs) -> Iterator[Observation]:
    """Every setting the recorded outputs show."""
    yield from ()
