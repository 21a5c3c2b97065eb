"""Changes as commands of the device."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from wirespeed import render
from wirespeed.cluster import read
from wirespeed.collect.simulated_addresses import assign_addresses
from wirespeed.plan import Plan, build
from wirespeed.results.findings import Change
from wirespeed.settings import Place, walk

EXAMPLES = Path(__file__).parents[2] / "examples" / "mi300x-4node"


@cache
def plan() -> Plan:
    """The example, its PCIe functions at the addresses of a simulated bundle."""
    planned = build(read(EXAMPLES / "cluster-rail24.yaml"))
    return replace(planned, hosts={name: assign_addresses(host) for name, host in planned.hosts.items()})


CC = "/sys/kernel/config/bnxt_re/bnxt_re1"
ROWS = [
    ("pcie 0000:9d:01.0", "pcie.acs", ["setpci -s 0000:9d:01.0 ECAP_ACS+0x6.w=0000"], None),
    ("pcie 0000:1d:00.0", "pcie.relaxed_ordering", ["setpci -s 0000:1d:00.0 CAP_EXP+0x8.w=0010:0010"], None),
    (
        "sysctl net.ipv4.conf.enp29s0np0.rp_filter",
        "sysctl.value",
        [
            "sysctl -w net.ipv4.conf.enp29s0np0.rp_filter=2",
            "echo 'net.ipv4.conf.enp29s0np0.rp_filter = 2' >> /etc/sysctl.d/90-wirespeed.conf",
        ],
        None,
    ),
    (
        "rule from 192.168.2.1/32",
        "rule.table",
        ["ip rule add from 192.168.2.1/32 table 102 priority 1002"],
        "takes effect at once; persistent only if /etc/netplan/60-wirespeed.yaml contains it",
    ),
    (
        "route 102 default",
        "route.gateway",
        ["ip route replace default via 192.168.2.254 dev enp67s0np0 src 192.168.2.1 table 102"],
        "takes effect at once; persistent only if /etc/netplan/60-wirespeed.yaml contains it",
    ),
    (
        "route 102 192.168.2.0/24",
        "route.device",
        ["ip route replace 192.168.2.0/24 scope link dev enp67s0np0 src 192.168.2.1 table 102"],
        "takes effect at once; persistent only if /etc/netplan/60-wirespeed.yaml contains it",
    ),
    (
        "nic enp67s0np0 gid 3",
        "gid.address",
        ["ip address flush dev enp67s0np0 scope global", "netplan apply"],
        "the interface has no address for a moment: its RDMA connections end",
    ),
    (
        "nic enp67s0np0",
        "nic.nvm.relaxed_ordering",
        ["niccli --dev 0000:43:00.0 nvm --setoption pcie_relaxed_ordering --value 1"],
        "takes effect after a reboot",
    ),
    (
        "nic enp67s0np0",
        "nic.nvm.dcbx",
        ["niccli --dev 0000:43:00.0 nvm --setoption dcbx_mode --scope 0 --value 0"],
        "takes effect after a reboot",
    ),
    (
        "nic enp67s0np0",
        "nic.qos.congestion",
        [
            f"mkdir -p {CC}",
            f"echo 1 > {CC}/ports/1/cc/cc_mode",
            f"echo 1 > {CC}/ports/1/cc/ecn_enable",
            f"echo 1 > {CC}/ports/1/cc/ecn_marking",
            f"echo 1 > {CC}/ports/1/cc/apply",
            f"rmdir {CC}",
        ],
        "congestion control of running RDMA connections changes",
    ),
    (
        "nic enp67s0np0",
        "nic.qos.pfc",
        [
            "printf '%s\\n' ENABLE_FC=1 FC_MODE=3 ROCE_PRI=3 ROCE_DSCP=26 CNP_PRI=7 CNP_DSCP=48 ROCE_BW=50 UTILITY=4"
            " > /etc/bnxt_re/bnxt_re.conf",
            "bnxt_setupcc.sh -d bnxt_re1 -i enp67s0np0 -m 3 -r 3 -s 26 -c 7 -p 48 -b 50 -u 4",
        ],
        "priorities and traffic classes of the port change under running traffic",
    ),
    (
        "nic enp67s0np0",
        "nic.link.mtu",
        ["ip link set dev enp67s0np0 mtu 9000"],
        "the interface restarts its queues",
    ),
    (
        "nic enp67s0np0",
        "nic.link.fec",
        ["ethtool --set-fec enp67s0np0 encoding rs"],
        "the link goes down and comes up again",
    ),
    (
        "",
        "host.launch.gid_index",
        ["sed -i '/^NCCL_IB_GID_INDEX *=/d' /etc/rccl.conf", "echo NCCL_IB_GID_INDEX=3 >> /etc/rccl.conf"],
        "takes effect for the next job",
    ),
    (
        "",
        "host.launch.hosts",
        [
            "mkdir -p /etc/wirespeed",
            "printf '%s\\n' 'node1 slots=8' 'node2 slots=8' 'node3 slots=8' 'node4 slots=8' > /etc/wirespeed/hostfile",
        ],
        "takes effect for the next job",
    ),
    ("", "host.acs_service", ["systemctl enable --now wirespeed-acs.service"], None),
]


@pytest.mark.parametrize(("place_text", "setting", "commands", "consequence"), ROWS)
def test_a_change_of_a_host_as_commands(
    place_text: str, setting: str, commands: list[str], consequence: str | None
) -> None:
    change_commands = render.commands_for(
        plan(), "node1", Change(f"node1 {place_text}".strip(), setting, "not read here")
    )
    assert change_commands is not None
    assert (list(change_commands.commands), change_commands.consequence) == (commands, consequence)


@pytest.mark.parametrize(
    ("device", "place_text", "setting"),
    [
        ("node9", "node9", "host.memlock"),  # no such device
        ("node1", "node1 rule from 10.9.9.9/32", "rule.table"),  # no such place in the plan
        ("node1", "node1", "host.kernel.version"),  # no intent
        ("node1", "node1 nic enp29s0np0", "nic.rdma_state"),  # no command makes it so
        ("node1", "node1 nic enp29s0np0", "nic.qos.priority_cos"),  # the firmware chooses
    ],
)
def test_no_commands(device: str, place_text: str, setting: str) -> None:
    assert render.commands_for(plan(), device, Change(place_text, setting, "")) is None


def list_commands() -> Iterator[str]:
    for place, setting, _ in walk(plan().hosts["node1"], Place("node1")):
        change_commands = render.commands_for(plan(), "node1", Change(str(place), setting, ""))
        yield from change_commands.commands if change_commands else ()


def test_every_command_is_one_whole_shell_line() -> None:
    commands = list(list_commands())
    assert len(commands) > 100
    for command in commands:
        assert "\n" not in command
        shlex.split(command)


@pytest.mark.parametrize(
    ("entity_name", "setting", "value", "command"),
    [
        ("rule from all lookup 101", "rule.priority", "500", "ip rule del from all lookup 101 priority 500"),
        (
            "rule from 10.1.0.0/9 lookup 101",
            "rule.priority",
            "0",
            "ip rule del from 10.1.0.0/9 lookup 101 priority 0",
        ),
        ("rule from ::/0 lookup 101", "rule.priority", "500", "ip -6 rule del from ::/0 lookup 101 priority 500"),
        ("rule from all to 10.1.0.0/16", "rule.priority", "1", "ip rule del from all to 10.1.0.0/16 priority 1"),
        ("rule from all fwmark 0x1", "rule.priority", "9", "ip rule del priority 9"),
        ("rule not from 10.1.0.0/16", "rule.priority", "9", "ip rule del priority 9"),
        ("route 101 10.1.0.8/30", "route.metric", "0", "ip route del 10.1.0.8/30 table 101"),
        ("route 101 10.9.0.0/16 throw", "route.metric", "0", "ip route del 10.9.0.0/16 table 101"),
        ("route 254 10.1.0.0/26 metric 2003", "route.metric", "2003", "ip route del 10.1.0.0/26 table 254 metric 2003"),
        ("route 101 2001:db8::/48", "route.metric", "1024", "ip -6 route del 2001:db8::/48 table 101 metric 1024"),
    ],
)
def test_what_is_not_planned_is_removed(entity_name: str, setting: str, value: str, command: str) -> None:
    """Each command was run in a network namespace: the kernel removed the rule or route and nothing else."""
    commands = render.commands_for(plan(), "node1", Change(f"node1 {entity_name}", setting, value, removes=True))
    assert commands is not None
    assert (commands.commands, commands.consequence) == ((command,), "takes effect at once")


def test_a_switch_has_no_command_for_a_removal() -> None:
    change = Change("leaf1 port Eth1/1", "port.link.mtu", "9100", removes=True)
    assert render.commands_for(plan(), "leaf1", change) is None


BOND_FILE = "takes effect at once; persistent only if /etc/netplan/60-wirespeed-bond0.yaml contains it"


@pytest.mark.parametrize(
    ("text", "path", "commands", "consequence"),
    [
        ("nic bond0", "nic.addresses", ["ip address replace 10.174.0.55/22 dev bond0"], BOND_FILE),
        ("nic bond0", "nic.bond.monitor", ["ip link set dev bond0 type bond miimon 60000"], BOND_FILE),
        (
            "route 254 default",
            "route.gateway",
            ["ip route replace default via 10.174.0.1 dev bond0 table 254"],
            BOND_FILE,
        ),
        (
            "nic eth0",
            "nic.controller",
            [
                "ip link show dev bond0 >/dev/null 2>&1 || "
                "ip link add dev bond0 type bond mode active-backup miimon 60000",
                "ip link set dev eth0 down",
                "ip link set dev eth0 master bond0",
                "ip link set dev bond0 up",
                "ip address replace 10.174.0.55/22 dev bond0",
            ],
            BOND_FILE,
        ),
        (
            "nic dis0",
            "nic.addresses",
            ["ip address replace 10.0.0.4/24 dev dis0"],
            "takes effect at once; persistent only if /etc/netplan/60-wirespeed.yaml contains it",
        ),
    ],
)
def test_settings_of_a_bond_are_in_its_file(text: str, path: str, commands: list[str], consequence: str) -> None:
    lending = build(read(EXAMPLES.parent / "pcie-lending" / "cluster-bond.yaml"))
    change_commands = render.commands_for(lending, "abel1", Change(f"abel1 {text}", path, "not read here"))
    assert change_commands is not None
    assert (list(change_commands.commands), change_commands.consequence) == (commands, consequence)
