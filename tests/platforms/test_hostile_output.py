"""Outputs that fuzzing found: what is read of them, and nothing is raised."""

from __future__ import annotations

from typing import Any

import pytest

from wirespeed.facts import COMPLETE, Source
from wirespeed.platforms import Output, Outputs, platform

ENDLESS = "9" * 5000
LINK = '[{"ifname": "NAME", "link_type": "ether", "mtu": MTU, "flags": ["UP"]}]'


def link(name: str, mtu: str) -> str:
    """What ``ip -json address`` prints of one interface."""
    return LINK.replace("NAME", name).replace("MTU", mtu)


@pytest.mark.parametrize(
    ("system", "command", "text", "expected"),
    [
        ("switch junos", "configuration", "interfaces {\n    ;\n}\n", []),
        ("switch junos", "configuration", "{\n}\n", []),
        ("host ubuntu", "ip-addr", link("", "1500"), []),
        ("host ubuntu", "ip-addr", link("eth0", "-1"), [("nic.link.up", False, 1), ("nic.controller", "", 1)]),
        ("host ubuntu", "ip-addr", link("eth0", str(2**64)), [("nic.link.up", False, 1), ("nic.controller", "", 1)]),
        ("nic dcb", "dcb-app@eth0", '{"dscp_prio": [[-1, 3]]}', []),
        ("nic dcb", "dcb-app@eth0", '{"dscp_prio": [[26, -3]]}', []),
        ("host rhel", "rdma-link", '[{"ifindex": 0, "port": 1, "ifname": "bnxt_re0", "netdev": ""}]', []),
        ("nic dolphin", "ntb-node", f"Card 1 - NodeId: {ENDLESS}", []),
        ("launcher openmpi", "hostfile", f"node1 slots={ENDLESS}", [("host.launch.hosts", (), None)]),
        ("host rhel", "qdisc@eth0", "[" * 10_000, []),
        ("switch linux", "bgp-summary", '{"ipv4Unicast": {"peers": {"": {"state": "Idle"}}}}', []),
        ("switch linux", "ip-addr", link("", "1500"), []),
        ("switch sonic", "bgp-summary", '{"ipv4Unicast": {"peers": {"": {"state": "Idle"}}}}', []),
        ("switch eos", "bgp-summary", '{"vrfs": {"default": {"peers": {"": {"peerState": "Idle"}}}}}', []),
        ("switch enterprise-sonic", "interface-status", "Name Description\nEth1/1 up up\n", []),
        # Headings in another order, so that the cell of the port is empty.
        (
            "switch enterprise-sonic",
            "lldp-table",
            "-        RemoteDevice RemotePortID Capability RemotePortDescr LocalPort\n"
            "Eth1/1   node1        eth0         R          eth0\n",
            [],
        ),
        # A form feed and a line separator end no line of a file: the second line is the one that is cited.
        (
            "launcher nccl",
            "rccl-conf",
            "# a\x0cb\u2028c\nNCCL_IB_GID_INDEX=3\n",
            [("host.launch.gid_index", 3, 2)],
        ),
    ],
)
def test_hostile_output(system: str, command: str, text: str, expected: list[tuple[str, Any, int]]) -> None:
    kind, name = system.split()
    output = Output(command, text, Source("node1", command, command))
    observations = platform(kind, name).parse(Outputs("node1", {command: output}))
    assert [
        (value.path, value.value, value.source.line)
        for value in observations
        if value.value != COMPLETE and value.path != "host.launch.environment"
    ] == expected


def test_an_interface_without_a_setting_has_the_defaults() -> None:
    output = Output("config", "nv set interface swp1\n", Source("leaf1", "config", "config"))
    observations = platform("switch", "cumulus").parse(Outputs("leaf1", {"config": output}))
    assert [value.value for value in observations if value.path == "port.link.mtu"] == [9216]


@pytest.mark.parametrize(
    ("system", "command", "line", "frame"),
    [
        ("switch cumulus", "config", "nv set interface swpN link mtu 9216", "LINES\n"),
        ("host ubuntu", "ip-addr", link("ethN", "9216")[1:-1] + ",", "[\nLINES\n{}]"),
    ],
)
def test_long_output_is_read_in_time_proportional_to_its_lines(
    system: str, command: str, line: str, frame: str
) -> None:
    """Thousands of interfaces take well below a second; minutes where each was compared with every other."""
    count = 8000
    text = frame.replace("LINES", "\n".join(line.replace("N", str(number)) for number in range(1, count + 1)))
    kind, name = system.split()
    observations = platform(kind, name).parse(
        Outputs("node1", {command: Output(command, text, Source("node1", command, ""))})
    )
    assert [value.value for value in observations if value.path.endswith(".link.mtu")] == [9216] * count


@pytest.mark.parametrize(
    ("system", "text", "unread"),
    [
        ("nxos", "hostname node1\nclass-map type qos\n  match dscp 26\nnode1\n", "port.qos.dscp_tc"),
        ("eos", "router bgp 65001\n   network\nend\n", "switch.bgp.networks"),
    ],
)
def test_a_line_without_its_argument_is_not_read(system: str, text: str, unread: str) -> None:
    output = Output("running-config", text, Source("node1", "running-config", "running-config"))
    observations = list(platform("switch", system).parse(Outputs("node1", {"running-config": output})))
    assert observations and unread not in {observation.path for observation in observations}
