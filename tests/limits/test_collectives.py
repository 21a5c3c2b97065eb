"""Numbers worked by hand for four hosts of eight MI300X and eight 400G NICs, and properties for any cluster."""

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from wirespeed.limits import algorithms, cuts
from wirespeed.limits.algorithms import Algorithm
from wirespeed.limits.group import Collective, Group, Links, Member, bus_factor, convert_printed_factor

XGMI = Links("xGMI", per_gpu=7, full_mesh=True, peak=64.0, usable=48.0, source="catalogue")
NVLINK = Links("NVLink", per_gpu=18, full_mesh=False, peak=25.0, usable=20.6, source="catalogue")


def member(name="a", ranks=8, nics=8, nic=49.0, acknowledged=48.5, links=XGMI):
    return Member(name, ranks, (nic,) * nics, (acknowledged,) * nics, "framing", links)


def hosts(count, **how):
    return Group(tuple(member(f"host{number}", **how) for number in range(count)))


@pytest.mark.parametrize("collective", list(Collective))
def test_on_one_host_no_collective_beats_the_peak_links_of_a_gpu(collective):
    assert cuts.network_cut(collective, hosts(1)) is None
    assert cuts.gpu_cut(collective, hosts(1)).value == 7 * 64


@pytest.mark.parametrize(
    ("collective", "hosts_", "bus_bandwidth"),
    [
        # all-reduce: 2(m-1) S over m x 392 GB/s, bus factor 2(n-1)/n
        (Collective.ALL_REDUCE, 2, 392 * 2 * 15 / 16),
        (Collective.ALL_REDUCE, 4, 392 * (31 / 32) / (3 / 4)),
        # 24 of 32 blocks come from elsewhere
        (Collective.ALL_GATHER, 4, 392 * (31 / 32) / (24 / 32)),
        (Collective.REDUCE_SCATTER, 4, 392 * (31 / 32) / (24 / 32)),
        # 8 ranks send 24/32 of their data out of the host
        (Collective.ALL_TO_ALL, 4, 392 / 8 * (31 / 32) / (24 / 32)),
        (Collective.BROADCAST, 4, 392),
        (Collective.REDUCE, 4, 392),
        (Collective.SENDRECV, 4, 392),
        (Collective.GATHER, 4, 392 * (31 / 32) / (24 / 32)),
        (Collective.SCATTER, 4, 392 * (31 / 32) / (24 / 32)),
    ],
)
def test_cut_at_the_nics(collective, hosts_, bus_bandwidth):
    assert cuts.network_cut(collective, hosts(hosts_)).value == pytest.approx(bus_bandwidth)


def test_cut_at_the_gpus_across_hosts():
    assert cuts.gpu_cut(Collective.ALL_REDUCE, hosts(4)).value == pytest.approx(448 + 49)
    assert cuts.gpu_cut(Collective.BROADCAST, hosts(4)).value == pytest.approx((448 + 49) * 32 / 31)
    assert cuts.gpu_cut(Collective.SCATTER, hosts(4)).value == pytest.approx(448 + 392)


def test_a_weak_host_holds_all_back():
    group = Group((member("a"), member("b"), member("c", nics=4)))
    assert cuts.network_cut(Collective.BROADCAST, group).value == pytest.approx(196)
    assert cuts.network_cut(Collective.ALL_REDUCE, group).value == pytest.approx(2 * 23 / 24 * 196)


