"""scibench2 and dma_bench between PXH810 on gen3 x8: published peaks pass, half of them fails, other slots are limits.

Johansen, Fast Multi-GPU communication over PCI Express (University of Oslo, 2023), table 4.1: 4134 and 5449 MBytes/s;
github.com/multiib/beegfs-thesis, benchmarks/dolphin/out, between other hosts with PXH810: 5270 and 5729 MBytes/s.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wirespeed.benchmarks.judge.runs import judge
from wirespeed.benchmarks.tools.reader import read
from wirespeed.cluster import read as read_cluster
from wirespeed.plan.build import build
from wirespeed.results.verdicts import Judgement

CLUSTER = Path(__file__).parents[3] / "examples" / "pcie-lending" / "cluster.yaml"


def write_report(bandwidth: float, *, dma: bool, size: int = 1 << 20, nodes: tuple[str, str] = ("4", "8")) -> str:
    """A report with one size."""
    row = {"Message size" if dma else "Segment size": str(size)}
    row["Bandwidth" if dma else "Throughput"] = f"{bandwidth:.2f} MBytes/s"
    head = {"Local nodeId": nodes[0], "Remote nodeId": nodes[1], "Direction": "PUSH"}
    if dma:
        head["DMA engine"] = "Adapter"
    return json.dumps({**head, "results": {"loop 0": {f"size {size}": row}}}, indent=4)


@pytest.mark.parametrize(
    ("bandwidth", "dma", "judgement"),
    [
        (4134.0, False, Judgement.PASS),
        (5449.0, True, Judgement.PASS),
        (5269.87, False, Judgement.PASS),
        (5728.92, True, Judgement.PASS),
        (2800.0, True, Judgement.FAIL),  # as over four lanes
        (7300.0, True, Judgement.UNKNOWN),  # more than packets of 256 bytes leave of gen3 x8
    ],
)
def test_published_peaks_pass(bandwidth: float, dma: bool, judgement: Judgement) -> None:
    (run,) = read(write_report(bandwidth, dma=dma)).runs
    judged = judge(run, build(read_cluster(CLUSTER)))
    assert [verdict.judgement for verdict in judged.verdicts] == [judgement]


def test_the_bridges_of_the_node_ids_are_judged(tmp_path: Path) -> None:
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text(CLUSTER.read_text().replace("10.0.0.8/24}", "10.0.0.8/24, slot: gen3 x4}"))
    plan = build(read_cluster(cluster))
    for nodes, limit in ((("4", "8"), 2864), (("4", "4"), 5728)):
        (run,) = read(write_report(2800.0, dma=True, nodes=nodes)).runs
        (verdict,) = judge(run, plan).verdicts
        assert verdict.reachable is not None
        assert int(verdict.reachable.value) == limit


def test_a_sweep_that_ends_early_is_not_judged() -> None:
    (run,) = read(write_report(2190.95, dma=False, size=256)).runs
    (verdict,) = judge(run, build(read_cluster(CLUSTER))).verdicts
    assert verdict.judgement is Judgement.SKIP
    assert verdict.reason == "the sizes end before 4,096 bytes, where the plateau begins"
