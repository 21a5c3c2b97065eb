"""From runs to samples: find the numbers of runs that are the same measurement between different ends."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from wirespeed.benchmarks.endpoints.members import MemberDirectory
from wirespeed.benchmarks.tools.run_totals import find_total_labels
from wirespeed.limits.bound import convert
from wirespeed.results.benchmarks import PAIR_ARROW, Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters, Scalar
from wirespeed.results.peers import Member, Reading
from wirespeed.results.series import Better, better, read_ends, workload
from wirespeed.units import BITS_PER_SECOND, Size

CHOSEN = (
    Metric.BUSBW,
    Metric.BITRATE,
    Metric.BW_AVG,
    Metric.BW_PEAK,
    Metric.LATENCY_TYPICAL,
    Metric.LATENCY_P50,
    Metric.LATENCY_AVG,
    Metric.ALGBW,
    Metric.TIME,
)
"""The metric that represents a run is the first that it has: bandwidths first, robust statistics before others."""

_DIRECTIONS = (" forward", " backward")  # two transfers at the same time, as TransferBench names them
RECEIVED_SIDE = "as received"
_RECEIVED = ", received"  # the value of the receiving end of the same transfer


@dataclass(frozen=True, slots=True)
class Log:
    """The runs of a log, and where they were measured: two ends, or one host."""

    name: str
    runs: tuple[Run, ...]
    source: str | None = None
    target: str | None = None
    host: str | None = None
    test: str | None = None  # the test of a log without a run
    failed: str | None = None  # why the log has no run


@dataclass(frozen=True, slots=True)
class Key:
    """The properties that compared samples share."""

    tool: str
    test: str | None
    workload: tuple[tuple[str, Scalar], ...]
    ranks: int | None
    metric: Metric
    unit: str
    size_bytes: int | None
    shape: str  # hosts, pairs, or pairs inside of hosts
    side: str | None = None

    @property
    def lower_is_better(self) -> bool:
        """Whether a smaller value is the better one."""
        return better(self.metric) is Better.LOWER


@dataclass(frozen=True, slots=True)
class Sample:
    """One reading between two ends, or of one host; ``label`` is that of the value in the output of the host."""

    source: Member
    target: Member | None
    reading: Reading
    label: str | None = None


@dataclass(slots=True)
class SampleSet:
    """Samples that can be compared, by key, and notes on what cannot."""

    samples: dict[Key, list[Sample]] = field(default_factory=dict)
    parameters: dict[Key, Parameters] = field(default_factory=dict)  # of the first run of each
    notes: list[str] = field(default_factory=list)


def gather(
    logs: Iterable[Log], directory: MemberDirectory, metric: Metric | None = None, size: int | None = None
) -> SampleSet:
    """Gather the samples of all logs, one size of each test: the requested one, else the most frequent."""
    samples_by_key: dict[Key, list[Sample]] = defaultdict(list)
    parameters: dict[Key, Parameters] = {}
    failed: list[tuple[str | None, Sample]] = []
    without_ends: list[tuple[str, Run]] = []
    without_result: list[tuple[str, Run]] = []
    with_result: set[str] = set()
    for log in logs:
        if log.failed is not None:
            failed += [(log.test, sample) for sample in _list_failed_samples(log, log.failed, directory)]
        for run in log.runs:
            if run.status is RunStatus.FAILED and _find_ends(log, run, directory):
                failed += [
                    (run.test, sample)
                    for sample in _list_failed_samples(log, run.error or "the run failed", directory, run)
                ]
                continue
            had = False
            for key, sample in _make_samples(log, run, directory, metric):
                samples_by_key[key].append(sample)
                parameters.setdefault(key, run.parameters)
                had = True
            if had:
                with_result.add(log.name)
            else:
                (without_ends if _select_measurements(run.measurements, metric) else without_result).append(
                    (log.name, run)
                )
    gathered = SampleSet(_select_size(samples_by_key, size), parameters)
    if size is None:
        gathered.notes += _describe_other_sizes(samples_by_key, gathered.samples)
    _add_failed(gathered, failed)
    gathered.notes += _describe_without_ends(without_ends, directory)
    without_result = [(name, run) for name, run in without_result if name not in with_result]
    if without_result:
        gathered.notes.append(_describe_without_result(without_result, metric))
    if samples_by_key and not gathered.samples:
        gathered.notes.append(_describe_sizes(samples_by_key, size))
    return gathered


def _describe_without_ends(runs: Sequence[tuple[str, Run]], directory: MemberDirectory) -> Iterator[str]:
    """Why runs without known ends are not compared: their logs name several hosts, or none."""
    collectives = [(name, run) for name, run in runs if run.parameters.host_names]
    if collectives:
        hosts = (collectives[0][1].parameters.host_names or "").split(",")
        names = _format_first([name for name, _ in collectives])
        yield (
            f"not compared, a run over several hosts ({_format_first(hosts)}) does not show which is slow: {names}; "
            "measure each host separately, or run `wirespeed bench run matrix`"
        )
    loopbacks = [name for name, run in runs if _is_loopback(run)]
    if loopbacks:
        yield f"not compared, sender and receiver are the same NIC: {_format_first(loopbacks)}"
    unnamed = [name for name, run in runs if not run.parameters.host_names and not _is_loopback(run)]
    if unnamed:
        text = f"not compared, the log does not name its hosts: {_format_first(unnamed)}"
        yield f"{text}; {_hint_of_hosts(unnamed, directory)}"


def _is_loopback(run: Run) -> bool:
    """Whether both ends have the same address."""
    near, arrow, far = (read_ends(run) or "").partition(PAIR_ARROW)
    return bool(arrow) and near == far


def _describe_other_sizes(
    samples_by_key: Mapping[Key, Sequence[Sample]], selected: Mapping[Key, Sequence[Sample]]
) -> Iterator[str]:
    """Logs without a result of the compared size, by the size that they have."""
    compared = {sample.reading.file for samples in selected.values() for sample in samples}
    files: dict[int, list[str]] = defaultdict(list)
    for key, samples in samples_by_key.items():
        if key.size_bytes is not None:
            files[key.size_bytes] += [sample.reading.file for sample in samples if sample.reading.file not in compared]
    for size, names in sorted(files.items()):
        if names:
            option = "--size " + str(Size(size)).replace(" ", "")
            yield (
                f"not compared, results of {Size(size)} where most logs have another size: {_format_first(names)}; "
                f"`{option}` compares them"
            )


def _describe_without_result(runs: Sequence[tuple[str, Run]], metric: Metric | None) -> str:
    names = _format_first([name for name, _ in runs])
    metrics = sorted({measurement.metric.value for _, run in runs for measurement in run.measurements})
    if metric is None or not metrics:
        return f"not compared, no comparable result in the log: {names}"
    return f"not compared, no {metric.value} in the log: {names}; metrics in the log: {', '.join(metrics)}"


def _hint_of_hosts(names: Sequence[str], directory: MemberDirectory) -> str:
    """A hint how logs that do not name their hosts can be compared."""
    ends = "give --from and --to"
    if not directory.has_plan:
        return (
            "with --cluster, hosts are known by the names of the logs' files and folders (node3/all_reduce.log): "
            f"add --cluster, or {ends}"
        )
    folders = list(dict.fromkeys(folder for name in names if (folder := PurePath(name).parent.name)))
    noun, verb = ("folder name", "is no host") if len(folders) == 1 else ("folder names", "are no hosts")
    unknown = f"; the {noun} {_format_first(folders)} {verb} of the cluster file" if folders else ""
    return f"put the log of each host into a folder named after it (node3/all_reduce.log), or {ends}{unknown}"


def _describe_sizes(samples_by_key: Mapping[Key, Sequence[Sample]], size: int | None) -> str:
    """List the sizes in the logs if none is the requested one."""
    sizes = sorted({key.size_bytes for key in samples_by_key if key.size_bytes is not None})
    sizes_in_logs = ", ".join(str(Size(known_size)) for known_size in sizes[:_SIZES]) or "none given"
    further_sizes = f" and {len(sizes) - _SIZES} more" if len(sizes) > _SIZES else ""
    return f"no result of {Size(size or 0)}; sizes in the logs: {sizes_in_logs}{further_sizes}"


_SIZES = 8  # that a note lists


def _format_first(names: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(names))
    return ", ".join(distinct[:3]) + (f" and {len(distinct) - 3} more" if len(distinct) > 3 else "")


def _make_samples(
    log: Log, run: Run, directory: MemberDirectory, metric: Metric | None
) -> Iterator[tuple[Key, Sample]]:
    parameters = workload(run.parameters)
    pairs = [measurement for measurement in run.measurements if measurement.label and PAIR_ARROW in measurement.label]
    of_run = [
        measurement for measurement in run.measurements if not (measurement.label and PAIR_ARROW in measurement.label)
    ]
    if pairs:
        chosen = _select_measurements(pairs, metric)
        for measurement in chosen:
            yield _make_pair_sample(log, run, measurement, parameters, directory)
        for label, failed in run.parameters.failed_pairs.items() if chosen else ():
            key, sample = _make_pair_sample(log, run, chosen[0]._replace(label=label), parameters, directory)
            yield key, replace(sample, reading=Reading(None, log.name, failed.line, failed.text))
        return
    ends_of = _find_ends(log, run, directory)
    if not ends_of:
        return
    source, target = ends_of
    for measurement in _whole_run_values(run, _select_measurements(of_run, metric)):
        shape = "hosts" if target is None else "pairs"
        side = measurement.label if measurement.metric is not Metric.BITRATE else None
        key = _make_key(run, measurement, parameters, shape, None if target else run.ranks, side)
        near, far = _orient_flow(run, measurement, source, target)
        yield key, Sample(near, far, _make_reading(log, measurement, key.unit))


def _orient_flow(
    run: Run, measurement: Measurement, source: Member, target: Member | None
) -> tuple[Member, Member | None]:
    """The direction of the data: a read, iperf3's -R and the reverse direction of --bidir reverse it."""
    is_reversed = "read" in (run.test or "") or bool(run.parameters.reverse)
    if "RX-" in (measurement.label or ""):
        is_reversed = not is_reversed
    return (target, source) if is_reversed and target is not None else (source, target)


