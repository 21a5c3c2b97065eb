"""What a switch does across its ports, on a system that counts otherwise than most."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from wirespeed.catalogue import Catalogue, load
from wirespeed.catalogue.model import (
    BufferDefaults,
    EcnFillDefaults,
    LoadBalancingDefaults,
    SourcedValue,
)
from wirespeed.cluster import read_text
from wirespeed.errors import Refusal
from wirespeed.plan import build
from wirespeed.settings import Ecn, Priority, Switch, SwitchQueue
from wirespeed.settings.fabric import Buffers, LoadBalancing
from wirespeed.units import Bandwidth, Duration

CLUSTER = (Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml").read_text(encoding="utf-8")


def sourced_value(value: object) -> SourcedValue:  # type: ignore[type-arg]
    return SourcedValue(value=value, source="test")


def test_a_default_of_the_system_can_be_left_out() -> None:
    """Broadcom 957608-AN210, section 2.5.3: shares 80/10/10 and 80/10, and no dedicated buffer or threshold."""
    shares = "lossless_share: 80%, headroom_share: 10%, egress_lossless_share: 80%"
    keys = f"buffers: {{{shares}, dynamic_threshold: none, dedicated_ingress: none, dedicated_egress: none}}"
    text = CLUSTER.replace("dell-z9664f, os: dell-sonic", f"juniper-qfx5240-64od, {keys}")
    division = build(read_text(text, "cluster.yaml")).switches["leaf1"].buffers
    assert division == Buffers(None, None, 80, 10, 10, 80, 10)


def catalogue() -> Catalogue:
    """The catalogue, with a system on the Dell switch that counts in percent and splits its ports."""
    catalogue = load()
    system = catalogue.switch_systems["dell-sonic"].model_copy(
        update={
            "port_name": "et{index}",
            "sub_port_name": "et{index}:{sub}",
            "ecn_unit": None,
            "ecn": EcnFillDefaults(
                minimum_fill=sourced_value(55), maximum_fill=sourced_value(90), probability=sourced_value(100)
            ),
            "buffers": BufferDefaults(lossless_share=sourced_value(66), headroom_share=sourced_value(24)),
            "load_balancing": LoadBalancingDefaults(
                mode=sourced_value("flowlet"),
                flowlet_gap=sourced_value(Duration.parse("256 us")),
                hash_fields=sourced_value(["layer-4"]),
            ),
            "step_marking": False,
            "lossy_pauses": False,
        }
    )
    model = catalogue.switches["dell-z9664f"].model_copy(update={"breakouts": sourced_value([2])})
    return replace(
        catalogue,
        switch_systems={**catalogue.switch_systems, "dell-sonic": system},
        switches={**catalogue.switches, "dell-z9664f": model},
    )


def leaf(extra: str, congestion: str = "dcqcn-p") -> Switch:
    text = CLUSTER.replace("role: leaf", f"role: leaf, {extra}").replace("dcqcn-p", congestion)
    return build(read_text(text, "cluster.yaml"), catalogue()).switches["leaf1"]


def test_thresholds_are_percentages_and_pauses_stop_lossless_queues_only() -> None:
    port = leaf("mtu: 9100").ports["et0"]
    assert port.queues["3"].ecn == Ecn(enabled=True, minimum_fill=55, maximum_fill=90, probability=100)
    assert port.qos.pfc_queue == {Priority(3): SwitchQueue(3)}
    assert leaf("ecn: {minimum_fill: 20%}").ports["et0"].queues["3"].ecn.minimum_fill == 20


def test_a_split_port_has_a_part_of_the_speed() -> None:
    switch = leaf("breakout: 2")
    assert list(switch.ports)[:3] == ["et0:0", "et0:1", "et1:0"]
    port = switch.ports["et0:1"]
    assert (port.breakout, port.link.speed, port.link.lanes) == (2, Bandwidth.gbps(200), None)


def test_the_file_goes_before_the_catalogue() -> None:
    switch = leaf("buffers: {lossless_share: 80%, headroom_share: 10%}, load_balancing: {flowlet_gap: 128 us}")
    assert switch.buffers == Buffers(lossless_share=80, headroom_share=10)
    hashed = frozenset({"layer-4"})
    assert switch.load_balancing == LoadBalancing("flowlet", Duration.parse("128 us"), hash_fields=hashed)
    assert leaf("load_balancing: {mode: static}").load_balancing == LoadBalancing("static", hash_fields=hashed)


REFUSED = {
    "ecn: {minimum: 1 MB}": "found thresholds as sizes; expected minimum_fill and maximum_fill, percentages",
    "ecn: {minimum_fill: 95%}": "found ECN fill levels 95% and 90% with dcqcn-p; expected a slope",
    "breakout: 3": "found a breakout of 3 on dell-z9664f; expected 2",
    "buffers: {shared_headroom: 4 MB}": "found shared headroom of 4 MB and of 24%; expected one of the two",
    "buffers: {shared_headroom: 200 MB}": "found shared headroom of 200 MB; expected less than 119.2 MB",
    "buffers: {lossless_share: 80%}": "found shares of 104% of the buffer on arrival; expected at most 100%",
}


@pytest.mark.parametrize("extra", REFUSED)
def test_refused(extra: str) -> None:
    with pytest.raises(Refusal) as refusal:
        leaf(extra)
    assert f"cluster.yaml:7: {REFUSED[extra]}" in str(refusal.value)


def test_a_step_is_refused_where_none_can_be_marked() -> None:
    with pytest.raises(Refusal) as refusal:
        leaf("mtu: 9100", "dcqcn-d")
    assert str(refusal.value) == (
        "cluster.yaml:11: found dcqcn-d with Dell Enterprise SONiC, which is not known to mark in a step; "
        "expected dcqcn-p, whose slope it can mark\n  hint: or take switches that mark in a step"
    )


def test_percentages_are_refused_where_sizes_are_counted() -> None:
    text = CLUSTER.replace("role: leaf", "role: leaf, ecn: {minimum_fill: 55%}")
    with pytest.raises(Refusal) as refusal:
        build(read_text(text, "cluster.yaml"))
    assert str(refusal.value) == (
        "cluster.yaml:7: found thresholds in percent of the queue's buffer; "
        "expected sizes, as Dell Enterprise SONiC counts them"
    )


def test_a_switch_without_sub_ports_cannot_be_split() -> None:
    text = CLUSTER.replace("role: leaf", "role: leaf, breakout: 2")
    with pytest.raises(Refusal) as refusal:
        build(read_text(text, "cluster.yaml"))
    assert str(refusal.value) == (
        "cluster.yaml:7: found a breakout of 2 on dell-z9664f; expected no breakout: the catalogue does not contain "
        "the breakouts of this model\n"
        "  hint: remove `breakout`; `wirespeed list switches` lists the breakouts of each model"
    )
