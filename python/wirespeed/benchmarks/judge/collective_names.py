"""Find the collective that a log shows, and whether its GPUs are those of the plan."""

from __future__ import annotations

import re
from dataclasses import replace

from wirespeed.errors import did_you_mean, refuse
from wirespeed.limits.group import Collective, convert_printed_factor
from wirespeed.limits.group import find_collective as find_by_name
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Metric, Run


def find_named_collective(name: str) -> Collective:
    """The collective that a user names.

    Raises:
        Refusal: the name is not that of a collective.
    """
    collective = find_by_name(name)
    if collective is None:
        names = [collective.value for collective in Collective]
        raise refuse("--collective", repr(name), f"one of {', '.join(names)}", did_you_mean(name, names))
    return collective


def find_collective(run: Run, assumptions: list[str]) -> Collective | None:
    """The collective that the log names; else the only one that fits its bus factor, reduction and root.

    All-gather and all-to-all have the same values, and so do all-reduce of two ranks and sendrecv: only whether data is
    validated in place divides them. Gather and scatter do not differ. Where several fit, the collective is unknown.
    """
    collective = find_by_name(run.test) if run.test else _find_by_factor(run)
    if collective is not None and (not run.test or run.parameters.is_inferred("collective")):
        assumptions.append(f"{collective.value}: not in the log; its bus factor, reduction and root fit no other")
    return collective


def drop_refuted_inferences(run: Run, name: str | None, ranks: int | None) -> Run:
    """The run without an inferred collective or number of ranks that contradicts what the user states.

    Both were inferred from one factor: a collective of another number of ranks is not the one that it fits.
    """
    inferred_ranks = run.ranks if run.parameters.is_inferred("ranks") else None
    has_other_ranks = None not in (ranks, inferred_ranks) and ranks != inferred_ranks
    has_other_name = name is not None and contradicts_collective(run, name)
    if not run.parameters.is_inferred("collective") or not (has_other_ranks or has_other_name):
        return run
    parameters = replace(run.parameters, inferred=None)
    return replace(run, test=None, ranks=None if inferred_ranks else run.ranks, parameters=parameters)


def describe_unnamed_collective(run: Run) -> str:
    """What the bus factor of a log without a name leaves: collectives, and their number of ranks."""
    printed = _measure_factor(run)
    fitting: dict[int, list[Collective]] = {}
    if printed is not None and (run.ranks or printed[1] < _CLEAR):
        counts = [run.ranks] if run.ranks else list(range(2, _MOST_RANKS))
        candidates = {ranks: _list_fitting(run, ranks, printed) for ranks in counts}
        fitting = {ranks: collectives for ranks, collectives in candidates.items() if collectives}
    if len(fitting) != 1:
        return "the log does not name its collective: name it with --collective"
    (ranks, collectives), *_ = fitting.items()
    names = " or ".join(collective.value for collective in collectives)
    option = "" if run.ranks else f" --ranks {ranks}"
    return (
        f"the log does not name its collective; its bus factor is that of {names} of {ranks} ranks: name it, such as "
        f"--collective {collectives[0].value}{option}"
    )


def contradicts_collective(run: Run, name: str) -> bool:
    """Whether the log names another collective than the user; false where one of both names is unknown."""
    logged, stated = find_by_name(run.test or ""), find_by_name(name)
    return logged is not None and stated is not None and logged is not stated


def _find_by_factor(run: Run) -> Collective | None:
    """nccl-tests prints the reduction as none where there is none, and the root as -1."""
    printed = _measure_factor(run)
    if run.ranks is None or run.ranks < 2 or printed is None:
        return None
    fitting = _list_fitting(run, run.ranks, printed)
    return fitting[0] if len(fitting) == 1 else None


def _list_fitting(run: Run, ranks: int, printed: tuple[float, float]) -> list[Collective]:
    """The collectives of a number of ranks with the bus factor, reduction, root and validation of a log."""
    factor, rounding = printed
    reduces = (run.parameters.reduction or "none") != "none"
    validates_in_place = _validates_in_place(run)
    root = run.parameters.root_rank  # without a root, -1, or no column in releases before 2.13
    if root is not None and root != _NO_ROOT:
        possible = [Collective.REDUCE] if reduces else _ROOTED
    elif reduces and (validates_in_place or root is None):
        possible = _REDUCING
    elif reduces:  # sendrecv prints an operation and a root since release 2.13 (src/sendrecv.cu)
        possible = [Collective.SENDRECV, *(_REDUCING if validates_in_place is None else ())]
    else:
        possible = {None: _ROOTLESS, True: _VALIDATED_IN_PLACE, False: _UNVALIDATED_IN_PLACE}[validates_in_place]
    if ranks & (ranks - 1):  # hypercube takes powers of two only (nccl-tests, src/hypercube.cu)
        possible = [collective for collective in possible if collective is not Collective.HYPERCUBE]
    return [
        collective for collective in possible if abs(convert_printed_factor(collective, ranks) - factor) <= rounding
    ]


