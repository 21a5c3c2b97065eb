"""Steps that commands share: plan a cluster file, read a bundle, add commands to fixes, judge logs, exit codes.

Flows are imported inside functions, as in commands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.cli.campaign_folder import check_no_lab
from wirespeed.cli.exit import Exit

if TYPE_CHECKING:
    from wirespeed.benchmarks.judge.limits import RunContext
    from wirespeed.benchmarks.judge.logs import JudgedLogs
    from wirespeed.benchmarks.judge.profile import Profile
    from wirespeed.benchmarks.tools.reader import Reading
    from wirespeed.cli.logs import LogFile
    from wirespeed.errors import Problem
    from wirespeed.facts import Facts
    from wirespeed.plan import Plan
    from wirespeed.plan.overlay import ObservedPlan
    from wirespeed.results.campaign_history import Comparison
    from wirespeed.results.findings import Finding, Fix
    from wirespeed.results.peers import Peers
    from wirespeed.results.verdicts import JudgedRun, Relation


def plan_cluster(cluster: Path) -> Plan:
    """Plan a cluster file and print its warnings to standard error. All commands accept and refuse the same files.

    Raises:
        Refusal: the cluster file is malformed, contradicts itself, or plans what a device does not support.
    """
    from wirespeed import render
    from wirespeed.catalogue import load
    from wirespeed.cli.console import show_problems
    from wirespeed.cluster import read
    from wirespeed.plan import build

    plan = build(read(cluster), load())
    render.check(plan)
    show_problems(plan.warnings, label="warning")
    return plan


@dataclass(frozen=True, slots=True)
class Evidence:
    """Facts of a bundle and what its manifest states."""

    facts: Facts
    recorded: str | None
    """Time of the first command."""
    tool: str
    """The program that wrote it."""
    cluster: str | None
    """Name of the cluster file from which it was collected."""
    complete: bool
    missing_files: tuple[str, ...] = ()
    """Outputs that its manifest lists and that cannot be read."""


def evidence(bundle: Path) -> Evidence:
    """Read a bundle.

    Raises:
        Refusal: it is no bundle, not whole, or a newer one.
    """
    from wirespeed.collect import extract_facts, open_bundle
    from wirespeed.errors import refuse

    if not bundle.exists():
        raise refuse(f"bundle {bundle}", "no such file or folder", hint="`wirespeed collect` writes a bundle")
    opened = open_bundle(bundle)
    starts = [entry.started for device in opened.manifest.devices for entry in device.outputs if entry.started]
    manifest = opened.manifest
    return Evidence(
        extract_facts(opened),
        min(starts, default=None),
        manifest.tool,
        manifest.cluster,
        manifest.complete,
        opened.missing_files,
    )


def describe_missing_files(evidence: Evidence, bundle: Path) -> list[str]:
    """A note for the reader if outputs of a bundle cannot be read."""
    if not evidence.missing_files:
        return []
    from wirespeed.errors import format_first

    names = format_first(evidence.missing_files, 3)
    return [f"{bundle}: no readable file {names}; what it shows is unknown: collect the device again"]


def locate(plan: Plan, facts: Facts) -> Plan:
    """The plan as it is compared with facts: with the PCIe addresses that its devices have there."""
    from wirespeed.plan.locate import locate

    return locate(plan, facts)


def locate_ranks(plan: Plan, bundle: Path) -> Plan:
    """The plan with the cores of ranks on the NUMA nodes that a bundle shows; what it leaves open is a warning.

    Raises:
        Refusal: it is no bundle, not whole, or a newer one; no rank has cores, or none of its hosts is in the bundle.
    """
    from wirespeed.cli.console import show_problems
    from wirespeed.plan.core_location import list_rank_problems

    facts = _read_bundle_of_ranks(plan, bundle)
    located = locate(plan, facts).hosts
    hosts = {name: replace(host, launch=located[name].launch) for name, host in plan.hosts.items()}
    located_plan = replace(plan, hosts=hosts)
    show_problems(list_rank_problems(located_plan, facts), label="warning")
    return located_plan


def _read_bundle_of_ranks(plan: Plan, bundle: Path) -> Facts:
    """Facts of a bundle that decides the cores of ranks; one of another cluster file is a warning."""
    from wirespeed.cli.console import show_problems
    from wirespeed.cluster.ranges import format_names
    from wirespeed.errors import Problem, refuse
    from wirespeed.settings import Host

    bound_hosts = [name for name, host in plan.hosts.items() if host.launch.cores is not None]
    if not bound_hosts:
        raise refuse(
            "--bundle",
            f"no ranks with cores in {plan.name}, and nothing else depends on a bundle",
            hint="leave --bundle out, or write `binding` of `launch` in the cluster file",
        )
    read_bundle = evidence(bundle)
    hosts = [name for name, device in read_bundle.facts.devices.items() if isinstance(device, Host)]
    if not set(bound_hosts) & set(hosts):
        raise refuse(
            f"bundle {bundle}",
            format_names(hosts) or "no hosts",
            f"hosts of {plan.name}: {format_names(bound_hosts)}",
            "give the bundle that was collected from these hosts",
        )
    if read_bundle.cluster not in (None, plan.name):
        problem = Problem(f"bundle {bundle}", f"hosts of {read_bundle.cluster}", f"hosts of {plan.name}")
        show_problems([problem], label="warning")
    return read_bundle.facts


def read_as_found(plan: Plan, bundle: Path) -> ObservedPlan:
    """The cluster as found, by a bundle.

    Raises:
        Refusal: it is no bundle, not whole, or a newer one.
    """
    from wirespeed.plan.overlay import overlay_facts

    return overlay_facts(plan, evidence(bundle).facts)


def add_commands(plan: Plan, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Add to fixes the commands that apply them, or that read a setting that was not read."""
    from wirespeed.report.fixes import merge_fixes

    return tuple(
        replace(
            finding,
            fix=_reading_fix(plan, finding)
            or merge_fixes(_add_commands_to_fix(plan, finding, fix) for fix in finding.fix),
        )
        for finding in findings
    )


