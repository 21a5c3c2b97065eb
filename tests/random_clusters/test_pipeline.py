"""Random clusters are planned, rendered and checked: devices as planned pass, and every process renders the same."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from collect.test_as_planned import differences
from random_clusters.generator import SEEDS, make_cluster
from wirespeed.catalogue import load
from wirespeed.platforms.host.linux.bios import find_name
from wirespeed.results.findings import Status

pytestmark = pytest.mark.random

UNREADABLE = {("host.bios", Status.UNKNOWN)}
"""Of some servers no source gives the name of a firmware attribute in the BMC's reply: it is not read."""

DIGESTS = """
import hashlib, sys
from wirespeed import render
from wirespeed.cluster import read_text
from wirespeed.plan import build
for text in sys.stdin.read().split("\\0"):
    plan = build(read_text(text, "cluster.yaml"))
    digest = hashlib.sha256()
    for file in render.files(plan, list(plan.devices)):
        digest.update(f"{file.device} {file.path} {file.mode}\\n{file.text}".encode())
    print(plan.name, digest.hexdigest())
"""


@pytest.mark.parametrize("seed", SEEDS)
def test_devices_as_planned_pass_their_check(seed: int, tmp_path: Path) -> None:
    """Proves consistency: plan, renderer, samples of outputs, readers and checks are all of this project."""
    plan = make_cluster(seed).plan
    unnamed = any(find_name(host, attribute) is None for host in plan.hosts.values() for attribute in host.bios)
    assert differences(plan, tmp_path) <= (UNREADABLE if unnamed else set())


@pytest.mark.parametrize("first", range(0, len(SEEDS), 25))
def test_another_process_renders_the_same(first: int) -> None:
    """With another order of sets and another start of the process."""
    texts = "\0".join(make_cluster(seed).text for seed in SEEDS[first : first + 25])
    outputs = []
    for hash_seed in ("1", "2"):
        command, environment = [sys.executable, "-c", DIGESTS], {**os.environ, "PYTHONHASHSEED": hash_seed}
        process = subprocess.run(command, input=texts, capture_output=True, text=True, check=False, env=environment)
        assert process.returncode == 0, process.stderr
        outputs.append(process.stdout.splitlines())
    assert outputs[0] == outputs[1] and len(outputs[0]) == 25


def test_refusals_name_the_line_and_what_is_expected() -> None:
    """An option that the hardware lacks is refused; the message has the line and what is expected."""
    for seed in SEEDS:
        for name, message in make_cluster(seed).refusals:
            first = message.splitlines()[0]
            assert first.startswith("cluster.yaml:") and ("expected" in first or "missing" in first), (name, message)


def test_the_clusters_differ() -> None:
    """All switch and host systems, drivers, server and switch models, schemes and libraries occur."""
    plans = [make_cluster(seed).plan for seed in SEEDS]
    systems = Counter(switch.os for plan in plans for switch in plan.switches.values())
    assert set(systems) == set(load().switch_systems)
    assert {switch.model for plan in plans for switch in plan.switches.values()} == set(load().switches)
    assert {host.model for plan in plans for host in plan.hosts.values()} == set(load().servers)
    drivers = {nic.driver.name for plan in plans for host in plan.hosts.values() for nic in host.nics.values()}
    assert drivers == set(load().drivers)
    assert len({make_cluster(seed).text for seed in SEEDS}) == len(SEEDS)
