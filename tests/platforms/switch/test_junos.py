"""Junos: what is configured, what is printed back, and what is read when a line of it changes."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from platforms.round_trip import answers, build_facts, find_losses
from platforms.switch.devices import TC, link, ms, qos
from platforms.switch.test_declarations import remove_setting
from platforms.test_rendered_settings import BEYOND_CLUSTER_FILES
from wirespeed.errors import Refusal
from wirespeed.facts import Facts, Source, State, assemble_facts
from wirespeed.platforms import Output, Outputs, platform
from wirespeed.platforms.switch.junos.configuration import configuration
from wirespeed.platforms.templates import fill_template
from wirespeed.settings import (
    Bgp,
    BgpPeer,
    Discipline,
    Dscp,
    Ecn,
    Link,
    Neighbour,
    Place,
    Port,
    Priority,
    Queue,
    Switch,
    SwitchQueue,
    Vlan,
    Watchdog,
    WatchdogAction,
    walk,
)
from wirespeed.settings.fabric import Buffers, LoadBalancing
from wirespeed.units import Bandwidth, Duration, Size

GOLDEN = Path(__file__).parent / "golden"
JUNOS = platform("switch", "junos")
LEAF = Place("leaf1")
PORTS = ["et-0/0/0:0", "et-0/0/0:1", "et-0/0/10:0"]
FIRST = LEAF.child("port", PORTS[0])

CLASSES = qos(
    dscp_tc={Dscp(dscp): TC({26: 4, 48: 3}.get(dscp, 0)) for dscp in range(64)},
    pfc_queue={Priority(3): SwitchQueue(4)},
    watchdog=Watchdog(True, WatchdogAction.DROP, ms(200), ms(400)),
)
MARKED = Ecn(enabled=True, minimum_fill=55, maximum_fill=90, probability=100)
QUEUES = {
    "0": Queue(Discipline.DWRR, 50, ecn=Ecn(enabled=False)),
    "3": Queue(Discipline.STRICT, ecn=Ecn(enabled=False)),
    "4": Queue(Discipline.DWRR, 50, ecn=MARKED),
}


def port(index: int, **changes: Any) -> Port:
    values: dict[str, Any] = {
        "description": f"node1 eth{index}",
        "link": link(mtu=9170, lanes=None, training=None),
        "addresses": (f"10.1.0.{2 * index}/31",),
        "breakout": 2,
        "qos": CLASSES,
        "queues": QUEUES,
        "neighbour": Neighbour("node1", f"eth{index}"),
        **changes,
    }
    return Port(**values)


def leaf(**changes: Any) -> Switch:
    values: dict[str, Any] = {
        "model": "juniper-qfx5240-64od",
        "os_version": "23.4R2.13-EVO",
        "chip": "tomahawk5",
        "routing": True,
        "lldp": True,
        "watchdog_poll": ms(100),
        "load_balancing": LoadBalancing("flowlet", Duration(256 * 10**6), 2048, frozenset({"layer-3", "layer-4"})),
        "buffers": Buffers(None, None, 66, 24, 10, 66, 10, 15, 30, 10),
        "ports": {name: port(index) for index, name in enumerate(PORTS)},
        **changes,
    }
    return Switch(**values)


UNNUMBERED = {
    "et-0/0/32:0": BgpPeer(4200000000, "spine1 et-0/0/1:0", True, True, False, True, "Established"),
    "et-0/0/33:0": BgpPeer(4200000000, "spine2 et-0/0/1:0", True, True, False, True, "Active"),
}
CASES = {
    "routed": leaf(),
    "switched": leaf(
        ports={
            name: port(index, addresses=None, vlan=11 + index, tagged_vlans=(21, 22) if index == 2 else None)
            for index, name in enumerate(PORTS)
        },
        vlans={
            **{str(11 + index): Vlan((f"192.168.{1 + index}.254/24",), 9000, f"rail {index + 1}") for index in range(3)},  # noqa: E501
            **{str(number): Vlan(("fd00::1/64",), 9000) for number in (21, 22)},
        },
    ),
    "odd-port": leaf(
        ports={
            "et-0/0/1": port(0, breakout=None, link=link(mtu=4200, speed=Bandwidth.gbps(800), lanes=None)),
            "et-0/0/2": port(
                1,
                breakout=None,
                qos=replace(CLASSES, watchdog=Watchdog(False), pfc_queue={Priority(3): SwitchQueue(4)}),
                queues={**QUEUES, "4": replace(QUEUES["4"], ecn=replace(MARKED, minimum_fill=20, probability=5))},
                addresses=("10.1.0.2/31", "fd00::2/127"),
            ),
        }
    ),
    "unnumbered": leaf(
        ports={name: port(index, addresses=(), unnumbered=True, description=UNNUMBERED[name].description)
            for index, name in enumerate(UNNUMBERED)},
        loopbacks=("10.255.0.1/32", "fd00::1/128"),
        bgp=Bgp(4200010000, "10.255.0.1", 32, True, ("10.255.0.1/32", "10.1.0.0/24")),
        peers=UNNUMBERED,
    ),
    "numbered": leaf(
        loopbacks=("10.255.0.1/32",),
        bgp=Bgp(4200010000, "10.255.0.1", 16, True, ("10.255.0.1/32",)),
        peers={
            "10.1.0.1": BgpPeer(4200000000, "spine1 et-0/0/1:0", None, True, False, False, "Established"),
            "10.1.0.3": BgpPeer(4200000001, "spine2 et-0/0/1:0", None, True, False, False, "Idle"),
        },
    ),
    "per-packet": leaf(load_balancing=LoadBalancing("per-packet"), lldp=False),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(
    ("template", "name"), [("startup.j2", "conf"), ("apply.j2", "apply.txt"), ("rollback.j2", "rollback.txt")]
)
def test_files(case: str, template: str, name: str) -> None:
    if case != "routed" and template != "startup.j2":
        return
    golden = GOLDEN / f"junos-{case}.{name}"
    text = fill_template(JUNOS, template, "leaf1", CASES[case])
    if os.environ.get("WIRESPEED_ACCEPT"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES)
def test_a_configuration_cut_between_stanzas_is_not_read(case: str) -> None:
    """Its braces match; the number of lines that the switch prints differs."""
    outputs = answers(JUNOS, "leaf1", CASES[case]).outputs
    whole = outputs["configuration"]
    lines = whole.text.split("\n")
    ends = [number for number, line in enumerate(lines, start=1) if line == "}"]
    assert len(ends) > 4
    for end in ends:
        text = "".join(f"{line}\n" for line in lines[:end])
        truncated_output = Outputs("leaf1", {**outputs, "configuration": replace(whole, text=text)})
        read = {observation.source.command for observation in JUNOS.parse(truncated_output)}
        assert (whole.source.command in read) is (text == whole.text)


@pytest.mark.parametrize("case", CASES)
def test_settings_come_back(case: str) -> None:
    assert find_losses(JUNOS, "leaf1", CASES[case]) == []


@pytest.mark.parametrize("case", CASES)
def test_the_rendered_file_is_read_like_the_configuration(case: str) -> None:
    output = answers(JUNOS, "leaf1", CASES[case]).outputs["configuration"]
    terminal_output = Output("configuration", fill_template(JUNOS, "startup.j2", "leaf1", CASES[case]), output.source)
    assert build_facts(JUNOS, Outputs("leaf1", {"configuration": terminal_output})).devices == (
        build_facts(JUNOS, Outputs("leaf1", {"configuration": output})).devices
    )


def change_output(case: str, command: str, old: str, new: str) -> Facts:
    """What is read when in the output of a command a text is replaced, once."""
    outputs = dict(answers(JUNOS, "leaf1", CASES[case]).outputs)
    del outputs["configuration-lines"]  # which would count others
    text = outputs[command].text
    assert old in text
    outputs[command] = Output(command, text.replace(old, new, 1), outputs[command].source)
    return assemble_facts(JUNOS.parse(Outputs("leaf1", outputs)), devices=["leaf1"])


QUEUE = FIRST.child("queue", "4")
CONF = "configuration"
LOW = "priority low;\n            drop-profile-map"
MAP = "scheduler-map ROCE-MAP;"
ROWS: list[tuple[str, str, str, str, Place, str, Any]] = [
    # a changed value
    ("routed", CONF, "                mtu 9170;", "                mtu 1500;", FIRST, "port.link.mtu", 1500),
    ("routed", CONF, "mtu 9216;", "mtu 9000;", FIRST, "port.link.mtu", 8986),
    ("routed", CONF, "mtu 9216;", "mtu 13;", FIRST, "port.link.mtu", None),
    ("routed", CONF, "fill-level [ 55 90 ]", "fill-level [ 20 60 ]", QUEUE, "queue.ecn.minimum_fill", 20),
    ("routed", CONF, "drop-probability [ 0 100 ]", "drop-probability [ 0 5 ]", QUEUE, "queue.ecn.probability", 5),
    ("routed", CONF, "drop-probability [ 0 100 ]", "drop-probability [ 1 100 ]", QUEUE, "queue.ecn.minimum_fill", None),
    ("routed", CONF, "fill-level [ 55 90 ]", "fill-level [ 10 55 90 ]", QUEUE, "queue.ecn.minimum_fill", None),
    ("routed", CONF, "code-point 011010 {\n                        pfc;", "code-point 011010 {", FIRST, "port.qos.pfc",
     frozenset()),
    ("routed", CONF, " no-loss pfc-priority 3", "", FIRST, "port.qos.pfc", frozenset()),
    ("routed", CONF, "pfc-priority 3", "pfc-priority 5", FIRST, "port.qos.pfc", frozenset({Priority(5)})),
    ("routed", CONF, "flow-control-queue 4", "flow-control-queue 3", FIRST, "port.qos.pfc_queue",
     {Priority(3): SwitchQueue(3)}),
    ("routed", CONF, "flow-control-queue 4", "flow-control-queue [ 3 4 ]", FIRST, "port.qos.pfc_queue", None),
    ("routed", CONF, "detection 2;", "detection 5;", FIRST, "port.qos.watchdog.detect", ms(500)),
    ("routed", CONF, "poll-interval 100;", "poll-interval 200;", LEAF, "switch.watchdog_poll", ms(200)),
    ("routed", CONF, "recovery 400;", "watchdog-action forward;", FIRST, "port.qos.watchdog.action", None),
    ("routed", CONF, "percent 66", "percent 80", LEAF, "switch.buffers.lossless_share", 80),
    ("routed", CONF, "inactivity-interval 256", "inactivity-interval 64", LEAF, "switch.load_balancing.flowlet_gap",
     Duration(64 * 10**6)),
    ("routed", CONF, LOW, "shaping-rate 40g;\n            " + LOW, QUEUE, "queue.shape", Bandwidth.gbps(40)),
    ("routed", CONF, LOW, "shaping-rate percent 10;\n            " + LOW, QUEUE, "queue.shape", None),
    ("routed", CONF, MAP, "shaping-rate 40000000k;\n            " + MAP, QUEUE, "queue.shape", Bandwidth.gbps(40)),
    ("routed", CONF, "transmit-rate percent 50;\n            " + LOW, "transmit-rate 40000m exact;\n            " + LOW,
     QUEUE, "queue.shape", Bandwidth.gbps(40)),
    ("routed", CONF, MAP, MAP, QUEUE, "queue.shape", Bandwidth(0)),
    ("routed", CONF, "number-of-sub-ports 2", "number-of-sub-ports 4", FIRST, "port.breakout", 4),
    ("routed", CONF, 'description "node1 eth0";', "disable;", FIRST, "port.link.enabled", False),
    ("routed", CONF, "dscp ROCE;", "ieee-802.1 dot1p;", FIRST, "port.qos.trust", "dot1p"),
    ("routed", CONF, "code-points 011010", "code-points ef", FIRST, "port.qos.dscp_tc", None),
    ("routed", "interfaces-extensive", "link is Up", "link is Down", FIRST, "port.link.up", False),
    ("routed", "interfaces-extensive", "FEC119", "FEC74", FIRST, "port.link.fec", "fc"),
    ("routed", CONF, "            transmit-rate percent 50;\n            priority low;\n            drop",
     "            transmit-rate percent 50;\n            priority strict-high;\n            drop",
     FIRST.child("queue", "4"), "queue.weight", 50),
    ("routed", "lldp-neighbors", "node1", "node7", FIRST, "port.neighbour.device", "node7"),
    # a removed line: the default, or unknown
    ("routed", CONF, "                inactivity-interval 256;\n", "", LEAF, "switch.load_balancing.flowlet_gap",
     Duration(256 * 10**6)),
    ("routed", CONF, "                flowset-table-size 2048;\n", "", LEAF, "switch.load_balancing.flowlet_table", None),  # noqa: E501
    ("routed", CONF, "                detection 2;\n", "", FIRST, "port.qos.watchdog.detect", ms(200)),
    ("routed", CONF, "                recovery 400;\n", "", FIRST, "port.qos.watchdog.restore", ms(200)),
    ("routed", CONF, "                mtu 9170;\n", "", FIRST, "port.link.mtu", 9202),
    ("routed", CONF, "        mtu 9216;\n        unit 0 {\n            family inet {\n                mtu 9170;\n",
     "        unit 0 {\n            family inet {\n", FIRST, "port.link.mtu", 1500),
    ("routed", CONF, "            congestion-notification-profile ROCE-PFC;\n", "", FIRST, "port.qos.pfc", frozenset()),
    ("routed", CONF, "            congestion-notification-profile ROCE-PFC;\n", "", FIRST, "port.qos.watchdog.enabled",
     False),
    ("routed", CONF, "            scheduler-map ROCE-MAP;\n", "", QUEUE, "queue.ecn.enabled", False),
    ("routed", CONF, "            scheduler-map ROCE-MAP;\n", "", QUEUE, "queue.weight", None),
    ("routed", CONF, "            explicit-congestion-notification;\n", "", QUEUE, "queue.ecn.enabled", False),
    ("routed", CONF, "            forwarding-class best-effort scheduler best-effort;\n", "", FIRST.child("queue", "0"),
     "queue.weight", None),
    ("routed", CONF, "            transmit-rate percent 50;\n            priority low;\n            drop", "            drop",  # noqa: E501
     QUEUE, "queue.weight", 0),  # low, with nothing guaranteed
    ("routed", CONF, "transmit-rate percent 50;\n            " + LOW, LOW, QUEUE, "queue.weight", 0),
    ("routed", CONF, "transmit-rate percent 50;\n            " + LOW, "transmit-rate remainder;\n            " + LOW,
     QUEUE, "queue.weight", None),
    ("routed", CONF, "transmit-rate percent 50;\n            " + LOW, "transmit-rate 200g;\n            " + LOW,
     QUEUE, "queue.weight", None),
    ("routed", CONF, "transmit-rate percent 50;\n            " + LOW,
     "transmit-rate percent 50 exact;\n            " + LOW, QUEUE, "queue.weight", None),
    ("routed", CONF, "transmit-rate percent 50;\n            " + LOW,
     "transmit-rate {\n                percent 20;\n                exact;\n            }\n            " + LOW,
     QUEUE, "queue.weight", None),
    # other forms of the same
    ("routed", CONF, "transmit-rate percent 50;\n            " + LOW,
     "transmit-rate {\n                percent 20;\n            }\n            " + LOW, QUEUE, "queue.weight", 20),
    ("routed", CONF, "pfc-watchdog {\n                poll-interval 100;\n                detection 2;\n"
     "                recovery 400;\n            }", "pfc-watchdog;", FIRST, "port.qos.watchdog.restore", ms(200)),
    ("routed", CONF, "            explicit-cong", "            inactive: explicit-cong", QUEUE, "queue.ecn.enabled", False),  # noqa: E501
    ("routed", CONF, "    interfaces {\n        et-*", "    interfaces {\n        et-0/0/0:0 {\n        }\n        et-*", FIRST,  # noqa: E501
     "port.qos.pfc", None),
    ("switched", CONF, "interface-mode access;", "interface-mode trunk;", FIRST, "port.tagged_vlans", (11,)),
    ("switched", CONF, "members vn11;", "members all;", FIRST, "port.vlan", None),
    ("switched", CONF, "vlan-id 11;", "vlan-id 19;", FIRST, "port.vlan", 19),
    ("unnumbered", CONF, "        interface et-0/0/32:0.0;\n", "", LEAF.child("port", "et-0/0/32:0"), "port.unnumbered",
     False),
    ("unnumbered", CONF, "peer-as 4200000000", "peer-as 65001", LEAF.child("peer", "et-0/0/32:0"), "peer.asn", 65001),
    # sessions within the own system, and a port with factory settings: as on the switches of netenglabs/suzieq's tests
    ("numbered", CONF, "peer-as 4200000000;", "type internal;", LEAF.child("peer", "10.1.0.1"), "peer.asn", 4200010000),
    ("routed", CONF, "                mtu 9170;", "                dhcp;", FIRST, "port.addresses", None),
    ("numbered", CONF, "autonomous-system 4200010000", "autonomous-system 65120.100 loops 2", LEAF, "switch.bgp.asn",
     65120 * 65536 + 100),
    ("unnumbered", CONF, "                multiple-as;\n", "", LEAF, "switch.bgp.multipath_relax", False),
    ("unnumbered", CONF, "chassis {\n    maximum-ecmp 32;\n}\n", "", LEAF, "switch.bgp.maximum_paths", 16),
    ("unnumbered", CONF, "route-filter 10.1.0.0/24 exact;", "", LEAF, "switch.bgp.networks", ("10.255.0.1/32",)),
    ("unnumbered", CONF, "            export UNDERLAY-OUT;\n", "", LEAF, "switch.bgp.networks", ()),
    ("unnumbered", CONF, "            export UNDERLAY-OUT;\n", "            export OTHER;\n", LEAF, "switch.bgp.networks", None),  # noqa: E501
    ("numbered", "bgp-summary", "Establ", "Connect", LEAF.child("peer", "10.1.0.1"), "peer.state", "Connect"),
    ("numbered", "bgp-summary", "Establ", "1/1/1/0              0/0/0/0", LEAF.child("peer", "10.1.0.1"), "peer.state",
     "Established"),
    # cut short
    ("routed", CONF, "    schedulers {", "", FIRST, "port.link.mtu", None),
]  # fmt: skip


@pytest.mark.parametrize(("case", "command", "old", "new", "place", "path", "value"), ROWS)
def test_one_line_changed(case: str, command: str, old: str, new: str, place: Place, path: str, value: Any) -> None:
    assert change_output(case, command, old, new).value(place, path) == value


DESIGN = """\
interfaces {
    et-0/0/12 {
        description "Breakout et-0/0/12";
        number-of-sub-ports 2;
        speed 400g;
    }
    et-0/0/12:0 {
        description to.node-02;
        native-vlan-id 2;
        mtu 9216;
        unit 0 {
            family ethernet-switching {
                interface-mode trunk;
                vlan members vn2;
            }
        }
    }
}
class-of-service {
    classifiers {
        dscp mydscp {
            forwarding-class CNP {
                loss-priority low code-points 110000;
            }
            forwarding-class NO-LOSS {
                loss-priority low code-points 011010;
            }
        }
    }
    forwarding-classes {
        class CNP queue-num 3;
        class NO-LOSS queue-num 4 no-loss pfc-priority 3;
    }
    congestion-notification-profile {
        cnp {
            pfc-watchdog;
            input {
                dscp {
                    code-point 011010 {
                        pfc;
                    }
                }
            }
            output {
                ieee-802.1 {
                    code-point 011 {
                        flow-control-queue 4;
                    }
                }
            }
        }
    }
    interfaces {
        et-* {
            congestion-notification-profile cnp;
            scheduler-map sm1;
            unit * {
                classifiers {
                    dscp mydscp;
                }
            }
        }
    }
    scheduler-maps {
        sm1 {
            forwarding-class CNP scheduler s2-cnp;
        }
    }
    schedulers {
        s2-cnp {
            transmit-rate percent 5;
            priority strict-high;
        }
    }
}
vlans {
    vn2 {
        vlan-id 2;
        l3-interface irb.2;
    }
}
"""
"""The forms of Broadcom 957608-AN210, 2.4.1.4 and 2.5.3, and of Juniper's validated design, with their own names."""


