"""RDMA state in ``devlink -j dev param show``: whether the function has an RDMA device, now and after a reload."""

from __future__ import annotations

import json
from collections.abc import Iterator

from wirespeed.facts import Observation, State
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import observe
from wirespeed.settings import Place

_STATES = {"runtime": State.RUNNING, "driverinit": State.CONFIGURED, "permanent": State.PERSISTENT}
"""Configuration modes; source: devlink-dev(8): driverinit acts after a reload of the driver."""


def parse(outputs: Outputs, command: str = "devlink-roce") -> Iterator[Observation]:
    """RDMA support of every NIC with this output."""
    for interface, output in outputs.per_nic(command):
        place = Place(outputs.device).child("nic", interface)
        for mode, value in _read_values(output):
            if mode in _STATES and isinstance(value, bool):
                yield observe(place, "nic.nvm.rdma", value, output, _find_line(output, mode), _STATES[mode])


def _read_values(output: Output) -> Iterator[tuple[str, object]]:
    try:
        functions = json.loads(output.text)["param"]
        parameters = [
            value
            for parameters_of_function in functions.values()
            for value in parameters_of_function
            if value["name"] == "enable_roce"
        ]
        pairs = [(str(value["cmode"]), value["value"]) for parameter in parameters for value in parameter["values"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return
    yield from pairs


def _find_line(output: Output, mode: str) -> int:
    return output.text.count("\n", 0, max(output.text.find(f'"{mode}"'), 0)) + 1
