"""Several DSCPs on the lossless priority, and a second lossless class, from the cluster file to check and simulator.

The forms of the outside: the DSCP map `24,26` and a second paused priority of Broadcom 957608-AN210, section 2.5.1.3;
`dcb app` of iproute2's dcb-app(8); bnxt_setupcc.sh 233.2.82.0 for what the package sets. That check and simulator agree
with the plan proves consistency only.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from wirespeed import render
from wirespeed.checks import checks, run
from wirespeed.cluster import read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build, class_numbers
from wirespeed.plan.locate import locate
from wirespeed.results.findings import Status
from wirespeed.settings import Dscp, Priority, SwitchQueue
from wirespeed.simulation.planned_scenario import build_plan_scenario
from wirespeed.simulation.workload import read_traffic

EXAMPLE = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml"
NIC_KEYS = ", nic: {traffic_class: 4}"
SECOND_CLASS = f"storage: {{dscp: 4, priority: 4, lossless: true, share: 30%{NIC_KEYS}}}"


BROADCOM = "broadcom-bcm957608-p1400gd"


def plan_several_dscps(system: str = "ubuntu-22.04") -> Plan:
    """RoCE with DSCP 26, and 24 of another application in the same class."""
    text = EXAMPLE.read_text().replace("dscp: 26,", "dscp: [24, 26], nic: {dscp: 26},")
    return build(read_text(text.replace("ubuntu-22.04", system), "cluster.yaml"))


def plan_two_lossless_classes(nic: str, keys: str = NIC_KEYS) -> Plan:
    text = EXAMPLE.read_text().replace("broadcom-bcm957608-p1400gd", nic).replace("share: 50%", "share: 40%")
    text = text.replace(
        "role: leaf}", "role: leaf, classes: {storage: {traffic_class: 4, queue: 4, priority_group: 4}}}"
    )
    return build(
        read_text(
            text.replace("priority: 7", "priority: 6") + f"  {SECOND_CLASS.replace(NIC_KEYS, keys)}\n", "cluster.yaml"
        )
    )


def texts(plan: Plan, device: str) -> dict[str, str]:
    return {file.path: file.text for file in render.files(plan, [device])}


def test_the_nic_sends_one_dscp_of_the_class_and_maps_all() -> None:
    plan = plan_several_dscps()
    nic = plan.hosts["node1"].nics["enp29s0np0"].qos
    assert (nic.roce_dscp, nic.dscp_priority) == (
        Dscp(26),
        {Dscp(24): Priority(3), Dscp(26): Priority(3), Dscp(48): Priority(7)},
    )
    assert plan.hosts["node1"].launch.dscp == Dscp(26)
    files = texts(plan, "node1")
    assert "ROCE_DSCP=26\n" in files["/etc/bnxt_re/bnxt_re.conf"]
    assert "pairs=24:3 # DSCP and priority\n" in files["/usr/local/sbin/wirespeed-dscp"]
    assert " dscp 24,26 traffic-class 3\n" in texts(plan, "leaf1")["/home/admin/wirespeed.cfg"]


def test_the_script_adds_and_removes_each_dscp_once(tmp_path: Path) -> None:
    """With a stand-in of dcb that keeps its table in a file and refuses what the kernel refuses (dcb_setapp: EEXIST,
    dcb_delapp: ENOENT)."""
    state = tmp_path / "table"
    state.write_text("26:3\n48:7\n")
    (tmp_path / "dcb").write_text(f"""#!/bin/sh
