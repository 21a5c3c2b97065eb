"""A deadlock is named, by the ports that wait for each other, and fails the run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_scenarios import wirespeed

from wirespeed.cli.exit import Exit
from wirespeed.simulation import run

RING = Path(__file__).parents[2] / "examples" / "simulator" / "deadlock.json"


def ring(folder: Path, **options: Any) -> Path:
    path = folder / "ring.json"
    path.write_text(json.dumps({**json.loads(RING.read_text()), **options}))
    return path


def test_the_ports_are_named() -> None:
    got = run(RING, "roce", 1)
    ports = ("6:7", "7:8", "8:9", "9:10", "10:11", "11:6", "6:7")
    chain = " → ".join(f"switch {port}" for port in ports)
    assert got.summary.deadlocks == (f"priority 3: {chain}",)
    assert got.tables["deadlocks"]["node"].to_pylist() == [6, 7, 8, 9, 10, 11]


def test_where_two_cables_join_the_switches_the_cable_is_named(tmp_path: Path) -> None:
    links = json.loads(RING.read_text())["links"]
    got = run(ring(tmp_path, links=[*links[:6], [9, 10], *links[6:]]), "roce", 1)
    assert got.summary.deadlocks
    assert all("9:10.0" in circle or "9:10.1" in circle for circle in got.summary.deadlocks)


def test_an_open_ring_has_none(tmp_path: Path) -> None:
    flows = json.loads(RING.read_text())["flows"]
    got = run(ring(tmp_path, flows=flows[:8]), "roce", 1)
    assert got.summary.deadlocks == ()
    assert "deadlocks" not in got.tables


@pytest.mark.parametrize("options", [(), ("--until", "5ms")])
def test_the_command_reports_it_and_fails(options: tuple[str, ...]) -> None:
    ended = wirespeed(RING, *options)
    assert ended.returncode == Exit.FAILED
    assert "  deadlock        priority 3: switch 6:7 → switch 7:8" in ended.stdout
