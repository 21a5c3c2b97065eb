"""Re-test before calling it bad: several runs of one test judged together, and the command for another run.

One bad run among good runs warns. A test that is bad twice is bad. A single bad run stays bad and comes with the
command that repeats it: one run cannot distinguish a permanent fault from a transient one.

Runs are of one test only where that is certain: their logs name the same ends, or of a collective the same hosts, the
user names the ends, or their files are attempts of one step of ``bench run`` (``step.1.log``, ``step.2.log``).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from wirespeed.benchmarks.endpoints.perftest_command import build_perftest_commands
from wirespeed.benchmarks.judge.limits import RunContext, StartJob
from wirespeed.benchmarks.judge.runs import has_stated_options
from wirespeed.benchmarks.judge.stated_options import find_unused_options, list_stated_options
from wirespeed.errors import Refusal
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Run
from wirespeed.results.parameters import Parameters
from wirespeed.results.series import has_known_gpus, list_gpus, workload
from wirespeed.results.verdicts import JudgedRun, Judgement, Verdict

_ATTEMPT = re.compile(r"(.+)\.\d+\.log")


def judge_repeats(
    judged: Sequence[JudgedRun],
    runs: Sequence[Run],
    ends_of_runs: Sequence[tuple[str, str] | None],
    context: RunContext | None = None,
    plan: Plan | None = None,
) -> tuple[JudgedRun, ...]:
    """Judge repetitions: each judged run together with the others of its test. ``runs`` are their logs, in order.

    ``context`` and ``plan`` are for the commands that repeat a run, and that judge it with its repetition.

    ``ends_of_runs`` are client and server NIC of each run, where known. They complete a run after the grouping: client
    and server of one run each write a log, and one does not confirm the other.
    """
    context = context or RunContext()
    groups: dict[object, list[int]] = {}
    for member, (judged_run, run) in enumerate(zip(judged, runs, strict=True)):
        groups.setdefault(_identify_test(judged_run, run) or member, []).append(member)
    results = list(judged)
    for members in groups.values():
        judged_again = _judge_repetitions([judged[member] for member in members])
        for member, judged_run in zip(members, judged_again, strict=True):
            ends = ends_of_runs[member]
            named = judged_run
            if ends and judged_run.source is None and judged_run.target is None:
                named = replace(judged_run, source=ends[0], target=ends[1])
            results[member] = named if len(members) > 1 else _judge_single(named, runs[member], ends, context, plan)
    return tuple(results)


def _identify_test(judged: JudgedRun, run: Run) -> tuple[object, ...] | None:
    """The key that runs of one test share; None if the ends of this run are unknown."""
    ends = _find_ends(judged, run)
    if ends is None or run.test is None or _hides_gpus(judged, run):
        return None
    conditions = _list_collective_settings if run.tool in _COLLECTIVES else _list_conditions
    return (run.tool, run.test, run.ranks, ends, *conditions(run.parameters))


def parse_step(file: str) -> tuple[str, str] | None:
    """The folder and the step of ``bench run`` that a log belongs to; None if it is not from a campaign."""
    step = _ATTEMPT.fullmatch(PurePath(file).name)
    return (str(PurePath(file).parent), step[1]) if step is not None else None


def _hides_gpus(judged: JudgedRun, run: Run) -> bool:
    """Whether another run may be of other GPUs; attempts of one step of a campaign are of the same ones."""
    places = run.parameters.rank_places
    return bool(places) and not has_known_gpus(run.parameters) and parse_step(judged.file) is None


def _find_ends(judged: JudgedRun, run: Run) -> object | None:
    if judged.source and judged.target:
        return judged.source, judged.target
    step = parse_step(judged.file)
    if step is not None:
        return step
    parameters = run.parameters
    if parameters.host_names:
        return parameters.host_names
    pairs = ((parameters.local_gid, parameters.remote_gid), (parameters.local_address, parameters.remote_address))
    return next((pair for pair in pairs if all(pair)), None)


def _list_conditions(parameters: Parameters) -> tuple[object, ...]:
    """The parameters whose difference makes another test."""
    rdma = (
        parameters.rdma_device,
        parameters.path_mtu_bytes,
        parameters.queue_pairs,
        parameters.connection_type,
        parameters.link_type,
        parameters.gid_index,
    )
    memory = (parameters.memory, parameters.receive_memory, parameters.send_memory, parameters.gpu_model)
    traffic = (
        parameters.bidirectional,
        parameters.reverse,
        parameters.streams,
        parameters.pairs,
        parameters.window_messages,
    )
    return (*rdma, *memory, *traffic, parameters.nodes, parameters.root_rank, parameters.reduction, parameters.datatype)


def _list_collective_settings(parameters: Parameters) -> tuple[object, ...]:
    """The same of a collective: the requested traffic, the variables of NCCL, its version, and the GPUs."""
    variables = {name: value for name, value in parameters.environment.items() if "CCL_DEBUG" not in name}
    return (
        workload(parameters),
        tuple(sorted(list_gpus(parameters))),  # also on several hosts, where each GPU has its NIC
        parameters.gpu_model,
        parameters.library_version,
        parameters.nccl_library_version,
        parameters.process_label,
        parameters.unalign,
        tuple(sorted(variables.items())),
    )


def _judge_repetitions(runs: Sequence[JudgedRun]) -> list[JudgedRun]:
    """Judge several runs of one test: a value that failed once and was good otherwise warns."""
    outcomes: dict[object, list[Judgement]] = {}
    for run in runs:
        for verdict in run.verdicts:
            if verdict.judgement in _DECIDED:
                outcomes.setdefault(_identify_value(verdict), []).append(verdict.judgement)
    weighed_runs = [
        replace(run, verdicts=tuple(_weigh_repetitions(verdict, outcomes) for verdict in run.verdicts)) for run in runs
    ]
    is_repeated = len(runs) > 1
    return [
        replace(run, notes=(*run.notes, _NEXT_STEP)) if is_repeated and _fails_without_cause(run) else run
        for run in weighed_runs
    ]


def _fails_without_cause(run: JudgedRun) -> bool:
    """Whether a bandwidth failed, and the log proves no bottleneck."""
    return not run.bottlenecks and any(
        verdict.judgement is Judgement.FAIL and verdict.physical is not None for verdict in run.verdicts
    )


_DECIDED = (Judgement.PASS, Judgement.WARN, Judgement.FAIL)


def _identify_value(verdict: Verdict) -> object:
    measurement = verdict.measurement
    return measurement.metric, measurement.unit, measurement.size_bytes, measurement.label


def _weigh_repetitions(verdict: Verdict, outcomes: dict[object, list[Judgement]]) -> Verdict:
    if verdict.judgement is not Judgement.FAIL or verdict.physical is None:
        return verdict  # corrupted data and similar failures are not transient
    judgements = outcomes[_identify_value(verdict)]
    bad, times = judgements.count(Judgement.FAIL), len(judgements)
    if times == 1:
        return verdict
    if bad == 1:
        other_runs = "on the other run" if times == 2 else f"on {times - 1} others"
        return replace(
            verdict, judgement=Judgement.WARN, reason=f"bad once, good {other_runs} of this test: {verdict.reason}"
        )
    return replace(verdict, reason=f"bad {bad} times of {times}: {verdict.reason}")


def _judge_single(
    judged: JudgedRun, run: Run, ends: tuple[str, str] | None, context: RunContext, plan: Plan | None
) -> JudgedRun:
    sizes = [
        verdict.measurement.size_bytes or 0
        for verdict in judged.verdicts
        if verdict.judgement is Judgement.FAIL and verdict.physical is not None
    ]
    if not sizes or judged.bottlenecks:
        return judged  # the log proves the bottleneck, so a repetition decides nothing
    commands = _build_commands(run, ends, sizes, context, plan)
    once_more, following = "run it once more", "; "
    if (options := _list_job_sizes(run, min(sizes), max(sizes))) is not None:
        repetition = f"the same command on the same hosts once more, with {options}"
        once_more, commands = f"run {repetition}", (f"# {repetition}",)
    elif commands:
        once_more, following = format_commands("run it once more:", *commands), "\n"
    combination = _describe_combination(judged, run, context, plan)
    note = f"failed in a single run; before acting on it, {once_more}{following}{combination}"
    return replace(judged, notes=(*judged.notes, _NEXT_STEP, note), repeat=commands)


_NEXT_STEP = (
    "for causes that the log does not show, `wirespeed collect` and `wirespeed check` compare settings, PCIe slots and "
    "cables of the hosts with the plan"
)


def format_commands(heading: str, *commands: str) -> str:
    """A note with commands below it, each on a line."""
    return "\n".join((heading, *(f"  {command}" for command in commands)))


_COLLECTIVES = ("nccl-tests", "rccl-tests")


def _list_job_sizes(run: Run, minimum: int, maximum: int) -> str | None:
    """The options that limit a job to these sizes, where its log holds neither hosts nor variables of its command.

    None: the log or the plan has its command.
    """
    if run.tool in _COLLECTIVES:
        return f"-b {minimum} -e {maximum} -f 2"
    is_job = run.tool == _OSU and run.parameters.command is None and run.test is not None and run.test not in _PAIRWISE
    return f"-m {minimum}:{maximum}" if is_job else None


def _describe_combination(judged: JudgedRun, run: Run, context: RunContext, plan: Plan | None) -> str:
    """How a second log counts, and the command if the cluster file is known."""
    if run.test is None:
        source = "command line" if run.tool in _COLLECTIVES else 'header lines (such as "RDMA_Write BW Test")'
        reason = "this log does not name its test, so each run is judged separately"
        return f"then judge both logs together with their {source}: {reason}"
    is_identified = _identify_test(judged, run) is not None
    if is_identified or is_between_nics(run):
        missing = None if is_identified else "HOST:NIC"
        stated = (judged.source or missing, judged.target or missing)
        options = [
            text for option, end in zip(("--from", "--to"), stated, strict=True) if end for text in (option, end)
        ]
        options += _list_used_options(run, context, plan)
        if context.cluster is None:
            return "then judge both logs together" + (
                "" if is_identified else " with --from HOST:NIC and --to HOST:NIC"
            )
        command = ["wirespeed", "bench", "judge", judged.file, "NEW.log", "--cluster", context.cluster, *options]
        return format_commands("then judge both logs together:", shlex.join(command))
    missing = "show which GPUs they used" if _hides_gpus(judged, run) else "name their hosts"
    return f"then judge its log too: the logs do not {missing}, so each is judged separately"


def _list_used_options(run: Run, context: RunContext, plan: Plan | None) -> list[str]:
    """The options of the user, besides both NICs, that change the judgement of a run."""
    if not has_stated_options(context):
        return list(context.options)
    unused = {"--from", "--to"} | (find_unused_options(run, context, plan).keys() if plan is not None else set())
    stated = [(name, value) for name, value in list_stated_options(context).items() if name not in unused]
    return [*(word for option in stated for word in option), *context.options]


_OSU = "osu-micro-benchmarks"
_BETWEEN_NICS = ("perftest", "iperf3", "iperf2", "qperf", "sockperf", "ucx_perftest", "netpipe")
_OSU_BETWEEN_NICS = ("osu_bw", "osu_bibw", "osu_latency", "osu_put_bw", "osu_put_bibw", "osu_get_bw", "osu_mbw_mr")


def is_between_nics(run: Run) -> bool:
    """Whether a run is between two NICs, which ``--from`` and ``--to`` can name."""
    return run.tool in _BETWEEN_NICS or (run.tool == _OSU and run.test in _OSU_BETWEEN_NICS)


def _build_commands(
    run: Run, ends: tuple[str, str] | None, sizes: Sequence[int], context: RunContext, plan: Plan | None
) -> tuple[str, ...]:
    """The commands that repeat a run for the sizes that were bad; none if the log does not contain enough.

    For perftest these are both commands, with their hosts, if both NICs are known.
    """
    minimum, maximum = min(sizes), max(sizes)
    if run.tool == _OSU and run.test in _PAIRWISE and run.parameters.command is None and context.start and plan:
        program = (run.test, "-m", f"{minimum}:{maximum}")
        return _start_pair(program, ends, context.start, tuple(plan.hosts))
    if run.test is None or not re.fullmatch(r"\w+", run.test):
        return ()
    if run.tool == "perftest":
        return build_perftest_commands(run, ends, sizes, plan)
    arguments = _list_arguments(run, ends, minimum, maximum)
    return (shlex.join(arguments),) if arguments else ()


def _start_pair(
    program: Sequence[str], ends: tuple[str, str] | None, start: StartJob, hosts: Sequence[str]
) -> tuple[str, ...]:
    """The planned launcher's command for a rank on each of two hosts; HOST1 and HOST2 where they are unknown."""
    pair = [end.partition(":")[0] for end in ends] if ends else list(hosts[:2])
    if len(set(pair)) < 2:
        return ()
    try:
        words = start(pair, 1, program)
    except Refusal:  # no launcher starts jobs of the planned library
        return ()
    if ends is None:
        names = dict(zip(pair, ("HOST1", "HOST2"), strict=True))
        pattern = re.compile(rf"(?<![\w.-])({'|'.join(map(re.escape, pair))})(?![\w.-])")
        words = tuple(pattern.sub(lambda match: names[match[0]], word) for word in words)
    return (shlex.join(words),)


