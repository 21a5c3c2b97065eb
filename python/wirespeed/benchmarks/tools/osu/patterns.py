"""The patterns of the OSU micro-benchmarks: titles, column names, settings, and error messages.

From c/util/osu_util.h, osu_util_mpi.c and the tests' own files of releases 3 to 7. A program ends at the largest
message that its sources set, unless its command line sets another one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wirespeed.benchmarks.logs.numbers import number
from wirespeed.results.benchmarks import Metric

TITLE = re.compile(r"#+\s*OSU\s+((?:One Sided )?\S.*?)(?:\s+v(\d[\w.-]*))?\s*$")
COLUMNS = re.compile(r"#?\s*(?:Size\b|Avg Latency ?\(us\)|Overall ?\(us\))")
WINDOWS = re.compile(r"#\s+(\d+(?:\s+\d+)+)$")
INIT = re.compile(r"nprocs: (\d+), min: (\d+)( ms)?, max: (\d+)(?: ms)?, avg: (\d+)(?: ms)?$")
HELLO = re.compile(r"This is a test with (\d+) processes$")
LIMITED = re.compile(
    r"Warning! Limiting max message size to: (\d+)\.? ?(?:Increase -M, --mem-limit for higher message sizes\.)?"
)
COMMAND = re.compile(r"(?<![\w.-])(?:\S*/)?(osu_[a-z_]+)(?=\s|$)(.*)")
USAGE = re.compile(r"Usage: (?:\S*/)?(osu_[a-z_]+)\b")
MAXIMUM = re.compile(r"(?:-m|--message-size)[ =]*(?:\d*:)?(\d+)(?=\s|$)")
BINDING_TITLE = re.compile(r"-+CPU AFFINITY-+$")
BINDING = re.compile(r"RANK: *(\d{1,6}) +CPU_SET: ?([ \d]*)$")
BINDING_WIDTHS = (4, 3)
"""A row of MVAPICH's table of MV2_SHOW_CPU_BINDING, and the widths of its columns, which have no separator.

