"""Published results compared with the limits: nothing measured may beat the physical limit, and what the publication
presents as healthy must be within the written tolerance of what we call reachable.

Values are as printed in the documents: 000 is Broadcom 957608-AN210, 001 Arista and Broadcom "Lossless Network for
AI/ML/Storage/HPC with RDMA" (2024), 002 a thesis on K20X GPUs, 004 ESnet's 400G testbed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pytest

from wirespeed import wire
from wirespeed.catalogue import load
from wirespeed.limits import algorithms, framing, pcie, tcp
from wirespeed.limits.algorithms import Algorithm
from wirespeed.limits.bound import convert
from wirespeed.limits.framing import Path
from wirespeed.limits.group import Collective, Group, Links, Member
from wirespeed.units import Bandwidth

G400, G200, GIGE = Bandwidth.gbps(400), Bandwidth.gbps(200), Bandwidth.gbps(1)
STREAM_400 = Path(G400, 4096)


@dataclass(frozen=True)
class Row:
    """A published value, its limit, and how far below it may be (a share of the limit)."""

    name: str
    measured: float
    limit: float
    tolerance: float


@cache
def rows() -> tuple[Row, ...]:
    """Every row: physical limits first, then reachable ones."""
    k20x = pcie.Slot(5000, 16, 64)
    pxh810 = pcie.Slot(8000, 8, 64)
    return (
        Row("000 2.8.2: ib_write_bw in both directions, 8 MiB, no acknowledgements", 774.97, _two(0.0), 0.013),
        Row("000 2.8.2: the same with 0.5 acknowledgements a packet", 774.97, _two(0.5), 0.002),
        Row("000 2.8.2: 2 MiB", 774.92, _two(0.5, 2 << 20), 0.002),
        Row("000 2.8.2: 512 KiB", 770.98, _two(0.5, 1 << 19), 0.008),
        Row("000 2.8.2: 128 KiB", 732.12, _two(0.5, 1 << 17), 0.06),
        Row("001: ib_write_bw 64 KiB over 200G", 193.53, _one_way(Path(G200, 4096), 65536), 0.014),
        Row("NVIDIA/nccl issue 2409: ib_write_bw 128 KiB over 400G", 392.1, _one_way(STREAM_400, 1 << 17), 0.001),
        Row("NVIDIA/nccl issue 2409: ib_write_bw 16 KiB, one queue pair", 380.0, _one_way(STREAM_400, 1 << 14), 0.04),
        Row("002 A.3.9: K20X peer to peer, 64-byte packets", convert(5.31, "GB/s", "Gb/s"), _slot(k20x), 0.09),
        Row("002 table 4.1: PXH810 DMA, 64-byte packets", convert(5.449, "GB/s", "Gb/s"), _slot(pxh810), 0.05),
        Row("002 table 4.1: Gigabit Ethernet", convert(112, "MiB/s", "Gb/s"), _tcp(GIGE, 1500), 0.003),
        Row("004: iperf3, eight streams over 200G", 190.0, _tcp(G200, 9000), 0.05),
        # two hosts send over two rails each: the figure is twice what one 100G NIC a host carries
        Row(
            "001 table 6: osu_mbw_mr over 100G",
            389.0,
            2 * 2 * _one_way(Path(Bandwidth.gbps(100), 4096), 1 << 17),
            0.009,
        ),
        Row("nccl-tests issue 290: all-reduce on eight H100 (NVLS)", 476.0, _nvls("h100"), 0.03),
        Row("Azure nd96isr_h100_v5.conf: gate of all-reduce on eight H100", 460.0, _nvls("h100"), 0.07),
        Row("lixueduan.com, gb200-mnnvl-nccl-test: all-reduce on eight Blackwell GPUs", 811.0, _nvls("b200"), 0.03),
    )


def _nvls(gpu: str) -> float:
    """Eight GPUs, in GB/s: what the catalogue's NVLink reaches where the switch sums."""
    model = load().gpus[gpu].links
    peak, usable = (convert(float(rate.value), "b/s", "GB/s") for rate in (model.peak, model.usable))
    links = Links(model.name, model.per_gpu.value, model.full_mesh, peak, usable, "", model.reduction.value)
    group = Group((Member("host", 8, (), (), "", links),))
    return algorithms.reachable(Collective.ALL_REDUCE, group, Algorithm.NVLS).value


def _two(acks: float, size: int = 8 << 20) -> float:
    return framing.two_way(STREAM_400, size, acks_per_packet=acks).value


def _one_way(path: Path, size: int) -> float:
    return framing.one_way(path, size).value


def _slot(slot: pcie.Slot) -> float:
    return pcie.one_way(slot).value


def _tcp(speed: Bandwidth, mtu: int) -> float:
    return tcp.tcp(speed, mtu, timestamps=True).value


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_published_value_is_at_its_limit(row):
    assert row.measured <= row.limit
    assert row.measured >= row.limit * (1 - row.tolerance)


@pytest.mark.parametrize(
    ("megatransfers", "gigabytes"),
    [(2500, 4.0), (5000, 8.0), (8000, 15.754), (16000, 31.508), (32000, 63.015)],
)
def test_pcie_table_of_002(megatransfers, gigabytes):
    assert wire.pcie_link(megatransfers, 16) / 8e9 == pytest.approx(gigabytes, abs=0.0005)


def test_port_counters_of_001():
    """Appendix A, exact: NIC counters of data without FCS, of acknowledgements and CNPs without FCS and ICRC."""
    fcs, icrc = 4, 4
    data, acks, cnps = 669_333_143, 651_467_459, 668_830_689
    assert data * (wire.write_first(1024).frame - fcs) == 734_927_791_014
    assert acks * (wire.ack().frame - fcs - icrc) == 37_785_112_622
    assert cnps * (wire.cnp().frame - fcs - icrc) == 46_818_148_230


def test_port_bytes_of_001():
    """Appendix A: all bytes the port sent; the rest, below 10 ppm, are frames of other protocols."""
    sent_bytes = 651_467_459 * wire.ack().frame + 668_830_689 * wire.cnp().frame
    assert 0 <= 1 - sent_bytes / 95_166_312_639 < 1e-5
