"""Community SONiC: a CONFIG_DB is read in all the forms it has, and so are the other commands."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from platforms.switch.test_sonic import LEAF, PORT, QUEUE, SONIC, STOCK, TC, outputs
from wirespeed.facts import Facts, Source, State, assemble_facts
from wirespeed.platforms import Output, Outputs
from wirespeed.settings import Discipline, Dscp, Place, Priority, PriorityGroup, WatchdogAction
from wirespeed.units import Bandwidth, Duration, Length, Size


def stock(*changes: tuple[str, str]) -> Facts:
    """What is read of the image's own configuration, with changes in its text; each must be found."""
    text = (STOCK / "config-db.txt").read_text()
    for old, new in changes:
        assert re.search(old, text), old
        text = re.sub(old, new, text)
    return assemble_facts(SONIC.parse(outputs(text)), devices=["leaf1"])


def test_the_images_own_maps_make_roce_lossy() -> None:
    """The trap: PFC is on for 3 and 4, and DSCP 26 is in neither."""
    facts = stock()
    assert facts.value(PORT, "port.qos.dscp_tc")[Dscp(26)] == TC(1)
    assert facts.value(PORT, "port.qos.pfc") == frozenset({Priority(3), Priority(4)})
    assert [facts.value(PORT.child("queue", str(n)), "queue.weight") for n in range(8)] == [
        14,
        14,
        14,
        15,
        15,
        14,
        14,
        None,
    ]
    assert [facts.value(PORT.child("queue", str(n)), "queue.ecn.enabled") for n in range(5)] == [False] * 3 + [True] * 2


AZURE = r'"(dscp_to_tc_map|tc_to_queue_map|tc_to_pg_map|pfc_to_queue_map)": "AZURE"'


@pytest.mark.parametrize(
    "changes",
    [
        [(r'"scheduler": "(scheduler\.[01])"', r'"scheduler": "[SCHEDULER|\1]"'),
         (r'"wred_profile": "AZURE_LOSSLESS"', '"wred_profile": "[WRED_PROFILE|AZURE_LOSSLESS]"'),
         (AZURE, r'"\1": "[MAP|AZURE]"')],
        [(r'"Ethernet0\|3": \{[^}]*\},', ""), (r'"Ethernet0\|4"', '"Ethernet0|3-4"')],
        [(r'"Ethernet0\|3": \{[^}]*\},', ""), (r'"Ethernet4\|3"', '"Ethernet0,Ethernet4|3"')],
        [(r'(?s)"PORT_QOS_MAP": \{\s*"Ethernet0": \{[^}]*\},\s*"Ethernet4"', '"PORT_QOS_MAP": {"Ethernet0,Ethernet4"')],
        [(r'"dscp_to_tc_map": "AZURE",\s*("pfc_enable": "3,4",\s*"pfc_to)', r"\1")],
    ],
    ids=["references in brackets", "a range of queues", "a list of ports", "a list of ports in PORT_QOS_MAP",
         "the switch's own map where the port has none"],
)  # fmt: skip
def test_all_forms_agree(changes: list[tuple[str, str]]) -> None:
    assert stock(*changes).devices == stock().devices


