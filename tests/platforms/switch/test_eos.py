"""Arista EOS: what differs by chip family, and what differs by congestion control.

``WIRESPEED_ACCEPT=1 pytest tests/platforms/switch/test_eos.py`` writes the files anew; read the difference.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from platforms.round_trip import answers, build_facts, find_losses
from platforms.switch.devices import link, ms, qos, queues, routed_switch
from wirespeed.catalogue import load
from wirespeed.errors import Refusal
from wirespeed.facts import Facts, Source
from wirespeed.platforms import Output, Outputs, platform
from wirespeed.platforms.switch.eos.interfaces import expand_interfaces, format_interfaces
from wirespeed.platforms.switch.eos.values import parse_speed, queue_keyword
from wirespeed.platforms.templates import fill_answer, fill_template
from wirespeed.settings import (
    Discipline,
    Dscp,
    Ecn,
    Place,
    Priority,
    Queue,
    Switch,
    Watchdog,
    WatchdogAction,
    WatchdogRecovery,
)
from wirespeed.units import Bandwidth, Size

GOLDEN = Path(__file__).parent / "golden"
EOS = platform("switch", "eos")
LINK = link(mtu=9214, pause_send=False, pause_receive=False)
SLOPE = queues()
STEP = queues(minimum=Size(600_000), maximum=Size(600_000), probability=100)
LIMITED = {
    **SLOPE,
    "1": Queue(Discipline.DWRR, guaranteed=10, ecn=Ecn(enabled=False)),
    "2": Queue(Discipline.DWRR, shape=Bandwidth.gbps(40), ecn=Ecn(enabled=False)),
}


def switch(chip: str, names: list[str], port_queues: dict[str, Queue]) -> Switch:
    """Routed ports on a chip, all with these queues."""
    base = routed_switch(names, qos(), LINK)
    ports = {name: replace(port, queues=port_queues) for name, port in base.ports.items()}
    return replace(base, os_version="4.33.1F", chip=chip, ecn_counters=chip.startswith("jericho") or None, ports=ports)


CASES = {
    "eos-xgs-dcqcn-p": switch("trident3", ["Ethernet1/1"], SLOPE),
    "eos-xgs-dcqcn-d": switch("tomahawk3", ["Ethernet1/1"], STEP),
    "eos-dnx-dcqcn-p": switch("jericho2", ["Ethernet3/1/1", "Ethernet4/36/1"], LIMITED),
    "eos-dnx-dcqcn-d": switch("jericho2", ["Ethernet3/1/1"], STEP),
}


def compare(name: str, text: str) -> None:
    """Hold a text against its file."""
    golden = GOLDEN / name
    if os.environ.get("WIRESPEED_ACCEPT"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES)
def test_configuration(case: str) -> None:
    compare(f"{case}.cfg", fill_template(EOS, "startup.j2", "leaf1", CASES[case]))


@pytest.mark.parametrize("case", CASES)
def test_running_configuration(case: str) -> None:
    compare(f"{case}.running-config.txt", fill_answer(EOS, "running-config", "leaf1", CASES[case]))


@pytest.mark.parametrize("case", CASES)
def test_settings_come_back(case: str) -> None:
    assert find_losses(EOS, "leaf1", CASES[case]) == []


MODELS = {name: model for name, model in load().switches.items() if "eos" in model.systems}


@pytest.mark.parametrize("model", MODELS)
def test_every_model_has_a_chip_of_a_known_family(model: str) -> None:
    assert queue_keyword(MODELS[model].chip) == (
        "tx-queue" if model.startswith(("arista-72", "arista-78")) else "uc-tx-queue"
    )


def read(case: str, old: str, new: str) -> Facts:
    """What is read when one line of the running configuration differs."""
    outputs = dict(answers(EOS, "leaf1", CASES[case]).outputs)
    whole = outputs["running-config"]
    assert old in whole.text
    return build_facts(
        EOS,
        Outputs("leaf1", {"running-config": Output("running-config", whole.text.replace(old, new, 1), whole.source)}),
    )


PORT = Place("leaf1").child("port", "Ethernet3/1/1")
XGS = Place("leaf1").child("port", "Ethernet1/1")
LEAF = Place("leaf1")
LOSSLESS = frozenset({Priority(3)})
DNX1, DNX2, DNX3 = (PORT.child("queue", number) for number in "123")
ROWS: list[tuple[str, str, str, Place, str, Any]] = [
    ("eos-dnx-dcqcn-p", "guaranteed percent 10", "guaranteed percent 30", DNX1, "queue.guaranteed", 30),
    ("eos-dnx-dcqcn-p", "guaranteed percent 10", "percent 10", DNX1, "queue.guaranteed", None),
    ("eos-dnx-dcqcn-p", "guaranteed percent 10", "percent 10", DNX1, "queue.weight", 10),
    (
        "eos-dnx-dcqcn-p",
        "shape rate 40000000 kbps",
        "shape rate 5000 kbps",
        DNX2,
        "queue.shape",
        Bandwidth(5_000_000),
    ),
    ("eos-dnx-dcqcn-p", "rate 40000000 kbps", "rate 40 percent", DNX2, "queue.shape", None),
    ("eos-dnx-dcqcn-p", "      shape rate 40000000 kbps\n", "", DNX2, "queue.shape", Bandwidth(0)),
    (  # of the port, below that of the queue
        "eos-dnx-dcqcn-p",
        "   service-profile",
        "   shape rate 5000 kbps\n   service-profile",
        DNX2,
        "queue.shape",
        Bandwidth(5_000_000),
    ),
    ("eos-dnx-dcqcn-d", "maximum-threshold 600", "maximum-threshold 900", DNX3, "queue.ecn.maximum", Size(900_000)),
    ("eos-xgs-dcqcn-d", "probability 100", "probability 20", XGS.child("queue", "3"), "queue.ecn.probability", 20),
    ("eos-xgs-dcqcn-p", "   speed 400g-8", "   speed 200G-4", XGS, "port.link.lanes", 4),
    ("eos-xgs-dcqcn-p", "   speed 400g-8", "   speed forced 100gfull", XGS, "port.link.lanes", None),
    ("eos-xgs-dcqcn-p", "   speed 400g-8", "   speed auto", XGS, "port.link.lanes", None),
    # defaults of every port
    ("eos-xgs-dcqcn-p", "   mtu 9214\n", "", XGS, "port.link.mtu", 1500),
    ("eos-xgs-dcqcn-p", "   mtu 9214\n", "   mtu 9214\n   l2 mtu 8000\n", XGS, "port.link.mtu", None),
    ("eos-xgs-dcqcn-p", "   mtu 9214\n", "   mtu 9214\n   no l2 mtu\n", XGS, "port.link.mtu", 9214),
    ("eos-xgs-dcqcn-p", "hostname", "interface defaults\n   mtu 9000\nhostname", XGS, "port.link.mtu", 9214),
    ("eos-xgs-dcqcn-p", "no switchport", "switchport", XGS, "port.vlan", 1),
    ("eos-xgs-dcqcn-p", "no switchport", "switchport mode trunk\n   switchport", XGS, "port.vlan", 1),
    (
        "eos-xgs-dcqcn-p",
        "no switchport",
        "switchport access vlan 9\n   switchport trunk native vlan 11\n   switchport mode trunk\n   switchport",
        XGS,
        "port.vlan",
        11,
    ),
    (
        "eos-xgs-dcqcn-p",
        "no switchport",
        "switchport trunk native vlan 11\n   switchport phone vlan 12\n   switchport mode trunk phone\n   switchport",
        XGS,
        "port.vlan",
        11,
    ),
    (
        "eos-xgs-dcqcn-p",
        "no switchport",
        "switchport trunk native vlan tag\n   switchport mode trunk\n   switchport",
        XGS,
        "port.vlan",
        0,
    ),
    (
        "eos-xgs-dcqcn-p",
        "no switchport",
        "switchport trunk allowed vlan 10-20\n   switchport mode trunk\n   switchport",
        XGS,
        "port.vlan",
        0,
    ),
    (
        "eos-xgs-dcqcn-p",
        "no switchport",
        "switchport trunk allowed vlan ten\n   switchport mode trunk\n   switchport",
        XGS,
        "port.vlan",
        None,
    ),
    # PFC, where nothing shows what is in effect
    ("eos-xgs-dcqcn-p", "priority 3 no-drop", "priority 3 drop", XGS, "port.qos.pfc", frozenset()),
    (
        "eos-xgs-dcqcn-p",
        "   priority-flow-control pause watchdog\n",
        "   priority-flow-control pause watchdog\n   priority-flow-control pause watchdog port action notify-only\n",
        XGS,
        "port.qos.watchdog.action",
        WatchdogAction.ALERT,
    ),
    # Arista AVD's schema, priority_flow_control.watchdog.override_action_drop
    (
        "eos-xgs-dcqcn-p",
        "priority-flow-control pause watchdog action drop",
        "priority-flow-control pause watchdog action errdisable",
        XGS,
        "port.qos.watchdog.action",
        WatchdogAction.ERRDISABLE,
    ),
    (
        "eos-xgs-dcqcn-p",
        "priority-flow-control pause watchdog action drop",
        "priority-flow-control pause watchdog action errdisable\n"
        "priority-flow-control pause watchdog override action drop",
        XGS,
        "port.qos.watchdog.action",
        WatchdogAction.DROP,
    ),
    ("eos-xgs-dcqcn-p", "priority 3 no-drop", "priority eight no-drop", XGS, "port.qos.pfc", None),
    ("eos-xgs-dcqcn-p", "priority-flow-control on", "priority-flow-control mode on", XGS, "port.qos.pfc", LOSSLESS),
    ("eos-xgs-dcqcn-p", "   priority-flow-control on\n", "", XGS, "port.qos.pfc", frozenset()),
    ("eos-xgs-dcqcn-p", "   service-profile ROCE\n", "", XGS, "port.qos.pfc", frozenset()),
    ("eos-xgs-dcqcn-p", "service-profile ROCE", "service-profile GONE", XGS, "port.qos.pfc", None),
    *(
        ("eos-xgs-dcqcn-p", "\nip routing", f"\n{line}\nip routing", LEAF, "switch.pfc", is_on)
        for line, is_on in (
            ("priority-flow-control all off", False),
            ("priority-flow-control all mode off", False),
            ("no priority-flow-control all mode off", True),
        )
    ),
    # routing
    ("eos-xgs-dcqcn-p", "\nip routing", "\nip routing\nno ip routing vrf mgmt", LEAF, "switch.routing", True),
    ("eos-xgs-dcqcn-p", "\nip routing", "\nip routing ipv6 interfaces", LEAF, "switch.routing", True),
    # a policy sets traffic classes beside the map, as in Arista AVD's molecule of eos_cli_config_gen, qos.cfg
    *(
        ("eos-xgs-dcqcn-p", old, f"   service-policy type qos input STORAGE\n{old}", XGS, "port.qos.dscp_tc", None)
        for old in ("   service-profile ROCE\n", "   qos trust dscp\n")
    ),
    # addresses
    (
        "eos-xgs-dcqcn-p",
        "   ip address 10.1.0.0/31\n",
        "   ip address 10.1.0.0/31\n   ipv6 address 2001:DB8::1/64\n",
        XGS,
        "port.addresses",
        ("10.1.0.0/31", "2001:db8::1/64"),
    ),
    ("eos-xgs-dcqcn-p", "ip address 10.1.0.0/31", "ip address dhcp", XGS, "port.addresses", None),
]  # fmt: skip


@pytest.mark.parametrize(("case", "old", "new", "place", "path", "value"), ROWS)
def test_one_line(case: str, old: str, new: str, place: Place, path: str, value: Any) -> None:
    assert read(case, old, new).value(place, path) == value


def test_settings_of_all_ports_hold_for_a_port_without_them() -> None:
    text = fill_answer(EOS, "running-config", "leaf1", CASES["eos-xgs-dcqcn-p"])
    text = text.replace("   mtu 9214\n", "").replace("   no switchport\n", "")
    defaults = "interface defaults\n   mtu 9000\n   ethernet\n      shutdown\n!\nswitchport default mode routed\n!\n"
    facts = build_facts(
        EOS,
        Outputs(
            "leaf1",
            {
                "running-config": replace(
                    answers(EOS, "leaf1", CASES["eos-xgs-dcqcn-p"]).outputs["running-config"],
                    text=text.replace("hostname", f"{defaults}hostname", 1),
                )
            },
        ),
    )
    assert [facts.value(XGS, path) for path in ("port.link.mtu", "port.link.enabled", "port.vlan")] == [
        9000,
        False,
        None,
    ]


PORTS = [f"Ethernet{number}/1" for number in range(1, 5)] + ["Ethernet1/5"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Et1/1", ["Ethernet1/1"]),
        ("Et1/1,2/1", ["Ethernet1/1", "Ethernet2/1"]),
        ("Ethernet1/1,Ethernet2/1", ["Ethernet1/1", "Ethernet2/1"]),
        ("Et1/1-3/1", ["Ethernet1/1", "Ethernet1/5", "Ethernet2/1", "Ethernet3/1"]),
        ("Et1/1-5", ["Ethernet1/1", "Ethernet1/5"]),
        ("Et3/1-1/1", None),
        ("Po1", None),
        ("Et1/1,two", None),
    ],
)
def test_lists_of_interfaces(text: str, names: list[str] | None) -> None:
    assert expand_interfaces(text, PORTS) == names


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["Ethernet3", "Ethernet1", "Ethernet2", "Ethernet5"], "Et1-3,5"),
        (["Ethernet1/1", "Ethernet10/1", "Ethernet2/1"], "Et1/1,2/1,10/1"),
    ],
)
def test_a_list_of_interfaces_is_short_and_merged(names: list[str], text: str) -> None:
    assert format_interfaces(names) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("400g-8", (Bandwidth.gbps(400), 8)),
        ("25g", (Bandwidth.gbps(25), 1)),
        ("100g-1", (Bandwidth.gbps(100), 1)),
        ("100g", (Bandwidth.gbps(100), None)),  # a line of Arista AVD's expected configurations
        ("200G-4", (Bandwidth.gbps(200), 4)),
        ("forced 400gfull", (Bandwidth.gbps(400), None)),
        ("auto", None),
        ("400", None),
    ],
)
def test_speeds(text: str, expected: tuple[Bandwidth, int | None] | None) -> None:
    assert parse_speed(text) == expected


def test_a_drop_precedence_does_not_change_a_traffic_class() -> None:
    """Form: Arista AVD, molecule of eos_cli_config_gen, qos.cfg."""
    facts = read("eos-xgs-dcqcn-p", "traffic-class 0\n", "traffic-class 2 drop-precedence 1\n")
    dscp_tc = facts.value(XGS, "port.qos.dscp_tc")
    assert (int(dscp_tc[Dscp(63)]), int(dscp_tc[Dscp(26)])) == (2, 3)


@pytest.mark.parametrize("model", ["DCS-7280DR3-24", "DCS-7280DR3-24-F", "DCS-7280DR3-24-R"])
def test_the_airflow_is_no_part_of_a_model(model: str) -> None:
    """Forms: recordings of DCS-7280CR3-32P4-F and DCS-7010T-48-R in aristanetworks/anta and napalm."""
    output = Output("version", f'{{"modelName": "{model}"}}', Source("leaf1", "show version", "file"))
    facts = build_facts(EOS, Outputs("leaf1", {"version": output}))
    assert (facts.value(LEAF, "switch.model"), facts.value(LEAF, "switch.chip")) == ("arista-7280dr3-24", "jericho")


DCQCN_P_CASE = CASES["eos-xgs-dcqcn-p"]


def with_port(**changes: object) -> Switch:
    """The switch with its only port changed."""
    name, port = next(iter(DCQCN_P_CASE.ports.items()))
    return replace(DCQCN_P_CASE, ports={name: replace(port, **changes)})  # type: ignore[arg-type]


REFUSED = {
    "a share and a guarantee": (
        with_port(queues={"3": Queue(Discipline.DWRR, 50, guaranteed=10)}),
        "leaf1 Ethernet1/1 queue 3: queue.guaranteed: found 10% guaranteed and a share of 50%; expected one of them\n"
        "  hint: Arista AVD gives a queue one bandwidth line",
    ),
    "a rate finer than its unit": (
        with_port(queues={"3": Queue(Discipline.DWRR, 50, shape=Bandwidth(1500))}),
        "leaf1 Ethernet1/1 queue 3: queue.shape: found 1.5 kb/s; expected whole kb/s, 1 or more",
    ),
    "marking without thresholds": (
        with_port(queues={"3": Queue(Discipline.DWRR, 50, ecn=Ecn(enabled=True))}),
        "leaf1 Ethernet1/1 queue 3: queue.ecn.enabled: found on, without thresholds; expected a minimum and a maximum",
    ),
    "trust in two fields": (
        with_port(qos=qos(trust="both")),
        "leaf1 Ethernet1/1: port.qos.trust: found both; expected dscp, dot1p or none",
    ),
    "an error correction it lacks": (
        with_port(link=replace(LINK, fec="ll-rs")),
        "leaf1 Ethernet1/1: port.link.fec: found ll-rs; expected rs, fc or none",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    switch, message = REFUSED[case]
    with pytest.raises(Refusal) as refusal:
        fill_template(EOS, "startup.j2", "leaf1", switch)
    assert str(refusal.value) == message


STATUS = """\
Port     Status Priorities Action Timeout Recovery        Polling       Note
                                          Interval/Mode   Config/Oper
