"""The fix of a NIC's firmware names the rendered script only where that script flashes it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wirespeed.settings.software import Action, InstallStep

from . import small_cluster as small

STEP = InstallStep(Action.FIRMWARE, "of each NIC", "236.1.173.0", {"firmware": "BCM*.pkg"})


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        ({}, "flash firmware 236.1.173.0 with the vendor's tool; no rendered script does it"),
        ({"1": STEP}, "run the rendered software-install.sh, which flashes it"),
    ],
)
def test_the_fix_names_what_flashes_the_firmware(steps: dict[str, InstallStep], sentence: str) -> None:
    host = replace(small.PLAN.hosts["node1"], steps=steps)
    plan = replace(small.PLAN, hosts={**small.PLAN.hosts, "node1": host})
    facts = small.facts({(small.NIC, "nic.driver.firmware"): "234.0.154.0/pkg 234.0.154.0"})
    (finding,) = [row for row in small.by_id("software.nic-firmware", facts, plan) if row.status == "fail"]
    assert [(fix.sentence, fix.consequence) for fix in finding.fix] == [(sentence, "reboot")]