MS = 10**9
ROWS: list[tuple[str, str, Place, str, Any]] = [
    # a changed value
    (r'"26": "1"', '"26": "3"', PORT, "port.qos.dscp_tc", "26 in 3"),
    (r'"pfc_enable": "3,4"', '"pfc_enable": "3"', PORT, "port.qos.pfc", frozenset({Priority(3)})),
    (r'"pfc_enable": "3,4"', '"pfc_enable": ""', PORT, "port.qos.pfc", frozenset()),
    (r'"pfcwd_sw_enable": "3,4"', '"pfcwd_sw_enable": ""', PORT, "port.qos.watchdog.enabled", False),
    (r'"pfcwd_sw_enable": "3,4"', '"pfcwd_sw_enable": "4"', PORT, "port.qos.watchdog.enabled", False),
    (r'"pfcwd_sw_enable": "3,4"', '"pfcwd_sw_enable": "4"', PORT, "port.qos.watchdog.priorities",
     frozenset({Priority(4)})),
    (r'"mtu": "9100"', '"mtu": "1500"', PORT, "port.link.mtu", 1500),
    (r'"admin_status": "up"', '"admin_status": "down"', PORT, "port.link.enabled", False),
    (r'"Ethernet0": "5m"', '"Ethernet0": "40m"', PORT, "port.cable_length", Length(40_000)),
    (r'"detection_time": "200"', '"detection_time": "600"', PORT, "port.qos.watchdog.detect", Duration(600 * MS)),
    (r'"action": "drop"', '"action": "forward"', PORT, "port.qos.watchdog.action", WatchdogAction.FORWARD),
    (r'"POLL_INTERVAL": "200"', '"POLL_INTERVAL": "400"', LEAF, "switch.watchdog_poll", Duration(400 * MS)),
    (r'"green_max_threshold": "2097152"', '"green_max_threshold": "9000"', QUEUE, "queue.ecn.maximum", Size(9000)),
    (r'"ecn": "ecn_all"', '"ecn": "ecn_none"', QUEUE, "queue.ecn.enabled", False),
    (r'"wred_green_enable": "true"', '"wred_green_enable": "false"', QUEUE, "queue.ecn.enabled", False),
    (r'"type": "DWRR",\s*"weight": "15"', '"type": "STRICT"', QUEUE, "queue.discipline", Discipline.STRICT),
    (r'"state": "enabled"', '"state": "disabled"', LEAF, "switch.lldp", False),
    (r"Ethernet0\|10.0.0.0/31", "Ethernet0|2001:db8::/127", PORT, "port.addresses", ("2001:db8::/127",)),
    (r'"Ethernet0": \{\},', '"Ethernet0": {"ipv6_use_link_local_only": "enable"},', PORT, "port.unnumbered", True),
    (r'"hostname"', '"bgp_asn": "65100", "hostname"', LEAF, "switch.bgp.asn", 65100),
    # a row or field taken away is the default, or unknown
    (r'"mtu": "9100",', "", PORT, "port.link.mtu", 9100),
    (r'"admin_status": "up",', "", PORT, "port.link.enabled", False),
    (r'"fec": "rs",', "", PORT, "port.link.fec", None),
    (r'"pfc_enable": "3,4",', "", PORT, "port.qos.pfc", frozenset()),
    (r'"dscp_to_tc_map": "AZURE",?', "", PORT, "port.qos.trust", "none"),
    (r'"dscp_to_tc_map": "AZURE",?', "", PORT, "port.qos.dscp_tc", None),
    (r'"restoration_time": "200"', '"spare": "0"', PORT, "port.qos.watchdog.restore", None),
    (r'"wred_profile": "AZURE_LOSSLESS"', '"spare": "0"', QUEUE, "queue.ecn.enabled", False),
    (r'"wred_green_enable": "true",', "", QUEUE, "queue.ecn.enabled", None),
    (r'"ingress_lossless_pool"', '"ingress_lossy_pool"', LEAF, "switch.buffers.lossless", False),
    # a map that does not exist maps nothing: sonic-port-qos-map.yang, a leafref; QosOrch applies nothing of the row
    (r'"dscp_to_tc_map": "AZURE"', '"dscp_to_tc_map": "GONE"', PORT, "port.qos.dscp_tc", {}),
    (r'"dscp_to_tc_map": "AZURE"', '"dscp_to_tc_map": "GONE"', PORT, "port.qos.undefined_maps",
     ("DSCP_TO_TC_MAP|GONE",)),
    (r'"dscp_to_tc_map": "AZURE"', '"dscp_to_tc_map": "AZURE"', PORT, "port.qos.undefined_maps", ()),
    # what makes no sense, or leads nowhere, is unknown
    (r'"mtu": "9100"', '"mtu": "jumbo"', PORT, "port.link.mtu", None),
    (r'"26": "1"', '"26": "9"', PORT, "port.qos.dscp_tc", None),
    (r'"pfc_enable": "3,4"', '"pfc_enable": "all"', PORT, "port.qos.pfc", None),
    (r'"wred_profile": "AZURE_LOSSLESS"', '"wred_profile": "GONE"', QUEUE, "queue.ecn.enabled", None),
    (r'"scheduler": "scheduler.1"', '"scheduler": "GONE"', QUEUE, "queue.discipline", None),
    (r'"scheduler": "scheduler.1"', '"scheduler": "GONE"', PORT.child("queue", "0"), "queue.weight", None),
    (r'"type": "DWRR"', '"type": "WRR"', QUEUE, "queue.discipline", None),
    (r'"fec": "rs"', '"fec": "auto"', PORT, "port.link.fec", None),
    # an incomplete document is not read: what is missing would look like its default
    (r"\}\s*\Z", "", PORT, "port.qos.pfc", None),
    (r"\A", "sudo: a password is required\n", PORT, "port.qos.pfc", None),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "place", "path", "value"), ROWS)
