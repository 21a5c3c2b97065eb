"""What can be lent, and the settings of the bridges: the packing against brute force, and rows of the thesis' cases.

Cases: A. K. Johansen, Fast Multi-GPU communication over PCI Express, sections 3.1 and 3.2.6.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.catalogue import load
from wirespeed.cluster import read, read_text
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build
from wirespeed.plan.device_lending import (
    compute_least_prefetch,
    compute_packed_size,
    device_number,
    explain_least_prefetch,
)
from wirespeed.units import Size

EXAMPLE = Path(__file__).parents[2] / "examples" / "pcie-lending" / "cluster.yaml"
MIB = 2**20
K20X = [256 * MIB, 32 * MIB, 16 * MIB]


def in_order(sizes: tuple[int, ...]) -> int:
    """Where the last BAR ends when each takes the first address after the one before that its size divides."""
    end = 0
    for size in sizes:
        end += -end % size + size
    return end


@given(st.lists(st.integers(0, 12).map(lambda power: 2**power), max_size=6))
def test_no_order_needs_less_memory(sizes: list[int]) -> None:
    assert compute_packed_size(sizes) == min(in_order(order) for order in permutations(sizes))


@given(st.lists(st.integers(0, 12).map(lambda power: 2**power), min_size=1, max_size=6), st.integers(0, 6))
def test_the_setting_is_the_smallest_that_is_larger(sizes: list[int], exponent: int) -> None:
    prefetch = compute_least_prefetch([Size(size) for size in sizes], 2**exponent)
    assert prefetch & (prefetch - 1) == 0
    assert prefetch > compute_packed_size(sizes) and prefetch >= 2**exponent
    assert prefetch // 2 <= compute_packed_size(sizes) or prefetch == 2**exponent


@pytest.mark.parametrize(
    ("count", "need", "setting"), [(1, "304 MiB", "512 MiB"), (2, "608 MiB", "1 GiB"), (4, "1216 MiB", "2 GiB")]
)
def test_how_much_the_gpus_of_the_thesis_need(count: int, need: str, setting: str) -> None:
    bars = load().gpus["k20x"].bars
    assert bars is not None and bars.value == K20X
    sizes = [Size(size) for size in K20X] * count
    assert (Size(compute_packed_size(sizes)), compute_least_prefetch(sizes, 2 * MIB)) == (
        Size.parse(need),
        Size.parse(setting),
    )


@pytest.mark.parametrize(
    ("node", "address", "number"),
    [(8, "0000:04:00.0", "80400"), (8, "0000:05:00.0", "80500"), (4, "0000:85:03.1", "48519")],
)
def test_the_number_of_a_device(node: int, address: str, number: str) -> None:
    assert device_number(node, address) == number


def change_example(*changes: tuple[str, str]) -> Plan:
    text = EXAMPLE.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return build(read_text(text, "cluster.yaml"))


BARS = "608 MiB of BARs: 256 MiB + 256 MiB + 32 MiB + 32 MiB + 16 MiB + 16 MiB"
PAIR = "".join(
    f"  abel{number}: {{model: supermicro-x9drg-hf-p2p, os: ubuntu-20.04, nics: 1 x dolphin-pxh810, "
    f"nic: {{dis0: {{address: 10.0.0.{number * 4}/24}}}}, ntb: {{node_id: {number * 4}}}}}\n"
    for number in (3, 4)
)
REFUSED = [
    (  # what the thesis tried first
        [("node_id: 4, prefetch: 4096 MiB", "node_id: 4, prefetch: 512 MiB")],
        f"cluster.yaml:13: found prefetchable memory of 512 MiB for {BARS}; "
        "expected at least 1 GiB: more than the BARs need, and a power of two\n"
        "  hint: prefetch: 1 GiB; above 256 MiB the BIOS must decode above 4G",
    ),
    (
        [("node_id: 4, prefetch: 4096 MiB", "node_id: 4, prefetch: 3072 MiB")],
        "cluster.yaml:13: found prefetchable memory of 3 GiB; expected a power of two from 2 MiB to 32 GiB",
    ),
    (  # the GPU at the other processor
        [("lender: abel2, device: GPU1, borrower: abel1", "lender: abel1, device: GPU1, borrower: abel2")],
        "cluster.yaml:29: found GPU1 of abel1 on NUMA node 1, and its bridge on node 0; expected a device on the "
        "bridge's own NUMA node: SmartIO does not lend across the link between processors\n"
        "  hint: move one of the two cards, or lend GPU0",
    ),
    (
        [("device: GPU1, borrower: abel1", "device: GPU1, borrower: abel2")],
        "cluster.yaml:29: found abel2 on both sides; expected two different hosts",
    ),
    (
        [("lender: abel2, device: GPU1", "lender: abel2, device: GPU0")],
        "cluster.yaml:29: found GPU0 of abel2 lent twice; expected one borrower at a time",
    ),
    (
        [("lender: abel2, device: GPU1", "lender: abel2, device: GPU2")],
        "cluster.yaml:29: found the device 'GPU2' of abel2 without bars and numa_node; expected one of GPU0, GPU1, or "
        "a device with both\n  hint: did you mean 'GPU1'?",
    ),
    (
        [("device: GPU1,", "device: nvme0, bars: [16 KiB],")],
        "cluster.yaml:29: found the device 'nvme0' of abel2 without numa_node; expected one of GPU0, GPU1, or a device "
        "with both\n"
        "  hint: for another device, such as an NVMe drive, write its `bars` and `numa_node` as lspci -vv prints them; "
        "the BARs decide the prefetch of the bridge",
    ),
    (
        [("device: GPU1,", "device: nvme0, numa_node: 1, bars: [16 KiB],")],
        "cluster.yaml:29: found nvme0 of abel2 on NUMA node 1, and its bridge on node 0; expected a device on the "
        "bridge's own NUMA node: SmartIO does not lend across the link between processors\n"
        "  hint: move one of the two cards, or lend GPU0",
    ),
    (
        [("device: GPU1,", "device: fpga0, numa_node: 0, bars: [48 MiB],")],
        "cluster.yaml:29: found BARs of 48 MiB; expected sizes that are powers of two",
    ),
    (
        [("device: GPU1,", "device: GPU1, bars: [16 KiB],")],
        "cluster.yaml:29: found bars of GPU1 of abel2; expected no bars: the server model and its GPU in the catalogue "
        "contain it",
    ),
    (
        [('"05:00.0"', '"04:00.0"')],
        "cluster.yaml:29: found 0000:04:00.0, the address of another loan of abel2; expected one address per device",
    ),
    (
        [("device: GPU1, borrower: abel1", "device: GPU1, borrower: abel3")],
        "cluster.yaml:29: found the host 'abel3'; expected a host of this file\n  hint: did you mean 'abel2'?",
    ),
    (  # a second pair of hosts: no cable leads to it
        [
            ("switches: {}", f"{PAIR}switches: {{}}"),
            ("device: GPU1, borrower: abel1", "device: GPU1, borrower: abel3"),
        ],
        "cluster.yaml:31: found abel3, which no cable connects with abel2; expected abel1, the other host of its pair\n"
        "  hint: wirespeed plans no PCIe switch between hosts; see docs/concepts/scope.md",
    ),
    (
        [("node_id: 8", "node_id: 4")],
        "cluster.yaml:22: found the number 4, which abel1 has too; expected a number for each host",
    ),
    (
        [("switches: {}", "switches: {leaf1: {model: dell-z9664f, os: dell-sonic}}")],
        "cluster.yaml:24: found switches in a cluster cabled back to back; expected switches: {}",
    ),
]


@pytest.mark.parametrize(("changes", "message"), REFUSED)
def test_what_cannot_be_is_refused(changes: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(Refusal) as refusal:
        change_example(*changes)
    assert str(refusal.value.problems[0]) == message


def test_each_pair_is_a_pcie_cluster_of_its_own() -> None:
    hosts = change_example(("switches: {}", f"{PAIR}switches: {{}}")).hosts
    assert {name: host.ntbs["1"].members for name, host in hosts.items()} == {
        "abel1": ("abel1", "abel2"),
        "abel2": ("abel1", "abel2"),
        "abel3": ("abel3", "abel4"),
        "abel4": ("abel3", "abel4"),
    }


def test_drives_and_fpgas_need_prefetch_and_are_no_gpus() -> None:
    """SmartIO lends them as it lends GPUs: dolphinics.com, PCIe Device Lending; enfiskutensykkel/ssd-gpu-dma."""
    drive = "device: nvme0, numa_node: 0, bars: [16 KiB],"
    fpga = (
        '\n  - {lender: abel2, device: fpga0, numa_node: 0, bars: [64 KiB, 512 MiB], borrower: abel1, pcie: "06:00.0"}'
    )
    plan = change_example((", prefetch: 4096 MiB", ""), ("device: GPU1,", drive), ('"05:00.0"}', f'"05:00.0"}}{fpga}'))
    borrower, lender = plan.hosts["abel1"], plan.hosts["abel2"]
    assert {number: loan.gpu for number, loan in borrower.loans.items()} == {
        "80400": True,
        "80500": False,
        "80600": False,
    }
    assert borrower.ntbs["1"].prefetch == Size.parse("1 GiB")  # 512 + 256 + 32 + 16 MiB, 64 + 16 KiB
    assert borrower.usable_gpus == 3
    assert (len(borrower.borrowed_gpus), len(lender.lent_gpus)) == (1, 1)


def test_one_gpu_fits_what_comes_from_the_factory() -> None:
    loan = '  - {lender: abel2, device: GPU1, borrower: abel1, pcie: "05:00.0"}\n'
    plan = change_example((", prefetch: 4096 MiB", ""), (loan, ""))
    assert plan.hosts["abel1"].ntbs["1"].prefetch == Size.parse("512 MiB")


def test_two_gpus_get_what_they_need() -> None:
    plan = change_example((", prefetch: 4096 MiB", ""))
    assert plan.hosts["abel1"].ntbs["1"].prefetch == Size.parse("1 GiB")
    assert plan.hosts["abel2"].ntbs["1"].prefetch == Size.parse("512 MiB")
    (computed,) = plan.computed
    assert (computed.name, computed.value) == ("abel1 smallest prefetch", "1 GiB")


@pytest.mark.parametrize(
    ("sizes", "formula"),
    [
        (["16 KiB"], "smallest size of the bridge; BARs: 16 KiB"),
        (["2 MiB"], "smallest power of two above 2 MiB"),
        (["2 MiB", "1 MiB"], "smallest power of two above 2 MiB + 1 MiB = 3 MiB, each BAR aligned to its size"),
    ],
)
def test_the_reason_of_the_smallest_prefetch(sizes: list[str], formula: str) -> None:
    bars, smallest = [Size.parse(size) for size in sizes], Size.parse("2 MiB")
    assert explain_least_prefetch(bars, compute_least_prefetch(bars, smallest), smallest) == formula


def test_both_hosts_know_the_loan() -> None:
    plan = build(read(EXAMPLE))
    lender, borrower = plan.hosts["abel2"], plan.hosts["abel1"]
    assert list(lender.loans) == list(borrower.loans) == ["80400", "80500"]
    assert {(loan.borrowed, loan.peer) for loan in lender.loans.values()} == {(False, 4)}
    assert {(loan.borrowed, loan.peer) for loan in borrower.loans.values()} == {(True, 8)}
    assert (borrower.usable_gpus, lender.usable_gpus) == (4, None)


def test_hosts_back_to_back() -> None:
    plan = build(read(EXAMPLE))
    (cable,) = plan.cables
    assert [(end.device, end.port) for end in (cable.a, cable.b)] == [("abel1", "dis0"), ("abel2", "dis0")]
    host = plan.hosts["abel1"]
    assert {name: nic.addresses for name, nic in host.nics.items()} == {
        "dis0": ("10.0.0.4/24",),
        "eth0": ("10.174.0.55/22",),
    }
    assert host.rdma_naming is None and not host.rules and host.peer_memory is None
    pool = change_example(
        ("nic: {dis0: {address: 10.0.0.4/24}}", "nic: {}"),
        ("nic: {dis0: {address: 10.0.0.8/24}}", "nic: {}"),
        ("scheme: link-31", "scheme: link-31, pool: 10.0.0.0/24"),
    )
    assert [host.nics["dis0"].addresses for host in pool.hosts.values()] == [("10.0.0.0/31",), ("10.0.0.1/31",)]


@pytest.mark.parametrize("bars", [None, [], [Size(256 * MIB), Size(3 * MIB)]])
def test_a_device_of_unknown_bars_is_not_called_one_that_fits(bars: list[Size] | None) -> None:
    catalogue = load()
    gpu = catalogue.gpus["k20x"]
    known_bars = None if bars is None or gpu.bars is None else gpu.bars.model_copy(update={"value": bars})
    gpus = {**catalogue.gpus, "k20x": gpu.model_copy(update={"bars": known_bars})}
    with pytest.raises(Refusal) as caught:
        build(read(EXAMPLE), replace(catalogue, gpus=gpus))
    assert [problem.found for problem in caught.value.problems] == [
        "GPU0 of abel2, a k20x whose memory BARs are not known",
        "GPU1 of abel2, a k20x whose memory BARs are not known",
    ]
