"""Find the switch ports with most congestion in the tables of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirespeed.results.congested_ports import CongestedPort
from wirespeed.results.simulation_types import QUEUES, Queues, QueuesColumn
from wirespeed.simulation.result_folder import network_of_tables
from wirespeed.simulation.tables import columns

if TYPE_CHECKING:
    from wirespeed.results.simulation_view import Network
    from wirespeed.simulation.result_folder import ResultFolder
    from wirespeed.simulation.run import Result

_MIN_SHARE = 0.05  # share of the deepest queue, below which a port is not congested
_IDLE_BYTES = 9_216  # a queue that holds one jumbo frame is not congested
_COLUMNS: tuple[QueuesColumn, ...] = ("port", "max_bytes", "ecn_marks", "drops", "paused_ps")


def find_congested_ports(result: Result) -> tuple[CongestedPort, ...]:
    """The congested ports of a run, the most congested first."""
    network = network_of_tables(result.context)
    return _rank_ports(network, columns(result.tables, QUEUES, *_COLUMNS))


def find_in_folder(folder: ResultFolder) -> tuple[CongestedPort, ...]:
    """The congested ports of a stored run, the most congested first."""
    return _rank_ports(folder.network(), folder.columns(QUEUES, *_COLUMNS))


def _rank_ports(network: Network, queues: Queues) -> tuple[CongestedPort, ...]:
    """The deepest egress queues of switches; ports whose queues were short are not congested."""
    rows: dict[int, list[tuple[int, ...]]] = {}
    for port, *values in zip(*(queues[name] for name in _COLUMNS), strict=True):
        if network.node(port) in network.switches:
            rows.setdefault(port, []).append(tuple(values))
    ports = [
        CongestedPort(
            network.port_names[port],
            network.port_names[network.peer_port(port)],
            max(entry[0] for entry in of_port),
            sum(entry[1] for entry in of_port),
            sum(entry[2] for entry in of_port),
            max(entry[3] for entry in of_port) / 1e6,
        )
        for port, of_port in rows.items()
    ]
    ports.sort(key=lambda entry: (-entry.max_queue_bytes, entry.port))
    minimum = ports[0].max_queue_bytes * _MIN_SHARE if ports else 0
    return tuple(entry for entry in ports if entry.max_queue_bytes > max(minimum, _IDLE_BYTES))
