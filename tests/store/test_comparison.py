"""``wirespeed bench compare``: what is significant, what is not, and the text for both."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from subprocess import CompletedProcess
from typing import Any

import pytest
from tests.store.campaigns import PAIR, add, runs_of_values
from tests.store.commands import bench

from wirespeed.results.benchmarks import Metric
from wirespeed.store import Store

BENCH = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "bench"
FAST = [389.1, 389.9, 390.4, 388.8, 389.5]
SLOW = [362.0, 360.5, 361.1, 363.2, 359.9]


def read_comparison(ran: CompletedProcess[str]) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(ran.stdout)
    assert (document["kind"], document["schema"]) == ("bench-comparison", 3)
    comparison: dict[str, Any] = document["comparison"]
    return comparison


def test_worse_is_reported_with_what_changed(store_address: str) -> None:
    with Store(store_address) as store:
        before = add(store, "before", runs_of_values(FAST), 1)
        after = add(store, "after", runs_of_values(SLOW, version="6.22", mtu=1024), 2)
        store.keep_settings(before, {"node1": {"node1 nic ens1": {"nic.link.mtu": "9000", "nic.ring.rx": "8191"}}})
        store.keep_settings(after, {"node1": {"node1 nic ens1": {"nic.link.mtu": "1500"}}})
    ran = bench("compare", "before", "latest", "--store", store_address)
    assert ran.returncode == 1, ran.stderr
    assert ran.stdout == (Path(__file__).parent / "worse.txt").read_text()
    comparison = read_comparison(bench("compare", "latest~1", "after", "--store", store_address, "-f", "json"))
    (row,) = comparison["series"]
    assert row["series"]["ends"] == PAIR
    assert (row["difference"], row["effect"]) == ("worse", 0.0)
    assert row["p"] == row["adjusted"] == pytest.approx(2 / 252)
    assert row["change"] == pytest.approx(361.1 / 389.5 - 1)
    assert comparison["changes"]["changed"][0] == {
        "place": "node1 nic ens1",
        "name": "nic.link.mtu",
        "before": "9000",
        "after": "1500",
    }
    assert comparison["changes"]["unread"] == 1
    assert bench("compare", "after", "before", "--store", store_address).returncode == 0  # better
    assert bench("compare", "before", "after", "--store", store_address, "--at-least", "10").returncode == 0
    assert bench("compare", "before", "after", "--store", store_address, "--metric", "busbw").returncode == 3


@pytest.mark.parametrize("columns", ["40", "200"])
def test_a_name_stands_above_its_rows_however_narrow_the_terminal(tmp_path: Path, columns: str) -> None:
    store_address = str(tmp_path / "store.db")
    with Store(store_address) as store:
        add(store, "before", runs_of_values(FAST), 1)
        add(store, "after", runs_of_values(SLOW), 2)
    lines = bench("compare", "before", "after", "--store", store_address, COLUMNS=columns).stdout.splitlines()
    index = lines.index(f"ib_write_bw, {PAIR}")
    assert lines[index - 1 : index + 2 : 2] == [
        "  metric         size  median A  runs  median B  runs  change",
        "  bw_avg Gb/s  64 KiB     389.5     5     361.1     5  -7.3 %  worse",
    ]


@pytest.mark.parametrize(
    ("a", "b", "code", "difference", "reason"),
    [
        (FAST, FAST[::-1], 0, "no significant change", "p = 1"),
        (
            *(FAST, [360.0], 3, "too few values"),
            "5 and 1 values; at least 4 on each side are needed, more for many series: repeat the runs, or select "
            "fewer series",
        ),
        (
            *(FAST[:3], SLOW[:3], 3, "too few values"),
            "3 and 3 values; at least 4 on each side are needed, more for many series: repeat the runs, or select "
            "fewer series",
        ),
        (FAST[:4], SLOW[:4], 1, "worse", "p = 0.029"),
        (FAST, [387.0, 387.1, 387.2, 387.3, 387.4], 0, "no significant change", "certain, but smaller than 2 %"),
        ([0.0] * 5, [3.0, 4.0, 5.0, 6.0, 7.0], 0, "better", "p = 0.0079"),
    ],
)
def test_what_is_reported_of_two_samples(
    a: list[float], b: list[float], code: int, difference: str, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.db"
    with Store(str(path)) as store:
        add(store, "a", runs_of_values(a), 1)
        add(store, "b", runs_of_values(b), 2)
    ran = bench("compare", "a", "b", "--store", path, "-f", "json")
    (row,) = read_comparison(ran)["series"]
    assert (ran.returncode, row["difference"], row["reason"]) == (code, difference, reason)


@pytest.mark.parametrize(
    ("runs", "constant", "code", "differences", "reason"),
    [
        (
            *(4, False, 3, ["not proven", "no significant change"]),
            "the values of both sides do not overlap, but 4 and 4 values prove no change (p = 0.029, 0.057 among 2 "
            "series); at least 5 on each side are needed for 2 series: repeat the runs, or select fewer series",
        ),
        (5, False, 1, ["worse", "no significant change"], "p = 0.0079"),
        (4, True, 1, ["worse", "no significant change"], "p = 0.029"),
    ],
)
def test_what_few_runs_prove_among_two_series(
    runs: int, constant: bool, code: int, differences: list[str], reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.db"
    with Store(str(path)) as store:
        for label, values in (("a", FAST), ("b", SLOW)):
            steady = [390.0 if constant else value for value in FAST[:runs]]
            add(store, label, [*runs_of_values(values[:runs]), *runs_of_values(steady, size=8)])
    ran = bench("compare", "a", "b", "--store", path, "-f", "json")
    rows = read_comparison(ran)["series"]
    assert (ran.returncode, [row["difference"] for row in rows]) == (code, differences)
    assert rows[0]["reason"] == reason
    text = " ".join(bench("compare", "a", "b", "--store", path).stdout.split())
    assert (f"not proven: {reason}" in text) == ("not proven" in differences)
    assert bench("compare", "b", "a", "--store", path).returncode == 0  # not proven, but better


@pytest.mark.parametrize(
    ("metric", "difference"),
    [
        (Metric.BW_AVG, "better"),
        (Metric.LATENCY_AVG, "worse"),
        (Metric.TIME, "worse"),
        (Metric.WRONG, "worse"),
        (Metric.TRANSFER, "changed"),
    ],
)
def test_higher_is_not_always_better(metric: Metric, difference: str, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Store(str(path)) as store:
        add(store, "a", runs_of_values(SLOW, metric), 1)
        add(store, "b", runs_of_values(FAST, metric), 2)
    ran = bench("compare", "a", "b", "--store", path, "-f", "json")
    (row,) = read_comparison(ran)["series"]
    assert row["difference"] == difference
    assert ran.returncode == (1 if difference == "worse" else 0)


def test_series_without_a_change_are_counted_and_shown_with_all(tmp_path: Path) -> None:
    address = str(tmp_path / "store.db")
    with Store(address) as store:
        for day, label in enumerate(("before", "after")):
            add(store, label, runs_of_values([390.0 + step / 10 for step in range(5)]), day + 1)
    arguments = ("compare", "before", "after", "--store", address)
    assert "1 series without a significant change not shown (--all)\n" in bench(*arguments).stdout
    assert "bw_avg" not in bench(*arguments).stdout
    assert "bw_avg Gb/s  64 KiB     390.2" in bench(*arguments, "--all").stdout


def test_one_slow_series_among_many_alike_is_found(tmp_path: Path) -> None:
    chance = Random(1)
    path = tmp_path / "a.db"
    with Store(str(path)) as store:
        for label, slow in (("a", 100.0), ("b", 95.0)):
            runs = [
                run
                for size in range(20)
                for run in runs_of_values(
                    [chance.gauss(slow if size == 7 else 100, 0.5) for _ in range(10)], size=2**size
                )
            ]
            add(store, label, runs)
    ran = bench("compare", "a", "b", "--store", path, "-f", "json")
    worse = [row["series"]["size_bytes"] for row in read_comparison(ran)["series"] if row["difference"] == "worse"]
    assert (ran.returncode, worse) == (1, [2**7])


def test_logs_are_compared_without_a_store(tmp_path: Path) -> None:
    log = BENCH / "ib-write-bw-bidirectional.log"
    for name, factor in (("before", 1.0), ("after", 0.5)):
        (tmp_path / name).mkdir()
        for number in range(5):
            text = log.read_text().replace("774.97", f"{774.97 * factor - number / 10:.2f}")
            (tmp_path / name / f"{number}.log").write_text(text)
    before, after = tmp_path / "before", tmp_path / "after"
    sharp = ("--metric", "bw_avg", "--size", "8MiB", "-f", "json")
    ran = bench("compare", before, after, *sharp, XDG_STATE_HOME=str(tmp_path))
    comparison = read_comparison(ran)
    assert comparison["a"]["label"] == str(before) and comparison["a"]["id"] is None
    assert not (tmp_path / "wirespeed").exists()
    assert bench("parse", before, "--store", tmp_path / "a.db", "--label", "kept").returncode == 0
    mixed = read_comparison(bench("compare", "kept", after, "--store", tmp_path / "a.db", *sharp))
    assert mixed["series"] == comparison["series"]


def test_copies_of_a_log_are_one_run(tmp_path: Path) -> None:
    text = (BENCH / "ib-write-bw-bidirectional.log").read_text()
    for name, value in (("before", "774.97"), ("after", "387.48")):
        (tmp_path / name).mkdir()
        for number in range(5):
            (tmp_path / name / f"{number}.log").write_text(text.replace("774.97", value))
    ran = bench("compare", tmp_path / "before", tmp_path / "after", "--metric", "bw_avg", "--size", "8MiB")
    assert ran.returncode == 3, ran.stdout
    assert ran.stderr.count("found the same bytes as") == 8
    assert "too few values" in ran.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a", "b", "--store", "{}/none.db"), "a: no such file or folder, and no store"),
        (("a", "b", "--store", "{}/none.db"), "none.db with a campaign of this name hint:"),
        (("latest~9", "a", "--store", "{}/a.db"), "/a.db` lists them"),
        (("a", "c", "--store", "{}/a.db"), "no campaign 'c' among 1; expected the id or label of a campaign"),
        (("a", "a", "--store", "{}/a.db", "--metric", "busbv"), "no metric named 'busbv' hint: did you mean"),
        (("a", "a", "--store", "{}/a.db", "--size", "8G"), "has the unknown unit 'G'"),
        (("{}/a.db", "{}/a.db"), "expected"),
    ],
)
def test_refusals(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    with Store(str(tmp_path / "a.db")) as store:
        add(store, "a", runs_of_values(FAST))
    ran = bench("compare", *(argument.replace("{}", str(tmp_path)) for argument in arguments))
    assert ran.returncode == 2
    assert message in " ".join(ran.stderr.split())
