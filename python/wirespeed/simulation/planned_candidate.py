"""A cluster file and its traffic as scenarios to compare: one for each congestion control that a plan knows.

Only the plan decides ECN thresholds, by the congestion control of the traffic class (`wirespeed.plan.ecn`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from wirespeed.cluster import Cluster
from wirespeed.errors import Refusal
from wirespeed.plan import build
from wirespeed.settings import Congestion
from wirespeed.simulation.compare import Candidate
from wirespeed.simulation.nics import DriverNames
from wirespeed.simulation.planned_scenario import plan_scenario


def plan_candidate(path: Path, cluster: Cluster, traffic: Path, seed: int, names: DriverNames) -> Candidate:
    """The scenario of a cluster file, and the same for other congestion control.

    Args:
        path: the cluster file.
        cluster: its content.
        traffic: the traffic file.
        seed: selects permutations.
        names: names of the NICs' drivers.

    Raises:
        Refusal: the cluster is impossible, or the traffic does not fit it.
    """
    text = plan_scenario(path, build(cluster), traffic, seed, names).scenario.text
    planned: dict[Congestion, str] = {}
    refusals: dict[Congestion, str] = {}
    used = {part.congestion for part in cluster.classes.values() if part.congestion is not None}
    for congestion in Congestion:
        if not used or used == {congestion}:
            continue
        try:
            plan = build(_set_congestion(cluster, congestion))
        except Refusal as refusal:
            problem = refusal.problems[0]
            refusals[congestion] = f"{problem.location}: {problem.statement}"
        else:
            planned[congestion] = plan_scenario(path, plan, traffic, seed, names).scenario.text
    return Candidate(path, text, planned, refusals, _find_substitute(text, used))


def _find_substitute(text: str, used: set[Congestion]) -> dict[str, str]:
    """The algorithm of all NICs in a scenario, if it is one and not that of the plan."""
    algorithms = set(re.findall(r'"algorithm": *"([a-z0-9-]+)"', text)) - {_WITHOUT_CONTROL}
    if len(algorithms) != 1 or len(used) != 1:
        return {}
    (algorithm,), (congestion,) = algorithms, used
    return {} if algorithm == congestion.value else {congestion.value: algorithm}


_WITHOUT_CONTROL = "line-rate"  # of traffic classes without congestion control


def _set_congestion(cluster: Cluster, congestion: Congestion) -> Cluster:
    """The cluster with this congestion control in every class that has one."""
    classes = {
        name: part.model_copy(update={"congestion": congestion}) if part.congestion else part
        for name, part in cluster.classes.items()
    }
    return replace(cluster, classes=classes)
