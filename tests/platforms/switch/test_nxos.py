"""Cisco NX-OS: configured, printed back and read.

``WIRESPEED_ACCEPT=1 pytest tests/platforms/switch/test_nxos.py`` writes the files anew; read the difference.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from platforms.round_trip import answers, build_facts, find_losses
from platforms.switch.devices import TC, link, ms, qos, queues, routed_switch, vlan_switch
from platforms.switch.test_declarations import assert_declared, full
from platforms.switch.test_eos import compare
from wirespeed.cluster import read_text
from wirespeed.errors import Refusal
from wirespeed.facts import Facts, Source, assemble_facts
from wirespeed.plan import build
from wirespeed.platforms import Output, Outputs, platform
from wirespeed.platforms.templates import fill_answer, fill_template
from wirespeed.settings import (
    Bgp,
    BgpPeer,
    Discipline,
    Dscp,
    Ecn,
    Place,
    Port,
    Priority,
    Queue,
    Switch,
    SwitchQueue,
    SwitchTrafficClass,
    Watchdog,
    WatchdogAction,
    walk,
)
from wirespeed.units import Bandwidth, Size

NXOS = platform("switch", "nxos")
PORTS = ["Ethernet1/1", "Ethernet1/2", "Ethernet1/10"]
LINK = link(mtu=9216, lanes=None, training=None, pause_send=False, pause_receive=False)
WATCHDOG = Watchdog(True, WatchdogAction.DROP, ms(200), ms(1000))
QOS = qos(pfc_queue={Priority(3): SwitchQueue(3)}, watchdog=WATCHDOG)
STEP = queues(minimum=Size(300_000), maximum=Size(300_000), probability=100)
BASE = replace(routed_switch(PORTS, QOS, LINK), watchdog_poll=ms(100), class_mtu=9216)


def odd_one(switch: Switch, name: str) -> Switch:
    """The switch with one port that marks as a step, classifies less, and only reports a stuck queue."""
    port = switch.ports[name]
    dscp_tc = {Dscp(dscp): TC(3 if dscp == 26 else 0) for dscp in range(64)}
    changed_qos = replace(QOS, dscp_tc=dscp_tc, watchdog=replace(WATCHDOG, action=WatchdogAction.ALERT))
    return replace(switch, ports={**switch.ports, name: replace(port, qos=changed_qos, queues=STEP)})


BGP = replace(
    BASE,
    class_mtu=None,
    loopbacks=("10.255.0.1/32", "2001:db8::1/128"),
    bgp=Bgp(4200010000, "10.255.0.1", 4, multipath_relax=True, networks=("10.255.0.1/32", "2001:db8::1/128")),
    ports={
        "Ethernet1/1": Port(unnumbered=True, link=LINK),
        "Ethernet1/2": Port(addresses=("10.2.0.0/31", "2001:db8:2::/127"), link=LINK),
    },
    peers={
        "Ethernet1/1": BgpPeer(4200000000, "spine1 Ethernet1/1", unnumbered=True, ipv4=True, ipv6=True, bfd=False),
        "10.2.0.1": BgpPeer(4200000001, "spine2 Ethernet1/1", ipv4=True, ipv6=False, bfd=True),
    },
)
CASES = {
    "nxos-routed": BASE,
    "nxos-switched": replace(vlan_switch(PORTS, QOS, LINK), watchdog_poll=ms(100), class_mtu=9216),
    "nxos-odd-port": odd_one(BASE, "Ethernet1/2"),
    "nxos-bgp": BGP,
}


@pytest.mark.parametrize("case", CASES)
def test_configuration(case: str) -> None:
    compare(f"{case}.cfg", fill_template(NXOS, "startup.j2", "leaf1", CASES[case]))


@pytest.mark.parametrize("case", CASES)
def test_running_configuration(case: str) -> None:
    compare(f"{case}.running-config.txt", fill_answer(NXOS, "running-config", "leaf1", CASES[case]))


@pytest.mark.parametrize(("template", "name"), [("apply.j2", "apply"), ("rollback.j2", "rollback")])
def test_apply_and_rollback(template: str, name: str) -> None:
    compare(f"nxos-bgp.{name}.txt", fill_template(NXOS, template, "leaf1", BGP))


@pytest.mark.parametrize("case", CASES)
def test_settings_come_back(case: str) -> None:
    assert find_losses(NXOS, "leaf1", CASES[case]) == []


@pytest.mark.parametrize("case", CASES)
def test_what_is_configured_is_read_like_what_is_printed(case: str) -> None:
    outputs = answers(NXOS, "leaf1", CASES[case])
    printed = outputs.outputs["running-config"]
    typed = replace(printed, text=fill_template(NXOS, "startup.j2", "leaf1", CASES[case]) + "\nleaf1\n")
    assert build_facts(NXOS, Outputs("leaf1", {"running-config": typed})).devices == (
        build_facts(NXOS, Outputs("leaf1", {"running-config": printed})).devices
    )


FABRIC = """\
version: 1
name: two-tiers
hosts:
  node[1-2]: {model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 8 x broadcom-bcm957608-p1400gd}
