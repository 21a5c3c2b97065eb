"""Faults put into made-up matrices are named, with as few causes as there are; noise gives no suspect."""

import math

import fabric
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirespeed.benchmarks.peers import MemberDirectory, compare
from wirespeed.benchmarks.peers.causes import Rule
from wirespeed.benchmarks.peers.samples import Sample
from wirespeed.results.peers import Reading

NOISES = (0.0, 0.002, 0.01)


@pytest.mark.parametrize(
    ("minimum", "deviation", "margin"),
    [
        (0.05, 0.0, "6.31 % = 3.5 × 1.80 %, the minimum spread"),
        (0.05, 0.03, "10.50 % = 3.5 × spread"),
        (0.2, 0.03, "20.00 %, the value of --at-least"),
    ],
)
def test_the_rule_of_a_slow_cell_is_stated(minimum, deviation, margin):
    assert Rule(minimum, 3.5).describe_margin(deviation) == margin


@given(
    hosts=st.integers(2, 24),
    rails=st.sampled_from([1, 2, 4]),
    noise=st.sampled_from(NOISES),
    seed=st.integers(0, 10**6),
    key=st.sampled_from([fabric.KEY, fabric.LATENCY]),
)
@settings(max_examples=40, deadline=None)
def test_noise_accuses_nobody(hosts, rails, noise, seed, key):
    matrix = fabric.matrix(fabric.members(hosts, rails, per_leaf=4), noise=noise, seed=seed, key=key)
    assert fabric.list_suspects(matrix) == []


@pytest.mark.parametrize(("noise", "limit"), [(0.02, 5), (0.05, 14)])
def test_more_noise_seldom_accuses_anybody(noise, limit):
    """Of a hundred healthy matrices; the spread of few values is itself uncertain."""
    matrices = [
        fabric.matrix(fabric.members(hosts, per_leaf=4), noise=noise, seed=seed)
        for hosts in (4, 5, 8, 12)
        for seed in range(25)
    ]
    assert sum(bool(matrix.suspects) for matrix in matrices) <= limit


@given(
    hosts=st.integers(4, 20),
    position=st.integers(0, 19),
    depth=st.floats(0.02, 0.85),
    noise=st.sampled_from(NOISES),
    seed=st.integers(0, 10**6),
    key=st.sampled_from([fabric.KEY, fabric.LATENCY]),
)
@settings(max_examples=40, deadline=None)
def test_a_slow_host_is_its_row_and_column(hosts, position, depth, noise, seed, key):
    bad = f"node{position % hosts + 1}"
    matrix = fabric.matrix(
        fabric.members(hosts), lambda a, b: depth if bad in (a.host, b.host) else 1.0, noise, seed, key
    )
    assert fabric.list_suspects(matrix) == [("host", "all", bad)]
    assert matrix.suspects[0].fraction == pytest.approx(depth, rel=5 * noise + 0.01)
    assert matrix.suspects[0].cells == 2 * (hosts - 1)


