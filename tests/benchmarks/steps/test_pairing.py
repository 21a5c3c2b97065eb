"""Rounds of pairs: no endpoint twice in one, all exercised, and no more of them than it takes."""

from __future__ import annotations

import itertools

import pytest
from fabrics import fabric
from hypothesis import given, settings
from hypothesis import strategies as st

from wirespeed.benchmarks.steps.pairing import (
    LIKELY,
    MOST_QUEUE_PAIRS,
    Pair,
    empty_uplink,
    pair_all_hosts,
    pair_rounds,
    queue_pairs,
    tournament,
)

fabrics = st.builds(
    fabric,
    hosts=st.integers(1, 40),
    rails=st.integers(1, 8),
    leaves=st.integers(1, 8),
    uplinks=st.sampled_from([0, 1, 2, 32]),
    by_rail=st.booleans(),
)


def pair_names(rounds: list[list[Pair]]) -> list[list[str]]:
    return [[pair.name for pair in pairs] for pairs in rounds]


@given(fabrics)
@settings(deadline=None)
def test_every_nic_is_exercised_and_none_is_twice_in_a_round(fabric_case) -> None:
    rounds, unpaired = pair_rounds(fabric_case)
    for entry in rounds:
        names = [endpoint.name for pair in entry for endpoint in (pair.a, pair.b)]
        assert len(names) == len(set(names))
    assert all(pair.a.host != pair.b.host and pair.a.fabric == pair.b.fabric for pairs in rounds for pair in pairs)
    measured = {endpoint.name for pairs in rounds for pair in pairs for endpoint in (pair.a, pair.b)}
    lonely = {line.partition(" ")[0] for line in unpaired}
    assert measured | lonely == {endpoint.name for endpoint in fabric_case.endpoints}
    assert not measured & lonely
    for name in lonely:
        endpoint = next(endpoint for endpoint in fabric_case.endpoints if endpoint.name == name)
        assert not [
            peer for peer in fabric_case.endpoints if peer.fabric == endpoint.fabric and peer.host != endpoint.host
        ]


@given(fabrics)
@settings(deadline=None)
def test_every_leaf_with_cables_above_it_is_crossed(fabric_case) -> None:
    rounds, _ = pair_rounds(fabric_case)
    crossed = {leaf for pairs in rounds for pair in pairs if pair.crosses for leaf in (pair.a.leaf, pair.b.leaf)}
    for leaf in {endpoint.leaf for endpoint in fabric_case.endpoints}:
        hosts = {endpoint.host for endpoint in fabric_case.endpoints if endpoint.leaf == leaf}
        elsewhere = {
            endpoint.host for endpoint in fabric_case.endpoints if endpoint.leaf != leaf and endpoint.fabric == "all"
        }
        able = fabric_case.uplinks.get(leaf) and any(a != b for a in hosts for b in elsewhere)
        assert not able or leaf in crossed


@given(st.integers(2, 64), st.integers(1, 8))
@settings(deadline=None)
def test_one_leaf_takes_half_as_many_runs_as_nics(hosts: int, rails: int) -> None:
    rounds, _ = pair_rounds(fabric(hosts, rails))
    runs = sum(map(len, rounds))
    if hosts % 2 == 0:
        assert (len(rounds), runs) == (1, hosts * rails // 2)
    else:  # the NICs of the host left over pair with others: half of them, rounded up, on each rail
        assert (len(rounds), runs) == (2, rails * (hosts + 1) // 2)


@pytest.mark.parametrize(
    ("fabric_case", "rounds"),
    [
        (fabric(2), [["node1:rdma0 -> node2:rdma0"]]),
        (fabric(3), [["node1:rdma0 -> node2:rdma0"], ["node3:rdma0 -> node1:rdma0"]]),
        (fabric(4, leaves=2, uplinks=2), [["node1:rdma0 -> node3:rdma0", "node2:rdma0 -> node4:rdma0"]]),
        # By rail, no pair of a rail leaves its leaf: one pair more crosses both.
        (
            fabric(2, rails=2, leaves=2, uplinks=2, by_rail=True),
            [["node1:rdma0 -> node2:rdma0", "node1:rdma1 -> node2:rdma1"], ["node1:rdma0 -> node2:rdma1"]],
        ),
        (fabric(1), []),
    ],
)
def test_rounds_of_small_fabrics(fabric_case, rounds: list[list[str]]) -> None:
    assert pair_names(pair_rounds(fabric_case)[0]) == rounds


@given(st.integers(1, 60))
def test_a_tournament_has_everybody_meet_everybody_once_in_the_fewest_rounds(count: int) -> None:
    hosts = [f"node{number}" for number in range(count)]
    rounds = list(tournament(hosts))
    assert len(rounds) == (count - 1 if count % 2 == 0 else count if count > 1 else 1)
    for entry in rounds:
        names = [host for pair in entry for host in pair]
        assert len(names) == len(set(names)) == count - count % 2
    met = [frozenset(pair) for pairs in rounds for pair in pairs]
    assert sorted(map(sorted, met)) == sorted(map(sorted, itertools.combinations(hosts, 2)))


def test_all_pairs_runs_every_rail_of_a_pair_of_hosts_at_a_time() -> None:
    rounds = list(pair_all_hosts(fabric(4, rails=8)))
    assert [len(pairs) for pairs in rounds] == [16, 16, 16]


@pytest.mark.parametrize(
    ("uplinks", "crossing", "per_path"),
    [(0, 5, 1), (1, 5, 1), (2, 1, 8), (4, 1, 21), (4, 2, 11), (4, 16, 2), (32, 1, 32)],
)
def test_queue_pairs_until_no_cable_is_likely_to_stay_empty(uplinks: int, crossing: int, per_path: int) -> None:
    assert queue_pairs(uplinks, crossing) == per_path
    if uplinks > 1 and per_path < MOST_QUEUE_PAIRS:
        assert empty_uplink(uplinks, crossing * per_path) <= 1 - LIKELY
        assert empty_uplink(uplinks, crossing * (per_path - 1)) > 1 - LIKELY


@pytest.mark.parametrize(("hosts", "rails"), [(1024, 8), (1023, 8)])
def test_a_thousand_hosts_are_paired(hosts: int, rails: int) -> None:
    rounds, unpaired = pair_rounds(fabric(hosts, rails, leaves=128, uplinks=32))
    assert sum(map(len, rounds)) == (hosts + 1) // 2 * rails
    assert unpaired == []
