"""What makes two measurements the same measurement taken twice: the identity by which results are kept over time."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from wirespeed.results.benchmarks import Measurement, Metric, Run
from wirespeed.results.parameters import IDENTITY, Parameters, Scalar


class Better(IntEnum):
    """The direction in which a metric gets better."""

    LOWER = -1
    NEITHER = 0  # follows from how long the test ran, or no source states it
    HIGHER = 1


_HIGHER = ("algbw", "avg_busbw", "bitrate", "busbw", "bw", "msg_rate", "overlap")
_LOWER = (
    *("coll", "comm", "cpu", "dropped", "duplicated", "impact", "jitter", "latency", "lost", "out_of_order"),
    *("retransmits", "time", "wrong"),
)


def better(metric: Metric) -> Better:
    """The direction in which this metric gets better: rates higher; times, losses and errors lower."""
    if metric.value.startswith(_HIGHER):
        return Better.HIGHER
    return Better.LOWER if metric.value.startswith(_LOWER) else Better.NEITHER


@dataclass(frozen=True, slots=True)
class Series:
    """One measurement that can be taken again: what was run, between whom, and which of its numbers this is.

    ``location`` is the pair or the nodes of the run (``node1/bnxt_re0 -> node2/bnxt_re4``) if the campaign or the log
    states it; ``place`` is the place within the run's output.
    """

    tool: str
    test: str | None
    location: str | None
    ranks: int | None
    workload: tuple[tuple[str, Scalar], ...]
    metric: Metric
    unit: str
    size_bytes: int | None
    place: str | None


def workload(parameters: Parameters) -> tuple[tuple[str, Scalar], ...]:
    """The parameters that belong to the identity, by name; a flag that is off is as one that is absent."""
    return tuple(
        (name, value) for name, value in parameters.to_dict().items() if name in IDENTITY and value is not False
    )


def ends(run: Run) -> str | None:
    """Between which addresses a run was, as its log states it: ``10.1.0.1 -> 10.1.0.3``; None where it does not."""
    parameters = run.parameters
    for local, remote in (
        (parameters.local_address, parameters.remote_address),
        (parameters.local_gid, parameters.remote_gid),
    ):
        if local is not None and remote is not None:
            return f"{_decode_gid(local)} -> {_decode_gid(remote)}"
    return None


def _decode_gid(gid: str) -> str:
    """The IPv4 address of a GID that holds one, as perftest prints its bytes in decimal; anything else as it is."""
    numbers = gid.split(":")
    if len(numbers) != 16 or not all(map(str.isdecimal, numbers)):
        return gid
    head, address = [int(octet) for octet in numbers[:12]], numbers[12:]
    return ".".join(str(int(octet)) for octet in address) if head == [*[0] * 10, 255, 255] else gid


@dataclass(frozen=True, slots=True)
class Experiment:
    """What all series of a run share."""

    tool: str
    test: str | None
    location: str | None
    ranks: int | None
    workload: tuple[tuple[str, Scalar], ...] = field(default=())

    def series(self, measurement: Measurement) -> Series:
        """The series a measurement of this run belongs to."""
        return Series(
            self.tool,
            self.test,
            self.location,
            self.ranks,
            self.workload,
            measurement.metric,
            measurement.unit,
            measurement.size_bytes,
            measurement.place,
        )


def experiment(run: Run, location: str | None = None) -> Experiment:
    """What all series of this run share; ``location`` is the campaign's, instead of the log's."""
    return Experiment(run.tool, run.test, location or ends(run), run.ranks, workload(run.parameters))
