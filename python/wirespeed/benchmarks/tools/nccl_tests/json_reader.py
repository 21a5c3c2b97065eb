"""nccl-tests -J: the JSON report (src/util.cu, versions 1 and 2 of its format)."""

from __future__ import annotations

import re

from wirespeed.benchmarks.logs.json_documents import Document, Node
from wirespeed.benchmarks.logs.log import Source
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, find_missing_rows
from wirespeed.results.benchmarks import Metric

LOOKS_FOR = "the JSON of nccl-tests ('args', 'config', 'results')"
IDENTIFYING_TEXTS = ('"nccl_version"', '"nthreads"')

_ROOT = re.compile(r"-?[0-9]{1,9}")  # -1: no root
_SETTINGS = {
    "nthreads": "threads_per_process",
    "ngpus": "gpus_per_thread",
    "minimum_bytes": "min_message_bytes",
    "maximum_bytes": "max_message_bytes",
    "step_factor": "message_step_factor",
    "step_bytes": "message_step_bytes",
    "warmup_iters": "warmup_iterations",
    "iterations": "iterations",
    "aggregated_iterations": "aggregated_iterations",
    "validation": "validation_iterations",
    "graph": "graph_launches",
}
_VALUES = {
    "time": (Metric.TIME, "us"),
    "cpu_time": (Metric.TIME, "us"),
    "alg_bw": (Metric.ALGBW, "GB/s"),
    "bus_bw": (Metric.BUSBW, "GB/s"),
    "nwrong": (Metric.WRONG, "elements"),
}
_LABELS = {"out_of_place": "out-of-place", "in_place": "in-place"}


def read(log: Source) -> list[ReadRun]:
    """Every JSON report of nccl-tests in the log."""
    return [_read_run(document) for document in log.documents if _is_nccl(document.root)]


def _is_nccl(root: Node) -> bool:
    return root.get("nccl_version") is not None or (
        root.get("config", "nthreads") is not None and root.get("config", "ngpus") is not None
    )


def _read_run(document: Document) -> ReadRun:
    root = document.root
    draft = Draft("nccl-tests", document.first)
    arguments = root.get("args")
    program = arguments.items()[0].value if arguments is not None and arguments.items() else None
    if isinstance(program, str):
        draft.test = program.rpartition("/")[2].removesuffix("_mpi").removesuffix("_perf")
    for name, parameter in _SETTINGS.items():
        node = root.number("config", name)
        if node is not None and isinstance(node.value, int):
            draft.parameters.read_setting(parameter, node.value)
    _read_devices(draft, root)
    results = root.get("results")
    for row in results.items() if results is not None else []:
        _read_row(draft, row)
    average = root.number("average_bus_bandwidth", "bandwidth")
    if average is not None and isinstance(average.value, int | float):
        draft.measure(Metric.AVG_BUSBW, "GB/s", average.value, average.line)
    bounds = root.text("out_of_bounds", "okay")
    if bounds == "false":
        count = root.number("out_of_bounds", "count")
        draft.fail(f"Out of bounds values: {count.value if count else 'some'}")
    if root.text("average_bus_bandwidth", "okay") == "false":
        draft.fail("Avg bus bandwidth below the required minimum")
    errors = root.get("errors")
    for error in errors.items() if errors is not None else []:
        if isinstance(error.value, str) and error.value:
            draft.fail(error.value)
    row_count = len(results.items()) if results is not None else 0
    missing_rows = find_missing_rows(draft, row_count) if row_count else None
    if missing_rows is not None:
        draft.notice(draft.measurements[-1].line if draft.measurements else draft.line, *missing_rows)
    draft.complete = document.problem is None and average is not None and missing_rows is None
    return draft.finish()


def _read_devices(draft: Draft, root: Node) -> None:
    devices = root.get("config", "devices") or root.get("devices")
    if devices is None or root.get("results") is None:  # a cut list gives no number of ranks
        return
    ranks = [rank.value for device in devices.items() if (rank := device.number("rank")) is not None]
    names = {name for device in devices.items() if (name := device.text("device_info"))}
    hosts = {name for device in devices.items() if (name := device.text("hostname"))}
    if ranks:
        draft.ranks = max(int(rank) for rank in ranks if isinstance(rank, int)) + 1
        draft.parameters.nodes = len(hosts)
        draft.parameters.host_names = ",".join(sorted(hosts)) or None
    if len(names) == 1:
        draft.parameters.gpu_model = names.pop()


def _read_row(draft: Draft, row: Node) -> None:
    size = row.number("size")
    if size is None or not isinstance(size.value, int):
        return
    for name, parameter in (("type", "datatype"), ("redop", "reduction")):
        text = row.text(name)
        if text is not None:
            draft.parameters.read_setting(parameter, text)
    root = (row.text("root") or "").strip()
    if _ROOT.fullmatch(root) is not None:
        draft.parameters.read_setting("root_rank", int(root))
    for key, label in _LABELS.items():
        for name, (metric, unit) in _VALUES.items():
            node = row.number(key, name)
            if node is not None and isinstance(node.value, int | float):
                draft.measure(metric, unit, node.value, node.line, size.value, label)
