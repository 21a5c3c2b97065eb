"""A folder of results, opened again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wirespeed.errors import refuse
from wirespeed.results.simulation import Summary, from_json
from wirespeed.results.simulation_view import Cable, Network
from wirespeed.simulation.folder import SUMMARY
from wirespeed.simulation.port_names import port_names

if TYPE_CHECKING:
    import pyarrow as pa

_AGAIN = "wirespeed sim run SCENARIO.json -o DIR writes it"


@dataclass(frozen=True, slots=True)
class ResultFolder:
    """What `wirespeed sim run -o` wrote."""

    path: Path
    summary: Summary

    def has(self, table: str) -> bool:
        """Whether the folder holds this table."""
        return self._file(table).is_file()

    def table(self, name: str, *columns: str) -> pa.Table:
        """Columns of a table, in this order.

        Raises:
            Refused: it is not there, cannot be read, or lacks a column.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = self._file(name)
        expected = f"the table {name} with {', '.join(columns)}"
        try:
            lacking = [column for column in columns if column not in pq.read_schema(file).names]
            if lacking:
                raise refuse(str(file), f"no {', '.join(lacking)}", expected, _AGAIN)
            return pq.read_table(file, columns=list(columns)).select(list(columns))
        except FileNotFoundError:
            raise refuse(str(file), "no such file", f"the table {name}", _AGAIN) from None
        except (pa.ArrowException, OSError) as error:
            found = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise refuse(str(file), found, expected, _AGAIN) from None

    def network(self) -> Network:
        """Nodes and cables; nodes by the names of the cluster file that the run was made from."""
        columns = ("a", "b", "a_is_switch", "b_is_switch", "rate_bps")
        names = self.table("names", "port", "node", "device", "interface").to_pydict() if self.has("names") else {}
        return network_of(self.table("links", *columns).to_pydict(), names)

    @property
    def end(self) -> int:
        """Simulated time at the end, picoseconds."""
        return round(self.summary.end_us * 1e6)

    def _file(self, table: str) -> Path:
        return self.path / f"{table}.parquet"


def is_result(path: Path) -> bool:
    """Whether this looks like a folder that holds, or should hold, results."""
    return path.is_dir()


def open_folder(path: Path) -> ResultFolder:
    """Open a folder of results.

    Raises:
        Refused: there is none.
    """
    file = path / SUMMARY
    if not file.is_file():
        raise refuse(str(path), f"no {SUMMARY} in it", "a folder that wirespeed sim run -o wrote", _AGAIN)
    return ResultFolder(path, from_json(file.read_text(encoding="utf-8", errors="replace"), str(file)))


def network_of(links: Mapping[str, list[Any]], names: Mapping[str, list[Any]]) -> Network:
    """Nodes and cables of the table ``links``, with the names of the table ``names``; empty for a scenario without."""
    switches = {
        node for end in "ab" for node, is_one in zip(links[end], links[f"{end}_is_switch"], strict=True) if is_one
    }
    nodes = max((*links["a"], *links["b"]), default=-1) + 1
    devices, ports = _names(names)
    node_names = tuple(
        devices.get(node) or f"{'switch' if node in switches else 'host'} {node}" for node in range(nodes)
    )
    cables = tuple(map(Cable, links["a"], links["b"], links["rate_bps"]))
    ends = dict(enumerate(end for cable in cables for end in ((cable.a, cable.b), (cable.b, cable.a))))
    by_number = port_names(ends, [port for port in ends if port not in ports])
    named = {port: f"{node_names[ends[port][0]]}:{number}" for port, number in by_number.items()} | ports
    return Network(node_names, frozenset(switches), cables, tuple(named[port] for port in ends))


def _names(names: Mapping[str, list[Any]]) -> tuple[dict[int, str], dict[int, str]]:
    """Names of nodes and of ports."""
    if not names:
        return {}, {}
    devices = dict(zip(names["node"], names["device"], strict=True))
    ends = zip(names["port"], names["device"], names["interface"], strict=True)
    return devices, {port: f"{device}:{interface}" for port, device, interface in ends if interface}
