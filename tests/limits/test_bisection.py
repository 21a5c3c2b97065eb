"""Bisection bandwidth against brute force over every pair of halves and every side of each switch."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import pytest
from cable_plans import build_plan, clos, rails
from hypothesis import given, settings
from hypothesis import strategies as st

from wirespeed.limits.bisection import bisection, tiers
from wirespeed.plan import Plan
from wirespeed.units import Bandwidth


def brute_force(plan: Plan) -> int:
    hosts, switches = list(plan.hosts), list(plan.switches)
    cuts = []
    for half in combinations(hosts, len(hosts) // 2):
        for sides in product((True, False), repeat=len(switches)):
            first = {*half, *(name for name, side in zip(switches, sides, strict=True) if side)}
            cuts.append(
                sum(cable.speed for cable in plan.cables if (cable.a.device in first) != (cable.b.device in first))
            )
    return min(cuts)


def pods(sizes: tuple[int, ...], uplink: int, core: int) -> Plan:
    """A leaf for every two hosts, two leaves and two spines in a pod, a core for each spine of a pod."""
    cables: list[tuple[str, str, int]] = []
    host = 0
    for pod, size in enumerate(sizes):
        for number in range(size):
            cables.append((f"node{host}", f"leaf{2 * pod + number % 2}", 100))
            host += 1
        cables += [(f"leaf{2 * pod + a}", f"spine{2 * pod + b}", uplink) for a in (0, 1) for b in (0, 1)]
        cables += [(f"spine{2 * pod + b}", f"core{b}", core) for b in (0, 1)]
    return build_plan(cables, host)


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (clos(4, 2, 2, 100, 100), 200),  # non-blocking: half of the hosts send
        (clos(8, 2, 2, 100, 100), 200),  # 2:1 at the leaves
        (clos(6, 3, 2, 100, 50), 200),  # three leaves do not halve: one is split
        (rails(4, 2, 1, 50), 1600),  # a rail stays on its leaf, whatever the uplinks
        (pods((4, 4), 100, 50), 100),  # 4:1 at the spines
        (pods((4, 4), 25, 400), 100),
    ],
)
def test_known_fabrics(plan: Plan, expected: int) -> None:
    bisection_value = bisection(plan)
    assert bisection_value is not None and bisection_value.exact
    assert bisection_value.bandwidth == Bandwidth.gbps(expected) == brute_force(plan)


SPEED = st.sampled_from([25, 50, 100])


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 6), st.integers(1, 3), st.integers(1, 3), SPEED, SPEED)
def test_drawn_leaf_spine_fabrics(hosts: int, leaves: int, spines: int, nic: int, uplink: int) -> None:
    plan = clos(hosts, min(leaves, hosts), spines, nic, uplink)
    bisection_value = bisection(plan)
    assert bisection_value is not None and bisection_value.exact
    assert bisection_value.bandwidth == brute_force(plan)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.integers(1, 3), st.integers(1, 3), SPEED, SPEED)
def test_drawn_pods(first: int, second: int, uplink: int, core: int) -> None:
    plan = pods((first + 1, second + 1), uplink, core)
    bisection_value = bisection(plan)
    assert bisection_value is not None and bisection_value.exact
    assert bisection_value.bandwidth == brute_force(plan)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 2), min_size=2, max_size=6),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), SPEED), max_size=8),
)
def test_any_two_tiers(homes: list[int], links: list[tuple[int, int, int]]) -> None:
    """Cables in no pattern: never below the least cut, and equal to it where the result is exact."""
    cables = [(f"node{host}", f"leaf{home}", 100) for host, home in enumerate(homes)]
    cables += [(f"leaf{a}", f"spine{b}", speed) for a, b, speed in links if a in homes]
    plan = build_plan(cables, len(homes))
    bisection_value = bisection(plan)
    assert bisection_value is not None
    smallest_cut = brute_force(plan)
    assert (
        bisection_value.bandwidth == smallest_cut
        if bisection_value.exact
        else bisection_value.bandwidth >= smallest_cut
    )


def test_oversubscription_of_each_tier() -> None:
    lower, middle, top = tiers(pods((4, 4), 50, 25))
    assert (lower.role, lower.switches, lower.oversubscription) == ("leaf", 4, Fraction(2))
    assert (middle.role, middle.oversubscription) == ("spine", Fraction(4))
    assert (top.role, top.up, top.oversubscription) == ("core", 0, None)


def test_one_host_has_no_halves() -> None:
    assert bisection(build_plan([("node0", "leaf0", 100)], 1)) is None


def test_the_worst_switch_of_a_tier_is_named() -> None:
    """Leaf 1 has lost a cable: it is the worst leaf, and so is the spine at its other end."""
    cables = [(f"node{host}", f"leaf{host // 2}", 100) for host in range(4)]
    cables += [(f"leaf{leaf}", f"spine{spine}", 100) for leaf in (0, 1) for spine in (0, 1)]
    whole, plan_without_cable = (
        build_plan(cables, 4),
        build_plan([cable for cable in cables if cable[:2] != ("leaf1", "spine1")], 4),
    )
    assert [(tier.role, tier.worst) for tier in tiers(whole)] == [("leaf", None), ("spine", None)]
    assert [(tier.worst, tier.down, tier.up) for tier in tiers(plan_without_cable)] == [
        ("leaf1", Bandwidth.gbps(200), Bandwidth.gbps(100)),
        ("spine1", Bandwidth.gbps(100), Bandwidth(0)),
    ]
    bisection_value = bisection(plan_without_cable)
    assert bisection_value is not None and bisection_value.bandwidth == Bandwidth.gbps(100) == brute_force(
        plan_without_cable
    )
