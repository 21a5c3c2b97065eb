"""Tables of runs: what is laid out here is what Rich lays out, and what does not fit is folded."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from wirespeed.benchmarks import parse
from wirespeed.cli import bench_table

LOG = """# OSU MPI Bandwidth Test v7.5
# Datatype: MPI_CHAR.
# Size      Bandwidth (MB/s)        Validation
1                       0.90              Pass
4194304             23989.54              Pass
"""


def _print_table(monkeypatch: pytest.MonkeyPatch, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    monkeypatch.setattr(bench_table, "standard_output", lambda: console)
    (run,) = parse(LOG)
    bench_table._print_grid(bench_table._build_table(run.measurements))
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def _by_rich(width: int) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    (run,) = parse(LOG)
    console.print(bench_table._build_folding_table(bench_table._build_table(run.measurements)))
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize("width", [10, 20, 34, 80])
def test_rows_stand_as_rich_would_set_them(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    printed = _print_table(monkeypatch, width)
    assert printed == _by_rich(width)
    assert all(len(line) <= width for line in printed.splitlines())


def test_rows_that_fit_are_not_given_to_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        bench_table, "_build_folding_table", lambda grid: pytest.fail("Rich takes a millisecond for each row")
    )
    assert [line.split() for line in _print_table(monkeypatch, 80).splitlines()[-2:]] == [
        ["4", "1", "0.9", "0"],
        ["5", "4194304", "23989.54", "0"],
    ]
