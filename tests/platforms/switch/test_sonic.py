"""Community SONiC: what is rendered is a CONFIG_DB that holds together, and a CONFIG_DB is read in all its forms."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from platforms.round_trip import SETTINGS, answers, find_losses
from platforms.switch.devices import link, ms, qos, queues, routed_switch, vlan_switch
from wirespeed.errors import Refusal
from wirespeed.facts import Source, assemble_facts
from wirespeed.platforms import Output, Outputs, platform
from wirespeed.platforms.templates import fill_answer, fill_template
from wirespeed.settings import (
    BgpPeer,
    Discipline,
    Place,
    Port,
    PortQos,
    Priority,
    PriorityGroup,
    Queue,
    Switch,
    SwitchTrafficClass,
    Watchdog,
    WatchdogAction,
    walk,
)
from wirespeed.settings.routing import Bgp
from wirespeed.units import Bandwidth, Duration, Length, Size

GOLDEN = Path(__file__).parent / "golden"
STOCK = Path(__file__).parents[2] / "samples" / "sonic" / "stock"
SONIC = platform("switch", "sonic")
LEAF = Place("leaf1")
PORT = LEAF.child("port", "Ethernet0")
QUEUE = PORT.child("queue", "3")
TC = SwitchTrafficClass

NAMES = ["Ethernet0", "Ethernet8", "Ethernet80"]
GROUPS = {TC(tc): PriorityGroup(3 if tc == 3 else 0) for tc in range(8)}
QOS = qos(tc_pg=GROUPS, pfc_pg={Priority(3): PriorityGroup(3)})
ROUTED = routed_switch(NAMES, QOS, link())
UPLINK = Port(description="spine1 Ethernet0", link=link(), unnumbered=True, cable_length=Length(5000))
FABRIC = replace(
    ROUTED,
    os_version="202505.10",
    ports={
        **ROUTED.ports,
        "Ethernet256": UPLINK,
        "Ethernet264": replace(UPLINK, unnumbered=None, addresses=("10.2.0.0/31", "2001:db8::/127")),
    },
    loopbacks=("10.255.0.1/32",),
    bgp=Bgp(65001, "10.255.0.1", maximum_paths=4, multipath_relax=True, networks=("10.255.0.1/32", "10.1.0.0/31")),
    peers={
        "Ethernet256": BgpPeer(65100, "spine1 Ethernet0", unnumbered=True, ipv4=True, bfd=True, state="Established"),
        "10.2.0.1": BgpPeer(65100, "spine2 Ethernet0", ipv4=True, ipv6=True, state="Active"),
    },
)
CASES = {
    "routed": ROUTED,
    "switched": vlan_switch(NAMES, QOS, link(training=None)),
    "fabric": FABRIC,
    "spectrum": replace(ROUTED, chip="spectrum4"),
    "shaped": replace(
        ROUTED,
        ports={name: replace(port, queues={**queues(), "0": Queue(Discipline.DWRR, 50, shape=Bandwidth.gbps(40))})
               for name, port in ROUTED.ports.items()},
    ),
    "step": replace(
        ROUTED,
        ports={name: replace(port, queues=queues(minimum=Size(1 << 20), maximum=Size(1 << 20), probability=100))
               for name, port in ROUTED.ports.items()},
    ),
}  # fmt: skip


def render_tables(switch: Switch) -> dict[str, Any]:
    """The configuration file of a switch."""
    return json.loads(fill_template(SONIC, "wirespeed.json.j2", "leaf1", switch))  # type: ignore[no-any-return]


def golden(name: str, text: str) -> None:
    """Hold a text against its file; WIRESPEED_ACCEPT=1 writes the file anew."""
    if os.environ.get("WIRESPEED_ACCEPT"):
        (GOLDEN / name).write_text(text, encoding="utf-8")
    assert text == (GOLDEN / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("case", ["fabric", "spectrum", "switched"])
def test_configuration(case: str) -> None:
    golden(f"sonic-{case}.json", fill_template(SONIC, "wirespeed.json.j2", "leaf1", CASES[case]))


@pytest.mark.parametrize(("template", "name"), [("apply.j2", "apply"), ("rollback.j2", "rollback")])
def test_apply_and_rollback(template: str, name: str) -> None:
    golden(f"sonic-fabric.{name}.txt", fill_template(SONIC, template, "leaf1", FABRIC))


def commands(template: str) -> list[str]:
    """What a person types."""
    text = fill_template(SONIC, template, "leaf1", FABRIC)
    return [line for line in text.split("\n") if line and not line.startswith("#")]


def test_apply_and_rollback_load_the_whole_file() -> None:
    """`config replace` and `config rollback` refuse PFC_WD and WRED_PROFILE for hardware and operations not listed.

    Source: sonic-utilities 202205 to master, generic_config_updater/field_operation_validators.py and
    gcu_field_operation_validators.conf.json; config/main.py: `config reload` of a file replaces the database.
    """
    apply, rollback = commands("apply.j2"), commands("rollback.j2")
    saved = "/etc/sonic/config_db.wirespeed-before.json"
    assert f"sudo cp -n /etc/sonic/config_db.json {saved}" in apply  # a second apply keeps the first saved file
    reload = "sudo config reload -y /home/admin/target.json"
    assert f"test -s /home/admin/target.json && {reload}" in apply  # the merge script may have refused
    assert f"ls {saved} && sudo config reload -y {saved}" in rollback  # no reload without the saved file
    refused = ("config replace", "config apply-patch", "config rollback", "config checkpoint")
    assert [line for line in (*apply, *rollback) if any(command in line for command in refused)] == []


REFUSED_TABLES = [  # QoS of the ports, release, the text about `config replace`
    (QOS, None, "the switch refuses it for PFC_WD and WRED_PROFILE (before 202511).)"),
    (QOS, "202505", "the switch refuses it for PFC_WD and WRED_PROFILE.)"),
    (QOS, "202511", "the switch refuses it for PFC_WD.)"),
    (
        replace(QOS, pfc=frozenset(), watchdog=Watchdog()),
        "202511",
        '"config replace" may keep them up; it was not tried.',
    ),
]


@pytest.mark.parametrize(("qos", "release", "text"), REFUSED_TABLES)
def test_the_apply_text_names_the_tables_that_the_release_does_not_replace(
    qos: PortQos, release: str | None, text: str
) -> None:
    switch = replace(routed_switch(["Ethernet0"], qos, link()), os_version=release)
    if not qos.pfc:
        switch = replace(switch, watchdog_poll=None)
    assert text in fill_template(SONIC, "apply.j2", "leaf1", switch)


def test_ipv6_before_its_release_is_one_problem_of_the_switch() -> None:
    peers = {name: BgpPeer(65100, ipv4=True, ipv6=True) for name in ("10.2.0.1", "10.2.0.3")}
    with pytest.raises(Refusal) as refusal:
        fill_template(SONIC, "wirespeed.json.j2", "leaf1", replace(FABRIC, os_version="202305", peers=peers))
    assert [str(problem).partition("\n")[0] for problem in refusal.value.problems if "ipv6" in str(problem)] == [
        "leaf1: peer.ipv6: found on, with Community SONiC 202305; expected 202505 or later"
    ]


def test_without_a_lossless_class_no_priority_is_named() -> None:
    """The pattern of pfc_enable takes no empty text up to 202411 (sonic-port-qos-map.yang)."""
    lossy = replace(QOS, pfc=frozenset(), watchdog=Watchdog())
    tables = render_tables(routed_switch(["Ethernet0"], lossy, link()))
    assert "pfc_enable" not in tables["PORT_QOS_MAP"]["Ethernet0"]
    assert find_losses(SONIC, "leaf1", routed_switch(["Ethernet0"], lossy, link())) == []


@pytest.mark.parametrize("case", CASES)
def test_settings_come_back(case: str) -> None:
    assert find_losses(SONIC, "leaf1", CASES[case]) == []


# What every CONFIG_DB must satisfy: the YANG models of sonic-buildimage refuse what does not.

REFERENCES = {
    ("PORT_QOS_MAP", "dscp_to_tc_map"): "DSCP_TO_TC_MAP",
    ("PORT_QOS_MAP", "dot1p_to_tc_map"): "DOT1P_TO_TC_MAP",
    ("PORT_QOS_MAP", "tc_to_queue_map"): "TC_TO_QUEUE_MAP",
    ("PORT_QOS_MAP", "tc_to_pg_map"): "TC_TO_PRIORITY_GROUP_MAP",
    ("PORT_QOS_MAP", "tc_to_dscp_map"): "TC_TO_DSCP_MAP",
    ("PORT_QOS_MAP", "pfc_to_queue_map"): "MAP_PFC_PRIORITY_TO_QUEUE",
    ("PORT_QOS_MAP", "pfc_to_pg_map"): "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
    ("QUEUE", "scheduler"): "SCHEDULER",
    ("QUEUE", "wred_profile"): "WRED_PROFILE",
}
LEAF_LISTS = ("as_path_set_member",)
PORT_KEYED = ("PORT_QOS_MAP", "QUEUE", "INTERFACE", "BUFFER_PG")


def faults(tables: dict[str, Any]) -> list[str]:
    """Whatever does not hold together."""
    problems = [
        f"{table}|{key} {name}: {value!r} is no string"
        for table, rows in tables.items()
        for key, row in rows.items()
        for name, value in row.items()
        if not isinstance(value, str) and name not in LEAF_LISTS
    ]
    for (table, name), target in REFERENCES.items():
        for key, row in tables.get(table, {}).items():
            if name in row and row[name] not in tables.get(target, {}):
                problems.append(f"{table}|{key} {name}: no {target}|{row[name]}")
    ports = tables.get("PORT", {})
    problems += [
        f"{table}|{key}: no such port"
        for table in PORT_KEYED
        for key in tables.get(table, {})
        if key.split("|")[0] not in ports
    ]
    problems += [f"QUEUE|{key}: no scheduler" for key, row in tables.get("QUEUE", {}).items() if "scheduler" not in row]
    for table, count in (("DSCP_TO_TC_MAP", 64), ("TC_TO_QUEUE_MAP", 8), ("TC_TO_PRIORITY_GROUP_MAP", 8)):
        problems += [
            f"{table}|{key}: not all of {count}"
            for key, row in tables.get(table, {}).items()
            if row.keys() != {str(n) for n in range(count)}
        ]
    for key, row in tables.get("WRED_PROFILE", {}).items():
        for colour in ("green", "yellow", "red"):
            if not 0 < int(row[f"{colour}_min_threshold"]) <= int(row[f"{colour}_max_threshold"]):
                problems.append(f"WRED_PROFILE|{key}: {colour} minimum above maximum")
    for key, row in tables.get("SCHEDULER", {}).items():
        if row.get("type") == "STRICT" and "weight" in row:
            problems.append(f"SCHEDULER|{key}: a strict one with a weight")
    for key, row in tables.get("PORT_QOS_MAP", {}).items():
        for priority in filter(None, row.get("pfc_enable", "").split(",")):
            queue = tables["MAP_PFC_PRIORITY_TO_QUEUE"][row["pfc_to_queue_map"]][priority]
            if f"{key}|{queue}" not in tables["QUEUE"]:
                problems.append(f"PORT_QOS_MAP|{key}: priority {priority} pauses queue {queue}, which nothing serves")
    for table in ("INTERFACE", "VLAN_INTERFACE", "LOOPBACK_INTERFACE"):
        problems += [
            f"{table}|{key}: no row for the interface"
            for key in tables.get(table, {})
            if key.split("|")[0] not in tables[table]
        ]
    for key in tables.get("VLAN_MEMBER", {}):
        vlan, port = key.split("|")
        if vlan not in tables.get("VLAN", {}) or port not in ports or port in tables.get("INTERFACE", {}):
            problems.append(f"VLAN_MEMBER|{key}: no such VLAN or port, or a routed port")
    for key in tables.get("BGP_NEIGHBOR_AF", {}):
        if key.rpartition("|")[0] not in tables["BGP_NEIGHBOR"] or "default" not in tables["BGP_GLOBALS"]:
            problems.append(f"BGP_NEIGHBOR_AF|{key}: no such neighbour")
    return problems


@pytest.mark.parametrize("case", CASES)
def test_what_is_rendered_holds_together(case: str) -> None:
    assert faults(render_tables(CASES[case])) == []


def test_the_rules_find_what_does_not_hold_together() -> None:
    tables = render_tables(FABRIC)
    tables["PORT_QOS_MAP"]["Ethernet0"]["tc_to_pg_map"] = "AZURE"
    tables["QUEUE"]["Ethernet0|4"] = {"wred_profile": "ROCE"}
    del tables["DSCP_TO_TC_MAP"]["ROCE"]["26"]
    del tables["INTERFACE"]["Ethernet8"]
    tables["PORT"]["Ethernet0"]["mtu"] = 9100
    assert faults(tables) == [
        "PORT|Ethernet0 mtu: 9100 is no string",
        "PORT_QOS_MAP|Ethernet0 tc_to_pg_map: no TC_TO_PRIORITY_GROUP_MAP|AZURE",
        "QUEUE|Ethernet0|4: no scheduler",
        "DSCP_TO_TC_MAP|ROCE: not all of 64",
        "INTERFACE|Ethernet8|10.1.0.2/31: no row for the interface",
    ]


# Merging into a running database, by the script that goes to the switch with the file.


PROFILES = """\
# speed cable size xon xoff threshold
400000   5m   304128 38912 257024 0
400000  40m   410624 38912 362496 0
100000 300m   244736 19456 225280 0
"""
"""Values of three rows of pg_profile_lookup.ini of a device in sonic-buildimage; the second speed lacks the others."""


def merge(
    running: dict[str, Any], target_config: dict[str, Any], folder: Path, state: str = "", profiles: str = PROFILES
) -> dict[str, Any]:
    """What the rendered script makes of two databases; ``state`` names the file that several applies share."""
    (folder / "profiles.ini").write_text(profiles)
    script = folder / "merge.py"
    script.write_text(fill_template(SONIC, "merge.py.j2", "leaf1", ROUTED))
    for name, tables in (("running", running), ("wanted", target_config)):
        (folder / f"{name}.json").write_text(json.dumps(tables))
    state_path = folder / (state or f"state-{len(list(folder.iterdir()))}.json")
    if not state:
        state_path.unlink(missing_ok=True)
    names = [str(folder / "running.json"), str(folder / "wanted.json"), str(state_path), str(folder / "profiles.ini")]
    command = [sys.executable, "-I", str(script), *names]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)  # type: ignore[no-any-return]


def test_merged_into_the_images_own_configuration_all_is_as_planned(tmp_path: Path) -> None:
    """The image's own maps, queues, addresses and sessions of our ports go; another port's stay; again, no change."""
    names = ["Ethernet0"]
    base = replace(routed_switch(names, QOS, link()), os_version=FABRIC.os_version)
    switch = replace(base, bgp=FABRIC.bgp, peers=FABRIC.peers, loopbacks=FABRIC.loopbacks)
    running = json.loads((STOCK / "config-db.txt").read_text())
    running["BGP_NEIGHBOR"] = {"10.0.0.1": {"asn": "65200", "name": "ARISTA01T0"}}
    running["BUFFER_PG"] = {"Ethernet0,Ethernet4|3-4": {"profile": "[BUFFER_PROFILE|pg_lossless_100000_5m_profile]"},
                            "Ethernet0|0": {"profile": "ingress_lossy_profile"}}  # fmt: skip
    target = merge(running, render_tables(switch), tmp_path)
    facts = assemble_facts(SONIC.parse(outputs(json.dumps(target, indent=4))), devices=["leaf1"])
    differing = [
        (str(place), path)
        for place, path, value in walk(switch, LEAF)
        if value is not None
        and path in READ_FROM_DB
        and not SETTINGS[path].compare.holds(value, facts.value(place, path))
    ]
    assert differing == []
    assert target["PORT"]["Ethernet0"]["lanes"] == "0,1,2,3"
    assert [key for key in target["QUEUE"] if key.startswith("Ethernet0|")] == [
        "Ethernet0|0",
        "Ethernet0|3",
        "Ethernet0|6",
    ]
    assert [key for key in target["INTERFACE"] if key.startswith("Ethernet0")] == ["Ethernet0", "Ethernet0|10.1.0.0/31"]
    assert target["PORT_QOS_MAP"]["Ethernet4"] == running["PORT_QOS_MAP"]["Ethernet4"]
    assert [*target["BUFFER_PG"]] == ["Ethernet4|3-4", "Ethernet0|0"]
    assert "10.0.0.1" not in target["BGP_NEIGHBOR"]
    assert merge(target, render_tables(switch), tmp_path) == target


def test_nothing_of_an_earlier_plan_stays_and_changes_of_others_do(tmp_path: Path) -> None:
    """A fabric with BGP and lossless queues, and a lossy leaf, in both orders, on a switch's stock configuration."""
    running = json.loads((STOCK / "config-db.txt").read_text())
    lossy = replace(QOS, pfc=frozenset(), watchdog=Watchdog())
    base = replace(routed_switch(["Ethernet0", "Ethernet4"], QOS, link()), os_version=FABRIC.os_version)
    fabric = replace(base, bgp=FABRIC.bgp, peers=FABRIC.peers, loopbacks=FABRIC.loopbacks)
    leaf = replace(routed_switch(["Ethernet0"], lossy, link()), os_version=FABRIC.os_version)
    plans = {"fabric": render_tables(fabric), "leaf": render_tables(leaf)}
    for first, second in (("fabric", "leaf"), ("leaf", "fabric")):
        state = f"{first}.json"
        after_first = merge(running, plans[first], tmp_path, state)
        assert merge(after_first, plans[first], tmp_path, state) == after_first
        assert merge(after_first, plans[second], tmp_path, state) == merge(running, plans[second], tmp_path)
        changed = {**after_first, "NTP_SERVER": {"192.0.2.1": {}}}
        changed["PORT"] = {**changed["PORT"], "Ethernet0": {**changed["PORT"]["Ethernet0"], "asic_port_name": "Eth0"}}
        target = merge(changed, plans[second], tmp_path, state)
        assert target["NTP_SERVER"] == {"192.0.2.1": {}}
        assert target["PORT"]["Ethernet0"]["asic_port_name"] == "Eth0"
    assert "BGP_GLOBALS" not in merge(merge(running, plans["fabric"], tmp_path, "x"), plans["leaf"], tmp_path, "x")


