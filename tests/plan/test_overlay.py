"""The cluster as found: what was read takes the place of what was planned, and nothing else does."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.facts import COMPLETE, Observation, Source, State, assemble_facts
from wirespeed.plan import Plan, build
from wirespeed.plan.overlay import overlay_facts
from wirespeed.settings import Place
from wirespeed.units import Bandwidth

CLUSTER = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml"
NIC = "enp29s0np0"
FUNCTION = "0000:1d:00.0"
ADDRESS = Observation(
    Place("node1").child("nic", NIC), "nic.pcie", FUNCTION, Source("node1", "command", "file"), State.RUNNING
)


@cache
def plan() -> Plan:
    return build(read(CLUSTER), load())


def observe(path, value, *location, device="node1", state=State.RUNNING):
    return Observation(Place(device, location), path, value, Source(device, "command", "file"), state)


def overlay_example(*observations, devices=()):
    return overlay_facts(plan(), assemble_facts(observations, devices=devices))


def test_nothing_read_is_as_planned():
    observed_plan = overlay_example(devices=["node1"])
    assert observed_plan.plan.hosts == dict(plan().hosts)
    assert observed_plan.plan.cables == plan().cables


@pytest.mark.parametrize(
    ("path", "value", "location", "get"),
    [
        ("nic.link.mtu", 1500, (("nic", NIC),), lambda host: host.nics[NIC].link.mtu),
        ("nic.rdma_mtu", 1024, (("nic", NIC),), lambda host: host.nics[NIC].rdma_mtu),
        ("nic.link.speed", Bandwidth.parse("200 Gb/s"), (("nic", NIC),), lambda host: host.nics[NIC].link.speed),
        ("pcie.link.width", 8, (("pcie", FUNCTION),), lambda host: host.pcie[FUNCTION].link.width),
        ("pcie.max_payload", 128, (("pcie", FUNCTION),), lambda host: host.pcie[FUNCTION].max_payload),
        ("nic.nvm.relaxed_ordering", False, (("nic", NIC),), lambda host: host.nics[NIC].nvm.relaxed_ordering),
    ],
)
def test_what_was_read_replaces_what_was_planned(path, value, location, get):
    hosts = overlay_example(ADDRESS, observe(path, value, *location)).plan.hosts
    assert get(hosts["node1"]) == value
    assert hosts["node2"] == plan().hosts["node2"]


@pytest.mark.parametrize("state", [State.ASSUMED, State.PERSISTENT])
def test_what_is_not_in_effect_is_not_as_found(state):
    hosts = overlay_example(observe("nic.link.mtu", 1500, ("nic", NIC), state=state)).plan.hosts
    assert hosts["node1"].nics[NIC].link.mtu == plan().hosts["node1"].nics[NIC].link.mtu


@pytest.mark.parametrize(("path", "value"), [("nic.rdma_device", "rocep29s0"), ("nic.addresses", ("192.0.2.1/24",))])
def test_names_stay_those_of_the_plan(path, value):
    assert overlay_example(observe(path, value, ("nic", NIC))).plan.hosts["node1"].nics == plan().hosts["node1"].nics


def test_a_bridge_that_the_plan_does_not_name_is_taken_in():
    hosts = overlay_example(observe("pcie.link.width", 4, ("pcie", "0000:aa:00.0"))).plan.hosts
    assert hosts["node1"].pcie["0000:aa:00.0"].link.width == 4


def test_a_nic_is_gone_only_where_the_whole_list_was_read():
    observation = observe("nic.link.mtu", 9000, ("nic", NIC))
    assert len(overlay_example(observation).plan.hosts["node1"].nics) == 8
    observed_plan = overlay_example(observation, observe("host.nics", COMPLETE)).plan
    assert list(observed_plan.hosts["node1"].nics) == [NIC]
    assert len(observed_plan.cables) == len(plan().cables) - 7


def test_a_nic_that_the_plan_does_not_name_stays_out():
    hosts = overlay_example(observe("nic.link.mtu", 9000, ("nic", "eno1"))).plan.hosts
    assert "eno1" not in hosts["node1"].nics


def test_a_cable_has_the_speed_of_its_slower_end():
    port = plan().cables[0].b
    observed_plan = overlay_example(
        observe("port.link.speed", Bandwidth.parse("100 Gb/s"), ("port", port.port), device=port.device),
        observe("switch.ports", COMPLETE, device=port.device),
    ).plan
    assert [cable.speed for cable in observed_plan.cables if cable.b == port] == [Bandwidth.parse("100 Gb/s")]


def test_a_cable_that_is_down_is_no_cable():
    first = plan().cables[0]
    observed_plan = overlay_example(observe("nic.link.up", False, ("nic", first.a.port), device=first.a.device)).plan
    assert set(plan().cables) - set(observed_plan.cables) == {first}


def test_what_was_not_read_is_reported():
    readings = [
        observe(path, value, *location)
        for rail, interface in enumerate(plan().hosts["node1"].nics, 1)
        for path, value, location in (
            ("nic.link.speed", Bandwidth.parse("400 Gb/s"), (("nic", interface),)),
            ("nic.rdma_mtu", 4096, (("nic", interface),)),
            ("nic.pcie", f"0000:{rail:02x}:00.0", (("nic", interface),)),
            ("pcie.link.speed", 32000, (("pcie", f"0000:{rail:02x}:00.0"),)),
            ("pcie.link.width", 16, (("pcie", f"0000:{rail:02x}:00.0"),)),
        )
    ]
    assert overlay_example(*readings).list_unread(["node1", "node2"]) == (
        "not collected: node2: taken as planned",
        "the PCIe MaxPayload of NICs was not read on node1: taken as planned",
    )


@pytest.mark.parametrize(("interfaces", "lacks"), [(None, True), (["first"], False), (["second"], True), ([], False)])
def test_only_the_nics_of_a_run_are_reported_as_not_read(interfaces, lacks):
    first, second = list(plan().hosts["node1"].nics)[:2]
    names = None if interfaces is None else [{"first": first, "second": second}[name] for name in interfaces]
    speed = observe("nic.link.speed", Bandwidth.parse("400 Gb/s"), ("nic", first))
    unread = overlay_example(speed).list_unread(["node1"], names)
    assert ("the link speed of NICs was not read on node1: taken as planned" in unread) is lacks
