"""The words of nccl-tests and rccl-tests: what stands around a table, and the table's columns.

From nccl-tests src/common.cu and src/util.cu, rccl-tests src/common.cu, and their releases since 2.0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wirespeed.results.benchmarks import Metric

NCCL_DEBUG = re.compile(r"(?:(?<=\s)|^)[A-Za-z][\w.-]*:\d+:\d+ \[\d+\] NCCL (?:INFO|WARN|TRACE|ERROR|VERSION)\b.*")
PROGRAM = re.compile(
    r"(?<![\w.-])(?:\S*/)?((?:all_?reduce|all_?gather|all_?to_?all|reduce|broadcast|send_?recv|scatter|gather|hypercube"
    r"|bisection)[a-z0-9_]*?)_perf(?:_mpi)?(?![\w.])"
)
ENVIRONMENT = re.compile(r"NCCL INFO ([NR]CCL_\w+) set by environment to (\S+?)\.?$")
STARTING = re.compile(r"#?\s*Collective test starting: (\S+)")
CONCLUDED = re.compile(r"#?\s*Collective test concluded: (\S+)")
VERSION = re.compile(r"#?\s*nccl-tests version (\S+)(?: nccl-headers=(\d+))?(?: nccl-library=(\d+))?")
RCCL_VERSION = re.compile(r"#?\s*rccl-tests: Version (\S+)")
LIBRARY = re.compile(r".*?\b[NR]CCL version\s*:?\s*(\d[\w.+-]*)")
OPTIONS = re.compile(
    r"#?\s*nThreads?:? (\d+) +nGpus:? (\d+) +(nRanks: \d+ +)?minBytes:? (\d+) +maxBytes:? (\d+)"
    r" +step: (\d+)\((factor|bytes)\)(.*)"
)  # rccl-tests before 2024 name the ranks on a GPU here, and set colons
RANK = re.compile(
    r"#?\s*Rank\s+(\d+)(?:\s+Group\s+(\d+))?(?:\s+Pid\s+\S+)?\s+on\s+(\S+)\s+device\s+\d+\s+\[[^\]]*\]\s*(.*)"
)
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
_SPELLINGS = {"bytes": "size", "N": "count", "op": "redop"}  # of releases before 2019
FIRST = ("time", "cputime")  # the column a group of results starts with
OPTION_NAMES = {
    "warmup iters": "warmup_iterations",
    "warmupIters": "warmup_iterations",
    "iters": "iterations",
    "agg iters": "aggregated_iterations",
    "validation": "validation",
    "graph": "graph",
    "unalign": "unalign",
}


@dataclass(slots=True)
class Columns:
    """What the column line says: columns before the results, then one or two groups of results."""

    left: list[str]
    groups: list[list[str]]
    stamped: bool
    time_unit: str = "us"

    @property
    def cells(self) -> int:
        """How many cells a row has; a time stamp is two."""
        return len(self.left) + sum(len(group) for group in self.groups) + 2 * self.stamped


def columns_of(text: str) -> Columns | None:
    """The columns a line names, when it is the column line of a table."""
    if "busbw" not in text:
        return None
    words = text.replace("#wrong", "\0wrong").replace("#", " ").replace("\0", "#").split()
    if not words:
        return None
    time_unit = "ms" if words[0] == "bytes" else "us"  # releases before 2019 print milliseconds and do not say so
    words = [_SPELLINGS.get(word, word) for word in words]
    if not {"size", "count", "algbw", "busbw"} <= set(words) or words[0] != "size":
        return None
    starts = [index for index, word in enumerate(words) if word in FIRST]
    if not 1 <= len(starts) <= 2:  # more are two tables side by side
        return None
    stamped = words[-1] == "timestamp"
    words = words[:-1] if stamped else words
    bounds = [*starts, len(words)]
    groups = [words[bounds[index] : bounds[index + 1]] for index in range(len(starts))]
    return Columns(words[: starts[0]], groups, stamped, time_unit)
