"""What memory lets through of perftest: that of a host and its caches, and writes that must keep their order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from wirespeed.benchmarks.endpoints.nics import NicAt
from wirespeed.benchmarks.judge.limits import text, truth
from wirespeed.limits import host
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Run
from wirespeed.results.verdicts import Term


def gpu_memory(run: Run) -> bool:
    """Whether buffers are in memory of GPUs."""
    return text(run, "memory") in ("rocm", "cuda") or truth(run, "rocm_memory")


def memories(plan: Plan, ends: Iterable[NicAt]) -> tuple[host.MemoryOfHost, ...]:
    """The memory of the hosts at both ends, where the catalogue knows it."""
    found = (host.memory_of(plan, name) for name in dict.fromkeys(at.host for at in ends))
    return tuple(one for one in found if one is not None)


def in_use(run: Run, plan: Plan, ends: list[NicAt], assumptions: list[str], both_ways: bool) -> Iterable[Term]:
    """What host memory reaches: its own bandwidth, and writes that must keep their order."""
    if gpu_memory(run):
        return
    for name in dict.fromkeys(at.host for at in ends):
        memory = host.memory_term(plan, name, both_ways=both_ways)
        if memory is not None:
            yield memory
    for at in ends:
        if not _ordered(run, plan, at):
            continue
        term = host.ordered_writes_term(plan, at.host)
        if term is None:
            assumptions.append(f"PCIe relaxed ordering is off at {at}: what its CPU then reaches is not known")
        else:
            yield term if not both_ways else replace(term, value=2 * term.value, formula=f"2 × {term.formula}")


def _ordered(run: Run, plan: Plan, at: NicAt) -> bool:
    """Whether the log, or what is planned or found, says that PCIe relaxed ordering is off."""
    function = plan.hosts[at.host].pcie.get(at.nic.pcie or "")
    return host.writes_in_order(at.nic, function) or (text(run, "relaxed_ordering") or "").upper() == "OFF"
