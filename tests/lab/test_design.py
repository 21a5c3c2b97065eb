"""Names and choices of a lab: pure."""

from __future__ import annotations

import pytest
from labs import EXAMPLES

from wirespeed import lab
from wirespeed.cluster import read
from wirespeed.errors import Refusal
from wirespeed.lab.kernel import parse_parameters
from wirespeed.lab.names import interfaces, mac
from wirespeed.plan import build


@pytest.mark.parametrize(
    ("name_option", "cluster", "expected"),
    [
        (None, "mi300x-4node", "mi300x_4node"),
        (None, "a" * 40, "a" * 32),
        ("try.2", "mi300x-4node", "try.2"),
    ],
)
def test_names_of_labs(name_option: str | None, cluster: str, expected: str) -> None:
    assert lab.lab_name(name_option, cluster) == expected


@pytest.mark.parametrize("name_option", ["", "a-b", "../x", ".x", "a b", "x" * 33, "näher"])
def test_names_that_are_refused(name_option: str) -> None:
    with pytest.raises(Refusal, match="1 to 32 letters, digits, dots or underscores"):
        lab.lab_name(name_option, "cluster")


def test_interfaces_have_names_that_the_kernel_takes() -> None:
    ports = ["Eth1/1", "swp1s0", "et-0/0/0:1", "Ethernet1/30/1/1", "Ethernet-of-a-name-too-long", "Eth1:1"]
    assert list(interfaces(ports).values()) == [
        "Eth1-1",
        "swp1s0",
        "et-0-0-0-1",
        "Eth1-30-1-1",
        "port5",
        "port6",  # Eth1-1 is taken
    ]


def test_mac_addresses_are_the_same_each_time_and_for_one_machine_alone() -> None:
    assert mac("c", "node1", "eth0") == mac("c", "node1", "eth0")
    assert mac("c", "node1", "eth0") != mac("c", "node1", "eth1")
    assert int(mac("c", "node1", "eth0")[:2], 16) & 3 == 2  # locally administered, one station's


@pytest.mark.parametrize(
    ("cluster", "hosts", "switches"),
    [
        ("mi300x-4node/cluster.yaml", 2, ("leaf1",)),
        ("arista-leaf-spine/cluster.yaml", 2, ("leaf1",)),  # both hosts are on it
        ("arista-leaf-spine/cluster.yaml", 4, ("leaf1", "leaf2", "spine1", "spine2")),
        ("scale-1024/cluster.yaml", 9, ("leaf001", "leaf002")),  # its leaves are islands
    ],
)
def test_switches_that_hosts_need(cluster: str, hosts: int, switches: tuple[str, ...]) -> None:
    plan = build(read(EXAMPLES / cluster))
    assert lab.select_switches(plan, lab.select_hosts(plan, hosts)) == switches


def test_more_hosts_than_there_are_is_refused() -> None:
    plan = build(read(EXAMPLES / "mi300x-4node/cluster.yaml"))
    with pytest.raises(Refusal, match="found 5 hosts; expected at most 4, the hosts of mi300x-4node"):
        lab.select_hosts(plan, 5)


def test_kernel_parameters_of_a_file() -> None:
    text = "# a comment\n; another\nnet.ipv4.conf.eth0/100.rp_filter = 2\n-net/ipv4/x.y=1   2\nnothing\n"
    assert list(parse_parameters(text)) == [("net/ipv4/conf/eth0.100/rp_filter", "2"), ("net/ipv4/x.y", "1 2")]