def _reading_fix(plan: Plan, finding: Finding) -> tuple[Fix, ...]:
    """The fix for a setting that was not read: the command that shows it; none if the finding has a better one."""
    from wirespeed.render import stack
    from wirespeed.results.findings import Fix

    if finding.unread is None or finding.cause is not None:
        return ()
    device = finding.unread_device or finding.device
    commands = [command for platform in stack(plan, device) for command in platform.commands]
    for command in commands:
        if command.by_hand is not None and finding.unread_device is None and finding.unread in command.reads:
            text = f"run the first command as root on {device}, collect and check again, then run the second; "
            rdma_device = _find_rdma_device(plan, finding)
            before, after = (line.format(rdma=rdma_device) for line in command.by_hand)
            lines = (before, "# collect and check again; then:", after)
            return (Fix(f"{text}`wirespeed collect` changes nothing on a host", commands=lines),)
    if finding.fix:
        return ()
    shown_by = next((command for command in commands if finding.not_shown in command.reads), None)
    name = f"the output of `{' '.join(shown_by.run)}` on" if shown_by else "the collected output of"
    return (Fix(f"look for the setting in {name} {device}; collect again if the bundle lacks this output"),)


def _find_rdma_device(plan: Plan, finding: Finding) -> str:
    """The planned RDMA device of the NIC that a finding is about."""
    from wirespeed.checks.wording import format_place
    from wirespeed.settings import Place

    nics = plan.hosts[finding.device].nics
    return next(
        (
            nic.rdma_device or name
            for name, nic in nics.items()
            if finding.place.startswith(format_place(Place(finding.device).child("nic", name), nic))
        ),
        "DEVICE",
    )


