"""CPU cores of ranks

Each rank of a host is bound to the planned cores.

Impact:
    Two ranks on one core take turns, and so do a rank and the threads of its library: every message waits for the
    slower one. A rank on another socket than its NIC sends every byte over the link between the sockets.

Fix:
    Set the mapping, or install the rendered files again. With Slurm check the binding of srun too.

Example:
    MV2_CPU_MAPPING=0:0:1:1

Source:
    MPI over Broadcom RoCE (MVAPICH, 2024 OFA workshop), optimized default CPU mapping policy;
    Broadcom 957608-AN210, 8.7.3.1
"""

from collections.abc import Sequence
from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.launch import ENVIRONMENT_FIX
from wirespeed.checks.model import CheckContext, Outcome
from wirespeed.results.findings import Status
from wirespeed.settings import Host

subject = Host
needs = ("host.launch.cores",)
failures = ("MPI-06",)
_compare = compare(
    *needs,
    wrong="ranks are bound to other cores than planned (rank -> cores)",
    fix="set the cores of the ranks",
    override=ENVIRONMENT_FIX,
)


def check(context: CheckContext) -> Outcome:
    """Two ranks on one core are named."""
    outcome = _compare(context)
    if outcome.status is not Status.FAIL or (shared := _find_shared_core(context.get_found_value(needs[0]))) is None:
        return outcome
    core, first, second = shared
    return replace(outcome, summary=f"ranks {first} and {second} are both bound to core {core} (rank -> cores)")


def _find_shared_core(cores: Sequence[Sequence[int]]) -> tuple[int, int, int] | None:
    """The first core of two ranks, with both ranks."""
    owners: dict[int, int] = {}
    for rank, cores_of_rank in enumerate(cores):
        for core in cores_of_rank:
            if owners.setdefault(core, rank) != rank:
                return core, owners[core], rank
    return None
