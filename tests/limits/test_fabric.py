"""Cables upward as a limit: an oversubscribed leaf, a slow uplink, and rails that need none."""

from __future__ import annotations

import pytest
from cable_plans import build_plan, clos, rails

from wirespeed.limits import algorithms, cuts, fabric
from wirespeed.limits.algorithms import Algorithm
from wirespeed.limits.bisection import uplinks
from wirespeed.limits.group import Collective, Group, Member
from wirespeed.units import Bandwidth


def two_leaves(count):
    """Eight hosts, four under each leaf; `uplinks` cables of 400 Gb/s upward from each."""
    return clos(hosts=8, leaves=2, spines=1, nic=3200, uplink=400 * count)


def job(plan, hosts):
    nics = (50.0,) * 8
    return Group(tuple(Member(name, 8, nics, nics, "framing", None) for name in list(plan.hosts)[:hosts]))


@pytest.mark.parametrize("count", [1, 8, 32])
def test_cables_upward_by_leaf(count):
    (tier,) = uplinks(two_leaves(count))
    assert [group.switches for group in tier] == [("leaf0",), ("leaf1",)]
    assert [len(group.hosts) for group in tier] == [4, 4]
    assert {group.up for group in tier} == {Bandwidth(count * 400_000_000_000)}


@pytest.mark.parametrize(
    ("collective", "count", "bus_bandwidth"),
    [
        # 4 hosts of 8 ranks under each leaf; count x 50 GB/s upward. All-reduce: two nodes, S out of each.
        (Collective.ALL_REDUCE, 8, 2 * 63 / 64 * 400),
        (Collective.ALL_REDUCE, 16, 2 * 63 / 64 * 800),
        # half of each rank's data goes to the other leaf: 32·S/2 over the uplinks
        (Collective.ALL_TO_ALL, 8, (63 / 64) * 400 / 16),
        (Collective.ALL_TO_ALL, 32, (63 / 64) * 1600 / 16),
        (Collective.ALL_GATHER, 8, (63 / 64) * 400 / 0.5),
        (Collective.BROADCAST, 8, 400),
    ],
)
def test_cut_at_the_uplinks(collective, count, bus_bandwidth):
    plan = two_leaves(count)
    ((name, merged),) = fabric.group_by_uplinks(plan, job(plan, 8), 1.0, 1.0)
    assert name == "uplinks of leaf0"
    assert cuts.network_cut(collective, merged, name=name).value == pytest.approx(bus_bandwidth)


def test_more_uplinks_never_lower_a_limit():
    values = []
    for count in (1, 4, 8, 16):
        plan = two_leaves(count)
        ((_, merged),) = fabric.group_by_uplinks(plan, job(plan, 8), 1.0, 0.99)
        values.append(cuts.network_cut(Collective.ALL_TO_ALL, merged).value)
    assert values == sorted(values) and values[0] < values[-1]


def test_a_job_under_one_leaf_has_no_such_limit():
    plan = two_leaves(8)
    assert fabric.group_by_uplinks(plan, job(plan, 4), 1.0, 1.0) == ()


def test_what_an_algorithm_reaches_over_the_uplinks():
    plan = two_leaves(8)
    group = job(plan, 8)
    above = fabric.group_by_uplinks(plan, group, 1.0, 0.9)
    ring = algorithms.reachable(Collective.ALL_REDUCE, group, Algorithm.RING, above)
    assert (ring.value, ring.bottleneck) == (pytest.approx(8 * 50 * 0.9), "uplinks of leaf0")
    pairwise = algorithms.reachable(Collective.ALL_TO_ALL, group, Algorithm.PAIRWISE, above)
    assert pairwise.value == pytest.approx(0.9 * 400 / 32 * 63 / 32)


def test_rails_share_their_hosts_and_need_no_uplinks():
    plan = rails(hosts=4, count=8, spines=2, uplink=400)
    assert fabric.group_by_uplinks(plan, job(plan, 4), 1.0, 1.0) == ()


def test_one_flow_takes_one_path_and_its_slowest_cable():
    plan = build_plan(
        [
            *(("node0", "leaf0", 400), ("node1", "leaf0", 400), ("node2", "leaf1", 200)),
            *(("leaf0", "spine0", 100), ("leaf1", "spine0", 100), ("leaf0", "spine1", 400), ("leaf1", "spine1", 400)),
        ],
        hosts=3,
    )
    ports = [("node0", "up0"), ("node1", "up1"), ("node2", "up2")]
    assert fabric.find_flow_bandwidth(plan, ports[0], ports[1]) == Bandwidth.gbps(400)
    assert fabric.find_flow_bandwidth(plan, ports[0], ports[2]) == Bandwidth.gbps(200)
    assert fabric.find_flow_bandwidth(plan, ports[0], ("node9", "eth0")) is None


def test_one_flow_without_a_cable_that_is_faster():
    cables = [("node0", "leaf0", 400), ("node1", "leaf1", 400), ("leaf0", "spine0", 100), ("leaf1", "spine0", 100)]
    plan = build_plan(cables, hosts=2)
    assert fabric.find_flow_bandwidth(plan, ("node0", "up0"), ("node1", "up1")) == Bandwidth.gbps(100)
