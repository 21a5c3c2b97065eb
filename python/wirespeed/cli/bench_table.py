"""Runs as tables: one per run, a row per message size, variant and log line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from rich.cells import cell_len, set_cell_size
from rich.table import Table

from wirespeed.cli.console import escape, standard_output
from wirespeed.report import wording
from wirespeed.results.benchmarks import Measurement, Run, RunStatus
from wirespeed.results.json import plain
from wirespeed.results.parameters import MeshPair, flatten
from wirespeed.units import format_unit

_COLOURS = {
    RunStatus.COMPLETE: "green",
    RunStatus.END_UNKNOWN: "yellow",
    RunStatus.TRUNCATED: "yellow",
    RunStatus.FAILED: "red",
}


def show(run: Run) -> None:
    """Print one run."""
    from wirespeed.benchmarks.logs.failed_runs import list_notes

    parts = [run.tool, run.version, run.test, f"{run.ranks} ranks" if run.ranks is not None else None]
    title = " ".join(escape(part) for part in parts if part)
    standard_output().print(f"[bold]{title}[/]  [{_COLOURS[run.status]}]{_format_status(run)}[/]", soft_wrap=True)
    if run.error:
        standard_output().print(f"  {escape(run.error)}", soft_wrap=True)
    for line in format_causes(run.failures):
        standard_output().print(f"  {line}", soft_wrap=True)
    for note in list_notes(run):
        standard_output().print(f"  note: {escape(note)}", soft_wrap=True)
    host_names = _shorten(run.parameters.host_names)
    stated = plain(replace(run.parameters, mesh_pairs={}, failed_pairs={}, rank_places={}, host_names=host_names))
    for line in _wrap_parameters(f"{name}={value}" for name, value in flatten(stated)):
        standard_output().print(f"  [dim]{escape(line)}[/]", soft_wrap=True)
    if run.parameters.pair_count:
        _print_grid(_build_pair_grid(run))
    if run.measurements:
        _print_grid(_build_table(run.measurements))
    standard_output().print()


_HOSTS = 8  # that are named


def _shorten(host_names: str | None) -> str | None:
    """The first of many host names, and how many more there are."""
    names = host_names.split(",") if host_names else []
    return f"{','.join(names[:_HOSTS])} and {len(names) - _HOSTS} more" if len(names) > _HOSTS else host_names


def format_causes(failures: Sequence[str]) -> list[str]:
    """Lines that list entries of the failure catalogue as likely causes, likeliest first; none without entries."""
    if not failures:
        return []
    from wirespeed.catalogue import load

    failures_by_name = load().failures
    return [
        "likely causes, most likely first (`wirespeed explain ID`):",
        *(f"  [bold]{name:<8}[/] {escape(failures_by_name[name].title)}" for name in failures),
    ]


def _format_status(run: Run) -> str:
    """``complete``, ``complete, 4 of 16 pairs failed``."""
    if run.parameters.waived:
        return "waived: not supported by the hardware"
    failed = run.parameters.failed_pair_count
    labels = {measurement.label for measurement in run.measurements if measurement.label} | {
        *run.parameters.mesh_pairs,
        *run.parameters.failed_pairs,
    }
    return f"{run.status.value}, {failed} of {len(labels)} pairs failed" if failed else run.status.value


def _build_pair_grid(run: Run) -> _Grid:
    """A row per pair, failed ones first: its exit code, and the error or the route."""
    grid = _Grid()
    grid.add("pair", right=False)
    if run.parameters.mesh_pairs:
        grid.add("exit code")
    grid.add("error or route" if run.parameters.mesh_pairs else "error", right=False)
    grid.rows += [[pair, failed.text] for pair, failed in run.parameters.failed_pairs.items()]
    pairs = sorted(run.parameters.mesh_pairs.items(), key=lambda entry: entry[1].exit_code == 0)
    grid.rows += [[label, str(pair.exit_code), _format_outcome(pair)] for label, pair in pairs]
    return grid


def _format_outcome(pair: MeshPair) -> str:
    """``enp105s0np0 via 10.1.0.22 table 104``; for a failed pair the message first."""
    route = pair.route or ""
    if route.startswith("none: "):
        route = f"no route: {route.removeprefix('none: ')}"
    elif "dev " in route:
        hop, _, device = route.partition(" from ")[2].partition(" ")[2].partition("dev ")
        name, _, table = device.partition(" ")
        route = " ".join(filter(None, (name, hop.strip(), table)))
    return "; ".join(filter(None, (pair.message, route)))


_WIDTH = 96  # columns of the lines of parameters; a parameter is never broken


def _wrap_parameters(parameters: Iterable[str]) -> Iterator[str]:
    line = ""
    for parameter in parameters:
        if line and len(line) + 2 + len(parameter) > _WIDTH:
            yield line
            line = ""
        line = f"{line}  {parameter}" if line else parameter
    if line:
        yield line


@dataclass(slots=True)
class _Grid:
    """Headings, whether each column is right-aligned, and rows of cells."""

    headings: list[str] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)

    def add(self, heading: str, *, right: bool = True) -> None:
        self.headings.append(heading)
        self.right.append(right)


def _build_table(measurements: tuple[Measurement, ...]) -> _Grid:
    measurements = tuple(map(_convert_to_gigabits, measurements))
    columns = list(dict.fromkeys((measurement.metric, measurement.unit) for measurement in measurements))
    rows: dict[tuple[int, str | None, int | None], dict[tuple[str, str], str]] = {}
    for measurement in measurements:
        rows.setdefault((measurement.line, measurement.label, measurement.size_bytes), {})[
            (measurement.metric, measurement.unit)
        ] = str(measurement.value)
    filled = sum(len(cells) for cells in rows.values())
    if len(columns) > _SMALL_GRID and filled < _SPARSE * len(columns) * len(rows):
        return _build_list(measurements)
    grid, has_sizes, has_labels = _start_grid(measurements)
    for metric, unit in columns:
        heading = metric.replace("_", "\n")
        grid.add(heading if unit == metric.value else f"{heading}\n{format_unit(unit)}")
    for (line, label, size), cells in rows.items():
        lead = _format_leading_cells(line, size, label, has_sizes, has_labels)
        grid.rows.append([*lead, *(cells.get(column, "") for column in columns)])
    return grid


def _convert_to_gigabits(measurement: Measurement) -> Measurement:
    """A rate in b/s as Gb/s with three decimals; all others as the tool printed them."""
    if measurement.unit not in ("b/s", "bits/s"):
        return measurement
    return measurement._replace(unit="Gb/s", value=round(measurement.value / 1e9, 3))


_SMALL_GRID = 3  # up to this number of columns a table is used, even if it is mostly empty
_SPARSE = 0.5  # minimum share of filled cells of a table


def _build_list(measurements: tuple[Measurement, ...]) -> _Grid:
    """A row per number, for reports whose lines measure different quantities."""
    grid, has_sizes, has_labels = _start_grid(measurements)
    grid.add("metric", right=False)
    grid.add("value")
    grid.add("unit", right=False)
    for measurement in measurements:
        lead = _format_leading_cells(measurement.line, measurement.size_bytes, measurement.label, has_sizes, has_labels)
        grid.rows.append([*lead, measurement.metric.value, str(measurement.value), format_unit(measurement.unit)])
    return grid


def _start_grid(measurements: tuple[Measurement, ...]) -> tuple[_Grid, bool, bool]:
    """A grid with the columns before the numbers, and whether they include sizes and labels."""
    has_sizes = any(measurement.size_bytes is not None for measurement in measurements)
    has_labels = any(measurement.label is not None for measurement in measurements)
    grid = _Grid()
    grid.add("log line")
    if has_sizes:
        grid.add("bytes")
    if has_labels:
        grid.add("series", right=False)
    return grid, has_sizes, has_labels


def _format_leading_cells(
    line: int, size: int | None, label: str | None, has_sizes: bool, has_labels: bool
) -> list[str]:
    lead = [str(line)]
    lead += [str(size) if size is not None else ""] if has_sizes else []
    return lead + ([label or ""] if has_labels else [])


def _print_grid(grid: _Grid) -> None:
    """Print rows that fit the terminal without Rich, which needs 1 ms per row: a log of 1000 runs has 100,000 rows."""
    grid.rows = [[cell if cell.isprintable() else wording.line(cell) for cell in row] for row in grid.rows]
    headings = [heading.split("\n") for heading in grid.headings]
    widths = [max(map(cell_len, heading)) for heading in headings]
    for row in grid.rows:
        widths = [max(width, cell_len(cell)) for width, cell in zip(widths, row, strict=True)]
    if sum(widths) + len(_GAP) * (len(widths) - 1) > standard_output().width:
        standard_output().print(_build_folding_table(grid))
        return
    height = max(map(len, headings))
    tops = zip(*([""] * (height - len(heading)) + heading for heading in headings), strict=True)
    standard_output().print(
        "\n".join(_format_line(grid, widths, top) for top in tops), style="bold", markup=False, soft_wrap=True
    )
    standard_output().print(
        "\n".join(_format_line(grid, widths, row) for row in grid.rows), markup=False, soft_wrap=True
    )


_GAP = "  "


def _format_line(grid: _Grid, widths: list[int], cells: Iterable[str]) -> str:
    return _GAP.join(
        " " * (width - cell_len(cell)) + cell if right else set_cell_size(cell, width)
        for cell, width, right in zip(cells, widths, grid.right, strict=True)
    )


def _build_folding_table(grid: _Grid) -> Table:
    """A table that is folded to the width of the terminal."""
    table = Table(box=None, pad_edge=False)
    for heading, right in zip(grid.headings, grid.right, strict=True):
        table.add_column(
            heading,
            justify="right" if right else "left",
            overflow="ellipsis" if right else "fold",
        )
    for row in grid.rows:
        table.add_row(*map(escape, row))
    return table