switches:
  leaf[1-2]: {model: cisco-n9k-c9332d-gx2b, role: leaf}
  spine[1-2]: {model: cisco-n9k-c9364d-gx2a, role: spine}
links: [{a: "leaf[1-2]", b: "spine[1-2]", count: 2}]
addresses: {scheme: link-31, pool: 10.1.0.0/16, loopbacks: 10.255.0.0/24}
classes:
  roce: {dscp: 26, priority: 3, lossless: true, share: 50%, congestion: dcqcn-d}
  cnp: {dscp: 48, priority: 7, strict: true}
"""


@pytest.mark.parametrize("text", [FABRIC, FABRIC.replace("loopbacks:", "fabric: 10.2.0.0/24, loopbacks:")])
def test_a_planned_fabric_is_configured_and_read_back(text: str) -> None:
    for name, switch in build(read_text(text, "fabric.yaml")).switches.items():
        assert switch.peers
        assert "random-detect minimum-threshold" in fill_template(NXOS, "startup.j2", name, switch)
        assert find_losses(NXOS, name, switch) == []


def read(case: str, old: str, new: str, command: str = "running-config") -> Facts:
    """What is read when one part of an output differs."""
    whole = answers(NXOS, "leaf1", CASES[case]).outputs[command]
    assert old in whole.text
    return build_facts(NXOS, Outputs("leaf1", {command: replace(whole, text=whole.text.replace(old, new, 1))}))


LEAF = Place("leaf1")
PORT = LEAF.child("port", "Ethernet1/1")
Q3, Q7 = PORT.child("queue", "3"), PORT.child("queue", "6")
LOSSLESS = frozenset({Priority(3)})
WATCHED = "priority-flow-control watch-dog-interval on"
ACCESS, NATIVE = "switchport access vlan 11", "switchport trunk native vlan 99"
ALLOWED = "switchport trunk allowed vlan"
INHERITING = "  neighbor 10.2.0.1\n    inherit peer FABRIC\n"
NUMBERED, SPINE2 = "  neighbor 10.2.0.1\n    bfd\n", LEAF.child("peer", "10.2.0.1")
ROUTED, BGP_CASE = "nxos-routed", "nxos-bgp"
ROWS: list[tuple[str, str, str, Place, str, Any]] = [
    # a changed value
    (ROUTED, "match dscp 26", "match dscp 24-25,27", PORT, "port.qos.dscp_tc", {24: 3, 25: 3, 26: 0, 27: 3}),
    (ROUTED, "set qos-group 3", "set qos-group 4", PORT, "port.qos.dscp_tc", {26: 4}),
    (ROUTED, "pause pfc-cos 3", "pause pfc-cos 4", PORT, "port.qos.pfc", frozenset({Priority(4)})),
    (ROUTED, "pause pfc-cos 3", "pause pfc-cos 4", PORT, "port.qos.pfc_queue", {Priority(4): SwitchQueue(3)}),
    (ROUTED, "c-8q-nq3", "c-8q-nq5", PORT, "port.qos.pfc_queue", {Priority(3): SwitchQueue(5)}),
    (ROUTED, "mode on", "mode off", PORT, "port.qos.pfc", frozenset()),
    (ROUTED, "  mtu 9216\n  ip", "  mtu 1500\n  ip", PORT, "port.link.mtu", 1500),
    (ROUTED, "    mtu 9216\n", "    mtu 1500\n", LEAF, "switch.class_mtu", 1500),
    (ROUTED, "    mtu 9216\n", "", LEAF, "switch.class_mtu", 1500),
    (ROUTED, "    mtu 9216\n", "    mtu large\n", LEAF, "switch.class_mtu", None),
    (ROUTED, "  service-policy type network-qos ROCE-NETWORK\n", "", LEAF, "switch.class_mtu", None),
    (ROUTED, "fec rs-fec", "fec off", PORT, "port.link.fec", "none"),
    (BGP_CASE, "address 10.255.0.1/32\n", "address 10.255.0.1/32 tag 54321\n", LEAF, "switch.loopbacks",
     ("10.255.0.1/32", "2001:db8::1/128")),
    (ROUTED, "  no shutdown", "  shutdown", PORT, "port.link.enabled", False),
    (ROUTED, "remaining percent 50\n    random", "remaining percent 40\n    random", Q3, "queue.weight", 40),
    (ROUTED, "    random", "    shape min 0 bps max 40 gbps\n    random", Q3, "queue.shape", Bandwidth.gbps(40)),
    (ROUTED, "    random", "    shape min 1 kbps max 40000000 kbps\n    random", Q3, "queue.shape", Bandwidth.gbps(40)),
    (ROUTED, "    random", "    shape min 1 pps max 1000 pps\n    random", Q3, "queue.shape", None),
    (ROUTED, "1048 kbytes", "1048 kbytes", Q3, "queue.shape", Bandwidth(0)),
    (ROUTED, "1048 kbytes", "1 mbytes", Q3, "queue.ecn.minimum", Size(1_000_000)),
    (ROUTED, "1048 kbytes", "500 packets", Q3, "queue.ecn.minimum", None),
    (ROUTED, "1048 kbytes", "500 packets", Q3, "queue.ecn.enabled", True),
    (ROUTED, "weight 0 ecn", "weight 0", Q3, "queue.ecn.enabled", False),
    (ROUTED, "shutdown-multiplier 2", "shutdown-multiplier 5", PORT, "port.qos.watchdog.detect", ms(500)),
    (ROUTED, "watch-dog-interval on\n", "watch-dog-interval off\n", PORT, "port.qos.watchdog.enabled", False),
    (ROUTED, f"  {WATCHED}", f"  {WATCHED[:-2]}off", PORT, "port.qos.watchdog.enabled", False),
    (ROUTED, f"  {WATCHED}", f"  {WATCHED} disable-action", PORT, "port.qos.watchdog.action", WatchdogAction.ALERT),
    ("nxos-switched", "access vlan 11", "access vlan 12", PORT, "port.vlan", 12),
    # a trunk, as to hosts in Microsoft's Azure Local reference configurations; long lists continue with add
    *(
        ("nxos-switched", ACCESS, "\n  ".join(("switchport mode trunk", *lines)), PORT, "port.vlan", vlan)
        for lines, vlan in (
            ((), 1),
            ((ACCESS, NATIVE), 99),
            ((NATIVE, f"{ALLOWED} 711-712"), 0),
            ((NATIVE, f"{ALLOWED} 7,99", f"{ALLOWED} add 711"), 99),
            ((f"{ALLOWED} seven",), None),
        )
    ),
    (BGP_CASE, "remote-as 4200000000", "remote-as 65001", LEAF.child("peer", "Ethernet1/1"), "peer.asn", 65001),
    (BGP_CASE, "router bgp 4200010000", "router bgp 65120.100", LEAF, "switch.bgp.asn", 65120 * 65536 + 100),
    (BGP_CASE, "router bgp 4200010000", "router bgp 65120.99999", LEAF, "switch.bgp.asn", None),
    # as on virtual Nexus 9000 switches of netenglabs/suzieq's tests, whose sessions have a template
    *(
        (BGP_CASE, NUMBERED, f"  template peer FABRIC\n{line}{INHERITING}", SPINE2, path, value)
        for line, path, value in (
            ("    bfd\n", "peer.bfd", True),
            ("    update-source loopback0\n", "peer.bfd", False),
            ("    inherit peer-session BASE\n", "peer.bfd", None),
            ("    remote-as 65002\n", "peer.asn", 4200000001),  # the session's own precedes
        )
    ),
    (BGP_CASE, "    maximum-paths 4", "    maximum-paths 2", LEAF, "switch.bgp.maximum_paths", 2),
    (BGP_CASE, "network 10.255.0.1/32", "network 10.9.0.0/8", LEAF, "switch.bgp.networks", None),
    # a line taken away is the default, or unknown
    (ROUTED, "  priority-flow-control mode on\n", "", PORT, "port.qos.pfc", None),
    (ROUTED, "    pause pfc-cos 3\n", "", PORT, "port.qos.pfc", frozenset()),
    (ROUTED, "  service-policy type network-qos ROCE-NETWORK\n", "", PORT, "port.qos.pfc", frozenset()),
    (ROUTED, "  service-policy type qos input ROCE-IN\n", "", PORT, "port.qos.trust", "none"),
    (ROUTED, "  service-policy type qos input ROCE-IN\n", "", PORT, "port.qos.dscp_tc", None),
    (ROUTED, "  service-policy type queuing output ROCE-OUT\n", "", Q3, "queue.ecn.enabled", None),
    (ROUTED, "  mtu 9216\n  ip", "  ip", PORT, "port.link.mtu", 1500),
    (ROUTED, "  fec rs-fec\n", "", PORT, "port.link.fec", None),
    (ROUTED, "  no shutdown\n", "", PORT, "port.link.enabled", None),
    (ROUTED, "feature lldp\n", "", LEAF, "switch.lldp", False),
    (ROUTED, "priority-flow-control watch-dog shutdown-multiplier 2\n", "", PORT, "port.qos.watchdog.detect", ms(100)),
    (BGP_CASE, "  bestpath as-path multipath-relax\n", "", LEAF, "switch.bgp.multipath_relax", False),
    (BGP_CASE, "    bfd\n", "", LEAF.child("peer", "10.2.0.1"), "peer.bfd", False),
    (BGP_CASE, "    bfd\n", "    inherit peer FABRIC\n", LEAF.child("peer", "10.2.0.1"), "peer.bfd", None),
    (BGP_CASE, "  ipv6 address use-link-local-only\n", "", PORT, "port.unnumbered", False),
    # what makes no sense is unknown, not the default
    (ROUTED, "match dscp 26", "match dscp 64", PORT, "port.qos.dscp_tc", None),
    (ROUTED, "match dscp 26", "match cos 3", PORT, "port.qos.trust", None),
    (ROUTED, "qos input ROCE-IN", "qos input GONE", PORT, "port.qos.trust", None),
    (ROUTED, "network-qos ROCE-NETWORK\n  service", "network-qos GONE\n  service", PORT, "port.qos.pfc", None),
    (ROUTED, "pause pfc-cos 3", "pause pfc-cos 3,4", PORT, "port.qos.pfc", None),
    (ROUTED, "random-detect min", "random-detect about min", Q3, "queue.ecn.enabled", None),
    (ROUTED, "shutdown-multiplier 2", "shutdown-multiplier two", PORT, "port.qos.watchdog.detect", None),
    (ROUTED, "remaining percent 50\n    random", "remaining percent half\n    random", Q3, "queue.weight", None),
]  # fmt: skip


@pytest.mark.parametrize(("case", "old", "new", "place", "path", "value"), ROWS)
def test_one_line(case: str, old: str, new: str, place: Place, path: str, value: Any) -> None:
    reading = read(case, old, new).value(place, path)
    if path == "port.qos.dscp_tc" and value is not None:
        reading = {int(dscp): int(reading[Dscp(dscp)]) for dscp in value}
    assert reading == value


SHIPPED = """\
hostname tor1
class-map type qos match-all RDMA
  match cos 3
