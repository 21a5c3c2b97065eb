"""Names of GPUs, NICs and bridges in synthetic output of lspci are those of pci.ids, as public records have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.catalogue import load
from wirespeed.cluster import read, read_text
from wirespeed.collect import write_planned_bundle
from wirespeed.plan import build

CLUSTER = """\
version: 1
name: names
hosts:
  node[1-2]: {{model: {server}, os: ubuntu-22.04, nics: 8 x {nic}}}
switches:
  leaf1: {{model: arista-7060dx4-32, os: eos, role: leaf}}
cabling: {{pattern: by-host, cable: dac-400g, length: 3 m}}
addresses: {{scheme: link-31, pool: 10.1.0.0/16}}
"""


@pytest.mark.parametrize(
    ("server", "nic", "names"),
    [
        (
            "nvidia-dgx-h100",
            "nvidia-mcx75310aas-neat",
            (
                "3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330] (rev a1)",
                "Ethernet controller [0200]: Mellanox Technologies MT2910 Family [ConnectX-7] [15b3:1021]",
            ),
        ),
        (
            "dell-xe9680-mi300x",
            "broadcom-bcm957608-p1400gd",
            (
                "Processing accelerators [1200]: Advanced Micro Devices, Inc. [AMD/ATI] Aqua Vanjaram [Instinct MI300X]"
                " [1002:74a1]",
                "Ethernet controller [0200]: Broadcom Inc. and subsidiaries BCM57608 25Gb/50Gb/100Gb/200Gb/400Gb"
                " Ethernet [14e4:1760] (rev 11)",
            ),
        ),
    ],
)
def test_planned_cards_have_their_names(server: str, nic: str, names: tuple[str, ...], tmp_path: Path) -> None:
    plan = build(read_text(CLUSTER.format(server=server, nic=nic), "cluster.yaml"), load())
    write_planned_bundle(plan, tmp_path / "bundle")
    text = (tmp_path / "bundle/node1/lspci.out").read_text()
    assert [text.count(name) for name in names] == [8, 8]


EXAMPLES = Path(__file__).parents[2] / "examples"
SWITCH = "Broadcom / LSI PEX890xx PCIe Gen 5 Switch [1000:c030]"


@pytest.mark.parametrize(
    ("cluster", "host", "names"),
    [
        (
            "pcie-lending/cluster.yaml",
            "abel1",
            {"Intel Corporation Xeon E5/Core i7 IIO PCI Express Root Port 3a in PCI Express Mode [8086:3c08]": 3},
        ),
        (
            "bluebonnet-64node/cluster.yaml",
            "node01",
            {"Advanced Micro Devices, Inc. [AMD] Starship/Matisse GPP Bridge [1022:1483]": 1},
        ),
        ("mi300x-4node/cluster.yaml", "node1", {"Intel Corporation Device [8086:352a]": 4, SWITCH: 20}),
    ],
)
def test_bridges_are_those_of_the_server(cluster: str, host: str, names: dict[str, int], tmp_path: Path) -> None:
    plan = build(read(EXAMPLES / cluster), load())
    write_planned_bundle(plan, tmp_path / "bundle")
    text = (tmp_path / "bundle" / host / "lspci.out").read_text()
    assert {name: text.count(name) for name in names} == names
    assert text.count("PCI bridge") == sum(names.values())
