"""Files and running jobs of NCCL and RCCL to settings."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.facts import Observation, State
from wirespeed.platforms.launcher.library_variables import NCCL
from wirespeed.platforms.launcher.variables import lines, observation, observe_variables, processes, select_unmapped
from wirespeed.platforms.model import Outputs
from wirespeed.settings import Place


def parse(outputs: Outputs) -> Iterator[Observation]:
    """The launch settings. Each library reads a separate file: if both exist, settings that differ are unknown."""
    place = Place(outputs.device)
    files = {command: lines(output) for command in ("rccl-conf", "nccl-conf") if (output := outputs.get(command))}
    if (output := outputs.get("nccl-job")) is not None:
        configured = {name: value for read in files.values() for name, value in read.items()}
        yield from observe_variables(NCCL, processes(output, configured), place, State.RUNNING)
    for command, read in files.items():
        other_files = [other_file for other_file in files.values() if other_file is not read and other_file]
        agreed_values = {
            name: value_source
            for name, value_source in read.items()
            if all(name in other_file and other_file[name][0] == value_source[0] for other_file in other_files)
        }
        yield from observe_variables(NCCL, agreed_values, place, State.CONFIGURED)
        if read:
            output = outputs.outputs[command]
            yield observation(place, "environment", select_unmapped(NCCL, read), output.source, State.CONFIGURED)
