"""``wirespeed plan``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wirespeed.cli.app import app

if TYPE_CHECKING:
    from wirespeed.plan import Plan

SCHEMA = 1


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


@app.command(short_help="Show hosts, addresses, cables, traffic classes, headroom and ECN thresholds.")
def plan(
    cluster: Annotated[Path, typer.Argument(metavar="CLUSTER.yaml", help="Cluster file.")],
    hosts: Annotated[
        bool, typer.Option("--hosts", help="Show hosts with their NICs, rails, RDMA devices and GPUs.")
    ] = False,
    addresses: Annotated[
        bool, typer.Option("--addresses", help="Show the address, gateway and routing table of every NIC.")
    ] = False,
    cables: Annotated[
        bool, typer.Option("--cables", help="Show cables. With --format csv: a cabling file for the cluster file.")
    ] = False,
    classes: Annotated[
        bool,
        typer.Option(
            "--classes",
            help="Show traffic classes: DSCP, priority, traffic class, queue and priority group on NICs and switches.",
        ),
    ] = False,
    computed: Annotated[
        bool,
        typer.Option(
            "--computed",
            help="Show computed values (PFC headroom, ECN thresholds, watchdog times) with formula and source.",
        ),
    ] = False,
    fabric: Annotated[
        bool, typer.Option("--fabric", help="Show oversubscription per tier and the bisection bandwidth.")
    ] = False,
    labels: Annotated[
        bool, typer.Option("--labels", help="Show the text of the label for each end of every cable.")
    ] = False,
    bill: Annotated[
        bool, typer.Option("--bom", help="Show the bill of materials: number of cables per model, speed and length.")
    ] = (False),
    picture: Annotated[
        Path | None, typer.Option("--picture", metavar="FILE.svg", help="Write the topology as an SVG picture.")
    ] = None,
    output: Annotated[
        Format,
        typer.Option("--format", "-f", envvar="WIRESPEED_PLAN_FORMAT", help="Output format. csv prints a single part."),
    ] = Format.TABLE,
) -> None:
    """Show the planned cluster: hosts, addresses, cables, traffic classes, fabric, headroom and ECN thresholds.

    Without options all parts except the cable labels are shown.

    Examples:

    \b
      wirespeed plan cluster.yaml --addresses
      wirespeed plan cluster.yaml --classes --computed
      wirespeed plan cluster.yaml --cables --format csv > cables.csv
      wirespeed plan cluster.yaml --picture topology.svg
    """
    from wirespeed.cli.console import show_problems
    from wirespeed.cluster import read
    from wirespeed.plan import build

    given = (hosts, addresses, cables, classes, fabric, bill, computed, labels)
    wanted = [name for name, on in zip(_PARTS, given, strict=True) if on]
    if not wanted and picture is None:
        wanted = [name for name in _PARTS if name != "labels"]
    found = build(read(cluster))
    show_problems(found.warnings, "warning")
    if picture is not None:
        _picture(found, picture)
    rows = {name: part for one in wanted for name, part in _PARTS[one](found).items()}
    if not wanted:
        return
    if output is Format.CSV:
        _csv(rows)
    elif output is Format.JSON:
        _json(found, rows)
    else:
        _tables(rows)


Rows = list[dict[str, Any]]


def _hosts(plan: Plan) -> Rows:
    return [
        {
            "host": name,
            "interface": interface,
            "rail": nic.rail,
            "rdma device": nic.rdma_device,
            "pcie": nic.pcie,
            "gpu": nic.gpu,
            "mtu": nic.link.mtu,
            "model": nic.model,
        }
        for name, host in plan.hosts.items()
        for interface, nic in host.nics.items()
    ]


def _addresses(plan: Plan) -> Rows:
    return [
        {
            "host": name,
            "interface": interface,
            "address": ", ".join(nic.addresses or ()),
            "gateway": next(
                (
                    route.gateway
                    for key, route in host.routes.items()
                    if route.device == interface and key.endswith((" default", " ::/0"))
                ),
                None,
            ),
            "table": next((key.split()[0] for key, route in host.routes.items() if route.device == interface), None),
        }
        for name, host in plan.hosts.items()
        for interface, nic in host.nics.items()
    ]


def _cables(plan: Plan) -> Rows:
    from wirespeed.plan.cable_plan import numbers, tier_of

    return [
        {
            "a_device": cable.a.device,
            "a_port": cable.a.port,
            "b_device": cable.b.device,
            "b_port": cable.b.port,
            "length": str(cable.length) if cable.length is not None else None,
            "speed": str(cable.speed),
            "rail": cable.rail,
            "cable": cable.cable,
            "tier": tier_of(plan, cable),
            "number": number,
        }
        for cable, number in numbers(plan).items()
    ]


def _labels(plan: Plan) -> Rows:
    from wirespeed.plan.cable_plan import labels

    return [
        {
            "number": label.number,
            "device": label.near.device,
            "port": label.near.port,
            **dict(zip(("line1", "line2", "line3"), label.lines, strict=True)),
        }
        for label in labels(plan)
    ]


def _bill(plan: Plan) -> Rows:
    from wirespeed.plan.cable_plan import bill

    return [
        {
            "cable": item.cable,
            "speed": str(item.speed),
            "length": None if item.length is None else str(item.length),
            "tier": item.tier,
            "count": item.count,
            "total length": None if item.total is None else str(item.total),
        }
        for item in bill(plan)
    ]


def _fabric(plan: Plan) -> Rows:
    from wirespeed.limits.bisection import tiers

    return [
        {
            "tier": tier.role,
            "switches": tier.switches,
            "downlinks": str(tier.down),
            "uplinks": str(tier.up) if tier.up else None,
            "oversubscription": None if tier.oversubscription is None else f"{float(tier.oversubscription):.3g}:1",
        }
        for tier in tiers(plan)
    ]


def _bisection(plan: Plan) -> Rows:
    from wirespeed.limits.bisection import bisection

    found = bisection(plan)
    if found is None:
        return []
    return [
        {
            "bisection bandwidth": str(found.bandwidth),
            "of full bisection": f"{100 * found.bandwidth / found.full:.4g} %" if found.full else None,
            "method": "exact" if found.exact else "upper bound",
        }
    ]


def _picture(plan: Plan, file: Path) -> None:
    from wirespeed.cli.console import err
    from wirespeed.cli.topology import topology_of
    from wirespeed.report.svg import svg

    file.write_text(svg(topology_of(plan), plan.name), encoding="utf-8")
    err().print(f"topology written to {file}", markup=False, soft_wrap=True)


def _classes(plan: Plan) -> Rows:
    from wirespeed.plan import class_numbers

    return [
        {
            "class": row.name,
            "dscp": _ranges(row.dscp),
            "priority": int(row.priority),
            "nic tc": row.nic_traffic_class,
            "nic cos queue": row.nic_cos_queue,
            "switch tc": row.switch_traffic_class,
            "switch queue": row.switch_queue,
            "priority group": row.priority_group,
            "lossless": plan.classes[row.name].lossless,
            "served": "strict" if plan.classes[row.name].strict else f"{plan.classes[row.name].share}%",
            "nic": row.nic,
            "switch": row.switch,
        }
        for row in class_numbers(plan)
    ]


def _computed(plan: Plan) -> Rows:
    return [
        {
            "name": entry.name,
            "value": entry.value,
            "formula": entry.formula,
            "source": entry.source,
            "compared": entry.compared,
        }
        for entry in plan.computed
    ]


_PARTS: dict[str, Callable[[Plan], dict[str, Rows]]] = {
    "hosts": lambda plan: {"hosts": _hosts(plan)},
    "addresses": lambda plan: {"addresses": _addresses(plan)},
    "cables": lambda plan: {"cables": _cables(plan)},
    "classes": lambda plan: {"classes": _classes(plan)},
    "fabric": lambda plan: {"fabric": _fabric(plan), "bisection": _bisection(plan)},
    "bom": lambda plan: {"bom": _bill(plan)},
    "computed": lambda plan: {"computed": _computed(plan)},
    "labels": lambda plan: {"labels": _labels(plan)},
}


def _ranges(numbers: Sequence[int]) -> str:
    """``0-25,27`` for sorted numbers."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)


