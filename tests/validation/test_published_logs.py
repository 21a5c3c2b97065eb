"""What ``bench parse`` reads from logs rebuilt after published documents: every value that ``published.json`` holds.

None of these logs is a recording. Their first line states it and names the document; they are separate from the real
ones of ``tests/samples``, under ``examples/*/bench`` and ``tests/validation/reconstructed``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wirespeed.benchmarks import Reading, read

ROOT = Path(__file__).parents[2]
PUBLISHED: dict[str, Any] = json.loads(Path(__file__).with_name("published.json").read_text())
LOGS: dict[str, Any] = PUBLISHED["logs"]


def reading(log: str) -> Reading:
    return read((ROOT / log).read_text(), log)


@pytest.mark.parametrize("log", LOGS)
def test_every_published_value_is_what_is_read(log: str) -> None:
    found = {
        (number, measurement.metric.value, measurement.size_bytes, measurement.label): (
            measurement.unit,
            measurement.value,
        )
        for number, run in enumerate(reading(log).runs)
        for measurement in run.measurements
    }
    expected = {(run, metric, size, label): (unit, value) for _, _, run, metric, size, label, unit, value in rows(log)}
    assert len(expected) == len(rows(log)) > 0
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


def rows(log: str) -> list[list[Any]]:
    return list(LOGS[log]["rows"])