def _make_pair_sample(
    log: Log, run: Run, measurement: Measurement, parameters: tuple[tuple[str, Scalar], ...], directory: MemberDirectory
) -> tuple[Key, Sample]:
    label = (measurement.label or "").removesuffix(_RECEIVED)
    direction = next((word for word in _DIRECTIONS if label.endswith(word)), "")
    near, _, far = label.removesuffix(direction).partition(PAIR_ARROW)
    source, target = directory.member(near, log.host), directory.member(far, log.host)
    is_inside_host = log.host is not None and source.host == target.host == log.host
    side = RECEIVED_SIDE if (measurement.label or "").endswith(_RECEIVED) else direction.strip() or None
    key = _make_key(run, measurement, parameters, "pairs inside of hosts" if is_inside_host else "pairs", None, side)
    return key, Sample(source, target, _make_reading(log, measurement, key.unit), label)


def _make_key(
    run: Run,
    measurement: Measurement,
    parameters: tuple[tuple[str, Scalar], ...],
    shape: str,
    ranks: int | None,
    side: str | None,
) -> Key:
    unit = "Gb/s" if measurement.metric is Metric.BITRATE and measurement.unit in BITS_PER_SECOND else measurement.unit
    return Key(run.tool, run.test, parameters, ranks, measurement.metric, unit, measurement.size_bytes, shape, side)


