"""``wirespeed bench history``: campaigns, series over them, and what changed where their level did."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from tests.store.campaigns import add, runs_of_values
from tests.store.commands import bench

from wirespeed.store import Store

FOLDER = Path(__file__).parent


def _fill(store_address: str) -> None:
    """Fourteen campaigns of three runs; from the eleventh on slower, after other firmware."""
    chance = Random(1)
    with Store(store_address) as store:
        for day in range(14):
            level = 390.0 if day < 10 else 365.0
            campaign = add(store, f"night{day + 1}", runs_of_values([chance.gauss(level, 0.8) for _ in range(3)]), day)
            firmware = "232.0.155.0" if day < 10 else "233.0.1.0"
            place = {"node1 nic ens1": {"nic.firmware": firmware, "nic.link.mtu": "9000"}}
            store.keep_settings(campaign, {"node1": place, "node2": {"node2 nic ens1": {"nic.link.mtu": "9000"}}})


def test_a_change_and_what_changed_then(store_address: str) -> None:
    _fill(store_address)
    ran = bench("history", "--test", "ib_write_bw", "--store", store_address)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == (FOLDER / "history.txt").read_text()
    document = json.loads(bench("history", "--size", "64KiB", "--store", store_address, "-f", "json").stdout)
    assert (document["kind"], document["schema"]) == ("bench-history", 3)
    (series,) = document["history"]["series"]
    assert [point["count"] for point in series["points"]] == [3] * 14
    (step,) = series["steps"]
    assert (step["last_before"], step["campaign"], step["difference"]) == (10, 11, "worse")
    (turn,) = document["history"]["turns"]
    assert turn["changes"]["changed"] == [
        {"place": "node1 nic ens1", "name": "nic.firmware", "before": "232.0.155.0", "after": "233.0.1.0"}
    ]


def test_sizes_that_change_at_once_are_one_line(tmp_path: Path) -> None:
    """Sizes are listed in their order, and one line reports the change of all of them."""
    address = str(tmp_path / "store.db")
    chance = Random(2)
    with Store(address) as store:
        for day in range(14):
            level = 390.0 if day < 10 else 365.0
            sizes = (1 << 20, 1024, 65536)
            runs = [run for size in sizes for run in runs_of_values([chance.gauss(level, 0.8)] * 3, size=size)]
            add(store, f"night{day + 1}", runs, day)
    lines = bench("history", "--test", "ib_write_bw", "--store", address).stdout.splitlines()
    assert [line.split()[:2] for line in lines[1:4]] == [["1", "KiB"], ["64", "KiB"], ["1", "MiB"]]
    (change,) = [line for line in lines if "since campaign" in line]
    assert change.startswith("    worse -6.")
    assert "3 sizes, 1 KiB to 1 MiB, p ≤ 0." in change


def test_a_test_without_series_is_answered_with_those_of_the_store(tmp_path: Path) -> None:
    address = str(tmp_path / "store.db")
    with Store(address) as store:
        add(store, "night", runs_of_values([390.0]))
    result = bench("history", "--test", "foo", "--store", address)
    assert (result.returncode, result.stderr) == (3, "no series matches --test foo; tests: ib_write_bw\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--size", "8MB"), "--size 8 MB; sizes: 64 KiB"),
        (("--value-label", "node1"), "--value-label node1; labels and pairs: node1:bnxt_re0 -> node2:bnxt_re0"),
        (("--ranks", "8"), "--ranks 8; numbers of ranks: none"),
    ],
)
def test_the_option_that_excludes_every_series_is_named(options: tuple[str, str], message: str, tmp_path: Path) -> None:
    address = str(tmp_path / "store.db")
    with Store(address) as store:
        add(store, "night", runs_of_values([390.0]))
        add(store, "later", runs_of_values([391.0]), 2)
    for command in (("history",), ("compare", "night", "later")):
        result = bench(*command, *options, "--store", address)
        assert (result.returncode, result.stderr) == (3, f"no series matches {message}\n")


@pytest.mark.parametrize(
    ("form", "line"),
    [
        (
            "junit",
            '<testcase classname="history" name="ib_write_bw, node1:bnxt_re0 -&gt; node2:bnxt_re0 bw_avg 64 KiB">',
        ),
        ("junit", '<failure message="worse since campaign night11: 390.1 to 365.0 Gb/s, -6.4 %" type="fail">'),
        (
            "prometheus",
            'metric="bw_avg",series="ib_write_bw, node1:bnxt_re0 -> node2:bnxt_re0",since="night11",size="65536"} 0.93',
        ),
    ],
)
def test_a_history_for_other_programs(form: str, line: str, tmp_path: Path) -> None:
    _fill(str(tmp_path / "a.db"))
    ran = bench("history", "--store", tmp_path / "a.db", "-f", form)
    assert ran.returncode == 0, ran.stderr
    assert line in ran.stdout


def test_campaigns_are_listed(store_address: str) -> None:
    assert bench("history", "--store", store_address).returncode == (2 if "://" not in store_address else 3)
    _fill(store_address)
    ran = bench("history", "--store", store_address)
    assert (ran.returncode, len(ran.stdout.splitlines())) == (0, 16)
    document = json.loads(bench("history", "--store", store_address, "-f", "json").stdout)
    assert document["kind"] == "bench-campaigns"
    assert document["campaigns"][0] == {
        "id": 1,
        "label": "night1",
        "started": "2026-01-01T00:00:00Z",
        "cluster": "lab",
        "finished": True,
        "logs": 3,
        "runs": 3,
        "failed": 0,
    }


@pytest.mark.parametrize(
    "arguments", [("--test", "none"), ("--metric", "busbw"), ("--value-label", "x -> y"), ("--ranks", "3")]
)
def test_nothing_of_what_was_requested(arguments: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Store(str(path)) as store:
        add(store, "a", runs_of_values([1.0]))
    ran = bench("history", *arguments, "--store", path)
    assert (ran.returncode, ran.stdout) == (3, "0 series, 0 with a change point\n")


def test_settings_that_are_alike_are_kept_once(store_address: str) -> None:
    _fill(store_address)
    from sqlalchemy import create_engine, func, select

    from wirespeed.store.address import address
    from wirespeed.store.tables import device, settings

    engine = create_engine(address(store_address))
    with engine.connect() as connection:
        assert connection.execute(select(func.count()).select_from(device)).scalar() == 28
        assert connection.execute(select(func.count()).select_from(settings)).scalar() == 3
    engine.dispose()
