"""One line of a device's output changed, added or taken away, and what is then read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from platforms.round_trip import answers
from platforms.switch.test_render import CASES
from wirespeed.facts import Facts, State, assemble_facts
from wirespeed.platforms import Output, Outputs
from wirespeed.settings import Discipline, Dscp, Place, Priority, SwitchTrafficClass, WatchdogAction, WatchdogRecovery
from wirespeed.units import Bandwidth, Duration, Size

MS = 10**9
UNKNOWN = None

EOS_PORT = Place("leaf1").child("port", "Ethernet1/1")
EOS_QUEUE = EOS_PORT.child("queue", "3")
DELL_PORT = Place("leaf1").child("port", "Eth1/1")
DELL_QUEUE = DELL_PORT.child("queue", "3")


def read(case: str, changes: dict[str, tuple[str, str]]) -> Facts:
    """What is read when in the output of a command the first of each pair is replaced by the second, once."""
    platform_entry, switch = CASES[case]
    outputs = dict(answers(platform_entry, "leaf1", switch).outputs)
    for command, (old, new) in changes.items():
        text = outputs[command].text
        assert old in text, f"{old!r} is not in the output of {command}"
        outputs[command] = Output(command, text.replace(old, new, 1), outputs[command].source)
    return assemble_facts(platform_entry.parse(Outputs("leaf1", outputs)), devices=["leaf1"])


ROWS: list[tuple[str, str, tuple[str, str], Place, str, Any]] = [
    # EOS: a changed value
    (
        "eos-routed",
        "running-config",
        ("   no switchport\n", "   mtu 1500\n   no switchport\n"),
        EOS_PORT,
        "port.link.mtu",
        1500,
    ),
    ("eos-routed", "running-config", ("encoding reed-solomon", "encoding fire-code"), EOS_PORT, "port.link.fec", "fc"),
    (
        "eos-routed",
        "running-config",
        ("   phy link training", "   no phy link training"),
        EOS_PORT,
        "port.link.training",
        False,
    ),
    (
        "eos-routed",
        "running-config",
        ("   service-profile ROCE", "   service-profile ROCE\n   qos trust cos"),
        EOS_PORT,
        "port.qos.trust",
        "dot1p",
    ),
    (
        "eos-routed",
        "running-config",
        ("   service-profile ROCE", "   service-profile ROCE\n   no qos trust"),
        EOS_PORT,
        "port.qos.trust",
        "none",
    ),
    (
        "eos-routed",
        "running-config",
        ("hostname", "priority-flow-control all off\nhostname"),
        Place("leaf1"),
        "switch.pfc",
        False,
    ),
    (
        "eos-routed",
        "running-config",
        ("      no priority\n      bandwidth percent 50\n      random", "      random"),
        EOS_QUEUE,
        "queue.discipline",
        Discipline.STRICT,
    ),
    (
        "eos-routed",
        "running-config",
        (
            "minimum-threshold 1048 kbytes maximum-threshold 2097 kbytes",
            "minimum-threshold 1 mbytes maximum-threshold 2 mbytes",
        ),
        EOS_QUEUE,
        "queue.ecn.maximum",
        Size(2_000_000),
    ),
    (
        "eos-routed",
        "running-config",
        (
            "minimum-threshold 1048 kbytes maximum-threshold 2097 kbytes",
            "minimum-threshold 320 segments maximum-threshold 640 segments",
        ),
        EOS_QUEUE,
        "queue.ecn.enabled",
        True,
    ),
    (
        "eos-routed",
        "running-config",
        (
            "minimum-threshold 1048 kbytes maximum-threshold 2097 kbytes",
            "minimum-threshold 320 segments maximum-threshold 640 segments",
        ),
        EOS_QUEUE,
        "queue.ecn.minimum",
        UNKNOWN,
    ),
    (
        "eos-routed",
        "running-config",
        ("   ip address 10.1.0.0/31\n", "   ip address 10.9.0.0/31\n"),
        EOS_PORT,
        "port.addresses",
        ("10.9.0.0/31",),
    ),
    ("eos-routed", "running-config", ("\nip routing", "\nno ip routing"), Place("leaf1"), "switch.routing", False),
    (
        "eos-switched",
        "running-config",
        ("switchport access vlan 11", "switchport access vlan 12"),
        EOS_PORT,
        "port.vlan",
        12,
    ),
    (
        "eos-routed",
        "interfaces-status",
        ('"bandwidth": 400000000000', '"bandwidth": 200000000000'),
        EOS_PORT,
        "port.link.speed",
        Bandwidth.gbps(200),
    ),
    (
        "eos-routed",
        "interfaces-status",
        ('"linkStatus": "connected"', '"linkStatus": "errdisabled"'),
        EOS_PORT,
        "port.link.up",
        False,
    ),
    (
        "eos-routed",
        "interfaces-status",
        ('"linkStatus": "connected"', '"linkStatus": "inactive"'),
        EOS_PORT,
        "port.link.up",
        False,
    ),
    (
        "eos-routed",
        "lldp-neighbors",
        ('"neighborPort": "eth0"', '"neighborPort": "eth1"'),
        EOS_PORT,
        "port.neighbour.port",
        "eth1",
    ),
    # EOS: a line taken away is the default, or unknown
    ("eos-routed", "running-config", ("   mtu 9214\n", ""), EOS_PORT, "port.link.mtu", 1500),
    (
        "eos-routed",
        "running-config",
        ("   error-correction encoding reed-solomon\n", ""),
        EOS_PORT,
        "port.link.fec",
        UNKNOWN,
    ),
    ("eos-routed", "running-config", ("   service-profile ROCE\n", ""), EOS_PORT, "port.qos.trust", "dscp"),
    ("eos-switched", "running-config", ("   service-profile ROCE\n", ""), EOS_PORT, "port.qos.trust", "dot1p"),
    ("eos-routed", "running-config", ("   service-profile ROCE\n", ""), EOS_QUEUE, "queue.ecn.enabled", False),
    (
        "eos-routed",
        "running-config",
        ("   priority-flow-control pause watchdog\n", ""),
        EOS_PORT,
        "port.qos.watchdog.enabled",
        True,  # the lines of the switch alone: the guide's configuration
    ),
    ("eos-routed", "running-config", ("   ip address 10.1.0.0/31\n", ""), EOS_PORT, "port.addresses", ()),
    ("eos-routed", "running-config", ("\nip routing\n", "\n"), Place("leaf1"), "switch.routing", UNKNOWN),
    # EOS: what makes no sense is unknown, not the default
    ("eos-routed", "running-config", ("   mtu 9214", "   mtu jumbo"), EOS_PORT, "port.link.mtu", UNKNOWN),
    (
        "eos-routed",
        "running-config",
        ("63 to traffic-class 0", "64 to traffic-class 0"),
        EOS_PORT,
        "port.qos.dscp_tc",
        UNKNOWN,
    ),
    (
        "eos-routed",
        "running-config",
        ("random-detect ecn minimum", "random-detect ecn about"),
        EOS_QUEUE,
        "queue.ecn.enabled",
        UNKNOWN,
    ),
    ("eos-routed", "version", ('"version": "4.33.1F"', '"version": 4'), Place("leaf1"), "switch.os_version", UNKNOWN),
    (
        "eos-routed",
        "lldp-neighbors",
        ('"neighborDevice": "node1"', '"neighborDevice": ""'),
        EOS_PORT,
        "port.neighbour.device",
        UNKNOWN,
    ),
    # Enterprise SONiC: a changed value
    ("dell-routed", "running-config", (" mtu 9100", " mtu 1500"), DELL_PORT, "port.link.mtu", 1500),
    ("dell-routed", "running-config", (" fec RS", " fec FC"), DELL_PORT, "port.link.fec", "fc"),
    ("dell-routed", "running-config", (" no shutdown", " shutdown"), DELL_PORT, "port.link.enabled", False),
    (
        "dell-routed",
        "running-config",
        (" priority-flow-control priority 3", " priority-flow-control priority 3,4"),
        DELL_PORT,
        "port.qos.pfc",
        frozenset({Priority(3), Priority(4)}),
    ),
    (
        "dell-routed",
        "running-config",
        ("detect-time 200", "detect-time 1000"),
        DELL_PORT,
        "port.qos.watchdog.detect",
        Duration(1000 * MS),
    ),
    (
        "dell-routed",
        "running-config",
        ("minimum-threshold 1048", "minimum-threshold 2048"),
        DELL_QUEUE,
        "queue.ecn.minimum",
        Size(2_048_000),
    ),
    ("dell-routed", "running-config", (" ecn green\n", ""), DELL_QUEUE, "queue.ecn.enabled", False),
    (
        "dell-routed",
        "running-config",
        ('description "node1 eth0"', "description node1 eth0"),
        DELL_PORT,
        "port.description",
        "node1 eth0",
    ),
    (
        "dell-routed",
        "running-config",
        (" queue 6\n  type strict", " queue 4\n  type dwrr\n  weight 50\n !\n queue 6\n  type strict"),
        DELL_QUEUE,
        "queue.weight",
        33,
    ),
    ("dell-switched", "running-config", ("access Vlan 11", "access Vlan 12"), DELL_PORT, "port.vlan", 12),
    # an untagged member of no VLAN drops untagged frames
    ("dell-switched", "running-config", ("access Vlan 11", "trunk allowed Vlan 11"), DELL_PORT, "port.vlan", 0),
    ("dell-switched", "running-config", (" switchport access Vlan 11\n", ""), DELL_PORT, "port.vlan", 0),
    ("dell-switched", "running-config", ("access Vlan 11", "access Vlan eleven"), DELL_PORT, "port.vlan", UNKNOWN),
    (
        "dell-switched",
        "running-config",
        (" switchport access Vlan 11\n", " channel-group 1\n"),
        DELL_PORT,
        "port.vlan",
        UNKNOWN,
    ),
    ("dell-routed", "interface-status", (" up ", " down "), DELL_PORT, "port.link.up", False),
    ("dell-routed", "interface-status", (" 400000 ", " 200000 "), DELL_PORT, "port.link.speed", Bandwidth.gbps(200)),
    ("dell-routed", "interface-status", ("node1 eth0", "a host with a long name"), DELL_PORT, "port.link.up", True),
    ("dell-routed", "interface-status", ("Alternate-Name", "Alternate Name"), DELL_PORT, "port.link.up", True),
    (
        "dell-routed",
        "lldp-table",
        ("eth0                 R           eth0", "00:00:5e:00:53:01    R           eth0"),
        DELL_PORT,
        "port.neighbour.port",
        "eth0",
    ),
    *(
        (
            "dell-routed",
            "lldp-table",
            ("node1                eth0 ", "node1-of-the-rack-04-eth0 "),
            DELL_PORT,
            path,
            UNKNOWN,
        )
        for path in ("port.neighbour.device", "port.neighbour.port")  # a name that runs into the next
    ),
    ("dell-routed", "version", ("'4.4.0'", "4.5.1"), Place("leaf1"), "switch.os_version", "4.5.1"),
    # Enterprise SONiC: a line taken away is the default, or unknown
    ("dell-routed", "running-config", (" qos-map dscp-tc ROCE\n", ""), DELL_PORT, "port.qos.trust", "none"),
    ("dell-routed", "running-config", (" qos-map dscp-tc ROCE\n", ""), DELL_PORT, "port.qos.dscp_tc", UNKNOWN),
    ("dell-routed", "running-config", (" queue 3 wred-policy ROCE\n", ""), DELL_QUEUE, "queue.ecn.enabled", False),
    (
        "dell-routed",
        "running-config",
        (" scheduler-policy ROCE\n qos", " qos"),
        DELL_PORT.child("queue", "6"),
        "queue.discipline",
        "dwrr",
    ),
    ("dell-routed", "running-config", (" qos-map tc-queue ROCE\n", ""), DELL_PORT, "port.qos.tc_queue", {}),
    ("dell-routed", "running-config", (" qos-map tc-pg ROCE\n", ""), DELL_PORT, "port.qos.tc_pg", {}),
    ("dell-routed", "running-config", (" qos-map pfc-priority-queue ROCE\n", ""), DELL_PORT, "port.qos.pfc_queue", {}),
    ("dell-routed", "running-config", (" qos-map", " no-map"), DELL_PORT, "port.qos.dot1p_tc", {}),
    (
        "dell-routed",
        "running-config",
        (" priority-flow-control priority 3\n", ""),
        DELL_PORT,
        "port.qos.pfc",
        frozenset(),
    ),
    (
        "dell-routed",
        "running-config",
        (" priority-flow-control watchdog on detect-time 200\n", ""),
        DELL_PORT,
        "port.qos.watchdog.enabled",
        False,
    ),
    ("dell-routed", "running-config", (" mtu 9100\n", ""), DELL_PORT, "port.link.mtu", 9100),
    ("dell-routed", "running-config", (" standalone-link-training\n", ""), DELL_PORT, "port.link.training", False),
    ("dell-routed", "running-config", (" no shutdown\n", ""), DELL_PORT, "port.link.enabled", UNKNOWN),
    # Enterprise SONiC: what makes no sense is unknown, not the default
    ("dell-routed", "running-config", (" mtu 9100", " mtu jumbo"), DELL_PORT, "port.link.mtu", UNKNOWN),
    (
        "dell-routed",
        "running-config",
        ("dscp 26 traffic-class 3", "dscp 26 traffic-class 9"),
        DELL_PORT,
        "port.qos.dscp_tc",
        UNKNOWN,
    ),
    (
        "dell-routed",
        "running-config",
        ("qos-map dscp-tc ROCE", "qos-map dscp-tc GONE"),
        DELL_PORT,
        "port.qos.dscp_tc",
        UNKNOWN,
    ),
    (
        "dell-routed",
        "running-config",
        ("queue 3 wred-policy ROCE", "queue 3 wred-policy GONE"),
        DELL_QUEUE,
        "queue.ecn.enabled",
        UNKNOWN,
    ),
    ("dell-routed", "running-config", (" weight 50", " weight half"), DELL_QUEUE, "queue.weight", UNKNOWN),
    ("dell-routed", "interface-status", ("oper-up", ""), DELL_PORT, "port.link.up", UNKNOWN),
]


@pytest.mark.parametrize(("case", "command", "change", "place", "path", "value"), ROWS)
def test_one_line(case: str, command: str, change: tuple[str, str], place: Place, path: str, value: Any) -> None:
    assert read(case, {command: change}).value(place, path) == value


@pytest.mark.parametrize(
    ("change", "path", "value"),
    [
        (("default timeout 0.20", "default timeout 5.00"), "port.qos.watchdog.detect", Duration.parse("5 s")),
        (("watchdog action drop", "watchdog action errdisable"), "port.qos.watchdog.action", WatchdogAction.ERRDISABLE),
        (("recovery-time 0.40", "recovery-time 0.40 forced"), "port.qos.watchdog.recovery", WatchdogRecovery.FORCED),
    ],
)
def test_the_watchdog_in_effect_is_read_beside_the_configured_one(
    change: tuple[str, str], path: str, value: Any
) -> None:
    """The status of the lossless network guide still has the former values."""
    facts = read("eos-routed", {"running-config": change})
    states = {reading.state: reading.value for reading in facts.readings[EOS_PORT, path]}
    assert states[State.CONFIGURED] == value
    assert states[State.RUNNING] not in (None, value)


def test_a_value_stands_on_its_line() -> None:
    facts = read("dell-routed", {"running-config": (" mtu 9100", " mtu 9000")})
    reading = facts.reading(DELL_PORT, "port.link.mtu")
    assert reading is not None
    assert str(reading.source).endswith("(leaf1/running-config.out:57)")
    text = answers(*CASES["dell-routed"][:1], "leaf1", CASES["dell-routed"][1]).outputs["running-config"].text
    assert text.split("\n")[56] == " mtu 9100"


def test_a_class_is_found_where_the_map_puts_it() -> None:
    facts = read("dell-routed", {"running-config": (" dscp 26 traffic-class 3", " dscp 26 traffic-class 0")})
    assert facts.value(DELL_PORT, "port.qos.dscp_tc")[Dscp(26)] == SwitchTrafficClass(0)
    facts = read("eos-routed", {"running-config": ("no aaa root", "no aaa root\nqos map dscp 26 to traffic-class 0")})
    assert facts.value(EOS_PORT, "port.qos.dscp_tc")[Dscp(26)] == SwitchTrafficClass(0)


def test_rewriting_is_not_classification() -> None:
    """The trap in the sample of Broadcom 957608-AN210, 2.5.1: this line maps nothing to traffic class 7."""
    facts = read("eos-routed", {"running-config": ("no aaa root", "qos map traffic-class 7 to dscp 48")})
    assert facts.value(EOS_PORT, "port.qos.tc_dscp") == {SwitchTrafficClass(7): Dscp(48)}
    assert facts.value(EOS_PORT, "port.qos.dscp_tc")[Dscp(48)] == SwitchTrafficClass(6)


def test_the_running_speed_is_believed_before_the_configured_one() -> None:
    facts = read("eos-routed", {"interfaces-status": ('"bandwidth": 400000000000', '"bandwidth": 100000000000')})
    assert [(reading.value, reading.state) for reading in facts.readings[EOS_PORT, "port.link.speed"]] == [
        (Bandwidth.gbps(100), State.RUNNING),
        (Bandwidth.gbps(400), State.CONFIGURED),
    ]


@pytest.mark.parametrize("case", ["eos-routed", "dell-routed"])
def test_a_configuration_without_indentation_is_not_read(case: str) -> None:
    """As documents print it: which lines belong to which interface is lost, so a missing line is no default."""
    platform_entry, switch = CASES[case]
    whole = answers(platform_entry, "leaf1", switch).outputs["running-config"]
    flat = "\n".join(line.strip() for line in whole.text.split("\n"))
    outputs = Outputs("leaf1", {"running-config": Output("running-config", flat, whole.source)})
    assert list(platform_entry.parse(outputs)) == []


@pytest.mark.parametrize("case", ["eos-routed", "dell-routed"])
def test_line_endings_of_a_terminal_change_nothing(case: str) -> None:
    platform_entry, switch = CASES[case]
    whole = answers(platform_entry, "leaf1", switch)
    typed = {
        key: Output(key, output.text.replace("\n", "\r\n"), output.source) for key, output in whole.outputs.items()
    }
    assert list(platform_entry.parse(Outputs("leaf1", typed))) == list(platform_entry.parse(whole))


@pytest.mark.parametrize("case", ["eos-odd-port", "dell-odd-port"])
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_cut_output_has_fewer_but_no_other_values(case: str, data: st.DataObject) -> None:
    platform_entry, switch = CASES[case]
    whole = answers(platform_entry, "leaf1", switch)
    readings = {
        (observation.place, observation.path, str(observation.value)) for observation in platform_entry.parse(whole)
    }
    command = data.draw(st.sampled_from(sorted(whole.outputs)))
    output = whole.outputs[command]
    cut = Output(command, output.text[: data.draw(st.integers(0, len(output.text)))], output.source)
    remaining = {
        (observation.place, observation.path, str(observation.value))
        for observation in platform_entry.parse(Outputs("leaf1", {command: cut}))
    }
    assert remaining <= readings


@pytest.mark.parametrize("case", ["eos-routed", "dell-routed"])
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_no_text_breaks_a_parser(case: str, data: st.DataObject) -> None:
    platform_entry, switch = CASES[case]
    outputs = answers(platform_entry, "leaf1", switch).outputs
    command = data.draw(st.sampled_from(sorted(outputs)))
    text = outputs[command].text
    position = data.draw(st.integers(0, len(text)))
    broken = Output(
        command, text[:position] + data.draw(st.text(max_size=12)) + text[position:], outputs[command].source
    )
    assemble_facts(platform_entry.parse(Outputs("leaf1", {command: broken})), devices=["leaf1"])