_MOST_RANKS = 257  # more ranks have bus factors that printed digits do not distinguish
_CLEAR = 0.001  # error of a bus factor below which its number of ranks is clear
_NO_ROOT = -1
_REDUCING = [Collective.ALL_REDUCE, Collective.REDUCE_SCATTER]  # without a root; reduce prints one in every release
_ROOTED = [Collective.BROADCAST, Collective.GATHER, Collective.SCATTER]
_VALIDATED_IN_PLACE = [Collective.ALL_GATHER, Collective.HYPERCUBE]
_UNVALIDATED_IN_PLACE = [Collective.ALL_TO_ALL, Collective.SENDRECV]  # reportErrors of src/alltoall.cu, sendrecv.cu
_ROOTLESS = [*_VALIDATED_IN_PLACE, *_UNVALIDATED_IN_PLACE]


def _validates_in_place(run: Run) -> bool | None:
    """Whether the table has a number of wrong elements in place; None if it has none out of place either."""
    labels = {measurement.label for measurement in run.measurements if measurement.metric is Metric.WRONG}
    return ("in-place" in labels) if "out-of-place" in labels else None


def _measure_factor(run: Run) -> tuple[float, float] | None:
    """Bus bandwidth divided by algorithm bandwidth where both are largest, and the error of two decimals."""
    rows: dict[tuple[int, str | None], dict[Metric, float]] = {}
    for measurement in run.measurements:
        if measurement.size_bytes is not None:
            row = rows.setdefault((measurement.size_bytes, measurement.label), {})
            row[measurement.metric] = float(measurement.value)
    printed = [(row.get(Metric.ALGBW, 0.0), row.get(Metric.BUSBW, 0.0)) for row in rows.values()]
    algbw, busbw = max(printed, default=(0.0, 0.0))
    if min(algbw, busbw) <= 0:
        return None
    factor = busbw / algbw
    return factor, factor * (0.005 / algbw + 0.005 / busbw)


_MODEL = re.compile(r"[A-Za-z]{1,4}\d{2,4}[A-Za-z]?|[A-Z]\d|\d{4}")
"""A word that names a GPU model: MI300X, H100, T4, 7900. Memory (80GB, HBM3) and form (SXM4, PCIe) do not match."""


def foreign_gpus(run: Run, plan: Plan) -> str | None:
    """Why the log's GPUs cannot be those of the plan; None where they may be."""
    logged = run.parameters.gpu_model
    names = {gpu.model for host in plan.hosts.values() for gpu in host.gpus.values() if gpu.model}
    titles = sorted(plan.hardware.gpus[name].title for name in names if name in plan.hardware.gpus)
    models = _find_models(logged or "")
    if not models or not titles or any(models & _find_models(title) for title in titles):
        return None
    return f"the log's GPUs are {logged}, those of {plan.name} are {', '.join(titles)}"


def count_gpus(run: Run) -> int:
    """The number of GPUs that the tool lists, at least; bandwidthTest lists the measured one, with its number."""
    numbers = [int(number) for row in run.measurements for number in _GPU_NUMBER.findall(row.label or "")]
    return max([run.parameters.gpus or 0, *(number + 1 for number in numbers)])


_GPU_NUMBER = re.compile(r"\bGPU(\d{1,4})\b")


def has_logged_gpus(run: Run, plan: Plan, host: str) -> bool:
    """Whether a host's GPUs are of a model that the log names."""
    models = _find_models(run.parameters.gpu_model or "")
    names = {gpu.model for gpu in plan.hosts[host].gpus.values() if gpu.model}
    titles = [plan.hardware.gpus[name].title for name in names if name in plan.hardware.gpus]
    return any(models & _find_models(title) for title in titles)


def _find_models(title: str) -> set[str]:
    return {word.upper() for word in re.split(r"[^A-Za-z0-9]+", title) if _MODEL.fullmatch(word)}
