"""Findings put in order for a reader: counted, merged where they say the same, ranked by what they cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wirespeed.report.fixes import merge_fixes
from wirespeed.results.findings import Cost, Finding, Fix, Status

LISTED = (Status.FAIL, Status.WARN, Status.UNKNOWN, Status.ERROR)
"""Statuses a reader must look at; the other two are counted."""

_URGENCY = {status: rank for rank, status in enumerate((*LISTED, Status.PASS, Status.SKIP))}


def counts(findings: Iterable[Finding]) -> Mapping[Status, int]:
    """How many findings have each status; every status is there."""
    result = dict.fromkeys(Status, 0)
    for finding in findings:
        result[finding.status] += 1
    return result


@dataclass(frozen=True, slots=True)
class Group:
    """Findings of one check with one status that a reader takes in together."""

    check: str
    status: Status
    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The finding that stands for the group."""
        return self.findings[0]

    @property
    def places(self) -> tuple[str, ...]:
        """Places within the devices, in order."""
        return tuple(dict.fromkeys(finding.place for finding in self.findings))

    @property
    def devices(self) -> tuple[str, ...]:
        """Devices, in order."""
        return tuple(dict.fromkeys(finding.device for finding in self.findings))

    @property
    def evidence(self) -> tuple[str, ...]:
        """Where the values were read, each once."""
        return tuple(dict.fromkeys(source for finding in self.findings for source in finding.evidence))

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """What to do: the commands for several places of a device are one fix."""
        return tuple(fix for fixes in self.fixes_by_device.values() for fix in fixes)

    @property
    def fixes_by_device(self) -> Mapping[str, tuple[Fix, ...]]:
        """The fixes of each device, merged."""
        fixes: dict[str, list[Fix]] = {}
        for finding in self.findings:
            fixes.setdefault(finding.device, []).extend(finding.fix)
        return {device: merge_fixes(listed) for device, listed in fixes.items()}

    @property
    def cost(self) -> Cost | None:
        """The largest cost at one place; bandwidth outranks latency, which it cannot be compared with."""
        costs = [finding.cost for finding in self.findings if finding.cost is not None]
        return max(costs, key=_weigh_cost) if costs else None


def merge_findings(findings: Iterable[Finding]) -> tuple[Group, ...]:
    """Findings a reader must look at, merged where one device has the same at several places; fails first."""
    merged: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        if finding.status in LISTED:
            merged.setdefault(_make_group_key(finding), []).append(finding)
    groups = [Group(similar[0].check, similar[0].status, tuple(similar)) for similar in merged.values()]
    return tuple(sorted(groups, key=lambda group: _URGENCY[group.status]))


def by_device(findings: Sequence[Finding]) -> Mapping[str, tuple[Group, ...]]:
    """`alike` per device, devices in the order they come."""
    devices: dict[str, list[Group]] = {finding.device: [] for finding in findings if finding.status in LISTED}
    for group in merge_findings(findings):
        devices[group.first.device].append(group)
    return {device: tuple(groups) for device, groups in devices.items()}


def first_things(findings: Iterable[Finding], status: Status = Status.FAIL) -> tuple[Group, ...]:
    """What to do first: checks with this status, the one that costs most at a place first.

    Where no cost is known, what stops traffic comes before what loses packets under load, that before what slows
    traffic, and of these the one at most places.
    """
    same_check: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.status is status:
            same_check.setdefault(finding.check, []).append(finding)
    groups = [Group(check, status, tuple(similar)) for check, similar in same_check.items()]
    return tuple(sorted(groups, key=_rank_group))


def worst(findings: Iterable[Finding]) -> Status | None:
    """The most urgent status; None where there is no finding."""
    return min((finding.status for finding in findings), key=_URGENCY.__getitem__, default=None)


def _make_group_key(finding: Finding) -> tuple[object, ...]:
    return (
        finding.device,
        finding.check,
        finding.status,
        finding.summary,
        finding.expected,
        finding.found,
        finding.cost,
        finding.warning_reasons,
    )


def _rank_group(group: Group) -> tuple[float, float, int, int, str]:
    bandwidth, latency = _weigh_cost(group.cost)
    return (-bandwidth, -latency, _rate_gravity(group.check), -len(group.findings), group.check)


def _rate_gravity(check: str) -> int:
    """How much hangs on a kind of check, the gravest 0."""
    return next((rank for rank, starts in enumerate(_GRAVITY) if check.startswith(starts)), len(_GRAVITY))


_GRAVITY = (
    ("link.", "port.", "address.", "launch.", "nic.presence", "nic.rdma"),  # stops traffic
    ("qos.trust", "qos.roce-queue", "qos.pfc", "qos.priority-group", "nic.qos-"),  # loses packets under load
    ("pcie.", "nic.", "qos.", "fabric.", "host.iommu"),  # slows it
)


def _weigh_cost(cost: Cost | None) -> tuple[float, float]:
    if cost is None:
        return (0.0, 0.0)
    return (cost.value, 0.0) if cost.unit == "Gb/s" else (0.0, cost.value)
