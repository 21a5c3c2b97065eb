"""GPCNeT: random rings and all-reduce of all hosts, alone and while four fifths of the hosts cause congestion.

Both programs run with the planned ranks on each host and have no options. network_load_test loads the whole fabric: no
other job may run on it. It needs ten hosts; its own documentation asks for at least 95 % of a system.
"""

from __future__ import annotations

from wirespeed.benchmarks.steps.groups import groups_by_level
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.steps import add_job
from wirespeed.cluster.ranges import fold_names
from wirespeed.errors import refuse

TITLE = "latency and bandwidth of all hosts with and without congestion: GPCNeT"
KERNEL_ONLY = True

_FEWEST_HOSTS = {"network_test": 2, "network_load_test": 10}
"""Source: GPCNeT, network_test.c and network_load_test.c, "this application must be run on at least"."""
_SECONDS = {"network_test": 120.0, "network_load_test": 300.0}  # our own guess


def make(request: Request) -> Steps:
    """Add both programs over the largest groups of hosts.

    Raises:
        Refusal: there is only one host.
    """
    steps = Steps()
    steps.notes += request.fabric.excluded_nics
    level, groups = groups_by_level(request.fabric)[-1]
    if level == "host":
        raise refuse(request.plan.name, "no two hosts on one network", "two hosts or more, for GPCNeT")
    for program, fewest in _FEWEST_HOSTS.items():
        for group in groups:
            if len(group) < fewest:
                steps.notes.append(
                    f"{program} is skipped on {fold_names(group)}: it needs {fewest} hosts, these are {len(group)}"
                )
                continue
            ranks = request.plan.hosts[group[0]].launch.ranks_per_host or 1
            add_job(request, steps, group, ranks, (program,), _SECONDS[program], tag=program)
        steps.next_stage()
    return steps
