"""``wirespeed plan``."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wirespeed.cli.app import app

if TYPE_CHECKING:
    from wirespeed.cli.plan_rows import Rows
    from wirespeed.plan import Plan

SCHEMA = 2
UNNUMBERED = "unnumbered"  # replaces the address of a port without one


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


@app.command(short_help="Show hosts, addresses, cables, traffic classes, headroom and ECN thresholds.")
def plan(
    cluster: Annotated[Path, typer.Argument(metavar="CLUSTER.yaml", help="Cluster file.")],
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="SOURCE",
            show_default=False,
            help="With --limits: one end of a path, as HOST for its memory, HOST:NIC or HOST:GPU0.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="TARGET", show_default=False, help="With --limits: the other end, in the form of SOURCE."
        ),
    ] = None,
    *,
    hosts: Annotated[
        bool,
        typer.Option(
            "--hosts", help="Show hosts with their NICs, rails, RDMA devices and GPUs, and whether jobs use each NIC."
        ),
    ] = False,
    addresses: Annotated[
        bool,
        typer.Option(
            "--addresses",
            help="Show addresses of NICs and switch ports, gateways, routing tables, rules, routes in the main table, "
            "loopbacks and AS numbers.",
        ),
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
        bool,
        typer.Option("--fabric", help="Show bandwidth and oversubscription of each tier, and the bisection bandwidth."),
    ] = False,
    labels: Annotated[
        bool, typer.Option("--labels", help="Show the text of the label for each end of every cable.")
    ] = False,
    limits: Annotated[
        bool,
        typer.Option(
            "--limits",
            help="Show physical limits inside the hosts: NICs, GPU to memory, GPU to GPU, with formula and source. "
            "With SOURCE and TARGET: every term on each path between them. No log is needed.",
        ),
    ] = False,
    slot: Annotated[
        str | None,
        typer.Option(
            "--slot",
            metavar="SLOT",
            help="With --limits: compute with this PCIe link of NICs and GPUs, such as 'gen4 x16'.",
        ),
    ] = None,
    pcie_payload: Annotated[
        str | None,
        typer.Option(
            "--pcie-payload",
            metavar="SIZE",
            help="With --limits: compute with this number of data bytes per PCIe packet, 64 to 4096.",
        ),
    ] = None,
    message_size: Annotated[
        str | None,
        typer.Option(
            "--message-size", metavar="SIZE", help="With SOURCE and TARGET: size of RDMA messages, such as 64 or 8 KiB."
        ),
    ] = None,
    streams: Annotated[
        int | None, typer.Option("--streams", min=1, metavar="N", help="With SOURCE and TARGET: number of TCP streams.")
    ] = None,
    round_trip: Annotated[
        str | None,
        typer.Option(
            "--round-trip",
            metavar="TIME",
            help="With SOURCE and TARGET: round-trip time of TCP, such as '40 ms'. Default: propagation in the cables.",
        ),
    ] = None,
    bom: Annotated[
        bool, typer.Option("--bom", help="Show the bill of materials: number of cables per model, speed and length.")
    ] = False,
    picture: Annotated[
        Path | None, typer.Option("--picture", metavar="FILE.svg", help="Write the topology as an SVG picture.")
    ] = None,
    output: Annotated[
        Format,
        typer.Option(
            "--format",
            "-f",
            envvar="WIRESPEED_PLAN_FORMAT",
            help="Output format. csv needs exactly one part option, such as --cables.",
        ),
    ] = Format.TABLE,
) -> None:
    """Show the planned cluster: hosts, addresses, cables, traffic classes, fabric, headroom and ECN thresholds.

    Without options all parts except the cable labels and the limits are shown. The hosts table shows where a NIC port
    is in the server's PCIe tree. root1.0: function 0 below the first root port. switch1/port2.0: function 0 below
    port 2 of the first PCIe switch.

    Examples:

    \b
      wirespeed plan cluster.yaml --addresses
      wirespeed plan cluster.yaml --classes --computed
      wirespeed plan cluster.yaml --cables --format csv > cables.csv
      wirespeed plan cluster.yaml --picture topology.svg
      wirespeed plan cluster.yaml --limits node1:GPU0 node2:GPU0
      wirespeed plan cluster.yaml --limits --slot 'gen4 x16'
    """
    from wirespeed.cli import flows
    from wirespeed.cli.path_limits import list_between, parse_what_if
    from wirespeed.cli.plan_rows import PARTS

    options = (hosts, addresses, cables, classes, fabric, bom, computed, labels, limits)
    wanted = [name for name, selected in zip(PARTS, options, strict=True) if selected]
    if not wanted and picture is None:
        wanted = [name for name in PARTS if name not in ("labels", "limits")]
    what_if = parse_what_if(
        limits,
        (source, target),
        {"slot": slot, "pcie-payload": pcie_payload},
        {"message-size": message_size, "streams": streams, "round-trip": round_trip},
    )
    planned = flows.plan_cluster(cluster)
    if picture is not None:
        _write_picture(planned, picture)
    rows = {name: table for part in wanted if part != "limits" for name, table in PARTS[part](planned).items()}
    if limits:
        changed = what_if.change(planned)
        rows |= PARTS["limits"](changed) if source is None else {"limits": list_between(changed, what_if)}
    if not wanted:
        return
    if output is Format.CSV:
        _print_csv(wanted, rows, any(options))
    elif output is Format.JSON:
        _print_json(planned, rows)
    else:
        _print_tables(rows)


_PORTS = {"device": "port", "a_device": "port", "b_device": "far port", "peer_device": "peer"}
"""Tables show a port as ``device:port`` in one column; JSON and CSV have two columns, like a cabling file."""
_TITLES = {"fabric": "fabric (bandwidth per switch)", "bom": "bill of materials"}
_HEADINGS = {
    "as number": "AS\nnumber",
    "rdma device": "RDMA device",
    "pcie": "PCIe",
    "gpu": "GPU",
    "mtu": "MTU",
    "dscp": "DSCP",
    "sent dscp": "DSCP sent\nby NICs",
    "nic tc": "NIC\nTC",
    "nic cos queue": "NIC CoS\nqueue",
    "switch tc": "switch\nTC",
}
"""Headings of tables that differ from the column of JSON and CSV; its spaces are line breaks otherwise."""
_TITLE_COLUMNS = {"hosts": ("model",), "classes": ("nic", "switch")}  # columns that go into the title
_FIRST_COLUMNS = {"cables": ("number",)}


def _print_tables(rows: dict[str, Rows]) -> None:
    prints = {
        "limits": _print_limits,
        "computed": _print_values,
        "labels": _print_labels,
        "bisection": _print_bisection,
    }
    for name, all_entries in rows.items():
        entries = [entry for entry in all_entries if entry.get("address") != UNNUMBERED]
        if name in prints:
            prints[name](entries)
            continue
        groups: dict[tuple[Any, ...], Rows] = {}
        in_title = _TITLE_COLUMNS.get(name, ())
        for entry in entries:
            columns = {key: entry[key] for key in _FIRST_COLUMNS.get(name, ())} | entry
            cells = {key: value for key, value in columns.items() if key not in in_title}
            groups.setdefault(tuple(entry[key] for key in in_title), []).append(_join_ports(cells))
        for models, group in groups.items():
            title = _TITLES.get(name, name)
            if any(models):
                title = f"{title} with {' and '.join(map(str, models))}"
            elif name == "hosts":
                title = "Ethernet ports"
            _print_table(title, group)
            if name == "classes":
                _print_switch_classes(group)
        _print_unnumbered([entry for entry in all_entries if entry.get("address") == UNNUMBERED])


def _print_switch_classes(entries: Rows) -> None:
    """Print why classes have empty cells in the columns of NICs."""
    from wirespeed.cli.console import standard_output

    names = [entry["class"] for entry in entries if entry["nic tc"] is None]
    if names and len(names) < len(entries):
        standard_output().print(f"configured on switches only: {', '.join(names)}", markup=False, soft_wrap=True)


def _print_unnumbered(entries: Rows) -> None:
    """Print ports without an address in one line."""
    from wirespeed.cli.console import standard_output
    from wirespeed.cluster.ranges import format_names

    if entries:
        devices = format_names(list(dict.fromkeys(entry["device"] for entry in entries)))
        standard_output().print(f"unnumbered: {len(entries):,} ports of {devices}", markup=False, soft_wrap=True)


def _join_ports(entry: dict[str, Any]) -> dict[str, Any]:
    """Join the columns of a device and of its port."""
    cells: dict[str, Any] = {}
    for key, value in entry.items():
        if key in _PORTS:
            port = entry[key.replace("device", "port")]
            cells[_PORTS[key]] = None if value is None else f"{value}:{port}"
        elif key.replace("port", "device") not in _PORTS:
            cells[key] = value
    return cells


def _print_values(entries: Rows) -> None:
    from rich.markup import escape

    from wirespeed.cli.console import standard_output

    for entry in entries:
        standard_output().print(f"[bold]{escape(entry['name'])}[/]: {escape(entry['value'])}", soft_wrap=True)
        lines = "\n    ".join(escape(part) for part in _split_formula(entry["formula"]))
        standard_output().print(f"  = {lines}\n  source: {escape(entry['source'])}", soft_wrap=True)
        if entry["compared"]:
            standard_output().print(f"  vendors: {escape(entry['compared'])}", soft_wrap=True)


def _split_formula(formula: str) -> list[str]:
    """The parts of a formula between semicolons that are not in parentheses."""
    parts: list[str] = []
    for text in formula.split("; "):
        is_open = bool(parts) and parts[-1].count("(") > parts[-1].count(")")
        parts[-1:] = [f"{parts[-1]}; {text}"] if is_open else [*parts[-1:], text]
    return parts


def _print_limits(entries: Rows) -> None:
    from rich.markup import escape

    from wirespeed.cli.console import standard_output
    from wirespeed.report.wording import number

    if "terms" in entries[0]:
        _print_paths(entries)
        return
    for entry in entries:
        limit = f"{number(entry['limit'])} {entry['unit']}"
        standard_output().print(
            f"[bold]{escape(entry['hosts'])}: {escape(_format_path(entry))}[/]: {limit}\n"
            f"  limited by {escape(entry['limited by'])} = {escape(entry['formula'])}\n"
            f"  source: {escape(entry['source'])}",
            soft_wrap=True,
        )
        if entry["assumptions"]:
            standard_output().print(f"  assumed: {escape(entry['assumptions'])}", soft_wrap=True)


def _print_paths(entries: Rows) -> None:
    """Print paths with all of their terms, the smallest first, and then the sources of all terms."""
    from rich.markup import escape

    from wirespeed.cli.console import standard_output
    from wirespeed.report.wording import number

    sources: dict[str, int] = {}
    for entry in entries:
        limit = f"{number(entry['limit'])} {entry['unit']}, limited by {entry['limited by']}"
        lines = [f"[bold]{escape(_format_path(entry))}[/]: {escape(limit)}"]
        width = max(len(number(term["value"])) for term in entry["terms"])
        for term in entry["terms"]:
            source = sources.setdefault(term["source"], len(sources) + 1)
            text = f"{number(term['value']):>{width}} {entry['unit']}  {term['name']} = {term['formula']} [{source}]"
            lines.append(f"  {escape(text)}")
        lines += [f"  assumed: {escape(entry['assumptions'])}"] if entry["assumptions"] else []
        standard_output().print("\n".join(lines), soft_wrap=True, highlight=False)
    listed = "\n".join(f"  [{index}] {source}" for source, index in sources.items())
    standard_output().print(f"sources\n{escape(listed)}", soft_wrap=True, highlight=False)


def _format_path(entry: dict[str, Any]) -> str:
    """A path and its method; of several with the same limit, their number and the first one."""
    from wirespeed.cluster.ranges import expand_names

    path = f"{entry['from']} to {entry['to']}, {entry['method']}"
    hosts = len(expand_names(entry["hosts"]))
    on_each_host, remainder = divmod(entry["paths"], hosts)
    if hosts > 1 and on_each_host == 1 and " " in entry["from"]:  # "all NICs" are the same of every host
        return path
    if hosts > 1 and not remainder:
        paths = "one path" if on_each_host == 1 else f"each of {on_each_host} paths"
        return f"{paths} on each host, for example {path}"
    return f"each of {entry['paths']} paths, for example {path}" if entry["paths"] > 1 else path


def _print_labels(entries: Rows) -> None:
    from rich.markup import escape

    from wirespeed.cli.console import standard_output

    for entry in entries:
        standard_output().print(
            escape("\n".join((entry["line1"], entry["line2"], entry["line3"]))), "\n", soft_wrap=True
        )


_METHODS = {"exact": "computed exactly", "upper bound": "an upper bound"}


def _print_bisection(entries: Rows) -> None:
    from wirespeed.cli.console import standard_output

    for entry in entries:
        full = entry["of full bisection"]
        share = f"{full} of full bisection, " if full else ""
        bandwidth = _separate_thousands(entry["bisection bandwidth"])
        method = _METHODS[entry["method"]]
        standard_output().print(
            f"bisection bandwidth between halves of the hosts: {bandwidth} ({share}{method})",
            soft_wrap=True,
        )
        if "separate networks" in entry:
            standard_output().print(
                f"  hosts are in {entry['separate networks']:,} separate networks: no cable connects their switches",
                soft_wrap=True,
            )
        if "slots carry" in entry:
            rate, slot = _separate_thousands(entry["slots carry"]), entry["slot"]
            cables = f"{_separate_thousands(entry['cable bandwidth'])} ({_METHODS[entry['cable method']]})"
            standard_output().print(
                f"  bottleneck: {entry['bottleneck']}. The cables have {cables}, the PCIe slots of half of the hosts "
                f"carry {rate} in one direction, because NIC ports share {slot}.",
                soft_wrap=True,
            )


def _print_table(title: str, entries: Rows) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    from wirespeed.cli.console import print_table, standard_output

    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 0))
    columns = [name for name in entries[0] if any(entry[name] is not None for entry in entries)]
    for column in columns:
        heading = _HEADINGS.get(column, column.replace(" ", "\n"))
        texts = [*heading.split("\n"), *(_format_cell(entry[column]) for entry in entries)]
        # These texts are never broken; lists of DSCPs may use several lines.
        widest = max(len(text) for text in texts if "," not in text)
        table.add_column(heading, overflow="fold", min_width=widest)
    for entry in entries:
        table.add_row(*(escape(_format_cell(entry[column])) for column in columns))
    standard_output().print(f"[bold]{escape(title)}[/]", soft_wrap=True)
    print_table(table)


def _format_cell(value: object) -> str:
    if value is None:
        return ""
    return ("yes" if value else "no") if isinstance(value, bool) else _separate_thousands(str(value))


def _separate_thousands(text: str) -> str:
    """``12,800 Gb/s`` for ``12800 Gb/s``: JSON and CSV have bandwidths without separators."""
    value, separator, unit = text.partition(" ")
    return f"{float(value):,.10g} {unit}" if separator and unit in ("Gb/s", "Tb/s") else text


def _print_csv(wanted: Sequence[str], rows: dict[str, Rows], is_chosen: bool) -> None:
    import csv
    import sys

    from wirespeed.errors import refuse

    if len(rows) != 1:
        options = ", ".join(f"--{name}" for name in wanted)
        problem = f"{len(rows)} tables" if is_chosen else "no part option"
        hint = f"give one of {options}" if len(wanted) > 1 else f"use --format json for {options}"
        raise refuse("--format csv", problem, "one part, which is one table", hint)
    entries = [row for entry in next(iter(rows.values())) for row in _list_term_rows(entry)]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    if entries:
        writer.writerow(entries[0])
    writer.writerows(["" if value is None else value for value in entry.values()] for entry in entries)


def _list_term_rows(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each term of a path; other rows as they are."""
    columns = {key: value for key, value in entry.items() if key != "terms"}
    terms = [{f"term {key}": value for key, value in term.items()} for term in entry.get("terms", ())]
    return [{**columns, **term} for term in terms] if terms else [entry]


def _print_json(plan: Plan, rows: dict[str, Rows]) -> None:
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
            {"location": entry.location, "found": entry.found, "expected": entry.expected, "hint": entry.hint}
            for entry in plan.warnings
        ],
    }
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False))


def _write_picture(plan: Plan, file: Path) -> None:
    from wirespeed.cli.console import err
    from wirespeed.cli.topology import build_topology
    from wirespeed.errors import refuse
    from wirespeed.report.svg import svg

    if file.suffix.lower() != ".svg":
        raise refuse(f"--picture {file}", f"{file.suffix or 'no suffix'}", "a file name that ends in .svg")
    file.write_text(svg(build_topology(plan), plan.name), encoding="utf-8")
    err().print(f"topology written to {file}", markup=False, soft_wrap=True)
