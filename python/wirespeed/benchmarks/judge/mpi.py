"""The minimum time of a collective of the OSU micro-benchmarks: bytes that must cross a host's NICs in any algorithm.

Data between ranks of a host stays in its memory and crosses no NIC. The tests print times and not bandwidths, and MPI
libraries choose among many algorithms, so a time is shown beside the least there can be, and is unknown below it. The
smallest size has a highest healthy time, and a floor above it is a finding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from wirespeed.benchmarks.endpoints.nics import find_ends, has_rdma
from wirespeed.benchmarks.judge.curves import find_highest_latency
from wirespeed.benchmarks.judge.host_network import network
from wirespeed.benchmarks.judge.limits import Fingerprints, Limit, Limits, RunContext, UnknownLimits
from wirespeed.benchmarks.judge.point_to_point import PairLimits, pair_limits, uses_gpu_memory
from wirespeed.benchmarks.judge.profile import Profile, Thresholds
from wirespeed.benchmarks.logs.numbers import SECONDS
from wirespeed.limits import latency
from wirespeed.limits.bound import number
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Measurement, Metric, Run
from wirespeed.results.verdicts import Bound, Term
from wirespeed.units import Bandwidth, Size

Crossing = Callable[[int, int, int], float]
"""Bytes into, or out of, the busiest host: of the size printed, the ranks, and the ranks of that host."""

_CROSSING: dict[str, tuple[str, Crossing]] = {
    "allreduce": ("S out of every host", lambda size, ranks, ranks_of_host: size),
    "bcast": ("S into every host", lambda size, ranks, ranks_of_host: size),
    "reduce": ("S out of every host", lambda size, ranks, ranks_of_host: size),
    "allgather": ("what the ranks elsewhere give", lambda size, ranks, ranks_of_host: size * (ranks - ranks_of_host)),
    "gather": ("what the ranks elsewhere give", lambda size, ranks, ranks_of_host: size * (ranks - ranks_of_host)),
    "scatter": ("what the ranks elsewhere get", lambda size, ranks, ranks_of_host: size * (ranks - ranks_of_host)),
    "alltoall": (
        "what ranks here send to ranks elsewhere",
        lambda size, ranks, ranks_of_host: ranks_of_host * size * (ranks - ranks_of_host),
    ),
    "reduce_scatter": (
        "what enters sums elsewhere",
        lambda size, ranks, ranks_of_host: size * (ranks - ranks_of_host) / ranks,
    ),
    "reduce_scatter_block": (
        "what enters sums elsewhere",
        lambda size, ranks, ranks_of_host: _find_block_size(size, ranks) * (ranks - ranks_of_host),
    ),
    "barrier": ("a byte out of every host", lambda size, ranks, ranks_of_host: 1),
}
"""OSU prints the buffer of allreduce, bcast, reduce and reduce_scatter, and what one rank gives another of the rest
(osu_util.c and the tests' own files)."""

_EQUAL = {"allgatherv": "allgather", "gatherv": "gather", "scatterv": "scatter", "alltoallv": "alltoall"} | {
    "alltoallw": "alltoall"
}
"""Variants whose counts may differ: OSU gives all ranks the same (osu_coll.c, OMB_IRREGULAR_ARGS)."""

_ELEMENT = 16
"""Bytes: no datatype of OSU is larger, and of a block only whole elements are sent."""


def _find_block_size(size: int, ranks: int) -> int:
    """The minimum part of a buffer per rank: a remainder is not sent (osu_reduce_scatter_block.c)."""
    return size // (ranks * _ELEMENT) * _ELEMENT


def _find_collective(test: str | None) -> str:
    """The collective of a test; variants, non-blocking and persistent tests have the name of their collective."""
    name = (test or "").removeprefix("osu_").removeprefix("nccl_").removeprefix("xccl_").removesuffix("_persistent")
    if name not in _CROSSING and name not in _EQUAL:
        name = name.removeprefix("i")
    return _EQUAL.get(name, name)


def is_collective(run: Run) -> bool:
    """Whether a run is a collective of the OSU micro-benchmarks."""
    return run.tool == "osu-micro-benchmarks" and _find_collective(run.test) in _CROSSING


@dataclass(frozen=True, slots=True)
class MpiLimits:
    """The minimum times of one collective."""

    collective: str
    crossing: Crossing
    ranks: int
    ranks_of_host: int
    gb_per_s: float  # of all NICs of a host, in one direction
    assumptions: tuple[str, ...]
    thresholds: Thresholds
    hosts: tuple[str, ...]
    link: Bandwidth
    reasons_above: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())
    causes: tuple[str, ...] = field(default=())
    highest_latency: Term | None = None
    fingerprints: Fingerprints | None = None

    def limit(self, measurement: Measurement) -> Limit:
        """These tests print no bandwidth."""
        return Limit(skip_reason="the tool reports times; a bandwidth cannot be derived")

    def bandwidth_bound(self, measurement: Measurement, limit: Limit) -> str | None:
        """Nothing is judged as bandwidth."""
        return None

    def minimum_latency(self, measurement: Measurement) -> Bound | None:
        """The time of the bytes that must cross the NICs of a host, over all its NICs."""
        if not measurement.size_bytes and self.collective != _CROSSING["barrier"][0]:
            return None
        count = self.crossing(measurement.size_bytes or 0, self.ranks, self.ranks_of_host)
        if count < 1:
            return None
        bound = latency.sum_terms(
            [latency.bytes_term(int(count), self.gb_per_s, f"({self.collective}) over a host's NICs")]
        )
        return Bound(bound.value, bound.unit, bound.bottleneck, bound.terms, self.assumptions)


