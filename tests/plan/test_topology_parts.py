"""What the picture of a plan names inside a host."""

from pathlib import Path

import pytest

from wirespeed.cli.topology import build_topology
from wirespeed.cluster import read, read_text
from wirespeed.plan import build

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("example", "host", "parts"),
    [
        (
            "pcie-lending/cluster-bond",
            "abel1",
            (
                "socket 0: GPU0, dis0 (PCIe bridge)",
                "socket 1: GPU1",
                "borrowed: 2 GPUs of abel2",
                "bond0 (eth0 + eth1): 10.174.0.55/22",
            ),
        ),
        (
            "pcie-lending/cluster",
            "abel2",
            ("socket 0: GPU0 (lent to abel1), GPU1 (lent to abel1), dis0 (PCIe bridge)", "eth0: 10.174.0.57/22"),
        ),
        ("mi300x-4node/cluster", "node1", ("socket 0: 4 GPUs, 4 NICs", "socket 1: 4 GPUs, 4 NICs")),
        ("esnet-400g/cluster", "node1", ("socket 1: eth100, eth200",)),
        ("esnet-400g/cluster", "leaf1", ()),
        ("bluebonnet-64node/cluster", "node01", ()),  # not drawn alone
    ],
)
def test_a_host_has_its_gpus_nics_and_ethernet_interfaces(example: str, host: str, parts: tuple[str, ...]) -> None:
    topology = build_topology(build(read(EXAMPLES / f"{example}.yaml")))
    (node,) = [node for node in topology.nodes if node.name == host]
    assert node.parts == parts


def test_borrowed_drives_are_not_counted_as_gpus() -> None:
    text = (EXAMPLES / "pcie-lending/cluster.yaml").read_text(encoding="utf-8")
    text = text.replace("device: GPU1,", "device: nvme0, numa_node: 0, bars: [16 KiB],")
    topology = build_topology(build(read_text(text, "cluster.yaml")))
    (node,) = [node for node in topology.nodes if node.name == "abel1"]
    assert [part for part in node.parts if "borrowed" in part] == [
        "borrowed: 1 GPU of abel2",
        "borrowed: 1 other device of abel2",
    ]