@pytest.mark.parametrize(
    ("collective", "hosts_", "algorithm", "bus_bandwidth", "binding"),
    [
        (Collective.ALL_REDUCE, 1, Algorithm.RING, 7 * 48, "reachable xGMI rate"),
        (Collective.ALL_REDUCE, 4, Algorithm.RING, 8 * 48, "reachable xGMI rate"),
        (Collective.ALL_REDUCE, 1, Algorithm.TREE, 7 * 48 * 7 / 8, "reachable xGMI rate"),
        (Collective.ALL_REDUCE, 4, Algorithm.TREE, 8 * 48 * 31 / 32, "reachable xGMI rate"),
        (Collective.ALL_REDUCE, 2, Algorithm.TREE, 8 * 48 * 15 / 16, "reachable xGMI rate"),
        (Collective.ALL_GATHER, 4, Algorithm.RING, 8 * 48, "reachable xGMI rate"),
        (Collective.ALL_TO_ALL, 1, Algorithm.PAIRWISE, 7 * 48, "reachable xGMI rate"),
        (Collective.ALL_TO_ALL, 4, Algorithm.PAIRWISE, 48.5 * 31 / 24, "NICs of a host"),
        (Collective.SENDRECV, 1, Algorithm.DIRECT, 48, "reachable xGMI rate"),
        (Collective.SENDRECV, 4, Algorithm.DIRECT, 48, "reachable xGMI rate"),
        # the root takes from seven neighbours over seven links
        (Collective.GATHER, 1, Algorithm.LINEAR, 7 * 48, "reachable xGMI rate of the root"),
        # and from elsewhere over all NICs of its host, or over its links and its own NIC
        (Collective.SCATTER, 2, Algorithm.LINEAR, 7 * 48 + 48.5, "reachable xGMI rate of the root"),
        # one link at a time
        (Collective.HYPERCUBE, 1, Algorithm.DOUBLING, 48, "reachable xGMI rate"),
        (Collective.HYPERCUBE, 4, Algorithm.DOUBLING, 48.5 * 31 / 24, "NICs of a host"),
        (Collective.ALL_TO_ALL_V, 4, Algorithm.PAIRWISE, 48.5 * 31 / 24, "NICs of a host"),
    ],
)
def test_reachable(collective, hosts_, algorithm, bus_bandwidth, binding):
    bound = algorithms.reachable(collective, hosts(hosts_), algorithm)
    assert (bound.value, bound.bottleneck) == (pytest.approx(bus_bandwidth), binding)


NVSWITCH = Links(
    "NVLink", per_gpu=18, full_mesh=False, peak=25.0, usable=20.6, source="catalogue", reduction_share=0.85
)


def test_a_switch_that_sums():
    """NVLS on eight GPUs: 2·7/8 / (1 + 1/8) = 14/9 of 0.85 × 370.8 GB/s; H100 measure 474 to 480 (nccl-tests 290)."""
    bound = algorithms.reachable(Collective.ALL_REDUCE, hosts(1, links=NVSWITCH), Algorithm.NVLS)
    assert bound.value == pytest.approx(14 / 9 * 0.85 * 370.8)
    assert 474 < bound.value < 1.05 * 474
    assert cuts.gpu_cut(Collective.ALL_REDUCE, hosts(1, links=NVSWITCH)).value == pytest.approx(2 * 7 / 8 * 450)
    assert cuts.gpu_cut(Collective.ALL_GATHER, hosts(1, links=NVSWITCH)).value == 450
    assert algorithms.select_algorithm(Collective.ALL_REDUCE, None, hosts(1, links=NVSWITCH)) is Algorithm.NVLS
    assert algorithms.select_algorithm(Collective.ALL_REDUCE, None, hosts(2, links=NVSWITCH)) is Algorithm.NVLS_TREE
    assert algorithms.select_algorithm(Collective.ALL_REDUCE, None, hosts(4, links=NVSWITCH)) is Algorithm.RING
    assert algorithms.select_algorithm(Collective.ALL_REDUCE, None, hosts(1, ranks=2, links=NVSWITCH)) is Algorithm.RING
    assert Algorithm.NVLS not in algorithms.list_possible_algorithms(
        Collective.ALL_REDUCE, hosts(1, ranks=2, links=NVSWITCH)
    )
    assert algorithms.reachable(Collective.ALL_REDUCE, hosts(1, links=NVLINK), Algorithm.NVLS) is None


def test_switches_of_the_network_that_sum():
    assert cuts.network_cut(Collective.ALL_REDUCE, hosts(4), switches_sum=True).value == pytest.approx(
        392 * 2 * 31 / 32
    )


def test_two_gpus_of_a_mesh_share_one_link():
    assert algorithms.reachable(Collective.ALL_REDUCE, hosts(1, ranks=2), Algorithm.RING).value == 48
    assert cuts.gpu_cut(Collective.ALL_REDUCE, hosts(1, ranks=2)).value == 64


def test_a_switch_gives_two_gpus_all_links():
    assert algorithms.reachable(Collective.ALL_REDUCE, hosts(1, ranks=2, links=NVLINK), Algorithm.RING).value == (
        pytest.approx(18 * 20.6)
    )


