"""Read the result folder of an earlier run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from wirespeed.errors import format_first, refuse
from wirespeed.results.simulation import from_json
from wirespeed.results.simulation_types import LINKS, NAMES, Links, LinksColumn, Names, NamesColumn, Summary
from wirespeed.results.simulation_view import Cable, Network
from wirespeed.results.table_type import ColumnName, Columns, TableType
from wirespeed.simulation.port_names import port_names
from wirespeed.simulation.tables import columns

if TYPE_CHECKING:
    import pyarrow as pa

SUMMARY = "summary.json"

LINK_COLUMNS: tuple[LinksColumn, ...] = ("a", "b", "a_is_switch", "b_is_switch", "rate_bps")
NAME_COLUMNS: tuple[NamesColumn, ...] = ("port", "node", "device", "interface")
_COMMAND_HINT = "wirespeed sim run SCENARIO.json -o DIR writes it"


@dataclass(frozen=True, slots=True)
class ResultFolder:
    """A result folder of `wirespeed sim run -o`."""

    path: Path
    summary: Summary

    def has(self, table: TableType[Columns, ColumnName]) -> bool:
        """Whether the folder contains this table."""
        return self._find_file(table.name).is_file()

    def columns(self, table: TableType[Columns, ColumnName], *names: ColumnName) -> Columns:
        """The values of columns of a table.

        Raises:
            Refusal: it is not there, cannot be read, or lacks a column.
        """
        return cast(Columns, self.table(table, *names).to_pydict())

    def table(self, table: TableType[Columns, ColumnName], *names: ColumnName) -> pa.Table:
        """Columns of a table, in this order.

        Raises:
            Refusal: it is not there, cannot be read, or lacks a column.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = self._find_file(table.name)
        expected = f"the table {table.name} with {', '.join(names)}"
        try:
            lacking = [name for name in names if name not in pq.read_schema(file).names]
            if lacking:
                raise refuse(str(file), f"no {', '.join(lacking)}", expected, _COMMAND_HINT)
            return pq.read_table(file, columns=list(names)).select(list(names))
        except FileNotFoundError:
            raise refuse(str(file), "no such file", f"the table {table.name}", _COMMAND_HINT) from None
        except (pa.ArrowException, OSError) as error:
            message = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise refuse(str(file), message, expected, _COMMAND_HINT) from None

    def network(self) -> Network:
        """Nodes and cables, with the names of the cluster file if the run was made from one."""
        names = self.columns(NAMES, *NAME_COLUMNS) if self.has(NAMES) else None
        return build_network(self.columns(LINKS, *LINK_COLUMNS), names)

    @property
    def end(self) -> int:
        """Simulated time at the end, picoseconds."""
        return round(self.summary.end_us * 1e6)

    def _find_file(self, table: str) -> Path:
        return self.path / f"{table}.parquet"


def is_result(path: Path) -> bool:
    """Whether a path looks like a result folder."""
    return path.is_dir()


def open_folder(path: Path) -> ResultFolder:
    """Open a folder of results.

    Raises:
        Refusal: the path is not a result folder.
    """
    file = path / SUMMARY
    if not file.is_file():
        inner = sorted(str(folder) for folder in path.iterdir() if (folder / SUMMARY).is_file())
        hint = f"it contains the results {format_first(inner, 3)}" if inner else _COMMAND_HINT
        raise refuse(str(path), f"no {SUMMARY} in it", "a folder that wirespeed sim run -o wrote", hint)
    return ResultFolder(path, from_json(file.read_text(encoding="utf-8", errors="replace"), str(file)))


def network_of_tables(context: Mapping[str, pa.Table]) -> Network:
    """Nodes and cables of the context tables of a run."""
    names = columns(context, NAMES, *NAME_COLUMNS) if NAMES.name in context else None
    return build_network(columns(context, LINKS, *LINK_COLUMNS), names)


def build_network(links: Links, names: Names | None) -> Network:
    """Nodes and cables of the table ``links``, with the names of the table ``names``; None for a scenario without."""
    ends_a = zip(links["a"], links["a_is_switch"], strict=True)
    ends_b = zip(links["b"], links["b_is_switch"], strict=True)
    switches = {node for node, is_switch in (*ends_a, *ends_b) if is_switch}
    nodes = max((*links["a"], *links["b"]), default=-1) + 1
    devices, ports = ({}, {}) if names is None else _read_names(names)
    node_names = tuple(
        devices.get(node) or f"{'switch' if node in switches else 'host'} {node}" for node in range(nodes)
    )
    cables = tuple(map(Cable, links["a"], links["b"], links["rate_bps"]))
    ends = dict(enumerate(end for cable in cables for end in ((cable.a, cable.b), (cable.b, cable.a))))
    by_number = port_names(ends, [port for port in ends if port not in ports])
    named = {
        port: f"{node_names[ends[port][0]]}:{number.partition(':')[2]}" for port, number in by_number.items()
    } | ports
    return Network(node_names, frozenset(switches), cables, tuple(named[port] for port in ends))


def _read_names(names: Names) -> tuple[dict[int, str], dict[int, str]]:
    """Names of nodes and of ports."""
    devices = dict(zip(names["node"], names["device"], strict=True))
    ends = zip(names["port"], names["device"], names["interface"], strict=True)
    return devices, {port: f"{device}:{interface}" for port, device, interface in ends if interface}
