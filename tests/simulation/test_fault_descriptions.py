"""A summary lists the faults: all kinds, by the names of the scenario."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from fault_files import NIC, ran, scenario
from small_scenarios import INCAST, write_scenario

from wirespeed.errors import Refusal
from wirespeed.results.simulation import from_json, to_json
from wirespeed.results.simulation_types import Fault
from wirespeed.simulation import run

US = "start: 2 us, until: 5 us"
CABLE = f"node1:{NIC} – leaf1:Ethernet1/1"
SECOND_CABLE = f"node2:{NIC} – leaf1:Ethernet2/1"
ENTRIES = {
    f"kind: link-down, node: spine1, {US}, detection: 1 us, convergence: 1 us": ("spine1", (6,), ()),
    f"kind: link-down, port: leaf1:Ethernet1/1, {US}, detection: 1 us, convergence: 1 us": (CABLE, (), (0,)),
    f"kind: bit-errors, port: node1:{NIC}, {US}, ber: 1e-9, fec: none": (CABLE, (), (0,)),
    f"kind: cnp-loss, port: node1:{NIC}, {US}, probability: 1": (CABLE, (), (0,)),
    f"kind: cnp-delay, port: node3:{NIC}, {US}, delay: 1 us": (f"node3:{NIC}", (2,), ()),
    f"kind: stuck-nic, port: node3:{NIC}, {US}": (f"node3:{NIC}", (2,), ()),
    f"kind: slow-receiver, port: node1:{NIC}, {US}, rate: 10 Gb/s, receive_buffer: 1 MB": (f"node1:{NIC}", (0,), ()),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_faults_for_a_time(entry: str, tmp_path: Path) -> None:
    place, nodes, links = ENTRIES[entry]
    kind = entry.split(",")[0].removeprefix("kind: ")
    assert ran(tmp_path, entry).summary.faults == (Fault(kind, place, nodes, links, 2.0, 5.0),)


def test_faults_that_stay(tmp_path: Path) -> None:
    entries = (
        f"kind: frame-loss, port: node1:{NIC}, probability: 1e-6",
        f"kind: pfc-loss, port: node2:{NIC}, start: 3 us",
        "kind: wrong-setting, node: leaf2, setting: port.qos.pfc, value: []",
        "kind: wrong-setting, port: leaf1:Ethernet1/1, class: roce, setting: queue.ecn.minimum, value: 400 kB",
    )
    summary = ran(tmp_path, *entries).summary
    assert summary.faults == (
        Fault("wrong-setting", "leaf2", (5,), (), 0.0, None, "port.qos.pfc = none"),
        Fault("wrong-setting", "leaf1:Ethernet1/1", (4,), (), 0.0, None, "queue.ecn.minimum of roce = 400 kB"),
        Fault("frame-loss", CABLE, (), (0,), 0.0, None),
        Fault("pfc-loss", SECOND_CABLE, (), (1,), 3.0, None),
    )
    assert from_json(to_json(summary), "summary.json") == summary


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("faults", [{"kind": "x"}], "no summary.faults[0].place"),
        ("faults", 7, "found 7 for summary.faults"),
        ("source", {"catalogue": 7}, "no summary.source.plan"),
        ("fct_us", 7, "found 7 for summary.fct_us"),
        ("deadlocks", None, "found None for summary.deadlocks"),
    ],
)
def test_a_summary_of_another_form_is_refused(name: str, value: object, problem: str, tmp_path: Path) -> None:
    read = json.loads(to_json(run(write_scenario(tmp_path, INCAST), "roce", 1).summary))
    with pytest.raises(Refusal, match=f"^summary.json: {re.escape(problem)}; expected a document of kind sim"):
        from_json(json.dumps({**read, name: value}), "summary.json")


def test_exchanged_cables_are_reported_as_plugged(tmp_path: Path) -> None:
    (fault,) = ran(tmp_path, f"kind: miswired, ports: [node1:{NIC}, node2:{NIC}]").summary.faults
    assert (fault.kind, fault.links) == ("miswired", (0, 1))
    assert fault.place == f"leaf1:Ethernet1/1 – node2:{NIC} and leaf1:Ethernet2/1 – node1:{NIC}"


def test_a_saved_scenario_has_the_same_faults(tmp_path: Path) -> None:
    entry = next(iter(ENTRIES))
    saved = write_scenario(tmp_path, scenario(tmp_path, entry))
    assert run(saved, "roce", 1).summary.faults == ran(tmp_path, entry).summary.faults != ()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ()),
        ({"faults": [{"kind": "stuck-nic", "node": 2}]}, (Fault("stuck-nic", "host 2:3", (2,), (), 0.0, None),)),
        (
            {"faults": [{"kind": "link-down", "node": 3, "from_ns": 1500, "detection_ns": 0, "convergence_ns": 0}]},
            (Fault("link-down", "switch 3", (3,), (), 1.5, None),),
        ),
        (
            {"faults": [{"kind": "link-down", "node": 1, "until_ns": 1, "detection_ns": 0, "convergence_ns": 0}]},
            (Fault("link-down", "host 1", (1,), (), 0.0, 0.001),),
        ),
        (
            {"links": [{"a": 0, "b": 3, "loss": 0.5}, [1, 3], [2, 3], [0, 3]]},
            (Fault("frame-loss", "host 0:3.0", (), (0,), 0.0, None),),
        ),
        (
            {"links": [{"a": host, "b": 3, "loss": 0.1} for host in (0, 1, 2, 0)]},
            (Fault("frame-loss", "host 0:3.0, host 1:3, host 2:3 and 1 more", (), (0, 1, 2, 3), 0.0, None),),
        ),
        (
            {"links": [{"a": host, "b": 3, "loss": 0.1} for host in range(3)]},
            (Fault("frame-loss", "host 0:3, host 1:3 and host 2:3", (), (0, 1, 2), 0.0, None),),
        ),
    ],
)
def test_numbers_where_there_are_no_names(options: dict[str, Any], expected: tuple[Fault, ...], tmp_path: Path) -> None:
    assert run(write_scenario(tmp_path, {**INCAST, **options}), "roce", 1).summary.faults == expected
