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
"""Three letters for each port and frame, and a page with room for the rest below 5 MB."""


def build_animation(
    folder: ResultFolder, samples: Samples | None, network: Network, paused: tuple[PausedPort, ...]
) -> Animation | None:
    """None where no port was sampled."""
    ports = [] if samples is None else samples.ids("queue_bytes")
    if samples is None or not ports:
        return None
    samples = samples.with_intervals(max(min(_FRAMES, _LETTERS // (3 * len(ports))), _FEWEST))
    held = samples.highest("queue_bytes")
    deepest = {port: max(samples) for port, samples in held.items()}
    stopped = {entry.port: entry.total_ps for entry in paused}
    order = sorted(ports, key=lambda port: (-stopped.get(port, 0), -deepest[port], port))
    kept = set(order[: _LETTERS // (3 * samples.stretches)])
    maximum = max(int(max(deepest.values())), 1)
    load = loads(samples, network, samples.growth("sent_bytes"))
    return Animation(
        starts=samples.starts,
        end=samples.times[-1],
        most_queue_bytes=maximum,
        queue=_levels({port: tuple(value / maximum for value in samples) for port, samples in held.items()}, kept),
        load=_levels(load, kept),
        paused=_levels(_paused_shares(folder, samples), kept),
        left_out=len(ports) - len(kept),
    )


def _levels(shares: Mapping[int, tuple[float, ...]], kept: set[int]) -> Mapping[int, tuple[int, ...]]:
    """Of those ports that have any."""
    return {
        port: tuple(map(_level, port_shares))
        for port, port_shares in sorted(shares.items())
        if port in kept and any(port_shares)
    }


def _paused_shares(folder: ResultFolder, samples: Samples) -> Mapping[int, tuple[float, ...]]:
    """How much of each frame a port was paused: exact, from the table of pauses."""
    read = folder.columns(PAUSES, "port", "start_ps", "end_ps")
    intervals: dict[int, list[tuple[int, int]]] = {}
    for port, start, end in zip(read["port"], read["start_ps"], read["end_ps"], strict=True):
        intervals.setdefault(port, []).append((start, end))
    bounds = [*samples.starts, samples.times[-1]]
    return {port: shares(merge_intervals(port_intervals), bounds) for port, port_intervals in intervals.items()}


def _level(share: float) -> int:
    """What is more than nothing is at least level 1."""
    if share <= 0:
        return 0
    return max(min(round(share * (LEVELS - 1)), LEVELS - 1), 1)
