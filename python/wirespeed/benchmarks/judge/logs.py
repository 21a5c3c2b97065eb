"""Judge several logs: each run with the debug lines of its log, other runs of the same test, and the runs that a
relative gate compares it with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from wirespeed.benchmarks.endpoints.nics import find_ends, find_ends_by_gid, list_nics
from wirespeed.benchmarks.judge.limits import RunContext
from wirespeed.benchmarks.judge.nccl_errors import find_fatal_error
from wirespeed.benchmarks.judge.nccl_evidence import Evidence, evidence
from wirespeed.benchmarks.judge.profile import Profile, default
from wirespeed.benchmarks.judge.relations import Entry, list_missing_tools, relations
from wirespeed.benchmarks.judge.retest import is_between_nics, judge_repeats
from wirespeed.benchmarks.judge.runs import has_stated_options, judge_with_subject
from wirespeed.benchmarks.judge.stated_options import refuse_unused_options
from wirespeed.benchmarks.tools.reader import Reading
from wirespeed.limits.bound import number
from wirespeed.plan import Plan
from wirespeed.plan.overlay import ObservedPlan
from wirespeed.results.benchmarks import Metric, Run, RunStatus
from wirespeed.results.nccl import Communicator
from wirespeed.results.series import read_ends
from wirespeed.results.verdicts import JudgedRun, Judgement, Relation


@dataclass(frozen=True, slots=True)
class Log:
    """A log that was read, and facts about its runs: both NICs as HOST:NIC, and the time span in seconds.

    ``nics_only``: ranks of a host were started so that they reach each other over its NICs.
    """

    file: str
    reading: Reading
    source: str | None = None
    target: str | None = None
    span: tuple[float, float] | None = None
    nics_only: bool = False


@dataclass(frozen=True, slots=True)
class JudgedLogs:
    """Judged runs, and the results of relative gates. ``hints``: files and the options that would complete them."""

    runs: tuple[JudgedRun, ...]
    relations: tuple[Relation, ...]
    hints: tuple[tuple[str, str], ...] = ()


def judge_all_logs(
    logs: Sequence[Log],
    plan: Plan,
    context: RunContext | None = None,
    profile: Profile | None = None,
    observed: ObservedPlan | None = None,
) -> JudgedLogs:
    """Judge the runs of logs, each alone and against the others. ``context`` applies where a log states no ends.

    Raises:
        Refusal: the user names what there is not, or states what changes nothing for any run.
    """
    context, profile = context or RunContext(), profile or default()
    if has_stated_options(context):
        runs_of_logs = [(log.file, run, _name_ends(context, log)) for log in logs for run in log.reading.runs]
        refuse_unused_options(runs_of_logs, context, plan)
    entries: list[Entry] = []
    hints: dict[tuple[str, str], None] = {}
    for log in logs:
        for run in log.reading.runs:
            proven = evidence(run, log.reading.communicators) if log.reading.communicators else None
            of_run = replace(_name_ends(context, log), evidence=proven, nics_only=log.nics_only)
            judged, subject = judge_with_subject(run, plan, of_run, log.file, profile, observed)
            if run.status is RunStatus.FAILED and (printers := _list_communicators(log.reading, proven)):
                judged = replace(judged, fatal_error=find_fatal_error(printers, plan))
            if run.status.is_intact and (missing := hint(run, of_run, plan)) is not None:
                hints[log.file, missing] = None
            entries.append(Entry(run, judged, subject, log.span))
    ends_of_runs = [_find_nics(entry, plan) for entry in entries]
    runs = judge_repeats(
        [entry.judged for entry in entries], [entry.run for entry in entries], ends_of_runs, context, plan
    )
    runs = tuple(add_memory_cause(entries, runs, ends_of_runs))
    compared = relations(entries, plan, profile) if profile.relative_gates and len(entries) > 1 else ()
    if profile.relative_gates:
        hints |= dict.fromkeys(list_missing_tools(entries, plan, profile, compared))
    return JudgedLogs(runs, compared, tuple(hints))


def _name_ends(context: RunContext, log: Log) -> RunContext:
    """The context of a log's runs: its own ends before those of the user."""
    return replace(context, source=log.source, target=log.target) if log.source or log.target else context


_GPU_FASTER = 1.2
"""Lead of GPU memory that shows a loss in host memory: 320 and 235 Gb/s (Broadcom 957608-AN210, FAQ 8)."""


