"""What every format says about a judged run."""

from __future__ import annotations

from wirespeed.report import wording
from wirespeed.results.verdicts import Bound, JudgedRun, Judgement, Verdict

ENDED_EARLY = "the log ends before the run does"
"""Why a run is not complete, where the tool does not say."""


def assumptions(run: JudgedRun) -> tuple[str, ...]:
    """Every assumption the limits of a run rest on, each once."""
    bounds = [bound for verdict in run.verdicts for bound in (verdict.physical, verdict.reachable) if bound]
    return tuple(dict.fromkeys(text for bound in bounds for text in bound.assumptions))


def limiting_terms(verdict: Verdict) -> str:
    """The limiting term of the physical limit, and after a slash that of the reachable one if it differs."""
    names = dict.fromkeys(bound.bottleneck for bound in (verdict.physical, verdict.reachable) if bound)
    return " / ".join(names)


def bottlenecks(verdict: Verdict) -> str:
    """``line rate (physical), ring (reachable)``, or one term if both limits have the same."""
    physical, reachable = verdict.physical, verdict.reachable
    if physical and reachable and physical.bottleneck != reachable.bottleneck:
        return f"{physical.bottleneck} (physical), {reachable.bottleneck} (reachable)"
    return limiting_terms(verdict)


def gate(verdict: Verdict) -> float | None:
    """The number that a profile's gate asks for."""
    of = verdict.gate
    return None if of is None else of.at_least if of.at_least is not None else of.at_most


def format_gate(verdict: Verdict) -> str:
    """``≥ 390 Gb/s``, what a gate asks for; empty where there is none."""
    asked = gate(verdict)
    if verdict.gate is None or asked is None:
        return ""
    return f"{'≥' if verdict.gate.at_least is not None else '≤'} {wording.number(asked)} {verdict.gate.unit}"


def bounds(run: JudgedRun) -> tuple[tuple[str, Bound], ...]:
    """Both limits at the largest message, with the terms they are made of; of what was judged before what was not."""

    def shown_before(verdict: Verdict) -> tuple[bool, int]:
        return verdict.judgement is Judgement.SKIP, -(verdict.measurement.size_bytes or 0)

    for verdict in sorted(run.verdicts, key=shown_before):
        if verdict.physical or verdict.reachable:
            pair = (("physical", verdict.physical), ("reachable", verdict.reachable))
            return tuple((kind, bound) for kind, bound in pair if bound is not None)
    return ()


def reasons(run: JudgedRun) -> tuple[tuple[Judgement, str, int], ...]:
    """Why measurements were judged as they were, each reason once with how many measurements it holds for."""
    counted: dict[tuple[Judgement, str], int] = {}
    for verdict in run.verdicts:
        if verdict.judgement is not Judgement.SKIP:
            counted[verdict.judgement, verdict.reason] = counted.get((verdict.judgement, verdict.reason), 0) + 1
    return tuple((judgement, reason, count) for (judgement, reason), count in counted.items())