Source: hwloc_bind.c, mv2_show_cpu_affinity, of MVAPICH2 2.3 (RANK:%2d, %4d) and of 2014 (RANK:%d, %3d).
"""
OWN_FAILURE = re.compile(
    r"(?:This (?:test|benchmark) requires (?:exactly|at least|an even number)"
    r"|\[\S*osu_\S+:\d+\] (?:Error: |Failed with|function call failed|CUDA call|ROCM call)"
    r"|DATA VALIDATION ERROR: |(?:CUDA|OPENACC|ROCM) support not enabled).*"
)
BAD_OPTION = re.compile(r"Invalid [Oo]ption\b.*")

SETTINGS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(pattern), names)
    for pattern, names in (
        (r"# \[ pairs: (\d+) \] \[ window size: (\w+) \]", ("pairs", "window_messages")),
        (r"# Window creation: (\S+)", ("window_creation",)),
        (r"# Synchronization: (\S+)", ("synchronization",)),
        (r"# Number of [Ss]ender threads: (\d+)", ("sender_threads",)),
        (r"# Number of [Rr]eceiver threads: (\d+)", ("receiver_threads",)),
        (r"# Number of [Ss]ender processes: (\d+)", ("sender_processes",)),
        (r"# Number of [Rr]eceiver processes: (\d+)", ("receiver_processes",)),
        (r"# Number of forked processes in sender: (\d+)", ("sender_processes",)),
        (r"# Number of forked processes in receiver: (\d+)", ("receiver_processes",)),
        (r"# Send Buffer on ([A-Z ]+?) \(\w+\) and Receive Buffer on ([A-Z ]+?) \(\w+\)",
         ("send_memory", "receive_memory")),
        (r"# Rank 0 Memory on ([A-Z ]+?) \(\w+\) and Rank 1 Memory on ([A-Z ]+?) \(\w+\)",
         ("send_memory", "receive_memory")),
        (r"# MPI_Init\(\) took ([\d.]+) msec", ("mpi_init_ms",)),
    )
)  # fmt: skip
DATATYPE = re.compile(r"# Datatype: (\w+)\.?$")

_ACCELERATOR = re.compile(r"-(CUDA MANAGED|CUDA|MANAGED|OPENACC|ROCM|SYCL)\b")
_LIBRARY = re.compile(r"(?:MPI|NCCL|XCCL|RCCL)(?=\s|_)")
_POINT_TO_POINT = {
    "latency": "latency",
    "bandwidth": "bw",
    "bi-directional bandwidth": "bibw",
    "multiple bandwidth / message rate": "mbw_mr",
    "multi latency": "multi_lat",
    "multi-threaded latency": "latency_mt",
    "multi-process latency": "latency_mp",
    "partitioned latency": "partitioned_latency",
    "bandwidth fan-in": "bw_fan_in",
    "bandwidth fan-out": "bw_fan_out",
    "put latency": "put_latency",
    "put bandwidth": "put_bw",
    "put bi-directional bandwidth": "put_bibw",
    "get latency": "get_latency",
    "get bandwidth": "get_bw",
    "accumulate latency": "acc_latency",
    "get_accumulate latency": "get_acc_latency",
    "fetch_and_op latency": "fop_latency",
    "compare_and_swap latency": "cas_latency",
}
_COLLECTIVES = {
    "all-to-all personalized exchange": "alltoall",
    "all-to-all": "alltoall",
    "all-to-allv personalized exchange": "alltoallv",
    "all-to-allv": "alltoallv",
    "all-to-allw personalized exchange": "alltoallw",
    "all-to-allw": "alltoallw",
    "broadcast": "bcast",
} | {
    name: name
    for name in (
        *("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier", "bcast", "gather"),
        *("gatherv", "reduce", "reduce_scatter", "reduce_scatter_block", "scatter", "scatterv"),
    )
}
_LARGEST_POINT_TO_POINT = 1 << 22  # MAX_MESSAGE_SIZE, osu_util.h
_LARGEST_COLLECTIVE = 1 << 20  # MAX_MSG_SIZE_COLL, osu_util.h
_ONE_WORD = 8  # the only size of osu_fop_latency.c and osu_cas_latency.c: sizeof(uint64_t)


@dataclass(frozen=True, slots=True)
class Title:
    """The content of a title: the program, the memory of its buffers, its largest message."""

    program: str | None
    accelerator: str | None
    largest: int | None


def parse_title(text: str) -> Title:
    """The content of the title of a report, without "OSU" and the version."""
    accelerator = _ACCELERATOR.search(text)
    title = _ACCELERATOR.sub("", text)
    library = _LIBRARY.search(title)
    title = re.sub(r"\bOne Sided\b|\bTest\b|\bMPI_?|\b[NXR]CCL\b", " ", title).lower()
    title = " ".join(title.split())
    prefix, suffix = "", ""
    if " persistent" in f" {title}":
        title, suffix = " ".join(title.replace("persistent", " ").split()), "_persistent"
    if title.startswith("neighborhood "):
        title, prefix = title.removeprefix("neighborhood "), "neighbor_"
    if title.startswith("non-blocking "):
        title, prefix = title.removeprefix("non-blocking "), "i"
        if title.startswith(("neighborhood ", "neighbor ")):
            title, prefix = title.partition(" ")[2], "ineighbor_"
    library_prefix = "" if library is None or library.group() == "MPI" else f"{library.group().lower()}_"
    device = accelerator.group(1).lower() if accelerator else None
    if title in _POINT_TO_POINT and not prefix:
        name = _POINT_TO_POINT[title]
        largest = _ONE_WORD if name in ("fop_latency", "cas_latency") else _LARGEST_POINT_TO_POINT
        return Title(f"osu_{library_prefix}{name}{suffix}", device, largest)
    title = title.removesuffix(" latency")
    if title in _COLLECTIVES:
        return Title(f"osu_{library_prefix}{prefix}{_COLLECTIVES[title]}{suffix}", device, _LARGEST_COLLECTIVE)
    startup = {"init": "osu_init", "hello world": "osu_hello"}.get(title)
    return Title(startup, device, None)


def is_same_program(first: str, second: str) -> bool:
    """Whether two names mean the same program: osu_nccl_* of older releases is osu_xccl_* of newer ones."""
    return re.sub(r"^osu_[nxr]ccl_", "osu_xccl_", first) == re.sub(r"^osu_[nxr]ccl_", "osu_xccl_", second)


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table. ``metric`` is None where its name is not known."""

    name: str
    metric: Metric | None = None
    unit: str = ""
    label: str | None = None