def test_one_rank_a_host_needs_no_links():
    group = hosts(2, ranks=1, nics=1, links=None)
    assert algorithms.reachable(Collective.ALL_REDUCE, group, Algorithm.RING).value == 48.5
    assert cuts.gpu_cut(Collective.ALL_REDUCE, group).value == 49


def test_unknown_links_are_no_limit_inside_a_host():
    assert algorithms.reachable(Collective.ALL_REDUCE, hosts(1, links=None), Algorithm.RING) is None
    assert cuts.gpu_cut(Collective.ALL_REDUCE, hosts(1, links=None)) is None


@pytest.mark.parametrize(
    ("collective", "requested_algorithm", "algorithm"),
    [
        (Collective.ALL_REDUCE, None, Algorithm.RING),
        (Collective.ALL_REDUCE, Algorithm.TREE, Algorithm.TREE),
        (Collective.ALL_GATHER, Algorithm.TREE, Algorithm.RING),
        (Collective.ALL_TO_ALL, Algorithm.RING, Algorithm.PAIRWISE),
        (Collective.SENDRECV, None, Algorithm.DIRECT),
        (Collective.GATHER, None, Algorithm.LINEAR),
        (Collective.HYPERCUBE, Algorithm.TREE, Algorithm.DOUBLING),
        (Collective.ALL_TO_ALL_V, None, Algorithm.PAIRWISE),
        (Collective.ALL_REDUCE, Algorithm.NVLS, Algorithm.NVLS),
        (Collective.ALL_REDUCE, Algorithm.PAIRWISE, Algorithm.RING),
    ],
)
def test_the_algorithm_of_a_collective(collective, requested_algorithm, algorithm):
    assert algorithms.select_algorithm(collective, requested_algorithm) is algorithm


links = st.builds(
    lambda per_gpu, mesh, peak, share, reduces: Links(
        "links", per_gpu, mesh, peak, peak * share, "made up", None if mesh else reduces
    ),
    st.integers(1, 18),
    st.booleans(),
    st.floats(1, 100),
    st.floats(0.1, 1),
    st.one_of(st.none(), st.floats(0.1, 1)),
)


@given(
    collective=st.sampled_from(list(Collective)),
    algorithm=st.sampled_from([Algorithm.RING, Algorithm.TREE, Algorithm.NVLS, Algorithm.NVLS_TREE]),
    count=st.integers(1, 6),
    ranks=st.integers(1, 9),
    nics=st.integers(1, 9),
    nic=st.floats(1, 100),
    share=st.floats(0.5, 1),
    links=links,
)
def test_what_an_algorithm_reaches_is_never_above_what_none_can_beat(
    collective, algorithm, count, ranks, nics, nic, share, links
):
    if links.full_mesh and links.per_gpu < ranks - 1:
        reject()  # no mesh
    group = hosts(count, ranks=ranks, nics=nics, nic=nic, acknowledged=nic * share, links=links)
    named = algorithms.select_algorithm(collective, algorithm)
    reach = algorithms.reachable(collective, group, named)
    physical = [cut_bound(collective, group) for cut_bound in (cuts.network_cut, cuts.gpu_cut)]
    for term in physical:
        if reach is not None and term is not None:
            assert reach.value <= term.value * (1 + 1e-9)


@given(collective=st.sampled_from(list(Collective)), count=st.integers(2, 6), nic=st.floats(1, 100))
def test_faster_nics_never_lower_the_cut(collective, count, nic):
    slow = cuts.network_cut(collective, hosts(count, nic=nic))
    fast = cuts.network_cut(collective, hosts(count, nic=nic * 2))
    assert fast.value == pytest.approx(2 * slow.value)


def test_bus_factors():
    assert bus_factor(Collective.ALL_REDUCE, 8) == 1.75
    assert bus_factor(Collective.ALL_TO_ALL, 32) == 31 / 32
    assert bus_factor(Collective.BROADCAST, 32) == 1
    assert (bus_factor(Collective.HYPERCUBE, 8), convert_printed_factor(Collective.HYPERCUBE, 8)) == (7 / 8, 1)
    with pytest.raises(ValueError, match="0 ranks: expected at least 1"):
        bus_factor(Collective.ALL_REDUCE, 0)