def test_the_forms_of_the_vendors_samples_are_read() -> None:
    output = Output("configuration", DESIGN, Source("leaf1", "show configuration", "configuration.txt"))
    facts = build_facts(JUNOS, Outputs("leaf1", {"configuration": output}))
    place = LEAF.child("port", "et-0/0/12:0")
    assert [facts.value(place, path) for path in ("port.vlan", "port.tagged_vlans", "port.breakout")] == [2, (), 2]
    assert facts.value(place, "port.qos.dscp_tc") == {Dscp(48): TC(3), Dscp(26): TC(4)}
    assert facts.value(place, "port.qos.pfc") == frozenset({Priority(3)})
    assert facts.value(place, "port.qos.watchdog.detect") == ms(200)
    assert facts.value(place.child("queue", "3"), "queue.discipline") is Discipline.STRICT
    assert facts.value(place.child("queue", "4"), "queue.discipline") is None


def test_a_trunk_without_native_vlan_drops_untagged_frames() -> None:
    text = DESIGN.replace("        native-vlan-id 2;\n", "")
    output = Output("configuration", text, Source("leaf1", "show configuration", "configuration.txt"))
    facts = build_facts(JUNOS, Outputs("leaf1", {"configuration": output}))
    place = LEAF.child("port", "et-0/0/12:0")
    assert [facts.value(place, path) for path in ("port.vlan", "port.tagged_vlans")] == [0, (2,)]


