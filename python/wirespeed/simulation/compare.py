"""Run the same scenarios with several congestion-control algorithms, concurrently."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from wirespeed.errors import Problem, Refusal
from wirespeed.input_files import read_text_input
from wirespeed.results.algorithm_comparison import Change, Comparison, Run
from wirespeed.results.simulation_types import FLOWS, PORTS, QUEUES
from wirespeed.settings import Congestion
from wirespeed.simulation import ultra_ethernet
from wirespeed.simulation.algorithm_settings import (
    ROWS,
    apply_settings,
    find_missing_slope,
    find_settings,
    select_algorithm,
)
from wirespeed.simulation.parameter_changes import find_changes
from wirespeed.simulation.run import Progress, Result, run
from wirespeed.simulation.scenario_types import Scenario
from wirespeed.simulation.tables import columns
from wirespeed.units import Duration

if TYPE_CHECKING:
    import pyarrow as pa

ALGORITHMS: tuple[str, ...] = ROWS

_WAIT_S = 0.1
"""Interval at which unfinished runs are polled, so that Ctrl-C takes effect."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A scenario to compare."""

    path: Path
    text: str
    """The scenario as JSON."""
    planned: Mapping[Congestion, str] = field(default_factory=dict)
    """The scenario with the plan's ECN thresholds for another congestion control."""
    refusals: Mapping[Congestion, str] = field(default_factory=dict)
    """Why the plan has no thresholds for a congestion control."""
    simulated: Mapping[str, str] = field(default_factory=dict)
    """The algorithm that simulates the plan's congestion control, where its name differs."""


@dataclass(frozen=True, slots=True)
class _Job:
    """A run."""

    path: Path
    algorithm: str
    text: str
    changes: tuple[Change, ...] = ()
    warnings: tuple[str, ...] = ()


def compare(
    candidates: Iterable[Candidate],
    algorithms: Iterable[str],
    preset: str,
    seed: int,
    *,
    as_is: bool = False,
    end_time: Duration | None = None,
    jobs: int = 1,
    on_progress: Callable[[int, int], bool] | None = None,
) -> Comparison:
    """Run every scenario with every algorithm.

    Runs are threads: the core works without Python's lock. A result depends on scenario, preset and seed only, not on
    the number of concurrent runs.

    Args:
        candidates: the scenarios.
        algorithms: some of `ALGORITHMS`.
        preset: one of the presets.
        seed: of all random numbers.
        as_is: change the algorithm only, not the settings that it expects.
        end_time: end every run at this simulated time.
        jobs: number of concurrent runs.
        on_progress: called with the number of runs done and of all runs; returns whether to continue.

    Raises:
        Refusal: a scenario cannot be read or cannot run.
    """
    todo = [_create_job(candidate, algorithm, preset, as_is) for candidate in candidates for algorithm in algorithms]
    wanted = True

    def report_progress(_: Progress) -> bool:
        return wanted

    def work(job: _Job) -> Run:
        return _build_row(
            job, run(job.path, preset, seed, end_time=end_time, on_progress=report_progress, text=job.text)
        )

    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(work, job) for job in todo]
        while wanted and not _is_finished(futures):
            done_count = sum(future.done() for future in futures)
            wanted = on_progress is None or on_progress(done_count, len(futures))
        for future in futures:
            future.cancel()
    return Comparison(preset, seed, tuple(_name_scenarios(todo, list(_collect_results(futures)))))


def _name_scenarios(todo: list[_Job], runs: list[Run]) -> Iterator[Run]:
    """The runs; if several files contain a scenario of the same name, the file is added to the name."""
    paths: dict[str, set[Path]] = {}
    for job, run_of_job in zip(todo, runs, strict=False):  # after an interruption the last runs are missing
        paths.setdefault(run_of_job.scenario, set()).add(job.path)
    for job, run_of_job in zip(todo, runs, strict=False):
        name, files = run_of_job.scenario, paths[run_of_job.scenario]
        if len(files) > 1:
            is_unique = len({file.name for file in files}) == len(files)
            name = f"{name} ({job.path.name if is_unique else job.path})"
        yield replace(run_of_job, scenario=name)


def _is_finished(futures: list[Future[Run]]) -> bool:
    """Whether all runs are done or one has failed; waits up to `_WAIT_S`."""
    _, waiting = wait(futures, timeout=_WAIT_S)
    failed = any(future.done() and future.exception() for future in futures)
    return failed or not waiting


def _collect_results(futures: list[Future[Run]]) -> Iterator[Run]:
    """Results in the order of the jobs. Refusals of all jobs are joined."""
    problems: dict[Problem, None] = {}  # ordered set
    for future in futures:
        if future.cancelled():
            continue
        error = future.exception()
        if isinstance(error, Refusal):
            problems.update(dict.fromkeys(error.problems))
        elif error is not None:
            raise error
    if problems:
        raise Refusal(problems)
    for future in futures:
        if not future.cancelled():
            yield future.result()


def read_scenario(path: Path) -> Candidate:
    """The scenario of a file."""
    return Candidate(path, read_text_input(path))


