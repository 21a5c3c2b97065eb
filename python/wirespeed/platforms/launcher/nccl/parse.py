"""Files and running jobs of NCCL and RCCL to settings."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.facts import Observation, State
from wirespeed.platforms.launcher.library_variables import NCCL
from wirespeed.platforms.launcher.variables import lines, observation, observe_variables, processes, select_unmapped
from wirespeed.platforms.model import Outputs
from wirespeed.settings import Place


def parse(outputs: Outputs) -> Iterator[Observation]:
    """The launch settings shown. Each library reads its own file: with both there, what they differ in is unknown."""
    place = Place(outputs.device)
    if (output := outputs.get("nccl-job")) is not None:
        yield from observe_variables(NCCL, processes(output), place, State.RUNNING)
    files = {command: lines(output) for command in ("rccl-conf", "nccl-conf") if (output := outputs.get(command))}
    for command, read in files.items():
        others = [other for other in files.values() if other is not read and other]
        agreed = {
            name: at for name, at in read.items() if all(name in other and other[name][0] == at[0] for other in others)
        }
        yield from observe_variables(NCCL, agreed, place, State.CONFIGURED)
        if read:
            output = outputs.outputs[command]
            yield observation(place, "environment", select_unmapped(NCCL, read), output.source, State.CONFIGURED)
