"""Files of Open MPI and UCX to settings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.facts import Observation, State
from wirespeed.platforms.core_lists import parse_core_list
from wirespeed.platforms.launcher import hosts
from wirespeed.platforms.launcher.library_variables import UCX
from wirespeed.platforms.launcher.variables import (
    lines,
    observation,
    observe_unmapped,
    observe_variables,
    settings_of_table,
)
from wirespeed.platforms.model import Output, Outputs
from wirespeed.settings import Place

_HOST = re.compile(r"([A-Za-z0-9][A-Za-z0-9._:-]*)(?:\s+slots\s*=\s*([0-9]+))?(?:\s+[a-z_-]+\s*=\s*\S+)*")
_RANK = re.compile(r"([0-9]+)\) cores=([0-9,-]+) ;;")


def parse(outputs: Outputs) -> Iterator[Observation]:
    """The launch settings that the files show."""
    place = Place(outputs.device)
    if (output := outputs.get("hostfile")) is not None:
        yield from hosts.read(output, _HOST, place)
    if (output := outputs.get("rank-cores")) is not None:
        yield from _read_cores(place, output)
    if (output := outputs.get("ucx-conf")) is not None:
        read = lines(output)
        yield from observe_variables(UCX, read, place, State.CONFIGURED)
        if read:
            yield observe_unmapped(read, settings_of_table(UCX), output, place, State.CONFIGURED)


def _read_cores(place: Place, output: Output) -> Iterator[Observation]:
    """The cores of every rank. Empty if a rank is missing or its list is malformed."""
    ranks: dict[int, tuple[int, ...]] = {}
    for line in output.text.split("\n"):
        match = _RANK.fullmatch(line.strip())
        if match is None:
            continue
        rank_cores = parse_core_list(match[2])
        if rank_cores is None:
            return
        ranks.setdefault(int(match[1]), rank_cores)
    if ranks and sorted(ranks) == list(range(len(ranks))):
        found_all = tuple(ranks[rank] for rank in range(len(ranks)))
        yield observation(place, "cores", found_all, output.source, State.CONFIGURED)
