"""Selection of hosts: by name, from a Slurm allocation, or all hosts of the plan."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wirespeed.plan import Plan

_JOB, _NODES = "SLURM_JOB_ID", "SLURM_JOB_NODELIST"  # sbatch(1), output environment variables


def list_chosen_hosts(plan: Plan, text: str | None) -> list[str] | None:
    """The hosts of a node range, in the order of the plan; None for all.

    Raises:
        Refusal: invalid node range, or a host that is not in the plan.
    """
    from wirespeed.cluster.ranges import format_names
    from wirespeed.errors import Problem, Refusal, did_you_mean

    if text is None:
        return None
    wanted = _expand_range("--hosts", text)
    host_names = list(plan.hosts)
    unknown = [name for name in wanted if name not in plan.hosts]
    if len(unknown) == 1:
        (name,) = unknown
        raise Refusal(
            [Problem("--hosts", f"no host named {name!r} in {plan.name}", hint=did_you_mean(name, host_names))]
        )
    if unknown:
        text, names = format_names(unknown), format_names(host_names)
        raise Refusal([Problem("--hosts", f"{plan.name} has no hosts {text}", hint=f"its hosts are {names}")])
    return _order_by_plan(plan, wanted)


def list_allocated_hosts(plan: Plan, text: str | None) -> list[str]:
    """The hosts of a node range within the current Slurm allocation; without a range all its nodes.

    Raises:
        Refusal: there is no allocation, or a host is not in it.
    """
    from wirespeed.errors import Problem, Refusal, refuse

    if _JOB not in os.environ:
        raise refuse(
            "--launcher slurm",
            f"not inside a Slurm allocation ({_JOB} is not set)",
            hint="`salloc --exclusive --no-kill --nodelist=NODES wirespeed bench run …`",
        )
    chosen = list_chosen_hosts(plan, text)
    node_list = os.environ.get(_NODES, "")
    nodes = set(_expand_range(_NODES, node_list)) if node_list else set()
    if chosen is not None and not nodes.issuperset(chosen):
        raise Refusal(
            Problem("--hosts", f"{name} is not a node of job {os.environ[_JOB]}", hint=f"its nodes are {node_list}")
            for name in chosen
            if name not in nodes
        )
    selected = chosen or _order_by_plan(plan, nodes)
    if not selected:
        raise refuse(
            "--launcher slurm",
            f"no node of job {os.environ[_JOB]} ({node_list or 'no nodes'}) is a host of {plan.name}",
        )
    return selected


def _expand_range(location: str, text: str) -> list[str]:
    from wirespeed.cluster.fields import Unfit
    from wirespeed.cluster.ranges import expand_names
    from wirespeed.errors import refuse

    try:
        return expand_names(text)
    except Unfit as unfit:
        raise refuse(location, repr(text), unfit.expected, unfit.hint) from None


def _order_by_plan(plan: Plan, wanted: Iterable[str]) -> list[str]:
    names = set(wanted)
    return [name for name in plan.hosts if name in names]