_TITLE_COLUMNS = {"hosts": ("model",), "classes": ("nic", "switch")}  # columns that go into the title


def _tables(rows: dict[str, Rows]) -> None:
    from rich.markup import escape

    from wirespeed.cli.console import out

    for name, entries in rows.items():
        if name == "computed":
            for entry in entries:
                out().print(f"[bold]{escape(entry['name'])}[/]: {escape(entry['value'])}", soft_wrap=True)
                out().print(f"  = {escape(entry['formula'])}\n  source: {escape(entry['source'])}", soft_wrap=True)
                if entry["compared"]:
                    out().print(f"  vendors: {escape(entry['compared'])}", soft_wrap=True)
            continue
        if name == "labels":
            for entry in entries:
                out().print(escape("\n".join((entry["line1"], entry["line2"], entry["line3"]))), "\n", soft_wrap=True)
            continue
        groups: dict[tuple[Any, ...], Rows] = {}
        for entry in entries:
            in_title = _TITLE_COLUMNS.get(name, ())
            rest = {key: value for key, value in entry.items() if key not in in_title}
            groups.setdefault(tuple(entry[key] for key in in_title), []).append(rest)
        for said, group in groups.items():
            _table(f"{name} with {' and '.join(map(str, said))}" if any(said) else name, group)


def _table(title: str, entries: Rows) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    from wirespeed.cli.console import out

    table = Table(
        title=escape(title), title_justify="left", title_style="bold", box=SIMPLE_HEAD, show_edge=False, padding=(0, 0)
    )
    for column in entries[0]:
        words = [*column.split(), *(_word(entry[column]) for entry in entries)]
        # No word is broken but lists of DSCPs, which read well on several lines.
        widest = max(len(word) for word in words if "," not in word)
        table.add_column(column.replace(" ", "\n"), overflow="fold", min_width=widest)
    for entry in entries:
        table.add_row(*("" if value is None else escape(_word(value)) for value in entry.values()))
    out().print(table)


def _word(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _csv(rows: dict[str, Rows]) -> None:
    import csv
    import sys

    from wirespeed.errors import refuse

    if len(rows) != 1:
        raise refuse("--format csv", f"CSV holds one table, not {len(rows)}", hint="add one part, such as --cables")
    ((_, entries),) = rows.items()
    writer = csv.writer(sys.stdout, lineterminator="\n")
    if entries:
        writer.writerow(entries[0])
    writer.writerows(["" if value is None else value for value in entry.values()] for entry in entries)


def _json(plan: Plan, rows: dict[str, Rows]) -> None:
    import json

    document = {
        "kind": "plan",
        "schema": SCHEMA,
        "cluster": plan.name,
        **{
            name: [{key.replace(" ", "_"): value for key, value in entry.items()} for entry in entries]
            for name, entries in rows.items()
        },
        "warnings": [
            {"place": entry.place, "found": entry.found, "expected": entry.expected, "hint": entry.hint}
            for entry in plan.warnings
        ],
    }
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