case "$*" in
"-N app show dev enp29s0np0 dscp-prio") echo "dscp-prio $(tr '\\n' ' ' <{state})" ;;
"app add dev enp29s0np0 dscp-prio 24:3") grep -qx 24:3 {state} && exit 1; echo 24:3 >>{state} ;;
"app del dev enp29s0np0 dscp-prio 24:3") grep -qx 24:3 {state} || exit 1; sed -i /^24:3$/d {state} ;;
*) exit 9 ;;
esac
""")
    (tmp_path / "dcb").chmod(0o755)
    text = texts(plan_several_dscps(), "node1")["/usr/local/sbin/wirespeed-dscp"]
    script = tmp_path / "wirespeed-dscp"
    script.write_text(re.sub(r"in( enp\w+)+; do", "in enp29s0np0; do", text).replace("/run/", f"{tmp_path}/run/"))
    tables = []
    for verb in ("add", "add", "del", "del"):
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        subprocess.run(["sh", str(script), verb], check=True, env=environment)
        tables.append(state.read_text().split())
    assert tables == [["26:3", "48:7", "24:3"]] * 2 + [["26:3", "48:7"]] * 2


def test_several_dscps_without_dcb_are_refused() -> None:
    with pytest.raises(Refusal) as refusal:
        texts(plan_several_dscps("ubuntu-20.04"), "node1")
    assert str(refusal.value) == (
        "cluster.yaml:5: node1: bnxt_re.conf: found several DSCPs of a class without dcb, 24:3 beside "
        "26; expected one DSCP for each class\n"
        "  hint: dcb is part of iproute2 from release 5.11 on: use a newer operating system"
    )


def test_two_lossless_classes_reach_nic_and_switch() -> None:
    plan = plan_two_lossless_classes("nvidia-mcx75310aas-neat")
    host = texts(plan, "node1")["/usr/local/sbin/wirespeed-mlx5"]
    assert "mlnx_qos -i enp29s0np0 --pfc 0,0,0,1,1,0,0,0 " in host
    assert "--prio_tc 0,0,0,3,4,0,6,0 --tsa ets,ets,ets,ets,ets,ets,strict,ets --tcbw 30,0,0,40,30,0,0,0" in host
    assert " --dscp2prio set,4,4 " in host
    switch = texts(plan, "leaf1")["/home/admin/wirespeed.cfg"]
    for line in (" dscp 4 traffic-class 4", " priority-flow-control priority 3", " priority-flow-control priority 4"):
        assert f"{line}\n" in switch


def test_a_second_lossless_class_on_broadcom_nics_is_refused() -> None:
    """One error at the line of the class, which the user has to change, and none at the line of the hosts."""
    with pytest.raises(Refusal) as refusal:
        plan_two_lossless_classes(BROADCOM)
    assert str(refusal.value) == (
        "cluster.yaml:13: found class storage on NICs; expected one of roce, cnp, default, which Broadcom "
        "BCM957608-P1400GD NICs support\n"
        "  hint: remove `nic` from class storage: then only switches configure it; or put its DSCPs into class roce"
    )


def test_switches_alone_configure_a_class_that_the_package_of_the_nics_lacks() -> None:
    """The switch lines are those of Broadcom 957608-AN210, section 2.5.2; the NIC settings those of bnxt_setupcc.sh:
    one lossless class, and what RoCE leaves of the bandwidth to all other traffic."""
    plan = plan_two_lossless_classes(BROADCOM, "")
    switch = texts(plan, "leaf1")["/home/admin/wirespeed.cfg"]
    for line in (
        " dscp 4 traffic-class 4",
        " traffic-class 4 queue 4",
        " traffic-class 4 priority-group 4",
        " pfc-priority 4 queue 4",
        " priority-flow-control priority 3",
        " priority-flow-control priority 4",
    ):
        assert f"{line}\n" in switch
    nic = plan.hosts["node1"].nics["enp29s0np0"].qos
    assert (nic.pfc, nic.dscp_priority) == ({Priority(3)}, {Dscp(26): Priority(3), Dscp(48): Priority(6)})
    assert {int(number): share for number, share in (nic.tc_share or {}).items()} == {0: 60, 1: 40}
    assert "ROCE_BW=40\n" in texts(plan, "node1")["/etc/bnxt_re/bnxt_re.conf"]
    [warning] = plan.warnings
    assert str(warning) == (
        "cluster.yaml:13: found class storage on switches only; expected one of roce, cnp, default, which Broadcom "
        "BCM957608-P1400GD NICs support\n"
        "  hint: these NICs ignore pauses of priority 4, and packets can be lost: write `lossless: false`, or send "
        "class storage only from hosts with other NICs"
    )
    numbers = {row.name: (row.nic_traffic_class, row.switch_queue) for row in class_numbers(plan)}
    assert numbers["storage"] == (None, SwitchQueue(4))
    assert " ports × 2 lossless priorities" in str([value.formula for value in plan.computed])


def test_a_lossy_class_on_switches_alone(tmp_path: Path) -> None:
    text = EXAMPLE.read_text().replace("share: 50%", "share: 40%")
    text = text.replace(
        "role: leaf}", "role: leaf, classes: {storage: {traffic_class: 4, queue: 4, priority_group: 7}}}"
    )
    plan = build(read_text(f"{text}  storage: {{dscp: 4, priority: 4, share: 30%}}\n", "cluster.yaml"))
    assert plan.switches["leaf1"].ports["Eth1/1"].qos.pfc == {Priority(3)}
    assert str(plan.warnings[0]).endswith(
        "NICs support\n"
        "  hint: these NICs send DSCP 4 in their default class; no action if class storage needs no separate queue "
        "on NICs"
    )
    assert find_changes(plan, tmp_path) == set()


def find_changes(plan: Plan, folder: Path) -> set[tuple[str, Status]]:
    """Checks that neither pass nor are skipped on the bundle of the planned devices."""
    write_planned_bundle(plan, folder / "bundle")
    facts = read_facts(folder / "bundle")
    return {
        (finding.check, finding.status)
        for finding in run(locate(plan, facts), facts, checks().values())
        if finding.status not in (Status.PASS, Status.SKIP)
    }


def test_as_planned_both_pass_their_check(tmp_path: Path) -> None:
    assert find_changes(plan_several_dscps(), tmp_path / "dscps") == set()
    assert find_changes(plan_two_lossless_classes("nvidia-mcx75310aas-neat"), tmp_path / "classes") == set()
    assert find_changes(plan_two_lossless_classes(BROADCOM, ""), tmp_path / "switches") == set()


TRAFFIC = """\
version: 1
name: two
traffic:
  - {pattern: pairs, from: node1, to: node2, rails: [1], size: 1 MiB}
  - {pattern: pairs, from: node3, to: node2, rails: [1], size: 1 MiB, class: storage}
"""


def test_the_simulator_pauses_both_priorities(tmp_path: Path) -> None:
    (tmp_path / "traffic.yaml").write_text(TRAFFIC)
    plan = plan_two_lossless_classes("nvidia-mcx75310aas-neat")
    traffic = read_traffic(tmp_path / "traffic.yaml")
    document = json.loads(build_plan_scenario(plan, traffic, 1, "a test", render.simulator_mappings()).text)
    assert [flow["priority"] for flow in document["flows"]] == [3, 4]
    assert document["parameters"]["pfc"]["lossless_priorities"] == 1 << 3 | 1 << 4


def test_the_simulator_pauses_the_second_priority_between_switches_alone(tmp_path: Path) -> None:
    (tmp_path / "traffic.yaml").write_text(TRAFFIC)
    plan = plan_two_lossless_classes(BROADCOM, "")
    scenario = build_plan_scenario(
        plan, read_traffic(tmp_path / "traffic.yaml"), 1, "a test", render.simulator_mappings()
    )
    assert '"lossless_priorities": 8' in scenario.text or '"lossless_priorities":8' in scenario.text
    assert (
        f"class storage at {BROADCOM}: a separate queue, not paused (on switches only)"
        in json.loads(scenario.text)["assumed"]
    )
