"""A platform claims to render only what a cluster file can ask of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from platforms.cluster_files import EXAMPLES, host_files, launch_files, nic_files, switch_files
from wirespeed.catalogue import load
from wirespeed.catalogue.model import TunedCoalescing
from wirespeed.cluster import read, read_text
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build
from wirespeed.platforms import platforms
from wirespeed.render.stack import stack
from wirespeed.settings import Nic, Place, list_settings, walk

pytestmark = pytest.mark.slow

TUNED = {path for path in list_settings(Nic) if path.startswith("nic.coalescing.")}
"""What a tuning profile of the catalogue may set. No profile at hand sets all of them."""

BEYOND_CLUSTER_FILES = {"port.qos.tc_dscp", "port.tagged_vlans", "queue.guaranteed", "queue.shape"}
"""What switches have and templates and answers contain, so that it is read, but no cluster file can configure."""


@cache
def planned_settings() -> Mapping[tuple[str, str], frozenset[str]]:
    """The settings that the cluster files set, by platform."""
    settings: dict[tuple[str, str], set[str]] = {key: set() for key in platforms()}
    for plan in _plans():
        for name, device in plan.devices.items():
            paths = {path for _, path, value in walk(device, Place(name)) if value is not None}
            for file in stack(plan, name):
                settings[file.kind, file.name] |= paths
    return {key: frozenset(paths) for key, paths in settings.items()}


def _plans() -> Iterator[Plan]:
    yield build(read(EXAMPLES / "pcie-lending" / "cluster.yaml"))
    bonded = (EXAMPLES / "pcie-lending" / "cluster-bond.yaml").read_text()
    for system in ("ubuntu-22.04", "rocky-9.4", "sles-15.6", "sles-16.0"):
        text = re.sub(r"software: .*", "", bonded).replace("ubuntu-20.04", system)
        if system == "sles-15.6":  # wicked has name servers of the host, not of an interface
            text = re.sub(r" *(name_servers|search_domains): .*\n", "", text)
        yield build(read_text(text, "bond.yaml"))
        per_link = (EXAMPLES / "mi300x-4node" / "cluster.yaml").read_text()
        yield build(read_text(per_link.replace("ubuntu-22.04", system), "per-link.yaml"))
    switches = (text for system in load().switch_systems for text in switch_files(system))
    for text in (*host_files(), *nic_files(), *launch_files(), *switches):
        try:
            yield build(read_text(text, "one.yaml"))
        except Refusal:
            continue  # not every system has every option; those that it has are among the others


def test_every_rendered_setting_is_configurable_in_a_cluster_file() -> None:
    unused_paths = {
        key: sorted(
            {path for path, support in entry.settings.items() if support.rendered} - planned_settings()[key] - TUNED
        )
        for key, entry in platforms().items()
    }
    assert {key: paths for key, paths in unused_paths.items() if paths} == {}
    for key, entry in platforms().items():  # what only devices have
        assert planned_settings()[key] & BEYOND_CLUSTER_FILES == set(), key
        assert not any(entry.support(path).rendered for path in BEYOND_CLUSTER_FILES), key


def test_a_tuning_profile_has_what_no_cluster_file_here_configures() -> None:
    assert {f"nic.coalescing.{name}" for name in TunedCoalescing.model_fields} == TUNED
