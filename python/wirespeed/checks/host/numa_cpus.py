"""CPUs of a NUMA node

Each planned NUMA node exists and has the planned CPUs: nodes per socket and the order in which the kernel numbers the
cores are as in the catalogue and the BIOS plan.

Impact:
    Rendered lists of cores (interrupts, ranks) belong to another node, and so to another socket than NIC and memory.

Fix:
    Set the BIOS attributes for nodes per socket and for the enumeration of cores (linear or round robin) as planned, or
    correct cpus: numbering of the server model.

Example:
    $ lscpu | grep "NUMA node1"
    NUMA node1 CPU(s):   1,3,5,7,9,11,13,15

Source:
    Broadcom 957608-AN210, section 3.1, table 2 (core enumeration); ESnet, 400G Testbed Configuration, numactl -H
"""

from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome
from wirespeed.results.findings import Fix, Status
from wirespeed.settings import NumaNode, Place

subject = NumaNode
needs = ("numa.cpus", "host.numa", "bios.value")
failures = ("PCI-11",)
presence = True
_compare = compare(
    "numa.cpus",
    wrong="the NUMA node has other CPUs than planned",
    absent="the NUMA node is not present",
    fix="set nodes per socket and core enumeration in the BIOS as planned",
    by_hand=True,
)


def check(context: CheckContext) -> Outcome:
    """With SMT planned off and found on, each node has second threads that are not planned."""
    outcome = _compare(context)
    if outcome.status is not Status.FAIL or not _has_unplanned_smt(context):
        return outcome
    return replace(outcome, fix=(Fix("set SMT, nodes per socket and core enumeration in the BIOS as planned"),))


def _has_unplanned_smt(context: CheckContext) -> bool:
    planned = context.plan.hosts[context.place.device].bios.get("smt")
    found = context.facts.value(Place(context.place.device).child("bios", "smt"), "bios.value")
    return planned is not None and planned.value == "disabled" and found == "enabled"
