"""The same scenarios under several algorithms of congestion control, as many runs at once as there are cores."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from wirespeed import _core
from wirespeed.errors import Problem, Refusal
from wirespeed.results.algorithm_comparison import Comparison, Run
from wirespeed.results.simulation_types import FLOWS, PORTS, QUEUES
from wirespeed.simulation import algorithm_settings
from wirespeed.simulation.parameters import Sections
from wirespeed.simulation.run import Progress, Result, run
from wirespeed.simulation.scenario_types import Scenario
from wirespeed.simulation.tables import columns
from wirespeed.units import Duration

if TYPE_CHECKING:
    import pyarrow as pa

ALGORITHMS: tuple[str, ...] = algorithm_settings.ROWS

_WAIT_S = 0.1
"""Interval at which unfinished runs are polled, so that Ctrl-C takes effect."""


@dataclass(frozen=True, slots=True)
class Job:
    """A run."""

    path: Path
    algorithm: str
    text: str
    set_for_it: Sections


def compare(
    paths: Iterable[Path],
    algorithms: Iterable[str],
    preset: str,
    seed: int,
    *,
    as_is: bool = False,
    until: Duration | None = None,
    jobs: int = 1,
    on_progress: Callable[[int, int], bool] | None = None,
) -> Comparison:
    """Run every scenario under every algorithm.

    Runs are threads: the core works without Python's lock. What each gives depends on nothing but its scenario, preset
    and seed, so how many run at once changes nothing.

    Args:
        paths: scenarios.
        algorithms: some of `ALGORITHMS`.
        preset: one of the presets.
        seed: of every chance.
        as_is: change the algorithm only, not the settings that it expects.
        until: end every run at this simulated time.
        jobs: number of concurrent runs.
        on_progress: called with how many runs are done, of how many; returns whether to go on.

    Raises:
        Refusal: a scenario cannot be read or cannot run.
    """
    todo = [_job(path, algorithm, preset, as_is) for path in paths for algorithm in algorithms]
    wanted = True

    def going_on(_: Progress) -> bool:
        return wanted

    def work(job: Job) -> Run:
        return _row(job, run(job.path, preset, seed, until=until, on_progress=going_on, text=job.text))

    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(work, job) for job in todo]
        while wanted and not _all_done(futures):
            done = sum(future.done() for future in futures)
            wanted = on_progress is None or on_progress(done, len(futures))
        for future in futures:
            future.cancel()
    return Comparison(preset, seed, tuple(_results(futures)))


def _all_done(futures: list[Future[Run]]) -> bool:
    """Whether all runs are done or one has failed; waits up to `_WAIT_S`."""
    _, waiting = wait(futures, timeout=_WAIT_S)
    failed = any(future.done() and future.exception() for future in futures)
    return failed or not waiting


def _results(futures: list[Future[Run]]) -> Iterator[Run]:
    """Results in the order of the jobs. Refusals of all jobs are joined."""
    problems: dict[Problem, None] = {}  # in order, each once
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


def _job(path: Path, algorithm: str, preset: str, as_is: bool) -> Job:
    """The scenario with the algorithm and the settings that it expects."""
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        read: object = json.loads(text)
    except ValueError:
        return Job(path, algorithm, text, {})  # the core says what is wrong, and where
    if not isinstance(read, dict) or not isinstance(read.setdefault("parameters", {}), dict):
        return Job(path, algorithm, text, {})
    scenario = cast(Scenario, read)
    parameters = scenario["parameters"]
    usual = algorithm_settings.row_of(json.loads(_core.preset(preset))["congestion"], "")
    usual = algorithm_settings.row_of(parameters.get("congestion"), usual)
    for device in algorithm_settings.items(scenario):
        algorithm_before = algorithm_settings.row_of(device["parameters"].get("congestion"), usual)
        if algorithm_before != algorithm and not (
            algorithm_before == "line-rate" and "priorities" in device
        ):  # which no algorithm slows
            device["parameters"].pop("congestion", None)
    if usual != algorithm:
        parameters["congestion"] = algorithm_settings.congestion_of(algorithm)
    expected = {} if as_is else algorithm_settings.lay(algorithm, scenario, preset)
    return Job(path, algorithm, json.dumps(scenario), expected)


def _row(job: Job, result: Result) -> Run:
    summary = result.summary
    flows = _completed_flows(result.tables)
    return Run(
        scenario=summary.name,
        algorithm=job.algorithm,
        set_for_it=job.set_for_it,
        complete=summary.complete,
        flows=summary.flows,
        completed=summary.completed,
        failed=summary.failed,
        fct_us=summary.fct_us,
        end_us=summary.end_us,
        goodput_gbps=_goodput(flows),
        jain=_jain(flows),
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


def _completed_flows(tables: Mapping[str, pa.Table]) -> list[tuple[int, int, int]]:
    """Bytes, start and end of the flows that completed."""
    flows = columns(tables, FLOWS, "bytes", "start_ps", "end_ps", "status")
    rows = zip(flows["bytes"], flows["start_ps"], flows["end_ps"], flows["status"], strict=True)
    return [(size, start, end) for size, start, end, status in rows if status == "completed" and end is not None]


def _goodput(flows: list[tuple[int, int, int]]) -> float | None:
    if not flows:
        return None
    picoseconds = max(end for _, _, end in flows) - min(start for _, start, _ in flows)
    return round(sum(size for size, _, _ in flows) * 8 * 1000 / picoseconds, 6) if picoseconds else None


def _jain(flows: list[tuple[int, int, int]]) -> float | None:
    """(sum of rates)² / (number × sum of their squares)."""
    rates = [size / (end - start) for size, start, end in flows if end > start]
    squares = sum(rate * rate for rate in rates)
    return round(sum(rates) ** 2 / (len(rates) * squares), 6) if squares else None


def _deepest_queue(tables: dict[str, pa.Table], hosts: int) -> int:
    """The longest queue at a port of a switch, bytes."""
    nodes = columns(tables, PORTS, "node")["node"]
    queues = columns(tables, QUEUES, "port", "max_bytes")
    lengths = zip(queues["port"], queues["max_bytes"], strict=True)
    return max((size for port, size in lengths if nodes[port] >= hosts), default=0)