def test_one_change(old: str, new: str, place: Place, path: str, value: Any) -> None:
    reading = stock((old, new)).value(place, path)
    assert (reading[Dscp(26)] == TC(3)) if value == "26 in 3" else (reading == value)


def test_a_shaper_in_packets_is_no_bandwidth() -> None:
    shaped = '"type": "DWRR", "pir": "1250000000", "weight": "15"'
    scheduler = r'"type": "DWRR",\s*"weight": "15"'
    assert stock((scheduler, shaped)).value(QUEUE, "queue.shape") == Bandwidth.gbps(10)
    assert stock((scheduler, shaped + ', "meter_type": "packets"')).value(QUEUE, "queue.shape") is None
    assert stock().value(QUEUE, "queue.shape") == 0


def test_a_value_stands_on_its_line() -> None:
    reading = stock().reading(PORT, "port.qos.pfc")
    assert reading is not None
    assert reading.source.line is not None
    line = (STOCK / "config-db.txt").read_text().split("\n")[reading.source.line - 1]
    assert line.strip() == '"pfc_enable": "3,4",'


STATUS = """\
  Interface      Lanes    Speed    MTU       FEC    Alias          Vlan    Oper    Admin            Type    Asym PFC
-----------  ---------  -------  -----  --------  -------  ------------  ------  -------  --------------  ----------
  Ethernet0    0,1,2,3     100G   9100       N/A     etp1        routed      up       up  QSFP+ or later         N/A
  Ethernet4    4,5,6,7     100G   9100  rs(auto)     etp2  PortChannel1      up       up  QSFP+ or later         N/A
  Ethernet8  8,9,10,11     100G   9100        rs                 routed    down       up             N/A         off
"""
LLDP = """\
Capability codes: (R) Router, (B) Bridge, (O) Other
LocalPort    RemoteDevice       RemotePortID       Capability    RemotePortDescr
-----------  -----------------  -----------------  ------------  -----------------
Ethernet0    node1              00:00:5e:00:53:01                eth1
Ethernet4    spine1             Ethernet112        BR            fortyGigE0/112
Ethernet8                       Ethernet116        BR            fortyGigE0/116
--------------------------------------------------
Total entries displayed:  3
"""
SUMMARY = """{"ipv4Unicast":{"routerId":"10.255.0.1","as":65001,"peers":{
"Ethernet256":{"remoteAs":65100,"state":"Established"},"10.2.0.1":{"remoteAs":65100,"state":"Established"}}},
"ipv6Unicast":{"peers":{"10.2.0.1":{"remoteAs":65100,"state":"Idle"}}}}
"""


def read_output(command: str, text: str) -> Facts:
    """What is read of one command's output."""
    return read_outputs({command: text})


def read_outputs(texts: Mapping[str, str]) -> Facts:
    """What is read of the outputs of these commands."""
    outputs = {command: Output(command, text, Source("leaf1", command, "x.out")) for command, text in texts.items()}
    return assemble_facts(SONIC.parse(Outputs("leaf1", outputs)))


def test_interface_status_has_empty_cells_and_cells_with_blanks() -> None:
    facts = read_output("interface-status", STATUS)
    link_values = {
        name: [facts.value(LEAF.child("port", name), f"port.link.{path}") for path in ("up", "speed", "fec")]
        for name in ("Ethernet0", "Ethernet4", "Ethernet8")
    }
    assert link_values == {
        "Ethernet0": [True, Bandwidth.gbps(100), None],
        "Ethernet4": [True, Bandwidth.gbps(100), "rs"],
        "Ethernet8": [False, None, None],
    }