Et1/1    E - -  01         -      -       - / -           - / -         DCBX disabled
Et2/1    E A W  3          drop   1.0     2.0 / auto      auto / 0.2    DCBX disabled
Et3/1    D - -             -      -       - / -           - / -         DCBX disabled
Et4/1    E - -  3
Po1      E - -  3          -      -       - / -           - / -         DCBX disabled
"""
"""In the form of Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA; the last two have no effect."""


def test_what_is_in_effect_is_believed_before_what_is_configured() -> None:
    whole = answers(EOS, "leaf1", DCQCN_P_CASE).outputs
    status = replace(whole["pfc-status"], text=STATUS)
    facts = build_facts(EOS, Outputs("leaf1", {**whole, "pfc-status": status}))
    priorities = {
        number: facts.value(Place("leaf1").child("port", f"Ethernet{number}/1"), "port.qos.pfc")
        for number in range(1, 5)
    }
    assert priorities == {1: {Priority(0), Priority(1)}, 2: LOSSLESS, 3: frozenset(), 4: None}
    acts = {
        number: facts.value(Place("leaf1").child("port", f"Ethernet{number}/1"), "port.qos.watchdog.active")
        for number in range(1, 5)
    }
    assert acts == {1: False, 2: True, 3: False, 4: None}


GUIDE = """\
The hardware supports PFC on priorities 0 1 2 3 4 5 6 7
PFC receive processing is enabled on priorities 0 1 2 3 4 5 6 7
The PFC watchdog timeout is 3.0 second(s)
The PFC watchdog recovery-time is 2.0 second(s) (auto)
The PFC watchdog polling-interval is 0.2 second(s)
The PFC watchdog action is drop
The PFC watchdog override action drop is false
Global PFC : Disabled
"""
"""The lines above the table in the same guide, with a time of three seconds."""


def test_watchdog_values_in_effect_are_those_of_the_switch_unless_the_port_has_its_own() -> None:
    whole = answers(EOS, "leaf1", with_port(qos=qos(watchdog=Watchdog(True, WatchdogAction.DROP, ms(500), ms(400)))))
    status = replace(whole.outputs["pfc-status"], text=GUIDE + STATUS)
    facts = build_facts(EOS, Outputs("leaf1", {**whole.outputs, "pfc-status": status}))
    port_text = GUIDE + STATUS.replace(
        "Et1/1    E - -  01         -      -       - / - ", "Et1/1 E - - 3 notify-only 0.5 2.0 / forced"
    )
    overridden = build_facts(EOS, Outputs("leaf1", {**whole.outputs, "pfc-status": replace(status, text=port_text)}))
    place = Place("leaf1").child("port", "Ethernet1/1")
    paths = [f"port.qos.watchdog.{field}" for field in ("action", "detect", "restore", "recovery")]
    assert [facts.value(place, path) for path in paths] == [
        WatchdogAction.DROP, ms(3000), ms(2000), WatchdogRecovery.AUTO
    ]  # fmt: skip
    assert [overridden.value(place, path) for path in paths] == [
        WatchdogAction.ALERT, ms(500), ms(2000), WatchdogRecovery.FORCED
    ]  # fmt: skip
    assert facts.value(Place("leaf1"), "switch.pfc_receive_priorities") == frozenset(map(Priority, range(8)))
    assert facts.value(Place("leaf1").child("port", "Ethernet2/1"), "port.qos.pfc_active") is True


def test_a_port_polls_at_its_own_interval_or_at_that_of_the_switch() -> None:
    """Columns Polling Config/Oper of the guide's status; the words of the port's timer: Arista AVD, qos-profiles.j2."""
    switch = with_port(qos=qos(watchdog=Watchdog(True, WatchdogAction.DROP, ms(500), ms(400), poll=ms(50))))
    whole = answers(EOS, "leaf1", switch).outputs
    place, path = Place("leaf1").child("port", "Ethernet1/1"), "port.qos.watchdog.poll"
    timer = "port timer timeout 0.50 polling-interval 0.050 recovery-time 0.40"

    def read_poll(config: str, columns: str) -> tuple[object, object]:
        text = whole["running-config"].text
        assert timer in text
        status = GUIDE + STATUS.replace("01         -      -       - / -           - / -", f"3 - - - / - {columns}")
        changed = {
            "running-config": replace(whole["running-config"], text=text.replace(timer, config)),
            "pfc-status": replace(whole["pfc-status"], text=status),
        }
        facts = build_facts(EOS, Outputs("leaf1", {**whole, **changed}))
        return facts.value(place, path), facts.value(Place("leaf1"), "switch.watchdog_poll")  # the guide's 0.2

    assert read_poll(timer, "0.1 / 0.1") == (ms(50), ms(200))  # printed with one decimal
    assert read_poll(timer, "0.1 / 5.0") == (ms(5000), ms(200))
    assert read_poll(timer.replace("0.050", "auto"), "auto / 0.3") == (ms(300), ms(200))
    assert read_poll(timer.replace("0.050", "auto"), "auto / -") == (None, ms(200))
    assert read_poll("action drop", "- / -") == (ms(200), ms(200))


@pytest.mark.parametrize(
    ("row", "is_up"),
    [
        ("ECN out Jericho2: 1 up", True),  # the lossless guide
        ("ECN                out              Jericho2: 1, 2      down", False),
        ("ECN                out              Jericho: 8, 9", None),  # the EOS manual has no column of the state
        ("ACL                in               Jericho: 4, 5, 6, 7   up", None),
    ],
)
def test_the_state_of_the_ecn_counters_is_read(row: str, is_up: bool | None) -> None:
    whole = answers(EOS, "leaf1", CASES["eos-dnx-dcqcn-p"]).outputs["counter-feature"]
    facts = build_facts(EOS, Outputs("leaf1", {"counter-feature": replace(whole, text=f"{row}\n")}))
    assert facts.value(Place("leaf1"), "switch.ecn_counters_up") is is_up


def test_an_override_drops_whatever_action_a_port_has() -> None:
    whole = answers(EOS, "leaf1", with_port(qos=qos(watchdog=Watchdog(True, WatchdogAction.FORWARD, ms(500), ms(400)))))
    text = GUIDE.replace("action is drop", "action is notify-only").replace("drop is false", "drop is true") + STATUS
    status = replace(whole.outputs["pfc-status"], text=text)
    facts = build_facts(EOS, Outputs("leaf1", {**whole.outputs, "pfc-status": status}))
    reading = facts.reading(Place("leaf1").child("port", "Ethernet1/1"), "port.qos.watchdog.action")
    assert reading is not None and (reading.value, reading.source.line) == (WatchdogAction.DROP, 7)


def test_times_without_a_line_are_those_in_effect() -> None:
    """A running configuration does not print defaults."""
    whole = answers(EOS, "leaf1", with_port(qos=qos(watchdog=Watchdog(True, WatchdogAction.DROP, ms(3000), ms(400)))))
    lines = whole.outputs["running-config"].text.splitlines()
    config = "\n".join(line for line in lines if "recovery-time" not in line and "timer" not in line)
    changed = {
        "running-config": replace(whole.outputs["running-config"], text=config),
        "pfc-status": replace(whole.outputs["pfc-status"], text=GUIDE + STATUS),
    }
    place = Place("leaf1").child("port", "Ethernet1/1")
    config_facts = build_facts(EOS, Outputs("leaf1", {"running-config": changed["running-config"]}))
    facts = build_facts(EOS, Outputs("leaf1", {**whole.outputs, **changed}))
    paths = [f"port.qos.watchdog.{field}" for field in ("detect", "restore", "recovery")]
    assert [config_facts.value(place, path) for path in paths] == [ms(3000), None, None]
    assert [facts.value(place, path) for path in paths] == [ms(3000), ms(2000), WatchdogRecovery.AUTO]


def test_forwarding_is_restored_at_the_port_by_the_action_of_the_switch() -> None:
    """The CLI has no keyword for it (AVD, pull request 6400): it is what a switch without an action does."""
    switch = with_port(qos=qos(watchdog=Watchdog(True, WatchdogAction.FORWARD, ms(200), ms(400))))
    place = Place("leaf1").child("port", "Ethernet1/1")
    commands = EOS.commands_for(place, "port.qos.watchdog.action", WatchdogAction.FORWARD, switch)
    assert commands is not None
    assert commands.commands[1:-2] == (
        "no priority-flow-control pause watchdog override action drop",
        "no priority-flow-control pause watchdog action",
        "interface Ethernet1/1",
        "no priority-flow-control pause watchdog port action",
    )


def test_a_lossy_plan_takes_pfc_off_the_profile_of_a_lossless_one() -> None:
    """Both profiles have one name: the lines of the later plan come edited those of the earlier. Form: Arista AVD."""
    lossy_port = with_port(qos=replace(qos(), pfc=frozenset(), watchdog=Watchdog()))
    lossy = fill_template(EOS, "startup.j2", "leaf1", lossy_port)
    assert "   no priority-flow-control\n" in lossy
    running = answers(EOS, "leaf1", DCQCN_P_CASE).outputs["running-config"]
    old = "   priority-flow-control on\n   priority-flow-control priority 3 no-drop\n"
    assert old in running.text
    edited = replace(running, text=running.text.replace(old, f"{old}   no priority-flow-control\n"))
    facts = build_facts(EOS, Outputs("leaf1", {"running-config": edited}))
    assert facts.value(XGS, "port.qos.pfc") == frozenset()


def test_a_second_application_keeps_the_first_rollback() -> None:
    """apply copies the previous configuration only if no copy exists; rollback removes the copy."""
    apply, rollback = (fill_template(EOS, template, "leaf1", DCQCN_P_CASE) for template in ("apply.j2", "rollback.j2"))
    saved = "wirespeed-before.cfg"
    assert [line for line in apply.split("\n") if saved in line and not line.startswith("!")] == [
        f'bash test -e /mnt/flash/{saved} || FastCli -p 15 -c "copy running-config flash:{saved}"',
        f"copy flash:{saved} session-config",
    ]
    session = apply.split("\n")
    start, end = session.index("rollback clean-config"), session.index("copy flash:wirespeed.cfg session-config")
    assert session[start + 1 : end] == [f"copy flash:{saved} session-config"]
    commands = [line for line in rollback.split("\n") if line and not line.startswith("!")]
    assert commands == [
        f"bash ls /mnt/flash/{saved}",  # if missing, `write memory` would save changes of others
        f"configure replace flash:{saved}",
        "write memory",
        f"delete flash:{saved}",
    ]


def test_the_pfc_of_a_port_leaves_its_profile_as_it_is() -> None:
    assert EOS.commands_for is not None
    device = next(iter(CASES.values()))
    port = LEAF.child("port", next(iter(device.ports)))
    commands = EOS.commands_for(port, "port.qos.pfc", LOSSLESS, device)
    assert commands is not None and commands.consequence is not None
    assert commands.consequence == "the commands change the port alone: correct its qos profile too, if it has one"
