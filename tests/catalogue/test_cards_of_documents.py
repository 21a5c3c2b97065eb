"""Cards that the source documents list: ports, speed and PCI number as printed there and in pci.ids."""

from __future__ import annotations

import pytest

from wirespeed.catalogue import load
from wirespeed.units import Bandwidth

ROWS = [
    # The card, its ports and their speed in Gb/s (957608-AN210, table 1; pci.ids for the 57414), and its PCI number.
    ("broadcom-bcm957608-p1400gd", 1, 400, "14e4:1760"),
    ("broadcom-bcm957608-n1400gd", 1, 400, "14e4:1760"),
    ("broadcom-bcm957608-p2200g", 2, 200, "14e4:1760"),
    ("broadcom-bcm957608-n2200g", 2, 200, "14e4:1760"),
    ("broadcom-bcm957608-p2200g-1x400g", 1, 400, "14e4:1760"),
    ("broadcom-bcm957608-n2200g-1x400g", 1, 400, "14e4:1760"),
    ("broadcom-bcm957508-p2100g", 2, 100, "14e4:1750"),
    # Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, tables 2 and 3
    ("broadcom-bcm957508-p2100g-1x200g", 1, 200, "14e4:1750"),
    ("broadcom-bcm957508-n2100g-1x200g", 1, 200, "14e4:1750"),
    ("broadcom-bcm957414-n4140c", 2, 25, "14e4:16d7"),
]


@pytest.mark.parametrize(("name", "ports", "speed", "pci_id"), ROWS)
def test_a_card_is_as_printed(name: str, ports: int, speed: int, pci_id: str) -> None:
    card = load().nics[name]
    assert (card.ports.value, card.speed.value, card.pci_id) == (ports, Bandwidth.gbps(speed), pci_id)