def test_what_runs_counts_before_what_is_set() -> None:
    text = (STOCK / "config-db.txt").read_text()
    configurations = {
        **outputs(text).outputs,
        "interface-status": Output("interface-status", STATUS.replace("100G", "40G"), Source("leaf1", "x", "x")),
    }
    facts = assemble_facts(SONIC.parse(Outputs("leaf1", configurations)))
    reading = facts.reading(PORT, "port.link.speed")
    assert reading is not None
    assert (reading.value, reading.state) == (Bandwidth.gbps(40), State.RUNNING)


def test_lldp_neighbours() -> None:
    facts = read_output("lldp-table", LLDP)
    assert [(str(place), value.value) for (place, path), (value, *_) in facts.readings.items()] == [
        ("leaf1 port Ethernet0", "node1"),
        ("leaf1 port Ethernet0", "eth1"),
        ("leaf1 port Ethernet4", "spine1"),
        ("leaf1 port Ethernet4", "Ethernet112"),
    ]


WATCHDOG = """\
Changed polling interval to 600ms
     PORT    ACTION    DETECTION TIME    RESTORATION TIME    HISTORY
---------  --------  ----------------  ------------------  ---------
Ethernet0      drop               600                 600    disable
Ethernet4   forward               600            infinite    disable
"""


def test_the_watchdog_without_the_database() -> None:
    facts = read_output("pfcwd-config", WATCHDOG)
    other_port = LEAF.child("port", "Ethernet4")
    assert facts.value(LEAF, "switch.watchdog_poll") == Duration(600 * MS)
    assert facts.value(PORT, "port.qos.watchdog.detect") == Duration(600 * MS)
    assert facts.value(PORT, "port.qos.watchdog.restore") == Duration(600 * MS)
    assert facts.value(other_port, "port.qos.watchdog.action") is WatchdogAction.FORWARD
    assert facts.value(other_port, "port.qos.watchdog.restore") is None


STORMS = """\
      QUEUE       STATUS    STORM DETECTED/RESTORED    TX OK/DROP    RX OK/DROP    TX LAST OK/DROP    RX LAST OK/DROP
-----------  -----------  -------------------------  ------------  ------------  -----------------  -----------------
Ethernet0:3      stormed                        1/0       100/300       100/300              0/200              0/200
Ethernet0:4  operational                        0/0           0/0           0/0                0/0                0/0
Ethernet4:3  operational                        2/2       100/100       100/100                0/0                0/0
Ethernet8:4          N/A                        2/2       100/100       100/100                0/0                0/0
"""
"""Rows in the form of sonic-utilities, tests/pfcwd_input, and of sonic-mgmt for N/A."""


def test_the_watchdog_acts_on_a_stormed_queue() -> None:
    facts = read_output("pfcwd-stats", STORMS)
    acts = {
        name: facts.value(LEAF.child("port", name), "port.qos.watchdog.active")
        for name in ("Ethernet0", "Ethernet4", "Ethernet8")
    }
    assert acts == {"Ethernet0": True, "Ethernet4": False, "Ethernet8": None}
    assert facts.value(LEAF.child("port", "Ethernet0"), "port.qos.watchdog.stuck_queues") == {3}


def test_a_queue_that_is_no_number_is_passed_over() -> None:
    """A superscript digit is a digit for Python, but no number."""
    facts = read_output("pfcwd-stats", STORMS.replace("Ethernet0:3 ", "Ethernet0:² "))
    assert facts.value(LEAF.child("port", "Ethernet0"), "port.qos.watchdog.active") is False


CONFIGURED = """\
Changed polling interval to 200ms
      PORT    ACTION    DETECTION TIME    RESTORATION TIME
----------  --------  ----------------  ------------------
 Ethernet0      drop               400                 400
 Ethernet8      drop               400                 400
Ethernet12      drop               400                 400
"""


@pytest.mark.parametrize(("text", "acts"), [(STORMS, False), ("", None), ("command not found\n", None)])
def test_a_watched_port_without_a_row_was_never_stormed(text: str, acts: bool | None) -> None:
    facts = read_outputs({"pfcwd-config": CONFIGURED, "pfcwd-stats": text})
    path = "port.qos.watchdog.active"
    assert facts.value(LEAF.child("port", "Ethernet12"), path) is acts
    assert facts.value(LEAF.child("port", "Ethernet8"), path) is None  # its row has no status
    assert facts.value(LEAF.child("port", "Ethernet16"), path) is None  # not watched


