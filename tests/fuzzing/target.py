"""A fuzz target of a Python reader: what holds for any input, inputs to start from, and how to change one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

Check = Callable[[bytes], None]
Mutate = Callable[[bytes, Random], bytes]


INSTRUMENTED = {
    "benchmark": ("wirespeed.benchmarks.logs", "wirespeed.benchmarks.tools"),
    "bundle": ("wirespeed.collect", "tarfile"),
    "campaign": ("wirespeed.results.campaign", "wirespeed.cli.campaign_folder", "wirespeed.benchmarks.run"),
    "cluster": ("wirespeed.cluster", "wirespeed.plan", "wirespeed.units"),
    "profile": ("wirespeed.benchmarks.judge", "wirespeed.data_files", "wirespeed.cluster.document"),
    "result": ("wirespeed.results", "wirespeed.report"),
    "traffic": ("wirespeed.simulation.workload", "wirespeed.cluster"),
    "platform": ("wirespeed.platforms", "wirespeed.facts"),
}
"""Packages whose coverage steers a run, by the first word of the target's name. They are imported with the targets."""


@dataclass(frozen=True, slots=True)
class Target:
    """A fuzz target."""

    name: str
    check: Check  # raises where a property does not hold
    seeds: Callable[[], list[bytes]]
    mutate: Mutate
    longest: int = 4096  # bytes of an input
