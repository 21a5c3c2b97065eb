"""Find the gate of a profile that applies to a measurement, and apply it to the verdict."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from wirespeed.benchmarks.judge.collective_names import find_collective
from wirespeed.benchmarks.judge.gate_model import Gate, Selection
from wirespeed.benchmarks.judge.profile import Profile
from wirespeed.benchmarks.judge.verdict import make_verdict
from wirespeed.benchmarks.logs.numbers import SECONDS
from wirespeed.limits.bound import convert, number
from wirespeed.limits.group import Collective
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Measurement, Run
from wirespeed.results.verdicts import Gate as Met
from wirespeed.results.verdicts import Judgement, Verdict
from wirespeed.units import BITS_PER_SECOND, Bandwidth, format_unit


@dataclass(frozen=True, slots=True)
class Subject:
    """Properties of a run by which gates select. A gate that selects by an unknown one (None) does not apply."""

    tool: str
    test: str | None
    collective: Collective | None
    link: Bandwidth | None
    memory: str | None
    bidirectional: bool
    gpus: frozenset[str]  # parts of their names
    hosts: int | None
    ranks: int | None
    connection_type: str | None


def build_subject(run: Run, plan: Plan, link: Bandwidth | None, hosts: int | None) -> Subject:
    """Build the subject of a run; ``link`` and ``hosts`` are those that its limits are computed from."""
    on_gpu = run.parameters.on_gpu
    logged = run.parameters.gpu_model
    models = {gpu.model for host in plan.hosts.values() for gpu in host.gpus.values()}
    models_of_plan = [model for name, model in plan.hardware.gpus.items() if name in models]
    titles = [logged] if logged else [model.title for model in models_of_plan]
    return Subject(
        tool=run.tool,
        test=run.test,
        collective=find_collective(run, []) if run.tool in ("nccl-tests", "rccl-tests") else None,
        link=link,
        memory="gpu" if on_gpu else "host" if run.tool == "perftest" else None,
        bidirectional=bool(run.parameters.bidirectional),
        gpus=frozenset(word.upper() for title in titles for word in re.split(r"[^A-Za-z0-9]+", title)),
        hosts=run.parameters.nodes or hosts,
        ranks=run.ranks,
        connection_type=find_connection_type(run, plan),
    )


def find_connection_type(run: Run, plan: Plan) -> str | None:
    """The transport service that a run states. An MPI job without one uses that of the plan for a job of its size."""
    if run.parameters.connection_type is not None or run.tool != "osu-micro-benchmarks":
        return run.parameters.connection_type
    launch = next(iter(plan.hosts.values())).launch
    transport = (launch.transport or "rc").removesuffix("-verbs")
    if transport == "hybrid":
        is_large = launch.hybrid_from is not None and run.ranks is not None and run.ranks >= launch.hybrid_from
        return "UD" if is_large else "RC"
    return transport.upper()


def find_gate(measurement: Measurement, subject: Subject, profile: Profile) -> Gate | None:
    """Find the first gate that applies to a measurement."""
    return next((gate for gate in profile.gates if _is_required(gate, measurement, subject)), None)


def _is_required(gate: Gate, measurement: Measurement, subject: Subject) -> bool:
    same_quantity = (gate.unit in SECONDS) == (measurement.unit in SECONDS)
    return same_quantity and applies_to_run(gate, subject) and measures(gate, measurement)


def applies_to_run(selection: Selection, subject: Subject) -> bool:
    """Whether a gate applies to a run."""
    return (
        subject.tool in selection.tools
        and (not selection.tests or subject.test in selection.tests)
        and selection.collective in (None, subject.collective)
        and selection.link in (None, subject.link)
        and selection.memory in (None, subject.memory)
        and selection.bidirectional in (None, subject.bidirectional)
        and (selection.gpu is None or selection.gpu.upper() in subject.gpus)
        and selection.hosts in (None, subject.hosts)
        and selection.ranks in (None, subject.ranks)
        and selection.connection_type in (None, subject.connection_type)
    )


def measures(selection: Selection, measurement: Measurement) -> bool:
    """Whether a gate applies to a measurement of such a run."""
    size = measurement.size_bytes
    return (
        measurement.metric is selection.metric
        and (measurement.unit in SECONDS or measurement.unit in BITS_PER_SECOND)
        and (not selection.sizes or size in selection.sizes)
        and (selection.from_size is None or (size is not None and size >= selection.from_size))
        and (selection.label is None or fnmatchcase(measurement.label or "", selection.label))
    )


def apply_gate(verdict: Verdict | None, measurement: Measurement, gate: Gate) -> Verdict:
    """Combine a verdict with its gate: the worse judgement counts. If the gate is met, an unknown verdict stays so."""
    bound = _convert_bound(gate, measurement.unit)
    met = _judge_gate(measurement, gate, bound)
    result = Met(
        name=gate.name,
        at_least=bound if gate.at_least is not None else None,
        at_most=bound if gate.at_most is not None else None,
        unit=measurement.unit,
        judgement=met,
        source=gate.source,
    )
    relation = "at least" if gate.at_least is not None else "at most"
    requirement = f"gate {gate.name}: {relation} {number(bound)} {format_unit(measurement.unit)} ({gate.source})"
    if verdict is None:
        return replace(make_verdict(measurement, met, requirement), gate=result)
    if verdict.judgement is Judgement.SKIP or _BADNESS[met] > _BADNESS[verdict.judgement]:
        reason = requirement if verdict.judgement is Judgement.SKIP else f"{requirement}; {verdict.reason}"
        return replace(verdict, judgement=met, reason=reason, gate=result)
    return replace(verdict, gate=result)


_BADNESS = {Judgement.PASS: 0, Judgement.SKIP: 0, Judgement.UNKNOWN: 1, Judgement.WARN: 1, Judgement.FAIL: 2}


def _judge_gate(measurement: Measurement, gate: Gate, bound: float) -> Judgement:
    value = float(measurement.value)
    if gate.at_least is not None:
        reached, near = value >= bound, value >= bound * (1 - gate.tolerance)
    else:
        reached, near = value <= bound, value <= bound * (1 + gate.tolerance)
    if reached:
        return Judgement.PASS
    return Judgement.WARN if near or gate.severity == "warn" else Judgement.FAIL


def _convert_bound(gate: Gate, unit: str) -> float:
    bound = gate.at_least if gate.at_least is not None else gate.at_most or 0.0
    if unit in SECONDS:
        return bound * SECONDS[gate.unit] / SECONDS[unit]
    return convert(bound, gate.unit, unit)
