"""Bandwidths of nccl-tests from their times: a change that two decimals hide is found."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.store.commands import bench
from tests.store.test_comparison import read_comparison

ALL_REDUCE, ALL_GATHER = ("sum", 6 / 4), ("none", 3 / 4)  # four ranks (nccl-tests, doc/PERFORMANCE.md)


def _write_logs(
    folder: Path, scale: float, kind: tuple[str, float] = ALL_REDUCE, column: str = "time", count: int = 6
) -> Path:
    """Logs of nccl-tests without the name of their collective, whose times rise by 0.1 % from one to the next."""
    folder.mkdir()
    redop, factor = kind
    for run in range(count):
        rows = []
        for size, microseconds in ((1024, 40.0), (2048, 41.0), (2**20, 210.0), (2**27, 26000.0)):
            time = microseconds * scale * (1 + run / 1000)
            printed = f"{time:7.{2 if time < 100 else 1 if time < 10_000 else 0}f}"
            if column == "cputime":
                printed = "   5.01"
            wrong = "N/A" if redop == "none" else "0"  # without validation, all-gather prints what all-to-all prints
            results = f"{printed} {size / time / 1e3:6.2f} {factor * size / time / 1e3:6.2f} {wrong}"
            rows.append(f"{size:12d} {size // 4:12d} float {redop} -1 {results} {results}\n")
        devices = "".join(
            f"#  Rank {rank} Pid {100 + rank} on node1 device {rank} [0x0{rank}] GPU\n" for rank in range(4)
        )
        head = "# nThread 1 nGpus 4 minBytes 1024 maxBytes 134217728 step: 8(factor)\n#\n# Using devices\n"
        columns = f"# size count type redop root {column} algbw busbw #wrong {column} algbw busbw #wrong\n"
        units = "# (B) (elements) (us) (GB/s) (GB/s) (us) (GB/s) (GB/s)\n"
        end = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 1\n"
        (folder / f"{folder.name}{run}.log").write_text(head + devices + columns + units + "".join(rows) + end)
    return folder


@pytest.mark.parametrize("options", [(), ("--metric", "busbw")], ids=["all metrics", "busbw alone"])
@pytest.mark.parametrize("stored", [False, True], ids=["logs", "stored"])
def test_a_change_below_the_printed_digits_is_found(tmp_path: Path, options: tuple[str, ...], stored: bool) -> None:
    """Of 1,024 bytes in 40 and 41.3 µs two decimals show 0.04 GB/s of bus bandwidth, 25 % a step."""
    sides: list[object] = [_write_logs(tmp_path / "a", 1.0), _write_logs(tmp_path / "b", 1.032)]
    if stored:
        store = tmp_path / "a.db"
        for side in sides:
            assert bench("parse", side, "--store", store, "--label", Path(str(side)).name).returncode == 0
        sides = ["a", "b", "--store", store]
    ran = bench("compare", *sides, *options, "--size", "1024", "-f", "json")
    comparison = read_comparison(ran)
    rows = [row for row in comparison["series"] if row["series"]["metric"] == "busbw"]
    assert [(row["difference"], round(row["change"], 3)) for row in rows] == [("worse", -0.031)] * 2
    assert {row["resolution"] for row in rows} == {None}
    assert [round(row["a"]["median"], 5) for row in rows] == [0.0383] * 2  # 1.5 × 1,024 bytes / 40.1 µs
    assert comparison["from_times"] == (2 if options else 4)


def test_the_report_states_what_was_computed(tmp_path: Path) -> None:
    a, b = _write_logs(tmp_path / "a", 1.0), _write_logs(tmp_path / "b", 1.0)
    ran = bench("compare", a, b, "--metric", "busbw")
    assert "bandwidths of 8 series computed from size and time, which is printed with more digits\n" in ran.stdout
    assert "resolution:" not in ran.stdout


def test_a_time_that_is_not_that_of_the_bandwidth_is_not_used(tmp_path: Path) -> None:
    """With -C the column is the time of the CPU until the operations were started (common.cu, report_cputime)."""
    a, b = (_write_logs(tmp_path / name, scale, column="cputime") for name, scale in (("a", 1.0), ("b", 1.032)))
    comparison = read_comparison(bench("compare", a, b, "--metric", "busbw", "--size", "1024", "-f", "json"))
    assert comparison["from_times"] == 0
    assert {row["difference"] for row in comparison["series"]} == {"no significant change"}


def test_logs_without_a_name_are_apart_until_named(tmp_path: Path) -> None:
    """The bus factor of all-gather is that of all-to-all: no log of them names its collective."""
    a, b = (_write_logs(tmp_path / name, scale, ALL_GATHER) for name, scale in (("a", 1.0), ("b", 1.032)))
    unnamed_output = bench("compare", a, b, "--metric", "busbw")
    assert (
        "hint: logs without the name of their collective are compared by their file names; name it"
        in unnamed_output.stdout
    )
    named_output = bench(
        "compare", a, b, "--metric", "busbw", "--size", "1024", "--collective", "all-gather", "-f", "json"
    )
    rows = read_comparison(named_output)["series"]
    assert [(row["series"]["test"], row["difference"], row["a"]["count"]) for row in rows] == [
        ("all_gather", "worse", 6)
    ] * 2
    assert named_output.returncode == 1


def test_a_log_with_another_bus_factor_is_not_named(tmp_path: Path) -> None:
    a, b = (_write_logs(tmp_path / name, 1.0, ALL_GATHER) for name in "ab")
    folder = _write_logs(tmp_path / "c", 1.0, ("none", 0.5), count=1)  # of no collective of four ranks
    (a / "other.log").write_bytes(next(folder.iterdir()).read_bytes())
    ran = bench("compare", a, b, "--metric", "busbw", "--collective", "all-gather")
    assert "warning: other.log: its bus bandwidths are not those of all-gather: not named" in ran.stderr
    assert ran.returncode == 0


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        (
            ALL_REDUCE,
            "all-gather",
            "no effect: the logs or the names of their files name all_reduce\n  hint: omit",
        ),
        (ALL_GATHER, "broadcast", "no effect: no log without a name has the bus bandwidths of this collective"),
        (ALL_GATHER, "all-gahter", "--collective: found 'all-gahter'; expected one of all-reduce, all-gather"),
    ],
)
def test_a_collective_without_effect_is_refused(
    tmp_path: Path, kind: tuple[str, float], name: str, message: str
) -> None:
    a, b = (_write_logs(tmp_path / folder, 1.0, kind, count=1) for folder in "ab")
    ran = bench("compare", a, b, "--collective", name)
    assert ran.returncode == 2
    assert message in ran.stderr
