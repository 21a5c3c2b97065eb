"""What a log of iperf3 shows of the reason for its rate: busy cores, and windows that fill a round trip.

iperf3 reports the CPU time of its process in percent of one core, and from Linux' TCP_INFO the congestion window and
the round-trip time of each stream (src/iperf_util.c, src/tcp_info.c).
"""

from __future__ import annotations

from wirespeed.benchmarks.tools.run_totals import find_total_labels
from wirespeed.limits.bound import GBPS, convert, number
from wirespeed.results.benchmarks import Metric, Run
from wirespeed.units import BITS_PER_SECOND, Duration

_BUSY = 95  # percent of a core: a process that copies all the time is at 99 to 100
_IDLE = 70  # percent of a core, unverified: only warns, since work in interrupts is not in a process's time
_FILLED = 0.7  # of windows in a round trip: a window grows to its maximum only in the course of a run
_CONTRADICTED = 1.05
_BYTES = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_US = 1e-6
_EQUAL = 0.5  # unverified: no published run has this spread without a cause; it gives a note and no verdict
_MENTIONED_SHARE = 1e-4  # of all segments, unverified: fewer are not mentioned


def list_tcp_causes(run: Run, threads: int, reachable_gbps: float) -> tuple[str, ...]:
    """Why a run was not faster, as its log shows. ``threads``: cores that the process can use."""
    return (*list_busy_cores(run, threads), *_list_filled_windows(run, reachable_gbps))


def list_busy_cores(run: Run, threads: int) -> list[str]:
    """The hosts on which the process uses all of the cores that it can use. ``threads``: their number."""
    loads = {row.label: float(row.value) for row in run.measurements if row.metric is Metric.CPU_USED}
    cores = "the one core" if threads == 1 else f"a core, of the {threads}"
    return [
        f"{run.tool} on the {label} host uses {number(load)} % of {cores} that it can use"
        for label, load in loads.items()
        if load >= _BUSY * threads
    ]


def find_round_trip(run: Run) -> Duration | None:
    """The shortest round trip of a log, as the sender's kernel measured it."""
    shortest = min(
        (float(row.value) for row in run.measurements if row.metric is Metric.RTT and row.value), default=None
    )
    return None if shortest is None else Duration(round(shortest * Duration.units["us"]))


def find_idle_cores(run: Run, threads: int) -> str | None:
    """Why cores are not known to be the limit: the log has the load of both hosts, and neither process is near a core.

    ``threads``: cores that each process can use. None where the log does not have both loads or one is higher. The load
    is the process's time by the run's (src/iperf_util.c, cpu_util): time in interrupts is not in it.
    """
    loads = {row.label: float(row.value) for row in run.measurements if row.metric is Metric.CPU_USED}
    if len(loads) < 2 or max(loads.values()) >= _IDLE * threads:
        return None
    used = " and ".join(f"{number(load)} % on the {label} host" for label, load in loads.items())
    cores = "the one core" if threads == 1 else f"the {threads} cores"
    return (
        f"cores are not shown to be the limit: {run.tool} uses {used} of {cores} that it can use; look at the load of "
        "interrupts (`mpstat -P ALL 1`) and at lost packets"
    )


def list_stream_notes(run: Run, segment: int) -> list[str]:
    """Notes on streams that share a link unequally, and on segments that were sent again. ``segment``: bytes of one."""
    return [*_describe_unequal_streams(run), *_describe_retransmissions(run, segment)]


def _describe_unequal_streams(run: Run) -> list[str]:
    rows = [row for row in run.measurements if row.metric is Metric.BITRATE and row.unit in BITS_PER_SECOND]
    for side in (" receiver", " sender"):
        rates = [
            convert(float(row.value), row.unit, GBPS)
            for row in rows
            if (label := row.label or "").startswith("stream ") and label.endswith(side) and " interval " not in label
        ]
        if len(rates) > 1:
            slowest, fastest = min(rates), max(rates)
            text = f"the streams are unequal: {number(slowest)} to {number(fastest)} Gb/s"
            return [text] if slowest < _EQUAL * fastest else []
    return []


def _describe_retransmissions(run: Run, segment: int) -> list[str]:
    by_label = {
        metric: {row.label: row for row in run.measurements if row.metric is metric}
        for metric in (Metric.RETRANSMITS, Metric.TRANSFER)
    }
    senders = [label for label in by_label[Metric.RETRANSMITS] if (label or "").endswith(" sender")]
    label = "SUM sender" if "SUM sender" in senders else senders[0] if len(senders) == 1 else None
    transfer = by_label[Metric.TRANSFER].get(label)
    if label is None or transfer is None or transfer.unit not in _BYTES or not transfer.value:
        return []
    count = float(by_label[Metric.RETRANSMITS][label].value)
    share = count * segment / (float(transfer.value) * _BYTES[transfer.unit])
    if share < _MENTIONED_SHARE:
        return []
    return [
        f"the sender retransmitted {count:,.0f} segments, about {share * 100:.2g} % of all: packets were lost or "
        "overtook others"
    ]


def _list_filled_windows(run: Run, reachable_gbps: float) -> list[str]:
    windows: dict[str, float] = {}  # bytes, the largest of each stream
    for row in run.measurements:
        stream = (row.label or "").partition(" interval ")[0].removesuffix(" sender")
        if row.metric is Metric.CONGESTION_WINDOW and row.unit in _BYTES and "SUM" not in stream.split():
            windows[stream] = max(windows.get(stream, 0.0), float(row.value) * _BYTES[row.unit])
    times = [
        float(row.value) for row in run.measurements if row.metric is Metric.RTT and "interval" not in (row.label or "")
    ]
    totals = find_total_labels(run)
    rates = [
        convert(float(row.value), row.unit, GBPS)
        for row in run.measurements
        if row.metric is Metric.BITRATE and row.unit in BITS_PER_SECOND and row.label in totals
    ]
    if not windows or not times or not rates or min(times) <= 0:
        return []
    round_trip = sum(times) / len(times)
    allowed = sum(windows.values()) * 8 / (round_trip * _US) / 1e9
    if allowed >= reachable_gbps or not _FILLED * allowed <= max(rates) <= _CONTRADICTED * allowed:
        return []
    window, milliseconds = number(sum(windows.values()) / 1e6), number(round_trip / 1000)
    return [f"congestion windows of {window} MB in a round trip of {milliseconds} ms allow {number(allowed)} Gb/s"]
