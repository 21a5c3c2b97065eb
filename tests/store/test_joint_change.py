"""Comparable series: a change of all of them, one that changed differently, and no result where nothing changed."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.store.commands import bench

from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters
from wirespeed.store import Batch, Store, pack

PAIRS = 40


def _store(path: Path, label: str, levels: list[float], chance: Random, repeats: int = 1) -> None:
    """A campaign of one run of each pair, each near its level."""
    with Store(str(path)) as store:
        campaign = store.begin(label, "2026-01-01T00:00:00Z", "lab", "wirespeed 0")
        batch = Batch()
        for pair, level in enumerate(levels):
            for repeat in range(repeats):
                value = Measurement(Metric.BW_AVG, "Gb/s", chance.gauss(level, level / 1000), 65536, None, 7)
                run = Run("perftest", "ib_write_bw", "6.20", RunStatus.COMPLETE, None, None, Parameters(), (value,))
                log = pack(f"{pair}.{repeat}.log", f"{label} {pair} {repeat}".encode())
                batch.add(log, [run], f"node{pair} -> node{pair + 1}")
        store.add(campaign, batch)
        store.finish(campaign)


def _compare(path: Path) -> tuple[int, dict[str, Any]]:
    ran = bench("compare", "a", "b", "--store", path, "-f", "json")
    document: dict[str, Any] = json.loads(ran.stdout)
    return ran.returncode, document["comparison"]


@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_reported_of_noise(seed: int, tmp_path: Path) -> None:
    chance = Random(seed)
    levels = [chance.gauss(390, 5) for _ in range(PAIRS)]
    for label in "ab":
        _store(tmp_path / "s.db", label, levels, chance)
    code, comparison = _compare(tmp_path / "s.db")
    assert {row["difference"] for row in comparison["series"]} == {"no significant change"}
    assert [change["difference"] for change in comparison["joint_changes"]] == ["no significant change"]
    assert code == 0


@pytest.mark.parametrize("repeats", [1, 5])
def test_one_slow_pair_is_found_from_the_others(repeats: int, tmp_path: Path) -> None:
    chance = Random(1)
    levels = [chance.gauss(390, 5) for _ in range(PAIRS)]
    _store(tmp_path / "s.db", "a", levels, chance, repeats)
    _store(tmp_path / "s.db", "b", [*levels[:-1], levels[-1] * 0.9], chance, repeats)
    code, comparison = _compare(tmp_path / "s.db")
    worse = [row for row in comparison["series"] if row["difference"] == "worse"]
    assert [row["series"]["ends"] for row in worse] == ["node39 -> node40"]
    assert worse[0]["unlike"] < 0.001 and (worse[0]["p"] is None) == (repeats == 1)
    assert "by how much the other series of this measurement changed" in worse[0]["reason"]
    assert comparison["joint_changes"][0]["difference"] == "no significant change"
    assert code == 1


def test_all_pairs_slower_is_a_change_of_the_whole(tmp_path: Path) -> None:
    chance = Random(1)
    levels = [chance.gauss(390, 5) for _ in range(PAIRS)]
    _store(tmp_path / "s.db", "a", levels, chance)
    _store(tmp_path / "s.db", "b", [level * 0.95 for level in levels], chance)
    code, comparison = _compare(tmp_path / "s.db")
    (whole,) = comparison["joint_changes"]
    assert (whole["difference"], whole["series_count"], whole["series"]["ends"]) == ("worse", PAIRS, None)
    assert whole["change"] == pytest.approx(-0.05, abs=0.001) and whole["adjusted"] < 1e-6
    assert {row["difference"] for row in comparison["series"]} == {"no significant change"}
    assert code == 1
    stdout = bench("compare", "a", "b", "--store", tmp_path / "s.db", "--limit", "1").stdout
    assert "ib_write_bw bw_avg 64 KiB: worse by -5.0 %, median of 40 pairs (" in stdout


def test_few_series_are_not_tested_jointly(tmp_path: Path) -> None:
    chance = Random(1)
    _store(tmp_path / "s.db", "a", [390.0] * 5, chance)
    _store(tmp_path / "s.db", "b", [300.0] * 5, chance)
    code, comparison = _compare(tmp_path / "s.db")
    assert (code, comparison["joint_changes"]) == (3, [])
    assert {row["difference"] for row in comparison["series"]} == {"too few values"}
