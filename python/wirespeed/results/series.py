"""What makes two measurements the same measurement taken twice: the identity by which results are kept over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from wirespeed.results.benchmarks import Measurement, Metric, Run

Scalar = str | int | float | bool | None

WORKLOAD = frozenset(
    {
        "accelerator",
        "aggregated_iterations",
        "am_header_bytes",
        "batch",
        "bidirectional",
        "block_bytes",
        "bytes",
        "congestion_nodes",
        "connection",
        "data_layout",
        "datatype",
        "engine",
        "executor",
        "flows",
        "gpus",
        "gpus_per_thread",
        "graph",
        "groups",
        "heading",
        "integrity",
        "memory",
        "message_bytes",
        "network_nodes",
        "nodes",
        "nodes_per_congestor",
        "operation",
        "p2p",
        "pairs",
        "part",
        "protocol",
        "qps",
        "read",
        "receive_buffer",
        "receive_memory",
        "redop",
        "reverse",
        "root",
        "round_trip",
        "send_buffer",
        "send_memory",
        "side",
        "stream",
        "streams",
        "synchronization",
        "target_bitrate",
        "threads",
        "title",
        "type",
        "window",
        "window_size",
        "write",
    }
)
"""Parameters that say what was asked of the network. Another value is another experiment.

All other parameters are circumstances (versions, devices, MTU, GID, queue depths, how long it ran): the experiment
stays the same, and what differs in them is shown beside the comparison.
"""

_ENDS = (("local", "remote"), ("local_gid", "remote_gid"))


class Better(IntEnum):
    """Which way a metric gets better."""

    LOWER = -1
    NEITHER = 0  # follows from how long the test ran, or nobody has said
    HIGHER = 1


_HIGHER = ("algbw", "avg_busbw", "bitrate", "busbw", "bw", "msg_rate", "overlap")
_LOWER = (
    *("coll", "comm", "cpu", "dropped", "duplicated", "impact", "jitter", "latency", "lost", "out_of_order"),
    *("retransmits", "time", "wrong"),
)


def better(metric: Metric) -> Better:
    """Which way this metric gets better: a rate when higher, what takes time or went wrong when lower."""
    if metric.value.startswith(_HIGHER):
        return Better.HIGHER
    return Better.LOWER if metric.value.startswith(_LOWER) else Better.NEITHER


@dataclass(frozen=True, slots=True)
class Series:
    """One measurement that can be taken again: what was run, between whom, and which of its numbers this is.

    ``where`` is the pair or the nodes the run was between (``node1/bnxt_re0 -> node2/bnxt_re4``), where the campaign or
    the log says it; ``place`` is the place within the run's output.
    """

    tool: str
    test: str | None
    where: str | None
    ranks: int | None
    workload: tuple[tuple[str, Scalar], ...]
    metric: Metric
    unit: str
    size_bytes: int | None
    place: str | None


def workload(parameters: Mapping[str, Scalar]) -> tuple[tuple[str, Scalar], ...]:
    """The parameters that belong to the identity, by name; one without a value says nothing."""
    return tuple(
        (name, value) for name, value in sorted(parameters.items()) if name in WORKLOAD and value not in (None, False)
    )


def ends(run: Run) -> str | None:
    """Between which addresses a run was, as its log says it: ``10.1.0.1 -> 10.1.0.3``; None where it does not."""
    for near, far in _ENDS:
        local, remote = run.parameters.get(near), run.parameters.get(far)
        if isinstance(local, str) and isinstance(remote, str):
            return f"{_address(local)} -> {_address(remote)}"
    return None


def _address(gid: str) -> str:
    """The IPv4 address of a GID that holds one, as perftest prints its bytes in decimal; anything else as it is."""
    numbers = gid.split(":")
    if len(numbers) != 16 or not all(map(str.isdecimal, numbers)):
        return gid
    head, address = [int(one) for one in numbers[:12]], numbers[12:]
    return ".".join(str(int(one)) for one in address) if head == [*[0] * 10, 255, 255] else gid


@dataclass(frozen=True, slots=True)
class Experiment:
    """What all series of a run share."""

    tool: str
    test: str | None
    where: str | None
    ranks: int | None
    workload: tuple[tuple[str, Scalar], ...] = field(default=())

    def series(self, measurement: Measurement) -> Series:
        """The series a measurement of this run belongs to."""
        return Series(
            self.tool,
            self.test,
            self.where,
            self.ranks,
            self.workload,
            measurement.metric,
            measurement.unit,
            measurement.size_bytes,
            measurement.place,
        )


def experiment(run: Run, where: str | None = None) -> Experiment:
    """What all series of this run share; ``where`` is what the campaign knows, before what the log says."""
    return Experiment(run.tool, run.test, where or ends(run), run.ranks, workload(run.parameters))
