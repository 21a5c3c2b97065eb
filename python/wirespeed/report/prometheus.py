"""A report in the text format of Prometheus, for the textfile collector of its node exporter.

Names and units follow https://prometheus.io/docs/practices/naming/: base units, so bytes per second and seconds, and
fractions as ratios. Samples have no timestamps, which the collector does not accept; the recording time is a metric.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from statistics import median

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from wirespeed.report import wording
from wirespeed.results.campaign_history import History
from wirespeed.results.peers import Matrix
from wirespeed.results.report import Report
from wirespeed.results.verdicts import JudgedRun, Relation, Verdict
from wirespeed.units import BITS_PER_SECOND, Duration

_Labels = Mapping[str, str]

_HELP = {
    "wirespeed_recorded_timestamp_seconds": "Time at which the bundle was collected, or the last campaign began.",
    "wirespeed_findings": (
        "Findings of checks by device, check and status; status follows: the finding follows from another."
    ),
    "wirespeed_benchmark_bandwidth_bytes_per_second": "Bandwidth as measured; the median of repeated runs.",
    "wirespeed_benchmark_time_seconds": "Time or latency as measured; the median of repeated runs.",
    "wirespeed_benchmark_physical_limit_bytes_per_second": "Physical limit, which cannot be exceeded.",
    "wirespeed_benchmark_reachable_limit_bytes_per_second": (
        "Reachable limit of the algorithm or of a catalogue figure."
    ),
    "wirespeed_benchmark_of_physical_limit_ratio": "Bandwidth as a fraction of the physical limit.",
    "wirespeed_benchmark_of_reachable_limit_ratio": "Bandwidth as a fraction of the reachable limit.",
    "wirespeed_benchmark_measurements": "Number of judged measurements by verdict.",
    "wirespeed_benchmark_relations": "Number of relative gates by test and verdict.",
    "wirespeed_benchmark_relation_ratio": (
        "Result of runs as a fraction of the runs that a relative gate compares them with."
    ),
    "wirespeed_benchmark_relation_difference_seconds": "Additional time of runs compared with their baseline.",
    "wirespeed_peer_of_like_ratio": "Result of an endpoint as a fraction of its peers, by median polish.",
    "wirespeed_peer_suspect_of_like_ratio": "Result of a suspect as a fraction of its peers; absent without suspects.",
    "wirespeed_compared_ratio": "Median of the candidate divided by the median of the baseline, per series.",
    "wirespeed_history_timestamp_seconds": "Start time of the last campaign that contains a series.",
    "wirespeed_history_campaigns": "Number of campaigns that contain a series.",
    "wirespeed_history_bandwidth_bytes_per_second": (
        "Median bandwidth of a series in the last campaign that contains it."
    ),
    "wirespeed_history_time_seconds": "Median time of a series in the last campaign that contains it.",
    "wirespeed_history_step_ratio": "Level after the last change point of a series divided by the level before it.",
}


def text(report: Report) -> str:
    """The exposition; the same report gives the same bytes."""
    families = _Families({"cluster": wording.line(report.cluster)})
    recorded = _seconds_since_epoch(report.recorded)
    if recorded is not None:
        families.add("wirespeed_recorded_timestamp_seconds", {}, recorded)
    findings = Counter(
        (finding.device, finding.check, "follows" if finding.cause else finding.status.value)
        for finding in report.findings
    )
    for (device, check, status), count in sorted(findings.items()):
        families.add("wirespeed_findings", {"device": device, "check": check, "status": status}, count)
    for run in report.runs:
        _add_run(families, run)
    for relation in report.relations:
        _add_relation(families, relation)
    for result in report.peers:
        for matrix in result.matrices:
            _add_matrix(families, matrix)
    _add_comparisons(families, report)
    for history in report.histories:
        _add_history(families, history)
    registry = CollectorRegistry(auto_describe=False)
    registry.register(families)
    return generate_latest(registry).decode("utf-8")


class _Families(Collector):
    """Gauges by name, in the order of `_HELP`. Values with equal labels become one sample, their median."""

    def __init__(self, common: _Labels) -> None:
        self._common = common
        self._values: dict[str, dict[tuple[tuple[str, str], ...], list[float]]] = {name: {} for name in _HELP}

    def add(self, name: str, labels: _Labels, value: float) -> None:
        """Add one value of a gauge; a label without a value is omitted."""
        every = {**self._common, **{key: wording.line(text) for key, text in labels.items()}}
        label_pairs = tuple(sorted((key, text) for key, text in every.items() if text))
        self._values[name].setdefault(label_pairs, []).append(value)

    def collect(self) -> Iterator[Metric]:
        """The metrics for the client library."""
        for name, samples in self._values.items():
            if samples:
                family = GaugeMetricFamily(name, _HELP[name])
                for labels, values in sorted(samples.items()):
                    family.add_sample(name, dict(labels), median(values))
                yield family


def _add_run(families: _Families, run: JudgedRun) -> None:
    ends = {**_label_end("", run.source), **_label_end("peer_", run.target)}
    of_run = {"tool": run.tool, "test": run.test or "", "ranks": "" if run.ranks is None else str(run.ranks), **ends}
    if not (run.source and run.target):
        of_run["file"] = run.file  # nothing else distinguishes measurements of different endpoints
    for judgement, count in sorted(Counter(verdict.judgement.value for verdict in run.verdicts).items()):
        families.add("wirespeed_benchmark_measurements", {**of_run, "judgement": judgement, "file": run.file}, count)
    for verdict in run.verdicts:
        _add_verdict(families, of_run, verdict)


def _add_verdict(families: _Families, of_run: _Labels, verdict: Verdict) -> None:
    measurement = verdict.measurement
    size = "" if measurement.size_bytes is None else str(measurement.size_bytes)
    labels = {**of_run, "metric": measurement.metric.value, "size": size, "label": measurement.label or ""}
    seconds = _convert_to_seconds(float(measurement.value), measurement.unit)
    if seconds is not None:
        families.add("wirespeed_benchmark_time_seconds", labels, seconds)
        return
    if measurement.unit not in BITS_PER_SECOND:
        return
    families.add(
        "wirespeed_benchmark_bandwidth_bytes_per_second",
        labels,
        _convert_to_bytes(float(measurement.value), measurement.unit),
    )
    for name, bound, fraction in (
        ("physical", verdict.physical, verdict.fraction_of_physical),
        ("reachable", verdict.reachable, verdict.fraction_of_reachable),
    ):
        if bound is not None and bound.unit in BITS_PER_SECOND:
            families.add(
                f"wirespeed_benchmark_{name}_limit_bytes_per_second", labels, _convert_to_bytes(bound.value, bound.unit)
            )
        if fraction is not None:
            families.add(f"wirespeed_benchmark_of_{name}_limit_ratio", labels, fraction)


def _add_relation(families: _Families, relation: Relation) -> None:
    size = "" if relation.size_bytes is None else str(relation.size_bytes)
    labels = {
        "gate": relation.name,
        "test": relation.test,
        "metric": relation.metric.value,
        "size": size,
        "ends": relation.ends or "",
    }
    families.add("wirespeed_benchmark_relations", {**labels, "judgement": relation.judgement.value}, 1)
    if relation.value is None:
        return
    if relation.unit is None:
        families.add("wirespeed_benchmark_relation_ratio", labels, relation.value)
    elif (seconds := _convert_to_seconds(relation.value, relation.unit)) is not None:
        families.add("wirespeed_benchmark_relation_difference_seconds", labels, seconds)


def _add_matrix(families: _Families, matrix: Matrix) -> None:
    size = "" if matrix.size_bytes is None else str(matrix.size_bytes)
    labels = {"tool": matrix.tool, "test": matrix.test or "", "metric": matrix.metric.value, "size": size}
    members = {member.name: member for member in matrix.members}
    for margin in matrix.margins:
        member = members[margin.member]
        labels_of_member = {**labels, "host": member.host, "nic": member.device or ""}
        for direction, deviation in (("sends", margin.sends), ("receives", margin.receives)):
            if deviation is not None:
                families.add(
                    "wirespeed_peer_of_like_ratio", {**labels_of_member, "direction": direction}, 1 + deviation
                )
    for suspect in matrix.suspects:
        state = "confirmed" if suspect.confirmed else "suspect"
        suspect_labels = {
            "kind": suspect.kind.value,
            "name": suspect.name,
            "pattern": suspect.pattern.value,
            "state": state,
        }
        member_of = members.get(suspect.name)
        member_labels = {"host": member_of.host, "nic": member_of.device or ""} if member_of else {}
        families.add(
            "wirespeed_peer_suspect_of_like_ratio", {**labels, **suspect_labels, **member_labels}, suspect.fraction
        )


def _add_comparisons(families: _Families, report: Report) -> None:
    for comparison in report.comparisons:
        sides = {"before": comparison.a.label, "after": comparison.b.label}
        for row in comparison.series:
            if row.change is not None:
                size = "" if row.series.size_bytes is None else str(row.series.size_bytes)
                labels = {
                    **sides,
                    "series": wording.series(row.series),
                    "metric": row.series.metric.value,
                    "size": size,
                    "difference": row.difference.value,
                }
                families.add("wirespeed_compared_ratio", labels, 1 + row.change)


def _add_history(families: _Families, history: History) -> None:
    campaign_by_id = {campaign.id: campaign for campaign in history.campaigns}
    for entry in history.series:
        series, last = entry.series, entry.points[-1] if entry.points else None
        if last is None:
            continue
        size = "" if series.size_bytes is None else str(series.size_bytes)
        labels = {"series": wording.series(series), "metric": series.metric.value, "size": size}
        families.add("wirespeed_history_campaigns", labels, len(entry.points))
        began = campaign_by_id[last.campaign].started if last.campaign in campaign_by_id else None
        if (timestamp := _seconds_since_epoch(began)) is not None:
            families.add("wirespeed_history_timestamp_seconds", labels, timestamp)
        seconds = _convert_to_seconds(last.median, series.unit)
        if seconds is not None:
            families.add("wirespeed_history_time_seconds", labels, seconds)
        elif series.unit in BITS_PER_SECOND:
            families.add(
                "wirespeed_history_bandwidth_bytes_per_second", labels, _convert_to_bytes(last.median, series.unit)
            )
        step = entry.steps[-1] if entry.steps else None
        if step is not None and step.change is not None:
            since = campaign_by_id[step.campaign].label if step.campaign in campaign_by_id else str(step.campaign)
            step_labels = {**labels, "since": since, "difference": step.difference.value}
            families.add("wirespeed_history_step_ratio", step_labels, 1 + step.change)


def _label_end(prefix: str, name: str | None) -> dict[str, str]:
    """Host and NIC of ``HOST:NIC``."""
    host, _, nic = (name or "").partition(":")
    return {f"{prefix}host": host, f"{prefix}nic": nic}


def _convert_to_bytes(value: float, unit: str) -> float:
    return value * BITS_PER_SECOND[unit] / 8


def _convert_to_seconds(value: float, unit: str) -> float | None:
    scale = Duration.units.get("us" if unit == "usec" else unit)
    return None if scale is None else value * scale / 10**12


def _seconds_since_epoch(recorded: str | None) -> float | None:
    if recorded is None:
        return None
    try:
        time = datetime.fromisoformat(recorded)
    except ValueError:
        return None
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