def with_port(**changes: Any) -> Switch:
    return leaf(ports={PORTS[0]: port(0, **changes)})


REFUSED: list[tuple[Switch, str]] = [
    (
        with_port(link=link(mtu=9216)),
        "leaf1 et-0/0/0:0: port.link.mtu: found 9216; expected at most 9202\n"
        "  hint: the physical MTU includes the header and is at most 9216",
    ),
    (
        with_port(link=link(fec="none", mtu=9170)),
        "leaf1 et-0/0/0:0: port.link.fec: none at 400 Gb/s; expected rs, the only one from 200 Gb/s on",
    ),
    (
        with_port(breakout=None),
        "leaf1 et-0/0/0:0: port.breakout: found a port split into 1; expected sub-ports, such as et-0/0/1:0",
    ),
    (
        with_port(qos=replace(CLASSES, trust="dot1p")),
        "leaf1 et-0/0/0:0: port.qos.trust: found dot1p; expected dscp\n"
        "  hint: PFC by DSCP and by 802.1p exclude one another",
    ),
    (
        with_port(qos=replace(CLASSES, tc_queue={TC(4): SwitchQueue(3)})),
        "leaf1 et-0/0/0:0: port.qos.tc_queue: found traffic class 4 in queue 3; expected traffic class 3\n"
        "  hint: a forwarding class is identified by its queue",
    ),
    (
        with_port(qos=replace(CLASSES, watchdog=Watchdog(True, WatchdogAction.FORWARD, ms(200), ms(200)))),
        "leaf1 et-0/0/0:0: port.qos.watchdog.action: found forward; expected drop\n"
        "  hint: the only action of Junos 23.4R1-EVO",
    ),
    (
        with_port(qos=replace(CLASSES, watchdog=Watchdog(True, WatchdogAction.DROP, ms(250), ms(2000)))),
        "leaf1 et-0/0/0:0: port.qos.watchdog.detect: found 250 ms; expected 2 to 10 times the polling interval, 100 ms\n"  # noqa: E501
        "leaf1 et-0/0/0:0: port.qos.watchdog.restore: found 2 s; expected 200 ms to 1000 ms",
    ),
    (
        leaf(load_balancing=LoadBalancing("spray", None, None, frozenset({"ttl"}))),
        "leaf1: switch.load_balancing.mode: found spray; expected static or one of flowlet, per-packet, assigned-flow\n"
        "leaf1: switch.load_balancing.hash_fields: found ttl; expected layer-3 and layer-4",
    ),
    (leaf(bgp=Bgp(maximum_paths=200)), "leaf1: switch.bgp.maximum_paths: found 200; expected at most 128"),
]