def test_ports_without_their_breakout_are_refused(tmp_path: Path) -> None:
    running = json.loads((STOCK / "config-db.txt").read_text())
    split = render_tables(replace(routed_switch(["Ethernet2"], QOS, link()), os_version=FABRIC.os_version))
    with pytest.raises(subprocess.CalledProcessError) as failure:
        merge(running, split, tmp_path)
    assert "ports that the switch does not have: Ethernet2" in failure.value.stderr
    running["BREAKOUT_CFG"] = {"Ethernet0": {"brkout_mode": "2x200G"}}
    with pytest.raises(subprocess.CalledProcessError) as failure:
        merge(running, split, tmp_path)
    assert "Ethernet0 is split as 2x200G, Ethernet2 is planned otherwise: roll back" in failure.value.stderr


MY_PROFILE = {"pool": "ingress_lossless_pool", "size": "400000", "xoff": "300000", "dynamic_th": "0"}
DYNAMIC = {"buffer_model": "dynamic"}
SPLIT = "Ethernet0: speed 400000, cable length"
BUFFERS: dict[str, tuple[str | None, dict[str, Any], str, str | None]] = {
    # chip, changes of the running tables, profiles of the image; the end of the refusal, None: it is merged
    "a profile for speed and length": (None, {}, PROFILES, None),
    "no profile for this length": (
        None,
        {"CABLE_LENGTH": {"AZURE": {"Ethernet0": "3m"}}},
        PROFILES,
        f"has no lossless profile for {SPLIT} 3m; hint: plan a cable length of 5m or 40m",
    ),
    "no profile for a longer cable": (
        None,
        {"CABLE_LENGTH": {"AZURE": {"Ethernet0": "300m"}}},
        PROFILES,
        f"has no lossless profile for {SPLIT} 300m; hint: use an image with such a profile",
    ),
    "no cable length": (None, {"CABLE_LENGTH": {}}, PROFILES, f"{SPLIT} none; hint: plan a cable length of 5m or 40m"),
    "an image without profiles": (None, {}, "", f"{SPLIT} 5m; hint: use an image with such a profile"),
    "a group with a profile of its own, which stays": (
        None,
        {"BUFFER_PG": {"Ethernet0|3": {"profile": "mine"}}, "BUFFER_PROFILE": {"mine": MY_PROFILE}},
        "",
        None,
    ),
    "no lossless pool": (
        None, {"BUFFER_POOL": {}}, PROFILES,
        "the switch has no lossless buffer pool; hint: install an image with buffer files for this hardware",
    ),
    "dynamic model, planned for the traditional one": (
        None, {"DEVICE_METADATA": {"localhost": DYNAMIC}}, PROFILES,
        "this configuration needs the traditional one; hint: run `sonic-db-cli CONFIG_DB HSET "
        "'DEVICE_METADATA|localhost' buffer_model traditional`, then apply again",
    ),
    "traditional model, planned for the dynamic one": (
        "spectrum4", {}, PROFILES,
        "the switch uses the traditional buffer model, and this configuration needs the dynamic one; "
        "hint: run `sudo config qos reload`, then apply again",
    ),
    "dynamic model, which needs no profile of the image": (
        "spectrum4", {"DEVICE_METADATA": {"localhost": DYNAMIC}}, "", None,
    ),
    "dynamic model, and a group with a profile of its own": (
        "spectrum4",
        {
            "DEVICE_METADATA": {"localhost": DYNAMIC},
            "BUFFER_PG": {"Ethernet0|3": {"profile": "mine"}}, "BUFFER_PROFILE": {"mine": MY_PROFILE},
        },
        "", None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BUFFERS)
def test_a_lossless_group_is_never_replaced_by_none(case: str, tmp_path: Path) -> None:
    """The traditional buffer manager makes a profile only for a speed and cable length of the image's file.

    Source: sonic-swss, cfgmgr/buffermgr.cpp, doSpeedUpdateTask; sonic-buildimage, docker-orchagent/buffermgrd.sh: the
    model is dynamic only if DEVICE_METADATA has it so.
    """
    chip, changes, profiles, refusal = BUFFERS[case]
    switch = replace(routed_switch(["Ethernet0"], QOS, link()), chip=chip, os_version=FABRIC.os_version)
    running = json.loads((STOCK / "config-db.txt").read_text()) | changes
    if refusal is None:
        target = merge(running, render_tables(switch), tmp_path, profiles=profiles)
        groups = changes.get("BUFFER_PG") or ({"Ethernet0|3": {"profile": "NULL"}} if chip else {})
        assert target.get("BUFFER_PG", {}) == groups
        return
    with pytest.raises(subprocess.CalledProcessError) as failure:
        merge(running, render_tables(switch), tmp_path, "state.json", profiles)
    assert failure.value.stderr.strip().endswith(refusal)
    assert (failure.value.stdout, (tmp_path / "state.json").exists()) == ("", False)


READ_FROM_DB = {
    path
    for command in SONIC.commands
    if command.id == "config-db"
    for path in command.reads
    if path in SETTINGS
}  # fmt: skip


def outputs(text: str) -> Outputs:
    """A CONFIG_DB as the device prints it."""
    return Outputs("leaf1", {"config-db": Output("config-db", text, Source("leaf1", "config-db", "config-db.out"))})


REFUSED = {
    "detection shorter than it can watch": (
        {"qos": replace(QOS, watchdog=Watchdog(detect=ms(50), restore=ms(400)))},
        "leaf1 Ethernet0: port.qos.watchdog.detect: found 50 ms; expected 100 ms to 5000 ms",
    ),
    "detection between two milliseconds": (
        {"qos": replace(QOS, watchdog=Watchdog(detect=Duration.parse("200.5 ms"), restore=ms(400)))},
        "leaf1 Ethernet0: port.qos.watchdog.detect: found 200.5 ms; expected 100 ms to 5000 ms in steps of 1 ms",
    ),
    "an action it lacks": (
        {"qos": replace(QOS, watchdog=Watchdog(action=WatchdogAction.ERRDISABLE))},
        "leaf1 Ethernet0: port.qos.watchdog.action: found errdisable; expected drop, forward or alert",
    ),
    "a group that pauses another priority": (
        {"qos": replace(QOS, pfc_pg={Priority(3): PriorityGroup(4)})},
        "leaf1 Ethernet0: port.qos.pfc_pg: found priority 3 paused by group 4; expected group 3\n"
        "  hint: on this chip a priority group pauses the priority of its number",
    ),
    "global pause": (
        {"link": link(pause_send=True)},
        "leaf1 Ethernet0: global pause: found on; expected off\n  hint: PFC and global pause exclude each other",
    ),
    "half a metre": (
        {"cable_length": Length(500)},
        "leaf1 Ethernet0: port.cable_length: found 500 mm; expected whole metres",
    ),
    "a share of nothing": (
        {"queues": {"0": Queue(Discipline.DWRR, 0)}},
        "leaf1 Ethernet0 queue 0: queue.weight: found 0; expected 1 to 100",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    changes, message = REFUSED[case]
    base = routed_switch(["Ethernet0"], QOS, link())
    switch = replace(base, ports={"Ethernet0": replace(base.ports["Ethernet0"], **changes)})  # type: ignore[arg-type]
    with pytest.raises(Refusal) as refusal:
        fill_template(SONIC, "wirespeed.json.j2", "leaf1", switch)
    assert str(refusal.value) == message


# One change as commands.

SPINE = LEAF.child("peer", "Ethernet256")
FLAP = "the link goes down and comes up again"
COMMANDS: list[tuple[Place, str, Any, tuple[str, ...], str | None]] = [
    (PORT, "port.link.mtu", 9100, ("sudo config interface mtu Ethernet0 9100",), None),
    (PORT, "port.link.speed", Bandwidth.gbps(400), ("sudo config interface speed Ethernet0 400000",), FLAP),
    (PORT, "port.link.fec", "rs", ("sudo config interface fec Ethernet0 rs",), FLAP),
    (PORT, "port.cable_length", Length(40_000), (
        "sonic-db-cli CONFIG_DB HSET 'CABLE_LENGTH|AZURE' Ethernet0 40m",
    ), "the port's headroom is computed again"),
    (PORT, "port.qos.pfc", {3: True, 4: False}, (
        "sudo config interface pfc priority Ethernet0 3 on", "sudo config interface pfc priority Ethernet0 4 off",
    ), "the port's headroom is recreated"),
    (PORT, "port.qos.watchdog.enabled", True, (
        "sonic-db-cli CONFIG_DB HSET 'PORT_QOS_MAP|Ethernet0' pfcwd_sw_enable 3",
        "sudo config pfcwd start --action drop Ethernet0 200 --restoration-time 400",
    ), None),
    (PORT, "port.qos.watchdog.restore", ms(800), (
        "sudo config pfcwd start --action drop Ethernet0 200 --restoration-time 800",
    ), None),
    (PORT, "port.qos.pfc_queue", {Priority(3): 3}, (
        "sonic-db-cli CONFIG_DB HSET 'MAP_PFC_PRIORITY_TO_QUEUE|ROCE-2' 3 3",
        "sonic-db-cli CONFIG_DB HSET 'PORT_QOS_MAP|Ethernet0' pfc_to_queue_map ROCE-2",
    ), "all ports with this map change; packets in flight change their queue"),
    (QUEUE, "queue.ecn.minimum", Size(1_048_000), (
        "sonic-db-cli CONFIG_DB HSET 'WRED_PROFILE|ROCE' ecn ecn_all green_drop_probability 5 "
        "green_max_threshold 2097000 green_min_threshold 1048000 red_drop_probability 5 red_max_threshold 2097000 "
        "red_min_threshold 1048000 wred_green_enable true wred_red_enable true wred_yellow_enable true "
        "yellow_drop_probability 5 yellow_max_threshold 2097000 yellow_min_threshold 1048000",
        "sonic-db-cli CONFIG_DB HSET 'QUEUE|Ethernet0|3' wred_profile ROCE",
    ), "all queues with this profile change"),
    (QUEUE, "queue.ecn.enabled", False, ("sonic-db-cli CONFIG_DB HDEL 'QUEUE|Ethernet0|3' wred_profile",),
     "all queues with this profile change"),
    (QUEUE, "queue.weight", 60, (
        "sonic-db-cli CONFIG_DB HSET 'SCHEDULER|ROCE-DWRR-60' type DWRR weight 60",
        "sonic-db-cli CONFIG_DB HSET 'QUEUE|Ethernet0|3' scheduler ROCE-DWRR-60",
    ), "all queues with this profile change"),
    (LEAF, "switch.lldp", True, ("sudo config feature state lldp enabled",), None),
    (LEAF, "switch.bgp.maximum_paths", 8, (
        "sonic-db-cli CONFIG_DB HSET 'BGP_GLOBALS_AF|default|ipv4_unicast' max_ebgp_paths 8",
        "sonic-db-cli CONFIG_DB HSET 'BGP_GLOBALS_AF|default|ipv6_unicast' max_ebgp_paths 8",
    ), None),
    (SPINE, "peer.ipv4", True, (
        "sonic-db-cli CONFIG_DB HSET 'AS_PATH_SET|PERMIT-ALL' as_path_set_member@ '.*'",
        "sonic-db-cli CONFIG_DB HSET 'BGP_GLOBALS|default' default_ipv4_unicast true "
        "load_balance_mp_relax true local_asn 65001 router_id 10.255.0.1",
        "sonic-db-cli CONFIG_DB HDEL 'BGP_NEIGHBOR_AF|default|Ethernet256|ipv4_unicast' admin_status",
        "sonic-db-cli CONFIG_DB HSET 'BGP_NEIGHBOR_AF|default|Ethernet256|ipv4_unicast' "
        "filter_list_in PERMIT-ALL filter_list_out PERMIT-ALL",
        "sudo systemctl restart bgp",
    ), "the bgp container restarts: no routes until its sessions are established again"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "path", "value", "lines", "consequence"), COMMANDS)
def test_commands_of_a_setting(
    place: Place, path: str, value: Any, lines: tuple[str, ...], consequence: str | None
) -> None:
    assert SONIC.commands_for is not None
    worded = SONIC.commands_for(place, path, value, FABRIC)
    assert worded is not None
    assert worded.commands == (*lines, "sudo config save -y")
    assert worded.consequence == consequence


@pytest.mark.parametrize("case", ["fabric", "switched", "shaped", "spectrum"])
def test_every_rendered_setting_has_commands(case: str) -> None:
    assert SONIC.commands_for is not None
    without_commands = [
        f"{place} {path}"
        for place, path, value in walk(CASES[case], LEAF)
        if value is not None
        and SONIC.support(path).rendered
        and SONIC.commands_for(place, path, value, CASES[case]) is None
        and (path != "port.qos.pfc_pg" or case == "spectrum")  # other chips have no such map
    ]
    assert without_commands == []


def test_no_commands_for_what_is_not_configured() -> None:
    assert SONIC.commands_for is not None
    assert SONIC.commands_for(PORT, "port.link.up", True, FABRIC) is None
    assert SONIC.commands_for(SPINE, "peer.state", "Established", FABRIC) is None


def test_answers_have_the_devices_form() -> None:
    answer_texts = answers(SONIC, "leaf1", FABRIC)
    assert json.loads(answer_texts.outputs["bgp-summary"].text)["ipv6Unicast"]["peers"]["10.2.0.1"]["state"] == "Active"
    assert json.loads(answer_texts.outputs["queue-counters"].text)["Ethernet0"]["UC3"]["droppacket"] == "0"
    assert fill_answer(SONIC, "pfc-counters", "leaf1", FABRIC).split("\n")[0].split() == [
        "Port",
        "Rx",
        *(f"PFC{n}" for n in range(8)),
    ]