def test_a_session_works_when_all_its_families_do() -> None:
    facts = read_output("bgp-summary", SUMMARY)
    assert facts.value(LEAF.child("peer", "Ethernet256"), "peer.state") == "Established"
    assert facts.value(LEAF.child("peer", "10.2.0.1"), "peer.state") == "Idle"


def test_the_images_own_bgp_tables_are_read() -> None:
    facts = stock((r'"FEATURE"', '"BGP_NEIGHBOR": {"10.0.0.1": {"asn": "65200", "name": "T0"}}, "FEATURE"'))
    peer = LEAF.child("peer", "10.0.0.1")
    assert [facts.value(peer, path) for path in ("peer.asn", "peer.unnumbered", "peer.ipv4")] == [65200, False, None]


MEMBERS = '"VLAN_MEMBER": {{"Vlan11|Ethernet0": {{"tagging_mode": "{mode}"}}}}, "PORT": {{'


@pytest.mark.parametrize(("mode", "vlan"), [("untagged", 11), ("tagged", 0), ("priority_tagged", None), (None, 0)])
def test_untagged_frames_of_a_switched_port_without_an_untagged_vlan_are_dropped(mode: str | None, vlan: int) -> None:
    """sonic-swss, portsorch.cpp, removeDefaultVlanMembers: no port stays in the default VLAN."""
    tables = '"PORT": {' if mode is None else MEMBERS.format(mode=mode)
    facts = stock((r'"PORT": \{', tables), ('"INTERFACE"', '"NOT_ROUTED"'))
    assert facts.value(PORT, "port.vlan") == vlan


def build_dump(groups: Mapping[str, str], *lossless: str) -> str:
    """APPL_DB as `sonic-db-dump -y` prints it: groups with their profile, and the profiles that are lossless."""
    rows: dict[str, Any] = {f"BUFFER_PG_TABLE:{key}": {"profile": profile} for key, profile in groups.items()}
    rows |= {f"BUFFER_PROFILE_TABLE:{name}": {"size": "304128", "xoff": "257024"} for name in lossless}
    rows["BUFFER_PROFILE_TABLE:ingress_lossy_profile"] = {"size": "0"}
    return json.dumps({key: {"type": "hash", "value": row} for key, row in rows.items()}, indent=2, sort_keys=True)


FIVE, FORTY = "pg_lossless_400000_5m_profile", "pg_lossless_400000_40m_mtu4096_th1_profile"
DUMPS: dict[str, tuple[str, list[int] | None, int | None]] = {
    "one group": (build_dump({"Ethernet0:3": FIVE}, FIVE), [3], 5),
    "a range of groups of several ports": (build_dump({"Ethernet0,Ethernet4:3-4": FIVE}, FIVE), [3, 4], 5),
    "profiles of two lengths": (build_dump({"Ethernet0:3": FORTY, "Ethernet0:4": FIVE}, FIVE, FORTY), [3, 4], 5),
    "a profile with MTU and threshold in its name": (build_dump({"Ethernet0:3": FORTY}, FORTY), [3], 40),
    "a profile of the switch's own": (build_dump({"Ethernet0:3": "mine"}, "mine"), [3], None),
    "a lossy profile": (build_dump({"Ethernet0:3": "ingress_lossy_profile"}), [], None),
    "a profile that does not exist": (build_dump({"Ethernet0:3": FIVE}), [], None),
    "no profile": (build_dump({"Ethernet0:3": "NULL"}, FIVE), [], None),
    "another port only": (build_dump({"Ethernet4:3": FIVE}, FIVE), [], None),
    "no row": ("{}\n", [], None),
    "a document cut short": (build_dump({"Ethernet0:3": FIVE}, FIVE)[:-4], None, None),
    "no document": ("Traceback (most recent call last):\n", None, None),
}


@pytest.mark.parametrize("case", DUMPS)
def test_groups_in_effect_are_those_with_a_lossless_profile(case: str) -> None:
    text, groups, metres = DUMPS[case]
    configuration = (STOCK / "config-db.txt").read_text()
    facts = read_outputs({"config-db": configuration, "buffer-tables": text})
    running = [
        [reading.value for reading in facts.readings.get((PORT, path), ()) if reading.state is State.RUNNING]
        for path in ("port.qos.lossless_groups", "port.cable_length")
    ]
    expected_groups = [] if groups is None else [frozenset(map(PriorityGroup, groups))]
    assert running == [expected_groups, [] if metres is None else [Length(metres * 1000)]]


