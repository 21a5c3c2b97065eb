"""Output of the tools of a ConnectX NIC, and the commands for it."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fake_sysfs
from wirespeed.catalogue import load
from wirespeed.cluster import read as read_cluster
from wirespeed.errors import Refusal
from wirespeed.facts import Facts, Source, State, assemble_facts
from wirespeed.plan import Plan, build
from wirespeed.platforms import Output, Outputs, platform
from wirespeed.platforms.templates import fill_template
from wirespeed.render import check
from wirespeed.settings import Congestion, Discipline, Ect, Host, Nvm, Place
from wirespeed.units import Length, Size

MLX5 = platform("nic", "mlx5")
NIC = Place("h").child("nic", "enp29s0np0")
ROOT = Path(__file__).parents[3]
SAMPLE = ROOT / "tests" / "samples" / "mlx5" / "by-dscp" / "mlnx-qos@enp29s0np0.txt"
PENDING = Path(__file__).parent / "mlxconfig-pending.txt"


def read(texts: dict[str, str]) -> Facts:
    output_by_command = {
        f"{key}@enp29s0np0": Output(f"{key}@enp29s0np0", text, Source("h", key, f"{key}.out"))
        for key, text in texts.items()
    }
    return assemble_facts(MLX5.parse(Outputs("h", output_by_command)), devices=["h"])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("nic.qos.willing", False),
        ("nic.qos.trust", "dscp"),
        ("nic.qos.dscp_priority", {**dict.fromkeys((24, 25, 27, 28, 29, 30, 31, 56), 0), 26: 3, 48: 7}),
        ("nic.qos.buffer_size", {0: Size(130944), 1: Size(130944), **dict.fromkeys(range(2, 8), Size(0))}),
        ("nic.cable_length", Length(7000)),
        ("nic.qos.pfc", frozenset({3})),
        ("nic.qos.priority_buffer", {0: 0, 1: 0, 2: 0, 3: 1, 4: 0, 5: 0, 6: 0, 7: 0}),
        ("nic.qos.priority_tc", {0: 0, 1: 0, 2: 0, 3: 3, 4: 0, 5: 0, 6: 0, 7: 6}),
        ("nic.qos.tc_discipline", {0: Discipline.DWRR, 3: Discipline.DWRR, 6: Discipline.STRICT}),
        ("nic.qos.tc_share", {0: 50, 3: 50}),
    ],
)
def test_mlnx_qos(path: str, value: Any) -> None:
    assert read({"mlnx-qos": SAMPLE.read_text()}).value(NIC, path) == value


DSCPS = "nic.qos.dscp_priority"
ECN = "/sys/class/net/enp29s0np0/ecn/"
ENABLED = "".join(f"{ECN}roce_{end}/enable/{n}:{int(n == 3)}\n" for end in ("np", "rp") for n in range(8))


@pytest.mark.parametrize(
    ("command", "text", "path", "value"),
    [
        # kernels without the qos folder print the table as it was filled, and label a priority anew after eight
        ("mlnx-qos", "dscp2prio mapping:\n\tprio:0 dscp:07,06,\n", DSCPS, None),  # cut short
        (
            "mlnx-qos",
            "dscp2prio mapping:\n\tprio:7 dscp:48,\n\tprio:3 dscp:26,24,\ndefault priority:\n",
            DSCPS,
            {48: 7, 26: 3, 24: 3},
        ),
        ("mlnx-qos", "dscp2prio mapping:\n        prio:0 dscp:07,06,\nCable len: 7\n", DSCPS, {7: 0, 6: 0}),
        ("mlnx-qos", "Priority trust state: pcp\n", "nic.qos.trust", "dot1p"),
        ("mlnx-qos", "Priority trust state: none\n", "nic.qos.trust", None),
        ("mlnx-qos", "Priority trust state: pcp\n", "nic.qos.dscp_priority", None),
        ("mlnx-qos", "DCBX mode: Firmware controlled\n", "nic.qos.willing", True),
        ("mlnx-qos", "Buffers commands are not supported on your system\n", "nic.qos.priority_buffer", None),
        # cut short
        ("mlnx-qos", "tc: 0 ratelimit: 8.0 Gbps, tsa: ets, bw: 50%\n\t priority:  0\n", "nic.qos.priority_tc", None),
        ("ecn", ENABLED, "nic.qos.ecn", True),
        ("ecn", ENABLED, "nic.qos.ecn_priorities", frozenset({3})),
        ("ecn", ENABLED.replace("rp/enable/3:1", "rp/enable/3:0"), "nic.qos.ecn", False),
        ("ecn", ENABLED.replace(f"{ECN}roce_rp/enable/7:0\n", ""), "nic.qos.ecn", None),
        ("ecn", f"{ECN}roce_np/cnp_802p_prio:6\n", "nic.qos.cnp_priority", 6),
        ("ecn", f"{ECN}roce_np/cnp_dscp:64\n", "nic.qos.cnp_dscp", None),
        ("ecn", f"{ECN}roce_rp/rpg_ai_rate:5\n", "nic.qos.congestion_parameters", {"rpg_ai_rate": 5}),
        ("traffic-class", "Global tclass=106\n", "nic.qos.roce_dscp", 26),
        ("traffic-class", "Global tclass=106\n", "nic.qos.ect", Ect.ECT0),
        ("traffic-class", "", "nic.qos.roce_dscp", None),
        ("mlxconfig", PENDING.read_text(), "nic.nvm.sriov", True),
        ("mlxconfig", PENDING.read_text(), "nic.nvm.link_type", "ethernet"),
        ("mlxconfig", PENDING.read_text(), "nic.nvm.outstanding_reads", None),  # hidden until it is unlocked
        ("mlxconfig", PENDING.read_text(), "nic.qos.congestion", Congestion.DCQCN_P),
        ("mlxconfig", PENDING.read_text().replace("False(0)", "True(1)"), "nic.qos.congestion", None),
        ("mlxconfig", "-E- Failed to open the device\n", "nic.nvm.sriov", None),
        # mstconfig's query without -e has one column: what acts now is not known
        (
            "mstconfig",
            "Configurations:      Next Boot\n         SRIOV_EN            True(1)               \n",
            "nic.nvm.sriov",
            True,
        ),
    ],
)  # fmt: skip
def test_one_output(command: str, text: str, path: str, value: Any) -> None:
    assert read({command: text}).value(NIC, path) == value


def test_current_and_next_boot_are_two_states() -> None:
    facts = read({"mlxconfig": PENDING.read_text()})
    assert [(reading.value, reading.state) for reading in facts.readings[NIC, "nic.nvm.relaxed_ordering"]] == [
        (False, State.RUNNING),
        (True, State.PERSISTENT),  # a reset is pending
    ]
    assert [(reading.value, reading.state) for reading in facts.readings[NIC, "nic.qos.cnp_priority"]] == [
        (6, State.CONFIGURED),
        (7, State.PERSISTENT),
    ]


def test_a_port_is_read_from_its_own_keys() -> None:
    text = PENDING.read_text().replace("1d:00.0", "1d:00.1")
    assert read({"mlxconfig": text}).value(NIC, "nic.qos.cnp_dscp") is None
    assert read({"mlxconfig": text.replace("_P1 ", "_P2 ")}).value(NIC, "nic.qos.cnp_dscp") == 48


@settings(deadline=None, max_examples=100)
@given(st.dictionaries(st.sampled_from([command.id for command in MLX5.commands]), st.text(max_size=200), min_size=1))
def test_arbitrary_text_never_crashes(texts: dict[str, str]) -> None:
    read(texts)


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    text = (ROOT / "examples" / "mi300x-4node" / "cluster.yaml").read_text()
    file = tmp_path_factory.mktemp("mlx5") / "cluster.yaml"
    file.write_text(text.replace("broadcom-bcm957608-p1400gd", "nvidia-mcx75310aas-neat"))
    return build(read_cluster(file), load())


def host(plan: Plan) -> Host:
    host = plan.hosts["node1"]
    return replace(host, nics=dict([next(iter(host.nics.items()))]))


def test_the_boot_script(plan: Plan) -> None:
    lines = fill_template(MLX5, "qos.sh.j2", "node1", host(plan)).splitlines()
    assert (
        lines[-1] == 'exit "$failed"'
        and lines.index("modprobe rdma_cm || failed=1 # its folder in configfs is there only then") > 0
    )
    failing = [line for line in lines if line.endswith(" || failed=1")]
    commands = [line.removesuffix(" || failed=1") for line in failing if not line.startswith("echo")]
    assert commands == [
        "ethtool -A enp29s0np0 rx off tx off || [ $? = 78 ]",
        "mlnx_qos -i enp29s0np0 -d os",
        "mlnx_qos -i enp29s0np0 --trust dscp",
        "mlnx_qos -i enp29s0np0 --pfc 0,0,0,1,0,0,0,0 --cable_len 3",
        "mlnx_qos -i enp29s0np0 --prio_tc 0,0,0,3,0,0,0,6 --tsa ets,ets,ets,ets,ets,ets,strict,ets "
        "--tcbw 50,0,0,50,0,0,0,0",
        "mlnx_qos -i enp29s0np0 "
        + " ".join(
            f"--dscp2prio set,{dscp},{ {26: 3, 48: 7}.get(dscp, 0) }" for dscp in (*range(24, 32), 48, *range(56, 64))
        ),
        "mkdir -p /sys/kernel/config/rdma_cm/mlx5_0 && "
        "echo 'RoCE v2' > /sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_mode && "
        "echo 106 > /sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos && "
        "rmdir /sys/kernel/config/rdma_cm/mlx5_0",
    ]
    echo_commands = [line.removesuffix(" || failed=1") for line in failing if line.startswith("echo")]
    assert echo_commands[0] == "echo 106 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class"
    enable_commands = {f"echo 1 > /sys/class/net/enp29s0np0/ecn/roce_{end}/enable/3" for end in ("np", "rp")}
    assert {line for line in echo_commands if line.startswith("echo 1 >")} == enable_commands
    # NVIDIA's factory has CNPs on priority 6; the cluster has them on 7
    assert echo_commands[-2:] == [
        "echo 48 > /sys/class/net/enp29s0np0/ecn/roce_np/cnp_dscp",
        "echo 7 > /sys/class/net/enp29s0np0/ecn/roce_np/cnp_802p_prio",
    ]


def change_qos(plan: Plan, **qos: object) -> Plan:
    hosts = {
        name: replace(host, nics={key: replace(nic, qos=replace(nic.qos, **qos)) for key, nic in host.nics.items()})  # type: ignore[arg-type]
        for name, host in plan.hosts.items()
    }
    return replace(plan, hosts=hosts)


def test_deterministic_dcqcn_is_refused(plan: Plan) -> None:
    with pytest.raises(Refusal) as caught:
        check(change_qos(plan, congestion=Congestion.DCQCN_D))
    (problem,) = caught.value.problems
    assert problem.location.endswith("cluster.yaml:5: node[1-4], 4 ports")
    assert problem.found == "nic.qos.congestion = dcqcn-d"
    assert problem.expected == "dcqcn-p, the only DCQCN of NVIDIA ConnectX"
    assert problem.hint is not None


def test_a_parameter_it_lacks_is_refused(plan: Plan) -> None:
    with pytest.raises(Refusal) as caught:
        check(change_qos(plan, congestion_parameters={"rpg_ai_rat": 5}))
    problem = caught.value.problems[0]
    assert (problem.found, problem.hint) == (
        "the congestion parameter 'rpg_ai_rat'",
        "did you mean 'rpg_ai_rate'?",
    )


TOOL = """
case "$*" in
*" query "*)
  key=$5
  [ "$key" != MAX_ACC_OUT_READ ] || [ -e {folder}/unlocked ] || exit 1
  echo "Configurations:      Next Boot"
  case "$key" in
  ROCE_CONTROL) echo "         $key     ROCE_ENABLE(2)   " ;;
  LINK_TYPE_P1) echo "         $key     IB(1)   " ;;
  MAX_ACC_OUT_READ) echo "         $key     128   " ;;
  ADVANCED_PCI_SETTINGS) echo "         $key     False(0)   " ;;
  *) echo "*        $key     6" ;;
  esac
  ;;