def mpi_limits(run: Run, plan: Plan, profile: Profile, context: RunContext) -> Limits:
    """The limits of a test of the OSU micro-benchmarks, of a collective or between pairs.

    Raises:
        Refusal: the user names no NIC of the plan.
    """
    limits = _find_limits(run, plan, profile, context)
    evidence = run.parameters.tcp_evidence
    plans_rdma = any(has_rdma(plan, host) for host in limits.hosts or plan.hosts)
    if evidence is None or run.parameters.nodes == 1 or not plans_rdma:
        return limits
    cause = f"MPI used TCP instead of RDMA between hosts ({evidence})"
    if isinstance(limits, PairLimits | MpiLimits | UnknownLimits):
        return replace(limits, causes=(*limits.causes, cause))
    return limits


def _find_limits(run: Run, plan: Plan, profile: Profile, context: RunContext) -> Limits:
    named_crossing = _CROSSING.get(_find_collective(run.test))
    if named_crossing is None:
        return pair_limits(run, plan, profile, context)
    collective, crossing = named_crossing
    if len(plan.hosts) < 2:
        return UnknownLimits(f"{plan.name} has no two hosts", profile)
    among = list(dict.fromkeys(nic.host for nic in find_ends(plan, context.source, context.target)))
    hosts = among or list(plan.hosts)
    networks = [network(plan, name, bidirectional=False, on_host=not uses_gpu_memory(run)) for name in hosts]
    networks_with_speed = [network for network in networks if network is not None]
    if len(networks_with_speed) < len(networks):
        return UnknownLimits("the speed of a host's NICs is in neither cluster file nor catalogue", profile)
    fastest = max(networks_with_speed, key=lambda network: network.total.value)
    if run.parameters.nodes == 1:
        return UnknownLimits("all ranks are on one host: no data cross its NICs", profile)
    placed = _count_ranks(run, len(among) if len(among) > 1 else len(plan.hosts), plan.name)
    if placed is None:
        return UnknownLimits("the log does not contain the number of ranks: give it with --ranks", profile)
    ranks, ranks_here, assumption = placed
    limits = MpiLimits(
        collective=collective,
        crossing=crossing,
        ranks=ranks,
        ranks_of_host=ranks_here,
        gb_per_s=fastest.total.value,
        highest_latency=_find_highest_time(_find_collective(run.test), ranks, ranks_here, profile)
        if any(has_rdma(plan, host) for host in hosts)
        else None,
        assumptions=(assumption, *fastest.assumptions),
        thresholds=profile.fractions.rdma,
        hosts=tuple(hosts),
        link=fastest.link,
    )
    return replace(limits, notes=_compare_largest(run, limits))


