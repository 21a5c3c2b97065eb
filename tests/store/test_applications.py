"""Times and rates of applications in `bench compare` and `bench history`: less time and a higher rate are better."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.store.commands import bench
from tests.store.test_comparison import read_comparison

SAMPLES = Path(__file__).parents[1] / "samples"

RESULTS = {
    "gromacs/md.txt": ("34406.400", "134.400    25600", "1.287", "18.648"),
    "openfoam/simpleFoam.txt": ("9.74 s  ClockTime = 11 s",),
    "cp2k/h2o-dft-ls.txt": ("52.402   52.404",),
    "wrf/conus.txt": ("6.20117", "0.36523", "0.36107", "0.36398"),
}
"""Times and rates of a sample as printed."""


def scale(text: str, factor: float) -> str:
    """The numbers with a decimal point, and clock times, times a factor."""
    cells = text.split(" ")
    changed = [f"{float(cell) * factor:.{len(cell.partition('.')[2])}f}" if "." in cell else cell for cell in cells]
    return " ".join(changed).replace("= 11 s", f"= {round(1100 * factor)} s")


def write_logs(folder: Path, factor: float) -> Path:
    """Four logs of each application, whose times are those of its sample times a factor; its rate divided by it."""
    folder.mkdir()
    for repetition in range(4):
        of_run = factor * (1 + repetition / 500)
        for name, printed in RESULTS.items():
            text = (SAMPLES / name).read_text(encoding="utf-8")
            for cell in printed:
                text = text.replace(cell, scale(cell, 1 / of_run if cell == "1.287" else of_run))
            (folder / f"{name.partition('/')[0]}-{repetition}.log").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(("factor", "difference", "code"), [(0.5, "better", 0), (2.0, "worse", 1)])
def test_an_application_that_needs_less_time_is_better(
    factor: float, difference: str, code: int, tmp_path: Path
) -> None:
    ran = bench("compare", write_logs(tmp_path / "a", 1), write_logs(tmp_path / "b", factor), "-f", "json")
    rows = {
        (row["series"]["tool"], row["series"]["metric"], row["series"]["label"]): (row["difference"], row["change"])
        for row in read_comparison(ran)["series"]
    }
    rate = pytest.approx(1 / factor - 1, abs=0.02)
    time = pytest.approx(factor - 1, abs=0.02)
    assert ran.returncode == code
    assert rows == {
        ("CP2K", "run_time", "average of ranks"): (difference, time),
        ("CP2K", "run_time", "slowest rank"): (difference, time),
        ("GROMACS", "run_time", "core"): (difference, time),
        ("GROMACS", "run_time", "wall"): (difference, time),
        ("GROMACS", "simulation_rate", None): (difference, rate),
        ("GROMACS", "time_per_ns", None): (difference, time),
        ("OpenFOAM", "run_time", "CPU"): (difference, time),
        ("OpenFOAM", "run_time", "wall"): (difference, time),
        ("WRF", "run_time", "domain 1"): (difference, time),
        ("WRF", "step_time", "domain 1"): (difference, time),
    }


def test_another_input_is_another_series(tmp_path: Path) -> None:
    a, b = write_logs(tmp_path / "a", 1), write_logs(tmp_path / "b", 1)
    for name, printed, changed in (
        ("gromacs", "benchPEP.tpr", "benchPEP-h.tpr"),
        ("openfoam", "run1/motorBike", "run1/cavity"),
        (
            "cp2k",
            "Atoms:                                       6144",
            "Atoms:                                        768",
        ),
        ("wrf", "1        1501", "1         425"),
    ):
        for log in b.glob(f"{name}-*.log"):
            text = log.read_text(encoding="utf-8")
            assert printed in text
            log.write_text(text.replace(printed, changed), encoding="utf-8")
    ran = bench("compare", a, b, "-f", "json")
    assert ran.returncode == 3
    assert read_comparison(ran)["series"] == []


def test_the_history_of_an_application_has_its_change(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    for night in range(1, 11):
        folder = write_logs(tmp_path / f"night{night}", 1 if night < 6 else 1.3)
        logs = sorted(folder.glob("wrf-*.log"))
        bench("parse", *logs, "--store", store, "--label", f"night{night}", "--time", f"2026-01-{night:02}")
    ran = bench("history", "--store", store, "--metric", "step_time")
    assert "night6" in ran.stdout
    assert "worse" in ran.stdout
