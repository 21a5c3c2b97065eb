"""The mesh of a campaign: the grade of every pair of NICs, and its planned route compared with the kernel's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from wirespeed.benchmarks.endpoints.fabric import Endpoint, Fabric
from wirespeed.benchmarks.run.mesh.causes import causes
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import PAIR_ARROW, Metric, Run
from wirespeed.results.campaign import Grade
from wirespeed.results.mesh import ASPECTS, Cell, Mesh
from wirespeed.results.parameters import MeshPair
from wirespeed.settings import Host, split_route_name

_NOT_INSTALLED = 127
_ROUTE_FIELDS = ("via", "dev", "table")


def mesh(plan: Plan, fabric: Fabric, runs: Iterable[Run], aspects: tuple[str, ...] = ASPECTS) -> Mesh:
    """Grade every pair of NICs of different hosts in the same fabric, and find the causes of bad pairs."""
    endpoints = {endpoint.name: endpoint for endpoint in fabric.endpoints}
    grades: dict[tuple[str, str], dict[str, Grade]] = {}
    messages: dict[tuple[str, str], dict[str, str]] = {}
    small: dict[tuple[str, str], bool] = {}
    for source in fabric.endpoints:
        for target in fabric.endpoints:
            if source.host != target.host and source.fabric == target.fabric:
                grades[source.name, target.name] = dict.fromkeys(aspects, Grade.UNKNOWN)
    for run in runs:
        for (source_name, target_name), reply in _read_replies(run).items():
            if (source_name, target_name) not in grades:
                continue
            pairs = [(source_name, target_name)]
            if run.test == "ping":
                gradings = _grade_ping(reply)
                gradings["route"] = _grade_route(plan, endpoints[source_name], endpoints[target_name], reply)
                if reply.pair.small_packet_exit_code is not None:
                    small[source_name, target_name] = reply.pair.small_packet_exit_code == 0
            else:
                gradings = {"rdma": _grade_rdma(reply)}
                pairs.append((target_name, source_name))  # an exchange uses both directions
            for pair in pairs:
                for aspect, (grade, message) in gradings.items():
                    grades[pair][aspect] = grade
                    if message:
                        messages.setdefault(pair, {})[aspect] = message
    cells = {
        pair: Cell(
            *pair, pair_grades, tuple(f"{a}: {text}" for a, text in messages.get(pair, {}).items()), small.get(pair)
        )
        for pair, pair_grades in grades.items()
    }
    return Mesh(tuple(endpoints), cells, aspects, causes(plan, fabric, cells))


def grade_step(plan: Plan, fabric: Fabric, runs: tuple[Run, ...]) -> tuple[Grade, str]:
    """Grade one step of a mesh over all its pairs, with a summary."""
    pairs = [pair for run in runs for pair in _read_replies(run)]
    whole = mesh(plan, fabric, runs)
    aspects = ("ping", "route") if all(run.test == "ping" for run in runs) else ("rdma",)
    grades = [whole.cells[pair].grades[aspect] for pair in pairs if pair in whole.cells for aspect in aspects]
    expected = sum(run.parameters.pairs or 0 for run in runs) * len(aspects)
    good, bad = grades.count(Grade.GOOD), grades.count(Grade.BAD)
    summary = f"{good} of {expected} good" + (f", {bad} bad" if bad else "")
    first = next((cell for pair in pairs if (cell := whole.cells.get(pair)) and cell.details), None)
    if first is not None:
        summary += f"; {first.source} -> {first.target} {first.details[0]}"
    if bad:
        return Grade.BAD, summary
    return (Grade.GOOD if good == expected and expected else Grade.UNKNOWN), summary


@dataclass(frozen=True, slots=True)
class _Reply:
    """The content of a run for one pair: the output of its commands, and its numbers by metric."""

    pair: MeshPair
    numbers: Mapping[Metric, float | int]


_Grading = tuple[Grade, str | None]


def _read_replies(run: Run) -> dict[tuple[str, str], _Reply]:
    numbers: dict[str, dict[Metric, float | int]] = {}
    for measurement in run.measurements:
        numbers.setdefault(measurement.label or "", {})[measurement.metric] = measurement.value
    replies = {}
    for name, pair in run.parameters.mesh_pairs.items():
        source, _, target = name.partition(PAIR_ARROW)
        replies[source, target] = _Reply(pair, numbers.get(name, {}))
    return replies


def _grade_ping(reply: _Reply) -> dict[str, _Grading]:
    """Good if all pings were answered. Without a summary of ping, nothing was sent."""
    lost_packets, message, code = reply.numbers.get(Metric.LOST), reply.pair.message, reply.pair.exit_code
    if code == _NOT_INSTALLED:
        return {"ping": (Grade.UNKNOWN, "ping is not installed")}
    if lost_packets == 0 and code == 0:
        return {"ping": (Grade.GOOD, None)}
    if lost_packets is None and not message:
        return {"ping": (Grade.UNKNOWN, "no summary in what ping printed")}
    small = {None: "", 0: "; small packets come back"}.get(reply.pair.small_packet_exit_code, "; small packets neither")
    return {"ping": (Grade.BAD, (message or f"{lost_packets} packets lost") + small)}


def _grade_rdma(reply: _Reply) -> _Grading:
    code = reply.pair.exit_code
    if code == _NOT_INSTALLED:
        return Grade.UNKNOWN, "ib_send_lat is not installed"
    if code == 0 and Metric.LATENCY_TYPICAL in reply.numbers:
        return Grade.GOOD, None
    if code == 0:
        return Grade.UNKNOWN, "no row in what ib_send_lat printed"
    return Grade.BAD, reply.pair.message or f"exit code {code}"


def _grade_route(plan: Plan, source: Endpoint, target: Endpoint, reply: _Reply) -> _Grading:
    """Compare the kernel's route with the planned one, as far as both are known."""
    wanted = find_route(plan.hosts[source.host], source, target)
    printed = reply.pair.route
    if printed is None:
        return Grade.UNKNOWN, "no route was printed"
    words = printed.split()
    kernel = {name: words[position + 1] for position, name in enumerate(words[:-1]) if name in _ROUTE_FIELDS}
    if wanted is None:
        return Grade.UNKNOWN, "no route is planned"
    planned = dict(zip(_ROUTE_FIELDS, wanted, strict=True))
    if printed.startswith("none: "):
        return Grade.BAD, f"planned {_format_route(planned)}, found {printed}"
    differs = [name for name, value in planned.items() if (kernel.get(name) or None) != value]
    # The kernel prints no table for a route of the main table.
    if not differs or (differs == ["table"] and wanted[2] == "254" and "table" not in kernel):
        return Grade.GOOD, None
    return Grade.BAD, f"planned {_format_route(planned)}, found {_format_route(kernel)}"


def _format_route(route: Mapping[str, str | None]) -> str:
    return " ".join(f"{name} {route[name]}" for name in _ROUTE_FIELDS if route.get(name)) or "none"


def find_route(host: Host, source: Endpoint, target: Endpoint) -> tuple[str | None, str | None, str | None] | None:
    """Gateway, device and table of the planned route: the longest prefix in the table of the source's rule.

    None if no route is planned. A subnet of the interface is reached without a gateway.
    """
    address = ip_address(source.address)
    rule = host.rules.get(f"from {source.address}/{address.max_prefixlen}")
    table = rule.table if rule is not None else None
    routes = []
    for key, route in host.routes.items():
        number, destination = split_route_name(key)
        prefix = ip_network("::/0" if address.version == 6 else "0.0.0.0/0") if destination == "default" else None
        prefix = prefix or ip_network(destination)
        if table is not None and int(number) == table and ip_address(target.address) in prefix:
            routes.append((prefix.prefixlen, route))
    if not routes:
        return None
    route = max(routes, key=lambda route: route[0])[1]
    return route.gateway or None, route.device, str(table)