@pytest.mark.parametrize(("switch", "message"), REFUSED)
def test_refused(switch: Switch, message: str) -> None:
    with pytest.raises(Refusal) as refusal:
        fill_template(JUNOS, "startup.j2", "leaf1", switch)
    assert str(refusal.value) == message


COMMANDS: list[tuple[Place, str, Any, tuple[str, ...]]] = [
    (
        FIRST,
        "port.link.mtu",
        9170,
        ("set interfaces et-0/0/0:0 mtu 9216", "set interfaces et-0/0/0:0 unit 0 family inet mtu 9170"),
    ),
    (FIRST, "port.link.speed", Bandwidth.gbps(400), ("set interfaces et-0/0/0 speed 400g",)),
    (FIRST, "port.breakout", 2, ("set interfaces et-0/0/0 number-of-sub-ports 2",)),
    (FIRST, "port.link.enabled", True, ("delete interfaces et-0/0/0:0 disable",)),
    (
        FIRST,
        "port.qos.pfc",
        frozenset({3}),
        (
            "set class-of-service forwarding-classes class NO-LOSS queue-num 4 no-loss pfc-priority 3",
            "set class-of-service congestion-notification-profile ROCE-PFC input dscp code-point 011010 pfc",
            "set class-of-service congestion-notification-profile ROCE-PFC output ieee-802.1 code-point 011 flow-control-queue 4",  # noqa: E501
            "set class-of-service congestion-notification-profile ROCE-PFC pfc-watchdog",
            "set class-of-service congestion-notification-profile ROCE-PFC pfc-watchdog detection 2",
            "set class-of-service congestion-notification-profile ROCE-PFC pfc-watchdog recovery 400",
            "set class-of-service interfaces et-* congestion-notification-profile ROCE-PFC",
        ),
    ),
    (
        FIRST,
        "port.qos.dscp_tc",
        {26: 4},
        (
            "set class-of-service classifiers dscp ROCE forwarding-class NO-LOSS loss-priority low code-points 011010",
            "set class-of-service interfaces et-* unit * classifiers dscp ROCE",
        ),
    ),
    (
        FIRST,
        "port.qos.watchdog.detect",
        ms(500),
        (
            "set class-of-service forwarding-classes class NO-LOSS queue-num 4 no-loss pfc-priority 3",
            "set class-of-service congestion-notification-profile ROCE-PFC input dscp code-point 011010 pfc",
            "set class-of-service congestion-notification-profile ROCE-PFC output ieee-802.1 code-point 011 flow-control-queue 4",  # noqa: E501
            "set class-of-service congestion-notification-profile ROCE-PFC pfc-watchdog",
            "set class-of-service congestion-notification-profile ROCE-PFC pfc-watchdog detection 5",
            "set class-of-service congestion-notification-profile ROCE-PFC pfc-watchdog recovery 400",
            "set class-of-service interfaces et-* congestion-notification-profile ROCE-PFC",
        ),
    ),
    (
        QUEUE,
        "queue.ecn.maximum_fill",
        80,
        (
            "delete class-of-service drop-profiles ROCE-ECN interpolate",
            "set class-of-service drop-profiles ROCE-ECN interpolate fill-level [ 55 80 ] drop-probability [ 0 100 ]",
        ),
    ),
    (
        QUEUE,
        "queue.weight",
        50,
        (
            "set class-of-service scheduler-maps ROCE-MAP forwarding-class NO-LOSS scheduler NO-LOSS",
            "set class-of-service schedulers NO-LOSS transmit-rate percent 50",
        ),
    ),
    (
        LEAF,
        "switch.load_balancing.flowlet_gap",
        Duration(256 * 10**6),
        ("set forwarding-options enhanced-hash-key ecmp-dlb flowlet inactivity-interval 256",),
    ),
    (
        LEAF,
        "switch.buffers.headroom_share",
        24,
        ("set class-of-service shared-buffer ingress buffer-partition lossless-headroom percent 24",),
    ),
]


