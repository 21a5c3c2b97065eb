"""Faults on the other variants of the example, edited as the devices would print them: what each gives, and no more."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wirespeed.catalogue import load
from wirespeed.cli.app import app
from wirespeed.cluster import read
from wirespeed.collect.simulated_bundle import write_planned_bundle
from wirespeed.plan import build

EXAMPLE = Path(__file__).parents[2] / "examples" / "mi300x-4node"
CONFIG = "leaf1/running-config.out"
PORT = r"(interface Ethernet1/1\n(?:   .*\n)*?)"
EOS = ("configure", "interface Ethernet1/1")
END = ("end", "write memory")
PFC = ("priority-flow-control on", "priority-flow-control priority 3 no-drop")
MARK = "random-detect ecn minimum-threshold 1000 kbytes maximum-threshold 3000 kbytes max-mark-probability 20 weight 0"
POLL = "priority-flow-control pause watchdog default polling-interval 0.200"
TIMER = (
    "priority-flow-control pause watchdog default timeout 1.00",
    POLL,
    "priority-flow-control pause watchdog default recovery-time 2.00",
)
ACTION = "priority-flow-control pause watchdog action drop"
NO_OWN_ACTION = "no priority-flow-control pause watchdog port action"
NO_OWN_TIMER = "no priority-flow-control pause watchdog port timer"
OWN_POLL = ("configure", *TIMER, "interface Ethernet1/1", NO_OWN_TIMER, *END)
WATCHDOG = (  # the guide's lines, then that of the port
    "configure",
    *TIMER,
    ACTION,
    "interface Ethernet1/1",
    "priority-flow-control pause watchdog",
    *END,
)

# variant, pattern, replacement; then status, check, number of places, found at the first place, commands there
ROWS = {
    "pfc off on a port": (
        "cluster-eos",
        PORT + "   service-profile ROCE\n",
        r"\1   service-profile ROCE\n   priority-flow-control priority 3 drop\n",
        [("fail", "qos.pfc", 1, "PFC enabled on priority 3 in effect; configured: no priority", (*EOS, *PFC, *END))],
    ),
    "pfc on for another priority": (
        "cluster-eos",
        "priority-flow-control priority 3 no-drop",
        "priority-flow-control priority 4 no-drop",
        [
            (
                "fail",
                "qos.pfc",
                32,
                "PFC enabled on priority 3 in effect; configured: priority 4",
                (*EOS, *PFC, "priority-flow-control priority 4 drop", *END),
            )
        ],
    ),
    "pfc on for another priority, in effect too": (
        "cluster-eos",
        "priority-flow-control priority 3 no-drop",
        "priority-flow-control priority 4 no-drop",
        [
            (
                "fail",
                "qos.pfc",
                32,
                "PFC enabled on priority 4",
                (*EOS, *PFC, "priority-flow-control priority 4 drop", *END),
            )
        ],
    ),
    "pfc off on a port by its neighbour's wish": (
        "cluster-eos",
        "",
        "",
        [("fail", "qos.pfc", 1, "PFC enabled on no priority in effect; configured: priority 3", (*EOS, *PFC, *END))],
    ),
    "no ECN": (
        "cluster-eos",
        "      random-detect ecn minimum.*\n",
        "",
        [("fail", "qos.ecn", 32, "ECN marking off", (*EOS, "uc-tx-queue 3", MARK, *END))],
    ),
    "no MTU line on a routed port": (
        "cluster-eos",
        PORT + "   mtu 9214\n",
        r"\1",
        [("fail", "port.mtu", 1, "1500 bytes", (*EOS, "mtu 9214", *END))],
    ),
    "two watchdog settings of a port": (
        "cluster-eos",
        PORT + "   service-profile ROCE\n",
        r"\1   service-profile ROCE\n   priority-flow-control pause watchdog port action notify-only\n"
        r"   priority-flow-control pause watchdog port timer timeout 5.00 polling-interval auto recovery-time 2.00\n",
        [
            (
                "fail",
                "qos.watchdog",
                1,
                "action drop; detect 1 s in effect; action alert; detect 5 s configured",
                ("configure", ACTION, *TIMER, "interface Ethernet1/1", NO_OWN_ACTION, NO_OWN_TIMER, *END),
            )
        ],
    ),
    "a port with its own polling interval": (
        "cluster-eos",
        PORT + "   service-profile ROCE\n",
        r"\1   service-profile ROCE\n"
        r"   priority-flow-control pause watchdog port timer timeout 1.00 polling-interval 1.000 recovery-time 2.00\n",
        [("fail", "qos.watchdog", 1, "poll 1 s", OWN_POLL)],
    ),
    "a port that polls otherwise than configured": (
        "cluster-eos",
        "",
        "",
        [("fail", "qos.watchdog", 1, "poll 5 s in effect; poll 200 ms configured", OWN_POLL)],
    ),
    "a port that chooses its polling interval itself": (
        "cluster-eos",
        PORT + "   service-profile ROCE\n",
        r"\1   service-profile ROCE\n"
        r"   priority-flow-control pause watchdog port timer timeout 1.00 polling-interval auto recovery-time 2.00\n",
        [("fail", "qos.watchdog", 1, "poll 500 ms", OWN_POLL)],
    ),
    "another detection time of the whole switch": (
        "cluster-eos",
        "watchdog default timeout 1.00",
        "watchdog default timeout 0.50",
        [("fail", "qos.watchdog", 32, "detect 1 s in effect; detect 500 ms configured", OWN_POLL)],
    ),
    "another polling interval of the whole switch": (
        "cluster-eos",
        "watchdog default polling-interval 0.200",
        "watchdog default polling-interval 2.000",
        [("fail", "fabric.watchdog-poll", 1, "200 ms in effect; 2 s configured", ("configure", POLL, *END))],
    ),
    "a queue without a line for its scheduling": (
        "cluster-eos",
        r"   uc-tx-queue 0\n      no priority\n      bandwidth percent 50\n   !\n",
        "",
        [
            (
                "warn",  # the default is known from memory only
                "qos.scheduler",
                32,
                "discipline strict priority",
                (*EOS, "uc-tx-queue 0", "no priority", "bandwidth percent 50", *END),
            )
        ],
    ),
    "a switched port that does not trust DSCP": (
        "cluster-eos-rail24",
        "   qos trust dscp\n",
        "",
        [("fail", "qos.trust", 32, "dot1p", (*EOS, "qos trust dscp", *END))],
    ),
    "a gateway that is gone": (
        "cluster-eos-rail24",
        r"interface Vlan11\n(?:   .*\n)*!\n",
        "",
        [
            (
                "fail",
                "port.vlan-address",
                1,
                "absent",
                ("configure", "vlan 11", "interface Vlan11", "ip address 192.168.1.254/24", *END),
            )
        ],
    ),
    "a watchdog that only notifies and waits longer, in effect": (  # lines of the lossless network guide
        "cluster-eos",
        "",
        "",
        [
            (
                "fail",
                "fabric.watchdog-poll",
                1,
                "5 s in effect; 200 ms configured",
                ("configure", "priority-flow-control pause watchdog default polling-interval 0.200", *END),
            ),
            (
                "fail",
                "qos.watchdog",
                32,
                "action alert; detect 3 s; recovery forced in effect; "
                "action drop; detect 1 s; recovery auto configured",
                ("configure", ACTION, *TIMER, "interface Ethernet1/1", NO_OWN_ACTION, NO_OWN_TIMER, *END),
            ),
        ],
    ),
    "PFC that the hardware supports on other priorities only": (
        "cluster-eos",
        "",
        "",
        [("fail", "qos.pfc", 32, "PFC supported on priorities 0, 1, 2 only", ())],
    ),
    "a port in another VLAN": (
        "cluster-eos-rail24",
        "switchport access vlan 11",
        "switchport access vlan 12",
        [
            (
                "fail",
                "port.vlan",
                1,
                "12",
                (
                    "configure",
                    "vlan 11",
                    "interface Ethernet1/1",
                    "switchport",
                    "switchport mode access",
                    "switchport access vlan 11",
                    *END,
                ),
            )
        ],
    ),
    "routing of which no line speaks": (
        "cluster-eos",
        "^ip routing\n",
        "",
        [("unknown", "fabric.routing", 1, None, ())],
    ),
    "no times of the watchdog": (
        "cluster-eos",
        r"(priority-flow-control pause watchdog default .*\n)+",
        "",
        [("fail", "qos.watchdog", 32, "watchdog off", WATCHDOG)],
    ),
    "no times of the watchdog, not in effect either": (
        "cluster-eos",
        r"(priority-flow-control pause watchdog default .*\n)+",
        "",
        [
            ("fail", "fabric.watchdog-poll", 1, "0 s", ("configure", POLL, *END)),
            ("fail", "qos.watchdog", 32, "watchdog off", WATCHDOG),
        ],
    ),
    "times of the watchdog that are not in effect": (
        "cluster-eos",
        "",
        "",
        [("fail", "qos.watchdog", 32, "watchdog off in effect; watchdog on configured", WATCHDOG)],
    ),
    "a watchdog by the lines of the switch alone": ("cluster-eos", "   priority-flow-control pause watchdog\n", "", []),
    "a PFC status that shows one port less": (
        "cluster-eos",
        "",
        "",
        [("unknown", "qos.pfc", 1, None, ()), ("unknown", "qos.watchdog", 1, None, ())],
    ),
    "a PFC status that shows nothing": (
        "cluster-eos",
        "",
        "",
        [("unknown", "qos.pfc", 32, None, ()), ("unknown", "qos.watchdog", 32, None, ())],
    ),
}
STATUS = "leaf1/pfc-status.out"
IN_EFFECT = {  # rows that edit what is in effect as well: file, pattern, replacement
    "pfc on for another priority, in effect too": (STATUS, r"(Et\S+ +E - - +)3 ", r"\g<1>4 "),
    "pfc off on a port by its neighbour's wish": (STATUS, r"(Et1/1 +)E - - +3 ", r"\1D - -     "),
    "a port with its own polling interval": (STATUS, r"(Et1/1 .*)- / - (.*)- / -    ", r"\1- / - \g<2>1.0 / 1.0"),
    "a port that polls otherwise than configured": (
        STATUS,
        r"(Et1/1 .*)- / - (.*)- / -    ",
        r"\1- / - \g<2>1.0 / 5.0",
    ),
    "a port that chooses its polling interval itself": (
        STATUS,
        r"(Et1/1 .*)- / - (.*)- / -     ",
        r"\1- / - \g<2>auto / 0.5",
    ),
    "a watchdog that only notifies and waits longer, in effect": (
        STATUS,
        r"timeout is 1.0 (.*\n.*)\(auto\)(\n.*interval is )0.2(.*\n.*action is )drop",
        r"timeout is 3.0 \1(forced)\g<2>5.0\3notify-only",
    ),
    "no times of the watchdog, not in effect either": (STATUS, r"is [0-9.]+ (second)", r"is 0.0 \1"),
    "times of the watchdog that are not in effect": (STATUS, r"(timeout|recovery-time) is [0-9.]+", r"\1 is 0.0"),
    "a PFC status that shows one port less": (STATUS, r"Et1/1 +E .*\n", ""),
    "a PFC status that shows nothing": (STATUS, r"(?s).+", "% Invalid input\n"),
    "PFC that the hardware supports on other priorities only": (STATUS, "(supports PFC on priorities 0 1 2) .*", r"\1"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("other_port", "loss"),
    [("node2 enp29s0np0", None), ("node1 enp67s0np0", 392.15)],  # of the same rail and its subnet, of another rail
)
def test_a_cable_in_another_port_of_its_rail_has_no_impact(
    other_port: str, loss: float | None, planned_bundles: Path
) -> None:
    device, port = other_port.split()
    file = planned_bundles / "cluster-eos-rail24" / "leaf1/lldp-neighbors.out"
    text = file.read_text(encoding="utf-8")
    document = json.loads(text)
    document["lldpNeighbors"][0] |= {"neighborDevice": device, "neighborPort": port}
    file.write_text(json.dumps(document), encoding="utf-8")
    try:
        command = ["check", str(EXAMPLE / "cluster-eos-rail24.yaml"), str(file.parents[1]), "--format", "json"]
        findings = json.loads(CliRunner().invoke(app, command).stdout)["findings"]
    finally:
        file.write_text(text, encoding="utf-8")
    (bad,) = [finding for finding in findings if finding["status"] not in ("pass", "skip")]
    assert (bad["check"], bad["place"]) == ("port.cabling", "port Ethernet1/1")
    assert (bad["impact"] or {"value": None})["value"] == loss


@pytest.fixture(scope="module")
def planned_bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planned")
    for variant in {row[0] for row in ROWS.values()}:
        write_planned_bundle(build(read(EXAMPLE / f"{variant}.yaml"), load()), folder / variant)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS)
def test_a_fault_gives_its_findings_and_no_other(name: str, planned_bundles: Path) -> None:
    variant, pattern, new, expected = ROWS[name]
    config = planned_bundles / variant / CONFIG
    before = config.read_text(encoding="utf-8")
    after, count = re.subn(pattern, new, before, count=1, flags=re.MULTILINE)
    assert count == 1
    texts = {config: (before, after)}
    if name in IN_EFFECT:
        file_name, changed, replacement = IN_EFFECT[name]
        text = (planned_bundles / variant / file_name).read_text(encoding="utf-8")
        texts[planned_bundles / variant / file_name] = (text, re.sub(changed, replacement, text))
        assert texts[planned_bundles / variant / file_name][0] != texts[planned_bundles / variant / file_name][1]
    for file, (_, new_text) in texts.items():
        file.write_text(new_text, encoding="utf-8")
    try:
        command = ["check", str(EXAMPLE / f"{variant}.yaml"), str(planned_bundles / variant), "--format", "json"]
        document = json.loads(CliRunner().invoke(app, command).stdout)
    finally:
        for file, (old_text, _) in texts.items():
            file.write_text(old_text, encoding="utf-8")
    bad = [finding for finding in document["findings"] if finding["status"] not in ("pass", "skip")]
    reported = []
    for check in dict.fromkeys(finding["check"] for finding in bad):
        findings_of_check = [finding for finding in bad if finding["check"] == check]
        first = findings_of_check[0]
        commands = tuple(command for fix in first["fix"] for command in fix["commands"])
        found = first["found"] if first["expected"] else None
        reported.append((first["status"], check, len(findings_of_check), found, commands))
    assert reported == expected
