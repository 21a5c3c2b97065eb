"""Join the JSON reports of iperf3 processes that measured one pair of addresses at the same time.

Before release 3.16 all streams of a process share one core (iperf3's release notes), so people start several processes,
each with its own port; the rate of the pair is their sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wirespeed.benchmarks.logs.run_draft import ReadRun
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus

_START_SPREAD_S = 1  # the reports have whole seconds


@dataclass(frozen=True, slots=True)
class Report:
    """The report of one process; ``start_s``: seconds since 1970 by its own clock, None if it does not contain them."""

    read_run: ReadRun
    start_s: int | None


def join_processes(reports: Sequence[Report]) -> list[ReadRun]:
    """The runs of a log, with those of one pair at the same time as one run whose sums are of all processes."""
    joined: list[ReadRun] = []
    remaining = list(reports)
    while remaining:
        first = remaining[0]
        group = [report for report in remaining if report is first or _is_at_once(first, report)]
        ports = {report.read_run.run.parameters.server_port for report in group}
        if len(group) > 1 and len(ports) == len(group):
            joined.append(_join([report.read_run for report in group]))
            remaining = [report for report in remaining if report not in group]
        else:
            joined.append(remaining.pop(0).read_run)
    return joined


def _is_at_once(first: Report, second: Report) -> bool:
    """Whether two reports of clients, complete or cut, are of the same test, to the same pair, in the same seconds."""
    if first.start_s is None or second.start_s is None or abs(first.start_s - second.start_s) > _START_SPREAD_S:
        return False
    keys = [_identify_test(report.read_run.run) for report in (first, second)]
    return keys[0] is not None and keys[0] == keys[1]


def _identify_test(run: Run) -> tuple[object, ...] | None:
    stated = run.parameters
    if run.status not in (RunStatus.COMPLETE, RunStatus.TRUNCATED) or run.error is not None:
        return None
    if stated.side != "client" or stated.server_port is None or stated.bidirectional or stated.local_address is None:
        return None
    addresses = (stated.local_address, stated.remote_address)
    return run.test, run.version, *addresses, stated.reverse, stated.duration_s, stated.omitted_s, stated.title


def _join(read_runs: Sequence[ReadRun]) -> ReadRun:
    """One run: the sums over all processes, then the rows of each process with its port; cut if one report is."""
    runs = [read_run.run for read_run in read_runs]
    first = runs[0]
    rows = [
        row._replace(label=f"process {run.parameters.server_port} {row.label}")
        for run in runs
        for row in run.measurements
    ]
    streams = sum(run.parameters.streams or 1 for run in runs)
    parameters = replace(first.parameters, processes=len(runs), streams=streams)
    is_cut = any(run.status is RunStatus.TRUNCATED for run in runs)
    status = RunStatus.TRUNCATED if is_cut else RunStatus.COMPLETE
    run = Run(first.tool, first.test, first.version, status, None, None, parameters, (*_add_sums(runs), *rows))
    notices = tuple(notice for read_run in read_runs for notice in read_run.notices)
    return ReadRun(read_runs[0].line, run, notices)


def _add_sums(runs: Sequence[Run]) -> list[Measurement]:
    """The sums of rates, bytes, retransmissions and loads of all processes, where each process has the row."""
    sums: list[Measurement] = []
    for row in runs[0].measurements:
        if not (_is_total(row) or row.metric is Metric.CPU_USED) or row.metric not in _ADDED:
            continue
        key = (row.metric, row.unit, row.label)
        rows = [part for run in runs for part in run.measurements if (part.metric, part.unit, part.label) == key]
        if len(rows) == len(runs):
            sums.append(row._replace(value=sum(part.value for part in rows)))
    return sums


def _is_total(row: Measurement) -> bool:
    """Whether a row is of all streams and of the whole run."""
    return (row.label or "").startswith("SUM") and " interval " not in (row.label or "")


_ADDED = frozenset({Metric.BITRATE, Metric.TRANSFER, Metric.RETRANSMITS, Metric.LOST, Metric.CPU_USED})
