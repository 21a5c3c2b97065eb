"""``wirespeed report``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli import flows, nic_options
from wirespeed.cli.app import app
from wirespeed.cli.exit import Exit

if TYPE_CHECKING:
    from wirespeed.benchmarks.judge.limits import RunContext
    from wirespeed.benchmarks.judge.logs import JudgedLogs
    from wirespeed.benchmarks.judge.profile import Profile
    from wirespeed.errors import Problem
    from wirespeed.plan import Plan
    from wirespeed.results.findings import Finding
    from wirespeed.results.report import Input, Report


class Format(StrEnum):
    """Output formats."""

    HTML = "html"
    JSON = "json"
    JUNIT = "junit"
    PROMETHEUS = "prometheus"
    TICKET = "ticket"
    TERMINAL = "terminal"


@app.command(short_help="Report findings and performance of a cluster, or the results of simulations.")
def report(
    subjects: Annotated[
        list[Path],
        typer.Argument(
            metavar="CLUSTER.yaml|DIR...",
            help="Cluster file, or result folders of `sim run -o`, shown side by side.",
        ),
    ],
    bundle: Annotated[
        Path | None,
        typer.Option(
            "--bundle", metavar="BUNDLE", help="Bundle written by `wirespeed collect`; its findings are reported."
        ),
    ] = None,
    bench: Annotated[
        list[Path] | None,
        typer.Option(
            "--bench",
            metavar="FILE",
            help="Benchmark log or result folder of `bench run` to judge and plot. Can be repeated.",
        ),
    ] = None,
    source: Annotated[str | None, nic_options.source_option("report")] = None,
    target: Annotated[str | None, nic_options.target_option("report")] = None,
    ranks: Annotated[int | None, nic_options.ranks_option()] = None,
    nodes: Annotated[int | None, nic_options.nodes_option()] = None,
    result: Annotated[
        list[Path] | None,
        typer.Option(
            "--result",
            metavar="FILE.json",
            help="JSON output of `bench peers`, `bench compare` or `bench history` to plot. Can be repeated.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Output file. Default: standard output."),
    ] = None,
    format: Annotated[
        Format | None,
        typer.Option(
            "--format",
            "-f",
            help="Output format. Default: by the file name of --output (.html, .json, .xml, .prom, .md, "
            ".txt), else terminal.",
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            metavar="NAME|FILE",
            help="Acceptance profile: a name, such as strict, or the path of a profile file. "
            "`wirespeed list profiles` lists them, `wirespeed schema profile` shows the keys of a file.",
        ),
    ] = None,
    png: Annotated[
        Path | None,
        typer.Option("--png", metavar="DIR", help="Write every chart of a simulation as a PNG file to this folder."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as failures (exit code 1).")] = False,
) -> None:
    """Report findings, fixes and performance against limits of a cluster, or the results of simulations.

    The HTML report is a single file that needs no network. `--format ticket` is one page of Markdown: measured values,
    physical limits, findings, and the next commands. `--format prometheus` is for the textfile collector of the
    Prometheus node exporter: write it to a temporary file, then rename it into the collector directory.

    A log of a point-to-point test that does not name its NICs needs --from and --to. A log of a parallel job that does
    not contain the number of ranks or of hosts needs --ranks or --nodes.

    --result adds the JSON output of `bench peers`, `bench compare` or `bench history`.

    The exit code is the first of 2, 1, 3, 0 among the exit codes of `check`, `bench judge`, `bench peers` and
    `bench compare` for these inputs; 3 when there is neither a bundle nor a benchmark result.

    For a simulation the report shows PFC pauses, rates, queue depths and ECN marks over time, a network map with a time
    slider, flow completion times relative to the ideal time, and the slowest flows. Charts over time need a run with
    `sim run --series all`. Exit code 1 when a flow failed, 3 when the run was interrupted.

    Examples:

    \b
      wirespeed report cluster.yaml --bundle bundle.tar.gz --bench all_reduce.log -o report.html
      wirespeed bench peers matrix/ --cluster cluster.yaml --format json > peers.json
      wirespeed report cluster.yaml --bench all_reduce.log --result peers.json -o report.html
      wirespeed report cluster.yaml --bench write_bw.log --from node1:bnxt_re0 --to node2:bnxt_re4 -o ticket.md
      wirespeed report out/dcqcn out/line-rate -o both.html --png pictures
    """
    if png is not None or any(path.is_dir() for path in subjects):
        from wirespeed.cli import simulation_report

        style = format or _find_format(output)
        cluster_options = {
            "--bundle": bundle,
            "--bench": bench,
            "--from": source,
            "--to": target,
            "--ranks": ranks,
            "--nodes": nodes,
            "--result": result,
            "--profile": profile,
            "--strict": strict,
        }
        given_options = {option: bool(value) for option, value in cluster_options.items()}
        raise typer.Exit(simulation_report.report(subjects, style.value, output, png, given_options))
    cluster = _cluster_file(subjects)
    from wirespeed.benchmarks.judge.limits import RunContext

    plan = flows.plan_cluster(cluster)
    judged_logs = _judge_logs(
        plan, bench or [], flows.read_profile(profile), RunContext(source, target, ranks=ranks, nodes=nodes)
    )
    content = _add_results(_build_report(plan, cluster, bundle, judged_logs), result or [])
    _write_report(content, format or _find_format(output), output)
    raise typer.Exit(_find_exit_code(content, bundle, strict))


def _cluster_file(subjects: Sequence[Path]) -> Path:
    """The only subject, which must be a cluster file.

    Raises:
        Refusal: several subjects are given, there is none, or the subject is a log.
    """
    from wirespeed.cli.usage import path_hint
    from wirespeed.errors import refuse

    if len(subjects) > 1:
        hint = f"benchmark logs and bundles need an option: `wirespeed report {subjects[0]} --bench {subjects[1]}`"
        expected = "one cluster file, or result folders of `sim run -o`"
        raise refuse(str(subjects[1]), "more than one file", expected, hint)
    if subjects[0].suffix in _LOG_SUFFIXES:
        hint = f"`wirespeed report CLUSTER.yaml --bench {subjects[0]}` reports a benchmark log"
        raise refuse(str(subjects[0]), "a log", "a cluster file, or result folders of `sim run -o`", hint)
    if not subjects[0].exists():
        expected = "a cluster file, or result folders of `sim run -o`"
        raise refuse(str(subjects[0]), "no such file or folder", expected, path_hint(str(subjects[0])))
    return subjects[0]


_LOG_SUFFIXES = (".log", ".txt", ".out")


@dataclass(frozen=True, slots=True)
class _JudgedLogs:
    """The judged runs of benchmark logs, each log with its number of runs, and notes on what was left out."""

    judged: JudgedLogs
    inputs: tuple[Input, ...]
    notes: tuple[str, ...]


def _judge_logs(plan: Plan, logs: Sequence[Path], profile: Profile | None, context: RunContext) -> _JudgedLogs:
    """Judge the runs of logs; ``context`` is what the user states of them.

    Raises:
        Refusal: an option is given without a log or changes nothing, a NIC does not exist, or a log cannot be read.
    """
    from wirespeed.benchmarks.judge.stated_options import list_stated_options
    from wirespeed.cli.console import show_hints
    from wirespeed.cli.log_files import log_files
    from wirespeed.errors import refuse
    from wirespeed.results.report import Input

    for option in list_stated_options(context) if not logs else ():
        raise refuse(option, "no benchmark log is given", hint=f"give a log with --bench LOG, or omit {option}")
    files = {log: list(log_files([str(log)])) for log in logs}
    judged, notices, skipped = flows.judge_logs(
        plan, [file for named in files.values() for file in named], context, profile
    )
    show_hints(judged.hints)
    inputs = []
    for log, log_files_of_name in files.items():
        names = {file.name for file in log_files_of_name}
        count = sum(run.file in names for run in judged.runs)
        inputs.append(Input(str(log), f"benchmark log, {count} run{'' if count == 1 else 's'}"))
    notes = tuple(f"left out: {_format_sentence(notice)}" for notice in (*notices, *skipped))
    return _JudgedLogs(judged, tuple(inputs), notes)


def _build_report(plan: Plan, cluster: Path, bundle: Path | None, logs: _JudgedLogs) -> Report:
    from wirespeed.cli.topology import build_topology
    from wirespeed.results.report import ComputedNumber, Input, Report

    inputs = [Input(str(cluster), "the cluster file")]
    recorded: str | None = None
    findings: tuple[Finding, ...] = ()
    if bundle is not None:
        recorded, findings, bundle_input = _check_bundle(plan, bundle)
        inputs.append(bundle_input)
    return Report(
        cluster=plan.name,
        recorded=recorded,
        topology=build_topology(plan),
        findings=findings,
        runs=logs.judged.runs,
        relations=logs.judged.relations,
        computed=tuple(
            ComputedNumber(row.name, row.value, row.formula, row.source, row.compared) for row in plan.computed
        ),
        summary=tuple(_summarize_plan(plan)),
        inputs=(*inputs, *logs.inputs),
        notes=(*(_format_sentence(warning) for warning in plan.warnings), *logs.notes),
    )


def _add_results(content: Report, files: Sequence[Path]) -> Report:
    """Add the JSON output of other commands to the report.

    Raises:
        Refusal: a file is not a document of these commands.
    """
    from wirespeed.input_files import read_text_input
    from wirespeed.results import documents
    from wirespeed.results.campaign_history import Comparison, History
    from wirespeed.results.peers import Peers
    from wirespeed.results.report import Input

    results = [documents.read(read_text_input(file), str(file)) for file in files]
    names = {Peers: "peers", Comparison: "a comparison", History: "a history"}
    return replace(
        content,
        peers=tuple(document for document in results if isinstance(document, Peers)),
        comparisons=tuple(document for document in results if isinstance(document, Comparison)),
        histories=tuple(document for document in results if isinstance(document, History)),
        inputs=(
            *content.inputs,
            *(Input(str(f), names[type(document)]) for f, document in zip(files, results, strict=True)),
        ),
    )


def _check_bundle(plan: Plan, bundle: Path) -> tuple[str | None, tuple[Finding, ...], Input]:
    from wirespeed.checks import run
    from wirespeed.results.report import Input

    evidence = flows.evidence(bundle)
    located = flows.locate(plan, evidence.facts)
    findings = flows.add_commands(located, run(located, evidence.facts))
    devices = len(evidence.facts.devices)
    detail = f"bundle of {devices} device{'' if devices == 1 else 's'}, written by {evidence.tool}"
    if evidence.missing_files:
        detail += f"; {len(evidence.missing_files):,} of its output files cannot be read: their settings are unknown"
    return evidence.recorded, findings, Input(str(bundle), detail)


def _summarize_plan(plan: Plan) -> Iterator[tuple[str, str]]:
    """Summarize the cluster in a few rows."""
    hosts = Counter(
        (host.model, host.os, tuple(Counter(nic.model for nic in host.nics.values()).items()))
        for host in plan.hosts.values()
    )
    for (model, system, nics), count in hosts.items():
        with_nics = ", ".join(f"{number} × {nic}" for nic, number in nics)
        yield "hosts", f"{count:,} × {model}, {system}, each with {with_nics}"
    for (role, model, system), count in Counter(
        (plan.roles[name], switch.model, switch.os) for name, switch in plan.switches.items()
    ).items():
        yield role, f"{count:,} × {model}, {system}"
    for speed, count in Counter(str(cable.speed) for cable in plan.cables).items():
        yield "cables", f"{count:,} at {speed}"
    for name, kind in plan.classes.items():
        points = _format_ranges(sorted(map(int, kind.dscp))) if kind.dscp else "all others"
        scheduling = "strict priority" if kind.strict else f"DWRR {kind.share} %"
        lossless = "lossless" if kind.lossless else "lossy"
        yield f"class {name}", f"DSCP {points}; priority {kind.priority}; {lossless}; {scheduling}"


def _format_ranges(numbers: Sequence[int]) -> str:
    """``0-25, 27`` for sorted numbers."""
    runs = groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])
    spans = [[number for _, number in run] for _, run in runs]
    return ", ".join(str(span[0]) if len(span) == 1 else f"{span[0]}-{span[-1]}" for span in spans)


def _format_sentence(problem: Problem) -> str:
    return f"{problem.location}: {problem.statement}"


def _find_format(output: Path | None) -> Format:
    """The output format for a file name.

    Raises:
        Refusal: the name has an unknown extension.
    """
    from wirespeed.errors import refuse

    suffixes = {
        ".html": Format.HTML,
        ".htm": Format.HTML,
        ".json": Format.JSON,
        ".xml": Format.JUNIT,
        ".prom": Format.PROMETHEUS,
        ".md": Format.TICKET,
        ".txt": Format.TERMINAL,
    }
    if output is None:
        return Format.TERMINAL
    if output.suffix.lower() not in suffixes:
        hint = f"use a name that ends in {', '.join(suffixes)}, or add --format"
        raise refuse("--output", f"no format for the name {output}", hint=hint)
    return suffixes[output.suffix.lower()]


def _write_report(content: Report, style: Format, output: Path | None) -> None:
    if output is None:
        if style is Format.TERMINAL:
            from wirespeed.cli.console import standard_output
            from wirespeed.report import terminal

            terminal.report(content, standard_output(), flows.read_failure_titles(content.runs))
        else:
            typer.echo(_format_report(content, style), nl=False)
        return
    output.write_text(_format_report(content, style), encoding="utf-8", newline="\n")
    from wirespeed.cli.console import err
    from wirespeed.report import terminal

    terminal.summary(content, err())
    typer.echo(output)


def _format_report(content: Report, style: Format) -> str:
    from wirespeed.report import html, json, junit, prometheus, terminal, ticket

    match style:
        case Format.HTML:
            return html.page(content, flows.read_failure_titles(content.runs))
        case Format.JSON:
            return json.text(content)
        case Format.JUNIT:
            return junit.text(content)
        case Format.PROMETHEUS:
            return prometheus.text(content)
        case Format.TICKET:
            return ticket.text(content)
        case Format.TERMINAL:
            return terminal.text(content, flows.read_failure_titles(content.runs))


def _find_exit_code(content: Report, bundle: Path | None, strict: bool) -> Exit:
    codes = []
    if bundle is not None:
        codes.append(flows.findings_exit(content.findings, strict))
    if content.runs:
        codes.append(flows.runs_exit(content.runs, strict, content.relations))
    codes += [flows.peers_exit(peers) for peers in content.peers]
    codes += [flows.comparison_exit(comparison) for comparison in content.comparisons]
    codes += [Exit.PASSED if history.series else Exit.INCOMPLETE for history in content.histories]
    if not codes:
        from wirespeed.cli.console import err

        note = "note: exit code 3: nothing was checked or judged (no --bundle, --bench or --result)"
        err().print(note, markup=False, soft_wrap=True)
        return Exit.INCOMPLETE
    return Exit.worst(*codes)
