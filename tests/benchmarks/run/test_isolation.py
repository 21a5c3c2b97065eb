"""A simulated cluster with something bad in it: the results of pairs and groups lead to it, in few steps."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fabrics import fabric

from wirespeed.benchmarks.endpoints.fabric import Fabric
from wirespeed.benchmarks.run.isolation import narrow_groups, narrow_pairs
from wirespeed.benchmarks.steps.pairing import Pair, pair_rounds
from wirespeed.results.campaign import Grade, Kind, Suspect

Bad = Callable[[Pair], bool]


def hunt(fabric_case: Fabric, bad: Bad, rounds_allowed: int = 4) -> tuple[list[tuple[Kind, str]], int, int]:
    """Whom it accuses at last, in how many rounds beyond the first, and by how many more pairs."""
    results = [(pair, grade(bad(pair))) for pair_round in pair_rounds(fabric_case)[0] for pair in pair_round]
    first = len(results)
    for count in range(rounds_allowed + 1):
        following = narrow_pairs(fabric_case, results)
        names = [endpoint.name for pair in following.pairs for endpoint in (pair.a, pair.b)]
        assert len(names) == len(set(names)), "a NIC is in two pairs at a time"
        if not following.pairs:
            return [(suspect.kind, suspect.name) for suspect in following.suspects], count, len(results) - first
        results += [(pair, grade(bad(pair))) for pair in following.pairs]
    raise AssertionError("it does not end")


def grade(bad: bool) -> Grade:
    return Grade.BAD if bad else Grade.GOOD


def nic(*names: str) -> Bad:
    return lambda pair: bool({pair.a.name, pair.b.name} & set(names))


def host(name: str) -> Bad:
    return lambda pair: name in (pair.a.host, pair.b.host)


def leaf(name: str) -> Bad:
    return lambda pair: name in (pair.a.leaf, pair.b.leaf)


def path(a: str, b: str) -> Bad:
    return lambda pair: {pair.a.leaf, pair.b.leaf} == {a, b}


def rail(number: int) -> Bad:
    return lambda pair: number in (pair.a.rail, pair.b.rail)


@pytest.mark.parametrize(
    ("fabric_case", "bad", "accused", "rounds", "extra_runs"),
    [
        (fabric(4, 8), nic("node3:rdma4"), [(Kind.NIC, "node3:rdma4")], 1, 2),
        (fabric(2, 8), nic("node1:rdma0"), [(Kind.NIC, "node1:rdma0")], 1, 2),
        (fabric(5, 1), nic("node5:rdma0"), [(Kind.NIC, "node5:rdma0")], 1, 1),
        (fabric(7, 1), nic("node2:rdma0"), [(Kind.NIC, "node2:rdma0")], 1, 2),
        (fabric(8, 2), nic("node1:rdma0", "node6:rdma1"), [(Kind.NIC, "node1:rdma0"), (Kind.NIC, "node6:rdma1")], 1, 4),
        # Both NICs of one pair.
        (fabric(8), nic("node1:rdma0", "node5:rdma0"), [(Kind.NIC, "node1:rdma0"), (Kind.NIC, "node5:rdma0")], 1, 2),
        (fabric(8, 8), host("node3"), [(Kind.HOST, "node3")], 1, 16),
        (fabric(1024, 8, leaves=128, uplinks=32), host("node700"), [(Kind.HOST, "node700")], 1, 16),
        (fabric(8, 8), rail(5), [(Kind.RAIL, "rail 5")], 1, 8),
        (fabric(16, 2, leaves=4, uplinks=4), leaf("leaf2"), [(Kind.LEAF, "leaf2")], 1, 16),
        (fabric(8, 1, leaves=4, uplinks=4), path("leaf1", "leaf3"), [(Kind.PATH, "leaf1 - leaf3")], 1, 4),
        (
            fabric(4, 1, leaves=2, uplinks=4),
            lambda pair: {pair.a.host, pair.b.host} == {"node1", "node3"},
            [(Kind.PAIR, "node1:rdma0 -> node3:rdma0")],
            1,
            2,
        ),
        (fabric(4, 2), lambda pair: False, [], 0, 0),
        (fabric(4, 2), lambda pair: True, [(Kind.UNTOLD, "everything")], 0, 0),
        (fabric(2, 1), nic("node1:rdma0"), [(Kind.UNTOLD, "everything")], 0, 0),
    ],
)
def test_what_is_bad_is_named(
    fabric_case: Fabric, bad: Bad, accused: list[tuple[Kind, str]], rounds: int, extra_runs: int
) -> None:
    assert hunt(fabric_case, bad) == (accused, rounds, extra_runs)


def test_every_single_bad_nic_of_a_cluster_is_named() -> None:
    fabric_case = fabric(5, 2, leaves=2, uplinks=4)
    for endpoint in fabric_case.endpoints:
        accused, rounds, _ = hunt(fabric_case, nic(endpoint.name))
        assert accused == [(Kind.NIC, endpoint.name)]
        assert rounds <= 2


def hunt_groups(
    hosts: int, bad: Callable[[tuple[str, ...]], bool], judged: Grade = Grade.GOOD
) -> tuple[tuple[Suspect, ...], int]:
    """Whom it accuses at last, in how many rounds; ``judged`` is the grade of groups that are not bad."""
    group = tuple(f"node{number + 1}" for number in range(hosts))
    results = [(group, Grade.BAD if bad(group) else judged)]
    for count in range(20):
        following = narrow_groups(results)
        if not following.groups:
            return following.suspects, count
        assert not {frozenset(group) for group in following.groups} & {frozenset(group) for group, _ in results}
        results += [(group, Grade.BAD if bad(group) else judged) for group in following.groups]
    raise AssertionError("it does not end")


@pytest.mark.parametrize("judged", [Grade.GOOD, Grade.WARN, Grade.SKIP])
@pytest.mark.parametrize("hosts", [4, 5, 8, 13, 64, 100, 1024])
def test_one_bad_host_of_a_group_is_found_by_halving(hosts: int, judged: Grade) -> None:
    for bad in {1, 2, hosts // 2, hosts}:
        name = f"node{bad}"
        suspects, rounds = hunt_groups(hosts, lambda group, name=name: name in group, judged)
        assert [(suspect.kind, suspect.name) for suspect in suspects] == [(Kind.HOST, name)]
        assert rounds <= hosts.bit_length()


@pytest.mark.parametrize(
    ("judged", "because"),
    [
        (Grade.GOOD, "the whole group is bad, its parts are not"),
        (Grade.SKIP, "the whole group is bad, its parts are not"),
        (Grade.UNKNOWN, "its parts could not be judged"),
    ],
)
def test_a_group_that_is_bad_as_a_whole_alone(judged: Grade, because: str) -> None:
    """Both halves are measured once, also where a run that ended has no limit to be judged by."""
    suspects, rounds = hunt_groups(8, lambda group: len(group) == 8, judged)
    assert [(suspect.kind, suspect.because) for suspect in suspects] == [(Kind.GROUP, because)]
    assert rounds == 1


@pytest.mark.parametrize("judged", [Grade.SKIP, Grade.UNKNOWN])
def test_a_pair_without_a_judgement_is_not_measured_again(judged: Grade) -> None:
    fabric_case = fabric(4, 1)
    results = [(pair, grade(host("node1")(pair))) for pair_round in pair_rounds(fabric_case)[0] for pair in pair_round]
    measured = {frozenset((pair.a.name, pair.b.name)) for pair, _ in results}
    for _ in range(10):
        pairs = narrow_pairs(fabric_case, results).pairs
        names = {frozenset((pair.a.name, pair.b.name)) for pair in pairs}
        if not names:
            return
        assert not names & measured
        measured |= names
        results += [(pair, judged) for pair in pairs]
    raise AssertionError("it does not end")