class-map type qos match-any LOSSLESS
  match dscp 24-31
  match dscp 46
policy-map type qos AZLOCAL_SERVICES
  class LOSSLESS
    set qos-group 3
  class class-default
    set qos-group 1
policy-map type network-qos QOS_NETWORK
  class type network-qos c-8q-nq3
    mtu 9216
    pause pfc-cos 3
  class type network-qos c-8q-nq-default
    mtu 9216
policy-map type queuing QOS_EGRESS_PORT
  class type queuing c-out-8q-q3
    bandwidth remaining percent 50
    random-detect minimum-threshold 300 kbytes maximum-threshold 300 kbytes drop-probability 100 weight 0 ecn
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 48
  class type queuing c-out-8q-q7
    bandwidth percent 1
system qos
  service-policy type queuing output QOS_EGRESS_PORT
  service-policy type network-qos QOS_NETWORK
interface Ethernet1/1
  switchport mode trunk
  priority-flow-control mode on
  service-policy type qos input AZLOCAL_SERVICES
tor1
"""
"""In the form of Microsoft's Azure Local reference configurations: a step at 300 kbytes."""


def test_a_shipped_configuration() -> None:
    output = Output("running-config", SHIPPED, Source("tor1", "show", "file"))
    facts = build_facts(NXOS, Outputs("tor1", {"running-config": output}))
    port = Place("tor1").child("port", "Ethernet1/1")
    priorities = facts.value(port, "port.qos.dscp_tc")
    assert {int(priorities[Dscp(dscp)]) for dscp in (*range(24, 32), 46)} == {3}
    assert {int(priorities[Dscp(dscp)]) for dscp in (0, 23, 32, 48)} == {1}
    assert facts.value(port, "port.qos.pfc") == LOSSLESS
    values = [
        facts.value(port.child("queue", "3"), f"queue.ecn.{name}") for name in ("minimum", "maximum", "probability")
    ]
    assert values == [Size(300_000), Size(300_000), 100]
    assert facts.value(port.child("queue", "0"), "queue.weight") == 48
    assert facts.value(port.child("queue", "7"), "queue.discipline") is None