def _list_arguments(run: Run, ends: tuple[str, str] | None, minimum: int, maximum: int) -> list[str]:
    match run.tool:
        case "osu-micro-benchmarks" if run.parameters.command is not None and run.test is not None:
            return _replace_sizes(shlex.split(run.parameters.command), run.test, f"{minimum}:{maximum}")
        case "osu-micro-benchmarks" if run.test in _PAIRWISE:
            return ["mpirun", *_place_ranks(ends), "-np", str(run.ranks or 2), run.test, "-m", f"{minimum}:{maximum}"]
        case "iperf3" if run.parameters.processes is None:
            return _build_iperf3_arguments(run)
        case _:
            return []


def _replace_sizes(command: Sequence[str], test: str, sizes: str) -> list[str]:
    """The command of a log with other message sizes; nothing if it does not contain the benchmark."""
    position = next((place for place, word in enumerate(command) if word.rpartition("/")[2] == test), None)
    if position is None:
        return []
    arguments = []
    words = iter(command[position + 1 :])
    for word in words:
        if word in ("-m", "--message-size"):
            next(words, None)
        elif not re.fullmatch(r"(-m|--message-size=).+", word):
            arguments.append(word)
    return [*command[: position + 1], "-m", sizes, *arguments]


def _place_ranks(ends: tuple[str, str] | None) -> list[str]:
    """Options of Open MPI that start a rank on each of two hosts: by default both start on one."""
    hosts = [end.partition(":")[0] for end in ends] if ends else ["HOST1", "HOST2"]
    return ["--host", ",".join(hosts), "--map-by", "node"]


_PAIRWISE = ("osu_bw", "osu_bibw", "osu_latency", "osu_put_bw", "osu_get_bw")


def _build_iperf3_arguments(run: Run) -> list[str]:
    stated = run.parameters
    host, streams, duration = stated.server_address or stated.remote_address, stated.streams, stated.duration_s
    if host is None:
        return []
    return [
        *("iperf3", "-c", host),
        *(["-P", str(streams)] if streams and streams > 1 else []),
        *(["-R"] if stated.reverse else []),
        *(["-t", str(duration)] if duration else []),
    ]
