"""Facts that the user states with options (--from, --to, --ranks, --nodes ...): which of them each tool has a use for.

An option that changes nothing for a run is noted at that run. One that changes nothing for any run of a call is
refused, with what to give instead: the user expects another judgement than the one that would follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from wirespeed.benchmarks.judge.limits import RunContext
from wirespeed.benchmarks.judge.mpi import is_collective
from wirespeed.errors import Problem, Refusal
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Run

_COLLECTIVES = ("nccl-tests", "rccl-tests")
_ONE_HOST = ("nvbandwidth", "p2pBandwidthLatencyTest", "rocm-bandwidth-test", "bandwidthTest", "TransferBench")
_NAMES_ITS_ENDS = ("mpigraph", "pair-matrix", "mesh")
_MPI = "osu-micro-benchmarks"
_MANY_PAIRS = ("osu_mbw_mr", "osu_bw_fan_in", "osu_bw_fan_out")


def list_stated_options(context: RunContext) -> dict[str, str]:
    """The options that the user gives, with their values."""
    options: tuple[tuple[str, object], ...] = (
        ("--from", context.source),
        ("--to", context.target),
        ("--ranks", context.ranks),
        ("--nodes", context.nodes),
        ("--algorithm", context.algorithm.value if context.algorithm else None),
        ("--collective", context.collective),
    )
    return {option: str(value) for option, value in options if value is not None}


def list_notes_on_options(run: Run, context: RunContext, plan: Plan) -> tuple[str, ...]:
    """Notes on options of the user that change nothing for a run, and on numbers that the log contradicts."""
    stated = list_stated_options(context)
    unused = find_unused_options(run, context, plan)
    notes = [f"{option} {stated[option]} has no effect: {unused[option]}" for option in unused]
    logged = (("--ranks", run.ranks, context.ranks), ("--nodes", run.parameters.nodes, context.nodes))
    notes += [
        f"{option} {stated} replaces {value}, the number of the log"
        for option, value, stated in logged
        if option not in unused and stated and value and value != stated
    ]
    return tuple(notes)


def find_unused_options(run: Run, context: RunContext, plan: Plan) -> dict[str, str]:
    """The options that change nothing for a run, each with the reason."""
    stated = list_stated_options(context)
    reasons = dict(_list_reasons(run, stated, plan))
    return {option: reasons[option] for option in stated if option in reasons}


def refuse_unused_options(runs: Iterable[tuple[str, Run, RunContext]], context: RunContext, plan: Plan) -> None:
    """Refuse the options of ``context`` that change nothing for any run; each run with its file and its own context.

    Raises:
        Refusal: there is such an option.
    """
    stated = list_stated_options(context)
    reasons = [
        _locate_reasons(file, find_unused_options(run, of_run, plan), of_run, stated) for file, run, of_run in runs
    ]
    problems = [
        Problem(f"{option} {value}", f"no effect: {reasons[0][option]}", hint=_HINTS[option])
        for option, value in stated.items()
        if reasons and all(option in reasons_of_run for reasons_of_run in reasons)
    ]
    if problems:
        raise Refusal(problems)


def _locate_reasons(
    file: str, reasons: dict[str, str], of_run: RunContext, stated: Mapping[str, str]
) -> dict[str, str]:
    """The options without effect on a run, each with the file and the reason."""
    of_log = list_stated_options(of_run)
    for option in ("--from", "--to"):
        if option in stated and of_log.get(option) != stated[option]:
            reasons[option] = "the result folder names the ends of each step"
    return {option: f"{file}: {reason}" for option, reason in reasons.items()}


_HINTS = {
    "--from": "omit it, or name an end of the run",
    "--to": "omit it, or name an end of the run",
    "--ranks": "omit it; collectives, OSU tests of many ranks and GPCNeT use it",
    "--nodes": "omit it; collectives, OSU tests of many ranks and GPCNeT use it",
    "--algorithm": "omit it; an all-reduce of nccl-tests or rccl-tests uses it",
    "--collective": "omit it; runs of nccl-tests and rccl-tests use it",
}


def _list_reasons(run: Run, stated: Mapping[str, str], plan: Plan) -> Iterator[tuple[str, str]]:
    if run.tool not in _COLLECTIVES:
        for option in ("--algorithm", "--collective"):
            yield option, f"{run.tool} runs no collective of NCCL or RCCL"
    elif "all_reduce" not in (run.test or stated.get("--collective") or "all_reduce").replace("-", "_"):
        yield "--algorithm", f"{run.test or stated['--collective']} has no choice of algorithms"
    yield from _list_reasons_of_ranks(run)
    yield from _list_reasons_of_ends(run, stated, plan)


def _list_reasons_of_ranks(run: Run) -> Iterator[tuple[str, str]]:
    if run.tool in (*_COLLECTIVES, "gpcnet") or is_collective(run):
        return
    if run.tool == _MPI and run.test in _MANY_PAIRS:
        if run.test == "osu_mbw_mr" and run.parameters.pairs:
            yield "--ranks", f"the log names its {run.parameters.pairs} pairs"
        return
    reason = f"{run.test or run.tool} runs between two ends"
    if run.tool in _ONE_HOST:
        reason = f"{run.tool} runs on one host"
    yield "--ranks", reason
    yield "--nodes", reason


def _list_reasons_of_ends(run: Run, stated: Mapping[str, str], plan: Plan) -> Iterator[tuple[str, str]]:
    ends = {option: stated[option] for option in ("--from", "--to") if option in stated}
    hosts = {name.partition(".")[0] for name in (run.parameters.host_names or "").split(",") if name}
    if run.tool in _NAMES_ITS_ENDS or run.tool == "ibv_pingpong":
        reason = "the log names the ends of every value" if run.tool in _NAMES_ITS_ENDS else "it has no known limits"
        for option in ends:
            yield option, reason
    elif run.tool in _ONE_HOST and len({end.partition(":")[0] for end in ends.values()}) > 1:
        yield "--to", f"{run.tool} runs on one host, that of --from {ends['--from']}"
    else:
        for option, end in ends.items():
            if hosts and hosts <= plan.hosts.keys() and end.partition(":")[0] not in hosts:
                yield option, f"the log names its hosts, {', '.join(sorted(hosts))}"