ROW = '{"TABLE_interface": {"ROW_interface": %s}}'
STATUS = '{"interface": "Ethernet1/1", "state": "%s", "speed": "400G"}'


@pytest.mark.parametrize(
    ("text", "up", "speed"),
    [
        (ROW % (STATUS % "connected"), True, Bandwidth.gbps(400)),  # a table of one row is the row
        (ROW % f"[{STATUS % 'connected'}]", True, Bandwidth.gbps(400)),
        (ROW % (STATUS % "connected").replace("400G", "a-100G"), True, Bandwidth.gbps(100)),
        *(
            (ROW % (STATUS % state), False, None)
            for state in ("notconnec", "notconnect", "xcvrAbsent", "sfpAbsent", "disabled", "linkFlapErrDisabled")
        ),
        (ROW % (STATUS % "suspended"), None, None),
        (ROW % "[]", None, None),
        (ROW % '"none"', None, None),
        ("% Invalid command", None, None),
    ],
)
def test_tables(text: str, up: bool | None, speed: Bandwidth | None) -> None:
    output = Output("interface-status", text, Source("leaf1", "show", "file"))
    facts = build_facts(NXOS, Outputs("leaf1", {"interface-status": output}))
    assert (facts.value(PORT, "port.link.up"), facts.value(PORT, "port.link.speed")) == (up, speed)


