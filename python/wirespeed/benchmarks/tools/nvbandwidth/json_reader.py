"""nvbandwidth -j: the JSON report (json_output.cpp), a run for each of its tests.

The tool writes its keys in alphabetical order: its version follows the tests, and a cut report lacks it. The key
``git_version`` precedes the tests, and is used as the version.
"""

from __future__ import annotations

import re

from wirespeed.benchmarks.logs.json_documents import Document, Node
from wirespeed.benchmarks.logs.log import Source
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun
from wirespeed.benchmarks.tools.nvbandwidth.patterns import complete_address, describe, join_addresses, matrix

LOOKS_FOR = "the JSON of nvbandwidth ('nvbandwidth', 'testcases')"
IDENTIFYING_TEXTS = ('"nvbandwidth"',)

_DEVICE = re.compile(r"\d+: .+? \(([0-9a-f:]+)\)(?:: .*)?")


def read(log: Source) -> list[ReadRun]:
    """Every test of every JSON report of nvbandwidth in the log."""
    runs = []
    for document in log.documents:
        report = document.root.get("nvbandwidth")
        if report is not None and isinstance(report.value, dict):
            runs += _read_report(document, report)
    return runs


def _read_report(document: Document, report: Node) -> list[ReadRun]:
    tests = report.get("testcases")
    error = report.text("error")
    runs = [_read_test(report, test, document) for test in (tests.items() if tests is not None else [])]
    if not runs and not error and tests is None:
        return []  # another document with this key, such as a list of package versions
    if error or not runs:
        draft = _create_draft(report, report.line)
        draft.fail(error or "")
        draft.complete = document.problem is None
        runs.insert(0, draft.finish())
    return runs


def _create_draft(report: Node, line: int) -> Draft:
    draft = Draft("nvbandwidth", line, version=report.text("git_version") or None)
    runtime = report.number("CUDA Runtime Version")
    if runtime is not None:
        draft.parameters.cuda_runtime_version = str(runtime.value)
    driver = report.text("Driver Version")
    if driver:
        draft.parameters.gpu_driver = driver
    devices = report.get("GPU Device list")
    if devices is not None and report.get("testcases") is not None:  # a cut list gives no number of GPUs
        draft.parameters.gpus = len(devices.items())
        listed = (_DEVICE.fullmatch(str(device.value)) for device in devices.items())
        addresses = [complete_address(match.group(1)) for match in listed if match is not None]
        known_addresses = [address for address in addresses if address is not None]
        draft.parameters.gpu_addresses = join_addresses(known_addresses, draft.parameters.gpus)
    return draft


def _read_test(report: Node, test: Node, document: Document) -> ReadRun:
    draft = _create_draft(report, test.line)
    draft.test = test.text("name")
    description = test.text("bandwidth_description")
    rows = test.get("bandwidth_matrix")
    if draft.test is not None and description and rows is not None:  # the name follows the matrix
        describe(draft, description.strip())
        _read_matrix(draft, description.strip(), rows.items())
    status, error = test.text("status"), test.text("error")
    if status in ("Error", "Not Found") or error:
        draft.fail(error or f"status {status}")
    if status == "Waived":
        draft.parameters.waived = True
        draft.has_table = False
    draft.complete = status in ("Passed", "Waived")
    return draft.finish()


def _read_matrix(draft: Draft, description: str, rows: list[Node]) -> None:
    if not rows:
        return
    table = matrix(draft.test, description, [str(column) for column in range(len(rows[0].items()))], {})
    parts = len(rows) - table.rows
    if parts > 0:  # a test of several matrices describes the last one only
        draft.notice(rows[0].line, f"{parts} rows before the matrix have no test name: left out")
    for index, row in enumerate(rows[max(parts, 0) :]):
        table.take(draft, str(index), [str(cell.value) for cell in row.items()], row.line)
