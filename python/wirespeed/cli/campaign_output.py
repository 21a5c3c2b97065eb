"""Output of ``wirespeed bench run``: planned commands, load, and outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from wirespeed.benchmarks.run import CampaignResult, Folder, GradeOptions, Request
    from wirespeed.reach import Reach
    from wirespeed.results.campaign import Campaign, Step
    from wirespeed.results.mesh import Mesh
    from wirespeed.results.verdicts import Relation

SCHEMA = 3


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"


def show(campaign: Campaign, reach: Reach, parallel: int, path: Sequence[str]) -> None:
    """Print every command in execution order, ready to paste; a server before its client.

    Runs that start at the same time are a group: they share no NIC, link or host.
    """
    from wirespeed.benchmarks.run import schedule
    from wirespeed.reach import Call

    typer.echo(f"# {load(campaign, parallel)}")
    for note in campaign.notes:
        typer.echo(f"# {note}")
    if path:
        typer.echo(f"# folders searched first for programs: {', '.join(path)}")
    stages: dict[int, dict[float, list[Step]]] = {}
    for start_s, step in schedule(campaign.steps, campaign.holds, parallel):
        stages.setdefault(step.stage, {}).setdefault(start_s, []).append(step)
    for stage, groups in stages.items():
        order = _format_order(groups)
        typer.echo(f"\n# stage {stage + 1}{order}")
        for number, (start_s, steps) in enumerate(groups.items(), 1):
            if len(groups) > 1 and order != _SEQUENTIAL:
                start = f", after about {time(start_s - min(groups))}" if number > 1 else ""
                typer.echo(f"\n# group {number}{start}: {_count_simultaneous(steps)}")
            for step in steps:
                typer.echo(f"\n# {step.test}: {fold_ends(step.ends)}, about {time(step.seconds)}")
                for command, remark in ((step.server, "  # server"), (step.client, "")):
                    if command is not None:
                        call = Call(command.host, command.arguments, step.limit_s, command.environment)
                        typer.echo(f"{reach.command_text(call)}{remark}")


_SEQUENTIAL = ": one run after the other"


def _format_order(groups: Mapping[float, Sequence[Step]]) -> str:
    """Which runs of a stage are concurrent; ``groups``: the runs by their start in seconds. Empty for a single run."""
    runs = [(start_s, step) for start_s, steps in groups.items() for step in steps]
    if len(runs) < 2:
        return ""
    if len(groups) == 1:
        return f": {_count_simultaneous([step for _, step in runs])}"
    if all(end[0] >= start[0] + start[1].seconds for start, end in pairwise(runs)):
        return _SEQUENTIAL
    number = f"{count(len(runs), 'run')} in {len(groups):,} groups"
    return f": {number}; each run starts when its NICs, links and hosts are free"


def _count_simultaneous(steps: Sequence[Step]) -> str:
    """``8 runs at the same time``, ``1 run``."""
    return f"{count(len(steps), 'run')}{' at the same time' if len(steps) > 1 else ''}"


def load(campaign: Campaign, parallel: int) -> str:
    """The load of a campaign in one sentence."""
    from wirespeed.benchmarks.run import duration

    hosts = {command.host for step in campaign.steps for command in (step.client, step.server) if command}
    # A parallel program is started on one of its hosts, and uses all.
    hosts |= {used[5:] for step in campaign.steps for used in step.uses if used.startswith("host ")}
    nics = {name for step in campaign.steps for name in (step.source, step.target) if name}
    scope_text = f"{len(nics):,} NICs of {count(len(hosts), 'host')}" if nics else count(len(hosts), "host")
    runs = count(len(campaign.steps), "run")
    likely = duration(campaign.steps, campaign.holds, parallel)
    heading = f"{campaign.suite} on {campaign.cluster}: {runs} on {scope_text}, about {time(likely)}"
    if len(campaign.steps) > parallel:
        return f"{heading} in total, at most {count(parallel, 'run')} at a time (--parallel)"
    overlap = sum(step.seconds for step in campaign.steps) > 1.5 * likely
    return f"{heading} in total, some runs at the same time" if overlap else heading


def fold_ends(ends: str) -> str:
    """The ends of a step for people: hosts of a job as a node range, ``node[1-4]``."""
    from wirespeed.cluster.ranges import fold_names

    names = ends.split(", ")
    return fold_names(names) if len(names) > 1 and len(set(names)) == len(names) else ends


def count(number: int, noun: str) -> str:
    """``1 host``, ``4,096 hosts``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def time(seconds: float) -> str:
    """``2 h 05 min``, ``3 min 20 s``, ``45 s``."""
    whole = max(1, round(seconds))
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60:02} min"
    return f"{whole // 60} min {whole % 60:02} s" if whole >= 60 else f"{whole} s"


def judge_relations(request: Request, folder: Folder, bar: GradeOptions) -> tuple[Relation, ...]:
    """Apply the profile's relative gates to the runs of a campaign."""
    from wirespeed.cli import flows
    from wirespeed.cli.campaign_folder import list_logs

    if bar.profile is None or not bar.profile.relative_gates or not request.plan.hosts:
        return ()
    return flows.judge_logs(request.plan, list_logs(folder.path), None, bar.profile, bar.observed)[0].relations


def print_outcome(
    request: Request, folder: Folder, result: CampaignResult, form: Format, relations: Sequence[Relation] = ()
) -> None:
    """Print the outcome, and write it to the folder."""
    from dataclasses import replace

    from wirespeed.benchmarks.run import read_mesh
    from wirespeed.cli.console import err, standard_output
    from wirespeed.report import campaign as report
    from wirespeed.report.mesh import matrix
    from wirespeed.report.relations import table as compared
    from wirespeed.results.json import document

    campaign = folder.campaign
    rows = [
        {"step": step.id, "test": step.test, "ends": step.ends, "attempt": result.latest.get(step.id)}
        for step in result.steps
    ]
    text = document(
        "bench-run",
        SCHEMA,
        id=campaign.id,
        suite=campaign.suite,
        cluster=campaign.cluster,
        label=campaign.label,
        started=campaign.started,
        complete=result.complete,
        notes=campaign.notes,
        steps=rows,
        suspects=result.suspects,
        relations=relations,
    )
    mesh = read_mesh(request, folder, result)
    try:
        (folder.path / "summary.json").write_text(text, encoding="utf-8")
        if mesh is not None:
            (folder.path / "mesh.json").write_text(mesh_text(mesh, campaign), encoding="utf-8")
    finally:
        if form is Format.JSON:
            typer.echo(text, nl=False)
        else:
            steps = [replace(step, ends=fold_ends(step.ends)) for step in result.steps]
            suspects = [replace(suspect, name=fold_ends(suspect.name)) for suspect in result.suspects]
            report.table(steps, result.latest, suspects, standard_output())
            compared(relations, standard_output())
            if mesh is not None:
                matrix(mesh, standard_output())
    if not result.complete:
        err().print(f"interrupted: --resume continues the run in {folder.path}", markup=False, soft_wrap=True)


def mesh_text(mesh: Mesh, campaign: Campaign) -> str:
    """Format the whole matrix: a text for each NIC as source, a sign for each as target."""
    from wirespeed.results.json import document

    return document(
        "bench-mesh",
        SCHEMA,
        id=campaign.id,
        cluster=campaign.cluster,
        signs={".": "good", "x": "bad", "?": "unknown", " ": "no route"},
        nics=mesh.nics,
        rows={aspect: mesh.rows(aspect) for aspect in mesh.aspects},
        causes=mesh.causes,
        carried=mesh.carried,
        not_good=mesh.not_good(),
    )