TABLE_OF_VRFS = '{"TABLE_vrf": {"ROW_vrf": %s}}'
SESSION = '{"neighbor-id": "%s", "remoteas": 65001, "state": "%s"}'
VRF = '{"vrf-name-out": "%s", "TABLE_neighbor": {"ROW_neighbor": %s}}'
ONE_SESSION = SESSION % ("10.2.0.1", "Established")


@pytest.mark.parametrize(
    ("vrfs", "expected"),
    [
        (VRF % ("default", f"[{ONE_SESSION}]"), {"10.2.0.1": "Established"}),
        (VRF % ("default", ONE_SESSION), {"10.2.0.1": "Established"}),  # a table of one row is the row
        (
            f"[{VRF % ('default', ONE_SESSION)}, {VRF % ('red', SESSION % ('10.9.0.1', 'Idle'))}]",
            {"10.2.0.1": "Established"},
        ),
        (VRF % ("default", SESSION % ("fe80::1%Ethernet1/1", "Idle")), {"Ethernet1/1": "Idle"}),
        (VRF % ("default", SESSION % ("%", "Idle")), {}),
        ('{"vrf-name-out": "default"}', {}),
    ],
)
def test_states_of_sessions(vrfs: str, expected: dict[str, str]) -> None:
    text = TABLE_OF_VRFS % vrfs
    output = Output("bgp-sessions", text, Source("leaf1", "show", "file"))
    states = {
        observation.place: observation.value for observation in NXOS.parse(Outputs("leaf1", {"bgp-sessions": output}))
    }
    assert states == {LEAF.child("peer", name): state for name, state in expected.items()}


