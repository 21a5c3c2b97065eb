"""Files and running jobs of NCCL and RCCL to settings."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.facts import Observation, State
from wirespeed.platforms.launcher.library_variables import MPI_DEVICES, NCCL, RCCL, rccl_network_within_host
from wirespeed.platforms.launcher.variables import (
    Read,
    Variable,
    lines,
    observation,
    observe_unmapped,
    observe_variables,
    processes,
    settings_of_table,
)
from wirespeed.platforms.model import Outputs
from wirespeed.settings import Place


def parse(outputs: Outputs) -> Iterator[Observation]:
    """The launch settings. Each library reads a separate file: if both exist, settings that differ are unknown."""
    place = Place(outputs.device)
    files = {command: lines(output) for command in _TABLES if (output := outputs.get(command))}
    if (output := outputs.get("nccl-job")) is not None:
        configured = {name: value for read in files.values() for name, value in read.items()}
        job = processes(output, configured)
        table = RCCL if any(name.startswith("RCCL_") for name in {**configured, **job}) else NCCL
        yield from _observe(table, job, {**configured, **job}, place, State.RUNNING)
    if (output := outputs.get("mpi-ucx-conf")) is not None:
        yield from observe_variables((MPI_DEVICES,), lines(output), place, State.CONFIGURED)
    for command, read in files.items():
        other_files = [other_file for other_file in files.values() if other_file is not read and other_file]
        agreed_values = {
            name: value_source
            for name, value_source in read.items()
            if all(name in other_file and other_file[name][0] == value_source[0] for other_file in other_files)
        }
        yield from _observe(_TABLES[command], agreed_values, agreed_values, place, State.CONFIGURED)
        if read:
            output = outputs.outputs[command]
            yield observe_unmapped(read, settings_of_table(_TABLES[command]), output, place, State.CONFIGURED)


_TABLES = {"rccl-conf": RCCL, "nccl-conf": NCCL}


def _observe(
    table: tuple[Variable, ...], read: Read, effective: Read, place: Place, state: State
) -> Iterator[Observation]:
    """The settings of variables; ``effective`` has also those of the file, of which a job changes some."""
    if table is not RCCL:
        yield from observe_variables(table, read, place, state)
        return
    single = [variable for variable in RCCL if variable.setting != _WITHIN_HOST]
    yield from observe_variables(single, read, place, state)
    if any(variable.name in read for variable in RCCL if variable.setting == _WITHIN_HOST):
        within_host = rccl_network_within_host(effective)
        if within_host is not None:
            yield observation(place, _WITHIN_HOST, *within_host, state)


_WITHIN_HOST = "network_within_host"