FEC_STATUS = """\
  Interface    FEC Oper    FEC Admin
-----------  ----------  -----------
  Ethernet0  {oper:>10}         auto
"""
"""A row in the form of sonic-utilities, tests/intfutil_test.py."""
AUTO = (STOCK / "config-db.txt").read_text().replace('"fec": "rs"', '"fec": "auto"')


@pytest.mark.parametrize(("oper", "fec"), [("rs", "rs"), ("fc", "fc"), ("none", "none"), ("N/A", None)])
def test_the_operational_fec_counts_for_a_port_with_auto(oper: str, fec: str | None) -> None:
    """sonic-port.yang: rs, fc, none or auto."""
    assert AUTO.count('"auto"')
    facts = read_outputs({"config-db": AUTO, "fec-status": FEC_STATUS.format(oper=oper)})
    assert facts.value(PORT, "port.link.fec") == fec


def test_a_port_with_auto_has_an_unknown_fec_without_its_state() -> None:
    assert read_outputs({"config-db": AUTO}).value(PORT, "port.link.fec") is None


HEADROOM: dict[str, tuple[dict[str, str], int | None, int | None]] = {  # profiles with xoff; headroom, Gb/s
    "of one profile": ({FIVE: "160000"}, 160000, 400),
    "the least of two": ({FIVE: "160000", "pg_lossless_100000_5m_profile": "49088"}, 49088, 100),
    "of a profile with any name": ({"mine": "1024"}, 1024, None),
    "no number": ({FIVE: "160000", FORTY: "many"}, None, 400),
}


@pytest.mark.parametrize("case", HEADROOM)
def test_headroom_and_speed_are_those_of_the_profiles(case: str) -> None:
    profiles, size, gbps = HEADROOM[case]
    rows = {f"Ethernet0|{number}": {"profile": name} for number, name in enumerate(profiles, start=3)}
    tables = json.loads((STOCK / "config-db.txt").read_text())
    tables |= {"BUFFER_PG": rows, "BUFFER_PROFILE": {name: {"xoff": xoff} for name, xoff in profiles.items()}}
    facts = assemble_facts(SONIC.parse(outputs(json.dumps(tables))))
    values = [facts.value(PORT, path) for path in ("port.headroom", "port.headroom_speed")]
    assert values == [size, gbps and Bandwidth.gbps(gbps)]


CONFIGURED_GROUPS: dict[str, tuple[str | None, dict[str, Any], list[int]]] = {  # model, profile of group 3; groups
    "made by the buffer manager": (None, {"profile": FIVE}, [3]),
    "the same in the dynamic model": ("dynamic", {"profile": FIVE}, [3]),
    "calculated": ("dynamic", {"profile": "NULL"}, [3]),
    "NULL, which the traditional model does not calculate": ("traditional", {"profile": "NULL"}, []),
    "NULL without a model, which is the traditional one": (None, {"profile": "NULL"}, []),
    "a lossy profile": ("dynamic", {"profile": "ingress_lossy_profile"}, []),
    "a profile that does not exist": (None, {"profile": FORTY}, []),
}


@pytest.mark.parametrize("case", CONFIGURED_GROUPS)
def test_configured_groups_depend_on_the_buffer_model(case: str) -> None:
    """sonic-buildimage, docker-orchagent/buffermgrd.sh and sonic-swss, buffermgr.cpp, buffermgrdyn.cpp."""
    model, row, groups = CONFIGURED_GROUPS[case]
    tables = json.loads((STOCK / "config-db.txt").read_text())
    tables |= {
        "BUFFER_PG": {"Ethernet0|3": row},
        "BUFFER_PROFILE": {FIVE: {"xoff": "257024"}, "ingress_lossy_profile": {}},
    }
    if model is not None:
        tables["DEVICE_METADATA"]["localhost"]["buffer_model"] = model
    reading = assemble_facts(SONIC.parse(outputs(json.dumps(tables)))).reading(PORT, "port.qos.lossless_groups")
    assert reading is not None
    assert (reading.value, reading.state) == (frozenset(map(PriorityGroup, groups)), State.CONFIGURED)
