"""``wirespeed check``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli import flows
from wirespeed.cli.app import app
from wirespeed.cli.value_lists import SEPARATION, split_values

if TYPE_CHECKING:
    from wirespeed.checks import Check
    from wirespeed.facts import Facts
    from wirespeed.plan import Plan
    from wirespeed.results.findings import Finding, Status

SCHEMA = 2
_NAMED = 6  # maximum number of devices in one sentence
_SECONDS_LOCAL = 3.0  # limit per command: --local is a quick check


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"
    JUNIT = "junit"


@app.command(short_help="Compare collected device settings with the cluster file.")
def check(
    cluster: Annotated[
        Path | None, typer.Argument(metavar="[CLUSTER.yaml]", help="Cluster file; optional with --local.")
    ] = None,
    bundle: Annotated[
        Path | None,
        typer.Argument(
            metavar="[BUNDLE]", help="Bundle written by `wirespeed collect`: a folder or a .tar.gz archive."
        ),
    ] = None,
    local: Annotated[
        bool,
        typer.Option(
            "--local",
            allow_from_autoenv=False,
            help="Check this machine instead of a bundle. Without a cluster file, run only the checks that "
            "need no plan.",
        ),
    ] = False,
    since: Annotated[
        Path | None,
        typer.Option("--since", metavar="BUNDLE", help="Report counter increases since this earlier bundle."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as failures (exit code 1).")] = False,
    output: Annotated[
        Format, typer.Option("--format", "-f", envvar="WIRESPEED_CHECK_FORMAT", help="Output format.")
    ] = Format.TABLE,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="ID",
            help=f"Run only this check, such as nic.pcie-width, or all checks of a group: 'launch.*'. {SEPARATION}",
        ),
    ] = None,
    status: Annotated[
        list[str] | None,
        typer.Option(
            "--status",
            metavar="STATUS",
            help=f"Show only findings with this status: pass, warn, fail, unknown, skip or error. {SEPARATION}",
        ),
    ] = None,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose",
            help="If nothing was read from a device, list all its unknown findings. Default: print their number.",
        ),
    ] = False,
) -> None:
    """Compare the settings of devices, as collected in a bundle, with the settings that the cluster file plans.

    Exit code 1 when a check failed, 3 when none failed but something could not be read, 0 otherwise.
    `wirespeed explain ID` explains a check.

    Examples:

    \b
      wirespeed check cluster.yaml bundle.tar.gz --status fail,unknown
      wirespeed check cluster.yaml after.tar.gz --since before.tar.gz --only nic.rdma-losses
      sudo wirespeed check --local
    """
    from wirespeed.checks import run

    check_ids = split_values(only)
    chosen = _select_checks(check_ids)
    statuses = _parse_statuses(status)
    subject = _read_local(cluster, bundle) if local else _read_bundle(cluster, bundle)
    if since is not None:
        subject = _subtract_counters(subject, since)
    findings = run(subject.plan, subject.facts, chosen)
    code = flows.findings_exit(findings, strict)
    if local and cluster is None:
        findings = tuple(finding for finding in findings if finding.status != "skip")  # no intent without a plan
        named_ids = () if any(check_id.endswith(_OF_GROUP) for check_id in check_ids) else check_ids
        subject = replace(subject, notes=(*subject.notes, *_describe_unplanned(chosen, findings, named_ids)))
    selected = [finding for finding in findings if statuses is None or finding.status in statuses]
    if statuses is not None:
        note = _describe_selection(len(selected), findings, statuses, code)
        subject = replace(subject, notes=(*subject.notes, note))
    completed = flows.add_commands(subject.plan, selected) if cluster else selected
    _print_findings(subject, completed, findings, output, verbose, statuses)
    raise typer.Exit(code)


def _describe_unplanned(chosen: Sequence[Check], findings: Sequence[Finding], selected_ids: Sequence[str]) -> list[str]:
    """Describe which of the chosen checks ran without a cluster file."""
    applied = {finding.check for finding in findings}
    if not selected_ids:
        names = ", ".join(check.id for check in chosen if check.id in applied) or "none"
        return [
            f"{len(applied)} of {len(chosen)} checks were run: {names}",
            f"{len(chosen) - len(applied)} checks were not run: they need a cluster file, or concern devices that this "
            "machine lacks",
        ]
    return [
        f"{check.id} was not run: it needs a cluster file, or concerns devices that this machine lacks; "
        f"`wirespeed explain {check.id}` explains it"
        for check in chosen
        if check.id not in applied
    ]


def _describe_selection(count: int, findings: Sequence[Finding], statuses: frozenset[Status], code: int) -> str:
    """Describe which findings --status selects, and whether one that is not shown determines the exit code."""
    from wirespeed.report.ranking import counts

    names = " or ".join(sorted(statuses))
    text = f"{count:,} of {len(findings):,} findings are shown ({names})"
    if not count:
        text = f"no finding has the status {names} ({len(findings):,} findings)"
    hidden_counts = [
        f"{number:,} {status}"
        for status, number in counts(findings).items()
        if number and status in ("fail", "unknown", "error") and status not in statuses
    ]
    return f"{text}; not shown: {', '.join(hidden_counts)}; exit code {int(code)}" if hidden_counts else text


@dataclass(frozen=True, slots=True)
class _Subject:
    """Plan and facts to compare, the time of the facts, and notes for the reader."""

    plan: Plan
    facts: Facts
    recorded: str | None
    notes: tuple[str, ...] = ()


def _read_bundle(cluster: Path | None, bundle: Path | None) -> _Subject:
    from wirespeed.cluster.ranges import format_names
    from wirespeed.errors import refuse

    if cluster is None or bundle is None:
        missing = "cluster file and bundle are missing" if cluster is None else "the bundle is missing"
        hint = "`wirespeed check CLUSTER.yaml BUNDLE`; `wirespeed collect` writes a bundle"
        raise refuse("check", missing, hint=hint)
    if _is_bundle_name(cluster):
        raise refuse(str(cluster), "not a cluster file", hint="the order is CLUSTER.yaml BUNDLE")
    plan, evidence = flows.plan_cluster(cluster), flows.evidence(bundle)
    collected, wanted = evidence.facts.devices, plan.devices
    strangers = [name for name in collected if name not in wanted]
    if collected and len(strangers) == len(collected):
        raise refuse(
            str(bundle),
            f"the devices {format_names(strangers)}, none of them in {plan.name}",
            f"some of {format_names(list(wanted))}",
            "`wirespeed collect --name HOST` sets the name that the cluster file uses",
        )
    notes = []
    absent = [name for name in wanted if name not in collected]
    if len(strangers) > len(collected) - len(strangers):
        common = format_names([name for name in collected if name in wanted])
        notes.append(f"the bundle seems to be of another cluster: it has only {common} of {plan.name}")
    if strangers:
        notes.append(f"not in the cluster file, not checked: {format_names(strangers)}")
    if absent:
        notes.append(f"not in the bundle, all settings unknown: {format_names(absent)}")
    if not evidence.complete:
        notes.append(f"collection was interrupted, some settings are unknown: {bundle}")
    notes += flows.describe_missing_files(evidence, bundle)
    return _Subject(flows.locate(plan, evidence.facts), evidence.facts, evidence.recorded, tuple(notes))


def _is_bundle_name(path: Path) -> bool:
    """Whether the path of a cluster file names a bundle."""
    return path.is_dir() or path.name.endswith(".tar.gz")


def _subtract_counters(subject: _Subject, bundle: Path) -> _Subject:
    """The subject with counter increases since an earlier bundle."""
    from wirespeed.facts import subtract_counters

    earlier = flows.evidence(bundle)
    note = f"counter increases since {earlier.recorded or 'the earlier bundle'} ({bundle})"
    return replace(
        subject, facts=subtract_counters(subject.facts, earlier.facts, earlier.recorded), notes=(*subject.notes, note)
    )


def _read_local(cluster: Path | None, bundle: Path | None) -> _Subject:
    import tempfile

    from wirespeed.checks.baseline import baseline, describe_hosts
    from wirespeed.collect import collect_local
    from wirespeed.errors import format_first, refuse

    if bundle is not None:
        raise refuse("check", f"both --local and the bundle {bundle} are given", hint="omit one of them")
    if cluster is not None and _is_bundle_name(cluster):
        hint = f"omit --local: `wirespeed check CLUSTER.yaml {cluster}`"
        raise refuse(str(cluster), "a bundle", "a cluster file or nothing: --local checks this machine", hint)
    plan = None if cluster is None else flows.plan_cluster(cluster)
    with tempfile.TemporaryDirectory(prefix="wirespeed-") as folder:
        bundle_path = Path(folder) / "bundle"
        collect_local(bundle_path, limit_s=_SECONDS_LOCAL)
        evidence = flows.evidence(bundle_path)
    facts = evidence.facts
    if plan is None:
        return _Subject(baseline(facts), facts, evidence.recorded, describe_hosts(facts))
    names = [name for name in facts.devices if name in plan.hosts]
    if not names:
        host_names = ", ".join(facts.devices)
        raise refuse(
            str(cluster),
            f"no host named {host_names} (this machine)",
            f"one of {format_first(list(plan.hosts), _NAMED)}",
            "collect with `wirespeed collect --local --name HOST`, then check that bundle",
        )
    plan_of_host = replace(plan, hosts={name: plan.hosts[name] for name in names}, switches={})
    note = f"{', '.join(names)} of {plan.name}: switches and other hosts are not checked"
    return _Subject(flows.locate(plan_of_host, facts), facts, evidence.recorded, (note,))


def _select_checks(check_ids: Sequence[str]) -> list[Check]:
    from wirespeed.checks import checks
    from wirespeed.errors import Problem, Refusal, did_you_mean

    checks_by_id = checks()
    members: dict[str, list[str]] = {}
    for check_id in checks_by_id:
        members.setdefault(f"{check_id.partition('.')[0]}{_OF_GROUP}", []).append(check_id)
    unknown = [
        Problem(
            "--only",
            f"no group of checks named {check_id.removesuffix(_OF_GROUP)!r}"
            if check_id.endswith(_OF_GROUP)
            else f"no check named {check_id!r}",
            hint=f"'{check_id}{_OF_GROUP}' selects all checks of this group"
            if f"{check_id}{_OF_GROUP}" in members
            else did_you_mean(check_id, [*checks_by_id, *members]) or "`wirespeed list checks` lists them",
        )
        for check_id in check_ids
        if check_id not in checks_by_id and check_id not in members
    ]
    if unknown:
        raise Refusal(unknown)
    selected = {check_id for selector in check_ids for check_id in members.get(selector, [selector])}
    return [check for check_id, check in checks_by_id.items() if not check_ids or check_id in selected]


_OF_GROUP = ".*"
"""What follows the name of a group where all of its checks are meant."""


def _parse_statuses(texts: Sequence[str] | None) -> frozenset[Status] | None:
    from wirespeed.errors import Problem, Refusal, did_you_mean, format_choices
    from wirespeed.results.findings import Status

    if not texts:
        return None
    wording = split_values(texts)
    status_names = [status.value for status in Status]
    problems = [
        Problem(
            "--status",
            f"no status named {word!r}",
            format_choices(status_names),
            did_you_mean(word, status_names) or "separate several with commas: `--status fail,unknown`",
        )
        for word in wording
        if word not in status_names
    ]
    if problems:
        raise Refusal(problems)
    return frozenset(Status(word) for word in wording)


def _print_findings(
    subject: _Subject,
    findings: Sequence[Finding],
    counted: Sequence[Finding],
    output: Format,
    verbose: bool,
    statuses: frozenset[Status] | None,
) -> None:
    """Print findings, and the number of findings per status, including those that are not printed.

    A table lists findings that passed or were skipped only if ``statuses`` selects them.
    """
    from wirespeed.cli.console import standard_output

    if output is Format.TABLE:
        from rich.text import Text

        from wirespeed.report import terminal, wording

        for note in subject.notes:
            standard_output().print(Text(wording.line(note)))
        terminal.findings(findings, standard_output(), counted, verbose=verbose, statuses=statuses)
    elif output is Format.JSON:
        from wirespeed.report.ranking import counts
        from wirespeed.results.json import document

        text = document(
            "findings",
            SCHEMA,
            cluster=subject.plan.name,
            recorded=subject.recorded,
            notes=subject.notes,
            counts={status.value: count for status, count in counts(counted).items()},
            findings=findings,
        )
        typer.echo(text, nl=False)
    else:
        from wirespeed.report import junit
        from wirespeed.results.report import Report
        from wirespeed.results.topology import Topology

        report = Report(subject.plan.name, subject.recorded, Topology((), ()), tuple(findings), notes=subject.notes)
        typer.echo(junit.text(report, counted), nl=False)
