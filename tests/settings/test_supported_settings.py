"""Every setting of the vocabulary is of use, or waits for a platform that has it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from wirespeed.catalogue import load
from wirespeed.checks import checks
from wirespeed.cluster import read
from wirespeed.plan import build
from wirespeed.platforms import platforms
from wirespeed.settings import ENTITIES, Place, list_settings, walk

EXAMPLES = sorted(
    path
    for path in (Path(__file__).parents[2] / "examples").glob("*/cluster*.yaml")
    if path.parent.name != "scale-32768"  # takes ten seconds and plans nothing that the others do not
)
WAITING = {
    "nic.link.enabled": "ip link",
    "nic.link.lanes": "ethtool lanes",
    "nic.link.training": "ethtool link training",
    "nic.slot_address": "nic: {INTERFACE: {pcie: ADDRESS}} of a cluster file, which no example gives",
    "host.launch.host_settings": "hosts of a job with different settings, which no example has",
}
"""Settings that no platform of today has, with the values of those that have them, and two that no example plans."""


@cache
def used() -> frozenset[str]:
    """Paths that are planned, rendered, read, or needed by a check."""
    plans = [build(read(example), load()) for example in EXAMPLES]
    planned_paths = {
        path
        for plan in plans
        for name, device in plan.devices.items()
        for _, path, value in walk(device, Place(name))
        if value is not None
    }
    platform_paths = {
        path for platform in platforms().values() for path, how in platform.settings.items() if how.rendered or how.read
    }
    needed = {path for check in checks().values() for path in check.needs}
    return frozenset(planned_paths | platform_paths | needed)


def test_a_setting_is_used_or_waits_for_a_platform() -> None:
    paths = {path for entity in ENTITIES for path in list_settings(entity)}
    assert paths - used() == WAITING.keys()