def _add_commands_to_fix(plan: Plan, finding: Finding, fix: Fix) -> Fix:
    from wirespeed.render import commands_for
    from wirespeed.results.findings import Grammar, Session

    if fix.change is None:
        return fix
    change = commands_for(plan, fix.change.place.partition(" ")[0], fix.change)
    if change is None:
        return fix
    frame = change.session
    session = frame and Session(len(frame.opening), len(frame.closing), Grammar(frame.grammar))
    readers = (line.removeprefix(f"{finding.device}: ") for line in finding.evidence)
    commands = change.select(readers)
    return replace(fix, commands=commands, consequence=fix.consequence or change.consequence, session=session or None)


def judge_logs(
    plan: Plan,
    files: Iterable[LogFile],
    context: RunContext | None = None,
    profile: Profile | None = None,
    observed: ObservedPlan | None = None,
) -> tuple[JudgedLogs, tuple[Problem, ...], tuple[Problem, ...]]:
    """Judge the runs of benchmark logs together; also return the problems of logs, and of skipped files of folders.

    Runs of ``bench run`` are judged between the NICs of their step; ``context`` applies to other logs.

    Raises:
        Refusal: a log contains no output of a known tool or is from a lab, or a name from the user does not exist.
    """
    from wirespeed.benchmarks.judge.limits import RunContext
    from wirespeed.benchmarks.judge.logs import Log, judge_all_logs
    from wirespeed.benchmarks.judge.nccl_evidence import find_causes_without_results
    from wirespeed.cli.logs import CopyDetector
    from wirespeed.errors import Problem
    from wirespeed.render import Jobs

    context = replace(context or RunContext(), start=Jobs(plan).job)
    logs: list[Log] = []
    notices: list[Problem] = []
    skipped: list[Problem] = []
    copies = CopyDetector()
    for file in files:
        check_no_lab(file)
        content = file.content()
        reading = _read_log(file, content, skipped)
        if reading is not None and (copy := copies.find_copy(file, content)) is not None:
            notices.append(copy)
        elif reading is not None:
            notices += reading.notices
            if not reading.runs and reading.communicators:
                notices.append(Problem(file.name, "only NCCL debug lines; no benchmark results"))
                proven = find_causes_without_results(reading.communicators, plan)
                notices += [Problem(file.name, f"the debug lines prove: {cause}") for cause in proven]
            source, target = _find_ends(plan, file.ends)
            logs.append(Log(file.name, reading, source, target, file.span, file.nics_only))
    return judge_all_logs(logs, plan, context, profile, observed), tuple(notices), tuple(skipped)


def _read_log(file: LogFile, content: bytes, skipped: list[Problem]) -> Reading | None:
    """Read a log; a file in a folder without output of a known tool is noted and skipped."""
    from wirespeed.cli.logs import read
    from wirespeed.errors import Refusal

    try:
        return read(file, content)
    except Refusal as refusal:
        if not file.is_in_folder:
            raise
        skipped.extend(refusal.problems)
        return None


def read_profile(name: str | None) -> Profile | None:
    """Read an acceptance profile by name or file; None if none is given.

    Raises:
        Refusal: the profile does not exist.
    """
    from wirespeed.benchmarks.judge.profile import read

    return read(name) if name else None


def _find_ends(plan: Plan, ends: str | None) -> tuple[str | None, str | None]:
    """Both NICs of a pair, if the plan contains them."""
    from wirespeed.benchmarks.endpoints.nics import list_nics
    from wirespeed.results.benchmarks import PAIR_ARROW

    source, arrow, target = (ends or "").partition(PAIR_ARROW)
    nic_names = {name for nic in list_nics(plan) for name in (str(nic), nic.port)}
    return (source, target) if arrow and {source, target} <= nic_names else (None, None)


def findings_exit(findings: Iterable[Finding], strict: bool) -> Exit:
    """Exit code of findings."""
    from wirespeed.results.findings import Status

    statuses = {finding.status for finding in findings}
    codes = [Exit.PASSED]
    if Status.FAIL in statuses or (strict and Status.WARN in statuses):
        codes.append(Exit.FAILED)
    if not statuses or statuses & {Status.UNKNOWN, Status.ERROR}:
        codes.append(Exit.INCOMPLETE)
    return Exit.worst(*codes)


