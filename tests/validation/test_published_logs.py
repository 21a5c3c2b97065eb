"""What ``bench parse`` reads from logs rebuilt after published documents: every value that ``published.json`` holds.

None of these logs is a recording. Their first line states it and names the document; they are separate from the real
ones of ``tests/samples``, under ``examples/*/bench`` and ``tests/validation/reconstructed``. ``published.json`` also
holds the single results of the documents: tables without the output of a tool, and sentences.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from wirespeed.benchmarks import Reading, read

ROOT = Path(__file__).parents[2]
PUBLISHED: dict[str, Any] = json.loads(Path(__file__).with_name("published.json").read_text())
LOGS: dict[str, Any] = PUBLISHED["logs"]
VALUES: dict[str, list[list[Any]]] = PUBLISHED["values"]


def reading(log: str) -> Reading:
    return read((ROOT / log).read_text(), log)


# The rows of each table as counted in the documents: lines times the values of a line that the copy at hand prints.
ROWS_WITH_A_LOG = {
    ("000", "2.8.2"): 21 * 2 + 3,  # peak and message rate of 21 sizes, averages of three
    ("000", "8.5.1"): 32 * 6 + 1,
    ("000", "8.7.2.1.2"): 32 * 6 + 1,
    ("000", "8.7.2.1.1"): 32 * 3 + 4 + 1,  # one bandwidth out of place, two in place, four times, the average
    ("000", "8.7.2.2.1"): 10 * 6 + 22 + 1,  # ten whole lines, times out of place of the others, the average
    ("001", "Table 7"): 12 * 2,
    ("002", "A.3.9"): 8 * 4,
    # bitrate and transfer of two intervals, senders and receivers; retransmissions of intervals and senders; windows
    ("004", "Example run"): 4 * 9 * 2 + 3 * 9 + 2 * 8,
}
ROWS_WITHOUT_A_LOG = {
    "000 2.8.2, rows of 128 and 65536 B": 3,
    "000 FAQ 8": 2,
    "000 B.4": 3 * 8,
    "001 Confirm traffic flow": 3,
    "001 table 6": 6,
    "002 table 2.1": 6 * 6,
    "002 table 4.1": 4,
    "002 sections 4.3 and 5.1": 9,
    "003 slides": 26,
}


def test_every_row_of_the_documents_is_held() -> None:
    row_counts: dict[tuple[str, str], int] = defaultdict(int)
    for log in LOGS:
        row_counts[LOGS[log]["document"], LOGS[log]["section"]] += len(rows(log))
    assert row_counts == ROWS_WITH_A_LOG
    assert {table: len(values) for table, values in VALUES.items()} == ROWS_WITHOUT_A_LOG
    ids = [row[0] for log in LOGS for row in rows(log)] + [row[0] for table in VALUES.values() for row in table]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("log", LOGS)
def test_every_published_value_is_what_is_read(log: str) -> None:
    """In the order of the log: tables of all-to-all begin with several lines of 0 B."""
    found: dict[Any, list[Any]] = defaultdict(list)
    for number, run in enumerate(reading(log).runs):
        for measurement in run.measurements:
            key = number, measurement.metric.value, measurement.size_bytes, measurement.label
            found[key].append((measurement.unit, measurement.value))
    expected: dict[Any, list[Any]] = defaultdict(list)
    for _, _, run_number, metric, size, label, unit, value in rows(log):
        expected[run_number, metric, size, label].append((unit, value))
    assert expected
    assert {key: found.get(key) for key in expected} == expected


@pytest.mark.parametrize("log", LOGS)
def test_a_log_states_that_it_is_rebuilt_and_after_what(log: str) -> None:
    first = (ROOT / log).read_text().splitlines()[0]
    document = f"# Reconstructed from document {LOGS[log]['document']} ("
    section = LOGS[log]["section"]
    assert first.startswith(document)
    assert f"section {section}:" in first or f'section "{section}":' in first
    assert LOGS[log]["document"] in PUBLISHED["documents"]


def test_every_rebuilt_log_is_held_against_its_document() -> None:
    rebuilt = {*ROOT.glob("tests/validation/reconstructed/*"), *ROOT.glob("examples/*/bench/*.log")}
    without_values = ROOT / "examples/arista-leaf-spine/bench/ib-write-bw.log"  # its only row is left out
    assert {path.relative_to(ROOT).as_posix() for path in rebuilt - {without_values}} == set(LOGS)


def test_no_rebuilt_log_is_among_the_real_ones() -> None:
    for path in (ROOT / "tests" / "samples").rglob("*"):
        assert not path.is_file() or b"Reconstructed from document" not in path.read_bytes(), path


def test_only_what_a_document_prints_is_held() -> None:
    """Values computed from others and doubtful ones would prove nothing."""
    assert {status for log in LOGS for _, status, *_ in rows(log)} == {"printed", "reconstructed"}
    statuses = {status for table in VALUES.values() for _, status, *_ in table}
    assert statuses == {"printed", "reconstructed", "doubtful"}


def test_a_contradiction_names_two_different_values_of_one_document() -> None:
    values = {row[0]: row[-1] for table in VALUES.values() for row in table}
    values |= {row[0]: row[-1] for log in LOGS for row in rows(log)}
    doubtful = {row[0] for table in VALUES.values() for row in table if row[1] == "doubtful"}
    pairs = {(first, second) for first, second, _ in PUBLISHED["contradictions"]}
    assert pairs == {("001.t6.gpcnet.ar99.100g", "001.t7.100g.cong.ar_99.d")}
    for first, second in pairs:
        assert first in doubtful and first[:3] == second[:3] and values[first] != values[second]


def rows(log: str) -> list[list[Any]]:
    return list(LOGS[log]["rows"])
