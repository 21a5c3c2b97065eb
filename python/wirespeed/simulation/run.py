"""One run: pass the scenario to the core, advance it in short steps, and return its columns as tables."""

from __future__ import annotations

import os
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from wirespeed import _core
from wirespeed.errors import Refusal
from wirespeed.input_files import read_text_input
from wirespeed.results.simulation_types import CompletionTimes, Summary
from wirespeed.simulation.algorithm_settings import list_algorithms
from wirespeed.simulation.deadlock import circles
from wirespeed.simulation.fault_descriptions import describe_faults
from wirespeed.simulation.memory import Memory
from wirespeed.simulation.recording import Recording, file_name, resolve
from wirespeed.simulation.result_folder import network_of_tables
from wirespeed.simulation.scenario_names import ScenarioNames
from wirespeed.simulation.tables import arrow, digest
from wirespeed.units import Duration

if TYPE_CHECKING:
    import pyarrow as pa

    from wirespeed.simulation.planned_scenario import PlannedScenario

PRESETS: tuple[str, ...] = tuple(_core.presets())

_STEP_S = 0.05
"""Approximate time of one step of the core: Ctrl-C waits for it, and progress is reported after it."""
_FIRST_STEP = 1 << 14
"""Events of the first step; the following ones are doubled or halved until they take `_STEP_S`."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run."""

    time: Duration
    """Simulated time."""
    events: int
    hops: int
    completed: int
    """Number of completed ``operations``."""
    operations: int
    delivered_bytes: int
    """Delivered payload, of ``bytes`` in total."""
    bytes: int
    run_s: float


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a run: totals, and the tables flows, ports, queues and pauses; series if anything was sampled.

    ``context`` follows from the scenario alone: the tables links, paths and limits, and names if it has any. They
    explain the result and are not part of its hash. ``serial_reason`` is why the run used one thread although more
    were available and would have made it faster.
    """

    summary: Summary
    tables: dict[str, pa.Table]
    context: dict[str, pa.Table] = field(default_factory=dict)
    serial_reason: str | None = None


def run(
    path: Path,
    preset: str,
    seed: int,
    observe: Recording | None = None,
    *,
    planned: PlannedScenario | None = None,
    end_time: Duration | None = None,
    create: Callable[[str], BinaryIO] | None = None,
    threads: int | None = None,
    on_progress: Callable[[Progress], bool] | None = None,
    text: str | None = None,
) -> Result:
    """Run a scenario file to its end, or until ``on_progress`` returns false; the result covers the simulated part.

    Args:
        path: the scenario, JSON; with ``planned`` the cluster file that it was made from.
        preset: one of `PRESETS`.
        seed: of all random numbers; the same file, preset and seed give the same tables.
        observe: what to record in addition to the tables.
        planned: the scenario of a plan, and where it comes from.
        end_time: end at this simulated time, also with packets in flight.
        create: creates a file by name for each capture, PORT.pcap, which is filled during the run. Without it nothing
            is captured.
        threads: maximum number of threads; None: the number of processors. The result does not depend on it.
        on_progress: called every few hundredths of a second; returns whether to continue.
        text: the scenario, if it differs from the file.

    Raises:
        Refusal: the scenario cannot be read or run, or an observed port or flow does not exist.
    """
    if planned is not None:
        text = planned.scenario.text
    elif text is None:
        text = read_text_input(path)
    memory = Memory()
    with _name_file_in_problems(path):
        scenario = _core.Scenario(text, preset, seed)
    observe = observe or Recording()
    named = ScenarioNames.from_scenario(scenario)
    faults = describe_faults(scenario, named, planned.scenario.settings if planned else ())
    observed = resolve(observe, scenario, named.by_name() if named else None)
    name, flows, assumed = scenario.name or path.stem, scenario.operations, tuple(scenario.assumptions())
    started = time.perf_counter()
    with _name_file_in_problems(path):
        simulation = _core.Simulation(
            scenario,
            end_time,
            observed.interval,
            observed.samples,
            observed.ports,
            observed.queue_pairs,
            list(observed.captures.values()) if create else [],
            threads or processors(),
        )
    setup_s = time.perf_counter() - started
    with ExitStack() as stack:
        names = observed.captures if create else ()
        captures = [stack.enter_context(create(f"{file_name(name)}.pcap")) for name in names] if create else []
        complete, run_s = _advance(simulation, captures, on_progress)
    serial_reason = simulation.serial_reason() if (threads or processors()) > 1 else None
    started = time.perf_counter()
    totals, end_ps, completion_ps, tables, context = simulation.finish()
    run_s += time.perf_counter() - started
    peak, growth = memory.peak(), memory.growth()  # before Arrow is loaded

    converted = arrow(tables)
    context_tables = {**arrow(context), **({"names": named.table()} if named else {})}
    network = network_of_tables(context_tables)
    ended = _count_statuses(converted["flows"])
    completion = array("Q", completion_ps)
    is_cut_off = not complete or end_time is not None
    return Result(
        Summary(
            **totals,
            name=name,
            preset=preset,
            seed=seed,
            complete=complete,
            setup_s=setup_s,
            run_s=run_s,
            hops_per_s=totals["hops"] / run_s if run_s else 0.0,
            peak_rss_bytes=peak,
            rss_growth_bytes=growth,
            flows=flows,
            completed=ended["completed"],
            fct_us=completion_times(completion),
            failed=ended["failed"] + (0 if is_cut_off else ended["unfinished"]),
            unfinished=ended["unfinished"] if is_cut_off else 0,
            congestion=list_algorithms(text, preset),
            end_us=end_ps / 1e6,
            tables_sha256=digest(converted),
            deadlocks=circles(converted, network.port_names),
            first_pause_us=_find_first_pause(converted["pauses"]),
            assumed=assumed,
            source=planned.source if planned else None,
            faults=faults,
        ),
        converted,
        context_tables,
        serial_reason,
    )


def processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _name_file_in_problems(path: Path) -> Iterator[None]:
    """Add the file to problems of the core, which only name locations in the scenario."""
    try:
        yield
    except Refusal as refusal:
        raise Refusal(
            replace(problem, location=f"{path}: {problem.location}") for problem in refusal.problems
        ) from None


def _advance(
    simulation: _core.Simulation, captures: list[BinaryIO], on_progress: Callable[[Progress], bool] | None
) -> tuple[bool, float]:
    """Advance the run; return whether it came to its end, and the time that the core needed."""
    events = _FIRST_STEP
    run_s = 0.0
    has_more_events = wanted = True
    while has_more_events and wanted:
        started = time.perf_counter()
        has_more_events = simulation.advance(events)
        step_s = time.perf_counter() - started
        run_s += step_s
        events = _next_step(events, step_s)
        for file, frames in zip(captures, simulation.take_captures(), strict=True):
            file.write(frames)
        if on_progress is not None:
            time_ps, is_done, hops, completed, operations, delivered, size = simulation.progress()
            reported = Progress(Duration(time_ps), is_done, hops, completed, operations, delivered, size, run_s)
            wanted = on_progress(reported)
    return not has_more_events, run_s


def _next_step(events: int, step_s: float) -> int:
    if step_s < _STEP_S / 2:
        return events * 2
    return max(events // 2, 1) if step_s > _STEP_S * 2 else events


def _find_first_pause(pauses: pa.Table) -> float | None:
    """Start of the first pause, in microseconds; None without a pause."""
    starts: list[int] = pauses["start_ps"].to_pylist()
    return min(starts) / 1e6 if starts else None


def _count_statuses(flows: pa.Table) -> Counter[str]:
    """The number of flows that completed, failed, or are unfinished."""
    return Counter({count["values"]: count["counts"] for count in flows["status"].value_counts().to_pylist()})


def completion_times(picoseconds: array[int]) -> CompletionTimes | None:
    """Mean and percentiles by nearest rank (the smallest value with at least p % of all at or below it), in µs."""
    if not picoseconds:
        return None
    ordered = sorted(picoseconds)
    count = len(ordered)

    def percentile(p: int) -> float:
        return ordered[-(-count * p // 100) - 1] / 1e6

    return CompletionTimes(
        mean=round(sum(ordered) / count / 1e6, 6),
        p50=percentile(50),
        p99=percentile(99),
        max=ordered[-1] / 1e6,
        min=ordered[0] / 1e6,
    )
