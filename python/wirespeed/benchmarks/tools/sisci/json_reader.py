"""scibench2 -json and dma_bench -json: a run for each file, with a bandwidth and a time for each size.

From output of SISCI API 2.0.2 between two PXH810 (github.com/multiib/beegfs-thesis, benchmarks/dolphin/out): sizes in
bytes, ``MBytes/s`` of 1e6 bytes (65536 bytes in 12.44 us are 5269 MBytes/s). Nodes are the node IDs of dis_mkconf.
"""

from __future__ import annotations

import re

from wirespeed.benchmarks.logs.json_documents import Document, Node
from wirespeed.benchmarks.logs.log import Source
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun
from wirespeed.results.benchmarks import Metric

LOOKS_FOR = "the JSON of scibench2 or dma_bench (of -json FILE: 'Remote nodeId', 'results')"
IDENTIFYING_TEXTS = ('"Remote nodeId"',)

_VERSION = re.compile(r"SISCI API version (\S+)")
_VALUE = re.compile(r"(\d+(?:\.\d+)?) (us|MBytes/s)$")
_UNITS = {"us": "us", "MBytes/s": "MB/s"}
_COLUMNS = {
    "Throughput": Metric.BW_AVG,
    "Bandwidth": Metric.BW_AVG,
    "Average Send Latency": Metric.LATENCY_AVG,
    "Transfer time": Metric.LATENCY_AVG,
}


def read(log: Source) -> list[ReadRun]:
    """Every report of both programs in the log."""
    return [
        _read_report(document)
        for document in log.documents
        if document.root.text("Remote nodeId") is not None and document.root.get("results") is not None
    ]


def _read_report(document: Document) -> ReadRun:
    root = document.root
    is_dma = root.text("DMA engine") is not None
    version = _VERSION.search(root.text("SISCI API version") or root.text("SISCI API") or "")
    draft = Draft("dma_bench" if is_dma else "scibench2", root.line, version=version and version[1])
    direction = (root.text("Direction") or "").lower()
    draft.test = f"{'dma' if is_dma else 'pio'} {direction}".strip()
    draft.parameters.local_node = _find_node(root, "Local nodeId")
    draft.parameters.remote_node = _find_node(root, "Remote nodeId")
    results = root.get("results")
    for loop in _list_members(results):
        for row in _list_members(loop):
            _read_row(draft, row)
    draft.complete = document.problem is None
    return draft.finish()


def _find_node(root: Node, key: str) -> int | None:
    text = root.text(key) or ""
    return int(text) if text.isdecimal() else None


def _list_members(node: Node | None) -> list[Node]:
    return list(node.value.values()) if node is not None and isinstance(node.value, dict) else []


def _read_row(draft: Draft, row: Node) -> None:
    size = row.text("Segment size") or row.text("Message size") or ""
    if not size.isdecimal():
        return
    for name, metric in _COLUMNS.items():
        value = _VALUE.match(row.text(name) or "")
        if value is not None:
            draft.measure(metric, _UNITS[value[2]], float(value[1]), row.line, int(size))
