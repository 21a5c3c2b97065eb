"""The example with a leaf of community SONiC: as planned all passes, and what the switch says otherwise is found."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from wirespeed.catalogue import load
from wirespeed.cli.app import app
from wirespeed.cluster import read
from wirespeed.collect.simulated_bundle import write_planned_bundle
from wirespeed.plan import build

EXAMPLE = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml"
DATABASE = "leaf1/config-db.out"
STATUS = "leaf1/interface-status.out"

# file, pattern, replacement; then status, check and number of places
ROWS: dict[str, tuple[str, str, str, list[tuple[str, str, int]]]] = {
    "the image's own map": (DATABASE, '"26": "3"', '"26": "1"', [("fail", "qos.roce-queue", 32)]),
    "PFC on for 3 and 4, of which 3 is watched": (
        DATABASE,
        '"pfc_enable": "3"',
        '"pfc_enable": "3,4"',
        [("fail", "qos.pfc", 1), ("fail", "qos.watchdog", 1)],
    ),
    "no ECN on the queue": (
        DATABASE, r'("Ethernet0\|3": \{\s*"scheduler": "ROCE-DWRR-50"),\s*"wred_profile": "ROCE"', r"\1",
        [("fail", "qos.ecn", 1)],
    ),
    "a port without watchdog": (
        DATABASE, r'(?s)("PFC_WD": \{\s*)"Ethernet0": \{[^}]*\},', r"\1", [("fail", "qos.watchdog", 1)],
    ),
    "a port that is down": (STATUS, r"( Ethernet0 .*)  up( +up )", r"\1down\2", [("fail", "port.up", 1)]),
}  # fmt: skip


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cluster file; its bundle as planned stands beside it."""
    folder = tmp_path_factory.mktemp("sonic")
    text, count = re.subn(r"model: dell-z9664f, os: dell-sonic", "model: edgecore-as9817-64d", EXAMPLE.read_text())
    assert count == 1
    path = folder / "cluster.yaml"
    path.write_text(text)
    write_planned_bundle(build(read(path), load()), folder / "bundle")
    return path


def bad(cluster: Path) -> list[dict[str, Any]]:
    """What neither passes nor is skipped."""
    command = ["check", str(cluster), str(cluster.parent / "bundle"), "--format", "json"]
    document = json.loads(CliRunner().invoke(app, command).stdout)
    return [finding for finding in document["findings"] if finding["status"] not in ("pass", "skip")]


def test_as_planned_all_passes(cluster: Path) -> None:
    assert bad(cluster) == []


@pytest.mark.parametrize("name", ROWS)
def test_a_fault_gives_its_finding_and_no_other(name: str, cluster: Path) -> None:
    file, pattern, new, expected = ROWS[name]
    path = cluster.parent / "bundle" / file
    before = path.read_text(encoding="utf-8")
    after, count = re.subn(pattern, new, before, count=1)
    assert count == 1
    path.write_text(after, encoding="utf-8")
    try:
        found = bad(cluster)
    finally:
        path.write_text(before, encoding="utf-8")
    reported = [(value["status"], value["check"]) for value in found]
    assert [(*pair, reported.count(pair)) for pair in dict.fromkeys(reported)] == expected