@pytest.mark.parametrize(("place", "path", "value", "lines"), COMMANDS)
def test_a_change_as_commands(place: Place, path: str, value: Any, lines: tuple[str, ...]) -> None:
    assert JUNOS.commands_for is not None
    worded = JUNOS.commands_for(place, path, value, CASES["routed"])
    assert worded is not None
    assert worded.commands[0] == "configure exclusive"
    assert worded.commands[-1] == "commit and-quit"
    assert worded.commands[1 : 1 + len(lines)] == lines


def full() -> Switch:
    """A switch with an intent for every setting of Junos that differs from its default."""
    marked = {**QUEUES, "4": replace(QUEUES["4"], ecn=replace(MARKED, probability=50))}
    routed = port(0, addresses=("10.1.0.0/31",), queues=marked, link=replace(link(mtu=9170), enabled=False))
    bridged = port(1, addresses=None, vlan=11, tagged_vlans=(12,))
    bridged = replace(bridged, link=replace(bridged.link, speed=Bandwidth.gbps(100), fec="fc"))
    bare = port(2, addresses=(), unnumbered=True)
    return leaf(
        lldp=True,
        ports={"et-0/0/0:0": routed, "et-0/0/0:1": bridged, "et-0/0/32:0": bare},
        vlans={"11": Vlan(("192.168.1.254/24",), 8000, "rail 1"), "12": Vlan()},
        loopbacks=("10.255.0.1/32",),
        bgp=Bgp(4200010000, "10.255.0.1", 32, True, ("10.255.0.1/32",)),
        peers={
            "et-0/0/32:0": replace(UNNUMBERED["et-0/0/32:0"], ipv6=True),
            "10.9.0.1": BgpPeer(65001, "spine3", None, True, True, True),
        },
    )