def _make_reading(log: Log, measurement: Measurement, unit: str) -> Reading:
    value = (
        convert(float(measurement.value), measurement.unit, unit)
        if measurement.unit != unit
        else float(measurement.value)
    )
    return Reading(value, log.name, measurement.line)


def _select_measurements(measurements: Sequence[Measurement], metric: Metric | None) -> list[Measurement]:
    has = {measurement.metric for measurement in measurements}
    wanted = metric if metric is not None else next((candidate for candidate in CHOSEN if candidate in has), None)
    return [measurement for measurement in measurements if measurement.metric is wanted]


def _whole_run_values(run: Run, measurements: Sequence[Measurement]) -> Sequence[Measurement]:
    """The measurements of the whole run, without single streams and single seconds."""
    if measurements and measurements[0].metric is Metric.BITRATE:
        labels = find_total_labels(run)
        return [measurement for measurement in measurements if measurement.label in labels or measurement.label is None]
    return [measurement for measurement in measurements if measurement.label in (None, "out-of-place", "in-place")]


def _find_ends(log: Log, run: Run, directory: MemberDirectory) -> tuple[Member, Member | None] | None:
    if log.source and log.target:
        return directory.member(log.source), directory.member(log.target)
    if log.host:
        return directory.member(log.host), None
    near, _, far = (read_ends(run) or "").partition(PAIR_ARROW)
    if near and far and near != far:
        return directory.member(near), directory.member(far)
    hosts = run.parameters.host_names
    return (directory.member(hosts), None) if hosts and "," not in hosts else None