def _create_job(candidate: Candidate, algorithm: str, preset: str, as_is: bool) -> _Job:
    """The scenario with the algorithm and the settings that it expects."""
    path, congestion = candidate.path, find_settings(algorithm).plan
    original = _parse_scenario(candidate.text)
    if original is None:
        return _Job(path, algorithm, candidate.text)  # the core reports what is wrong, and where
    select_algorithm(algorithm, original, preset)
    if as_is:
        return _Job(path, algorithm, json.dumps(original), warnings=tuple(_describe_substitute(candidate, algorithm)))
    planned = candidate.planned.get(congestion) if congestion else None
    scenario = _parse_scenario(candidate.text if planned is None else planned)
    assert scenario is not None
    select_algorithm(algorithm, scenario, preset)
    apply_settings(algorithm, scenario, preset)
    text = json.dumps(scenario)
    if ultra_ethernet.read(scenario, preset) is None:
        return _Job(path, algorithm, text)  # the run is refused
    warnings = tuple(_describe_differences(candidate, algorithm, scenario, preset))
    return _Job(path, algorithm, text, find_changes(original, scenario, preset), warnings)


def _parse_scenario(text: str) -> Scenario | None:
    """A scenario whose `parameters` is an object; None: none that the core accepts."""
    try:
        read: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(read, dict) or not isinstance(read.setdefault("parameters", {}), dict):
        return None
    return cast(Scenario, read)


def _describe_differences(candidate: Candidate, algorithm: str, scenario: Scenario, preset: str) -> Iterator[str]:
    """What a reader may not expect: another algorithm than that of the plan, or thresholds that do not suit it."""
    yield from _describe_substitute(candidate, algorithm)
    expects = find_settings(algorithm)
    if expects.plan is not None and expects.plan in candidate.refusals:
        used = "; the step is at the minimum threshold" if expects.step else ""
        yield f"the plan has no ECN thresholds for this algorithm: {candidate.refusals[expects.plan]}{used}"
    threshold = find_missing_slope(algorithm, scenario, preset)
    if threshold is not None:
        yield (
            "expects an ECN slope (minimum below maximum threshold), but the scenario has a step at"
            f" {threshold:,} bytes; a cluster file with --traffic gives the planned slope"
        )


def _describe_substitute(candidate: Candidate, algorithm: str) -> Iterator[str]:
    if algorithm in candidate.simulated:
        substitute = candidate.simulated[algorithm]
        yield (
            f"`wirespeed sim run` simulates {algorithm} of this cluster's NICs with {substitute}; "
            f"compare with `--algorithm {substitute}`"
        )


def _build_row(job: _Job, result: Result) -> Run:
    summary = result.summary
    flows = _list_completed_flows(result.tables)
    return Run(
        scenario=summary.name,
        algorithm=job.algorithm,
        changes=job.changes,
        warnings=job.warnings,
        complete=summary.complete,
        flows=summary.flows,
        completed=summary.completed,
        failed=summary.failed,
        unfinished=summary.unfinished,
        fct_us=summary.fct_us,
        end_us=summary.end_us,
        goodput_gbps=_compute_goodput(flows),
        jain=_compute_jain_index(flows),
        pfc_pauses=summary.pfc_pauses,
        ecn_marks=summary.ecn_marks,
        cnps=summary.cnps,
        drops=summary.drops,
        trims=summary.trims,
        losses=summary.losses,
        retransmissions=summary.retransmissions,
        max_queue_bytes=_deepest_queue(result.tables, json.loads(job.text)["hosts"]),
        tables_sha256=summary.tables_sha256,
    )


def _list_completed_flows(tables: Mapping[str, pa.Table]) -> list[tuple[int, int, int]]:
    """Bytes, start and end of the flows that completed."""
    flows = columns(tables, FLOWS, "bytes", "start_ps", "end_ps", "status")
    rows = zip(flows["bytes"], flows["start_ps"], flows["end_ps"], flows["status"], strict=True)
    return [(size, start, end) for size, start, end, status in rows if status == "completed" and end is not None]


def _compute_goodput(flows: list[tuple[int, int, int]]) -> float | None:
    if not flows:
        return None
    picoseconds = max(end for _, _, end in flows) - min(start for _, start, _ in flows)
    return round(sum(size for size, _, _ in flows) * 8 * 1000 / picoseconds, 6) if picoseconds else None


def _compute_jain_index(flows: list[tuple[int, int, int]]) -> float | None:
    """(sum of rates)² / (number × sum of their squares)."""
    rates = [size / (end - start) for size, start, end in flows if end > start]
    squares = sum(rate * rate for rate in rates)
    return round(sum(rates) ** 2 / (len(rates) * squares), 6) if squares else None


def _deepest_queue(tables: dict[str, pa.Table], hosts: int) -> int:
    """The deepest queue of all switch ports, bytes."""
    nodes = columns(tables, PORTS, "node")["node"]
    queues = columns(tables, QUEUES, "port", "max_bytes")
    lengths = zip(queues["port"], queues["max_bytes"], strict=True)
    return max((size for port, size in lengths if nodes[port] >= hosts), default=0)
