"""GPCNeT: network_test and network_load_test.

A row is one communication pattern with its average and its 99th percentile (of verbose builds also least, most, the
worst rank's average and the 99.9th percentile); a percentile of a bandwidth is what 1 % stay below. The label is the
table and the pattern: isolated or congested; verbose builds also list each congestor beside the network test that
ran. Congestion impact factors are how many times worse a pattern is under load; where the log has none for a pattern,
they are computed from its rows as network_load_test computes them (utils.c, print_comparison_results). network_test
is complete with its last pattern, network_load_test when every isolated pattern has its impact factor. Titles of
tables are those of utils.c, print_header; the rows of a table with another title are left out.
"""

from __future__ import annotations

import re

from wirespeed.benchmarks.logs.launcher_messages import MESSAGE, fail
from wirespeed.benchmarks.logs.log import Line, Source, splice
from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, RunReader, line_matcher, read_by_process, read_runs
from wirespeed.results.benchmarks import Metric

LOOKS_FOR = "the tables of GPCNeT ('Network Tests v1.3', 'Isolated Network Tests')"
IDENTIFYING_TEXTS = (
    "Network Tests",
    "NetworkLoad Tests",
    "Congestion Tests",
    "this application must be run on at least",
)

_TITLE = re.compile(r"Network(Load)? Tests v(\d[\w.]*)$")
_RANKS = re.compile(r"Test with (\d+) MPI ranks \((\d+) nodes?\)$")
_NETWORK = re.compile(r"(\d+) nodes? running Network Tests$")
_CONGESTION = re.compile(r"(\d+) nodes? running Congestion Tests \(min (\d+) nodes? per congestor\)$")
_TABLE = re.compile(
    r"(?P<isolated>Isolated (?:Network|Congestion) Tests)$"
    r"|Network Tests running with Congestion Tests(?:(?P<key> - Key Results)| \(\s*(?P<by>.+?) Network Test\))?$"
)
_UNKNOWN = "unknown"
"""A table whose title no release prints: what ran during its rows is not known."""
_FEW_NODES = re.compile(r"ERROR: this application must be run on at least (\d+) nodes")
_OWN_FAILURE = re.compile(r"Failed to allocate .+ in \w+\(\)|ERROR: .*")
_PATTERN = re.compile(r"(.+?) \((\d+) B\)$")
_FACTOR = re.compile(r"(\d+\.\d+)X$")
_TESTS = {
    "2": "network_test",
    "10": "network_load_test",
}  # minimum number of nodes of each, network_test.c, network_load_test.c
_LAST = "Multiple Alltoall"  # network_test.c ends with it

_LATENCIES = (
    *(Metric.LATENCY_MIN, Metric.LATENCY_MAX, Metric.LATENCY_AVG, Metric.LATENCY_AVG),
    *(Metric.LATENCY_P99, Metric.LATENCY_P999),
)
_BANDWIDTHS = (Metric.BW_MIN, Metric.BW_MAX, Metric.BW_AVG, Metric.BW_AVG, Metric.BW_P99, Metric.BW_P999)
_UNITS = {"usec": ("us", _LATENCIES), "MiB/s/rank": ("MiB/s/rank", _BANDWIDTHS)}
_SHORT = (2, 4)  # the average and the 99th percentile among them
_WORST = 3


def read(log: Source) -> list[ReadRun]:
    """Every run of network_test or network_load_test in the log."""
    return read_by_process(
        log.without_debug(),
        line_matcher(_TITLE),
        lambda lines: read_runs(_Reader(), splice(lines, MESSAGE, "[")),
    )