def test_what_is_declared_as_rendered_is_configured() -> None:
    switch = full()
    whole = _render(switch)
    places: dict[str, list[Place]] = {}
    for place, path, value in walk(switch, LEAF):
        if value is not None:
            places.setdefault(path, []).append(place)
    affected: set[str] = set()
    for path, settings_places in places.items():
        reduced_switch = switch
        for place in settings_places:
            reduced_switch = _remove_setting(reduced_switch, place, path)
        if _render(reduced_switch) != whole:
            affected.add(path)
    paths = {path for path, support in JUNOS.settings.items() if support.rendered}
    assert affected - {"switch.os_version"} - BEYOND_CLUSTER_FILES == paths


def _remove_setting(switch: Switch, place: Place, path: str) -> Switch:
    names_by_kind = dict(place.entities)
    if "peer" not in names_by_kind:
        return remove_setting(switch, place, path)
    peer = replace(switch.peers[names_by_kind["peer"]], **{path.rpartition(".")[2]: None})
    return replace(switch, peers={**switch.peers, names_by_kind["peer"]: peer})


def _render(switch: Switch) -> str:
    from wirespeed.platforms.templates import _create_environment

    assert JUNOS.view is not None
    context = {"name": "leaf1", "device": switch, "unverified": [], **JUNOS.view("leaf1", switch)}
    return _create_environment().get_template(f"{JUNOS.folder}/templates/startup.j2").render(context)


