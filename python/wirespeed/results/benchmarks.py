"""Output of benchmark tools: the format of ``wirespeed bench parse --format json``."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from wirespeed.results.parameters import Parameters


class RunStatus(StrEnum):
    """How a run ended, by its log. ``END_UNKNOWN``: the log ends after a whole row, and may be cut there or not."""

    COMPLETE = "complete"
    END_UNKNOWN = "end-unknown"
    TRUNCATED = "truncated"
    FAILED = "failed"

    @property
    def is_intact(self) -> bool:
        """Whether nothing in the log shows that it was cut or that the run failed."""
        return self in (RunStatus.COMPLETE, RunStatus.END_UNKNOWN)


class Metric(StrEnum):
    """The quantity that a measurement measures."""

    TIME = "time"
    ALGBW = "algbw"
    BUSBW = "busbw"
    AVG_BUSBW = "avg_busbw"
    BW_PEAK = "bw_peak"
    BW_AVG = "bw_avg"
    BW_MIN = "bw_min"
    BW_MAX = "bw_max"
    BW_P99 = "bw_p99"
    BW_P999 = "bw_p999"
    BW_PERCENTILE = "bw_percentile"  # the label contains the percentile
    MSG_RATE = "msg_rate"
    LATENCY_MIN = "latency_min"
    LATENCY_TYPICAL = "latency_typical"
    LATENCY_AVG = "latency_avg"
    LATENCY_MAX = "latency_max"
    LATENCY_STDEV = "latency_stdev"
    LATENCY_P50 = "latency_p50"
    LATENCY_P90 = "latency_p90"
    LATENCY_P95 = "latency_p95"
    LATENCY_P99 = "latency_p99"
    LATENCY_P999 = "latency_p999"
    LATENCY_PERCENTILE = "latency_percentile"  # the label contains the percentile
    BITRATE = "bitrate"
    TRANSFER = "transfer"
    RETRANSMITS = "retransmits"
    CONGESTION_WINDOW = "congestion_window"
    RTT = "rtt"
    LOST = "lost"
    JITTER = "jitter"
    WRONG = "wrong"
    ITERATIONS = "iterations"
    COMPUTE = "compute"
    COMM_AVG = "comm_avg"
    COMM_MIN = "comm_min"
    COMM_MAX = "comm_max"
    COLL_INIT = "coll_init"
    COLL_TEST = "coll_test"
    COLL_WAIT = "coll_wait"
    OVERLAP = "overlap"
    IMPACT_AVG = "impact_avg"
    IMPACT_P99 = "impact_p99"
    CPU_COST = "cpu_cost"
    CPU_USED = "cpu_used"
    MESSAGES = "messages"
    DROPPED = "dropped"
    DUPLICATED = "duplicated"
    OUT_OF_ORDER = "out_of_order"
    RUN_TIME = "run_time"  # of an application; the label contains which time: wall, core, of a domain
    STEP_TIME = "step_time"  # mean time of a time step of an application
    SIMULATION_RATE = "simulation_rate"  # simulated time or steps per time of the run
    TIME_PER_NS = "time_per_ns"  # time of the run per simulated nanosecond


LATENCIES = frozenset(
    {
        *(Metric.LATENCY_MIN, Metric.LATENCY_TYPICAL, Metric.LATENCY_AVG, Metric.LATENCY_MAX, Metric.LATENCY_P50),
        *(Metric.COMM_AVG, Metric.COMM_MIN, Metric.COMM_MAX),  # of a non-blocking collective, without its computation
        *(Metric.LATENCY_P90, Metric.LATENCY_P95, Metric.LATENCY_P99, Metric.LATENCY_P999, Metric.LATENCY_PERCENTILE),
    }
)
"""Times of single operations: they have a lowest possible value."""

APPLICATIONS = frozenset({"CP2K", "GROMACS", "OpenFOAM", "WRF"})
"""Applications that print the time of their run. No limit of a network is one of this time."""

PAIR_ARROW = " -> "
"""Between the two ends of a pair."""


class Measurement(NamedTuple):
    """One number as printed, with its true unit. A tuple, because a large log has millions.

    ``label`` is out-of-place, in-place, a stream, a direction, a pair as ``from -> to``, or None; ``line`` counts from
    1 in the file.
    """

    metric: Metric
    unit: str
    value: float | int
    size_bytes: int | None
    label: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Run:
    """One table or report of a log. Values that the log does not contain are None.

    ``failures`` are the entries of the failure catalogue that cause such an ``error``, likeliest first.
    """

    tool: str
    test: str | None
    version: str | None
    status: RunStatus
    error: str | None
    ranks: int | None
    parameters: Parameters = field(default_factory=Parameters)
    measurements: tuple[Measurement, ...] = ()
    failures: tuple[str, ...] = ()


def count_shown_decimals(value: float) -> int:
    """Decimals of a value without the zeros at its end, which a number does not keep."""
    exponent = Decimal(repr(value)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
