"""Collectives within each host that use only its NICs.

GPUs use neither the links between them nor host memory, so every byte leaves through one NIC and returns through
another, through the leaf. The suite finds a slow NIC, cable or GPU-NIC path without a second host (957608-AN210,
section 8.6).
"""

from __future__ import annotations

from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.steps import add_gpu_job

TITLE = "measure collectives in each host over its NICs only, not over GPU links"

_PROGRAMS = (
    ("all_reduce_perf", "-b", "8", "-e", "1G", "-f", "2"),
    ("alltoall_perf", "-b", "8", "-e", "1G", "-f", "2"),
)
_SECONDS = 30.0


def make(request: Request) -> Steps:
    """Add a step for each host; all run at the same time."""
    steps = Steps()
    for program in _PROGRAMS:
        for host in request.fabric.hosts:
            add_gpu_job(request, steps, [host], program, _SECONDS, tag=f"nic-only.{program[0]}", nics_only=True)
        steps.next_stage()
    return steps
