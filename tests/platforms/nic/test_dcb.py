"""iproute2's dcb: what it prints, and that the real one takes what is rendered for it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from needs import find, needs
from platforms.round_trip import with_nic
from wirespeed.catalogue import load
from wirespeed.cluster import read as read_cluster
from wirespeed.errors import Refusal
from wirespeed.facts import Facts, Source, State, assemble_facts
from wirespeed.plan import Plan, build
from wirespeed.platforms import Output, Outputs, platform
from wirespeed.platforms.templates import fill_template
from wirespeed.render import check
from wirespeed.settings import Discipline, Place
from wirespeed.units import Size

DCB = platform("nic", "dcb")
NIC = Place("h").child("nic", "ens1f0")
CLUSTER = Path(__file__).parents[3] / "examples" / "mi300x-4node" / "cluster.yaml"
MODEL = "intel-e810-cqda2"


def read(command: str, text: str) -> Facts:
    output = Output(f"{command}@ens1f0", text, Source("h", command, f"{command}.out"))
    return assemble_facts(DCB.parse(Outputs("h", {output.command: output})), devices=["h"])


BUFFERS = "nic.qos.priority_buffer"
ETS = (
    '{"willing":false,"ets_cap":8,"cbs":false,"tc_bw":[50,50,0,0,0,0,0,0],"pg_bw":[0,0,0,0,0,0,0,0],'
    '"tc_tsa":["ets","ets","strict","vendor","vendor","vendor","vendor","cbs"],"prio_tc":[0,0,0,1,0,0,0,2]}\n'
)


@pytest.mark.parametrize(
    ("command", "text", "path", "value"),
    [
        ("dcb-ets", ETS, "nic.qos.willing", False),
        ("dcb-ets", ETS, "nic.qos.priority_tc", {0: 0, 1: 0, 2: 0, 3: 1, 4: 0, 5: 0, 6: 0, 7: 2}),
        ("dcb-ets", ETS, "nic.qos.tc_discipline", {0: Discipline.DWRR, 1: Discipline.DWRR, 2: Discipline.STRICT}),
        ("dcb-ets", ETS, "nic.qos.tc_share", {0: 50, 1: 50}),
        ("dcb-ets", ETS.replace('"ets","ets"', '"ets"'), "nic.qos.tc_discipline", None),  # seven classes are none
        ("dcb-ets", ETS.replace("[0,0,0,1", "[0,0,0,9"), "nic.qos.priority_tc", None),
        ("dcb-ets", ETS[:-5], "nic.qos.willing", None),  # cut short
        ("dcb-ets", "", "nic.qos.willing", None),  # Attribute read: Operation not supported, on standard error
        ("dcb-pfc", '{"prio_pfc":[false,false,false,true,true,false,false,false]}', "nic.qos.pfc", frozenset({3, 4})),
        ("dcb-pfc", '{"prio_pfc":[0,0,0,1,0,0,0,0]}', "nic.qos.pfc", None),
        ("dcb-app", '{"dscp_prio":[[26,3],[48,7]]}', "nic.qos.dscp_priority", {26: 3, 48: 7}),
        ("dcb-app", '{"dscp_prio":[[26,3]]}', "nic.qos.trust", "dscp"),
        ("dcb-app", "{}", "nic.qos.dscp_priority", {}),
        ("dcb-app", "{}", "nic.qos.trust", None),
        ("dcb-app", '{"dscp_prio":[[64,3]]}', "nic.qos.dscp_priority", None),
        ("dcb-app", '{"dgram_port_prio":[[4790,1],[4791,3]]}', "nic.qos.roce_priority", 3),
        ("dcb-buffer", '{"prio_buffer":[0,0,0,1,0,0,0,0]}', BUFFERS, {**dict.fromkeys(range(8), 0), 3: 1}),
        (
            "dcb-buffer",
            '{"buffer_size":[0,8,0,0,0,0,0,0]}',
            "nic.qos.buffer_size",
            {**dict.fromkeys(range(8), Size(0)), 1: Size(8)},
        ),
        ("rdma-cm", "/sys/kernel/config/rdma_cm/irdma0/ports/1/default_roce_tos:106\n", "nic.qos.roce_dscp", 26),
        ("rdma-cm", "/sys/kernel/config/rdma_cm/irdma0/ports/1/default_roce_tos:256\n", "nic.qos.roce_dscp", None),
        ("devlink-roce", '{"param":{"pci/0000:1d:00.0":[]}}', "nic.nvm.rdma", None),
    ],
)  # fmt: skip
def test_one_output(command: str, text: str, path: str, value: Any) -> None:
    assert read(command, text).value(NIC, path) == value


def test_devlink_states_when_a_value_acts() -> None:
    values = '[{"cmode":"driverinit","value":true},{"cmode":"permanent","value":false}]'
    text = f'{{"param":{{"pci/0000:1d:00.0":[{{"name":"enable_roce","type":"generic","values":{values}}}]}}}}'
    assert [(reading.value, reading.state) for reading in read("devlink-roce", text).readings[NIC, "nic.nvm.rdma"]] == [
        (True, State.CONFIGURED),
        (False, State.PERSISTENT),
    ]


def build_plan(text: str, folder: Path) -> Plan:
    file = folder / "cluster.yaml"
    file.write_text(text)
    return build(read_cluster(file), load())


def script(folder: Path) -> list[str]:
    plan = build_plan(with_nic(CLUSTER.read_text(), MODEL, load().nics[MODEL]), folder)
    return fill_template(DCB, "qos.sh.j2", "node1", plan.hosts["node1"]).splitlines()


def test_the_boot_script_accumulates_nothing(tmp_path: Path) -> None:
    lines = script(tmp_path)
    index = lines.index("# enp29s0f0np0")
    assert [line.removesuffix(" || failed=1") for line in lines[index + 1 : index + 6]] == [
        "ethtool -A enp29s0f0np0 rx off tx off || [ $? = 78 ]",
        "dcb ets set dev enp29s0f0np0 willing off tc-tsa 0:ets 1:ets tc-bw all:0 0:50 1:50 "
        "prio-tc 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0",
        "dcb pfc set dev enp29s0f0np0 prio-pfc all:off 3:on",
        "dcb app flush dev enp29s0f0np0 default-prio dgram-port-prio dscp-prio",
        "dcb app replace dev enp29s0f0np0 default-prio 0 dgram-port-prio 4791:3 dscp-prio 26:3",
    ]


def test_the_real_dcb_accepts_the_arguments(tmp_path: Path) -> None:
    """On a port without DCB it stops at the port; it would have refused an unknown option before."""
    needs("dcb")
    for line in script(tmp_path):
        if line.startswith("dcb ") and " enp29s0f0np0 " in line:
            arguments = [str(find("dcb")), *line.removesuffix(" || failed=1").replace("enp29s0f0np0", "lo").split()[1:]]
            process = subprocess.run(arguments, capture_output=True, text=True, check=False)
            assert process.stderr.strip() in (
                "Attribute read: Operation not supported",
                "Attribute read: Operation not permitted",
            )


def test_congestion_control_is_refused(tmp_path: Path) -> None:
    text = CLUSTER.read_text().replace("broadcom-bcm957608-p1400gd", MODEL)
    with pytest.raises(Refusal) as caught:
        check(build_plan(text, tmp_path))
    assert [(problem.found.partition(" ")[0], problem.hint) for problem in caught.value.problems] == [
        ("nic.qos.cnp_dscp", "leave class cnp out; the kernel has no common interface for CNP markings"),
        ("nic.qos.cnp_priority", "leave class cnp out; the kernel has no common interface for CNP markings"),
        ("nic.qos.congestion", "leave congestion out of class roce; the kernel has no common interface for it"),
    ]


@pytest.mark.parametrize(
    ("failing", "code", "status"), [("", 0, 0), ("ethtool", 78, 0), ("ethtool", 1, 1), ("dcb", 2, 1)]
)
def test_one_command_that_fails_keeps_no_other_from_being_set(
    failing: str, code: int, status: int, tmp_path: Path
) -> None:
    tools, log = tmp_path / "tools", tmp_path / "log"
    tools.mkdir()
    for name in ("ethtool", "dcb", "modprobe", "mkdir", "rmdir"):
        ends = code if name == failing else 0
        (tools / name).write_text(f'#!/bin/sh\necho "{name} $*" >>{log}\nexit {ends}\n')
        (tools / name).chmod(0o755)
    text = "\n".join(script(tmp_path)).replace("/sys/kernel/config", str(tmp_path))
    for device in range(0, 16, 2):
        (tmp_path / "rdma_cm" / f"irdma{device}" / "ports" / "1").mkdir(parents=True)
    process = subprocess.run(
        ["/bin/sh", "-c", text], env={"PATH": str(tools)}, capture_output=True, text=True, check=False
    )
    ran = [line.partition(" ")[0] for line in log.read_text().splitlines()]
    assert ran.count("dcb") == 8 * 4 and ran.count("ethtool") == 8 and ran[0] == "modprobe"
    assert process.returncode == status, process.stderr
