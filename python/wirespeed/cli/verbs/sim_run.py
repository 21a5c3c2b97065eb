"""``wirespeed sim run``: simulate one scenario."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.exit import Exit
from wirespeed.cli.sim_app import sim
from wirespeed.cli.value_lists import SEPARATION, split_values

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from wirespeed.errors import Problem
    from wirespeed.results.simulation_types import Summary
    from wirespeed.simulation import Folder, Progress, Recording, Result
    from wirespeed.simulation.planned_scenario import PlannedScenario
    from wirespeed.units import Duration


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"


class Preset(StrEnum):
    """Default settings of all devices, for values that the scenario does not contain."""

    HPCC = "hpcc"
    ROCE = "roce"


@sim.command(short_help="Simulate one scenario and print a summary.")
def run(
    scenario: Annotated[
        Path,
        typer.Argument(
            metavar="SCENARIO.json|CLUSTER.yaml",
            help="Scenario file (nodes, links, flows), or a cluster file with --traffic.",
        ),
    ],
    traffic: Annotated[
        Path | None,
        typer.Option(
            "--traffic",
            "-t",
            metavar="TRAFFIC.yaml",
            help="Traffic file: the flows to simulate on the cluster of a cluster file.",
        ),
    ] = None,
    write_scenario: Annotated[
        Path | None,
        typer.Option(
            "--write-scenario", metavar="FILE", help="Also write the scenario generated from the cluster file, as JSON."
        ),
    ] = None,
    preset: Annotated[
        Preset,
        typer.Option(
            "--preset",
            help="Default device parameters: roce (RoCEv2 with common vendor defaults) or hpcc (ns-3 model "
            "of the HPCC paper).",
        ),
    ] = Preset.ROCE,
    seed: Annotated[int, typer.Option("--seed", metavar="NUMBER", min=0, max=2**64 - 1, help="Random seed.")] = 1,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            metavar="NUMBER",
            min=1,
            help="Maximum number of threads. Default: all cores. The result does not depend on it.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Output folder for tables (Parquet), summary.json and captures."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite an earlier result in DIR and the FILE of --write-scenario.")
    ] = False,
    series: Annotated[
        list[str] | None,
        typer.Option(
            "--series",
            metavar="WHAT",
            help="Time series to record, needed for charts in `report`: all, switches, hosts, flows, "
            "port:PORT (queue depth, bytes sent and marked, paused priorities) or flow:N (rate). "
            f"{SEPARATION} At most 10,000,000 rows; above, every second sample is dropped.",
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="TIME", help="Stop at this simulated time, such as 5ms."),
    ] = None,
    interval: Annotated[
        str | None,
        typer.Option(
            "--interval",
            metavar="TIME",
            help="Sampling interval of --series, such as 500ns or 1ms. Default: 1us, doubled whenever "
            "there are more than 2,000 samples.",
        ),
    ] = None,
    pcap: Annotated[
        list[str] | None,
        typer.Option(
            "--pcap",
            metavar="PORT",
            help=f"Capture the frames sent and received by this port to DIR/PORT.pcap. {SEPARATION}",
        ),
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", "-f", envvar="WIRESPEED_SIM_RUN_FORMAT", help="Output format.")
    ] = Format.TABLE,
) -> None:
    """Simulate one scenario packet by packet until all flows are acknowledged, and print a summary.

    A scenario is JSON. Hosts are numbered from 0, switches follow. Ports: NODE:PEER, such as 16:0 for the port of node
    16 to node 0; 16:0.1 for the second parallel link; NODE for a host with a single port.

    \b
      {"name": "incast", "hosts": 3, "switches": 1, "link_gbps": 100,
       "link_delay_ns": 1000, "links": [[0, 3], [1, 3], [2, 3]],
       "flows": [{"src": 0, "dst": 2, "bytes": 1048576, "start_ns": 0},
                 {"src": 1, "dst": 2, "bytes": 1048576, "start_ns": 0}]}

    A cluster file is simulated with the values that `render` writes for every switch, NIC and class. Ports have the
    names of the plan, such as leaf1:Ethernet1/1. Values that neither the cluster file nor the catalogue contains are
    listed as assumed. A second file describes the traffic (`wirespeed schema traffic` lists all keys):

    \b
      version: 1
      traffic:
        - {pattern: incast, to: node1, size: 1 MiB, rails: [1]}
        - {pattern: permutation, size: 256 KiB, messages: 10, start: 20 us}
        - {pattern: pairs, from: "node[1-2]", to: "node[3-4]", size: 4 MiB}
        - {pattern: all-to-all, hosts: "node[1-3]", size: 64 KiB, queue_pairs: 4}
        - {pattern: background, from: node2:enp29s0np0, to: node3, protocol: tcp,
           size: 64 KiB, rate: 40 Gb/s, until: 1 ms}
      host_pipe: {receive_buffer: 256 KiB, tags: 64, round_trip: 700 ns}   # optional
      faults:   # optional
        - {kind: link-down, node: spine1, start: 500 us, detection: 10 us, convergence: 200 us}
        - {kind: stuck-nic, port: node1:enp29s0np0, start: 1 ms, until: 2 ms}
        - {kind: wrong-setting, node: leaf1, setting: port.qos.pfc, value: []}

    Faults of cables: link-down, bit-errors, frame-loss, pfc-loss, cnp-loss, miswired. Faults of NICs: stuck-nic,
    slow-receiver, cnp-delay. wrong-setting changes one setting of a device or port; the name of the setting is one of
    `wirespeed list settings`, such as port.qos.pfc, queue.ecn.minimum, nic.nvm.relaxed_ordering or
    pcie.max_payload. host_pipe models the PCIe path of a NIC (receive buffer, tags, round trip); it matters when the
    PCIe slot is slower than the port.

    The congestion control is `congestion` of the class in the cluster file, or parameters.congestion.algorithm of the
    scenario; `wirespeed sim compare --algorithm` runs one scenario with several. The simulator's name can differ: the
    dcqcn-p of some NICs is simulated as dcqcn-nvidia. The line `congestion` prints the name to give to --algorithm.

    The same scenario, preset, seed and --series give the same tables on every machine; compare tables_sha256 in the
    summaries. DIR contains a Parquet file each for flows, queue pairs, ports, queues, pauses and series. Ctrl-C stops
    the run and saves a partial result; a second Ctrl-C exits immediately.

    Exit code 1 when a flow failed or can no longer complete, 2 when the scenario is refused, 130 when interrupted.

    Examples:

    \b
      wirespeed sim run incast.json
      wirespeed sim run incast.json --preset hpcc --seed 7 --format json
      wirespeed sim run incast.json -o out --series port:3:2,flow:0 --interval 1us
      wirespeed sim run incast.json -o out --pcap 3:2,0
      wirespeed sim run incast.json -o out --series all && wirespeed report out -o incast.html
      wirespeed sim run cluster.yaml -t incast.yaml -o out --series port:leaf1:Eth1/1
      wirespeed sim run cluster.yaml -t incast.yaml --write-scenario incast.json
    """
    from wirespeed import simulation
    from wirespeed.cli.interrupt import interruptible

    observe, end = _parse_recording(split_values(series), interval, split_values(pcap), until, output)
    planned = _build_scenario(scenario, traffic, preset, seed, write_scenario, force)
    with ExitStack() as stack:
        folder = stack.enter_context(simulation.prepare(output, force=force)) if output else None
        interrupted = stack.enter_context(interruptible())
        result = _run_scenario(scenario, planned, preset, seed, observe, end, threads, folder, interrupted)
        _write_result(result, folder, output, form)
    raise typer.Exit(_find_exit_code(result.summary))


def _build_scenario(
    file: Path, traffic: Path | None, preset: Preset, seed: int, write_scenario: Path | None, force: bool
) -> PlannedScenario | None:
    """Build the scenario of a cluster file; None if the file is already a scenario.

    Raises:
        Refusal: an option does not apply to the file, or the cluster or its traffic is impossible.
    """
    from wirespeed.errors import Problem, Refusal

    if file.is_dir():
        raise Refusal([describe_folder(file)])
    of_plan = not is_json(file)
    problems: list[Problem] = []
    if of_plan and (traffic is None or _has_key(file, b"traffic")):
        problems.append(describe_missing_traffic(file, traffic))
    if of_plan and preset is not Preset.ROCE:
        problems.append(
            Problem(
                "--preset",
                f"{preset.value} does not apply to a cluster file; its plan sets the devices",
                hint="omit it",
            )
        )
    for option, value in (("--traffic", traffic), ("--write-scenario", write_scenario)):
        if value is not None and not of_plan:
            problems.append(
                Problem(
                    option, f"does not apply to the scenario {file}, which contains its flows", hint=f"omit {option}"
                )
            )
    if write_scenario is not None and write_scenario.exists():
        inputs = [path for path in (file, traffic) if path is not None and path.exists()]
        if any(write_scenario.samefile(path) for path in inputs):
            problems.append(
                Problem("--write-scenario", f"{write_scenario} is an input of this run", hint="give another file")
            )
        elif not force:
            hint = "--force overwrites it"
            problems.append(Problem("--write-scenario", f"{write_scenario} exists", hint=hint))
    if problems:
        raise Refusal(problems)
    if traffic is None or not of_plan:
        return None
    from wirespeed.cli import flows
    from wirespeed.render import simulator_mappings
    from wirespeed.simulation.planned_scenario import plan_scenario

    plan = flows.plan_cluster(file)
    planned = plan_scenario(file, plan, traffic, seed, simulator_mappings())
    if write_scenario is not None:
        new = write_scenario.with_name(f".{write_scenario.name}.new")
        new.write_text(planned.scenario.text, encoding="utf-8")
        new.replace(write_scenario)  # replaces the file atomically
    return planned


def describe_missing_traffic(file: Path, traffic: Path | None = None) -> Problem:
    """The problem without a cluster file and --traffic: no such file, a traffic file, or the option is missing."""
    from wirespeed.cli.usage import path_hint
    from wirespeed.errors import Problem

    if not file.exists():
        return Problem(str(file), "no such file", "a cluster file or a scenario", path_hint(str(file)))
    if _has_key(file, b"traffic"):
        hint = f"`wirespeed sim run {traffic or 'CLUSTER.yaml'} --traffic {file}`"
        return Problem(str(file), "a traffic file", "a cluster file", hint)
    if not _has_key(file, rb"\w+"):
        return Problem(str(file), "text without YAML keys", "a cluster file (.yaml) or a scenario (.json)")
    return Problem(str(file), "--traffic is missing", hint="`wirespeed sim run --help` shows a traffic file")


def describe_folder(folder: Path) -> Problem:
    """The problem of a folder instead of a file."""
    from wirespeed.errors import Problem

    expected = "a cluster file or a scenario"
    if (folder / "summary.json").exists():
        hint = f"`wirespeed report {folder}` shows the result"
        return Problem(str(folder), "a result folder", expected, hint)
    return Problem(str(folder), "a folder", expected)


def _has_key(file: Path, pattern: bytes) -> bool:
    """Whether a YAML file has such a key at its left margin. Unreadable files are refused by their reader."""
    from wirespeed.input_files import read_input

    try:
        return re.search(rb"^%b\s*:(\s|$)" % pattern, read_input(file), re.MULTILINE) is not None
    except OSError:
        return True


def is_json(file: Path) -> bool:
    """Whether the file begins like JSON and therefore is a scenario. Unreadable files are refused by their reader.

    Raises:
        Refusal: the path is a device.
    """
    from wirespeed.input_files import require_file

    try:
        require_file(file)
        with file.open("rb") as opened:
            begin = opened.read(4096)
    except OSError:
        return file.suffix != ".yaml"
    return begin.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[", b"")


def _parse_recording(
    series: tuple[str, ...], interval: str | None, pcap: tuple[str, ...], end_time: str | None, output: Path | None
) -> tuple[Recording, Duration | None]:
    """What to record and when to end, by the options.

    Raises:
        Refusal: a time is invalid, or no output folder is given.
    """
    from wirespeed.errors import Problem, Refusal
    from wirespeed.simulation import Recording
    from wirespeed.units import Duration

    problems: list[Problem] = []
    times: dict[str, Duration] = {}
    for option, text in (("--interval", interval), ("--until", end_time)):
        if text is None:
            continue
        try:
            times[option] = Duration.parse(text)
        except ValueError:
            problems.append(describe_time_problem(option, text))
    if output is None:
        for option, values in (("--series", series), ("--pcap", pcap)):
            if values:
                problems.append(Problem(option, "needs an output folder", hint="add --output DIR"))
    if problems:
        raise Refusal(problems)
    return Recording(series=series, interval=times.get("--interval"), captures=pcap), times.get("--until")


def describe_time_problem(option: str, text: str) -> Problem:
    """The problem of a text that is not a time."""
    from wirespeed.errors import Problem

    example = f"{text}us" if text.isascii() and text.isdigit() else "10us"
    return Problem(option, repr(text), f"a time with its unit (ns, us, ms or s), such as {example}")


def _run_scenario(
    scenario: Path,
    planned: PlannedScenario | None,
    preset: Preset,
    seed: int,
    observe: Recording,
    end_time: Duration | None,
    threads: int | None,
    folder: Folder | None,
    interrupted: Callable[[], bool],
) -> Result:
    """Run the scenario, with progress on standard error."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    from wirespeed import simulation
    from wirespeed.cli.console import err

    columns = (TextColumn("simulating"), BarColumn(), TaskProgressColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=err(), transient=True, disable=not err().is_terminal) as bar:
        task = bar.add_task("", total=None)

        def report_progress(progress: simulation.Progress) -> bool:
            _show_progress(bar, task, progress)
            return not interrupted()

        create = folder.create if folder else None
        return simulation.run(
            scenario,
            preset.value,
            seed,
            observe,
            planned=planned,
            end_time=end_time,
            create=create,
            threads=threads,
            on_progress=report_progress,
        )


