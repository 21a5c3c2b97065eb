"""Labels, the bill of cables, and the parts of ``wirespeed plan`` that show a fabric."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from wirespeed.cli.app import app
from wirespeed.cluster import read_text
from wirespeed.plan import Plan, build
from wirespeed.plan.cable_plan import bill, labels
from wirespeed.units import Length

TEXT = """\
version: 1
name: two-tiers
hosts:
  node[1-4]: {model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 8 x broadcom-bcm957608-p1400gd}
switches:
  leaf[1-4]: {model: dell-z9664f, role: leaf}
  spine[1-2]: {model: dell-z9664f, role: spine}
fabric: {leaf_spine: {uplinks: 4, cable: fibre-400g, length: 30 m}}
cabling: {pattern: by-host, cable: dac-400g, length: 3 m}
addresses: {scheme: leaf-26, pool: 10.0.0.0/16, loopbacks: 10.255.0.0/24}
"""


@pytest.fixture(scope="module")
def plan() -> Plan:
    return build(read_text(TEXT, "two-tiers.yaml"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "two-tiers.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def run_plan(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["plan", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_both_ends_of_every_cable_have_a_label(plan: Plan) -> None:
    label_list = list(labels(plan))
    assert len(label_list) == 2 * len(plan.cables) == 2 * (32 + 16)
    assert label_list[0].lines == ("node1:enp29s0np0", "to leaf1:Eth1/1", "C0001 dac-400g 3 m")
    assert label_list[1].lines == ("leaf1:Eth1/1", "to node1:enp29s0np0", "C0001 dac-400g 3 m")
    assert label_list[-1].lines == ("spine2:Eth1/8", "to leaf4:Eth1/64", "C0048 fibre-400g 30 m")
    assert len({(label.near.device, label.near.port) for label in label_list}) == len(label_list)


def test_the_bill_adds_up(plan: Plan) -> None:
    items = [(row.cable, row.tier, row.count, row.total) for row in bill(plan)]
    assert items == [
        ("dac-400g", "host-leaf", 32, Length(96_000)),
        ("fibre-400g", "leaf-spine", 16, Length(480_000)),
    ]


def test_labels_for_a_printer(file: Path) -> None:
    rows = list(csv.DictReader(StringIO(run_plan(file, "--labels", "--format", "csv"))))
    assert len(rows) == 96
    assert rows[1] == {
        "number": "C0001",
        "device": "leaf1",
        "port": "Eth1/1",
        "line1": "leaf1:Eth1/1",
        "line2": "to node1:enp29s0np0",
        "line3": "C0001 dac-400g 3 m",
    }


def test_the_cable_plan_states_model_and_tier(file: Path) -> None:
    rows = list(csv.DictReader(StringIO(run_plan(file, "--cables", "--format", "csv"))))
    assert (rows[0]["cable"], rows[0]["tier"], rows[0]["number"]) == ("dac-400g", "host-leaf", "C0001")
    assert (rows[-1]["cable"], rows[-1]["tier"], rows[-1]["length"]) == ("fibre-400g", "leaf-spine", "30 m")


def test_oversubscription_and_bisection_are_printed(file: Path) -> None:
    document = json.loads(run_plan(file, "--fabric", "--format", "json"))
    assert document["fabric"][0] == {
        "tier": "leaf",
        "switches": 4,
        "worst_switch": None,
        "downlink_bandwidth": "3200 Gb/s",
        "uplink_bandwidth": "1600 Gb/s",
        "oversubscription": "2:1",
    }
    assert document["bisection"] == [
        {"bisection_bandwidth": "3200 Gb/s", "of_full_bisection": "50 %", "method": "exact"}
    ]


def test_bandwidths_of_a_fabric_have_one_unit(tmp_path: Path) -> None:
    path = tmp_path / "lost.yaml"
    links = 'links: [{a: leaf1, b: spine1, count: 15}, {a: "leaf[2-4]", b: spine1, count: 16}]'
    text = TEXT.replace("fabric: {leaf_spine: {uplinks: 4, cable: fibre-400g, length: 30 m}}", links)
    path.write_text(text.replace("spine[1-2]", "spine1"), encoding="utf-8")
    leaf, spine = json.loads(run_plan(path, "--fabric", "--format", "json"))["fabric"]
    assert (leaf["worst_switch"], leaf["uplink_bandwidth"]) == ("leaf1", "6000 Gb/s")
    assert spine["downlink_bandwidth"] == "25200 Gb/s"


def test_the_picture_is_svg_and_the_same_each_time(file: Path, tmp_path: Path) -> None:
    pictures = []
    for name in ("a.svg", "b.svg"):
        run_plan(file, "--picture", tmp_path / name)
        pictures.append((tmp_path / name).read_bytes())
    assert pictures[0] == pictures[1]
    root = ElementTree.fromstring(pictures[0])
    texts = [element.text for element in root.iter() if element.attrib.get("class") == "name"]
    assert texts == ["node1", "node2", "node3", "node4", "leaf1", "leaf2", "leaf3", "leaf4", "spine1", "spine2"]
