"""``wirespeed sim run``: one scenario through the simulator."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.exit import Exit
from wirespeed.cli.sim_app import sim

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from wirespeed.results.simulation import Summary
    from wirespeed.simulation import Folder, Observe, Progress, Result
    from wirespeed.simulation.from_plan import Planned
    from wirespeed.units import Duration


class Format(StrEnum):
    """How the summary is printed."""

    TABLE = "table"
    JSON = "json"


class Preset(StrEnum):
    """What all devices are set to where the scenario does not say."""

    HPCC = "hpcc"
    ROCE = "roce"


@sim.command(short_help="Run one scenario.")
def run(
    scenario: Annotated[
        Path,
        typer.Argument(
            metavar="SCENARIO.json|CLUSTER.yaml", help="Nodes, links and flows; or a cluster file, with --traffic."
        ),
    ],
    traffic: Annotated[
        Path | None,
        typer.Option(
            "--traffic", "-t", metavar="TRAFFIC.yaml", help="What is sent over the cluster of a cluster file."
        ),
    ] = None,
    write_scenario: Annotated[
        Path | None,
        typer.Option(
            "--write-scenario", metavar="FILE", help="Also write the scenario made of a cluster file, as JSON."
        ),
    ] = None,
    preset: Annotated[
        Preset,
        typer.Option(
            "--preset",
            help="What devices are set to: roce, real RoCEv2 with its usual defaults; hpcc, as the HPCC paper's ns-3.",
        ),
    ] = Preset.ROCE,
    seed: Annotated[
        int, typer.Option("--seed", metavar="NUMBER", min=0, max=2**64 - 1, help="Seed of every chance.")
    ] = 1,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            metavar="NUMBER",
            min=1,
            help="At most so many threads; by itself all processors. The result is the same.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Write the tables (Parquet), summary.json and the capture here."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an earlier result in DIR, and a FILE of --write-scenario.")
    ] = False,
    series: Annotated[
        list[str] | None,
        typer.Option(
            "--series",
            metavar="WHAT",
            help="Sample over time, for report: all, or switches, hosts, flows; or port:PORT, what its queues hold, "
            "sent and marked, and its paused priorities; or flow:NUMBER, its rate. Several with commas, or the option "
            "again. At most 10,000,000 rows: above, every second sample goes.",
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until", metavar="TIME", help="End at this simulated time, such as 5ms, whatever is still on its way."
        ),
    ] = None,
    interval: Annotated[
        str | None,
        typer.Option(
            "--interval",
            metavar="TIME",
            help="How often --series samples, such as 500ns or 1ms; 1us if not given, and twice that each time "
            "there are more than 2,000 samples.",
        ),
    ] = None,
    pcap: Annotated[
        list[str] | None,
        typer.Option(
            "--pcap",
            metavar="PORT",
            help="Capture the frames in and out of a port to DIR/PORT.pcap. Several with commas, or the option again.",
        ),
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", envvar="WIRESPEED_SIM_RUN_FORMAT", help="How to print the summary.")
    ] = Format.TABLE,
) -> None:
    """Run one scenario packet by packet, to its last acknowledgement, and print what it amounts to.

    A scenario is JSON. Hosts are numbered from 0, switches after them; 16-0 names the port of node 16 that faces
    node 0, 16-0.1 the second where several cables join the two, and 0 the only port of a host that has one:

    \b
      {"name": "incast", "hosts": 3, "switches": 1, "link_gbps": 100,
       "link_delay_ns": 1000, "links": [[0, 3], [1, 3], [2, 3]],
       "flows": [{"src": 0, "dst": 2, "bytes": 1048576, "start_ns": 0},
                 {"src": 1, "dst": 2, "bytes": 1048576, "start_ns": 0}]}

    A cluster file is simulated as `render` writes it: every switch, NIC and class with the values that its platform can
    say. Ports have their names, leaf1:Ethernet1/1; what neither the file nor the catalogue says is listed as assumed.
    What is sent says a second file (`wirespeed schema --traffic` has every key):

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
      faults:   # optional: what goes wrong meanwhile, or is wrong from the beginning
        - {kind: link-down, node: spine1, start: 500 us, detection: 10 us, convergence: 200 us}
        - {kind: stuck-nic, port: node1:enp29s0np0, start: 1 ms, until: 2 ms}
        - {kind: wrong-setting, node: leaf1, setting: port.qos.pfc, value: []}

    Faults of cables are link-down, bit-errors, frame-loss, pfc-loss, cnp-loss and miswired; of NICs stuck-nic,
    slow-receiver and cnp-delay. A wrong-setting gives one device or port another value than planned, by the name that
    a finding of `wirespeed check` has for the setting: port.qos.pfc, queue.ecn.minimum, nic.nvm.relaxed_ordering,
    pcie.max_payload. One that the simulator does not know is refused with the list of all that it does. A host pipe
    says of NICs what no plan does, and counts where a PCIe slot may be slower than its port.

    The same scenario, preset and seed give the same tables on every machine; tables_sha256 in the summary says whether
    two runs did. In DIR, flows, queue pairs, ports, queues, pauses and series are a Parquet file each. Ctrl-C ends the
    run and keeps what happened by then, marked as not complete; a second one leaves at once.

    Exit code 1 when a flow failed or nothing can complete it any more, 2 when the scenario cannot run, 130 when
    interrupted.

    Examples:

    \b
      wirespeed sim run incast.json
      wirespeed sim run incast.json --preset hpcc --seed 7 --format json
      wirespeed sim run incast.json -o out --series port:3-2,flow:0 --interval 1us
      wirespeed sim run incast.json -o out --pcap 3-2,0
      wirespeed sim run incast.json -o out --series all && wirespeed report out -o incast.html
      wirespeed sim run cluster.yaml -t incast.yaml -o out --series port:leaf1:Eth1/1
      wirespeed sim run cluster.yaml -t incast.yaml --write-scenario incast.json
    """
    from wirespeed import simulation
    from wirespeed.cli.interrupt import interruptible

    observe, end = _asked(_several(series), interval, _several(pcap), until, output)
    planned = _planned(scenario, traffic, preset, seed, write_scenario, force)
    with ExitStack() as stack:
        folder = stack.enter_context(simulation.prepare(output, force=force)) if output else None
        interrupted = stack.enter_context(interruptible())
        result = _run(scenario, planned, preset, seed, observe, end, threads, folder, interrupted)
        _keep(result, folder, output, form)
    raise typer.Exit(_exit(result.summary))


def _planned(
    file: Path, traffic: Path | None, preset: Preset, seed: int, write_scenario: Path | None, force: bool
) -> Planned | None:
    """The scenario made of a cluster file; None where the file is a scenario itself.

    Raises:
        Refused: an option does not go with the file, or the cluster or its traffic is impossible.
    """
    from wirespeed.errors import Problem, Refused

    of_plan = not _is_json(file)
    problems: list[Problem] = []
    if of_plan and traffic is None:
        problems.append(Problem(str(file), "a cluster file alone", "--traffic FILE too", "a scenario is JSON"))
    if of_plan and preset is not Preset.ROCE:
        problems.append(
            Problem("--preset", preset.value, "roce with a cluster file, whose devices are set by its plan")
        )
    for option, given in (("--traffic", traffic), ("--write-scenario", write_scenario)):
        if given is not None and not of_plan:
            problems.append(
                Problem(option, f"the scenario {file}", "a cluster file", "a scenario says its own traffic")
            )
    if write_scenario is not None and write_scenario.exists():
        inputs = [one for one in (file, traffic) if one is not None and one.exists()]
        if any(write_scenario.samefile(one) for one in inputs):
            problems.append(Problem("--write-scenario", f"{write_scenario}, which is read", "another file"))
        elif not force:
            hint = "--force replaces it"
            problems.append(Problem("--write-scenario", f"{write_scenario}, which is there", "a new file", hint))
    if problems:
        raise Refused(problems)
    if traffic is None or not of_plan:
        return None
    from wirespeed.cli.console import show_problems
    from wirespeed.cluster import read
    from wirespeed.plan import build
    from wirespeed.render import simulator_mappings
    from wirespeed.simulation.from_plan import planned

    plan = build(read(file))
    show_problems(plan.warnings, "warning")
    found = planned(file, plan, traffic, seed, simulator_mappings())
    if write_scenario is not None:
        new = write_scenario.with_name(f".{write_scenario.name}.new")
        new.write_text(found.scenario.text, encoding="utf-8")
        new.replace(write_scenario)  # whole or not at all
    return found


def _is_json(file: Path) -> bool:
    """Whether the file is a scenario by its form: JSON's object. What cannot be read is refused by its reader."""
    try:
        with file.open("rb") as opened:
            begin = opened.read(4096)
    except OSError:
        return file.suffix != ".yaml"
    return begin.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[", b"")


def _several(texts: list[str] | None) -> tuple[str, ...]:
    """Words of an option that takes several at once and may be repeated."""
    return tuple(what.strip() for text in texts or () for what in text.split(","))


def _asked(
    series: tuple[str, ...], interval: str | None, pcap: tuple[str, ...], until: str | None, output: Path | None
) -> tuple[Observe, Duration | None]:
    """What to record and when to end, as far as it can be told without the scenario.

    Raises:
        Refused: a time is none, or there is no folder to record into.
    """
    from wirespeed.errors import Problem, Refused
    from wirespeed.simulation import Observe
    from wirespeed.units import Duration

    problems: list[Problem] = []
    times: dict[str, Duration] = {}
    for option, text in (("--interval", interval), ("--until", until)):
        try:
            if text is not None:
                times[option] = Duration.parse(text)
        except ValueError as error:
            problems.append(Problem(option, str(error), "a time such as 10us"))
    if output is None:
        for option, given in (("--series", series), ("--pcap", pcap)):
            if given:
                problems.append(Problem(option, "no folder to write to", "--output DIR too"))
    if problems:
        raise Refused(problems)
    return Observe(series=series, interval=times.get("--interval"), captures=pcap), times.get("--until")


def _run(
    scenario: Path,
    planned: Planned | None,
    preset: Preset,
    seed: int,
    observe: Observe,
    until: Duration | None,
    threads: int | None,
    folder: Folder | None,
    interrupted: Callable[[], bool],
) -> Result:
    """The run, with its progress on standard error."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    from wirespeed import simulation
    from wirespeed.cli.console import err

    columns = (TextColumn("simulating"), BarColumn(), TaskProgressColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=err(), transient=True, disable=not err().is_terminal) as bar:
        task = bar.add_task("", total=None)

        def tell(progress: simulation.Progress) -> bool:
            _show_progress(bar, task, progress)
            return not interrupted()

        create = folder.create if folder else None
        return simulation.run(
            scenario,
            preset.value,
            seed,
            observe,
            planned=planned,
            until=until,
            create=create,
            threads=threads,
            on_progress=tell,
        )


def _show_progress(bar: Bar, task: TaskID, progress: Progress) -> None:
    from wirespeed.report.simulation.terminal import rate

    done = f"{progress.completed:,} of {progress.operations:,} flows"
    said = f"{done}, {progress.now} simulated, {rate(progress.hops, progress.run_s)}"
    bar.update(task, total=progress.bytes, completed=progress.delivered_bytes, description=said)


def _keep(result: Result, folder: Folder | None, output: Path | None, form: Format) -> None:
    """Write the result and print the summary, which is seen even when the disk is full."""
    from wirespeed.cli.console import err, out
    from wirespeed.report.simulation import terminal as report
    from wirespeed.results.simulation import to_json

    try:
        if folder is not None:
            folder.write(result)
    finally:
        if form is Format.JSON:
            typer.echo(to_json(result.summary), nl=False)
        else:
            report.summary(result.summary, out())
    if result.alone:
        err().print(f"on one thread: {result.alone}", markup=False, soft_wrap=True)
    if not result.summary.complete:
        kept = f"what happened by then is in {output}" if output else "the summary is of what happened by then"
        err().print(f"interrupted: {kept}", markup=False, soft_wrap=True)
    elif output and form is Format.TABLE:
        err().print(f"tables in {output}", markup=False, soft_wrap=True)


def _exit(summary: Summary) -> Exit:
    if not summary.complete:
        return Exit.INTERRUPTED
    return Exit.FAILED if summary.failed or summary.deadlocks else Exit.PASSED
