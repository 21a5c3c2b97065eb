"""The summary of a simulation in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from wirespeed.report import wording
from wirespeed.report.simulation.axes import bytes_unit
from wirespeed.results.congested_ports import CongestedPort
from wirespeed.results.simulation_types import Summary

_FAULTS = 20
"""Maximum number of listed faults; summary.json contains all."""

_PORTS = 3
"""Maximum number of listed congested ports."""


def summary(
    run: Summary, console: Console, congested: Sequence[CongestedPort] = (), ack_timeouts: int | None = None
) -> None:
    """Print flows, completion times, congested ports, and the resources of the run. Lines are never wrapped."""
    title = Text.assemble((wording.line(run.name), "bold"), f"  preset {run.preset}, seed {run.seed}")
    if not run.complete:
        title.append("  interrupted", style="bold yellow")
    console.print(title, soft_wrap=True)
    lines = list(rows(run, congested, ack_timeouts))
    width = max(len(name) for name, _ in lines)
    previous = ""
    for name, text in lines:
        label = name if name != previous else ""
        console.print(Text.assemble((f"  {label:{width}}  ", "dim"), text), soft_wrap=True)
        previous = name


def rows(
    run: Summary, congested: Sequence[CongestedPort] = (), ack_timeouts: int | None = None
) -> Iterator[tuple[str, Text | str]]:
    """The rows of the summary: label and text. ``ack_timeouts``: those of all queue pairs; None without tables."""
    if run.source:
        source = run.source
        files = f"{source.cluster} {source.cluster_sha256[:12]}, {source.traffic} {source.traffic_sha256[:12]}"
        yield "plan", wording.line(f"{files}, catalogue {source.catalogue}")
    yield from (("fault", Text(fault, style="yellow")) for fault in faults(run, _FAULTS))
    yield "congestion", ", ".join(run.congestion)
    yield "flows", _format_flows(run)
    if run.fct_us:
        names = ("min", "mean", "p50", "p99", "max")
        times = "   ".join(f"{name} {_format_microseconds(getattr(run.fct_us, name))}" for name in names)
        yield "completion time", f"{times} µs"
    yield "simulated time", f"{_format_microseconds(run.end_us)} µs"
    counts = f"{run.hops:,} data and ACK, {run.pfc_frames:,} PFC, {run.cnp_frames:,} CNP"
    yield "frames", f"{counts} (a frame counts once on each link of its path)"
    first = "" if run.first_pause_us is None else f", first pause at {_format_microseconds(run.first_pause_us)} µs"
    yield "PFC", f"{wording.plural(run.pfc_pauses, 'pause')}, {wording.plural(run.pfc_resumes, 'resume')}{first}"
    yield "ECN", f"{wording.plural(run.ecn_marks, 'packet')} marked, {wording.plural(run.cnps, 'CNP')} received"
    yield from congestion(congested)
    yield "loss", _format_loss(run, ack_timeouts)
    if run.watchdog_stuck:
        yield "PFC watchdog", _format_watchdog(run)
    for circle in run.deadlocks:
        yield "deadlock", Text(circle, style="bold red")
    yield "tables SHA-256", f"{run.tables_sha256[:12]}… (equal tables have an equal SHA-256; --series changes it)"
    yield from (("assumed", wording.line(entry)) for entry in run.assumed)
    # Values that differ between machines come last.
    yield "run time", f"{_format_seconds(run.run_s)} for {run.events:,} events, {rate(run.hops, run.run_s)}"
    yield "set-up time", _format_seconds(run.setup_s)
    yield "memory", f"{_format_memory(run.peak_rss_bytes)} peak, {_format_memory(run.rss_growth_bytes)} for this run"


def faults(run: Summary, limit: int) -> Iterator[str]:
    """Numbered faults with place and time; faults beyond ``limit`` are counted."""
    yield from (_format_fault(run, number) for number in range(min(len(run.faults), limit)))
    if len(run.faults) > limit:
        yield f"{len(run.faults) - limit:,} more"


def _format_fault(run: Summary, number: int) -> str:
    fault = run.faults[number]
    setting = f": {fault.setting}" if fault.setting else ""
    end = "" if fault.until_us is None else f" to {_format_microseconds(fault.until_us)} µs"
    if fault.start_us:
        start = f", from {_format_microseconds(fault.start_us)} µs"
    else:
        start = ", from the beginning" if end else ""
    return wording.line(f"{number + 1}: {fault.kind} at {fault.place}{setting}{start}{end}")


def congestion(ports: Sequence[CongestedPort]) -> Iterator[tuple[str, Text | str]]:
    """The switch ports with the deepest queues; apart from them those that only wait for the next device."""
    unit = bytes_unit(max((port.max_queue_bytes for port in ports), default=0))  # of the queue charts, too
    yield from _list_ports("most congested", [port for port in ports if not port.is_held], unit)
    yield from _list_ports("held by pauses", [port for port in ports if port.is_held], unit)


def _list_ports(label: str, ports: Sequence[CongestedPort], unit: tuple[str, float]) -> Iterator[tuple[str, str]]:
    """The first ports, and the number of others."""
    for port in ports[:_PORTS]:
        queue = f"max queue {_format_size(port.max_queue_bytes, unit)}"
        marks = wording.plural(port.ecn_marks, "packet") + " marked"
        dropped = f", {wording.plural(port.drops, 'drop')}" if port.drops else ""
        paused = f", paused {_format_microseconds(port.paused_us)} µs" if port.paused_us else ""
        text = f"{port.port} → {port.peer}: {queue}, {marks}{paused}{dropped}"
        yield label, wording.line(text)
    if len(ports) > _PORTS:
        other_ports = ports[_PORTS:]
        deepest, shallowest = (_format_size(port.max_queue_bytes, unit) for port in (other_ports[0], other_ports[-1]))
        queues = f"max queue {shallowest} to {deepest}"
        yield label, f"{wording.plural(len(other_ports), 'more port')}: {queues}"


def _format_size(queue_bytes: int, unit: tuple[str, float]) -> str:
    return f"{wording.number(queue_bytes / unit[1])} {unit[0]}"


def rate(hops: int, run_s: float) -> str:
    """Simulated hops, frames on a link, per second of run time."""
    return f"{hops / run_s / 1e6:.2f} million frames/s" if run_s else "0 frames/s"


def _format_flows(run: Summary) -> Text:
    text = Text(f"{run.completed:,} of {run.flows:,} completed")
    if run.failed:
        text.append(f", {run.failed:,} failed", style="bold red")
    if run.unfinished:
        text.append(f", {run.unfinished:,} in progress when the run was stopped", style="yellow")
    return text


def _format_loss(run: Summary, ack_timeouts: int | None) -> Text:
    lost_packets = run.drops + run.losses
    trimmed = f"{wording.plural(run.trims, 'trim')}, " if run.trims else ""
    timeouts = "" if ack_timeouts is None else f", {wording.plural(ack_timeouts, 'ACK timeout')}"
    text = (
        f"{wording.plural(run.drops, 'drop')}{_format_drop_causes(run)}, {trimmed}{run.losses:,} lost on faulty links, "
        f"{wording.plural(run.retransmissions, 'retransmission')}{timeouts}"
    )
    return Text(text, style="yellow" if lost_packets or run.retransmissions or ack_timeouts else "")


def _format_drop_causes(run: Summary) -> str:
    """The causes of all drops."""
    causes = (
        (run.unroutable, "no route"),
        (run.port_down_drops, "port down"),
        (run.drops - run.unroutable - run.port_down_drops, "buffer full"),
    )
    named = ", ".join(f"{count:,} {cause}" for count, cause in causes if count)
    return f" ({named})" if named else ""


def _format_watchdog(run: Summary) -> Text:
    text = (
        f"{wording.plural(run.watchdog_stuck, 'queue')} stuck, {run.watchdog_recovered:,} recovered, "
        f"{wording.plural(run.watchdog_drops, 'frame')} dropped"
    )
    return Text(text, style="yellow")


def _format_microseconds(value: float) -> str:
    return f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"


def _format_seconds(value: float) -> str:
    """A run time."""
    if value >= 1:
        return f"{value:.2f} s"
    return f"{value * 1e3:.1f} ms" if value >= 1e-3 else f"{value * 1e6:.0f} µs"


def _format_memory(size: int | None) -> str:
    return "unknown" if size is None else f"{size / 1e6:.0f} MB"