_METRICS: dict[str, tuple[Metric, str]] = {
    "mb/s": (Metric.BW_AVG, "MB/s"),
    "messages/s": (Metric.MSG_RATE, "msg/s"),
    "latency(us)": (Metric.LATENCY_AVG, "us"),
    "avglatency(us)": (Metric.LATENCY_AVG, "us"),
    "minlatency(us)": (Metric.LATENCY_MIN, "us"),
    "maxlatency(us)": (Metric.LATENCY_MAX, "us"),
    "iterations": (Metric.ITERATIONS, "iterations"),
    "validation": (Metric.WRONG, "failures"),
    "transmitsize": (Metric.TRANSFER, "B"),
    "overall(us)": (Metric.TIME, "us"),
    "compute(us)": (Metric.COMPUTE, "us"),
    "coll.init(us)": (Metric.COLL_INIT, "us"),
    "mpi_test(us)": (Metric.COLL_TEST, "us"),
    "mpi_wait(us)": (Metric.COLL_WAIT, "us"),
    "purecomm.(us)": (Metric.COMM_AVG, "us"),
    "mincomm.(us)": (Metric.COMM_MIN, "us"),
    "maxcomm.(us)": (Metric.COMM_MAX, "us"),
    "overlap(%)": (Metric.OVERLAP, "%"),
}
_NAME = re.compile(r"(?:\S.*?)??(?:\([^)]*\)|[KMG]B/s|Messages/s|Iterations|Validation|Size)(?=\s|$)")
_TAIL = re.compile(r"p(\d+(?:\.\d+)?)tail(lat|bw)\((us|mb/s)\)")
_PERCENTILES = {
    ("lat", "50"): Metric.LATENCY_P50,
    ("lat", "90"): Metric.LATENCY_P90,
    ("lat", "95"): Metric.LATENCY_P95,
    ("lat", "99"): Metric.LATENCY_P99,
    ("bw", "99"): Metric.BW_P99,
}


def parse_columns(text: str) -> tuple[bool, list[Column]] | None:
    """Whether rows start with a size, and the columns after it, when ``text`` is a column line."""
    if not COLUMNS.match(text) or WINDOWS.match(text):
        return None
    names = text.lstrip("# \t")
    sized = names.startswith("Size")
    named_columns = [_parse_column(name) for name in _NAME.findall(names.removeprefix("Size"))]
    other_names = _NAME.sub("", names.removeprefix("Size")).split()
    columns = [*named_columns, *(Column(name) for name in other_names)]
    if not columns or (not any(column.metric for column in columns) and "(" not in names):
        return None
    return sized, columns


def _parse_column(name: str) -> Column:
    plain = "".join(name.split()).lower()
    tail = _TAIL.fullmatch(plain)
    if tail:
        rank, kind, unit = tail.groups()
        metric = _PERCENTILES.get((kind, rank))
        other_metric = Metric.LATENCY_PERCENTILE if kind == "lat" else Metric.BW_PERCENTILE
        return Column(name, metric or other_metric, "us" if unit == "us" else "MB/s", None if metric else f"P{rank}")
    if plain.endswith("bandwidth(mb/s)"):
        return Column(name, Metric.BW_AVG, "MB/s")
    metric_and_unit = _METRICS.get(plain)
    return Column(name, *metric_and_unit) if metric_and_unit else Column(name)


def parse_value(column: Column, cell: str) -> int | float | None:
    """The number in a cell; 0 for a passed and 1 for a failed validation."""
    if column.metric is Metric.WRONG:
        return {"pass": 0, "fail": 1}.get(cell.lower())
    return number(cell)
