"""Findings in order for a reader: counted, merged if they are similar, ranked by their estimated impact."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from wirespeed.report import wording
from wirespeed.report.fixes import merge_fixes
from wirespeed.results.findings import Finding, Fix, Impact, Status

LISTED = (Status.FAIL, Status.WARN, Status.UNKNOWN, Status.ERROR)
"""Statuses that are listed unless a reader selects others; the other two are only counted."""

_URGENCY = {status: rank for rank, status in enumerate((*LISTED, Status.PASS, Status.SKIP))}


def counts(findings: Iterable[Finding]) -> Mapping[Status, int]:
    """The number of findings of each status, without those that follow from another; every status is included."""
    result = dict.fromkeys(Status, 0)
    for finding in findings:
        if finding.cause is None:
            result[finding.status] += 1
    return result


def count_checks(findings: Iterable[Finding], *statuses: Status) -> str | None:
    """The number of checks with one of the statuses, and of their places; None if no check has one."""
    matching = [finding for finding in findings if finding.status in statuses and finding.cause is None]
    if not matching:
        return None
    checks = len({finding.check for finding in matching})
    return f"{wording.plural(checks, 'check')} at {wording.plural(len(matching), 'place')}"


@dataclass(frozen=True, slots=True)
class Group:
    """Similar findings of one check with one status."""

    check: str
    status: Status
    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The finding that represents the group."""
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
        """The sources of the values, each once."""
        return tuple(dict.fromkeys(source for finding in self.findings for source in finding.evidence))

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """The fixes: the commands for several places of a device are one fix."""
        return tuple(fix for fixes in self.fixes_by_device.values() for fix in fixes)

    @property
    def fixes_by_device(self) -> Mapping[str, tuple[Fix, ...]]:
        """The fixes of each device, merged."""
        fixes: dict[str, list[Fix]] = {}
        for finding in self.findings:
            fixes.setdefault(finding.device, []).extend(finding.fix)
        return {device: merge_fixes(listed) for device, listed in fixes.items()}

    @property
    def impact(self) -> Impact | None:
        """The largest estimated impact at one place; bandwidth precedes latency, as the two are not comparable."""
        impacts = self._impacts
        return max(impacts, key=_weigh_impact) if impacts else None

    @property
    def impact_label(self) -> str:
        """What `impact` is: that of the only place, of each place, or the largest of several."""
        if len(self.findings) == 1:
            return "estimated impact"
        missing = len(self.findings) - len(self._impacts)
        if not missing and len({(impact.value, impact.unit) for impact in self._impacts}) == 1:
            return "estimated impact, each"
        return "largest estimated impact" + (f"; {missing} without an estimate" if missing else "")

    @property
    def _impacts(self) -> list[Impact]:
        return [finding.impact for finding in self.findings if finding.impact is not None]


def merge_findings(findings: Iterable[Finding], statuses: Collection[Status] = LISTED) -> tuple[Group, ...]:
    """Findings with these statuses, merged if one device has similar ones at several places.

    Failures come first, and of these the ones that follow from no other.
    """
    merged: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        if finding.status in statuses:
            merged.setdefault(_make_group_key(finding), []).append(finding)
    groups = [Group(similar[0].check, similar[0].status, tuple(similar)) for similar in merged.values()]
    return tuple(sorted(groups, key=lambda group: (_URGENCY[group.status], group.first.cause is not None)))


def group_by_device(
    findings: Sequence[Finding], statuses: Collection[Status] = LISTED
) -> Mapping[str, tuple[Group, ...]]:
    """`merge_findings` per device; devices are in the order of their first finding."""
    devices: dict[str, list[Group]] = {finding.device: [] for finding in findings if finding.status in statuses}
    for group in merge_findings(findings, statuses):
        devices[group.first.device].append(group)
    return {device: tuple(groups) for device, groups in devices.items()}


def rank_first_steps(findings: Iterable[Finding], status: Status = Status.FAIL) -> tuple[Group, ...]:
    """Problems with this status in the order to work on them: the largest estimated impact at one place first.

    Without an estimate, checks whose failure stops traffic precede those that lose packets under load, and those
    precede checks that slow down traffic; within each kind, the problem with most places is first. Findings of one
    check with different summaries are different problems. Findings that follow from another are left out: nothing has
    to be done about them.
    """
    same_problem: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        if finding.status is status and finding.cause is None:
            same_problem.setdefault((finding.check, finding.summary), []).append(finding)
    groups = [Group(check, status, tuple(similar)) for (check, _), similar in same_problem.items()]
    return tuple(sorted(groups, key=_rank_group))


def worst(findings: Iterable[Finding]) -> Status | None:
    """The most urgent status; None without findings."""
    return min((finding.status for finding in findings), key=_URGENCY.__getitem__, default=None)


def _make_group_key(finding: Finding) -> tuple[object, ...]:
    return (
        finding.device,
        finding.check,
        finding.status,
        finding.summary,
        finding.expected,
        finding.found,
        finding.impact,
        finding.warning_reasons,
        finding.cause,
    )


def _rank_group(group: Group) -> tuple[float, float, int, int, str, str]:
    bandwidth, latency = _weigh_impact(group.impact)
    return (-bandwidth, -latency, _rate_gravity(group.check), -len(group.findings), group.check, group.first.summary)


def _rate_gravity(check: str) -> int:
    """The severity of a kind of check; 0 is the most severe."""
    return next((rank for rank, starts in enumerate(_GRAVITY) if check.startswith(starts)), len(_GRAVITY))


_GRAVITY = (
    ("link.", "port.", "address.", "launch.", "nic.presence", "nic.rdma"),  # stops traffic
    (
        "qos.trust",
        "qos.roce-queue",
        "qos.pfc",
        "qos.priority-group",
        "qos.watchdog",
        "nic.qos-",
    ),  # loses packets under load
    ("pcie.", "nic.", "qos.", "fabric.", "host.iommu"),  # slows down traffic
    ("lending.modules", "lending.node-id", "lending.prefetch"),  # before devices are lent; a reboot ends loans
)


def _weigh_impact(impact: Impact | None) -> tuple[float, float]:
    if impact is None:
        return (0.0, 0.0)
    return (impact.value, 0.0) if impact.unit == "Gb/s" else (0.0, impact.value)