*) echo "$*" >>{folder}/typed ;;
esac
"""


def test_options_are_set_in_two_steps_and_put_back(plan: Plan, tmp_path: Path) -> None:
    node = host(plan)
    ((interface, nic),) = node.nics.items()
    planned_settings = replace(nic, nvm=Nvm(rdma=True, link_type="ethernet", outstanding_reads=44))
    text = fill_template(MLX5, "nvm.sh.j2", "node1", replace(node, nics={interface: planned_settings}))
    script, tool = tmp_path / "set.sh", tmp_path / "mlxconfig"
    fake_sysfs.add_interface(tmp_path / "sys", interface, "0000:00:01.0/0000:1d:00.0")
    text = fake_sysfs.use(text, tmp_path / "sys")
    script.write_text(text.replace("/var/lib/wirespeed", str(tmp_path / "kept")))
    # the real command is "mlxconfig -d DEVICE query KEY": $1 to $4
    tool.write_text("#!/bin/sh\nset -- tool $*\n" + TOOL.replace("{folder}", str(tmp_path)))
    tool.chmod(0o755)

    def run(action: str) -> tuple[str, list[str]]:
        process = subprocess.run(
            ["sh", str(script), action],
            env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=True,
        )
        command_file = tmp_path / "typed"
        lines = command_file.read_text().splitlines() if command_file.exists() else []
        command_file.unlink(missing_ok=True)
        return process.stdout, [line.rpartition(" ")[2] for line in lines]

    output, settings = run("set")
    assert "run wirespeed-mlxconfig set again" in output
    first = [
        "LINK_TYPE_P1=2",
        "ROCE_CC_PRIO_MASK_P1=8",
        "CNP_DSCP_P1=48",
        "CNP_802P_PRIO_P1=7",
        "ADVANCED_PCI_SETTINGS=1",
    ]
    assert settings == first
    (tmp_path / "unlocked").touch()
    output, settings = run("set")
    assert "again" not in output
    assert settings == [*first, "MAX_ACC_OUT_READ=44"]
    assert run("restore")[1] == [
        "ROCE_CONTROL=2",
        "LINK_TYPE_P1=1",
        "ROCE_CC_PRIO_MASK_P1=6",
        "CNP_DSCP_P1=6",
        "CNP_802P_PRIO_P1=6",
        "ADVANCED_PCI_SETTINGS=0",
        "MAX_ACC_OUT_READ=128",
    ]


def test_commands(plan: Plan) -> None:
    place = Place("node1").child("nic", "enp29s0np0")
    assert MLX5.commands_for is not None
    setting = MLX5.commands_for(place, "nic.nvm.link_type", "ethernet", plan.hosts["node1"])
    assert setting is not None
    assert setting.commands == ("mlxconfig -y -d enp29s0np0 set LINK_TYPE_P1=2",)
    setting = MLX5.commands_for(place, "nic.qos.pfc", frozenset({3}), plan.hosts["node1"])
    assert setting is not None
    assert setting.commands == ("mlnx_qos -i enp29s0np0 --pfc 0,0,0,1,0,0,0,0 --cable_len 3",)
