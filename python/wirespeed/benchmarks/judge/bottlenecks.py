"""Bottlenecks of one run of nccl-tests or rccl-tests that its log proves, with a limit where a formula exists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from wirespeed.benchmarks.endpoints.nics import list_used_nics
from wirespeed.benchmarks.judge.collective_names import find_collective, find_named_collective
from wirespeed.benchmarks.judge.collectives import build_group, exclude_switch_reduction
from wirespeed.benchmarks.judge.limits import REFUTED, RunContext
from wirespeed.benchmarks.judge.nccl_evidence import Cause, Evidence, derive_proof, find_causes
from wirespeed.limits.algorithms import Algorithm, reachable, select_algorithm
from wirespeed.limits.bound import GIGABYTES, convert, number
from wirespeed.limits.cuts import network_cut
from wirespeed.limits.gpus import find_pcie_links
from wirespeed.limits.group import Group, Member
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Metric, Run
from wirespeed.results.verdicts import Bottleneck, Bound


def find_bottlenecks(run: Run, plan: Plan, context: RunContext, evidence: Evidence) -> tuple[Bottleneck, ...]:
    """The bottlenecks that the debug lines of a run prove."""
    return tuple(
        Bottleneck(
            cause.bottleneck,
            cause.failures,
            _compute_limit(run, plan, context, evidence, cause),
        )
        for cause in find_causes(evidence, plan)
        if cause.bottleneck is not None
    )


def drop_refuted_nics(
    run: Run, plan: Plan, context: RunContext, evidence: Evidence
) -> tuple[Evidence, tuple[str, ...]]:
    """The evidence without its NICs where the run is faster than these can be, with a note.

    Lines of some channels name some of the NICs.
    """
    cause = next((cause for cause in find_causes(evidence, plan) if cause.limits_nics), None)
    collective = find_named_collective(context.collective) if context.collective else find_collective(run, [])
    measured = max((float(row.value) for row in run.measurements if row.metric is Metric.BUSBW), default=0.0)
    if cause is None or collective is None or not run.ranks or not measured:
        return evidence, ()
    group = build_group(run, run.ranks, plan, [], context)
    members = tuple(_select_nics(group, evidence, plan, is_estimate=True))
    sums = derive_proof(run, evidence, plan, context.algorithm).summing or context.algorithm is Algorithm.COLLNET
    can_sum = sums or any(nic.sharp for nic in evidence.communicator.nics or ())
    limit = network_cut(collective, replace(group, members=members), switches_sum=can_sum)
    if limit is None or measured <= REFUTED * convert(limit.value, limit.unit, GIGABYTES):
        return evidence, ()
    note = (
        f"NCCL's lines name {cause.bottleneck}, which carry {number(limit.value)} {limit.unit}: the run is faster, so "
        "that the log contains the lines of some channels only"
    )
    return replace(evidence, nics={}), (note,)


def _compute_limit(run: Run, plan: Plan, context: RunContext, evidence: Evidence, cause: Cause) -> Bound | None:
    """The bus bandwidth that the algorithm reaches with the NICs that the log names, or with GPUs that exchange data
    in host memory: over the slots of the GPUs.

    None if they are not the limit, or if the run was faster: the log then names only some of its NICs.
    """
    if not (cause.limits_nics or cause.is_staged):
        return None
    collective = find_named_collective(context.collective) if context.collective else find_collective(run, [])
    if collective is None or not run.ranks:
        return None
    proof = derive_proof(run, evidence, plan, context.algorithm)
    group, _ = exclude_switch_reduction(collective, build_group(run, run.ranks, plan, [], context), proof)
    largest = max((measurement.size_bytes or 0 for measurement in run.measurements), default=0)
    requested = proof.algorithm(largest) or context.algorithm
    algorithm = select_algorithm(collective, requested, group)
    limit = reachable(collective, group, algorithm)
    members = (
        tuple(replace(member, links=find_pcie_links(plan, member.name)) for member in group.members)
        if cause.is_staged
        else tuple(_select_nics(group, evidence, plan))
    )
    limit_of_nics = reachable(collective, replace(group, members=members), algorithm)
    if limit is None or limit_of_nics is None:
        return None
    measured = max((float(row.value) for row in run.measurements if row.metric is Metric.BUSBW), default=0.0)
    return limit_of_nics if measured <= limit_of_nics.value < limit.value else None


def _select_nics(group: Group, evidence: Evidence, plan: Plan, *, is_estimate: bool = False) -> Iterator[Member]:
    """The hosts, each with the NICs that the log names; a host of which it names none keeps all.

    ``is_estimate``: NICs whose names the plan does not contain are as many of the host's first ones.
    """
    for member in group.members:
        devices = evidence.nics.get(member.name, ())
        positions = [
            position
            for position, nic in enumerate(list_used_nics(plan.hosts[member.name], []))
            if nic.rdma_device in devices
        ]
        if is_estimate and not positions:
            positions = list(range(len(devices)))
        if not positions or max(positions) >= len(member.nics):
            yield member
            continue
        nics = tuple(member.nics[position] for position in positions)
        acknowledged = tuple(member.nics_acknowledged[position] for position in positions)
        yield replace(member, nics=nics, nics_acknowledged=acknowledged)