def runs_exit(runs: Sequence[JudgedRun], strict: bool, relations: Sequence[Relation] = ()) -> Exit:
    """Exit code of judged runs and relative gates."""
    from wirespeed.results.benchmarks import RunStatus
    from wirespeed.results.verdicts import Judgement

    judgements = {verdict.judgement for run in runs for verdict in run.verdicts} | {
        relation.judgement for relation in relations
    }
    ended = {run.status for run in runs}
    codes = [Exit.PASSED]
    if Judgement.FAIL in judgements or RunStatus.FAILED in ended or (strict and Judgement.WARN in judgements):
        codes.append(Exit.FAILED)
    judged_runs = [run for run in runs if any(verdict.judgement is not Judgement.SKIP for verdict in run.verdicts)]
    is_unjudged = not judgements - {Judgement.SKIP} or any(_is_unjudged(run, judged_runs) for run in runs)
    if Judgement.UNKNOWN in judgements or RunStatus.TRUNCATED in ended or is_unjudged:
        codes.append(Exit.INCOMPLETE)
    return Exit.worst(*codes)


def _is_unjudged(run: JudgedRun, judged_runs: Sequence[JudgedRun]) -> bool:
    """Whether a run should have been judged and nothing of it is.

    What has no limit (latencies, staged copies) is information beside judged runs: latencies anywhere, the rest in the
    same log. A run without a value to judge is none beside a judged run of the same test.
    """
    from wirespeed.results.benchmarks import LATENCIES
    from wirespeed.results.verdicts import Judgement

    if any(verdict.judgement is not Judgement.SKIP for verdict in run.verdicts):
        return False
    bandwidths = [verdict for verdict in run.verdicts if verdict.measurement.metric not in LATENCIES]
    if any(verdict.physical is not None for verdict in bandwidths):
        return True
    neighbours = [judged for judged in judged_runs if judged.file == run.file]
    if not run.verdicts and any((judged.tool, judged.test) == (run.tool, run.test) for judged in neighbours):
        return True
    return not neighbours and (bool(bandwidths) or not run.verdicts)


def read_failure_titles(runs: Iterable[JudgedRun]) -> dict[str, str]:
    """The titles of the failures that are likely causes of failed runs, by id."""
    names = {failure for run in runs for failure in run.failures}
    if not names:
        return {}
    from wirespeed.catalogue import load

    failures_by_name = load().failures
    return {name: failures_by_name[name].title for name in names if name in failures_by_name}


def relations_exit(relations: Sequence[Relation]) -> Exit:
    """Exit code of relative gates."""
    from wirespeed.results.verdicts import Judgement

    judgements = {relation.judgement for relation in relations}
    if Judgement.FAIL in judgements:
        return Exit.FAILED
    return Exit.INCOMPLETE if Judgement.UNKNOWN in judgements else Exit.PASSED


def peers_exit(peers: Peers) -> Exit:
    """Exit code of a comparison of peers."""
    suspects = [suspect for matrix in peers.matrices for suspect in matrix.suspects]
    compared = any(cell.fraction is not None for matrix in peers.matrices for cell in matrix.cells)
    codes = [Exit.PASSED]
    if any(suspect.confirmed for suspect in suspects):
        codes.append(Exit.FAILED)
    if not compared or not all(suspect.confirmed for suspect in suspects):
        codes.append(Exit.INCOMPLETE)
    return Exit.worst(*codes)


def comparison_exit(comparison: Comparison) -> Exit:
    """Exit code of a comparison of campaigns."""
    from wirespeed.results.campaign_history import Difference
    from wirespeed.store.comparison import direction

    differences = {row.difference for row in comparison.series} | {
        joint.difference for joint in comparison.joint_changes
    }
    if Difference.WORSE in differences:
        return Exit.FAILED
    for row in comparison.series:
        worse = direction(row.series, row.a.median, row.b.median) is Difference.WORSE
        if row.difference is Difference.NOT_PROVEN and worse:
            return Exit.INCOMPLETE
    return Exit.PASSED if differences - {Difference.TOO_FEW_VALUES} else Exit.INCOMPLETE
