"""The identity of a measurement, by which results are compared over time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum

from wirespeed.results.benchmarks import Measurement, Metric, Run
from wirespeed.results.parameters import IDENTITY, Parameters, Scalar


class Better(IntEnum):
    """The direction in which a metric gets better."""

    LOWER = -1
    NEITHER = 0  # the value follows from the duration of the test, or no source states a direction
    HIGHER = 1


_HIGHER = ("algbw", "avg_busbw", "bitrate", "busbw", "bw", "msg_rate", "overlap", "simulation_rate")
_LOWER = (
    *("coll", "comm", "cpu", "dropped", "duplicated", "impact", "jitter", "latency", "lost", "out_of_order"),
    *("retransmits", "rtt", "run_time", "step_time", "time", "wrong"),
)


def better(metric: Metric) -> Better:
    """The direction in which this metric gets better: rates higher; times, losses and errors lower."""
    if metric.value.startswith(_HIGHER):
        return Better.HIGHER
    return Better.LOWER if metric.value.startswith(_LOWER) else Better.NEITHER


COLLECTIVES = ("nccl-tests", "rccl-tests")
"""Tools of collectives between GPUs."""


@dataclass(frozen=True, slots=True)
class Series:
    """One repeatable measurement: the test, its ends, and which of its numbers this is.

    ``ends`` is the pair or the nodes of the run (``node1:bnxt_re0 -> node2:bnxt_re4``) if the campaign or the log
    states it; ``label`` is the label of the value within the run's output.
    """

    tool: str
    test: str | None
    ends: str | None
    ranks: int | None
    workload: tuple[tuple[str, Scalar], ...]
    metric: Metric
    unit: str
    size_bytes: int | None
    label: str | None

    @property
    def is_of_empty_messages(self) -> bool:
        """Whether a collective sent nothing: its sizes are rounded down to whole elements for each rank."""
        return self.size_bytes == 0 and self.tool in COLLECTIVES


def list_parts(series: Iterable[Series]) -> frozenset[Series]:
    """Series of parts of a run, such as single streams and intervals of iperf3, where the run has the sum of them.

    Streams of two runs are not the same streams, and intervals are no repetitions: only sums are compared.
    """
    every = frozenset(series)
    sums = {_identify_sum(member) for member in every if _is_sum(member.label or "")}
    parts = {member for member in every if (member.label or "").startswith(_PART) and _identify_sum(member) in sums}
    return frozenset(parts | {member for member in every if " interval " in (member.label or "")})


_PART = ("stream ", "process ")


def _is_sum(label: str) -> bool:
    return label.startswith("SUM") and " interval " not in label


def _identify_sum(series: Series) -> tuple[object, ...]:
    return series.tool, series.test, series.ends, series.workload


ON_GPUS, RANKS_BY_HOST = "on_gpus", "ranks_by_host"
"""Names of the parts of a workload that follow from the places of the ranks."""


def workload(parameters: Parameters) -> tuple[tuple[str, Scalar], ...]:
    """The parameters that belong to the identity, by name; a flag that is off equals an absent one.

    The GPUs of a job on one host belong to it, since the paths between them differ, and so do uneven numbers of ranks.
    Two ranks send to each other over one path, in both directions at once: which of them is rank 0 does not matter,
    except to a root, from or to which all data goes. With more ranks, their order is that of the transfers.
    """
    named_values = ((name, value) for name, value in parameters.to_dict().items() if name in IDENTITY)
    return (*(pair for pair in named_values if pair[1] is not False), *_list_places(parameters))


def _list_places(parameters: Parameters) -> Iterable[tuple[str, Scalar]]:
    places = list(parameters.rank_places.values())
    ranks_by_host = Counter(place.host for place in places)
    if len(ranks_by_host) == 1 and all(place.bus_id for place in places):
        addresses = [_shorten_address(place.bus_id or "") for place in places]
        has_root = parameters.root_rank not in (None, _NO_ROOT)
        yield ON_GPUS, ",".join(addresses if has_root or len(addresses) > 2 else sorted(addresses))
    elif len(set(ranks_by_host.values())) > 1:
        yield RANKS_BY_HOST, ",".join(map(str, ranks_by_host.values()))


_NO_ROOT = -1
"""The root rank that nccl-tests prints for collectives without one."""


def has_known_gpus(parameters: Parameters) -> bool:
    """Whether the log shows which GPU each rank used: different addresses, none of them that of a hidden one.

    Bus 00 without a device is a hidden address, or that of any GPU of a virtual machine.
    """
    gpus = list_gpus(parameters)
    is_hidden = any(address == _HIDDEN_BUS for _, address in gpus)
    return not is_hidden and 0 < len(parameters.rank_places) == len(gpus) == len(set(gpus))


_HIDDEN_BUS = "00"


def list_gpus(parameters: Parameters) -> list[tuple[str, str]]:
    """Host and short PCIe address of the GPU of each rank whose address the log contains."""
    return [(place.host, _shorten_address(place.bus_id)) for place in parameters.rank_places.values() if place.bus_id]


def _shorten_address(address: str) -> str:
    """``0000:1b:00.0`` and ``0x1b`` as ``1b``, ``0000:03:04`` as ``03:04``: forms of several releases of nccl-tests."""
    match = _ADDRESS.fullmatch(address)
    if match is None:
        return address
    bus, device = match[1] or match[3], match[2]
    return bus if device in (None, "00") else f"{bus}:{device}"


_ADDRESS = re.compile(r"(?:[0-9a-fA-F]{4,8}:)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})(?:\.0)?|0x([0-9a-fA-F]{2})")


def read_ends(run: Run) -> str | None:
    """The addresses of a run's ends by its log, ``10.1.0.1 -> 10.1.0.3``, or the only host of a collective.

    None if the log does not state them.
    """
    parameters = run.parameters
    if parameters.nodes == 1 and parameters.host_names:
        return parameters.host_names
    for local, remote in (
        (parameters.local_address, parameters.remote_address),
        (parameters.local_gid, parameters.remote_gid),
    ):
        if local is not None and remote is not None:
            return f"{_decode_gid(local)} -> {_decode_gid(remote)}"
    return None


def _decode_gid(gid: str) -> str:
    """The IPv4 address in a GID, whose bytes perftest prints in decimal; other texts are unchanged."""
    numbers = gid.split(":")
    if len(numbers) != 16 or not all(map(str.isdecimal, numbers)):
        return gid
    head, address = [int(octet) for octet in numbers[:12]], numbers[12:]
    return ".".join(str(int(octet)) for octet in address) if head == [*[0] * 10, 255, 255] else gid


@dataclass(frozen=True, slots=True)
class Experiment:
    """The properties that all series of a run share."""

    tool: str
    test: str | None
    ends: str | None
    ranks: int | None
    workload: tuple[tuple[str, Scalar], ...] = field(default=())

    def series(self, measurement: Measurement) -> Series:
        """The series of a measurement of this run."""
        return Series(
            self.tool,
            self.test,
            self.ends,
            self.ranks,
            self.workload,
            measurement.metric,
            measurement.unit,
            measurement.size_bytes,
            measurement.label,
        )


def experiment(run: Run, ends: str | None = None, log: str | None = None) -> Experiment:
    """The properties that all series of a run share; ``ends`` from the campaign replaces that of the log.

    Collectives without a name have the name of their log, so that two different ones are never one series.
    """
    shared_workload = workload(run.parameters)
    if run.test is None and run.tool in COLLECTIVES and log:
        shared_workload = (*shared_workload, ("log", log.rpartition("/")[2]))
    return Experiment(run.tool, run.test, ends or read_ends(run), run.ranks, shared_workload)