LARGEST_LATENCY_BOUND = 2**10
"""Bytes up to which the messages of a collective, and not their bytes, decide on its time: 1 KiB in the time that
the profile gives a message is 4 Gb/s."""

_BY_RANK = frozenset({"allgather", "gather", "scatter", "alltoall", "reduce_scatter", "reduce_scatter_block"})
"""Collectives in which an algorithm may exchange a message with every rank in turn; the others need steps of a tree."""


def _find_highest_time(collective: str, ranks: int, ranks_of_host: int, profile: Profile) -> Term:
    """The highest healthy time of the smallest size in µs: of the profile, or of a message to every rank.

    A rank sends them one after the other, and the ranks of a host share a NIC; both at rates of the profile.
    """
    usual, floors = find_highest_latency(profile), profile.floors
    if collective not in _BY_RANK:
        return usual
    lowest, rate = floors.lowest_message_rate, floors.message_rate
    of_rank = (ranks - 1) / lowest.value * 1e6
    terms = [Term("latency", of_rank, usual.unit, f"{ranks - 1} messages of a rank in turn", lowest.source)]
    if collective == "alltoall":
        count = ranks_of_host * (ranks - ranks_of_host)
        terms.append(
            Term("latency", count / rate.value * 1e6, usual.unit, f"{count} messages of a host, one NIC", rate.source)
        )
    return max(usual, *terms, key=lambda term: term.value)


def _compare_largest(run: Run, limits: MpiLimits) -> tuple[str, ...]:
    """A note on the time of the largest size, and why it is compared with its minimum and not judged."""
    times = [row for row in run.measurements if row.metric is Metric.LATENCY_AVG and row.size_bytes]
    largest = max(times, key=lambda row: row.size_bytes or 0, default=None)
    minimum = limits.minimum_latency(largest) if largest is not None else None
    if largest is None or minimum is None or largest.unit not in SECONDS or minimum.value < _COMPARED_US:
        return ()
    factor = float(largest.value) * SECONDS[largest.unit] * 1e6 / minimum.value
    size, bound = Size(largest.size_bytes or 0), number(minimum.value)
    return (
        f"{size} takes {number(factor)} times the minimum ({bound} µs for the bytes that must cross the NICs); "
        f"no factor is required, because MPI libraries use many algorithms{_describe_published(run.test)}",
    )


def _describe_published(test: str | None) -> str:
    """The factor of a healthy run of the same collective, where one is published."""
    published = _PUBLISHED.get(_find_collective(test) or "")
    return f" (a healthy {published}, Arista and Broadcom, Lossless Network, table 6)" if published else ""


_COMPARED_US = 1.0
"""Below this minimum the latency of a message decides on the time, and not its bytes."""

_PUBLISHED = {
    "alltoall": "all-to-all of 256 ranks takes 2.35 times",
    "allreduce": "all-reduce of 128 KiB over 256 ranks takes 74 times",
}
"""128 KiB in 47.8 ms and in 393 µs over 16 hosts with two ports of 100 Gb/s, whose bytes need 20.3 ms and 5.3 µs."""


def _count_ranks(run: Run, hosts: int, cluster: str) -> tuple[int, int, str] | None:
    """The number of ranks, the ranks per host, and the assumption. A whole buffer crosses for any number of ranks."""
    ranks = run.ranks
    if ranks is None:
        of_buffer = _find_collective(run.test) in ("allreduce", "bcast", "reduce", "barrier")
        hosts_of_run = f"{run.parameters.nodes} hosts" if run.parameters.nodes else "two hosts or more"
        return (2, 1, f"the ranks are on {hosts_of_run}") if of_buffer else None
    if ranks < 2:
        return None
    hosts = min(run.parameters.nodes or hosts, ranks)
    stated = "" if run.parameters.nodes else ": give their number with --nodes"
    return ranks, -(-ranks // hosts), f"{ranks} ranks spread evenly over {hosts} hosts of {cluster}{stated}"
