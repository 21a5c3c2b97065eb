"""Slurm's unit and batch script to settings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.facts import Observation, State
from wirespeed.platforms.launcher import cores
from wirespeed.platforms.launcher.variables import lines, observation
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import number_lines
from wirespeed.settings import Place

_TASKS = re.compile(r"#SBATCH --ntasks-per-node=([0-9]{1,5})")
_BINDING_LINE = re.compile(r"exec srun .*--cpu-bind=mask_cpu:(\S+) .*")


def parse(outputs: Outputs) -> Iterator[Observation]:
    """The launch settings shown."""
    place = Place(outputs.device)
    if (output := outputs.get("slurmd")) is not None:
        yield from _read_slurmd(place, output)
    if (output := outputs.get("sbatch-script")) is not None:
        yield from _read_script(place, output)


def _read_slurmd(place: Place, output: Output) -> Iterator[Observation]:
    """The limit of the running unit. For a missing unit systemd shows its default, which is ignored."""
    shown_values = lines(output)
    if shown_values.get("LoadState", ("",))[0] != "loaded" or "LimitMEMLOCK" not in shown_values:
        return
    value, source = shown_values["LimitMEMLOCK"]
    if value == "infinity" or value.isdecimal():
        limit = "unlimited" if value == "infinity" else value
        yield observation(place, "memlock", limit, source, State.RUNNING)


def _read_script(place: Place, output: Output) -> Iterator[Observation]:
    for number, line in number_lines(output):
        if (tasks := _TASKS.fullmatch(line)) is not None:
            yield observation(place, "ranks_per_host", int(tasks[1]), output.source_of_line(number), State.CONFIGURED)
        if (bound := _BINDING_LINE.fullmatch(line)) is not None and (
            rank_cores := cores.parse_masks(bound[1])
        ) is not None:
            yield observation(place, "cores", rank_cores, output.source_of_line(number), State.CONFIGURED)