def _show_progress(bar: Bar, task: TaskID, progress: Progress) -> None:
    from wirespeed.report.simulation.terminal import rate

    flows_done = f"{progress.completed:,} of {progress.operations:,} flows"
    description = f"{flows_done}, {progress.time} simulated, {rate(progress.hops, progress.run_s)}"
    bar.update(task, total=progress.bytes, completed=progress.delivered_bytes, description=description)


def _write_result(result: Result, folder: Folder | None, output: Path | None, form: Format) -> None:
    """Write the result and print the summary, which is printed even if the disk is full."""
    from wirespeed.cli.console import err, standard_output
    from wirespeed.report.simulation import terminal as report
    from wirespeed.results.simulation import to_json
    from wirespeed.simulation.ack_timeouts import count_ack_timeouts
    from wirespeed.simulation.congested_ports import find_congested_ports

    try:
        if folder is not None:
            folder.write(result)
    finally:
        if form is Format.JSON:
            typer.echo(to_json(result.summary), nl=False)
        else:
            congested, timeouts = find_congested_ports(result), count_ack_timeouts(result)
            report.summary(result.summary, standard_output(), congested, timeouts)
    if result.serial_reason:
        err().print(f"run on one thread: {result.serial_reason}", markup=False, soft_wrap=True)
    if not result.summary.complete:
        result_text = f"partial result in {output}" if output else "the summary covers the simulated part"
        err().print(f"interrupted: {result_text}", markup=False, soft_wrap=True)
    elif output and form is Format.TABLE:
        err().print(f"tables in {output}", markup=False, soft_wrap=True)


def _find_exit_code(summary: Summary) -> Exit:
    if not summary.complete:
        return Exit.INTERRUPTED
    return Exit.FAILED if summary.failed or summary.deadlocks else Exit.PASSED