def _list_failed_samples(log: Log, error: str, directory: MemberDirectory, run: Run | None = None) -> Iterator[Sample]:
    ends = _find_ends(log, run or Run("", None, None, RunStatus.FAILED, error, None), directory)
    if ends is not None:
        yield Sample(*ends, Reading(None, log.name, 1, error))


def _select_size(samples_by_key: dict[Key, list[Sample]], size: int | None) -> dict[Key, list[Sample]]:
    """Select for each test the requested size, else the size that most pairs have.

    Among equally frequent sizes this is the largest for bandwidths and the smallest for times.
    """
    sizes: dict[Key, Counter[int | None]] = defaultdict(Counter)
    for key, samples in samples_by_key.items():
        sizes[_remove_size(key)][key.size_bytes] = len({(sample.source, sample.target) for sample in samples})
    selected = {}
    for key, samples in samples_by_key.items():
        counted = sizes[_remove_size(key)]
        if size is not None:
            if key.size_bytes == size:
                selected[key] = samples
            continue
        sign = -1 if key.lower_is_better else 1
        best = max(counted, key=lambda size: (counted[size], sign * (size or 0)))
        if key.size_bytes == best:
            selected[key] = samples
    return dict(sorted(selected.items(), key=lambda entry: _sort_by_text(entry[0])))


def _remove_size(key: Key) -> Key:
    return Key(key.tool, key.test, key.workload, key.ranks, key.metric, key.unit, None, key.shape, key.side)


def _sort_by_text(key: Key) -> tuple[str, ...]:
    return tuple(str(getattr(key, name)) for name in ("tool", "test", "shape", "metric", "side", "workload", "ranks"))


def _add_failed(gathered: SampleSet, failed: Sequence[tuple[str | None, Sample]]) -> None:
    """Add failed runs to the samples of the same test between the same kind of ends."""
    uncompared = 0
    for test, sample in failed:
        single = sample.target is None
        fitting = [
            key
            for key in gathered.samples
            if (test is None or test in (key.test, key.tool)) and (key.shape == "hosts") is single
        ]
        for key in fitting:
            gathered.samples[key].append(sample)
        uncompared += not fitting
    if uncompared:
        gathered.notes.append(f"{uncompared} failed runs not compared: no run of the same test has a result")
