"""The signs of TCP in a table that should be of RDMA: a plateau that a few cores copy, and a long smallest operation.

Both must be there: a slow network alone has the first, and a collective of many ranks the second.
"""

from __future__ import annotations

from dataclasses import replace

from wirespeed.benchmarks.judge.curves import find_lowest_time
from wirespeed.benchmarks.judge.profile import Profile
from wirespeed.limits.bound import GBPS, convert, number
from wirespeed.results.benchmarks import Metric, Run
from wirespeed.results.verdicts import Judgement, Verdict
from wirespeed.units import BITS_PER_SECOND

_PLATEAU = 42
"""Gb/s that one core moves by TCP with all offloads (Cai et al., SIGCOMM 2021). Over sockets, NCCL reaches 2.31 GB/s
(eunomia-bpf/nccl-eBPF, two ranks) and osu_bw 1.28 GB/s (CSCS documentation, container without the network hook)."""

_SHARE = 0.25  # of the reachable limit: a larger one is no sign
_FLOOR_US = 15  # half a round trip of TCP between hosts; RDMA takes 2 to 5 µs
_SMALL = 64  # bytes
_METRICS = (Metric.BUSBW, Metric.BW_AVG)
_OVER_RDMA = frozenset({"osu-micro-benchmarks", "nccl-tests", "rccl-tests", "ucx_perftest", "netpipe", "mpigraph"})


def name_tcp(run: Run, verdicts: dict[int, Verdict], profile: Profile) -> dict[int, Verdict]:
    """The failures of a run, with TCP as the likely reason if the table has its signs."""
    if run.tool not in _OVER_RDMA:
        return verdicts
    sign = _describe_small_operation(run, profile)
    if sign is None:
        return verdicts
    slow = {position: verdict for position, verdict in verdicts.items() if _is_plateau_of_tcp(verdict)}
    highest = max((_convert_to_gigabits(verdict) for verdict in slow.values()), default=0.0)
    text = f"likely TCP instead of RDMA: at most {number(highest)} Gb/s, which one or a few cores copy, and {sign}"
    named = {position: replace(verdict, reason=f"{verdict.reason}; {text}") for position, verdict in slow.items()}
    return verdicts | named


def _convert_to_gigabits(verdict: Verdict) -> float:
    return convert(float(verdict.measurement.value), verdict.measurement.unit, GBPS)


def _is_plateau_of_tcp(verdict: Verdict) -> bool:
    measurement, share = verdict.measurement, verdict.fraction_of_reachable
    if verdict.judgement is not Judgement.FAIL or measurement.metric not in _METRICS or share is None:
        return False
    return share <= _SHARE and measurement.unit in BITS_PER_SECOND and _convert_to_gigabits(verdict) <= _PLATEAU


def _describe_small_operation(run: Run, profile: Profile) -> str | None:
    """What shows that the smallest operation of a table takes as long as over TCP; None if nothing does."""
    lowest = find_lowest_time(run)
    if lowest is not None:
        return f"{number(lowest)} µs for the smallest operation" if lowest >= _FLOOR_US else None
    rates = [
        float(row.value) * BITS_PER_SECOND[row.unit] / 8 / row.size_bytes
        for row in run.measurements
        if row.metric is Metric.BW_AVG and row.size_bytes and row.size_bytes <= _SMALL and row.unit in BITS_PER_SECOND
    ]
    if not rates or max(rates) >= profile.floors.lowest_message_rate.value:
        return None
    return f"{number(max(rates) / 1e6)} million small messages a second"
