"""The patterns of nccl-tests and rccl-tests: lines around a table, the table's columns, the collective of its numbers.

From nccl-tests src/common.cu and src/util.cu, rccl-tests src/common.cu, and their releases since 2.0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.run_draft import Draft
from wirespeed.results.benchmarks import Metric

PROGRAM = re.compile(
    r"(?<![\w.-])(?:\S*/)?((?:all_?reduce|all_?gather|all_?to_?all|reduce|broadcast|send_?recv|scatter|gather|hypercube"
    r"|bisection)[a-z0-9_]*?)_perf(?:_mpi)?(?![\w.])"
)
ENVIRONMENT = re.compile(r"NCCL INFO ([NR]CCL_\w+) set by environment to (\S+?)\.?$")
_COMMAND_VARIABLE = re.compile(
    r"""(?<![\w.])([NR]CCL_\w+)=([^\s'",;]+(?:,(?!\w+=)[^\s'",;]+)*)"""
)  # a value may be a list: NCCL_IB_HCA=mlx5_0,mlx5_1
_EXPORT = re.compile(r"--export[= ]\s*\S+")  # of srun: a comma ends a variable
NETWORK = re.compile(r"NCCL INFO NET/(\w+) ?: Using (\[\d+\].*)")
INTERFACE = re.compile(r"\[\d+\]([^\s:\[\]]+)")
RUNNING = re.compile(r"#?\s*Running (?:\S+[-/])?(\w+_perf)$")
"""A line of a script before a run: ``Running abel1_2xMPI-all_gather_perf``."""
STARTING = re.compile(r"#?\s*Collective test starting: (\S+)")
CONCLUDED = re.compile(r"#?\s*Collective test concluded: (\S+)")
VERSION = re.compile(r"#?\s*nccl-tests version (\S+)(?: nccl-headers=(\d{1,9}))?(?: nccl-library=(\d{1,9}))?")
RCCL_VERSION = re.compile(r"#?\s*rccl-tests: Version (\S+)")
LIBRARY = re.compile(r".*?\b[NR]CCL version\s*:?\s*(\d[\w.+-]*)")
COMMUNICATOR = re.compile(r"\bn[rR]anks (\d{1,7})\b.* Init COMPLETE")
OPTIONS = re.compile(
    r"#?\s*nThreads?:? (\d{1,9}) +nGpus:? (\d{1,9}) +(nRanks: \d+ +)?minBytes:? (\d{1,18}) +maxBytes:? (\d{1,18})"
    r" +step: (\d{1,18})\((factor|bytes)\)(.*)"
)  # rccl-tests before 2024 name the ranks on a GPU here, and set colons
REDUCED = re.compile(r"#?\s*Reducing maxBytes to (\d{1,18}) due to memory limitation")
RANK = re.compile(r"#?[ \t]*Rank[ \t]+\d")
AMD = re.compile(r"\b(?:AMD|Instinct|Radeon)\b")
BOUNDS = re.compile(r"#?\s*Out of bounds values\s*:\s*(\d+)\s*(OK|FAILED)")
AVERAGE = re.compile(r"#?\s*Avg bus bandwidth\s*:\s*(\S+)\s*(OK|FAILED)?\s*$")
FAILURE = re.compile(
    r".*(?:Test (?:[NR]CCL |CUDA |HIP )?failure|[NR]CCL failure|Invalid number of GPUs"
    r"|# ?error: |Error: .*is not supported|unhandled (?:cuda|system) error"
    r"|mpirun noticed that process|MPI_ABORT was invoked"
    r"|srun: error:|slurmstepd: error:|Segmentation fault|Bus error|Caught signal).*"
)
OWN_FAILURE = re.compile(r".*\b(?:Test|[NR]CCL|Test (?:[NR]CCL|CUDA|HIP)) failure\b.*\.(?:cu|cpp|h)[:.]\d+")

OLD_WARNING = re.compile(r".*\[\d+\] \S+\.(?:h|cc?|cu):\d+ WARN \S.*")
"""A warning of NCCL 2.0 to 2.2, which does not name the library; later ones are debug output (src/debug.cc)."""

METRICS = {
    "time": (Metric.TIME, "us"),
    "cputime": (Metric.TIME, "us"),
    "algbw": (Metric.ALGBW, "GB/s"),
    "busbw": (Metric.BUSBW, "GB/s"),
    "#wrong": (Metric.WRONG, "elements"),
    "i_min": (Metric.LATENCY_MIN, "us"),
    "i_max": (Metric.LATENCY_MAX, "us"),
    "i_p99": (Metric.LATENCY_P99, "us"),
}
TYPES = (
    *("int8", "uint8", "int32", "uint32", "int64", "uint64"),
    *("half", "float", "double", "bfloat16", "f8e4m3", "f8e5m2", "fp8_e4m3", "fp8_e5m2"),
)
_SPELLINGS = {"bytes": "size", "N": "count", "op": "redop"}  # of releases before 2019
SIZE_DIGITS = 18  # no message is larger; a number with more digits is damaged
ERROR_COLUMNS = ("error", "res")  # of releases before 2.13
FIRST = ("time", "cputime")  # the column a group of results starts with
OPTION_NAMES = {
    "warmup iters": "warmup_iterations",
    "warmupIters": "warmup_iterations",
    "iters": "iterations",
    "agg iters": "aggregated_iterations",
    "validation": "validation_iterations",
    "graph": "graph_launches",
    "unalign": "unalign",
}


@dataclass(slots=True)
class Columns:
    """The content of the column line: columns before the results, then one or two groups of results."""

    leading: list[str]
    groups: list[list[str]]
    stamped: bool
    time_unit: str = "us"
    cells: int = field(init=False)  # number of cells of a row; a time stamp is two cells
    results: list[tuple[int, int, Metric, str]] = field(init=False)  # of each result: cell, group, metric, unit
    errors: list[tuple[int, int]] = field(init=False)  # of each error of an element: cell and group

    def __post_init__(self) -> None:
        self.cells = len(self.leading) + sum(len(group) for group in self.groups) + 2 * self.stamped
        names = [(index, name) for index, group in enumerate(self.groups) for name in group]
        self.results = [
            (position, index, METRICS[name][0], self.time_unit if name == "time" else METRICS[name][1])
            for position, (index, name) in enumerate(names, len(self.leading))
            if name in METRICS
        ]
        self.errors = [
            (position, index)
            for position, (index, name) in enumerate(names, len(self.leading))
            if name in ERROR_COLUMNS
        ]


def parse_processes(launcher: str) -> int | None:
    """The number of processes that a command starts, by the options before its program; None without a launcher."""
    count = _PROCESSES.search(launcher)
    return int(count.group(1)) if count else None


def parse_workers(options: str) -> int:
    """The number of ranks of each process by the options of its program: threads and GPUs of each, 1 by default."""
    counts = dict(_WORKERS.findall(_NEXT_COMMAND.split(options, maxsplit=1)[0]))
    return int(counts.get("t", 1)) * int(counts.get("g", 1))


_NEXT_COMMAND = re.compile(r"&&|[;|]")
_WORKERS = re.compile(r"(?<=\s)(?:-|--n)(t|g)(?:hreads|pus)?[ =]*([1-9]\d{0,3})(?!\S)")  # src/common.cu, getopt_long
_PROCESSES = re.compile(r"\b(?:mpirun|mpiexec|prterun|srun)\b.*?\s(?:-n|-np|--np|--ntasks)[ =]+([1-9]\d{0,5})(?!\S)")


def parse_command_variables(text: str) -> dict[str, str]:
    """The variables of NCCL that a command line sets."""
    separated = _EXPORT.sub(lambda option: option[0].replace(",", " "), text)
    return dict(_COMMAND_VARIABLE.findall(separated))


def parse_columns(text: str) -> Columns | None:
    """The columns of a line, if it is the column line of a table."""
    if "busbw" not in text:
        return None
    words = text.replace("#wrong", "\0wrong").replace("#", " ").replace("\0", "#").split()
    if not words:
        return None
    time_unit = "ms" if words[0] == "bytes" else "us"  # releases before 2019 print milliseconds without their unit
    words = [_SPELLINGS.get(word, word) for word in words]
    if not {"size", "count", "algbw", "busbw"} <= set(words) or words[0] != "size":
        return None
    starts = [index for index, word in enumerate(words) if word in FIRST]
    if not 1 <= len(starts) <= 2:  # more than two: two tables side by side
        return None
    stamped = words[-1] == "timestamp"
    words = words[:-1] if stamped else words
    bounds = [*starts, len(words)]
    groups = [words[bounds[index] : bounds[index + 1]] for index in range(len(starts))]
    return Columns(words[: starts[0]], groups, stamped, time_unit)


def derive_columns(cells: list[str]) -> Columns | None:
    """The columns of a row whose column line is missing, if the row's numbers prove them.

    Since 2019 a row is size, count, type, then operation and root or one of them or none, and twice time, two
    bandwidths and an error; size over time is the first bandwidth, up to rounding.
    """
    leading = len(cells) - 8
    if (
        not 3 <= leading <= 5
        or len(cells[0]) > SIZE_DIGITS
        or not cells[0].isdecimal()
        or not cells[1].isdecimal()
        or cells[2] not in TYPES
    ):
        return None
    names = {3: [], 4: ["redop" if cells[3].isalpha() else "root"], 5: ["redop", "root"]}[leading]
    size = int(cells[0])
    for start in (leading, leading + 4):
        time, algbw, busbw = (number(cell) for cell in cells[start : start + 3])
        if not time or algbw is None or busbw is None or abs(size / time / 1000 - algbw) > 0.006 + 0.01 * algbw:
            return None
    counts = cells[leading + 3].isdecimal() or cells[leading + 7].isdecimal()
    group = ["time", "algbw", "busbw", "#wrong" if counts else "error"]
    return Columns(["size", "count", "type", *names], [group, group], stamped=False)


_ROUNDING = 0.005  # GB/s: bandwidths have two decimals
_MIN_BANDWIDTH = 0.3  # GB/s; below, rounding hides the factor
_MANY_RANKS = 100_000  # ranks
_LIKELY = 1024  # maximum number of ranks of a job whose log names none
_ANY_RANKS = (0,)  # any number of ranks
_SCALES = {
    "all_reduce": 2,
    **dict.fromkeys(("all_gather", "reduce_scatter", "alltoall", "gather", "scatter"), 1),
}
_NO_OPERATION = "none"
_NO_ROOT = "-1"
INFERRED_COLLECTIVE, INFERRED_RANKS = "collective", "ranks"


def find_collective(draft: Draft, columns: Mapping[str, set[str]]) -> None:
    """Set the test and the ranks of a run whose log does not state them, if its table proves them.

    The bus bandwidth is the algorithm bandwidth times a factor of the collective and its n ranks (nccl-tests
    doc/PERFORMANCE.md and the ``GetBw`` functions of src/*.cu): 2(n-1)/n for all-reduce, (n-1)/n for all-gather,
    reduce-scatter, all-to-all, gather and scatter, 1 for the others. The columns of operation and root divide these
    further, and so does whether data are checked in place. What several collectives fit is not inferred.
    """
    bounds = _bound_factor(draft)
    if bounds is None:
        return
    if draft.test is not None:
        _infer_ranks(draft, _find_counts(_SCALES[draft.test], bounds) if draft.test in _SCALES else ())
        return
    operations, roots = columns.get("redop", set()), columns.get("root", set())
    if len(operations) > 1 or len(roots) > 1:
        return
    ranks = draft.ranks
    candidates = [
        (test, counts)
        for test, counts in _list_candidates(
            next(iter(operations), None), next(iter(roots), None), _checks_in_place(draft), bounds
        )
        if counts == _ANY_RANKS or (ranks in counts if ranks is not None else counts and counts[0] <= _LIKELY)
    ]
    if len(candidates) != 1:
        return
    draft.test, counts = candidates[0]
    draft.parameters.inferred = INFERRED_COLLECTIVE
    _infer_ranks(draft, counts)


def _infer_ranks(draft: Draft, counts: Sequence[int]) -> None:
    """Set the ranks if no line states them and their number is the only one that fits."""
    if draft.ranks is None and len(counts) == 1 and counts != _ANY_RANKS:
        draft.ranks = counts[0]
        inferred = (draft.parameters.inferred, INFERRED_RANKS)
        draft.parameters.inferred = ", ".join(name for name in inferred if name)


def _list_candidates(
    operation: str | None, root: str | None, checks_in_place: bool | None, bounds: tuple[float, float]
) -> list[tuple[str, Sequence[int]]]:
    """Collectives with the columns of the table, and the numbers of ranks that their factor allows.

    Columns: ``TimeTest`` in src/*.cu. Sendrecv prints a root (-1) and its operation, though it reduces nothing, since
    release 2.13, and neither before; hypercube leaves the operation blank. Sendrecv and all-to-all check no data in
    place (``reportErrors``), so that all-reduce of two ranks and sendrecv, both with factor 1, differ there only.
    """
    any_count = _ANY_RANKS if bounds[0] <= 1 <= bounds[1] else ()
    reduces = operation not in (None, _NO_OPERATION)
    if root not in (None, _NO_ROOT):
        return [("reduce" if reduces else "broadcast", any_count)]
    of_all, of_most = _find_counts(2, bounds), _find_counts(1, bounds)
    if reduces:
        reducing = [("all_reduce", of_all), ("reduce_scatter", of_most)] if checks_in_place is not False else []
        return reducing + ([("sendrecv", any_count)] if root is not None and not checks_in_place else [])
    if checks_in_place is None:
        return []
    if checks_in_place:
        return [("all_gather", of_most), *([("hypercube", of_most)] if operation is None else [])]
    return [("alltoall", of_most), ("sendrecv", any_count), *([("alltoallv", of_most)] if operation is None else [])]


def _find_counts(scale: int, bounds: tuple[float, float]) -> Sequence[int]:
    """The numbers n of ranks for which ``scale * (n - 1) / n`` is within the bounds."""
    low, high = bounds
    if low >= scale:
        return ()
    first = max(2, math.ceil(scale / (scale - low) - 1e-9))
    if scale * (first - 1) / first > high:
        return ()
    last = math.floor(scale / (scale - high) + 1e-9) if high < scale else first + _MANY_RANKS
    return range(first, last + 1)


def _bound_factor(draft: Draft) -> tuple[float, float] | None:
    """The lowest and highest factor that every row allows; None if rows contradict each other or are too small."""
    bandwidths: dict[tuple[int, str | None], dict[Metric, float]] = {}
    for measurement in draft.measurements:
        if measurement.metric in (Metric.ALGBW, Metric.BUSBW):
            bandwidths.setdefault((measurement.line, measurement.label), {})[measurement.metric] = measurement.value
    low, high = 0.0, math.inf
    for row in bandwidths.values():
        algorithm, bus = row.get(Metric.ALGBW), row.get(Metric.BUSBW)
        if algorithm is None or bus is None or min(algorithm, bus) < _MIN_BANDWIDTH:
            continue
        low = max(low, (bus - _ROUNDING) / (algorithm + _ROUNDING))
        high = min(high, (bus + _ROUNDING) / (algorithm - _ROUNDING))
    return (low, high) if low <= high < math.inf else None


def _checks_in_place(draft: Draft) -> bool | None:
    """Whether the table has a number of wrong elements in place; None if it has none out of place either."""
    labels = {measurement.label for measurement in draft.measurements if measurement.metric is Metric.WRONG}
    return ("in-place" in labels) if "out-of-place" in labels else None