class _Reader(RunReader):
    """Reads one report at a time: title, legend, tables."""

    def __init__(self) -> None:
        super().__init__()
        self._draft: Draft | None = None
        self._table: str | None = None
        self._network_test: str | None = None  # that ran while the congestors of the table ran; of verbose builds
        self._isolated: set[str] = set()
        self._impacts: set[str] = set()
        self._averages: dict[tuple[str, str], tuple[list[float], str, int]] = {}  # by table and pattern

    def take(self, line: Line) -> None:
        text = line.text.strip(" \t|")
        if not line.is_complete or not text:
            return
        cells = [cell.strip() for cell in text.split("|")]
        title, table, few_nodes = _TITLE.match(text), _TABLE.match(text), _FEW_NODES.match(text)
        if title:
            self._close()
            draft = self._open(line)
            draft.test = "network_load_test" if title.group(1) else "network_test"
            draft.version = title.group(2)
        elif table:
            self._open(line)
            named = "isolated" if table.group("isolated") else "impact" if table.group("key") else "congested"
            self._table, self._network_test = named, table.group("by")
        elif few_nodes:
            self._close()
            draft = self._open(line)
            draft.test = _TESTS.get(few_nodes.group(1))
            draft.fail(text)
        elif self._draft is None:
            return
        elif len(cells) == 1 and line.text.lstrip().startswith("|"):
            self._table, self._network_test = _UNKNOWN, None
            self._draft.notice(line.number, f"the table {text!r}", "a title of GPCNeT; its rows are left out")
        elif len(cells) >= 3:
            self._read_row(line, self._draft, cells)
        elif not self._read_setting(self._draft, text) and not self._is_complete(self._draft):
            if _OWN_FAILURE.match(text):
                self._draft.fail(text)
            else:
                fail(self._draft, text)

    def _open(self, line: Line) -> Draft:
        if self._draft is None:
            self._draft = Draft("gpcnet", line.number)
        return self._draft

    def _close(self) -> None:
        draft, self._draft = self._draft, None
        if draft is not None:
            draft.complete = self._is_complete(draft)
            self._add_impacts(draft)
            self._read_runs.append(draft.finish())
        self._table, self._network_test, self._isolated, self._impacts = None, None, set(), set()
        self._averages.clear()

    def _is_complete(self, draft: Draft) -> bool:
        if draft.test == "network_test":
            return any(name.startswith(_LAST) for name in self._isolated)
        return bool(self._isolated) and self._isolated <= self._impacts

    def _read_setting(self, draft: Draft, text: str) -> bool:
        ranks, network, congestion = _RANKS.match(text), _NETWORK.match(text), _CONGESTION.match(text)
        if ranks:
            draft.ranks = int(ranks.group(1))
            draft.parameters.nodes = int(ranks.group(2))
        elif network:
            draft.parameters.network_nodes = int(network.group(1))
        elif congestion:
            draft.parameters.congestion_nodes = int(congestion.group(1))
            draft.parameters.nodes_per_congestor = int(congestion.group(2))
        return bool(ranks or network or congestion)

    def _read_row(self, line: Line, draft: Draft, cells: list[str]) -> None:
        pattern = _PATTERN.match(cells[0])
        if pattern is None or self._table == _UNKNOWN:
            return
        name, size = pattern.group(1), int(pattern.group(2))
        factors = [_FACTOR.match(cell) for cell in cells[1:]]
        if len(cells) == 3 and all(factors):
            self._impacts.add(cells[0])
            for metric, factor in zip((Metric.IMPACT_AVG, Metric.IMPACT_P99), factors, strict=True):
                if factor:
                    draft.measure(metric, "x", float(factor.group(1)), line.number, size, name)
            return
        unit = _UNITS.get(cells[-1])
        columns = {4: _SHORT, 8: tuple(range(6))}.get(len(cells))
        if self._table == "impact":
            draft.notice(line.number, f"{' '.join(cells[1:])} for {cells[0]}", "two factors; the row is left out")
            return
        if unit is None or columns is None:
            draft.notice(line.number, f"a row of {len(cells)} cells in {cells[-1]!r}", "usec or MiB/s/rank; left out")
            return
        if self._table == "isolated" and not self._is_congestor(name):
            self._isolated.add(cells[0])
        label = self._name_row(name)
        self._keep_averages(line, name, cells, dict(zip(columns, cells[1:-1], strict=True)))
        for index, cell in zip(columns, cells[1:-1], strict=True):
            value = number(cell)
            rank_label = f"{label}, worst rank" if index == _WORST else label
            if value is None:
                draft.notice(line.number, f"{cell} for {cells[0]}", "a number; left out")
            else:
                draft.measure(unit[1][index], unit[0], value, line.number, size, rank_label)

    def _name_row(self, name: str) -> str:
        if self._network_test not in (None, name):
            return f"congestor beside {self._network_test}: {name}"
        return f"{self._table}: {name}" if self._table else name

    def _keep_averages(self, line: Line, name: str, cells: list[str], columns: dict[int, str]) -> None:
        """Keep the average and the 99th percentile of an isolated pattern, and of a pattern under load."""
        values = [number(columns[index]) for index in _SHORT]
        known_values = [value for value in values if value]
        kind = self._table if self._network_test in (None, name) else None
        if kind in ("isolated", "congested") and len(known_values) == len(_SHORT):
            self._averages[kind, cells[0]] = known_values, cells[-1], line.number

    def _add_impacts(self, draft: Draft) -> None:
        """The factors of patterns that the log has none for: of the printed values, to one decimal."""
        for (kind, cell), (under_load, unit, line) in self._averages.items():
            pattern, isolated = _PATTERN.match(cell), self._averages.get(("isolated", cell))
            if kind != "congested" or cell in self._impacts or pattern is None or isolated is None:
                continue
            for metric, before, after in zip(
                (Metric.IMPACT_AVG, Metric.IMPACT_P99), isolated[0], under_load, strict=True
            ):
                factor = after / before if unit == "usec" else before / after
                draft.measure(metric, "x", float(f"{factor:.1f}"), line, int(pattern.group(2)), pattern.group(1))

    @staticmethod
    def _is_congestor(name: str) -> bool:
        """Whether a pattern is the load itself, which has no impact factor."""
        return not name.startswith(("RR ", "Nat ", "Multiple "))
