"""Read a result folder into the data of a report."""

from __future__ import annotations

from pathlib import Path

from wirespeed.results.simulation_types import QUEUE_PAIRS
from wirespeed.results.simulation_view import FlowRow, SimulationView
from wirespeed.simulation.ack_timeouts import count_stored_ack_timeouts
from wirespeed.simulation.animation import build_animation
from wirespeed.simulation.completion import distributions, flow_rows
from wirespeed.simulation.congested_ports import find_in_folder
from wirespeed.simulation.pauses import summarize_pauses
from wirespeed.simulation.result_folder import ResultFolder, open_folder
from wirespeed.simulation.time_series import Samples, build_time_series

FLOWS = 1_000
"""Maximum flows of a table; the folder contains all."""


def view_result(path: Path) -> SimulationView:
    """Everything that a report shows of a run.

    Raises:
        Refusal: the folder was not written by `wirespeed sim run -o`.
    """
    folder = open_folder(path)
    network = folder.network()
    nic_ports = _list_sending_ports(folder)
    flows = flow_rows(folder, nic_ports)
    paused = summarize_pauses(folder, network, flows)
    samples = Samples.from_folder(folder)
    return SimulationView(
        folder=str(path),
        summary=folder.summary,
        network=network,
        time_series=() if samples is None else tuple(build_time_series(samples, network, nic_ports)),
        pauses=paused,
        congested=find_in_folder(folder),
        ack_timeouts=count_stored_ack_timeouts(folder),
        distributions=tuple(distributions(flows)),
        flows=tuple(sorted(flows, key=_worst_first)[:FLOWS]),
        animation=build_animation(folder, samples, network, paused.ports),
    )


def _list_sending_ports(folder: ResultFolder) -> dict[int, int]:
    """The NIC port of each queue pair."""
    pairs = folder.columns(QUEUE_PAIRS, "queue_pair", "port")
    return dict(zip(pairs["queue_pair"], pairs["port"], strict=True))


def _worst_first(flow: FlowRow) -> tuple[bool, float, int]:
    """A sort key: flows that did not complete first, then by slowdown, or by time if the minimum is unknown."""
    if flow.took_ps is None:
        return False, 0.0, flow.flow
    return True, -(flow.slowdown if flow.slowdown is not None else flow.took_ps), flow.flow