@given(hosts=st.integers(5, 16), sends=st.booleans(), depth=st.floats(0.1, 0.8), seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_a_host_that_is_slow_in_one_direction_is_its_row_or_its_column(hosts, sends, depth, seed):
    matrix = fabric.matrix(
        fabric.members(hosts), lambda a, b: depth if (a if sends else b).host == "node2" else 1.0, 0.005, seed
    )
    assert fabric.list_suspects(matrix) == [("host", "as sender" if sends else "as receiver", "node2")]


@given(hosts=st.integers(4, 8), rails=st.integers(2, 4), depth=st.floats(0.1, 0.85), seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_a_slow_nic_accuses_neither_its_host_nor_its_rail(hosts, rails, depth, seed):
    matrix = fabric.matrix(
        fabric.members(hosts, rails),
        lambda a, b: depth if "node3:nic2" in (a.name, b.name) else 1.0,
        0.01,
        seed,
    )
    assert fabric.list_suspects(matrix) == [("NIC", "all", "node3:nic2")]


@given(hosts=st.integers(3, 8), rails=st.integers(3, 8), depth=st.floats(0.1, 0.88), seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_a_slow_rail_is_a_stripe(hosts, rails, depth, seed):
    matrix = fabric.matrix(fabric.members(hosts, rails), lambda a, b: depth if a.rail == 2 else 1.0, 0.01, seed)
    assert fabric.list_suspects(matrix) == [("rail", "all", "2")]


def test_a_rail_of_its_own_leaf_cannot_be_distinguished_from_the_leaf():
    matrix = fabric.matrix(fabric.members(6, 4, by_rail=True), lambda a, b: 0.5 if a.rail == 3 else 1.0)
    assert fabric.list_suspects(matrix) == [("rail", "all", "3")]
    assert matrix.suspects[0].other_causes == ("leaf leaf3",)


@given(per_leaf=st.integers(2, 5), leaves=st.integers(3, 6), depth=st.floats(0.1, 0.88), seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_a_slow_leaf_is_a_block_and_not_its_hosts(per_leaf, leaves, depth, seed):
    matrix = fabric.matrix(
        fabric.members(per_leaf * leaves, per_leaf=per_leaf),
        lambda a, b: depth if "leaf2" in (a.leaf, b.leaf) else 1.0,
        0.005,
        seed,
    )
    assert fabric.list_suspects(matrix) == [("leaf", "all", "leaf2")]


@given(leaves=st.integers(3, 5), depth=st.floats(0.1, 0.88), one_way=st.booleans(), seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_slow_cables_between_two_leaves_are_a_block_off_the_diagonal(leaves, depth, one_way, seed):
    def slow(a, b):
        ends = (a.leaf, b.leaf) if one_way else tuple(sorted((a.leaf, b.leaf)))
        return depth if ends == ("leaf1", "leaf2") else 1.0

    matrix = fabric.matrix(fabric.members(4 * leaves, per_leaf=4), slow, 0.005, seed)
    expected = ("leaves", "as sender", "leaf1 to leaf2") if one_way else ("leaves", "all", "leaf1 and leaf2")
    assert fabric.list_suspects(matrix) == [expected]


@given(hosts=st.integers(4, 16), are_both_slow=st.booleans(), depth=st.floats(0.0, 0.85), seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_a_slow_path_is_one_cell_and_a_slow_pair_two(hosts, are_both_slow, depth, seed):
    def slow(a, b):
        ends = tuple(sorted((a.name, b.name))) if are_both_slow else (a.name, b.name)
        return depth if ends == ("node1", "node3") else 1.0

    matrix = fabric.matrix(fabric.members(hosts), slow, 0.005, seed)
    assert fabric.list_suspects(matrix) == [
        ("pair", "all", "node1 and node3") if are_both_slow else ("path", "all", "node1 -> node3")
    ]


@given(seed=st.integers(0, 10**6), depths=st.tuples(st.floats(0.1, 0.8), st.floats(0.1, 0.8), st.floats(0.1, 0.8)))
@settings(max_examples=20, deadline=None)
def test_several_faults_are_each_named(seed, depths):
    """A host, a leaf and a path at a time; where two slow each other, the slower one counts."""
    host, leaf, path = depths

    def slow(a, b):
        matrix = [1.0]
        matrix += [host] if "node2" in (a.host, b.host) else []
        matrix += [leaf] if "leaf3" in (a.leaf, b.leaf) else []
        matrix += [path] if (a.host, b.host) == ("node5", "node6") else []
        return min(matrix)

    matrix = fabric.matrix(fabric.members(20, per_leaf=4), slow, 0.005, seed)
    assert sorted(fabric.list_suspects(matrix)) == [
        ("host", "all", "node2"),
        ("leaf", "all", "leaf3"),
        ("path", "all", "node5 -> node6"),
    ]


def test_a_host_hidden_in_noise_cell_by_cell_is_seen_by_its_row_and_column():
    """TCP spreads by a tenth: a cell 25 % down is nothing, thirty of them are."""
    matrix = fabric.matrix(
        fabric.members(16), lambda a, b: 0.75 if "node7" in (a.host, b.host) else 1.0, noise=0.08, seed=3
    )
    assert fabric.list_suspects(matrix) == [("host", "all", "node7")]
    assert matrix.suspects[0].low < matrix.suspects[0].cells


def test_what_failed_is_slower_than_anything():
    members = fabric.members(5)
    samples = [
        Sample(
            a, b, Reading(None, "a.log", 1, "no route") if "node4" in (a.host, b.host) else Reading(390.0, "a.log", 1)
        )
        for a, b in fabric.pairs(members)
    ]
    comparison = compare(fabric.KEY, samples, MemberDirectory(None))
    assert fabric.list_suspects(comparison) == [("host", "all", "node4")]
    assert "8 of 8 cells failed" in comparison.suspects[0].because
    assert all(math.isfinite(cell.fraction) for cell in comparison.cells if cell.fraction is not None)


def test_what_failed_is_low_however_wide_the_others_spread():
    members = fabric.members(4)
    values = (100.0, 390.0, 40.0, 380.0, None, 20.0, 390.0, 120.0, 300.0, 60.0, 350.0, 200.0)
    ends = fabric.pairs(members)
    samples = [
        Sample(a, b, Reading(value, "a.log", 1, None if value else "timeout"))
        for (a, b), value in zip(ends, values, strict=True)
    ]
    comparison = compare(fabric.KEY, samples, MemberDirectory(None))
    (group,) = comparison.groups
    assert group.least == 0
    assert [(cell.source, cell.target) for cell in comparison.cells if cell.low] == [(ends[4][0].name, ends[4][1].name)]
    assert fabric.list_suspects(comparison) == [("path", "all", f"{ends[4][0].name} -> {ends[4][1].name}")]


@pytest.mark.parametrize(("times", "confirmed"), [(1, False), (2, True)])
def test_only_what_was_slow_twice_is_confirmed(times, confirmed):
    matrix = fabric.matrix(fabric.members(6), lambda a, b: 0.5 if "node2" in (a.host, b.host) else 1.0, times=times)
    assert [suspect.confirmed for suspect in matrix.suspects] == [confirmed]


def test_three_cells_are_too_few():
    members = fabric.members(3)
    ends = [(members[0], members[1]), (members[0], members[2]), (members[1], members[2])]
    samples = [Sample(a, b, Reading(value, "a", 1)) for (a, b), value in zip(ends, (390, 390, 195), strict=True)]
    comparison = compare(fabric.KEY, samples, MemberDirectory(None))
    assert comparison.suspects == ()
    assert [(group.name, group.cells, group.expected) for group in comparison.groups] == [("all", 3, None)]
    assert [cell.fraction for cell in comparison.cells] == [None] * 3


@given(seed=st.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_the_order_of_the_logs_changes_nothing(seed):
    import random

    members = fabric.members(8, per_leaf=4)
    samples = [
        Sample(a, b, Reading(390.0 if "node3" not in (a.host, b.host) else 200.0, f"{a.name}-{b.name}", 1))
        for a, b in fabric.pairs(members)
    ]
    shuffled = list(samples)
    random.Random(seed).shuffle(shuffled)
    assert compare(fabric.KEY, samples, MemberDirectory(None)) == compare(fabric.KEY, shuffled, MemberDirectory(None))
