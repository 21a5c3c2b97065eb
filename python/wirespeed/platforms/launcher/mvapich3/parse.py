"""Scripts and running jobs of MVAPICH 3 to settings."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.facts import Observation, State
from wirespeed.platforms.launcher.mvapich import of_hosts, of_variables, other_variables
from wirespeed.platforms.launcher.variables import exports, processes
from wirespeed.platforms.model import Outputs
from wirespeed.settings import Place


def parse(outputs: Outputs) -> Iterator[Observation]:
    """The launch settings shown."""
    place = Place(outputs.device)
    if (output := outputs.get("mvapich3-job")) is not None:
        yield from of_variables("MVP", processes(output), place, State.RUNNING)
    if (output := outputs.get("mvapich3-scripts")) is not None:
        read = exports(output)
        yield from of_variables("MVP", read, place, State.CONFIGURED)
        yield from other_variables("MVP", read, output, place, State.CONFIGURED)
    if (output := outputs.get("mvapich3-hosts")) is not None:
        yield from of_hosts(output, place)
