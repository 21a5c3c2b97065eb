"""The meaning of a matrix of nvbandwidth, from the line above it: the unit, the rows, the direction of the data.

From NVIDIA/nvbandwidth testcases_ce.cpp, testcases_sm.cpp and multinode_testcases.cpp, releases 0.1 to 0.10. GB/s are
1e9 bytes per second (memcpy.cpp). The arrow of a label is the one the tool prints.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from wirespeed.benchmarks.logs.device_matrix import Matrix
from wirespeed.benchmarks.logs.run_draft import Draft
from wirespeed.results.benchmarks import Metric

DESCRIPTION = re.compile(r".*\b(?:bandwidth|[Ll]atency)\b.*\((?:GB/s|ns)\)")
BISECTION = "Bisect benchmarking, simultaneous write CE BW"  # its unit is not printed; memcpy.cpp computes GB/s
_SIDE = re.compile(r"(CPU|GPU)\((row|column)\)")
_PART = re.compile(r"\b(Read1|Read2|Write1|Write2|Total) bandwidth")
_ADDRESS = re.compile(r"([0-9a-f]+):([0-9a-f]+):([0-9a-f]+)")
_PAIRS = re.compile(r"device_to_device|^bisect|_bisect")

ARROWS = str.maketrans({"←": "<-", "→": "->", "↔": "<->"})
"""Arrows into which editors and web pages change the printed ones."""


def describe(draft: Draft, description: str) -> None:
    """Set the parameters that the description of a test contains."""
    if ("<->" in description and "bandwidth" in description) or "bidir" in (draft.test or ""):
        draft.parameters.bidirectional = True
    part = _PART.search(description)
    if part:
        draft.parameters.transfer_part = part.group(1).lower()
    engine = re.search(r"\b(CE|SM)\b", description)
    if engine:
        draft.parameters.copy_engine = engine.group(1)


def matrix(test: str | None, description: str, columns: Sequence[str], hosts: Mapping[str, str]) -> Matrix:
    """The matrix under a description; ``hosts`` maps devices to their host if a run has several hosts."""
    sides = {side: kind for kind, side in _SIDE.findall(description)}
    is_pairs = sides.get("row") == "GPU" and (test is None or _PAIRS.search(test) is not None)
    is_latency = "(ns)" in description

    def gpu(index: str) -> str:
        return f"{hosts[index]}:GPU{index}" if index in hosts else f"GPU{index}"

    def label(row: str, column: str) -> str | None:
        if description == BISECTION:
            return " -> ".join(gpu(index.strip()) for index in row.split("->"))
        if "column" not in sides:
            return None
        if sides.get("row") == "CPU":  # one row: the memory beside each GPU
            return _format_arrow(description, "CPU" if row == "0" else f"CPU{row}", gpu(column))
        return _format_arrow(description, gpu(row), gpu(column)) if is_pairs else gpu(column)

    rows = len(hosts) if description == BISECTION else len(columns) if is_pairs else 1
    metric, unit = (Metric.LATENCY_AVG, "ns") if is_latency else (Metric.BW_AVG, "GB/s")
    return Matrix(columns, rows, metric, unit, label)


def _format_arrow(description: str, row: str, column: str) -> str:
    is_backward = "<-" in description and "<->" not in description
    return f"{column} -> {row}" if is_backward else f"{row} -> {column}"


def complete_address(printed: str | None) -> str | None:
    """The PCIe address of a GPU, of which the tool prints domain, bus and device: ``00000000:1b:00``."""
    match = _ADDRESS.fullmatch(printed or "")
    if match is None:
        return None
    domain, bus, device = (int(digits, 16) for digits in match.groups())
    return f"{domain:04x}:{bus:02x}:{device:02x}.0"


def join_addresses(addresses: Sequence[str], gpus: int) -> str | None:
    """The addresses of all GPUs of a host as one value; None where the tool prints them for some or for none."""
    return ", ".join(addresses) if addresses and len(addresses) == gpus else None