def test_a_port_that_is_identified_by_mac_address_has_its_name_in_the_description() -> None:
    """As a storage array in a recording of ntc-templates."""
    row = '{"l_port_id": "Eth1/1", "sys_name": "node1", "port_id": "0200.5e00.5301", "port_desc": "eth0"}'
    output = Output(
        "lldp-neighbors", f'{{"TABLE_nbor_detail": {{"ROW_nbor_detail": {row}}}}}', Source("leaf1", "show", "file")
    )
    assert build_facts(NXOS, Outputs("leaf1", {"lldp-neighbors": output})).value(PORT, "port.neighbour.port") == "eth0"


def test_neighbours_have_short_names() -> None:
    facts = build_facts(NXOS, answers(NXOS, "leaf1", BASE))
    assert facts.value(LEAF.child("port", "Ethernet1/10"), "port.neighbour.port") == "eth2"


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_cut_output_has_fewer_but_no_other_values(data: st.DataObject) -> None:
    whole = answers(NXOS, "leaf1", CASES["nxos-odd-port"])
    readings = {(observation.place, observation.path, str(observation.value)) for observation in NXOS.parse(whole)}
    command = data.draw(st.sampled_from(sorted(whole.outputs)))
    output = whole.outputs[command]
    cut = replace(output, text=output.text[: data.draw(st.integers(0, len(output.text)))])
    assert {
        (observation.place, observation.path, str(observation.value))
        for observation in NXOS.parse(Outputs("leaf1", {command: cut}))
    } <= readings


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_no_text_breaks_the_parser(data: st.DataObject) -> None:
    outputs = answers(NXOS, "leaf1", BGP).outputs
    command = data.draw(st.sampled_from(sorted(outputs)))
    text = outputs[command].text
    position = data.draw(st.integers(0, len(text)))
    broken = replace(outputs[command], text=text[:position] + data.draw(st.text(max_size=12)) + text[position:])
    assemble_facts(NXOS.parse(Outputs("leaf1", {command: broken})), devices=["leaf1"])


def test_line_endings_of_a_terminal_change_nothing() -> None:
    whole = answers(NXOS, "leaf1", BASE)
    typed = {key: replace(output, text=output.text.replace("\n", "\r\n")) for key, output in whole.outputs.items()}
    assert list(NXOS.parse(Outputs("leaf1", typed))) == list(NXOS.parse(whole))


def with_port(**changes: object) -> Switch:
    """The switch with its first port alone, changed."""
    return replace(BASE, ports={"Ethernet1/1": replace(BASE.ports["Ethernet1/1"], **changes)})  # type: ignore[arg-type]


