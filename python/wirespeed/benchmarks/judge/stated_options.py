"""Facts that the user states with options (--from, --to, --ranks, --nodes ...): which of them each tool has a use for.

An option that changes nothing for a run, because its tool has no use for it or its log contradicts it, is noted at that
run. One that changes nothing for any run of a call is refused, with what to give instead: the user expects another
judgement than the one that would follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from wirespeed.benchmarks.endpoints.nics import find_logged_ends, find_nic
from wirespeed.benchmarks.judge.collective_names import contradicts_collective
from wirespeed.benchmarks.judge.limits import RunContext
from wirespeed.benchmarks.judge.mpi import is_collective
from wirespeed.errors import Problem, Refusal
from wirespeed.limits.bound import every
from wirespeed.limits.group import find_collective
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import APPLICATIONS, Run

_COLLECTIVES = ("nccl-tests", "rccl-tests")
_ONE_HOST = ("nvbandwidth", "p2pBandwidthLatencyTest", "rocm-bandwidth-test", "bandwidthTest", "TransferBench")
_NAMES_ITS_ENDS = ("mpigraph", "pair-matrix", "mesh")
APPLICATION_TIME = "an application's time has no network limit"
"""Why the times of applications are not judged."""
_MPI = "osu-micro-benchmarks"
_NO_ROOT = -1  # printed by nccl-tests for a collective without a root
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
    """Notes on options of the user that change nothing for a run."""
    stated = list_stated_options(context)
    unused = find_unused_options(run, context, plan)
    return tuple(f"{option} {stated[option]} has no effect: {reason}" for option, reason in unused.items())


def drop_contradicted_facts(run: Run, context: RunContext, plan: Plan) -> RunContext:
    """The context without what the log or the cluster contradicts: there the log decides, and it names both ends."""
    stated = list_stated_options(context)
    reasons = dict(_list_contradictions(run, stated, plan))
    has_other_ends = "--from" in reasons or "--to" in reasons
    return replace(
        context,
        source=None if has_other_ends else context.source,
        target=None if has_other_ends else context.target,
        ranks=None if "--ranks" in reasons else context.ranks,
        nodes=None if "--nodes" in reasons else context.nodes,
        collective=None if "--collective" in reasons else context.collective,
    )


def find_unused_options(run: Run, context: RunContext, plan: Plan) -> dict[str, str]:
    """The options that change nothing for a run, each with the reason."""
    stated = list_stated_options(context)
    reasons = {**dict(_list_contradictions(run, stated, plan)), **dict(_list_reasons(run, stated, plan))}
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
    "--ranks": "omit it; it is for logs that do not contain the number of ranks",
    "--nodes": "omit it; it is for logs that do not contain the number of hosts",
    "--algorithm": "omit it; an all-reduce of nccl-tests or rccl-tests uses it",
    "--collective": "omit it; it is for logs of nccl-tests and rccl-tests without the name of the collective",
}


def _list_contradictions(run: Run, stated: Mapping[str, str], plan: Plan) -> Iterator[tuple[str, str]]:
    """The options that the log or the cluster contradicts, or that repeat the log, each with the fact that does."""
    ranks, nodes = stated.get("--ranks"), stated.get("--nodes")
    if ranks and run.ranks and not run.parameters.is_inferred("ranks"):
        yield "--ranks", f"the log has {run.ranks} ranks"
    if nodes and run.parameters.nodes:
        yield "--nodes", f"the log has {_count_hosts(run.parameters.nodes)}"
    elif nodes and int(nodes) > len(plan.hosts) > 0:
        yield "--nodes", f"{plan.name} has {_count_hosts(len(plan.hosts))}"
    collective = stated.get("--collective")
    states_collective = run.tool in _COLLECTIVES and not run.parameters.is_inferred("collective")
    logged = find_collective(run.test or "") if states_collective else None
    if collective and logged and (contradicts_collective(run, collective) or find_collective(collective) is logged):
        yield "--collective", f"the log is of {run.test}"
    ends = {option: stated[option].partition(":")[0] for option in ("--from", "--to") if option in stated}
    located = find_logged_ends(run, plan)
    hosts = {nic.host for nic in located}
    if not located or (len(located) == 1 and (len(ends) == 1 or hosts & set(ends.values()))):
        return
    for option, host in ends.items():
        if host in plan.hosts and host not in hosts:
            yield option, f"the log's addresses are those of {' and '.join(sorted(hosts))}"


def _count_hosts(count: int) -> str:
    return f"{count} {'host' if count == 1 else 'hosts'}"


def _list_reasons(run: Run, stated: Mapping[str, str], plan: Plan) -> Iterator[tuple[str, str]]:
    if run.tool not in _COLLECTIVES:
        for option in ("--algorithm", "--collective"):
            yield option, f"{run.tool} runs no collective of NCCL or RCCL"
    elif "all_reduce" not in (collective := _find_run_collective(run, stated)).replace("-", "_"):
        yield "--algorithm", f"{collective} has no choice of algorithms"
    yield from _list_reasons_of_ranks(run)
    yield from _list_reasons_of_ends(run, stated, plan)


def _find_run_collective(run: Run, stated: Mapping[str, str]) -> str:
    """The collective that the log states, or the user, or that is inferred; all-reduce where none is known."""
    of_user, of_log = stated.get("--collective"), run.test
    names = (of_user, of_log) if run.parameters.is_inferred("collective") else (of_log, of_user)
    return names[0] or names[1] or "all_reduce"


def _list_reasons_of_ranks(run: Run) -> Iterator[tuple[str, str]]:
    if has_many_ends(run):
        return
    if run.tool == _MPI and run.test in _MANY_PAIRS:
        if run.test == "osu_mbw_mr" and run.parameters.pairs:
            yield "--ranks", f"the log contains the number of pairs ({run.parameters.pairs})"
        return
    reason = f"{run.test or run.tool} runs between two ends"
    if run.tool in _ONE_HOST:
        reason = f"{run.tool} runs on one host"
    elif run.tool in APPLICATIONS:
        reason = APPLICATION_TIME
    yield "--ranks", reason
    yield "--nodes", reason


def has_many_ends(run: Run) -> bool:
    """Whether a run is a collective, or a job of many pairs at once, so that no two NICs are its ends."""
    return run.tool in (*_COLLECTIVES, "gpcnet") or is_collective(run)


def _uses_all_hosts(run: Run, plan: Plan, ends: Sequence[str]) -> bool:
    """Whether a run of nccl-tests uses every host, so that it does not matter which are named.

    The host of a root is another matter, and so is an interface for TCP sockets.
    """
    if run.parameters.root_rank not in (None, _NO_ROOT):
        return False
    if any(not find_nic(plan, "the end of a run", end).nic.rdma_device for end in ends):
        return False
    if run.parameters.nodes is not None:
        return run.parameters.nodes >= len(plan.hosts)
    gpus = sum(len(host.gpus) for host in plan.hosts.values())
    return 0 < gpus <= (run.ranks or 0)


def _list_reasons_of_ends(run: Run, stated: Mapping[str, str], plan: Plan) -> Iterator[tuple[str, str]]:
    ends = {option: stated[option] for option in ("--from", "--to") if option in stated}
    hosts = {name.partition(".")[0] for name in (run.parameters.host_names or "").split(",") if name}
    if run.tool in APPLICATIONS:
        for option in ends:
            yield option, APPLICATION_TIME
    elif run.tool in _NAMES_ITS_ENDS or run.tool == "ibv_pingpong":
        reason = "the log names the ends of every value" if run.tool in _NAMES_ITS_ENDS else "it has no known limits"
        for option in ends:
            yield option, reason
    elif run.tool in _ONE_HOST and len({end.partition(":")[0] for end in ends.values()}) > 1:
        yield "--to", f"{run.tool} runs on one host, that of --from {ends['--from']}"
    elif run.tool in _COLLECTIVES and _uses_all_hosts(run, plan, list(ends.values())):
        for option in ends:
            yield option, f"the run uses {every(len(plan.hosts), 'hosts')} of {plan.name}"
    else:
        for option, end in ends.items():
            if hosts and hosts <= plan.hosts.keys() and end.partition(":")[0] not in hosts:
                yield option, f"the log names its hosts, {', '.join(sorted(hosts))}"