def add_memory_cause(
    entries: Sequence[Entry], runs: Sequence[JudgedRun], ends_of_runs: Sequence[tuple[str, str] | None]
) -> Iterator[JudgedRun]:
    """Runs, with the likely cause where perftest is slow in host memory and the same test is fast in GPU memory.

    Between other NICs a fault of a NIC, cable or host gives the same numbers: no cause. Where a log does not name its
    NICs, the note states the condition.
    """
    highest = [
        max((float(row.value) for row in entry.run.measurements if row.metric is Metric.BW_AVG), default=0.0)
        for entry in entries
    ]
    for entry, judged, rate, ends in zip(entries, runs, highest, ends_of_runs, strict=True):
        is_slow = any(verdict.judgement in (Judgement.WARN, Judgement.FAIL) for verdict in judged.verdicts)
        if entry.run.tool != "perftest" or entry.run.parameters.on_gpu or not is_slow or not rate:
            yield judged
            continue
        in_gpu: dict[bool, float] = {}
        for peer, gpu_rate, gpu_ends in zip(entries, highest, ends_of_runs, strict=True):
            is_known = ends is not None and gpu_ends is not None
            is_same = not is_known or set(ends or ()) == set(gpu_ends or ())
            if peer.run.parameters.on_gpu and is_same and _read_test(peer) == _read_test(entry):
                in_gpu[is_known] = max(gpu_rate, in_gpu.get(is_known, 0.0))
        is_certain = in_gpu.get(True, 0.0) >= _GPU_FASTER * rate
        fastest = in_gpu.get(is_certain, 0.0)
        if fastest < _GPU_FASTER * rate:
            yield judged
            continue
        condition = "" if is_certain else "if both runs are between the same NICs, "
        note = (
            f"the same test reaches {number(fastest)} Gb/s in GPU memory: {condition}host memory may be the "
            "bottleneck; one of the causes is the BIOS option Memory Interleaving, if it is disabled: set it to Auto "
            "(Broadcom 957608-AN210, 5.1 question 8)"
        )
        yield replace(judged, notes=(*judged.notes, note))


def _read_test(entry: Entry) -> tuple[str, str | None, bool | None]:
    """What two runs have in common that differ only in their memory."""
    return entry.run.tool, entry.run.test, entry.run.parameters.bidirectional


def _list_communicators(reading: Reading, proven: Evidence | None) -> Sequence[Communicator]:
    """The communicators whose fatal errors ended a run: its own, or all of a log with one run."""
    if proven is not None and proven.communicator.fatal_errors:
        return (proven.communicator,)
    return reading.communicators if len(reading.runs) == 1 else ()


def _find_nics(entry: Entry, plan: Plan) -> tuple[str, str] | None:
    """Client and server NIC as HOST:NIC: as named, else by the GIDs of the log; None where one is unknown."""
    if entry.judged.source and entry.judged.target:
        client, server = find_ends(plan, entry.judged.source, entry.judged.target)
        return str(client), str(server)
    return find_ends_by_gid(entry.run, plan)


def judge_logs(
    readings: Sequence[tuple[str, Reading]],
    plan: Plan,
    context: RunContext | None = None,
    profile: Profile | None = None,
    observed: ObservedPlan | None = None,
) -> tuple[JudgedRun, ...]:
    """The runs of logs, each with the name of its file, judged.

    Raises:
        Refusal: the user names what there is not.
    """
    return judge_all_logs([Log(file, reading) for file, reading in readings], plan, context, profile, observed).runs


def hint(run: Run, context: RunContext, plan: Plan) -> str | None:
    """Which ends of a point-to-point test are missing, and the option that names them; None where none is."""
    if not is_between_nics(run) or (context.source and context.target) or read_ends(run) is not None:
        return None
    stated_end = context.source or context.target
    option = "--to" if context.source else "--from"
    example_port = next(
        (nic.port for nic in list_nics(plan) if stated_end and nic.host != stated_end.partition(":")[0]), None
    )
    if stated_end:
        example = f", such as {option} {example_port}" if example_port else ""
        assumed = f"the other end is assumed to be the same kind of NIC as {stated_end}"
        return f"{option} is missing: {assumed}; give it with {option} HOST:NIC{example}"
    nics = list({nic.host: nic.port for nic in reversed(list(list_nics(plan)))}.values())[-2:]
    example = f", such as --from {nics[-1]} --to {nics[0]}" if len(nics) > 1 else ""
    return f"the log does not name the two NICs; give them with --from HOST:NIC and --to HOST:NIC{example}"