REFUSED = {
    "a class in another queue": (
        with_port(qos=replace(QOS, tc_queue={SwitchTrafficClass(3): SwitchQueue(4)})),
        "leaf1 Ethernet1/1: port.qos.tc_queue: found traffic class 3 in queue 4; "
        "expected the queue of the same number\n"
        "  hint: on NX-OS the qos-group is the queue",
    ),
    "two sets of lossless priorities": (
        replace(
            BASE,
            ports={
                **BASE.ports,
                "Ethernet1/2": replace(BASE.ports["Ethernet1/2"], qos=replace(QOS, pfc=frozenset({Priority(4)}))),
            },
        ),
        "leaf1: port.qos.pfc: found 2 different sets of lossless priorities; expected one for all ports that have any\n"
        "  hint: NX-OS has one network-qos policy",
    ),
    "a time that is no multiple": (
        with_port(qos=replace(QOS, watchdog=replace(WATCHDOG, detect=ms(250)))),
        "leaf1: port.qos.watchdog.detect: found 250 ms; expected 1 to 10 times the poll interval, 100 ms",
    ),
    "polling too often": (
        replace(with_port(qos=replace(QOS, watchdog=Watchdog())), watchdog_poll=ms(50)),
        "leaf1: switch.watchdog_poll: found 50 ms; expected 100 ms to 1000 ms",
    ),
    "an action it lacks": (
        with_port(qos=replace(QOS, watchdog=replace(WATCHDOG, action=WatchdogAction.FORWARD))),
        "leaf1 Ethernet1/1: port.qos.watchdog.action: found forward; expected drop or alert",
    ),
    "trust in the 802.1p priority": (
        with_port(qos=replace(QOS, trust="dot1p")),
        "leaf1 Ethernet1/1: port.qos.trust: found dot1p; expected dscp or none",
    ),
    "trust without a map": (
        with_port(qos=replace(QOS, dscp_tc=None)),
        "leaf1 Ethernet1/1: port.qos.trust: found dscp without a map; expected a map of DSCP to traffic classes",
    ),
    "too many strict queues": (
        with_port(queues={str(number): Queue(Discipline.STRICT) for number in range(4)}),
        "leaf1 Ethernet1/1: queue.discipline: found more than three strict queues; "
        "expected at most three priority levels",
    ),
    "marking with no probability": (
        with_port(queues={"3": Queue(Discipline.DWRR, 50, ecn=Ecn(True, Size(1000), Size(2000)))}),
        "leaf1 Ethernet1/1 queue 3: queue.ecn.enabled: found on without thresholds; "
        "expected a minimum, a maximum and a probability",
    ),
    "a VLAN that the system reserves": (
        with_port(vlan=3968),
        "leaf1 Ethernet1/1: port.vlan: found 3968; expected 1 to 3967\n"
        "  hint: Cisco NX-OS Layer 2 Switching Configuration Guide, VLAN ranges: 3968 to 4094 are reserved "
        "(system vlan reserve)",
    ),
    "sessions without a system of one's own": (
        replace(BGP, bgp=Bgp()),
        "leaf1: switch.bgp.asn: found none; expected the autonomous system of the switch, for BGP",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    switch, message = REFUSED[case]
    with pytest.raises(Refusal) as refusal:
        fill_template(NXOS, "startup.j2", "leaf1", switch)
    assert str(refusal.value) == message


NETWORK = "policy-map type network-qos ROCE-NETWORK"
SYSTEM = ("exit", "system qos", "service-policy type network-qos ROCE-NETWORK", "exit")
COMMANDS: list[tuple[str, Place, str, Any, tuple[str, ...]]] = [
    (ROUTED, PORT, "port.link.mtu", 9216, ("interface Ethernet1/1", "mtu 9216")),
    (ROUTED, PORT, "port.link.speed", Bandwidth.gbps(400), ("interface Ethernet1/1", "speed 400000")),
    (
        ROUTED,
        PORT,
        "port.qos.pfc",
        {3: True, 4: False},
        (
            NETWORK,
            "class type network-qos c-8q-nq3",
            "pause pfc-cos 3",
            "exit",
            "class type network-qos c-8q-nq4",
            "no pause pfc-cos 4",
            "exit",
            *SYSTEM,
            "interface Ethernet1/1",
            "priority-flow-control mode on",
        ),
    ),
    (ROUTED, PORT, "port.qos.pfc", frozenset(), ("interface Ethernet1/1", "priority-flow-control mode off")),
    (
        ROUTED,
        PORT,
        "port.qos.dscp_tc",
        {Dscp(26): TC(3), Dscp(0): TC(0)},
        (
            "class-map type qos match-all ROCE-IN-3",
            "match dscp 26",
            "exit",
            "policy-map type qos ROCE-IN",
            "class ROCE-IN-3",
            "set qos-group 3",
            "exit",
            "exit",
            "interface Ethernet1/1",
            "service-policy type qos input ROCE-IN",
        ),
    ),
    (
        "nxos-odd-port",
        LEAF.child("port", "Ethernet1/2").child("queue", "3"),
        "queue.ecn.probability",
        100,
        (
            "policy-map type queuing ROCE-OUT-2",
            "class type queuing c-out-8q-q3",
            "random-detect minimum-threshold 300 kbytes maximum-threshold 300 kbytes drop-probability 100 weight 0 ecn",
        ),
    ),
    (ROUTED, PORT, "port.qos.watchdog.detect", ms(300), ("priority-flow-control watch-dog shutdown-multiplier 3",)),
    (
        BGP_CASE,
        LEAF.child("peer", "Ethernet1/1"),
        "peer.asn",
        65001,
        ("router bgp 4200010000", "neighbor Ethernet1/1", "remote-as 65001"),
    ),
]


@pytest.mark.parametrize(("case", "place", "path", "value", "lines"), COMMANDS)
def test_commands_of_a_setting(case: str, place: Place, path: str, value: Any, lines: tuple[str, ...]) -> None:
    assert NXOS.commands_for is not None
    worded = NXOS.commands_for(place, path, value, CASES[case])
    assert worded is not None
    assert worded.commands == ("configure terminal", *lines, "end", "copy running-config startup-config")


@pytest.mark.parametrize("case", CASES)
def test_every_rendered_setting_has_commands(case: str) -> None:
    assert NXOS.commands_for is not None
    without_commands = [
        f"{place} {path}"
        for place, path, value in walk(CASES[case], LEAF)
        if value is not None
        and NXOS.support(path).rendered
        and NXOS.commands_for(place, path, value, CASES[case]) is None
    ]
    assert without_commands == []


def test_what_is_declared_as_rendered_is_configured() -> None:
    """On ports whose lossless class is not in the queue of its priority, and whose watchdog does not act by default."""
    switch = full("Ethernet1/{}")
    ports = {
        name: replace(
            port,
            qos=replace(
                port.qos,
                pfc_queue={Priority(3): SwitchQueue(4)},
                watchdog=replace(port.qos.watchdog, action=WatchdogAction.ALERT),
            ),
        )
        for name, port in switch.ports.items()
    }
    assert_declared(NXOS, replace(switch, ports=ports))


WATCHDOG = """\
Ethernet1/1 Interface PFC watchdog: [Enabled]
Disable-action                     : No
PFC watch-dog interface-multiplier : 0
+----------------------------------------------------+
| QOS GROUP 3 [Shutdown] PFC [YES] PFC-COS [3]
+----------------------------------------------------+
|                               |  Stats             |
+----------------------------------------------------+
|                       Shutdown|                   1|
|                       Restored|                   2|
|             Total pkts drained|                   3|
+----------------------------------------------------+
Ethernet1/2 Interface PFC watchdog: [Enabled]
Disable-action                     : Yes
+----------------------------------------------------+
| QOS GROUP 3 [Active] PFC [YES] PFC-COS [3]
Ethernet1/3 Interface PFC watchdog: [Disabled]
"""
"""In the form of Cisco's QoS guide, as a public exporter's test of its parser records it; the last port has none."""


def test_the_watchdog_in_effect_is_read() -> None:
    output = Output("pfc-watchdog", WATCHDOG, Source("leaf1", "pfc-watchdog", "leaf1/pfc-watchdog.out"))
    facts = assemble_facts(NXOS.parse(Outputs("leaf1", {"pfc-watchdog": output})), devices=["leaf1"])
    ports = [Place("leaf1").child("port", f"Ethernet1/{number}") for number in (1, 2, 3)]
    read_values = [
        tuple(facts.value(port, f"port.qos.watchdog.{field}") for field in ("enabled", "action", "active"))
        for port in ports
    ]
    assert read_values == [
        (True, WatchdogAction.DROP, True),
        (True, WatchdogAction.ALERT, False),
        (False, None, None),
    ]
