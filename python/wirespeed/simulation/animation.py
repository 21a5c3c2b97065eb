"""The state of all ports over time, in steps coarse enough for a page."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.results.simulation_types import PAUSES
from wirespeed.results.simulation_view import LEVELS, Animation, Network, PausedPort
from wirespeed.simulation.pauses import merge_intervals, shares
from wirespeed.simulation.result_folder import ResultFolder
from wirespeed.simulation.time_series import Samples, loads

_FRAMES = 120
_FEWEST = 30
_LETTERS = 2_400_000
"""Maximum letters, three for each port and frame, so that a page stays below 5 MB."""


def build_animation(
    folder: ResultFolder, samples: Samples | None, network: Network, paused: tuple[PausedPort, ...]
) -> Animation | None:
    """Build the animation; None if no port was sampled."""
    ports = [] if samples is None else samples.ids("queue_bytes")
    if samples is None or not ports:
        return None
    samples = samples.with_intervals(max(min(_FRAMES, _LETTERS // (3 * len(ports))), _FEWEST))
    queue_bytes = samples.highest("queue_bytes")
    deepest = {port: max(samples) for port, samples in queue_bytes.items()}
    stopped = {entry.port: entry.total_ps for entry in paused}
    order = sorted(ports, key=lambda port: (-stopped.get(port, 0), -deepest[port], port))
    ports_to_show = set(order[: _LETTERS // (3 * samples.stretches)])
    maximum = max(int(max(deepest.values())), 1)
    load = loads(samples, network, samples.growth("sent_bytes"))
    return Animation(
        starts=samples.starts,
        end=samples.times[-1],
        most_queue_bytes=maximum,
        queue=_scale_shares(
            {port: tuple(value / maximum for value in samples) for port, samples in queue_bytes.items()}, ports_to_show
        ),
        load=_scale_shares(load, ports_to_show),
        paused=_scale_shares(_compute_paused_shares(folder, samples), ports_to_show),
        left_out=len(ports) - len(ports_to_show),
    )


def _scale_shares(shares: Mapping[int, tuple[float, ...]], ports: set[int]) -> Mapping[int, tuple[int, ...]]:
    """Levels of the selected ports with any value above zero."""
    return {
        port: tuple(map(_scale_share, port_shares))
        for port, port_shares in sorted(shares.items())
        if port in ports and any(port_shares)
    }


def _compute_paused_shares(folder: ResultFolder, samples: Samples) -> Mapping[int, tuple[float, ...]]:
    """The share of each frame in which a port was paused, computed from the table of pauses."""
    read = folder.columns(PAUSES, "port", "start_ps", "end_ps")
    intervals: dict[int, list[tuple[int, int]]] = {}
    for port, start, end in zip(read["port"], read["start_ps"], read["end_ps"], strict=True):
        intervals.setdefault(port, []).append((start, end))
    bounds = [*samples.starts, samples.times[-1]]
    return {port: shares(merge_intervals(port_intervals), bounds) for port, port_intervals in intervals.items()}


def _scale_share(share: float) -> int:
    """The level of a share; a share above zero is at least level 1."""
    if share <= 0:
        return 0
    return max(min(round(share * (LEVELS - 1)), LEVELS - 1), 1)