def test_a_switch_without_classes_keeps_what_it_has() -> None:
    bare = leaf(ports={"et-0/0/0": Port(link=Link(mtu=9000))}, buffers=Buffers(), load_balancing=LoadBalancing())
    text = fill_template(JUNOS, "startup.j2", "leaf1", bare)
    assert "class-of-service" not in text
    assert "forwarding-options" not in text


def test_thresholds_in_bytes_mark_nothing() -> None:
    sized = {**QUEUES, "4": replace(QUEUES["4"], ecn=Ecn(False, Size(1), Size(2), probability=5))}
    assert "drop-profiles" not in fill_template(JUNOS, "startup.j2", "leaf1", with_port(queues=sized))


@pytest.mark.parametrize(
    ("gbps", "fec", "word"), [(100, "rs", "fec91"), (25, "rs", "fec108"), (25, "fc", "fec74"), (100, "none", "none")]
)
def test_error_correction_below_200_gbps_is_a_statement(gbps: int, fec: str, word: str) -> None:
    """``gigether-options fec`` of Juniper's model of Junos 23.4R2-EVO, whose values name the clause of IEEE 802.3."""
    slow = replace(link(mtu=9170, fec=fec), speed=Bandwidth.gbps(gbps))
    text = _render(with_port(link=slow, breakout=None))
    assert f"        gigether-options {{\n            fec {word};\n        }}\n" in text
    assert "gigether-options" not in _render(with_port(link=link(mtu=9170)))


def test_a_configured_error_correction_is_read() -> None:
    text = _render(with_port(link=replace(link(mtu=9170), speed=Bandwidth.gbps(100))))
    for options in ("gigether-options", "ether-options"):
        source = Source("leaf1", "show configuration", "configuration.txt")
        output = Output(CONF, f"version 23.4R2.13-EVO;\n{text.replace('gigether-options', options)}", source)
        read = [entry for entry in configuration(LEAF, output) if entry.path == "port.link.fec"]
        assert [(entry.value, entry.state) for entry in read] == [("rs", State.CONFIGURED)]


def test_a_strict_class_with_a_share_has_a_rate() -> None:
    """Broadcom 957608-AN210, section 2.5.3: the scheduler of CNPs is strict-high with transmit-rate percent 5."""
    queues = {**QUEUES, "3": replace(QUEUES["3"], discipline=Discipline.STRICT, weight=5)}
    text = _render(with_port(queues=queues))
    assert "        CNP {\n            transmit-rate percent 5;\n            priority strict-high;\n        }\n" in text
