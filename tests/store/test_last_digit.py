"""Printed values have few digits: a difference of the last one alone is no change."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.store.campaigns import add
from tests.store.commands import bench
from tests.store.test_comparison import read_comparison

from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters
from wirespeed.store import Store

LAST_DIGIT = "the values differ by their last printed digit (0.01) alone"


def runs(tool: str, metric: Metric, unit: str, values: list[float]) -> list[Run]:
    return [
        Run(
            tool,
            "all_reduce" if tool == "nccl-tests" else "ib_write_bw",
            None,
            RunStatus.COMPLETE,
            None,
            8,
            Parameters(),
            (Measurement(metric, unit, value, 8, None, 7),),
        )
        for value in values
    ]


@pytest.mark.parametrize(
    ("tool", "metric", "a", "b", "code", "difference", "change", "reason"),
    [
        ("nccl-tests", Metric.BUSBW, [0.01] * 5, [0.0] * 5, 0, "no significant change", None, LAST_DIGIT),
        ("nccl-tests", Metric.BUSBW, [0.0] * 5, [0.01] * 5, 0, "no significant change", None, LAST_DIGIT),
        ("nccl-tests", Metric.BUSBW, [0.03] * 5, [0.01] * 5, 1, "worse", -2 / 3, "p = 0.0079"),
        ("nccl-tests", Metric.BUSBW, [5.0] * 5, [4.0] * 5, 1, "worse", -0.2, "p = 0.0079"),
        ("nccl-tests", Metric.WRONG, [0] * 5, [1] * 5, 1, "worse", None, "p = 0.0079"),
        ("perftest", Metric.BW_AVG, [0.2] * 5, [0.1] * 5, 1, "worse", -0.5, "p = 0.0079"),  # decimals are not known
        # a value with more decimals shows that the tool prints them
        ("nccl-tests", Metric.BUSBW, [0.012345] * 5, [0.002345] * 5, 1, "worse", -0.81, "p = 0.0079"),
    ],
)
def test_the_last_printed_digit_is_no_change(
    tool: str,
    metric: Metric,
    a: list[float],
    b: list[float],
    code: int,
    difference: str,
    change: float | None,
    reason: str,
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.db"
    with Store(str(path)) as store:
        add(store, "a", runs(tool, metric, "GB/s", a), 1)
        add(store, "b", runs(tool, metric, "GB/s", b), 2)
    ran = bench("compare", "a", "b", "--store", path, "-f", "json")
    (row,) = read_comparison(ran)["series"]
    assert (ran.returncode, row["difference"], row["reason"]) == (code, difference, reason)
    assert row["change"] == (None if change is None else pytest.approx(change, rel=1e-2))


def test_single_values_show_the_rounding_in_place_of_a_percentage(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Store(str(path)) as store:
        add(store, "a", runs("nccl-tests", Metric.BUSBW, "GB/s", [0.01]), 1)
        add(store, "b", runs("nccl-tests", Metric.BUSBW, "GB/s", [0.0]), 2)
    ran = bench("compare", "a", "b", "--store", path)
    assert ran.returncode == 3
    assert "  busbw GB/s   8 B      0.01     1         0     1  rounding  too few values\n" in ran.stdout
    assert "rounding: the values of 1 series differ by their last printed digit alone\n" in ran.stdout


@pytest.mark.parametrize(
    ("tool", "metric", "value", "options", "expected"),
    [
        (
            "nccl-tests",
            Metric.BUSBW,
            0.11,
            (),
            "resolution: too few digits to show a change of 2.0 % in 1 series; "
            "the last digit is up to 9.1 % of the value\n"
            "  hint: compare --metric time, which is printed with more digits\n",
        ),
        ("nccl-tests", Metric.BUSBW, 0.11, ("--at-least", "10"), None),
        ("nccl-tests", Metric.BUSBW, 5.31, (), None),
        (
            "nccl-tests",
            Metric.TIME,
            0.11,
            (),
            "resolution: too few digits to show a change of 2.0 % in 1 series; "
            "the last digit is up to 9.1 % of the value\n\n",
        ),
        ("perftest", Metric.BW_AVG, 0.11, (), None),  # its decimals are not known from one value
    ],
)
def test_a_resolution_that_hides_a_change_is_stated(
    tool: str, metric: Metric, value: float, options: tuple[str, ...], expected: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "a.db"
    with Store(str(path)) as store:
        add(store, "a", runs(tool, metric, "GB/s", [value] * 6), 1)
        add(store, "b", runs(tool, metric, "GB/s", [value] * 6), 2)
    ran = bench("compare", "a", "b", "--store", path, *options)
    assert ran.returncode == 0
    assert ("resolution:" in ran.stdout) is (expected is not None)
    assert (expected or "") in ran.stdout
    assert ("run-to-run spread: 0.00 % (median over 1 series)" in ran.stdout) is (expected is None)
