"""A folder of results as what can be seen of it."""

from __future__ import annotations

from pathlib import Path

from wirespeed.results.simulated import FlowRow, Simulated
from wirespeed.simulation.completion import distributions, flow_rows
from wirespeed.simulation.course import Samples, courses
from wirespeed.simulation.film import film
from wirespeed.simulation.opened import Opened, open_folder
from wirespeed.simulation.pausing import pausing

FLOWS = 1_000
"""Flows of a table at most; all of them are in the folder."""


def look(path: Path) -> Simulated:
    """Everything that a report shows of a run.

    Raises:
        Refused: the folder is none that `wirespeed sim run -o` wrote.
    """
    opened = open_folder(path)
    network = opened.network()
    flows = flow_rows(opened)
    paused = pausing(opened, network, flows)
    samples = Samples.of(opened)
    return Simulated(
        folder=str(path),
        summary=opened.summary,
        network=network,
        courses=() if samples is None else tuple(courses(samples, network, _sending_ports(opened))),
        pausing=paused,
        distributions=tuple(distributions(flows)),
        flows=tuple(sorted(flows, key=_worst_first)[:FLOWS]),
        film=film(opened, samples, network, paused.ports),
    )


def _sending_ports(opened: Opened) -> dict[int, int]:
    """The NIC port of each queue pair."""
    pairs = opened.table("queue_pairs", "queue_pair", "port").to_pydict()
    return dict(zip(pairs["queue_pair"], pairs["port"], strict=True))


def _worst_first(flow: FlowRow) -> tuple[bool, float, int]:
    """Those that did not complete, then by slowdown, or by time where the least is not known."""
    if flow.took_ps is None:
        return False, 0.0, flow.flow
    return True, -(flow.slowdown if flow.slowdown is not None else flow.took_ps), flow.flow
