"""The same scenarios under several algorithms of congestion control, as many runs at once as there are cores."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wirespeed import _core
from wirespeed.errors import Problem, Refused
from wirespeed.results.comparison import Comparison, Run
from wirespeed.simulation.run import Progress, Result, run
from wirespeed.units import Duration

if TYPE_CHECKING:
    import pyarrow as pa

ALGORITHMS: tuple[str, ...] = tuple(_core.algorithms())

_WAIT_S = 0.1
"""How often a run that is not done is asked after, so that Ctrl-C is seen."""


@dataclass(frozen=True, slots=True)
class Expects:
    """What an algorithm expects of switches and receivers besides itself."""

    step: bool = False
    """Every packet above Kmin is marked."""
    every_mark: bool = False
    """Every marked packet is notified of."""
    others: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Parameters by group that it was made for."""


_ULTRA_ETHERNET: dict[str, dict[str, Any]] = {
    # A queue of one bandwidth-delay product, of which marking begins at a fifth and is complete at four fifths; trimmed
    # packets of 64 bytes (uet-htsim, main_uec.cpp); the network that NSCC's constants are for has 100 Gb/s and 12 us.
    "switch": {"trimming": {"priority": 5, "trimmed_bytes": 64, "queue_ns": 12_000}},
    "marking": {"kmin_bytes": 30_000, "kmax_bytes": 120_000, "pmax": 1.0, "reference_gbps": 100},
    "ecmp": {"balance": "entropy"},
    "pfc": {"lossless_priorities": 0},
    "transport": {
        "recovery": "selective-repeat",
        # Packets come in any order: the timeout finds what was lost without a trace. uet-htsim's is at least 100 us.
        "reordering": {"rule": "time", "ns": 100_000},
        "ack_timeout": 5,
        "ack_priority": 7,
        "rx_depth": None,
    },
}
"""Ultra Ethernet Specification 1.0: packets sprayed by entropy value, trimmed rather than paused (section 4.1)."""


EXPECTS: dict[str, Expects] = {
    # Alizadeh et al., "Data Center TCP", SIGCOMM 2010, section 3.1: a single threshold, K.
    "dctcp": Expects(step=True),
    # Broadcom 957608-AN210: DCQCN-D is for marks above one threshold; its counters show a CNP for each.
    "dcqcn-d": Expects(step=True, every_mark=True),
    "nscc": Expects(others=_ULTRA_ETHERNET),
    "rccc": Expects(others=_ULTRA_ETHERNET),
}
"""By algorithm; those that are not here run with what the scenario says."""


@dataclass(frozen=True, slots=True)
class Job:
    """One run to do."""

    path: Path
    algorithm: str
    text: str
    set_for_it: dict[str, Any]


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
        as_is: everything else stays as the scenarios have it, whatever an algorithm expects.
        until: end every run at this simulated time.
        jobs: so many at once.
        on_progress: called with how many runs are done, of how many; returns whether to go on.

    Raises:
        Refused: a scenario cannot be read or cannot run.
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
    """Whether all are, or one failed; waits a little otherwise."""
    _, waiting = wait(futures, timeout=_WAIT_S)
    failed = any(future.done() and future.exception() for future in futures)
    return failed or not waiting


def _results(futures: list[Future[Run]]) -> Iterator[Run]:
    """What was done, in the order of the jobs; a refusal is one for all."""
    problems: dict[Problem, None] = {}  # in order, each once
    for future in futures:
        if future.cancelled():
            continue
        error = future.exception()
        if isinstance(error, Refused):
            problems.update(dict.fromkeys(error.problems))
        elif error is not None:
            raise error
    if problems:
        raise Refused(problems)
    for future in futures:
        if not future.cancelled():
            yield future.result()


def _job(path: Path, algorithm: str, preset: str, as_is: bool) -> Job:
    """The scenario with the algorithm in it, and with what that expects."""
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        scenario = json.loads(text)
    except ValueError:
        return Job(path, algorithm, text, {})  # the core says what is wrong, and where
    parameters = scenario.setdefault("parameters", {}) if isinstance(scenario, dict) else None
    if not isinstance(parameters, dict):
        return Job(path, algorithm, text, {})
    items = list(_items(scenario))
    usual = _algorithm(parameters, json.loads(_core.preset(preset))["congestion"]["algorithm"])
    for item in items:
        own = _algorithm(item["parameters"], usual)
        if own != algorithm and not (own == "line-rate" and "priorities" in item):  # which no algorithm slows
            item["parameters"].pop("congestion", None)
    if usual != algorithm:
        parameters["congestion"] = {"algorithm": algorithm}
    expected = {} if as_is else _expected(algorithm, parameters, preset)
    for group, changes in expected.items():
        given = parameters.setdefault(group, {})
        if isinstance(given, dict):
            given.update(changes)
    if not as_is:
        expected |= _expected_of_devices(algorithm, [item["parameters"] for item in items])
    return Job(path, algorithm, json.dumps(scenario), expected)


def _items(scenario: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Those of `devices` that have parameters; the core refuses malformed ones."""
    devices = scenario.get("devices")
    for item in devices if isinstance(devices, list) else ():
        if isinstance(item, dict) and isinstance(item.get("parameters"), dict):
            yield item


def _algorithm(parameters: dict[str, Any], usual: str) -> str:
    own = parameters.get("congestion")
    return str(own.get("algorithm", usual)) if isinstance(own, dict) else usual


def _expected(algorithm: str, parameters: dict[str, Any], preset: str) -> dict[str, Any]:
    """Parameters that the algorithm expects to be otherwise than they are."""
    expects = EXPECTS.get(algorithm, Expects())
    usual = json.loads(_core.preset(preset))

    def has(group: str, key: str) -> Any:
        own = parameters.get(group)
        return own[key] if isinstance(own, dict) and key in own else usual[group][key]

    changes: dict[str, Any] = {}
    for group, keys in expects.others.items():
        if others := {key: value for key, value in keys.items() if has(group, key) != value}:
            changes[group] = others
    if expects.step and has("marking", "kmax_bytes") != has("marking", "kmin_bytes"):
        changes["marking"] = {"kmax_bytes": has("marking", "kmin_bytes")}
    if expects.every_mark and has("notification", "interval_ns") != 0:
        changes["notification"] = {"interval_ns": 0}
    return changes


def _expected_of_devices(algorithm: str, sections: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Change what single devices have otherwise than the algorithm expects; what was changed."""
    expects = EXPECTS.get(algorithm, Expects())
    changes: dict[str, Any] = {}
    for section in sections:
        marking, notification = section.get("marking"), section.get("notification")
        if expects.step and isinstance(marking, dict) and "kmax_bytes" in marking:
            kmax = marking.pop("kmax_bytes")  # without a Kmin of its own, the step is that of the sections beneath
            if marking.get("kmin_bytes") != kmax:
                changes["marking.kmax_bytes"] = "kmin_bytes"
        if expects.step and isinstance(marking, dict) and "kmin_bytes" in marking:
            marking["kmax_bytes"] = marking["kmin_bytes"]
        if expects.every_mark and isinstance(notification, dict) and notification.pop("interval_ns", 0) != 0:
            changes["notification.interval_ns"] = 0
        for group, keys in expects.others.items():
            own = section.get(group)
            if not isinstance(own, dict):
                continue
            for key in [key for key in keys if key in own]:
                if own.pop(key) != keys[key]:
                    changes[f"{group}.{key}"] = keys[key]
    return {"devices": changes} if changes else {}


def _row(job: Job, result: Result) -> Run:
    it = result.summary
    flows = _completed(result.tables["flows"])
    return Run(
        scenario=it.name,
        algorithm=job.algorithm,
        set_for_it=job.set_for_it,
        complete=it.complete,
        flows=it.flows,
        completed=it.completed,
        failed=it.failed,
        fct_us=it.fct_us,
        end_us=it.end_us,
        goodput_gbps=_goodput(flows),
        jain=_jain(flows),
        pfc_pauses=it.pfc_pauses,
        ecn_marks=it.ecn_marks,
        cnps=it.cnps,
        drops=it.drops,
        trims=it.trims,
        losses=it.losses,
        retransmissions=it.retransmissions,
        max_queue_bytes=_longest(result.tables, json.loads(job.text)["hosts"]),
        tables_sha256=it.tables_sha256,
    )


def _completed(flows: pa.Table) -> list[tuple[int, int, int]]:
    """Bytes, start and end of the flows that completed."""
    columns = (flows[name].to_pylist() for name in ("bytes", "start_ps", "end_ps", "status"))
    return [(size, start, end) for size, start, end, status in zip(*columns, strict=True) if status == "completed"]


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


def _longest(tables: dict[str, pa.Table], hosts: int) -> int:
    """The longest queue at a port of a switch, bytes."""
    nodes = tables["ports"]["node"].to_pylist()
    queues = zip(tables["queues"]["port"].to_pylist(), tables["queues"]["max_bytes"].to_pylist(), strict=True)
    return max((size for port, size in queues if nodes[port] >= hosts), default=0)
